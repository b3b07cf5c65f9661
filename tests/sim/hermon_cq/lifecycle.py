"""Destroy with events in flight, re-create, many queues at once, stalls, reset."""

from __future__ import annotations

from contextlib import suppress

import cocotb

from tb.agents.pins import TransferAborted
from tb.host.hermon import Command
from tb.host.hermon_cq import CqSettings
from tb.sequences.hermon import (
    LONG,
    Arm,
    await_event,
    create,
    fill,
    laps,
    overflow,
    race,
    reset,
    rest,
    round_trip,
    start,
)
from tb.testcase import HermonTest, dut_test

DESTROY_OFFSETS = range(-70, 31, 3)
"""Clocks from the report to the first register write of the command: its go comes about 25 clocks later."""


@dut_test(suites=("full",))
class destroy_in_flight(HermonTest):
    """A report in flight at HW2SW_CQ is written and counted, or refused; behind the command nothing is
    touched.

    Stimulus: the command at clocks around the report, both modifiers, a request waiting; the ring used for
    other data at once; reports to the number behind it.
    Checks: HCQ-111, HCQ-112, HCQ-113, HCQ-118/silent, HCQ-118/told, HCQ-017/image.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for offset in DESTROY_OFFSETS:
            for opmod in (0, 1):
                cq = await create(self, 1, log_size=2)
                await cq.arm(Arm.ANY)

                async def report() -> None:
                    await self.producer.burst(1, 2)

                async def destroy() -> None:
                    await self.host.destroy(1, opmod)  # noqa: B023

                await race(self, offset, report, destroy)
                cq.ring.fill(b"\x77")
                await self.producer.burst(1, 2)
                await rest(self)
                await self.host.eqs.handle()


@dut_test(suites=("full",))
class destroy_waiting(HermonTest):
    """A queue that was given back causes no event: not by a request, unread CQEs, a timer or a full event
    queue.

    Stimulus: queues armed, unread, in a moderation wait, behind a full event queue and in error given back;
    2^16 us.
    Checks: HCQ-112, HCQ-106/writes.
    """

    tick_clks = 2

    async def scenario(self) -> None:
        armed, unread, waits, *blocked = await start(
            self, range(6), log_size=3, eq_log_size=1, eqn=1, async_eq=2
        )
        await armed.arm(Arm.ANY)
        await fill(self, unread, 3)
        await self.host.moderate(2, 5, 60000)
        await waits.arm(Arm.ANY)
        await fill(self, waits, 2)
        failed = await create(self, 9, log_size=1)
        await overflow(self, failed)
        for cq in blocked:
            await cq.arm(Arm.ANY)
            await fill(self, cq, 1)
        for number in (0, 1, 2, 3, 4, 5, 9):
            await self.host.destroy(number, number % 2)
        await self.clocks(2 << 16)
        await self.host.eqs.handle()
        await self.clocks(LONG)
        await self.host.eqs.handle()
        await round_trip(self, await create(self, 8, eqn=1))


@dut_test(suites=("smoke", "full"))
class recreate(HermonTest):
    """A number that is used again keeps nothing of its former life.

    Stimulus: queues armed, fired, in error and in a moderation wait given back and created with another event
    queue, ring and page; doorbells of the former life just before the commands.
    Checks: HCQ-114, HCQ-017/ends, HCQ-013.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for state in ("armed", "fired", "error", "waits", "rang"):
            cq = await create(self, 1, log_size=2, eqn=1, uar_page=3)
            await self.host.query(1)
            if state == "error":
                await overflow(self, cq)
            elif state == "waits":
                await self.host.moderate(1, 3, 1000)
            elif state == "fired":
                await round_trip(self, cq, count=3)
            await cq.arm(Arm.ANY)
            if state in ("waits", "rang"):
                await self.producer.burst(1, 1)
            await self.host.destroy(1, self.rng.randrange(2))
            await cq.arm(Arm.ANY, sn=2)
            again = await create(self, 1, log_size=3, eqn=2, uar_page=3, offset=2048)
            await fill(self, again, 3)
            await self.host.eqs.handle()
            await self.host.query(1)
            again.drain()
            await round_trip(self, again)
            await self.host.destroy(1)


@dut_test(suites=("full",))
class recreate_rung(HermonTest):
    """A doorbell taken before a queue is created does not count for it, however short before.

    Stimulus: doorbells at each clock around the start of SW2HW_CQ, while reports of another queue keep the
    engine at work; a CQE behind it.
    Checks: HCQ-114.
    """

    async def scenario(self) -> None:
        (busy,) = await start(self, (2,), log_size=5)
        for offset in range(2, 34):
            traffic = cocotb.start_soon(self.producer.burst(2, 8))
            cq = self.host.prepare(CqSettings(1, log_size=1, eqn=1))
            first, second = cq.doorbell(Arm.ANY, 0, 1)

            async def give() -> None:
                await self.host.sw2hw(cq)  # noqa: B023 - ends before the next turn

            async def ring() -> None:
                await self.host.ring_cq(0, first, second)  # noqa: B023

            await race(self, offset, give, ring)
            await traffic
            await fill(self, cq, 1)
            await self.host.eqs.handle()
            await self.host.destroy(1)
            busy.drain()


@dut_test(suites=("full",))
class many_cqs(HermonTest):
    """No queue feels what happens to another.

    Stimulus: pairs of queues whose numbers differ in one bit, with adjacent records: one overflows, faults,
    is armed, modified, destroyed and created while the other runs; at last all numbers at once.
    Checks: HCQ-115, HCQ-116, HCQ-041.
    """

    async def scenario(self) -> None:
        bits = int(self.host.knobs["NUM_CQ_LOG"])
        await start(self, (), eq_log_size=8)
        line = self.mem.alloc(128, 64, "records")
        steady = await create(self, 5, log_size=4, record=line, eqn=0)
        for bit in range(bits):
            other = await create(self, 5 ^ 1 << bit, log_size=2, record=line + 8, eqn=0)
            await steady.arm(Arm.SOLICITED)
            await other.arm(Arm.ANY)
            await fill(self, other, 2)
            await fill(self, steady, 3)
            await self.host.moderate(other.cqn, 9, 9)
            await overflow(self, other)
            await self.host.destroy(other.cqn)
            await self.producer.burst(other.cqn, 2)
            await fill(self, steady, 1, solicited=True)
            await await_event(self, steady)
            steady.drain()
        every = [await create(self, number, log_size=3) for number in range(1 << bits) if number != 5]
        for _ in range(3):
            await self.producer.mixed(range(1 << bits), 2 << bits, errors=0.2)
            await rest(self)
            for cq in (*every, steady):
                cq.drain()


@dut_test(suites=("full",))
class blocked_neighbours(HermonTest):
    """Queues with room are served while others are full, in error, destroyed, or wait for moderation or an
    event queue.

    Stimulus: one queue in each of these states, the rest at full rate.
    Checks: HCQ-117, HCQ-118/told, HCQ-119/reports, HCQ-076.
    """

    async def scenario(self) -> None:
        full, absent, gone, waits, held, fast = await start(self, range(1, 7), log_size=3, eqn=1)
        await self.host.open_eq(3, 1, 1)
        await overflow(self, full)
        self.host.mtt.entry(absent.ring.mtt, 0, absent.ring.pages[0], 0)
        await fill(self, absent, 1)
        await self.host.destroy(gone.cqn)
        await self.host.moderate(waits.cqn, 100, 0)
        await waits.arm(Arm.ANY)
        for number in (held.cqn, 10, 11):
            cq = held if number == held.cqn else await create(self, number, eqn=3)
            await self.host.move(number, 3)
            await cq.arm(Arm.ANY)
            await self.producer.burst(number, 1)
        for _ in range(20):
            await self.producer.mixed((1, 2, 3, 4, 6, 6, 6, 60, 1 << 20), 6, errors=0)
            await rest(self)
            for cq in (waits, fast):
                cq.drain()
        await self.host.eqs.handle()


class _Pressure(HermonTest):
    """Traffic on several queues under stalls of every port."""

    register_stalls = "heavy"

    async def scenario(self) -> None:
        cqs = await start(self, (1, 2, 3), log_size=5)
        for _ in range(12):
            for cq in cqs:
                await cq.arm(Arm.ANY)
            await self.producer.mixed((1, 2, 3), 18)
            await rest(self)
            await self.host.eqs.handle()
            for cq in cqs:
                cq.drain()
        for cq in cqs:
            await self.host.query(cq.cqn)


@dut_test(suites=("full",))
class stalls_heavy(_Pressure):
    """Nothing is lost, repeated or damaged under dense stalls of all ports.

    Stimulus: reports, requests and events with dense stalls.
    Checks: HCQ-108, HCQ-107, HCQ-116, HCQ-124/order.
    """

    stalls = "heavy"


@dut_test(suites=("full",))
class stalls_long(_Pressure):
    """Nothing is lost, repeated or damaged under stalls of up to 100 clocks.

    Stimulus: reports, requests and events with long stalls between free runs.
    Checks: HCQ-108, HCQ-116, HCQ-124/order.
    """

    stalls = "bursts"


@dut_test(suites=("full",))
class status_stalled(HermonTest):
    """While the status stream stands still commands and doorbells go on.

    Stimulus: the stream held for 10000 clocks with one and with many reports waiting; queries, requests on
    unread CQEs, moderation and HW2SW_CQ meanwhile.
    Checks: HCQ-123, HCQ-124/order, HCQ-119/commands, HCQ-060.
    """

    async def scenario(self) -> None:
        cqs = await start(self, range(1, 5), log_size=4)
        for count in (1, 14):
            await fill(self, cqs[0], 1)
            self.env.sts.hold()
            offer = cocotb.start_soon(self.producer.burst(2, count))
            release = cocotb.start_soon(self._release())
            await self.clocks(LONG)
            await self.host.query(2)
            await cqs[0].arm(Arm.ANY)
            await self.host.moderate(3, 4, 4)
            await await_event(self, cqs[0])
            await self.host.destroy(4)
            await release
            await offer
            await rest(self)
            for cq in cqs[:3]:
                cq.drain()
            await create(self, 4)

    async def _release(self) -> None:
        await self.clocks(5 * LONG // 2)
        self.env.sts.release()


@dut_test(suites=("full",))
class report_void(HermonTest):
    """A report for a queue that is not the hardware's is dropped and told.

    Stimulus: numbers never created, destroyed and out of range, between good reports.
    Checks: HCQ-118/silent, HCQ-118/told, HCQ-120/reports, HCQ-116.
    """

    async def scenario(self) -> None:
        cq, gone = await start(self, (1, 2), log_size=5)
        await fill(self, gone, 2)
        await self.host.destroy(2)
        most = 1 << int(self.host.knobs["NUM_CQ_LOG"])
        for number in (0, 2, most - 1, most, most | 1, 1 << 23 | 1, 0xFFFFFF):
            await self.producer.send(
                self.producer.plain(1), self.producer.any(number), self.producer.plain(1)
            )
        await rest(self)
        cq.drain()
        await round_trip(self, cq)
        await self.host.query(1)
        await self.producer.burst(1 << 22 | 1, 2)
        await rest(self)
        await self.host.query(1)


@dut_test(suites=("full",))
class commands_any_order(HermonTest):
    """Commands in any order, legal or not, end in time, and the engine goes on.

    Stimulus: 150 random commands on few numbers, with reports and doorbells between them.
    Checks: HCQ-119/commands, HCQ-012/ready, HCQ-018, HCQ-025.
    """

    async def scenario(self) -> None:
        await start(self, (1,), log_size=2)
        for _ in range(150):
            number, opcode = self.rng.randrange(1, 4), self.rng.choice((0x16, 0x17, 0x18, 0x2C, 0x2C, 0x2B))
            opmod = self.rng.choice((0, 0, 1, 2, 3, 5))
            if opcode == Command.SW2HW:
                cq = self.host.prepare(CqSettings(number, self.rng.randrange(1, 4), opmod=min(opmod, 1)))
                await self.host.sw2hw(cq)
            elif opcode == Command.HW2SW:
                await self.host.destroy(number, opmod)
            elif opcode == Command.MODIFY and opmod == 0 and number in self.host.cqs:
                await self.host.cqs[number].resize(self.rng.randrange(1, 5))
            else:
                await self.host.command(
                    opcode, number, opmod, {"cq_max_count": self.rng.randrange(3), "c_eqn": 1}
                )
            if number in self.host.cqs:
                self.host.cqs[number].drain()
                await self.host.cqs[number].arm(Arm.ANY)
            await self.producer.mixed((1, 2, 3), self.rng.randrange(3))
            await self.host.eqs.handle()


@dut_test(suites=("smoke", "full"))
class reset_any_time(HermonTest):
    """A reset at any time leaves silent outputs, no queue and default registers, and a bring-up works.

    Stimulus: resets when idle, in a burst of reports, in a command that fills a ring, while events are
    written.
    Checks: HCQ-110/outputs, HCQ-110/state, HCQ-122/reset, HCQ-013.
    """

    async def scenario(self) -> None:
        for phase in ("idle", "reports", "command", "events", "done"):
            for name in ("CFG", "STAT", "ASYNC_EQ", "MTT_BASE_L", "CNT_CQE", "HCR_CMD", "EQ_PI", "EQ_ST"):
                await self.host.read(name)
            await start(self, ())
            await self.host.query(2)  # the queue of the life before the reset
            cqs = [await create(self, number, log_size=4) for number in (1, 2, 3)]
            await round_trip(self, cqs[0])
            if phase == "reports":
                cocotb.start_soon(self._cut(self.producer.mixed((1, 2, 3), 9)))
            elif phase == "command":
                cocotb.start_soon(self._cut(create(self, 9, log_size=7)))
            elif phase == "events":
                for cq in cqs:
                    await cq.arm(Arm.ANY)
                    await self.producer.burst(cq.cqn, 1)
            if phase != "done":
                await self.clocks(self.rng.randrange(20, 90))
                await reset(self)

    async def _cut(self, stimulus) -> None:  # type: ignore[no-untyped-def]
        """What a reset ends."""
        with suppress(TransferAborted):
            await stimulus


@dut_test(suites=("full",))
class laps_of_all_sizes(HermonTest):
    """Counters, slots and owner bits fit at every ring size.

    Stimulus: more than a lap at sizes of 2 to 2048, drained in pieces.
    Checks: HCQ-026, HCQ-033, HCQ-037, HCQ-013.
    """

    stalls = "none"

    async def scenario(self) -> None:
        await start(self, ())
        for log_size in range(1, 12):
            cq = await create(self, log_size, log_size=log_size)
            await laps(self, cq, cq.ring.size + 3)
            await self.host.query(log_size)


@dut_test(suites=("full",))
class recreate_again(HermonTest):
    """Counts, solicited index, consumer counter, record and oi of a former life are gone.

    Stimulus: one number in three lives: with oi and a count, with a count alone, with neither and overrun.
    Checks: HCQ-114, HCQ-002, HCQ-041, HCQ-048/plain, HCQ-066/early, HCQ-071/not_after.
    """

    async def scenario(self) -> None:
        await start(self, ())
        first = await create(self, 1, log_size=3, max_count=4, oi=True)
        await fill(self, first, 3, solicited=True)
        await self.host.destroy(1)
        second = await create(self, 1, log_size=2, max_count=4)
        await self.host.query(1)
        await second.arm(Arm.ANY)
        await fill(self, second, 1)
        second.drain()
        await self.host.eqs.handle()
        await laps(self, second, 9)
        await fill(self, second, 1, solicited=True)
        await self.host.destroy(1)
        third = await create(self, 1, log_size=2)
        await third.arm(Arm.SOLICITED)
        await rest(self)
        await fill(self, third, 1)
        await self.host.eqs.handle()
        await overflow(self, third)
        await self.host.query(1)


@dut_test(suites=("full",))
class destroy_held_error(HermonTest):
    """An error event that waits for room is gone when its queue was given back.

    Stimulus: the asynchronous event queue full of completion events, an overflow, HW2SW_CQ, room; then the
    same number again.
    Checks: HCQ-112, HCQ-114, HCQ-074/sent.
    """

    async def scenario(self) -> None:
        *cqs, full = await start(self, (1, 2, 3), eqn=0, eq_log_size=1, log_size=2, async_eq=0)
        for cq in cqs:
            await cq.arm(Arm.ANY)
            await fill(self, cq, 1)
        await self.producer.burst(3, full.ring.size + 1)
        await rest(self)
        await self.host.destroy(3)
        await self.clocks(3 * LONG)
        await self.host.eqs.handle()
        await self.clocks(LONG)
        await round_trip(self, await create(self, 3, eqn=0))


@dut_test(suites=("full",))
class destroy_beside(HermonTest):
    """The end of a queue takes nothing from the requests of another.

    Stimulus: a request at clocks around HW2SW_CQ of another queue, then the CQE it waits for.
    Checks: HCQ-115, HCQ-045/fires, HCQ-058.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        for turn, offset in enumerate(range(14, 46, 2)):
            await create(self, 2, log_size=1)

            async def destroy(opmod: int = turn % 2) -> None:
                await self.host.destroy(2, opmod)

            async def ring() -> None:
                await cq.arm(Arm.ANY)

            await race(self, offset, destroy, ring)
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()
