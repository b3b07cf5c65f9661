"""Event queues: place, owner bit and contents of EQEs, room, consumer index, interrupts."""

from __future__ import annotations

from ref_model.events import MemWrite
from ref_model.hermon_cq.arm_states import ahead
from ref_model.hermon_cq.cq import Cq, Fault, Life
from ref_model.hermon_cq.interrupts import Arming, EventQueue, Interrupts
from ref_model.hermon_cq.report_queue import ReportQueue
from ref_model.hermon_cq.shared import CQ_PATH, EVENT_PATH, Context
from ref_model.hermon_cq.unexpected import unexpected_event

EQE_BYTES = 32
COMPLETION, CQ_ERROR, EQ_EVENT = 0x00, 0x04, 0x0F
OVERRUN, BAD_PAGE = 1, 2
ARMED, ALWAYS = 1, 2  # arm_init of EQ_CFG
_MASK = 0xFFFFFF


class EventQueues:
    """All EQs, the asynchronous one, and the interrupt lines."""

    def __init__(self, ctx: Context, reports: ReportQueue) -> None:
        self._ctx = ctx
        self._reports = reports
        self.interrupts = Interrupts(ctx)
        self.reset()

    def reset(self) -> None:
        """No EQ is valid."""
        self.queues = [EventQueue(number) for number in range(self._ctx.config.eqs)]
        self.async_eqn: int | None = None
        self.total = 0
        self.interrupts.reset()
        self.bad_page_events = 0

    def at(self, address: int) -> EventQueue | None:
        """The valid EQ whose entries hold ``address``, or would at the end of its area."""
        for queue in self.queues:
            if queue.valid and queue.base <= address < queue.base + EQE_BYTES * queue.size:
                return queue
        return None

    def usable(self, number: int) -> EventQueue | None:
        """EQ ``number`` if events can go to it."""
        if number < len(self.queues) and self.queues[number].valid:
            return self.queues[number]
        return None

    def full_for(self, cq: Cq) -> bool:
        """Whether the EQ of ``cq`` has no room by the newest consumer index."""
        queue = self.usable(cq.eqns[-1])
        return queue is not None and queue.room <= 0

    def dropping(self, cq: Cq) -> bool:
        """Whether an event of ``cq`` may vanish."""
        queues = [self.usable(number) for number in cq.eqns]
        dropped = self._ctx.choices.may("EQ_FULL_MODE", "drop")
        return any(queue is None or (dropped and queue.room <= 0) for queue in queues)

    def held(self) -> bool | None:
        """Whether an event waits for room in an EQ at rest, which keeps the DUT from idle; None: unknown."""
        found: bool | None = False
        full = [queue for queue in self.queues if queue.valid and queue.room <= 0]
        if full and (self.bad_page_events or self._ctx.choices.may("EQ_FULL_MODE", "drop")):
            found = None
        for cq in self._ctx.cqs.values():
            states = cq.arm.states
            if cq.fault is not None and not cq.error_sent and self.async_eqn in [q.number for q in full]:
                found = None if found is None or cq.error_void or not cq.fault_certain else True
            elif cq.held and cq.arm.owes() and len(cq.eqns) == 1:
                found = None if found is None else True
            elif cq.held and any(state.due or (state.armed and state.armed.ripe >= 0) for state in states):
                return None
        return found

    # -- set-up and doorbells -----------------------------------------------------------------------

    def set_up(self, number: int, valid: bool, log_size: int, base: int, arm: int, begin: int) -> None:
        """EQ_CFG was written."""
        if number >= len(self.queues):
            return
        queue = self.queues[number]
        if valid and not queue.valid:
            scope, irq = queue.scope, queue.irq
            queue = self.queues[number] = EventQueue(number)
            queue.scope, queue.irq = scope, irq
            queue.valid, queue.log_size, queue.base = True, log_size, base
            queue.always = arm == ALWAYS
            if arm == ARMED:
                queue.armings.append(Arming(0, begin, False))
        elif not valid:
            queue.valid = False
            queue.armings.clear()
            self._ctx.deadlines.void(queue.duty)
        self._look_again(number)

    def doorbell(self, number: int, ci: int, arm: bool, begin: int) -> None:
        """EQ doorbell: consumer index, and a request for an interrupt."""
        if number >= len(self.queues) or not self.queues[number].valid:
            return
        queue = self.queues[number]
        queue.cis.append((begin, ci))
        queue.updated = 0 if arm else begin
        if arm and not queue.always:
            queue.armings.append(Arming(ci, begin, True))
            self.interrupts.owe(queue)
        self._look_again(number)

    def _look_again(self, number: int) -> None:
        """Room or validity of EQ ``number`` changed: events that waited may be owed now."""
        for blocked in sorted(self._ctx.blocked):
            cq = self._ctx.cqs[blocked]
            if cq.held and number in cq.eqns:
                cq.hold(False)
                if cq.arm.waits:
                    cq.mark("HCQ-104/kept")
                cq.weigh("room")
            self.owe_error(cq)

    # -- EQEs ---------------------------------------------------------------------------------------

    def written(self, queue: EventQueue, event: MemWrite, first: int, stop: int) -> None:
        """A write into the area of ``queue``: it has to be the next EQE."""
        if event.issued > event.begin:
            self._ctx.deadlines.call_at(event.issued, lambda: self._eqe(queue, event, first, stop))
        else:
            self._eqe(queue, event, first, stop)

    def _eqe(self, queue: EventQueue, event: MemWrite, first: int, stop: int) -> None:
        rules = self._ctx.rules
        place = queue.base + EQE_BYTES * (queue.pi % queue.size)
        want, seen = f"{place:#x} .. {place + EQE_BYTES:#x}", f"{first:#x} .. {stop:#x}"
        if stop - first < EQE_BYTES:
            why = "the 32 bytes of an EQE come in one piece, byte 31 last"
            rules.fail("HCQ-101/last", want, seen, why, queue.scope)
            if first <= place + EQE_BYTES - 1 < stop:
                self._advance(queue, event)
            return
        slot = (first - queue.base) // EQE_BYTES
        full = ahead(queue.pi, queue.ci) >= queue.size
        if full and not self._stale_index(queue, event.begin):
            why = f"{queue.size} EQEs are unread"
            rules.fail("HCQ-104/overwrite", "no EQE", seen, why, queue.scope)
        elif full or queue.room == 1:
            rules.met("HCQ-104/overwrite", "an EQE that fits", queue.scope)
        placed = rules.eq("HCQ-101/place", want, seen, f"entry {slot}, index {queue.pi}", queue.scope)
        if not placed and ((first - queue.base) % EQE_BYTES or stop - first != EQE_BYTES):
            return
        rules.met("HCQ-101/last", "one write of 32 bytes", queue.scope)
        data = event.data[first - event.addr : stop - event.addr]
        owner = queue.pi >> queue.log_size & 1
        why = f"owner bit of EQE {queue.pi}"
        rules.eq("HCQ-101/owner", owner, data[31] >> 7, why, queue.scope)
        queue.scope.note(event.begin, "eqe", data)
        self._advance(queue, event)
        self._contents(queue, data)
        if queue.room <= 0:
            self._full(queue)

    @staticmethod
    def _stale_index(queue: EventQueue, begin: int) -> bool:
        """Whether an index published right then makes room."""
        return any(ahead(queue.pi, ci) < queue.size for _, ci in queue.cis)

    def _advance(self, queue: EventQueue, event: MemWrite) -> None:
        queue.pi += 1
        self.total += 1
        self._ctx.deadlines.call_at(event.settled, lambda: self._complete(queue))

    def _complete(self, queue: EventQueue) -> None:
        if queue.valid:
            queue.done += 1
            queue.completed = self._ctx.rules.now
            self.interrupts.owe(queue)

    def _contents(self, queue: EventQueue, data: bytes) -> None:
        kind, number = data[1], int.from_bytes(data[5:8], "big")
        if kind == COMPLETION:
            self._completion(queue, number)
        elif kind == CQ_ERROR:
            self._error(queue, number, data[15])
        elif kind == EQ_EVENT:
            self._eq_event(queue, data[15])
        else:
            self._unknown(queue, kind, number, data[15])

    def _unknown(self, queue: EventQueue, kind: int, number: int, syndrome: int) -> None:
        """An EQE of a type there is not: that of a CQ error if one is owed."""
        cq = self._ctx.cqs.get(number)
        if cq is None or cq.error_duty is None or not cq.error_duty.open:
            self._ctx.rules.fail("HCQ-059", "type 0, 4 or 0xF", kind, "type of an EQE", queue.scope)
            return
        seen = f"type {kind} for CQ {number:#x}, syndrome {syndrome}"
        self._ctx.rules.fail(cq.error_duty.rule, cq.error_duty.expected, seen, cq.error_duty.why, cq.scope)
        self._ctx.deadlines.void(cq.error_duty)
        cq.error_sent = True

    def _full(self, queue: EventQueue) -> None:
        """No room: events for ``queue`` wait."""
        for cq in self._ctx.cqs.values():
            if queue.number in cq.eqns and not cq.held:
                cq.hold(True)
                cq.void_event()
            if self.async_eqn == queue.number:
                self._ctx.deadlines.void(cq.error_duty)
                cq.error_duty = None

    # -- completion events --------------------------------------------------------------------------

    def _completion(self, queue: EventQueue, number: int) -> None:
        ctx, rules = self._ctx, self._ctx.rules
        cq = ctx.cqs.get(number)
        former = ctx.former.get(number)
        if former is not None and self._late(former, queue, cq):
            return
        if cq is None:
            if former is not None:
                why = "HW2SW_CQ has ended and no event was due"
                rules.fail("HCQ-112", "no EQE", f"a completion EQE for CQ {number:#x}", why, former.scope)
            else:
                why = "CQ number of an EQE"
                rules.fail("HCQ-059", "a CQ that exists", f"CQ {number:#x}", why, queue.scope)
            return
        if not cq.event_written(lambda: unexpected_event(ctx, cq)):
            return
        self._route(queue, cq)
        rules.met("HCQ-059", "type and number of a completion EQE", queue.scope)
        rules.met("HCQ-105", "EQE behind its CQEs", cq.scope)
        if len(ctx.cqs) > 1:
            rules.met("HCQ-115", "the event of its own CQ", cq.scope)
        rules.alive(EVENT_PATH)

    def _route(self, queue: EventQueue, cq: Cq) -> None:
        rules = self._ctx.rules
        why = "the EQ that c_eqn names"
        known = queue.number in cq.eqns
        if len(cq.eqns) > 1:
            rules.one_of("HCQ-099", cq.eqns, queue.number, "c_eqn before or after", cq.scope, sure=False)
            if queue.number == cq.eqns[-1] or (known and not cq.moving):
                cq.eqns = cq.eqns[-1:]
        elif "HCQ-099" in cq.turns:
            rules.eq("HCQ-099", cq.eqns[0], queue.number, "the EQ of opmod 2", cq.scope)
        if not known:
            rule = "HCQ-098" if self.usable(cq.eqns[-1]) else "HCQ-064"
            rules.fail(rule, cq.eqns, queue.number, why, cq.scope)
        else:
            rules.met("HCQ-098", why, cq.scope)

    def _late(self, former: Cq, queue: EventQueue, cq: Cq | None) -> bool:
        """Whether the EQE is one that was due when ``former`` was destroyed."""
        ctx = self._ctx
        if queue.number not in former.eqns or not any(state.due for state in former.arm.states):
            return False
        if self._late_by(former) > ctx.config.event + ctx.config.period:
            return False
        if cq is not None and any(state.due for state in cq.arm.states):
            return False  # the present life may send it, too
        former.arm.written()
        ctx.rules.met("HCQ-112", "an event that was due", former.scope)
        return True

    def _late_by(self, former: Cq) -> int:
        """Time (ps) that counts since ``former`` was destroyed."""
        now = self._ctx.now
        return now - former.gone_since - (self._ctx.held.total(now) - former.gone_excused)

    # -- error events -------------------------------------------------------------------------------

    def owe_error(self, cq: Cq) -> None:
        """Open the duty to report the error of ``cq`` if nothing stands in its way."""
        ctx = self._ctx
        if cq.fault is None or cq.error_sent or cq.error_duty is not None or cq.life is not Life.LIVE:
            return
        queue = self.usable(self.async_eqn) if self.async_eqn is not None else None
        cq.error_void = cq.error_void or queue is None
        if cq.error_void or queue is None or queue.room <= 0:
            return
        rule = "HCQ-074/sent" if cq.fault is Fault.OVERFLOW else "HCQ-077/event"
        if cq.oi == {True}:
            rule = "HCQ-084"
        what, why = f"an EQE of type 4, syndrome {cq.fault.syndrome}", "the CQ is in error"
        deadline = ctx.rules.now + ctx.config.event
        cq.error_duty = ctx.deadlines.must(rule, what, why, cq.scope, deadline)

    def _error(self, queue: EventQueue, number: int, syndrome: int) -> None:
        ctx, rules = self._ctx, self._ctx.rules
        cq = ctx.cqs.get(number) or ctx.former.get(number)
        seen = f"type 4 for CQ {number:#x}, syndrome {syndrome}"
        if cq is None:
            rules.fail("HCQ-074/sent", "a CQ that exists", seen, "CQ number of an EQE", queue.scope)
            return
        if cq.life is Life.GONE and self._late_by(cq) > ctx.config.event + ctx.config.period:
            rules.fail("HCQ-112", "no EQE", seen, "HW2SW_CQ has ended", cq.scope)
            return
        if cq.error_sent:
            why = "one EQE per CQ error"
            rules.fail("HCQ-074/once", "no EQE", seen, why, cq.scope)
            return
        if cq.fault is None:
            self._guess_fault(cq, syndrome, seen)
        cq.error_sent = True
        if cq.fault is not None:
            rule = "HCQ-074/sent" if cq.fault is Fault.OVERFLOW else "HCQ-077/event"
            rules.eq(rule, cq.fault.syndrome, syndrome, "syndrome of the CQ error", cq.scope)
            ctx.deadlines.meet(cq.error_duty)
        if self.async_eqn is None or queue.number != self.async_eqn:
            why = "CQ errors go to the asynchronous EQ"
            rules.fail("HCQ-100", self.async_eqn, queue.number, why, cq.scope)
        else:
            rules.met("HCQ-100", "CQ error to the asynchronous EQ", cq.scope)
        rules.tempt("HCQ-074/once", EVENT_PATH)
        rules.tempt("HCQ-075", (CQ_PATH, number))
        rules.alive(EVENT_PATH)

    def _guess_fault(self, cq: Cq, syndrome: int, seen: str) -> None:
        """An error EQE before the status beat: the open report tells whether it can be."""
        rules = self._ctx.rules
        item = next((item for item in cq.reports if item.settled is None or item.write_failed), None)
        if syndrome == Fault.OVERFLOW.syndrome:
            if item is not None and self._reports.may_overflow(cq, item):
                self._reports.overflowed(cq)
                return
            rule = "HCQ-080" if cq.oi == {True} else "HCQ-071/not_before"
            rules.fail(rule, "no CQ error", seen, "the ring has room", cq.scope)
            cq.fail(Fault.OVERFLOW)
            return
        absent = item is not None and cq.ring.place(cq.pi, self._ctx.memory) is None
        if item is None or not (absent or item.unreadable or item.write_failed):
            rules.fail("HCQ-077/event", "no CQ error", seen, "no access has failed", cq.scope)
        cq.fail(Fault.FAILURE)

    def _eq_event(self, queue: EventQueue, code: int) -> None:
        rules, ctx = self._ctx.rules, self._ctx
        if code == BAD_PAGE and self.bad_page_events and ctx.knobs["BAD_UAR_MODE"] != "accept":
            self.bad_page_events -= 1
            rules.observe("HCQ-056")
        elif code == OVERRUN and ctx.choices.may("EQ_FULL_MODE", "drop"):
            rules.observe("HCQ-104/kept")
        else:
            why = "nothing happened that it could tell"
            rules.fail("HCQ-098", "no EQE of type 0xF", f"code {code}", why, queue.scope)

    def quiet(self) -> None:
        """Whatever is in flight has arrived."""
        for queue in self.queues:
            newest = queue.cis[-1]
            queue.cis.clear()
            queue.cis.append(newest)
        for cq in self._ctx.cqs.values():
            if not any(self.usable(number) for number in cq.eqns) and cq.arm.discarded():
                cq.ignored = "HCQ-064"
