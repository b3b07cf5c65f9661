"""Event queues: routing, owner bits, interrupts, order, what happens when one is full."""

from __future__ import annotations

from tb.agents.generators import Latency
from tb.sequences.hermon import (
    LONG,
    Arm,
    await_event,
    create,
    eqe_seen,
    fill,
    overflow,
    race,
    rest,
    round_trip,
    start,
)
from tb.testcase import HermonTest, dut_test


@dut_test(suites=("smoke", "full"))
class eq_routing(HermonTest):
    """Completion events go to the queue's event queue, errors to the asynchronous one, each once.

    Stimulus: all queues fire in one burst onto one event queue, then onto all; overflow of a queue beside
    them.
    Checks: HCQ-098, HCQ-100, HCQ-101/place, HCQ-101/owner, HCQ-074/sent.
    """

    async def scenario(self) -> None:
        eqs = int(self.host.knobs["NUM_EQ"])
        cqs = await start(self, range(16), log_size=3, eq_log_size=6, async_eq=2 % eqs, eqn=1 % eqs)
        for turn in range(3):
            for cq in cqs:
                await cq.arm(Arm.ANY)
            await self.producer.mixed(range(16), 40, errors=0)
            await self.producer.send(*(self.producer.plain(number) for number in range(16)))
            await rest(self)
            await self.host.eqs.handle()
            for cq in cqs:
                cq.drain()
                await self.host.move(cq.cqn, (cq.cqn + turn) % eqs)
        await overflow(self, cqs[5])  # its event queue is not the asynchronous one


@dut_test(suites=("full",))
class eq_moved(HermonTest):
    """Behind MODIFY_CQ opmod 2 events go to the new queue; one under way may go to either, once.

    Stimulus: the event queue changed while idle, armed and firing, the command at clocks around the report.
    Checks: HCQ-099, HCQ-098.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), eqn=0)
        for turn in range(4):
            await self.host.move(1, turn)
            await cq.arm(Arm.ANY)
            await self.host.move(1, 3 - turn)
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()
        for turn, offset in enumerate(range(-16, 120, 4)):
            await cq.arm(Arm.ANY)

            async def move(eqn: int = turn % 4) -> None:
                await self.host.move(1, eqn)

            async def report() -> None:
                await self.producer.burst(1, 1)

            await race(self, offset, move, report)
            await await_event(self, cq)
            cq.drain()


@dut_test(suites=("full",))
class eq_full(HermonTest):
    """A full event queue is not overwritten, and what did not fit comes when there is room.

    Stimulus: an event queue of two entries, eight queues firing, read late; CQEs go on and a queue elsewhere
    fires.
    Checks: HCQ-104/overwrite, HCQ-104/kept, HCQ-117, HCQ-101/owner.
    """

    async def scenario(self) -> None:
        await start(self, (), eq_log_size=1, async_eq=3)
        cqs = [await create(self, number, eqn=1, log_size=4) for number in range(8)]
        other = await create(self, 9, eqn=2)
        for waiting in (3, 8):
            for cq in cqs[:waiting]:
                await cq.arm(Arm.ANY)
                await self.producer.burst(cq.cqn, 1)
            await self.clocks(LONG)
            await other.arm(Arm.ANY)
            await self.producer.mixed((*range(waiting), 9), 12, errors=0)
            await self.producer.burst(9, 1)
            await self.clocks(2 * LONG)  # longer than an event may take
            for _ in range(8):
                await self.host.eqs.handle()
                await self.clocks(400)
            for cq in (*cqs, other):
                cq.drain()


@dut_test(suites=("full",))
class eq_arm(HermonTest):
    """An armed event queue interrupts once per request, again if armed with entries unread, and never
    otherwise.

    Stimulus: event queues not armed, armed and always armed; doorbells with and without the arm bit, on time
    and behind; three laps of a small queue.
    Checks: HCQ-102/unarmed, HCQ-102/raised, HCQ-103/index, HCQ-103/again, HCQ-101/owner.
    """

    async def scenario(self) -> None:
        await start(self, (), eqs=(), async_eq=None)
        for eqn, arm in enumerate((0, 1, 2, 1)):
            await self.host.open_eq(eqn, 2, arm)
        cqs = [await create(self, number, eqn=number % 4) for number in range(8)]
        for turn in range(4):
            for cq in cqs:
                await cq.arm(Arm.ANY)
                await fill(self, cq, 1)
            for number, queue in self.host.eqs.queues.items():
                await self.host.ring_eq(number, queue.index, turn % 2 == 1)
                await self.host.read("EQ_ST", number)
            await rest(self)
            await self.host.eqs.handle(arm=turn % 2 == 1)
            await self.settle()
            for cq in cqs:
                cq.drain()


@dut_test(suites=("full",))
class eq_off(HermonTest):
    """Events for a queue that is off, and errors while the asynchronous one is, are discarded.

    Stimulus: event queues made invalid with an interrupt up, and valid again at another place; errors without
    an asynchronous event queue.
    Checks: HCQ-064, HCQ-098, HCQ-102/unarmed, HCQ-122/access.
    """

    async def scenario(self) -> None:
        first, second = await start(self, (1, 2), eqn=1, log_size=2, async_eq=None)
        await round_trip(self, first)
        await first.arm(Arm.ANY)
        await fill(self, first, 1)
        await self.host.close_eq(1)
        await second.arm(Arm.ANY)
        await fill(self, second, 1)
        await self.settle()
        await self.host.open_eq(1, 3, 1)
        await self.clocks(2 * LONG)  # longer than an event may take
        for cq in (first, second):
            cq.drain()
            cq.sn += 1
            await round_trip(self, cq)
        await overflow(self, second)
        await self.host.write("ASYNC_EQ", 1 << 31)
        await self.clocks(2 * LONG)


@dut_test(suites=("smoke", "full"))
class event_order(HermonTest):
    """A CQE is complete before its EQE is begun, and that before the interrupt.

    Stimulus: write answers late by up to 500 clocks, events read and the queue polled in the clock the EQE
    appears.
    Checks: HCQ-105, HCQ-102/order, HCQ-034, HCQ-101/last, HCQ-124/after.
    """

    async def scenario(self) -> None:
        cqs = await start(self, (1, 2, 3), log_size=4)
        for latency in (Latency(1, 1), Latency(1, 60), Latency(100, 500)):
            self.env.axi.set_write_latency(latency)
            for turn in range(4):
                for cq in cqs:
                    await cq.arm(Arm.ANY)
                await self.producer.mixed((1, 2, 3), 4 + turn, errors=0)
                await self.producer.send(*(self.producer.plain(number) for number in (1, 2, 3)))
                await eqe_seen(self, *cqs)
                for cq in cqs:
                    cq.poll()
                await self.host.eqs.handle()
                await rest(self)
                for cq in cqs:
                    cq.drain()


@dut_test(suites=("full",))
class event_load(HermonTest):
    """Events come in time on all queues at once, while memory stalls.

    Stimulus: all queues armed and fed together, heavy stalls; one event queue small.
    Checks: HCQ-062, HCQ-098, HCQ-116.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        every = 1 << int(self.host.knobs["NUM_CQ_LOG"])
        cqs = await start(self, range(every), log_size=3, eq_log_size=7)
        for _ in range(2):
            for cq in cqs:
                await cq.arm(Arm.ANY)
            order = self.rng.sample(range(every), every)
            await self.producer.send(*(self.producer.any(number) for number in order))
            await rest(self)
            await self.host.eqs.handle()
            for cq in cqs:
                cq.drain()


@dut_test(suites=("full",))
class event_numbers(HermonTest):
    """An EQE names the queue by all bits of its number.

    Stimulus: events of the first, the last and queues between whose numbers have different bytes, on the last
    event queue and the first.
    Checks: HCQ-059, HCQ-098, HCQ-103/index.
    """

    async def scenario(self) -> None:
        most = (1 << int(self.host.knobs["NUM_CQ_LOG"])) - 1
        await start(self, ())
        for number in sorted({0, 1, most // 3, 2 * most // 3, most - 1, most}):
            for eqn in (0, int(self.host.knobs["NUM_EQ"]) - 1):
                cq = await create(self, number, eqn=eqn, log_size=2)
                await round_trip(self, cq)
                await self.host.destroy(number)


@dut_test(suites=("full",))
class eq_moved_full(HermonTest):
    """An event that waits for room in a full event queue is not lost when its queue moves to another.

    Stimulus: three queues on an event queue of two entries; the one that waits moves.
    Checks: HCQ-099, HCQ-104/kept, HCQ-120/idle.
    """

    async def scenario(self) -> None:
        cqs = await start(self, (1, 2, 3), eqn=1, eq_log_size=1, log_size=4, async_eq=0)
        for cq in cqs:
            await cq.arm(Arm.ANY)
            await fill(self, cq, 1)
        await self.settle()
        await self.host.read("STAT")
        await self.host.move(3, 2)
        await self.clocks(2 * LONG)
        await self.host.eqs.handle()
        await await_event(self, cqs[2], 1 - cqs[2].events)
        for cq in cqs:
            cq.drain()
            await round_trip(self, cq)


@dut_test(suites=("full",))
class eq_laps(HermonTest):
    """Entries of a large event queue are used one behind the other, lap for lap.

    Stimulus: nine bursts of sixteen events into an event queue of 64 entries.
    Checks: HCQ-101/place, HCQ-101/owner, HCQ-098.
    """

    async def scenario(self) -> None:
        cqs = await start(self, range(16), log_size=2, eq_log_size=6, eqn=1)
        for _ in range(9):
            for cq in cqs:
                await cq.arm(Arm.ANY)
            await self.producer.send(*(self.producer.plain(number) for number in range(16)))
            await rest(self)
            await self.host.eqs.handle()
            for cq in cqs:
                cq.drain()


@dut_test(suites=("full",))
class eq_arm_apart(HermonTest):
    """Arming one event queue arms no other.

    Stimulus: an event queue that is not armed beside one that is armed by doorbells; events on both in turn.
    Checks: HCQ-102/unarmed, HCQ-102/raised, HCQ-103/index.
    """

    async def scenario(self) -> None:
        await start(self, (), eqs=(), async_eq=None)
        for eqn in range(2):
            await self.host.open_eq(eqn, 4, eqn)
        silent, loud = [await create(self, number, eqn=number) for number in range(2)]
        for _ in range(3):
            await round_trip(self, loud)
            await silent.arm(Arm.ANY)
            await fill(self, silent, 1)
            await self.settle()
            await self.host.eqs.handle(arm=False)
            silent.drain()
