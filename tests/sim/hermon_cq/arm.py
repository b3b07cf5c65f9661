"""Requests for events: when they fire, once, by sequence number, and in races with the CQE they wait for."""

from __future__ import annotations

from tb.host.hermon_cq import CqSettings
from tb.sequences.hermon import (
    FORMS,
    LAST_INDEX,
    LONG,
    REQUESTS,
    Arm,
    Form,
    Offsets,
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

OFFSETS = range(-40, 41)
"""Clocks between the start of the doorbell and of the report: the doorbell takes a few to reach the pins."""


@dut_test(suites=("smoke", "full"))
class arm_any(HermonTest):
    """A request for any CQE fires once: at the next CQE, or at once if one is unread.

    Stimulus: requests on an empty queue, short and long before the CQE; one, two and N - 1 CQEs before the
    first and before a later request; bursts behind the event.
    Checks: HCQ-045/waits, HCQ-045/fires, HCQ-046, HCQ-059, HCQ-060, HCQ-061, HCQ-062, HCQ-105.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, unread in enumerate((1, 2, 7)):
            cq = await create(self, number, log_size=3)
            await fill(self, cq, unread)
            await cq.arm(Arm.ANY)
            await await_event(self, cq)
            cq.drain()
            for wait in (1, LONG):
                await cq.arm(Arm.ANY)
                await self.clocks(wait)
                await fill(self, cq, unread)
                await await_event(self, cq)
                cq.drain()
            await fill(self, cq, unread)
            await cq.arm(Arm.ANY)
            await await_event(self, cq)


@dut_test(suites=("smoke", "full"))
class arm_solicited(HermonTest):
    """A request for a solicited CQE fires at one that is solicited or in error, new or unread, and at no
    other.

    Stimulus: plain CQEs before the one that fires, solicited, in error or both; solicited and plain ones in
    both orders before the request, polled and unread; a request on unread solicited ones alone tells.
    Checks: HCQ-047/plain, HCQ-047/fires, HCQ-048/plain, HCQ-048/fires, HCQ-039.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        producer = self.producer
        for plain in (0, 1, 6):
            for last in (producer.plain(1, True), producer.error(1), producer.error(1, send=False)):
                await cq.arm(Arm.SOLICITED)
                await fill(self, cq, plain)
                await producer.send(last)
                await await_event(self, cq)
                cq.drain()
        await fill(self, cq, 2, solicited=True)
        await cq.arm(Arm.SOLICITED)
        await await_event(self, cq)
        cq.drain()
        patterns = ((True, False), (False, True), (False, False), (True,))
        for pattern, polled in ((pattern, polled) for pattern in patterns for polled in (0, 1)):
            await producer.send(*(producer.plain(1, solicited) for solicited in pattern))
            await rest(self)
            cq.poll(polled)
            await cq.arm(Arm.SOLICITED)
            await rest(self)
            await fill(self, cq, 1, solicited=True)
            await await_event(self, cq)
            cq.drain()


@dut_test(suites=("full",))
class arm_n(HermonTest):
    """A request for the CQE of an index fires at that one and not earlier.

    Stimulus: the next, the one behind, the middle of the ring, across 2^24; targets that are written already.
    Checks: HCQ-049/waits, HCQ-049/fires, HCQ-060.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, first in enumerate((0, LAST_INDEX - 2)):
            await self.host.start_at(first)
            cq = await create(self, number, log_size=4)
            for ahead in (1, 8, 2, 0):
                await cq.arm(Arm.NTH, cq.ci + ahead)
                await fill(self, cq, ahead)
                await fill(self, cq, 1)
                await await_event(self, cq)
                cq.drain()
            await fill(self, cq, 4)
            await cq.arm(Arm.NTH, cq.ci + 1)
            await rest(self)
            await self.host.eqs.handle()


@dut_test(suites=("full",))
class arm_sequence(HermonTest):
    """The sequence number counts requests that fired; one that did not move is the same request.

    Stimulus: nine rounds of both kinds; solicited raised to any and any asked for again as solicited under
    one number; a request again under the number of the last event, then under the right one.
    Checks: HCQ-051, HCQ-053, HCQ-054.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        for count in range(9):
            await round_trip(self, cq, Arm.SOLICITED if count % 3 else Arm.ANY)
        for pair in ((Arm.SOLICITED, Arm.ANY), (Arm.ANY, Arm.SOLICITED), (Arm.ANY, Arm.ANY)):
            for request in pair:
                await cq.arm(request)
                await rest(self)
            await fill(self, cq, 1, solicited=pair[1] is Arm.SOLICITED)
            await await_event(self, cq)
            cq.drain()
        for request in REQUESTS:
            await cq.arm(request, sn=cq.sn - 1)
            await fill(self, cq, 2, solicited=True)
            await self.host.eqs.handle()
            cq.drain()
            await round_trip(self, cq, request)


@dut_test(suites=("full",))
class arm_newest(HermonTest):
    """The counter of the newest doorbell counts, not that of an older one or of the DB record.

    Stimulus: a record left behind the doorbell; two doorbells with growing counters; the last one tells.
    Checks: HCQ-052, HCQ-045/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        for step in (1, 3):
            await fill(self, cq, step)
            cq.poll()
            await cq.arm(Arm.ANY)
            await rest(self)
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()
            await cq.arm(Arm.SOLICITED, cq.ci)
            await fill(self, cq, step)
            cq.poll()
            await cq.arm(Arm.ANY, cq.ci)
            await rest(self)
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()


@dut_test(suites=("full",))
class arm_again(HermonTest):
    """What a new request does with CQEs that an event covered and nobody read is one rule throughout.

    Stimulus: an event that covers three CQEs, nothing polled, a request with the old counter or one a little
    on, then one CQE; both kinds.
    Checks: HCQ-063, HCQ-060.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        for request in REQUESTS:
            for polled in (0, 1):
                await fill(self, cq, 3, solicited=True)
                await cq.arm(request)
                await await_event(self, cq)
                cq.poll(polled)
                await cq.arm(request)
                await self.clocks(2 * LONG)  # longer than an event may take
                await self.host.eqs.handle()
                await fill(self, cq, 1, solicited=True)
                await self.host.eqs.handle()
                cq.drain()
                await round_trip(self, cq)


@dut_test(suites=("full",))
class arm_stale(HermonTest):
    """A request with an impossible counter does not spoil the next correct one.

    Stimulus: counters one and N ahead of the producer, N and N + 1 behind it; each followed by correct
    rounds.
    Checks: HCQ-057, HCQ-045/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        for offset in (1, 8, -8, -9):
            await cq.arm(Arm.ANY, cq.ci + offset)
            await rest(self)
            await self.host.eqs.handle()
            await fill(self, cq, 1)
            await self.host.eqs.handle()
            cq.drain()
            for _ in range(2):
                await round_trip(self, cq)


class _Race(HermonTest):
    stalls = "none"
    requests: tuple[Arm, ...] = (Arm.ANY, Arm.SOLICITED)
    forms: tuple[Form, ...] = FORMS

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        offsets = Offsets(self)
        for request in self.requests:
            for form in self.forms:
                for offset in OFFSETS:
                    await self.one(offset, cq, request, form)
                    offsets.forget()
        print(f"race sweep: {offsets.told()}")

    async def one(self, offset: int, cq, request: Arm, form: Form) -> None:  # type: ignore[no-untyped-def]
        """One doorbell against one CQE."""
        solicited = request is Arm.SOLICITED

        async def report() -> None:
            await self.producer.burst(1, 1, solicited)

        async def doorbell() -> None:
            await cq.arm(request, form=form)

        await race(self, offset, report, doorbell)
        await await_event(self, cq)
        cq.drain()


@dut_test(suites=("full",))
class arm_race(_Race):
    """A request and the CQE it waits for give one event, however they meet.

    Stimulus: the doorbell at every clock from before to behind the report, so that it meets acceptance and
    write of the CQE; any and solicited, in one write and in halves. The log tells size and span of the sweep.
    Checks: HCQ-058, HCQ-060, HCQ-062.
    """


@dut_test(suites=("full",))
class arm_n_race(_Race):
    """A request for an index and the CQE of that index give one event, however they meet.

    Stimulus: as for the other requests.
    Checks: HCQ-049/fires, HCQ-060.
    """

    requests = (Arm.NTH,)
    forms = (Form.WHOLE,)


@dut_test(suites=("full",))
class arm_event_race(HermonTest):
    """A request that meets the event of the one before is one of its own.

    Stimulus: the next request as soon as the EQE is in memory and each clock later, with a CQE unread or not.
    Checks: HCQ-062.
    """

    stalls = "none"

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4)
        for offset in range(40):
            await cq.arm(Arm.ANY)
            await self.producer.burst(1, 1 + offset % 2)
            await eqe_seen(self, cq)
            await self.clocks(1 + offset // 2)
            cq.drain()
            await cq.arm(Arm.ANY)
            await rest(self)
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()


@dut_test(suites=("smoke", "full"))
class doorbell_forms(HermonTest):
    """A doorbell acts once, as one write or as two with the second dword behind the first.

    Stimulus: both forms in one run, long gaps between the halves, writes to neighbour offsets, partial
    strobes.
    Checks: HCQ-055, HCQ-122/okay, HCQ-053.
    """

    register_stalls = "light"

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), uar_page=2)
        for form, gap in ((Form.WHOLE, 0), (Form.HALVES, 400_000), (Form.HALVES, 4_000), (Form.HALVES, 0)):
            for request in reversed(REQUESTS):
                await round_trip(self, cq, request, form=form, gap_ps=gap)
        first, second = cq.doorbell(Arm.ANY, cq.ci, cq.sn)
        for offset in (0x18, 0x28, 0x7F8, 0x820, 0xFF8):
            await self.host.uar.write(0x2000 + offset, second << 32 | first, 0xFF)
        for strobe in (0x00, 0x7F, 0xEF, 0x70):
            await self.host.uar.write(0x2020, second << 32 | first, strobe)
        await self.host.uar.read(0x2020)
        await fill(self, cq, 1)
        await self.host.eqs.handle()


@dut_test(suites=("full",))
class doorbell_halves(HermonTest):
    """Halves of doorbells on two pages, and other accesses between them, do not mix.

    Stimulus: halves of two queues in every order; EQ doorbells, reads and unmapped offsets between the halves
    of one.
    Checks: HCQ-121, HCQ-055, HCQ-062.
    """

    async def scenario(self) -> None:
        pair = await start(self, (1, 2), log_size=4)
        for order in ((0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0)):
            begun: set[int] = set()
            for who in order:
                first, second = pair[who].doorbell(Arm.ANY, pair[who].ci, pair[who].sn)
                addr = pair[who].settings.uar_page << 12 | 0x20
                half = (second << 32, 0xF0) if who in begun else (first, 0x0F)
                begun.add(who)
                await self.host.uar.write(addr, *half)
            for cq in pair:
                await fill(self, cq, 1)
                await await_event(self, cq)
                cq.drain()
        await round_trip(self, pair[0])
        first, second = pair[0].doorbell(Arm.ANY, pair[0].ci, pair[0].sn)
        await self.host.uar.write(0x1020, first, 0x0F)
        await self.host.ring_eq(5, 0, False)
        await self.host.uar.read(0x1020)
        await self.host.uar.write(0x1100, self.rng.getrandbits(64), 0xFF)
        await self.host.uar.write(0x1020, second << 32, 0xF0)
        await fill(self, pair[0], 1)
        await await_event(self, pair[0])


@dut_test(suites=("full",))
class doorbell_bound(HermonTest):
    """A doorbell is executed in time: the event of an unread CQE does not come behind that of a later one.

    Stimulus: a CQE, its request, then the CQE another queue waits for.
    Checks: HCQ-119/doorbells, HCQ-046, HCQ-062.
    """

    async def scenario(self) -> None:
        first, second = await start(self, (1, 2), log_size=4)
        for _ in range(3):
            await second.arm(Arm.ANY)
            await fill(self, first, 1)
            await first.arm(Arm.ANY)
            await fill(self, second, 1)
            wanted = second.events + 1
            await await_event(self, first)
            await await_event(self, second, wanted - second.events)
            for cq in (first, second):
                cq.drain()


@dut_test(suites=("full",))
class doorbell_foreign(HermonTest):
    """A doorbell from a page that is not the queue's is not taken; from the right one it is.

    Stimulus: wrong pages with and without a request waiting, then the right page; a queue whose page is out
    of reach, rung from the page with the same low bits.
    Checks: HCQ-056, HCQ-047/fires.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3, uar_page=2)
        for page in (3, 0, 1):
            await cq.arm(Arm.ANY, page=page)
            await fill(self, cq, 2)
            await self.host.eqs.handle()
            cq.drain()
            before = cq.events
            await cq.arm(Arm.SOLICITED)
            await cq.arm(Arm.ANY, page=page)
            await fill(self, cq, 2)
            await self.host.eqs.handle()
            if cq.events == before:
                await fill(self, cq, 1, solicited=True)
                await await_event(self, cq)
            cq.drain()
        far = await create(self, 4, log_size=3, uar_page=0x40_0402)
        await far.arm(Arm.ANY, page=2)
        await fill(self, far, 2)
        await self.host.eqs.handle()


@dut_test(suites=("full",))
class doorbell_void(HermonTest):
    """Doorbells without a command or for no queue take no request and leave a waiting one.

    Stimulus: commands 0 and 4 to 7; numbers of a destroyed queue and out of range; the second dword alone and
    the first twice; a request waiting and none.
    Checks: HCQ-050, HCQ-045/fires.
    """

    async def scenario(self) -> None:
        cq, gone = await start(self, (1, 2), log_size=3, uar_page=1)
        await self.host.destroy(2)
        out = 1 << int(self.host.knobs["NUM_CQ_LOG"])
        words = [cq.doorbell(request, cq.ci, cq.sn) for request in (0, 4, 5, 6, 7)]
        words += [gone.doorbell(Arm.ANY, 0, 1)]
        for armed in (False, True):
            if armed:
                await cq.arm(Arm.ANY)
            for first, second in words:
                await self.host.ring_cq(1, first, second)
            await rest(self)
            await fill(self, cq, 1)
            if armed:
                await await_event(self, cq)
            cq.drain()
        await self.host.uar.write(0x1020, cq.ci << 32, 0xF0)
        await rest(self)
        await self.host.uar.write(0x1020, gone.doorbell(Arm.ANY, 0, 1)[0], 0x0F)
        await round_trip(self, cq, form=Form.HALVES)
        first, second = cq.doorbell(Arm.ANY, cq.ci, cq.sn)
        await self.host.ring_cq(1, first | out, second)  # some take it for the number without its upper bits
        await fill(self, cq, 1)
        await self.host.eqs.handle()


@dut_test(suites=("full",))
class arm_no_queue(HermonTest):
    """A queue whose event queue does not exist or is off gives no event, and goes on.

    Stimulus: event queue numbers NUM_EQ, 63, 64, 0x1FF and one made invalid; requests, CQEs; then opmod 2 to
    a good one.
    Checks: HCQ-064, HCQ-004, HCQ-099.
    """

    async def scenario(self) -> None:
        await start(self, ())
        await self.host.close_eq(3)
        for number, eqn in enumerate((int(self.host.knobs["NUM_EQ"]), 63, 64, 0x1FF, 3)):
            cq = self.host.prepare(CqSettings(number, 3, eqn, number))
            if (await self.host.sw2hw(cq)).status:
                continue  # an unusable number may be refused
            await cq.arm(Arm.ANY)
            await fill(self, cq, 2)
            cq.drain()
            await self.host.move(number, 1)
            cq.sn += 1
            await round_trip(self, cq)


@dut_test(suites=("full",))
class arm_and_overflow(HermonTest):
    """A request that waits when the queue overflows, and one behind it, break nothing.

    Stimulus: solicited requests before and behind the overflow of armed and idle queues.
    Checks: HCQ-075, HCQ-074/sent.
    """

    async def scenario(self) -> None:
        for cq in await start(self, (1, 2), log_size=2):
            if cq.cqn == 1:
                await cq.arm(Arm.SOLICITED)
            await overflow(self, cq)
            await cq.arm(Arm.ANY)
            await fill(self, cq, 2)
            await self.host.eqs.handle()


@dut_test(suites=("full",))
class neighbour_rounds(HermonTest):
    """Each queue has sequence numbers of its own.

    Stimulus: rounds in turn on queues whose numbers differ in one bit.
    Checks: HCQ-053, HCQ-045/fires, HCQ-115.
    """

    async def scenario(self) -> None:
        cqs = await start(self, (5, 4, 7, 1), log_size=3)
        for _ in range(5):
            for cq in cqs:
                await round_trip(self, cq)


@dut_test(suites=("full",))
class doorbell_between(HermonTest):
    """A whole doorbell on another page leaves a half that waits alone.

    Stimulus: between the halves of a queue's doorbell a whole one on each page whose number differs in one
    bit.
    Checks: HCQ-121, HCQ-062.
    """

    async def scenario(self) -> None:
        halves, *others = await start(self, (5, 4, 7, 1), log_size=4)
        for other in others:
            await self.host.uar.write(0x5020, halves.doorbell(Arm.ANY, halves.ci, halves.sn)[0], 0x0F)
            await round_trip(self, other)
            await self.host.uar.write(0x5020, halves.ci << 32, 0xF0)
            await fill(self, halves, 1)
            await await_event(self, halves)
            halves.drain()


@dut_test(suites=("full",))
class doorbell_in_command(HermonTest):
    """A doorbell that comes while a command of another queue fills its ring is not lost.

    Stimulus: requests during the pre-fill of a ring of 512 and during a resize to one.
    Checks: HCQ-045/fires, HCQ-115, HCQ-058.
    """

    async def scenario(self) -> None:
        cq, other = await start(self, (1, 2), log_size=3)

        async def big() -> None:
            await create(self, 9, log_size=9)

        async def resize() -> None:
            await other.resize(9)

        for command in (big, resize):
            await race(self, 1500, command, lambda: cq.arm(Arm.ANY))
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()
