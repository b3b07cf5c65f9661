"""One CQ during one life: ring, counters, request and events, error state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.hermon_cq import context
from ref_model.hermon_cq.arm_states import Arm, Counted, Moderation, ahead
from ref_model.hermon_cq.ring import Ring
from ref_model.hermon_cq.shared import CQ_PATH, EVENT_PATH, Context
from ref_model.rules import Scope

if TYPE_CHECKING:
    from ref_model.hermon_cq.report_queue import Item

MASK = 0xFFFFFF
#: Published consumer counters remembered one by one.
PUBLISHED = 64


class Life(Enum):
    """Whose the CQ is; between start and end of a command it may be either's."""

    CREATING = auto()
    LIVE = auto()
    CLOSING = auto()
    GONE = auto()


class Fault(Enum):
    """Error of a CQ, as status shows it and as its EQE names it."""

    OVERFLOW = (0x9, 1)
    FAILURE = (0xA, 2)

    @property
    def status(self) -> int:
        """Code in the context."""
        return self.value[0]

    @property
    def syndrome(self) -> int:
        """Code in the EQE."""
        return self.value[1]


@dataclass(slots=True)
class EventDuty:
    """An event that is owed: since when, and how long it may take (ps that count)."""

    must: Must
    rule: str  #: what its loss breaks after a special turn
    plain: str  #: what it breaks otherwise
    since: int
    limit: int
    excused: int
    command: int  #: what did not count then, status stream aside
    pi: int  #: CQEs that were complete then


class Cq:
    """A CQ from the start of its SW2HW_CQ to the end of its HW2SW_CQ; indices are unwrapped."""

    def __init__(
        self, ctx: Context, number: int, values: dict[str, int], ring: Ring, start: int, now: int
    ) -> None:
        """``values``: fields of the context; ``start``: first index."""
        self.ctx = ctx
        self.number = number
        self.values = values
        self.ring = ring
        self.start = start
        self.number_of_life = ctx.lives.get(number, 0) + 1
        self.life = Life.CREATING
        self.live_since = self.gone_since = now
        self.scope = Scope(f"CQ {number:#x}")
        self.path = (CQ_PATH, number)
        self.pi = start  #: CQEs whose write has begun
        self.reports: deque[Item] = deque()  #: without a result yet
        self.published: deque[tuple[int, int]] = deque([(now, start & MASK)], PUBLISHED)
        self.record = context.db_record_address(values)
        self.half = False  #: the first dword of a doorbell for it waits for the second
        self.record_read = 0  #: when (ps) the newest good read of it began
        self.reserved: dict[str, int] = {}  #: reserved fields that were not 0 at creation
        self.odd = False  #: there were some, after CQs without any had been served well
        self.pages: set[int] = set()  #: bus addresses of the pages its CQEs went to
        self.created_oi = bool(values["oi"])
        self.oi = {self.created_oi}
        self.eqns = [values["c_eqn"]]  #: EQs an event may go to, the present one last
        self.moving = False  #: MODIFY_CQ changes c_eqn just now
        self.fault: Fault | None = None
        self.fault_certain = False
        self.error_duty: Must | None = None
        self.error_sent = False
        self.error_void = False  #: no EQ was there for it: the EQE may have been discarded
        self.capacity_free = False  #: an illegal consumer counter left the capacity open
        self.refused: Item | None = None  #: the report that overflowed
        self.error_answer = False  #: its MTT entry or CQE had an error response
        self.record_error = False  #: so had the latest read of its DB record
        self.unreleased = False  #: HW2SW_CQ was refused and no command has shown since that it is hardware's
        self.freed = False  #: moderation was switched off and no event has come since
        self.shown: int | None = None  #: producer counter of the latest good image
        counted = Counted(start, start, start, None, ctx.ticks.count(now), None, ring.size, start)
        limits = [(values["cq_max_count"], values["cq_period"])]
        self.arm = Arm(ctx.choices, counted, Moderation(limits))
        self.duty: EventDuty | None = None
        self._timer = 0  #: when the longest period was last found to be over
        self.held = False  #: an event waits for room in an EQ
        self.events = 0
        self.last_event_pi = start
        self.marks: dict[str, None] = {}  #: rules a special turn since the request put to the test
        self.illegal = False  #: the latest request had an illegal index
        self.asked = 0  #: kind of the latest request
        self.rung = 0  #: when (ps) its doorbell had its answer
        self.ignored = ""  #: rule of the latest doorbell that had to be ignored since the last event
        self.turns: dict[str, None] = {}  #: rules that the next good image confirms
        self.resized_at: int | None = None
        self.old_rings: list[Ring] = []
        self.gone_excused = 0
        self.blocked: Callable[[], bool] = lambda: False  #: whether the EQ is full

    # -- state --------------------------------------------------------------------------------------

    @property
    def collapsed(self) -> bool:
        """cc = 1."""
        return self.ring.collapsed

    def outstanding(self, consumer: int) -> int:
        """CQEs outstanding with the 24-bit ``consumer`` counter; negative: it is ahead."""
        return ahead(self.pi, consumer)

    def mark(self, rule: str) -> None:
        """A special turn: the event of a waiting request will show whether ``rule`` held."""
        if self.arm.waits:
            self.marks.pop(rule, None)
            self.marks[rule] = None

    # -- CQEs ---------------------------------------------------------------------------------------

    def wrote(self, settled: int, solicited: bool, looks: bool | None = True) -> None:
        """The write of the next CQE has begun; it is complete at ``settled``.

        ``looks``: whether the DUT looks at its requests because of it; None: nothing says so.
        """
        index = self.pi
        self.pi += 1
        self.ctx.deadlines.call_at(settled, lambda: self._complete(index, solicited, looks))

    def _complete(self, index: int, solicited: bool, looks: bool | None) -> None:
        if self.life is Life.GONE:
            return
        rules, arm = self.ctx.rules, self.arm
        if not arm.waits and not arm.dropped():
            rules.tempt("HCQ-061", self.path)
            if self.events:
                rules.tempt("HCQ-060", self.path)
                if not arm.moderation.off:
                    rules.tempt("HCQ-069", self.path)
        counted = arm.counted
        counted.pi = index + 1
        if looks:
            counted.sure = index + 1
        else:
            arm.moderation.changed = True  # it may not count there, either
        if looks is not False:
            counted.seen = index + 1
        if solicited:
            counted.solicited = index
        elif counted.solicited is not None and index - counted.solicited >= (1 << 23) - 1:
            counted.solicited = None
        self.weigh("cqe")
        self._tempt_moderation()

    def _tempt_moderation(self) -> None:
        """A request is ready and moderation keeps its event back."""
        arm = self.arm
        waits = self.duty is None and arm.counted.waiting_tick is not None and not arm.moderation.off
        if waits and not any(state.due or (state.armed and state.armed.ripe >= 0) for state in arm.states):
            period = arm.moderation.limits[-1][1]
            self.ctx.rules.tempt("HCQ-068" if period else "HCQ-066/early", self.path)

    # -- events -------------------------------------------------------------------------------------

    def weigh(self, cause: str) -> None:
        """Something changed: see whether an event is owed; ``cause`` tells the rule."""
        arm, ctx = self.arm, self.ctx
        arm.counted.tick = ctx.ticks.count(self._now())
        arm.spread()
        if self.life is not Life.LIVE or self._kept_back():
            self.void_event()
            return
        if not arm.owes(moderated=False):
            arm.counted.waiting_tick = None
            self.void_event()
            return
        if arm.counted.waiting_tick is None:
            arm.counted.waiting_tick = arm.counted.tick
        if arm.owes():
            if self.duty is None:
                self._owe(cause)
        else:
            self.void_event()
            self._wait_for_ticks()

    def _kept_back(self) -> bool:
        """Whether an event may vanish (tempting the DUT to send it all the same) or has to wait for room."""
        if self.arm.dropped():
            if any(state.due for state in self.arm.states):
                self.ctx.rules.tempt("HCQ-064", EVENT_PATH)
            return True
        if not self.held and self.blocked():
            self.hold(True)
        return self.held

    def _now(self) -> int:
        return max(self.ctx.now, self.ctx.rules.now)

    def _wait_for_ticks(self) -> None:
        """Look again when the longest period is over."""
        waiting = self.arm.counted.waiting_tick
        longest = max(period for _, period in self.arm.moderation.limits)
        if longest and waiting is not None:
            time = self.ctx.ticks.when(waiting + longest + 1)
            if time is not None and time != self._timer and time > self._now():
                self._timer = time
                self.ctx.deadlines.call_at(time, self._ticked)

    def _ticked(self) -> None:
        self._timer = 0
        if self.life is Life.LIVE and self.duty is None and self.arm.counted.waiting_tick is not None:
            self.weigh("time")

    def _owe(self, cause: str) -> None:
        ctx, arm = self.ctx, self.arm
        now = self._now()
        plain = self._rule(cause)
        rule = next(reversed(self.marks), plain)
        limit = ctx.config.event + (ctx.config.doorbell if arm.queue else 0)
        # One that comes late is told apart from one that never comes.
        must = ctx.deadlines.must(
            rule, "a completion EQE", f"an event is owed ({cause})", self.scope, now + LATE * limit
        )
        excused, command = ctx.held.total(now), ctx.command.total(now)
        self.duty = EventDuty(must, rule, plain, now, limit, excused, command, arm.counted.pi)

    def _rule(self, cause: str) -> str:
        """Rule that an event which never comes breaks, special turns aside."""
        arm = self.arm
        if self.number_of_life > 1 and not self.events:
            return "HCQ-114"
        asked = [bell.kind for bell in arm.queue[-1:]]
        asked = asked or [state.armed.kind for state in arm.states if state.armed]
        kinds = set(asked)
        if self.collapsed:
            return "HCQ-086/events"
        if self.freed and arm.moderation.off:
            return "HCQ-065"
        if cause == "time":
            return "HCQ-067"
        if not arm.moderation.off:
            return "HCQ-066/fires"
        present = cause == "doorbell"
        if present and self.events and arm.covered() and self._by_index():
            return "HCQ-063"
        if kinds == {3}:
            return "HCQ-049/fires"
        if kinds == {1}:
            return "HCQ-048/fires" if present else "HCQ-047/fires"
        return "HCQ-046" if present else "HCQ-045/fires"

    def void_event(self) -> None:
        """No event is owed any more, or nothing says so."""
        if self.duty is not None:
            self.ctx.deadlines.void(self.duty.must)
            self.duty = None

    def rename_duty(self, rule: str) -> None:
        """A special turn while an event is owed: ``rule`` is what its loss would break."""
        if self.duty is not None:
            self.duty.rule = self.duty.must.rule = rule

    def event_written(self, judge: Callable[[], tuple[str, str, str]]) -> bool:
        """A completion EQE was written; ``judge`` says what it breaks if nothing permits it."""
        ctx, arm, rules = self.ctx, self.arm, self.ctx.rules
        arm.counted.tick = ctx.ticks.count(ctx.now)
        arm.spread()
        covered = self.events > 0 and arm.covered() and self._by_index()
        if not arm.written():
            rule, expected, why = judge()
            rules.fail(rule, expected, f"a completion EQE for CQ {self.number:#x}", why, self.scope)
            return False
        self.events += 1
        self.last_event_pi = arm.counted.pi
        if covered:
            rules.met("HCQ-063", "event on covered CQEs", self.scope, sure=ctx.choices.sure("ARM_RULE", "R1"))
            ctx.choices.fix("ARM_RULE", "R1")
        if arm.counted.waiting_tick is not None and self.values["cq_period"]:
            rules.met("HCQ-067", "an event before its period is over", self.scope)
        arm.counted.waiting_tick = None
        if not self._by_other_rule():
            self._in_time()
        for rule in self.marks:
            rules.met(rule, "the event of the waiting request came", self.scope)
        self.marks.clear()
        self.ignored, self.freed = "", False
        rules.alive(self.path)
        self.weigh("cqe")
        return True

    def _by_index(self) -> bool:
        """Whether the waiting requests are all of the kinds that look at unread CQEs."""
        asked = [state.armed.kind for state in self.arm.states if state.armed]
        return self.asked in (1, 2) and 3 not in asked

    def _by_other_rule(self) -> bool:
        """Whether an event that is owed at once on covered CQEs waited for the next CQE (HCQ-063)."""
        ctx, duty = self.ctx, self.duty
        if duty is None or duty.plain != "HCQ-063" or self.arm.counted.pi == duty.pi:
            return False
        counted = ctx.now - duty.since - (ctx.held.total(ctx.now) - duty.excused)
        if counted <= duty.limit + ctx.config.period:
            return False
        self.duty = None
        ctx.deadlines.void(duty.must)
        why = "covered CQEs cause an event at once"
        ctx.rules.fail("HCQ-063", "an event at once", "one behind the next CQE", why, self.scope)
        return True

    def _in_time(self) -> None:
        """The event that was owed came: was it in time?"""
        ctx, duty, rules = self.ctx, self.duty, self.ctx.rules
        if duty is None:
            rules.met("HCQ-058", "one event for doorbell and CQE in any order", self.scope)
            return
        self.duty = None
        taken = ctx.now - duty.since
        counted = taken - (ctx.held.total(ctx.now) - duty.excused)
        late = duty.limit + ctx.config.period
        if counted > late:
            ctx.deadlines.void(duty.must)
            clocks = f"{counted // ctx.config.period} clocks"
            limit = f"at most {duty.limit // ctx.config.period} clocks"
            rule = duty.plain if duty.plain in TIMED else "HCQ-062"
            if duty.plain in AT_ONCE and ctx.served > duty.since:
                rule = "HCQ-119/doorbells"  # events go out: it is the doorbell that waited
            rules.fail(rule, limit, clocks, "time from fire condition to EQE", self.scope)
            return
        if taken - (ctx.command.total(ctx.now) - duty.command) > late:
            if duty.plain in AT_ONCE:
                ctx.deadlines.void(duty.must)
                why = "m_axis_sts is stalled, doorbells go on"
                rules.fail("HCQ-123", "an event at once", "an event after the stall", why, self.scope)
                return
        elif ctx.status_stalled[1] > ctx.now >= duty.since >= ctx.status_stalled[0]:
            rules.met("HCQ-123", "an event during a stall of m_axis_sts", self.scope)
        ctx.deadlines.meet(duty.must)
        ctx.served = max(ctx.served, duty.since)
        if duty.plain != duty.rule:
            rules.met(duty.plain, "the event that is owed", self.scope)
        rules.met("HCQ-062", "time from fire condition to EQE", self.scope)
        if self.arm.moderation.off:
            rules.met("HCQ-065", "no moderation", self.scope)

    def hold(self, on: bool) -> None:
        """An event waits for room in an EQ, or no longer."""
        self.held = on
        if on:
            self.ctx.blocked.add(self.number)
        elif self.fault is None:
            self.ctx.blocked.discard(self.number)

    # -- errors -------------------------------------------------------------------------------------

    def fail(self, fault: Fault) -> None:
        """The CQ is in error from now on."""
        if self.fault is None:
            self.fault = fault
            self.ctx.blocked.add(self.number)
        self.arm.dead = True


#: An event that comes within this many times its bound is late, not lost.
LATE = 3
#: Rules that say by themselves when the event has to come: moderation that is off, a period.
TIMED = ("HCQ-065", "HCQ-067")
#: Rules of an event that a doorbell causes.
AT_ONCE = ("HCQ-046", "HCQ-048/fires")
