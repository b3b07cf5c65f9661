"""Full rings, overrun-ignore, faults of memory, and the DB record that says how far software has read."""

from __future__ import annotations

from tb.agents.axi import DECERR, SLVERR, ErrorRegion
from tb.host.hermon_cq import CqSettings
from tb.sequences.hermon import (
    LAST_INDEX,
    LONG,
    Arm,
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


@dut_test(suites=("smoke", "full"))
class overrun(HermonTest):
    """A ring overflows when it is full and not before: one error event, status 9, no CQE overwritten.

    Stimulus: N - 2, N - 1, N and N + 1 CQEs outstanding in rings of 2, 4 and 128, in the first lap and later;
    reports behind it; queues armed and not.
    Checks: HCQ-071/not_before, HCQ-071/not_after, HCQ-072, HCQ-073/status, HCQ-074/sent, HCQ-075, HCQ-076,
    HCQ-079.
    """

    async def scenario(self) -> None:
        await start(self, (), async_eq=3)
        for number, (log_size, lap) in enumerate(((1, 0), (2, 1), (2, 2), (7, 0))):
            cq = await create(self, number, log_size=log_size, eqn=1)
            await laps(self, cq, lap * cq.ring.size + lap)
            if lap:
                await cq.arm(Arm.ANY)
            await fill(self, cq, max(0, cq.ring.size - 2))
            for _ in range(3):
                await fill(self, cq, 1)
                await self.host.query(number)
            await self.producer.burst(number, 10)
            await rest(self)
            await self.host.eqs.handle()
            cq.drain()
            await self.host.destroy(number)
            again = await create(self, number, log_size=log_size, eqn=1)
            await laps(self, again, 3 * again.ring.size)
            await round_trip(self, again)


@dut_test(suites=("full",))
class overrun_at_wrap(HermonTest):
    """The CQEs outstanding are counted across 2^24.

    Stimulus: rings whose counters start shortly before, filled in one go until they overflow; then the same
    with the counter published in between.
    Checks: HCQ-038, HCQ-071/not_before, HCQ-071/not_after, HCQ-073/status.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, (before, used) in enumerate((before, used) for before in (1, 4, 7) for used in (0, 3)):
            await self.host.start_at(LAST_INDEX + 1 - before)
            cq = await create(self, number, log_size=3)
            await laps(self, cq, used)
            await overflow(self, cq)
            await self.host.query(number)
            await self.host.destroy(number)


@dut_test(suites=("full",))
class overrun_dead(HermonTest):
    """A queue in error writes no CQE whatever software does, until it is given back.

    Stimulus: behind an overflow and behind a write fault: counter published, requests, all modifiers of
    MODIFY_CQ, reports.
    Checks: HCQ-008, HCQ-074/once, HCQ-075, HCQ-076, HCQ-079.
    """

    async def scenario(self) -> None:
        full, absent = await start(self, (1, 2), log_size=2)
        await overflow(self, full)
        self.host.mtt.entry(absent.ring.mtt, 0, absent.ring.pages[0], 0)
        await fill(self, absent, 1)
        for cq in (full, absent):
            spare = self.host.rings.make(3)
            cq.drain()
            await cq.arm(Arm.ANY)
            await self.host.moderate(cq.cqn, 2, 2)
            await self.host.move(cq.cqn, 2)
            await self.host.ignore_overrun(cq.cqn)
            await self.host.resize_command(cq.cqn, spare)
            await fill(self, cq, 5)
            await self.host.query(cq.cqn)
            await self.host.destroy(cq.cqn)
            await round_trip(self, await create(self, cq.cqn))


@dut_test(suites=("full",))
class overrun_ignore(HermonTest):
    """With overrun-ignore every CQE is written to the next entry, the record does not matter, nothing is
    reported.

    Stimulus: N + 1 and 3N CQEs unread with the record at 0, at random and where memory answers errors; across
    2^24.
    Checks: HCQ-080, HCQ-081, HCQ-082, HCQ-033.
    """

    async def scenario(self) -> None:
        await start(self, ())
        bad = self.mem.alloc(64, 64, "no record")
        self.env.axi.set_error_regions([ErrorRegion(bad, bad + 64)])
        records = (None, self.mem.alloc(8, 8), bad)
        for number, (first, record) in enumerate(
            (at, where) for at in (0, LAST_INDEX - 4) for where in records
        ):
            await self.host.start_at(first)
            cq = await create(self, number, log_size=2, oi=True, record=record)
            self.mem.write(cq.record, bytes(8) if record is None else self.rng.randbytes(8))
            for count in (4, 1, 7):
                await fill(self, cq, count)
                await self.host.query(number)


@dut_test(suites=("full",))
class overrun_switch(HermonTest):
    """Overrun-ignore switched on at a live queue loses nothing, and counts from then on.

    Stimulus: the switch with 0 and N - 2 CQEs outstanding, armed and not, then 2N CQEs.
    Checks: HCQ-083, HCQ-021, HCQ-080, HCQ-081.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, (unread, armed) in enumerate((count, arm) for count in (0, 6) for arm in (False, True)):
            cq = await create(self, number, log_size=3)
            if armed:
                await cq.arm(Arm.ANY if not unread else Arm.SOLICITED)
            await fill(self, cq, unread)
            await self.host.ignore_overrun(number)
            await fill(self, cq, 15)
            await fill(self, cq, 1, solicited=True)
            await self.host.query(number)
            await self.host.eqs.handle()


@dut_test(suites=("full",))
class missing_page(HermonTest):
    """A CQE whose page is absent is not written: status A, one error event, and the queue is dead.

    Stimulus: the first, a middle and the last page absent; queues armed and not; overrun-ignore on.
    Checks: HCQ-077/nothing, HCQ-077/event, HCQ-077/status, HCQ-008, HCQ-084, HCQ-076, HCQ-106/writes.
    """

    async def scenario(self) -> None:
        await start(self, (), async_eq=2)
        per_page = 4096 // self.host.rings.stride
        log_size = (3 * per_page - 1).bit_length()
        for number, page in enumerate((0, 1, 3)):
            cq = await create(self, number, log_size=log_size, eqn=1, oi=number == 1)
            self.host.mtt.entry(cq.ring.mtt, page, cq.ring.pages[page], 6)
            if number:
                await cq.arm(Arm.NTH, page * per_page + 1)
                await laps(self, cq, page * per_page)
            await fill(self, cq, 3)
            await self.clocks(2 * LONG)  # longer than an event may take
            await self.host.eqs.handle()
            await self.host.query(number)
            await self.host.destroy(number)


@dut_test(suites=("full",))
class bus_errors(HermonTest):
    """Error answers to any access end what they hit and nothing else.

    Stimulus: SLVERR and DECERR on MTT reads, CQE writes, record reads, mailboxes in and out, and EQE writes;
    a second queue in use throughout.
    Checks: HCQ-078, HCQ-109/status, HCQ-109/survives, HCQ-115.
    """

    async def scenario(self) -> None:
        (good,) = await start(self, (9,), log_size=3)
        for number, resp in enumerate((SLVERR, DECERR)):
            for what in range(6):
                cq = await create(self, 2 * what + number + 10, log_size=2, eqn=what % 4)
                host, eq = self.host, self.host.eqs.queues[cq.settings.eqn]
                entry = host.mtt.base + cq.ring.mtt
                places = (entry, cq.ring.address(1), cq.record, host.inbox, host.outbox, eq.base)
                first = places[what] & -8
                await fill(self, cq, 1)
                cq.drain()
                self.env.axi.set_error_regions([ErrorRegion(first, first + (64 if what > 2 else 8), resp)])
                await cq.arm(Arm.ANY)
                await fill(self, cq, 2)
                await host.moderate(cq.cqn, 0, 0)
                await host.query(cq.cqn)
                await fill(self, cq, 3)
                await fill(self, good, 1)
                self.env.axi.set_error_regions([])
                await host.eqs.handle()
                good.drain()
                await host.destroy(cq.cqn)


@dut_test(suites=("full",))
class record_reads(HermonTest):
    """The device reads the consumer counter of its own record, whole, and never writes there.

    Stimulus: records in adjacent words of one line with counters whose bytes all differ; rings filled to the
    brim again and again, published at the last moment; resizes that read it.
    Checks: HCQ-041, HCQ-042, HCQ-043, HCQ-071/not_before, HCQ-106/reads.
    """

    async def scenario(self) -> None:
        await start(self, ())
        line = self.mem.alloc(64, 64, "records")
        await self.host.start_at(0x12_34F0)
        cqs = [await create(self, number, log_size=2, record=line + 8 * number) for number in range(8)]
        for _ in range(8):
            for cq in self.rng.sample(cqs, 8):
                await fill(self, cq, 3)
            for cq in cqs:
                cq.drain()
        for cq in cqs[:3]:
            await cq.resize(3)
            await self.host.query(cq.cqn)


@dut_test(suites=("full",))
class record_moment(HermonTest):
    """A counter published before the report that needs the room is offered is never missed.

    Stimulus: full rings, the counter published at each clock from before to behind the report; behind it the
    ring may overflow or not.
    Checks: HCQ-043, HCQ-071/not_before, HCQ-071/not_after.
    """

    stalls = "none"

    async def scenario(self) -> None:
        await start(self, ())
        for number, ahead in enumerate((40, 10, 4, 3, 2, 1, 0, -1, -2, -4, -8, -20)):
            cq = await create(self, number, log_size=2)
            await fill(self, cq, cq.ring.size - 1)
            if int(self.host.knobs["CAP_MODE"] == "N"):
                await fill(self, cq, 1)
            cq.poll(1)

            async def publish() -> None:
                await self.clocks(1)
                cq.publish()  # noqa: B023 - ends before the next turn

            async def report() -> None:
                await self.producer.burst(number, 1)  # noqa: B023

            await race(self, ahead, publish, report)
            await rest(self)


@dut_test(suites=("full",))
class record_ahead(HermonTest):
    """A counter ahead of the producer, which no software should write, makes no early overflow.

    Stimulus: set_ci one, N, 0x10000 and 2^22 ahead, then N - 1 CQEs and a correct counter.
    Checks: HCQ-044, HCQ-006.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, ahead in enumerate((1, 8, 0x10000, 1 << 22)):
            cq = await create(self, number, log_size=3, extra={"reserved17": number} if number else {})
            await laps(self, cq, 5)
            cq.publish(cq.ci + ahead)
            await fill(self, cq, cq.ring.size - 1)
            cq.drain()
            await laps(self, cq, 4)


@dut_test(suites=("full",))
class record_lag(HermonTest):
    """A consumer that publishes one short for ever overflows one early, one that never does after N.

    Stimulus: lag of one over several laps, then a full ring; no publication at all.
    Checks: HCQ-043, HCQ-071/not_before, HCQ-071/not_after, HCQ-042.
    """

    async def scenario(self) -> None:
        late, never = await start(self, (1, 2), log_size=3)
        for _ in range(6):
            await fill(self, late, 4)
            late.poll()
            late.publish(late.ci - 1)
        await fill(self, late, late.ring.size - 2)
        await self.host.query(1)
        await fill(self, late, 2)
        for _ in range(5):
            await fill(self, never, 2)
            never.poll()
            await self.host.query(2)


@dut_test(suites=("full",))
class mailbox_errors(HermonTest):
    """A command that fails on its mailbox or on an absent page has done nothing.

    Stimulus: HW2SW_CQ and QUERY_CQ with an unwritable mailbox, opmod 1 to 3 with an unreadable one, SW2HW_CQ
    with an absent page, on a queue that is armed with a count.
    Checks: HCQ-025, HCQ-109/status, HCQ-018.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3, max_count=3)
        await cq.arm(Arm.ANY)
        host, boxes = self.host, (self.host.outbox, self.host.inbox)
        self.env.axi.set_error_regions([ErrorRegion(box, box + 64, SLVERR) for box in boxes])
        await host.destroy(1)
        await host.query(1)
        await host.moderate(1, 0, 0)
        await host.move(1, 2)
        await host.ignore_overrun(1)
        self.env.axi.set_error_regions([])
        await host.query(1)
        absent = host.prepare(CqSettings(2, log_size=8))
        host.mtt.entry(absent.ring.mtt, 1, absent.ring.pages[1], 0)
        await host.sw2hw(absent)
        await host.query(2)
        await fill(self, cq, 4)
        await host.eqs.handle()
