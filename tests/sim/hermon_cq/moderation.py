"""Event moderation by count and by period."""

from __future__ import annotations

from tb.sequences.hermon import (
    LONG,
    REQUESTS,
    Arm,
    await_event,
    create,
    feed_until_event,
    fill,
    rest,
    round_trip,
    start,
)
from tb.testcase import HermonTest, dut_test


@dut_test(suites=("full",))
class moderation_none(HermonTest):
    """With count and period 0 no event is delayed.

    Stimulus: 0 and 0 at creation, and by MODIFY_CQ over other values; both kinds of requests.
    Checks: HCQ-065, HCQ-062, HCQ-021.
    """

    async def scenario(self) -> None:
        plain, changed = await start(self, (1, 2), log_size=4)
        await self.host.moderate(2, 40, 500)
        await self.host.moderate(2, 0, 0)
        for cq in (changed, plain):
            for request in (Arm.ANY, Arm.SOLICITED) * 2:
                await round_trip(self, cq, request)


@dut_test(suites=("full",))
class moderation_count(HermonTest):
    """With a count alone the event comes at that many CQEs since the last one, not earlier and not by time.

    Stimulus: counts 1, 2 and 44, at creation and by MODIFY_CQ; one CQE less, 2^17 us, the last one; counts
    that pass while no request waits.
    Checks: HCQ-066/early, HCQ-066/fires.
    """

    tick_clks = 2

    async def scenario(self) -> None:
        await start(self, ())
        for number, count in enumerate((1, 2, 44)):
            cq = await create(self, number, log_size=7, max_count=count if number % 2 else 0)
            await self.host.moderate(number, count, 0)
            for part in range(4):
                before = cq.events
                await cq.arm(Arm.ANY)
                await fill(self, cq, count - 1)
                await self.clocks(2 << 17 if part == 2 else LONG)
                await self.host.eqs.handle()
                if part:
                    await fill(self, cq, 1)
                    await await_event(self, cq, before + 1 - cq.events)
                else:  # the first count may begin anywhere
                    await feed_until_event(self, cq, before, count + 1)
                cq.drain()
                await fill(self, cq, count if part == 3 else 0)
                await self.host.eqs.handle()


@dut_test(suites=("full",))
class moderation_period(HermonTest):
    """With a period alone the event comes when it has passed at the latest, and none while no request waits.

    Stimulus: periods of 1, 16, 4095, 4096 and 65535 us; CQEs at once and in the middle of the wait; fired
    queues over a period.
    Checks: HCQ-067, HCQ-069.
    """

    tick_clks = 3

    async def scenario(self) -> None:
        await start(self, ())
        microsecond = int(self.host.knobs["CLK_PER_US"]) or self.tick_clks
        queues = 1 << int(self.host.knobs["NUM_CQ_LOG"])
        longest = 65535 if microsecond < 10 else 5000  # real microseconds: nothing would happen for too long
        for number, period in enumerate((1, 16, 4095, 4096, longest)):
            cq = await create(self, number % queues, log_size=4, period=period)
            limit = 30_000 + microsecond * period
            for part in range(3 if period < longest else 2):
                await cq.arm(Arm.ANY)
                await self.clocks(1 + part * period)
                await fill(self, cq, 1 + part)
                if period == longest:
                    await self.clocks(period)
                    await fill(self, cq, 1)
                await await_event(self, cq, clocks=limit)
                await fill(self, cq, 2)
                cq.drain()
                await self.clocks(1 + 3 * min(period, 200))
                await self.host.eqs.handle()
            await self.host.destroy(cq.cqn)


@dut_test(suites=("full",))
class moderation_both(HermonTest):
    """With both, what comes first sends the event.

    Stimulus: counts 2 and 44 with periods of 1, 16 and 400 us; CQEs fast enough for the count, and too slow.
    Checks: HCQ-067, HCQ-069.
    """

    tick_clks = 40

    async def scenario(self) -> None:
        await start(self, ())
        for number, (count, period) in enumerate(((2, 1), (2, 400), (44, 16), (44, 400))):
            cq = await create(self, number, log_size=7, max_count=count, period=period)
            for part in range(4):
                await cq.arm(Arm.ANY)
                if part % 2:
                    await self.producer.burst(number, count)
                else:
                    await fill(self, cq, 1)
                await await_event(self, cq, clocks=30_000 + 40 * period)
                await rest(self)
                cq.drain()


@dut_test(suites=("full",))
class moderation_change(HermonTest):
    """A change of the moderation while a request waits loses no event.

    Stimulus: from count, period and both to every other setting in the middle of the wait: off, shorter,
    longer, met already.
    Checks: HCQ-070, HCQ-021.
    """

    tick_clks = 4

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=5)
        settings = ((0, 0), (6, 0), (0, 300), (6, 300), (2, 0), (0, 2), (20, 2000))
        for old in settings[1:]:
            for new in settings:
                await self.host.moderate(1, *old)
                await cq.arm(Arm.ANY)
                await fill(self, cq, 3)
                await self.host.moderate(1, *new)
                await self.host.query(1)
                await fill(self, cq, 20)
                await await_event(self, cq, clocks=60_000)
                await rest(self)
                cq.drain()


@dut_test(suites=("full",))
class moderation_solicited(HermonTest):
    """Solicited CQEs under moderation: at most one event per request, none lost.

    Stimulus: requests of both kinds with solicited CQEs in the middle of a wait.
    Checks: HCQ-067, HCQ-068.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=5, max_count=8, period=100)
        for request in REQUESTS * 2:
            await cq.arm(request)
            await fill(self, cq, 1)
            await fill(self, cq, 1, solicited=True)
            await await_event(self, cq)
            await rest(self)
            cq.drain()


@dut_test(suites=("full",))
class moderation_undisturbed(HermonTest):
    """What does not concern a queue's moderation leaves the timer of a waiting request alone.

    Stimulus: in the middle of a period a query, an event of the queue whose number differs in bit 0, a move
    and a resize.
    Checks: HCQ-020, HCQ-067, HCQ-093, HCQ-099, HCQ-115.
    """

    tick_clks = 2

    async def scenario(self) -> None:
        timed, plain = await start(self, (2, 3), log_size=5, eqn=1)
        await self.host.moderate(2, 0, 20000)
        for turn in range(6):
            before = timed.events
            await timed.arm(Arm.ANY)
            await fill(self, timed, 1)
            await self.clocks(16000)
            if turn == 1:
                await self.host.query(2)
            elif turn == 2:
                await round_trip(self, plain)
            elif turn == 3:
                await self.host.move(2, 2)
            elif turn == 4:
                await timed.resize(4)
            await await_event(self, timed, before + 1 - timed.events, clocks=90_000)
            timed.drain()


@dut_test(suites=("full",))
class count_undisturbed(HermonTest):
    """What does not concern a queue's moderation leaves its count alone.

    Stimulus: in the middle of a count a move, and CQEs of the queue whose number differs in bit 0.
    Checks: HCQ-066/early, HCQ-066/fires, HCQ-099, HCQ-115.
    """

    async def scenario(self) -> None:
        counted, beside = await start(self, (4, 5), log_size=5, eqn=1, max_count=6)
        for turn in range(5):
            before = counted.events
            await counted.arm(Arm.ANY)
            await rest(self)
            await fill(self, counted, 3)
            await (self.host.move(4, turn % 3) if turn % 2 else fill(self, beside, 4))
            await fill(self, counted, 3 if turn else 5)
            await await_event(self, counted, before + 1 - counted.events, clocks=90_000)
            counted.drain()
            beside.drain()


@dut_test(suites=("full",))
class moderation_large(HermonTest):
    """A count of more than 8 bits is counted whole.

    Stimulus: a count of 300 over two events, the last CQE alone.
    Checks: HCQ-066/early, HCQ-066/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=9, max_count=300)
        for turn in range(2):
            await cq.arm(Arm.ANY)
            await rest(self)
            await fill(self, cq, 299)
            await self.host.eqs.handle()
            before = cq.events if turn else 0
            await feed_until_event(self, cq, before, 2)
            await await_event(self, cq, before + 1 - cq.events, clocks=90_000)
            cq.drain()
