"""Resize: the entry that ends the old ring, what comes behind it, what is refused, what survives."""

from __future__ import annotations

from tb.agents.axi import SLVERR, ErrorRegion
from tb.host.hermon import Command, Modify
from tb.host.hermon_cq import Cq, Style
from tb.sequences.hermon import (
    LAST_INDEX,
    LONG,
    REQUESTS,
    Arm,
    await_event,
    create,
    fill,
    laps,
    overflow,
    race,
    rest,
    round_trip,
    start,
)
from tb.testcase import HermonTest, dut_test


class _Resize(HermonTest):
    """Resizes at every place of the ring, with unread CQEs, by both styles of consumers."""

    sizes: tuple[tuple[int, int], ...]

    async def scenario(self) -> None:
        await start(self, ())
        number = 0
        for old, new in self.sizes:
            for style in Style:
                for place in (0, 1, (1 << old) - 2, (1 << old) - 1, 3 << old):
                    number = (number + 1) % (1 << int(self.host.knobs["NUM_CQ_LOG"]))
                    cq = await create(self, number, log_size=old)
                    await laps(self, cq, place)
                    await fill(self, cq, min((1 << old) - 2, (1 << new) - 2, place % 4))
                    await cq.resize(new, style)
                    await self.host.query(number)
                    await fill(self, cq, 1)
                    cq.drain()
                    await laps(self, cq, 2 << new)
                    await self.host.destroy(number)


@dut_test(suites=("full",))
class resize_up(_Resize):
    """A larger ring goes on behind the entry that ends the old one, nothing lost and nothing counted anew.

    Stimulus: rings of 4 and 8 grown at each place of a lap, unread CQEs, both styles of consumers; two laps
    behind it.
    Checks: HCQ-088, HCQ-089, HCQ-090, HCQ-091/accepts, HCQ-092, HCQ-037.
    """

    sizes = ((2, 3), (2, 6), (3, 4))


@dut_test(suites=("full",))
class resize_down(_Resize):
    """A smaller ring goes on behind the entry that ends the old one.

    Stimulus: rings of 8 and 64 shrunk at each place of a lap, unread CQEs, both styles; one to the same size.
    Checks: HCQ-088, HCQ-089, HCQ-090, HCQ-091/accepts.
    """

    sizes = ((3, 2), (6, 2), (4, 4))


@dut_test(suites=("full",))
class resize_fields(HermonTest):
    """The new ring is where the mailbox says, by the places of the context.

    Stimulus: offset, page size and MTT address of 40 bits changed together with the size; other fields of the
    mailbox 0, then inverted.
    Checks: HCQ-092, HCQ-093, HCQ-027.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3, max_count=2, period=3, uar_page=5, eqn=2)
        others = {"usr_page": 0xFFFFFF, "c_eqn": 0x1FF, "cq_max_count": 0xFFFF, "cq_period": 0xFFFF, "oi": 1}
        stride = self.host.rings.stride
        places: tuple[tuple[int, int, int, dict[str, int]], ...] = (
            (4, 4096 - stride, 0, {}),
            (5, stride, 1, {}),
            (3, 0, 9, {}),
            (4, stride, 0, others),
        )
        for number, (log_size, offset, l2ps, more) in enumerate(places):
            self.host.mtt.skip((0x81 << 32, 0xFF_FFFF_0000, 0x8000_0000, 8)[number])
            ring = self.host.rings.make(log_size, offset, l2ps)
            await cq.resize(log_size, Style.SWITCH, ring, more)
            await self.host.query(1)
            await fill(self, cq, 1)
            cq.drain()
            await laps(self, cq, 20)


@dut_test(suites=("full",))
class resize_refused(HermonTest):
    """A resize to less than is outstanding is refused and changes nothing; from outstanding + 2 on it is
    done.

    Stimulus: n - 2, n - 1, n, n + 1 and n + 2 CQEs outstanding for a new size of n; a full ring resized up.
    Checks: HCQ-091/refuses, HCQ-091/accepts, HCQ-095, HCQ-025, HCQ-042.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, unread in enumerate((2, 3, 4, 5, 6)):
            cq = await create(self, number, log_size=3)
            await laps(self, cq, 3)
            await (cq.arm(Arm.SOLICITED) if unread == 5 else cq.arm(Arm.NTH, cq.ci + unread))
            await fill(self, cq, unread)
            await cq.resize(2)
            await self.host.query(number)
            await fill(self, cq, 1)
            await self.host.eqs.handle()
            cq.drain()
            await laps(self, cq, 9)
        for number in (10, 11):
            cq = await create(self, number, log_size=3)
            await fill(self, cq, cq.ring.size - 1)
            if number == 11:
                await fill(self, cq, 1)
            await cq.resize(5)
            await self.host.query(number)
            await fill(self, cq, 1)
            await self.host.eqs.handle()


@dut_test(suites=("full",))
class resize_armed(HermonTest):
    """A request that waits survives a resize; the entry that ends the ring may answer it or not, always
    alike.

    Stimulus: resizes up and down while armed for any and for solicited, with and without moderation, idle;
    then a CQE.
    Checks: HCQ-093, HCQ-094, HCQ-060.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, (new, count) in enumerate(((4, 0), (2, 0), (4, 3))):
            cq = await create(self, number, log_size=3, max_count=count)
            for request in REQUESTS:
                await cq.arm(request)
                await cq.resize(new)
                await self.clocks(6 * LONG)  # an event of the entry itself comes before
                await self.host.query(number)
                await self.host.eqs.handle()
                cq.drain()
                await fill(self, cq, 3, solicited=True)
                await self.host.eqs.handle()
                await rest(self)
                cq.drain()
                await cq.resize(3)
                await rest(self)
                await self.host.eqs.handle()
                cq.drain()
                await fill(self, cq, 4)  # so that the next resize is at an odd index
                cq.drain()
                await self.host.eqs.handle()


@dut_test(suites=("full",))
class resize_capacity(HermonTest):
    """Behind a resize the new size counts, with the same counters.

    Stimulus: rings filled to the brim behind a resize, the entry that ended the old one published or not.
    Checks: HCQ-096, HCQ-071/not_before.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, (new, publishes) in enumerate((new, told) for new in (2, 4) for told in (False, True)):
            cq = await create(self, number, log_size=3)
            await laps(self, cq, 11)
            await cq.resize(new)
            await rest(self)
            if publishes:
                cq.drain()
            room = cq.ring.size - 1 if publishes else (1 << new) - 2
            await fill(self, cq, room)
            await fill(self, cq, 2)
            await self.host.query(number)


@dut_test(suites=("full",))
class resize_traffic(HermonTest):
    """Reports that come while a resize runs go to the old ring or to the new one, none twice, none lost.

    Stimulus: a burst at every clock around the command, both styles of consumers, up and down, across 2^24.
    Checks: HCQ-088, HCQ-089, HCQ-038, HCQ-116.
    """

    async def scenario(self) -> None:
        await start(self, ())
        await self.host.start_at(LAST_INDEX - 40)
        cq, aside = await create(self, 1, log_size=4), await create(self, 2, log_size=6)
        for turn, offset in enumerate((-60, -20, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 60, 120)):
            await fill(self, cq, turn % 3)

            async def resize(turn: int = turn) -> None:
                await cq.resize((5, 4)[turn % 2], tuple(Style)[turn // 2 % 2])

            await race(self, offset, resize, self._burst)
            await rest(self)
            cq.drain()
            aside.drain()

    async def _burst(self) -> None:
        await self.producer.mixed((1, 2, 1), 6)


@dut_test(suites=("full",))
class resize_unreadable(HermonTest):
    """A resize whose mailbox or new pages cannot be read fails, or the queue fails at first use.

    Stimulus: MTT address 0 with absent entries, error answers on the mailbox and on the new entries.
    Checks: HCQ-097, HCQ-109/status, HCQ-025.
    """

    async def scenario(self) -> None:
        (spare,) = await start(self, (9,))
        for number, fault in enumerate(("absent", "entries", "mailbox")):
            cq = await create(self, number, log_size=3)
            await cq.arm(Arm.SOLICITED)
            await fill(self, cq, 3)
            ring = self.host.rings.make(4)
            first = self.host.inbox if fault == "mailbox" else self.host.mtt.base + ring.mtt & -8
            if fault == "absent":
                await self.host.command(Command.MODIFY, number, Modify.RESIZE, {"log_cq_size": 4})
            else:
                self.env.axi.set_error_regions([ErrorRegion(first, first + 8, SLVERR)])
                await self.host.resize_command(number, ring)
            self.env.axi.set_error_regions([])
            await self.host.query(number)
            await fill(self, cq, 1, solicited=True)
            await self.host.eqs.handle()
            await self.host.destroy(number)
        await round_trip(self, spare)


@dut_test(suites=("full",))
class resize_error_queue(HermonTest):
    """A queue in error refuses to be resized and stays as it was.

    Stimulus: a resize behind an overflow; the queue given back and created again.
    Checks: HCQ-075, HCQ-079, HCQ-025.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=2)
        await overflow(self, cq)
        await cq.resize(4)
        await self.host.query(1)
        await self.host.destroy(1)
        again: Cq = await create(self, 1, log_size=2)
        await again.arm(Arm.ANY)
        await fill(self, again, 1)
        await await_event(self, again)


@dut_test(suites=("full",))
class resize_kept(HermonTest):
    """A collapsed queue stays collapsed over a resize, and one that ignores overruns goes on to do so.

    Stimulus: two resizes in a row of a queue with oi, one with cc and one with both, more CQEs than fit.
    Checks: HCQ-093, HCQ-081, HCQ-085, HCQ-089.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, (oi, cc) in enumerate(((True, False), (False, True), (True, True))):
            cq = await create(self, number, log_size=3, oi=oi, cc=cc)
            for new in (2, 4):
                await fill(self, cq, 3)
                cq.publish(cq.skip(3))
                await self.host.resize_command(number, self.host.rings.make(new, collapsed=cc))
                cq.publish(cq.skip(1))
                await self.host.query(number)
            await fill(self, cq, 40 if oi else 3)
            await self.host.query(number)
