"""Public bugs as tests: HBn are the driver bugs of the requirement rows, Bn those of other NICs and engines.

What needs a sweep or a longer run has its own test under the name of the behaviour: HB9, HB10 resize_up and
resize_down; HB12, HB13 resize_refused and overrun; HB14 resize_unreadable; HB18, B57, B73 arm_race; HB20
destroy_waiting; HB21, HB22 destroy_in_flight and recreate; HB25, HB26 overrun_ignore; HB27 page_walk; HB30,
B64 ring_addresses; HB31 error_cqes; HB32 cqe_images; HB34 moderation_change; HB35 eq_routing; B60
event_order; B61 owner_laps; B69, B78 laps_of_all_sizes; B70 overrun; B74 arm_any; B80 eq_full; B81, B82
stalls_long; B84 commands_any_order. B65, B68, B76 concern the transport, not this block.
"""

from __future__ import annotations

from tb.host.hermon_cq import Habit, Style
from tb.sequences.hermon import Arm, await_event, create, fill, laps, reset, rest, round_trip, start
from tb.testcase import HermonTest, dut_test


@dut_test(suites=("full",))
class hb1_record_alignment(HermonTest):
    """A DB record address with low bits set is read at the aligned address, and garbage far ahead is no
    overflow.

    Stimulus: contexts with low address bits 1 to 7; the neighbour word holds a counter far ahead of the
    producer.
    Checks: HCQ-006, HCQ-041, HCQ-044.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for low in range(1, 8):
            record = self.mem.alloc(16, 16, "records")
            self.mem.write(record + 8, (0x40_0000 + low).to_bytes(4, "big"))
            cq = await create(self, low, log_size=2, record=record, extra={"reserved17": low})
            await laps(self, cq, 9)
        cq.publish(cq.ci + 0x10000)
        await fill(self, cq, 3)


@dut_test(suites=("full",))
class hb2_error_first(HermonTest):
    """A consumer that stops at an error CQE without publishing still gets its next event.

    Stimulus: an error as the first CQE, polled and not published; requests whose doorbell is ahead of the
    record.
    Checks: HCQ-045/fires, HCQ-047/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        for request in (Arm.ANY, Arm.SOLICITED):
            await self.producer.send(self.producer.error(1, 0x05))
            await rest(self)
            cq.poll()
            await cq.arm(request)
            await rest(self)
            await fill(self, cq, 1, solicited=True)
            await await_event(self, cq)
            cq.poll()


@dut_test(suites=("full",))
class hb3_sweep_at_wrap(HermonTest):
    """A queue swept of the entries of one queue pair at the end of a lap goes on as before.

    Stimulus: entries of three queue pairs on both sides of the wrap, swept by the host (also HB4, HB5, HB6:
    late entries of the pair come behind the sweep, counters near 2^24).
    Checks: HCQ-033, HCQ-036, HCQ-038, HCQ-043.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, first in enumerate((0, 0xFFFFF0)):
            await self.host.start_at(first)
            cq = await create(self, number, log_size=3)
            pairs = self.producer.qpns(number)
            await laps(self, cq, 5)
            for _ in range(4):
                await self.producer.send(
                    *(self.producer.plain(number, qpn=pairs[turn % 3]) for turn in range(6))
                )
                await rest(self)
                cq.sweep(pairs[1])
                await self.producer.send(self.producer.error(number, 0x05, qpn=pairs[1]))
                await rest(self)
                cq.drain()


@dut_test(suites=("full",))
class hb7_stale_counter(HermonTest):
    """A consumer that asks with the counter of the round before loses no event for good.

    Stimulus: rounds with stale counters, one to four CQEs behind; then correct rounds.
    Checks: HCQ-060, HCQ-063, HCQ-045/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        cq.habits.add(Habit.STALE_CI)
        for count in (1, 2, 4):
            await cq.arm(Arm.ANY)
            await fill(self, cq, count)
            await await_event(self, cq)
            cq.drain()
        cq.habits.clear()
        await rest(self)
        await self.host.eqs.handle()
        for _ in range(3):
            await round_trip(self, cq)


@dut_test(suites=("full",))
class hb8_constant_number(HermonTest):
    """A consumer that never counts its requests gets no event behind the first one, until it counts again.

    Stimulus: requests with one sequence number throughout, CQEs between them (also HB17); then correct
    rounds.
    Checks: HCQ-054, HCQ-053.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        cq.habits.add(Habit.CONSTANT_SN)
        for _ in range(4):
            await cq.arm(Arm.ANY)
            await fill(self, cq, 1)
            await self.host.eqs.handle()
            cq.drain()
        cq.habits.clear()
        for _ in range(3):
            await round_trip(self, cq)


@dut_test(suites=("full",))
class hb11_resize_unpublished(HermonTest):
    """A consumer that does not publish the resize entry overflows one entry early, and not before.

    Stimulus: resize, the entry polled and kept, the new ring filled to its brim.
    Checks: HCQ-096, HCQ-071/not_before.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        await laps(self, cq, 6)
        await cq.resize(4, Style.SWITCH)
        await fill(self, cq, 1)
        cq.poll()
        await fill(self, cq, cq.ring.size - 3)
        await self.host.query(1)
        await fill(self, cq, 3)


@dut_test(suites=("full",))
class hb15_rearm_idle(HermonTest):
    """Asking again with nothing polled, also with a counter beyond the producer, leaves the queue armed.

    Stimulus: requests while one waits, with the same and with a counter ahead (B57), then a CQE.
    Checks: HCQ-057, HCQ-045/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        for ahead in (0, 0, 1):
            await cq.arm(Arm.ANY, cq.ci + ahead)
            await cq.arm(Arm.ANY, cq.ci)
            await rest(self)
            await fill(self, cq, 1)
            await await_event(self, cq)
            await rest(self)
            cq.drain()


@dut_test(suites=("full",))
class hb16_never_polled(HermonTest):
    """A request on unread CQEs fires even if nobody polls behind it.

    Stimulus: CQEs first, request, no poll; N - 1 CQEs before the first request.
    Checks: HCQ-046, HCQ-062.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, unread in enumerate((1, 2, 7)):
            cq = await create(self, number, log_size=3)
            await fill(self, cq, unread)
            await cq.arm(Arm.ANY)
            await await_event(self, cq)


@dut_test(suites=("full",))
class hb19_burst_behind_event(HermonTest):
    """A burst behind an event gives no second one, and a ring nobody has filled does not look used.

    Stimulus: bursts behind the event before the next request; creation over memory of all owner bits.
    Checks: HCQ-061, HCQ-060, HCQ-014.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4, fill=b"\0")
        for _ in range(3):
            await round_trip(self, cq)
            await fill(self, cq, 6)
            await self.host.eqs.handle()
            cq.drain()


@dut_test(suites=("full",))
class hb23_collapsed_counter(HermonTest):
    """In a collapsed queue the newest WQE counter is there, also behind 0xFFFF, and nothing but entry 0 is
    touched.

    Stimulus: WQE counters from 0xFFFA on, entries full of guard bytes (also HB24).
    Checks: HCQ-085, HCQ-032.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3, cc=True, oi=True, fill=b"\xff")
        for wqe in range(0xFFFA, 0x10006):
            await self.producer.send(self.producer.bare(1, wqe & 0xFFFF))
            await rest(self)
        await self.host.query(cq.cqn)


@dut_test(suites=("full",))
class hb28_counter_beyond(HermonTest):
    """A consumer that publishes one more than it polled makes no early overflow.

    Stimulus: the published counter one beyond the producer, N - 1 CQEs (also B58).
    Checks: HCQ-044.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        await laps(self, cq, 4)
        cq.habits.add(Habit.AHEAD)
        cq.drain()
        await fill(self, cq, cq.ring.size - 1)


@dut_test(suites=("full",))
class hb29_unpublished(HermonTest):
    """A consumer that polls and never publishes overflows when the ring has been filled once.

    Stimulus: every CQE polled, the record left at 0.
    Checks: HCQ-071/not_before, HCQ-071/not_after, HCQ-074/sent.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        cq.habits.add(Habit.UNPUBLISHED)
        for _ in range(10):
            await fill(self, cq, 1)
            cq.drain()
        await self.host.eqs.handle()
        await self.host.query(1)


@dut_test(suites=("full",))
class hb33_doorbell_first(HermonTest):
    """A doorbell seen before the write of its record acts by its own counter.

    Stimulus: the record holds an older counter and no request when the doorbell comes.
    Checks: HCQ-046, HCQ-045/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        for unread in (0, 2):
            await fill(self, cq, 3)
            cq.poll()
            await fill(self, cq, unread)
            first, second = cq.doorbell(Arm.ANY, cq.ci, cq.sn)
            await self.host.ring_cq(cq.settings.uar_page, first, second)
            await rest(self)
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()


@dut_test(suites=("full",))
class b62_stale_bytes(HermonTest):
    """A short CQE over a long one leaves nothing of it.

    Stimulus: a lap of full bodies, then a lap of bodies that are almost all 0 (also B72: three queue pairs).
    Checks: HCQ-032, HCQ-036.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3, fill=self.rng.randbytes(32))
        for _ in range(3):
            for make in (self.producer.plain, self.producer.bare):
                await self.producer.send(*(make(1) for _ in range(7)))
                await rest(self)
                cq.drain()


@dut_test(suites=("full",))
class b66_two_queues(HermonTest):
    """Flushes of a queue pair whose sends and receives complete to two queues stay apart, each once and in
    order.

    Stimulus: flush bursts of sends and receives interleaved over two queues.
    Checks: HCQ-035/fields, HCQ-036.
    """

    async def scenario(self) -> None:
        cqs = await start(self, (1, 2), log_size=5)
        for _ in range(2):
            flush = [
                self.producer.error(1 + turn % 2, 0x05, send=turn % 2 == 0, qpn=0x77) for turn in range(40)
            ]
            await self.producer.send(*flush)
            await rest(self)
            for cq in cqs:
                cq.drain()


@dut_test(suites=("full",))
class b85_error_between(HermonTest):
    """An error between good CQEs takes one place.

    Stimulus: errors at every place of a lap; B77: many of them, and traffic goes on.
    Checks: HCQ-035/opcode, HCQ-036, HCQ-120/reports.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        for place in range(8):
            for turn in range(7):
                report = self.producer.error(1) if turn == place else self.producer.plain(1)
                await self.producer.send(report)
            await rest(self)
            cq.drain()
        await reset(self)
        (cq,) = await start(self, (1,), log_size=3)
        await laps(self, cq, 9)
