"""TYPE1 requester of one queue pair: numbering, Go-Back-N, tokens, timer (sections 2, 9 and 15).

Packets are counted from the last initialisation on (*index*); the PSN is the index plus the first PSN, modulo
4096. ``una`` is the oldest packet that is not acknowledged, ``next`` the one the current pass sends next,
``top`` the first that was never sent, ``returned`` counts tokens that came back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.rclink.context import MAC_PATH
from ref_model.rclink.messages import RETRY_OVER
from ref_model.rocev2.rnr import rnr_wait_ps

if TYPE_CHECKING:
    from ref_model.rclink.qp import Qp

PSN_MASK = 4095
HALF = 2048
US = 1_000_000
#: Limit of RNR retries that means none.
NO_LIMIT = 15

SEQUENCE, TIMEOUT, RNR = "sequence NAK", "timeout", "RNR NAK"
RULE_OF = {SEQUENCE: "RCL-045", TIMEOUT: "RCL-048", RNR: "RCL-052"}
#: Rules that demand to take an answer though something in it is unusual.
TOLERANCES = frozenset({"RCL-014/rx", "RCL-136"})


@dataclass(slots=True, eq=False)
class Packet:
    """One accepted packet; ``clock``: tx clock from which it may certainly be sent the first time."""

    index: int
    payload: bytes
    fack: bool
    age: int
    clock: int
    sends: int = 0


@dataclass(slots=True, eq=False)
class Rewind:
    """A retry event: the pass starts again at one of ``lowest`` .. the oldest open packet."""

    kind: str
    lowest: int
    start: int
    clock: int  #: tx clock by which the DUT knows of it
    not_before: int = 0  #: end (ps) of an RNR wait
    optional: bool = False  #: nothing is owed for it any more
    served: bool = False  #: and it permits nothing once the DUT must have acted on it

    @property
    def rule(self) -> str:
        """Rule that demands to send again."""
        return RULE_OF[self.kind]


@dataclass(slots=True)
class Report:
    """RECV_ACK owed for an acknowledgement with a timestamp."""

    num: tuple[int, int]
    nak: bool
    rtt: tuple[int, int] | None
    duty: Must | None


@dataclass(slots=True)
class Restart:
    """The timer started at ``begin`` (ps) at the earliest, and certainly by ``settled``."""

    begin: int
    settled: int


@dataclass(slots=True)
class State:
    """What a new initialisation starts from."""

    first: int = 0
    accepted: int = 0
    una: int = 0
    next: int = 0
    top: int = 0
    returned: int = 0
    drops: int = 0  #: packets that had to be dropped
    kept: int = 0  #: oldest packet that is remembered
    certain: int = 0  #: packets whose tokens are owed for certain
    tails: tuple[int, ...] | None = None  #: (tx_last, tx_max) as software wrote them
    #: PSNs before the starts of passes that were acknowledged before they began: tx_last may have gone there
    stepped: set[int] = field(default_factory=set)
    packets: dict[int, Packet] = field(default_factory=dict)
    rewinds: list[Rewind] = field(default_factory=list)
    restarts: deque[Restart] = field(default_factory=lambda: deque(maxlen=2))
    retries: int = 0
    rnr_retries: int = 0
    vague: bool = False  #: an acknowledgement came while its packets waited: counters may differ


class Requester:
    """What one queue pair has to send, may send and must not send."""

    def __init__(self, qp: Qp) -> None:
        self.qp = qp
        self.ctx = qp.ctx
        self.state = State()
        self.fatal = False
        self.fatal_duty: Must | None = None
        self.fatal_choice = False  # the DUT may send again or turn fatal
        self.reports: deque[Report] = deque()
        self.tmo_due: Must | None = None
        self._tokens: Must | None = None
        self._timer_armed = False
        self._timer_due = 0
        self._timer_stalled = 0
        self._passes = 0  # how often sending began again
        self._acked = 0  # tx clock by which the DUT knows of the last acknowledgement
        self._ignored: str = ""  # rule of the last acknowledgement that had to be ignored
        self.clock = 0  # tx clock since when nothing but its age keeps the next packet

    # -- numbers ----------------------------------------------------------------------------------

    def psn(self, index: int) -> int:
        """PSN of packet ``index``."""
        return (self.state.first + index) & PSN_MASK

    def index_of(self, psn: int) -> int:
        """Packet that ``psn`` means, by the half window around the oldest open one."""
        una = self.state.una
        distance = (psn - self.psn(una)) & PSN_MASK
        return una + (distance if distance < HALF else distance - PSN_MASK - 1)

    @property
    def held(self) -> int:
        """Slots that are, or may be, occupied."""
        return self.state.accepted - self.state.returned

    @property
    def idle(self) -> bool:
        """Nothing waits, nothing is unacknowledged."""
        return self.state.una == self.state.accepted

    # -- packets from the client ------------------------------------------------------------------

    def accept(self, payload: bytes, fack: bool, settled: int) -> None:
        """A packet entered a slot."""
        state, ctx = self.state, self.ctx
        ctx.arrivals += 1
        packet = Packet(state.accepted, payload, fack, ctx.arrivals, ctx.clock_at(settled))
        state.packets[packet.index] = packet
        state.accepted += 1
        self.qp.book.add(payload, self.qp, packet)
        self.schedule()

    def waiting(self) -> int | None:
        """First packet that certainly has to be sent, None if there is none or the queue pair must not."""
        state = self.state
        if self.fatal or self.fatal_choice or self.fatal_duty is not None or not self.qp.config.enabled:
            return None
        index = state.next
        for rewind in state.rewinds:
            if rewind.optional:
                continue
            if rewind.not_before > self.ctx.now:
                return None
            index = min(index, max(rewind.start, state.una))
        index = max(index, state.una)
        return index if index < state.accepted else None

    def schedule(self) -> None:
        """Tell the arbiter what this queue pair has waiting."""
        index = self.waiting()
        if index is None or not self.qp.rate_open():
            self.qp.arbiter.remove(self.qp.number)
            return
        packet = self.state.packets[index]
        clock = max(packet.clock, self.clock)
        self.qp.arbiter.place(self.qp.number, self.qp.bank, packet.age, clock)

    def missing(self) -> tuple[str, str]:
        """Rule and words of what is missing when this queue pair does not go on."""
        state = self.state
        for rewind in state.rewinds:
            if not rewind.optional:
                return rewind.rule, f"PSN {self.psn(max(rewind.start, state.una)):#x} again"
        if state.next < state.top:
            return "RCL-045", f"PSN {self.psn(state.next):#x} again"
        return "RCL-056", f"request with PSN {self.psn(state.next):#x}"

    # -- frames out -------------------------------------------------------------------------------

    def sent(self, index: int, payload_of: Packet, settled: int) -> Packet | None:
        """Judge that a request with the PSN of ``index`` leaves; returns the packet it has to be.

        ``payload_of``: packet of this queue pair the payload belongs to, as far as known.
        """
        state, rules, ctx = self.state, self.ctx.rules, self.ctx
        packet = state.packets.get(index)
        if packet is None or not self._legal(index):
            self._blame_psn(index, payload_of)
            return packet
        self._drop_stale(index)
        self._overdue(index)
        freed = index < state.una and ctx.late(self._acked) and not ctx.device.lite
        if freed and ctx.knobs["LATE_ACK"] == "FREE":
            seen, why = f"PSN {self.psn(index):#x}", "it was acknowledged while it waited"
            rules.fail("RCL-061", "no such frame", seen, why, self.qp.scope)
        fresh = index == state.top
        if index < state.next or self._rewind_at(index):
            self._take(index)
        if fresh:
            rules.met("RCL-037", "the next number", self.qp.scope)
            if self.psn(index) == 0 and index:
                rules.met("RCL-038", "numbers wrap", self.qp.scope)
            if index > state.una and not state.rewinds and self.qp.book.resending(self.qp) is not None:
                rules.met("RCL-046", "goes on while another queue pair sends again", self.qp.scope)
        else:
            rules.met(self.pass_rule, "sent again in order", self.qp.scope)
        state.next = index + 1
        state.top = max(state.top, state.next)
        state.tails = None
        state.stepped.clear()
        if index < state.una and self._tokens is not None and state.certain <= index:
            ctx.deadlines.void(self._tokens)  # the late acknowledgement was ignored: another one will come
            self._tokens = None
        if not ctx.device.lite and (index <= state.una or not state.restarts):
            self._restart(ctx.decided_since(), settled)
        packet.sends += 1
        self.schedule()
        return packet

    pass_rule = "RCL-045"

    def _rewind_at(self, index: int) -> bool:
        return any(self._reaches(rewind, index) for rewind in self.state.rewinds)

    def _reaches(self, rewind: Rewind, index: int) -> bool:
        """Return whether ``rewind`` may start the pass at ``index``."""
        return rewind.lowest <= index <= max(rewind.start, self.state.una)

    def _legal(self, index: int) -> bool:
        """Return whether the packet at ``index`` may leave now."""
        state = self.state
        if state.next <= index <= max(state.next, state.una):
            return True
        if self._rewind_at(index):
            return True
        return index == state.una and self._expired()

    def _take(self, index: int) -> None:
        """The pass starts again at ``index``; what asked for it is served."""
        state = self.state
        self._passes += 1
        served = [rewind for rewind in state.rewinds if self._reaches(rewind, index)]
        if not served:  # the timer expired and its pulse is still to come
            self.tmo_due = self.ctx.deadlines.must(
                "RCL-048",
                f"RETRY_TMO of QP {self.qp.number}",
                "a timeout is told",
                self.qp.scope,
                self.ctx.liveness(),
            )
            self.pass_rule = "RCL-048"
            if not self._count_retry():
                self._must_not_leave(index, "the retry threshold is passed")
            return
        for rewind in state.rewinds:
            if index <= max(rewind.start, state.una):
                rewind.optional = rewind.served = True
        self.pass_rule = served[0].rule
        self.fatal_choice = False
        self.qp.book.resent(self.qp)

    def _overdue(self, index: int) -> None:
        """Nothing may leave that a retry event forbids."""
        state, rules, ctx = self.state, self.ctx.rules, self.ctx
        stopped = self.fatal and ctx.late(self.clock)
        if stopped or (self.fatal_duty is not None and index < state.next and not self._rewind_at(index)):
            why = "the queue pair is fatal" if stopped else "the retry threshold is passed"
            self._must_not_leave(index, why)
            return
        for rewind in state.rewinds:
            if rewind.optional or not ctx.late(rewind.clock):
                continue
            if rewind.not_before > ctx.now:
                seen, why = f"PSN {self.psn(index):#x}", "the RNR time is not over"
                rules.fail("RCL-052", "no frame", seen, why, self.qp.scope)
                return
            start = max(rewind.start, state.una)
            if index > start:
                seen, why = f"PSN {self.psn(index):#x}", f"a {rewind.kind} came before"
                rules.fail(rewind.rule, f"PSN {self.psn(start):#x}", seen, why, self.qp.scope)
                rewind.optional = rewind.served = True

    def _must_not_leave(self, index: int, why: str) -> None:
        """The packet at ``index`` leaves though retries are exhausted."""
        self.ctx.rules.fail("RCL-050", "no frame", f"PSN {self.psn(index):#x}", why, self.qp.scope)

    def _drop_stale(self, index: int) -> None:
        """Retry events permit nothing any more once the DUT must have acted on them.

        One whose packets were acknowledged before they left may be acted on as long as none behind has left.
        """
        state = self.state
        if state.rewinds:
            late, beyond = self.ctx.late, index >= state.una
            state.rewinds = [
                entry
                for entry in state.rewinds
                if not (entry.optional and (entry.served or beyond) and late(entry.clock))
            ]

    def _blame_psn(self, index: int, payload_of: Packet) -> None:
        """Tell a number that nothing permits by what should have come."""
        state, rules, scope = self.state, self.ctx.rules, self.qp.scope
        seen = f"PSN {self.psn(index):#x}"
        open_rewind = next((entry for entry in state.rewinds if not entry.optional), None)
        if index < state.next and index in state.packets:
            other = self.qp.book.resending(self.qp)
            if other is not None and open_rewind is None:
                why = f"only QP {other} had to send again"
                rules.fail("RCL-046", f"PSN {self.psn(state.next):#x}", seen, why, scope)
                return
        if open_rewind is not None:
            start = self.psn(max(open_rewind.start, state.una))
            rules.fail(open_rewind.rule, f"PSN {start:#x}", seen, f"a {open_rewind.kind} came before", scope)
        elif state.next < state.top:
            why = "every packet behind the start is sent again, in order"
            rules.fail(self.pass_rule, f"PSN {self.psn(state.next):#x}", seen, why, scope)
        elif index < state.next and index in state.packets:
            self._blame_repeat(index, seen)
        else:
            wrapped = self.psn(state.next) < 8 and state.next > 0
            rule, why = "RCL-038" if wrapped else "RCL-037", "consecutive numbers"
            if 0 < index - state.next <= state.drops:
                rule, why = "RCL-124", "a dropped packet uses no number"
            rules.fail(rule, f"PSN {self.psn(state.next):#x}", seen, why, scope)
        if index in state.packets:
            state.next = index + 1
            state.top = max(state.top, state.next)
        elif payload_of.index == state.next:
            state.next += 1
            state.top = max(state.top, state.next)
        self.schedule()

    def _blame_repeat(self, index: int, seen: str) -> None:
        """Tell a packet that is sent again without a NAK: a timeout that is wrong, or none at all."""
        state = self.state
        if self._expired():
            rule, due, why = "RCL-048", state.una, "a timeout repeats from the oldest packet on"
        elif index == state.una and self.ctx.device.timeout_us:
            rule, due, why = "RCL-048", state.next, "the timeout of the oldest packet is not over"
        else:
            rule, due, why = "RCL-045", state.next, "nothing asked to send again"
        self.ctx.rules.fail(rule, f"PSN {self.psn(due):#x}", seen, why, self.qp.scope)

    # -- acknowledgements -------------------------------------------------------------------------

    def answered(
        self, psn: int, kind: str, code: int, echo: int | None, begin: int, settled: int, taken: str = ""
    ) -> None:
        """An ACK (``kind`` "") or NAK came: ``echo`` its timestamp, ``code`` the RNR timer code.

        ``taken``: rule by which it has to be taken, where that is a special one.
        """
        state, ctx = self.state, self.ctx
        newest = ctx.knobs["ACK_PSN_MODE"] == "LAST" and not kind
        count = (psn - self.psn(state.una) + newest) & PSN_MASK
        outstanding = state.top - state.una
        valid = count <= outstanding and bool(count or kind)
        late = state.una + count > state.next
        if echo is not None:
            rule = (taken or "RCL-054/count") if valid else ""
            self._owe_report(count if valid else 0, late or not valid, bool(kind), echo, begin, settled, rule)
        if not valid:
            self._ignored = "RCL-049"
            ctx.rules.tempt("RCL-049", ("token", self.qp.number))
            if count == 0 and not kind:
                self._settle_tokens("RCL-040")
            return
        if count:
            usual = "RCL-047" if kind else "RCL-040" if count > 1 else "RCL-041"
            self._acknowledge(count, taken or usual)
            self._restart(begin, settled)
        if kind:
            self._retry(kind, code, settled)
        self.schedule()

    def _acknowledge(self, count: int, rule: str) -> None:
        """The ``count`` oldest packets are acknowledged."""
        state = self.state
        before = state.una
        state.una += count
        self._acked = self.ctx.clock() + self.ctx.timing.settle
        if state.una > state.next:
            state.vague = True
        elif state.una == state.top:
            state.vague = False
        state.retries = state.rnr_retries = 0
        state.stepped.update(self.psn(entry.start - 1) for entry in state.rewinds if not entry.optional)
        state.rewinds = [entry for entry in state.rewinds if entry.start < state.top]
        for rewind in state.rewinds:
            if state.una >= state.top:
                rewind.optional = True
        self.fatal_choice = False
        for index in range(before, state.una):
            packet = state.packets[index]
            self.qp.book.drop(packet)
        self._settle_tokens(rule)

    def _settle_tokens(self, rule: str) -> None:
        """Tokens of what is acknowledged and does not wait are owed; of the rest, or it is sent again."""
        state, ctx = self.state, self.ctx
        waits = min([state.next, *(entry.start for entry in state.rewinds if not entry.served)])
        state.certain = max(state.certain, min(state.una, waits))
        if state.una > state.returned and (self._tokens is None or not self._tokens.open):
            self._tokens = ctx.deadlines.must(
                rule,
                f"tokens of QP {self.qp.number}",
                "acknowledged packets",
                self.qp.scope,
                ctx.liveness(),
            )
        while state.kept < state.returned - GHOSTS:
            state.packets.pop(state.kept, None)
            state.kept += 1

    @property
    def returns(self) -> bool:
        """A token may come back."""
        state = self.state
        return state.returned < (state.accepted if self.ctx.device.lite else state.una)

    def token(self) -> bool:
        """A token with the number of this queue pair came back."""
        state, rules = self.state, self.ctx.rules
        if not self.returns:
            rule = self._ignored or "RCL-041"
            rules.fail(
                rule, "no token", f"token of QP {self.qp.number}", "nothing is acknowledged", self.qp.scope
            )
            return False
        state.returned += 1
        rule = "RCL-104" if self.ctx.device.lite else "RCL-041"
        rules.met(rule, "a token for a packet that is done", self.qp.scope)
        rules.alive(("token", self.qp.number))
        self._ignored = ""
        if self._tokens is not None and state.returned == state.una:
            self.ctx.deadlines.meet(self._tokens)
            self._tokens = None
        return True

    def sent_lite(self, packet: Packet) -> None:
        """LITE: a packet is done once it has left; its token comes back."""
        state = self.state
        state.una = max(state.una, packet.index + 1)
        self.qp.book.drop(packet)
        self._settle_tokens("RCL-104")

    # -- retry ------------------------------------------------------------------------------------

    def _retry(self, kind: str, code: int, settled: int) -> None:
        state, ctx = self.state, self.ctx
        clock = ctx.clock_at(settled)
        not_before = 0
        if kind == RNR:
            state.rnr_retries += 1
            wait = rnr_wait_ps(code)
            not_before = settled + wait - int(ctx.knobs["TIMER_TOL"]["lower_us"] * US)
            limit = ctx.device.rnr_limit
            may_end = limit != NO_LIMIT and state.rnr_retries >= limit
            if may_end:
                self.fatal_choice = True
                ctx.messages.owe(RETRY_OVER, self.qp.number, ctx.now, sure=False)
            ctx.deadlines.call_at(not_before, self._resume)
        elif not self._count_retry():
            return
        if state.una < state.top:
            start = state.una
            state.rewinds.append(Rewind(kind, start, start, clock, not_before))
            self.clock = clock

    def _resume(self) -> None:
        """The RNR time is over."""
        self.clock = self.ctx.tx_held.free(self.ctx.rules.now)
        self.schedule()

    def _count_retry(self) -> bool:
        """Count a retry event; returns whether packets may be sent again."""
        state, ctx = self.state, self.ctx
        state.retries += 1
        limit = ctx.device.retry_limit
        if state.retries < limit:
            return True
        if not ctx.messages.expects(RETRY_OVER, self.qp.number):
            ctx.messages.owe(RETRY_OVER, self.qp.number, ctx.now, sure=False)
        if state.retries == limit and limit:
            self.fatal_choice = True
            self._choose()
            return True
        if self.fatal_duty is None:
            why, what = "the retry threshold is reached", f"QP {self.qp.number} fatal"
            self.fatal_duty = ctx.deadlines.must("RCL-051", what, why, self.qp.scope, ctx.liveness())
        return False

    def _choose(self) -> None:
        """At the threshold the DUT sends again or turns fatal and says so: look which it was."""
        ctx, state, retries = self.ctx, self.state, self.state.retries
        since, passes = ctx.tx_held.free(ctx.rules.now), self._passes

        def look() -> None:
            now = ctx.rules.now
            if not self.fatal_choice or self.state is not state or state.retries != retries:
                return
            if self.fatal or self._passes != passes:
                return
            opened, clock = self._free_since(now), ctx.tx_held.free(now)
            left = max(since, clock if opened is None else opened) + ctx.timing.liveness - clock
            if left > 0:
                ctx.deadlines.call_at(now + left, look)
                return
            what, why = f"QP {self.qp.number} fatal, or its packets again", "the retry threshold is reached"
            ctx.rules.fail("RCL-051", what, "nothing", why, self.qp.scope)

        if state.una < state.top:
            ctx.deadlines.call_at(ctx.rules.now + ctx.timing.liveness, look)

    def _free_since(self, now: int) -> int | None:
        """Since when (tx clock) nothing but its choice keeps the queue pair from sending again; None: no."""
        self.ctx.now = max(self.ctx.now, now)
        waits = any(rewind.not_before > now for rewind in self.state.rewinds)
        if waits or not self.qp.config.enabled or not self.qp.rate_open():
            return None
        return self.qp.gates.open_since(self.qp.bank)

    def turned_fatal(self) -> None:
        """The DUT reported that retries are exhausted."""
        state, ctx = self.state, self.ctx
        ctx.rules.in_range(
            "RCL-050",
            ctx.device.retry_limit if not state.rnr_retries else 0,
            max(ctx.device.retry_limit + 1, state.retries),
            state.retries,
            "retry events without progress",
            self.qp.scope,
        )
        self.fatal = True
        self.qp.shared.fatal.add(self.qp.number)
        self.clock = ctx.clock()
        if self.fatal_duty is not None:
            ctx.deadlines.meet(self.fatal_duty)
            self.fatal_duty = None
        else:
            ctx.rules.met("RCL-051", "the queue pair told by the message", self.qp.scope)
        if state.una < state.accepted:
            ctx.rules.tempt("RCL-050", MAC_PATH)
        self.fatal_choice = False
        state.rewinds.clear()
        self.schedule()

    # -- timer ------------------------------------------------------------------------------------

    def _restart(self, begin: int, settled: int) -> None:
        """The timer starts anew: progress, or the oldest packet left."""
        ctx, timeout = self.ctx, self.ctx.device.timeout_us
        self.state.restarts.append(Restart(begin, settled))
        if not timeout:
            return
        wait = int(timeout * US * float(ctx.knobs["TIMER_TOL"]["upper_factor"]))
        self._timer_due = settled + wait + ctx.timing.liveness
        self._timer_stalled = ctx.tx_held.total(ctx.now)
        if not self._timer_armed:
            self._timer_armed = True
            ctx.deadlines.call_at(self._timer_due, self._timer_late)

    @property
    def _running(self) -> bool:
        """A packet that was sent waits for its acknowledgement, and is not about to be sent again."""
        state = self.state
        starts = [entry.start for entry in state.rewinds if not entry.optional]
        return min([state.next, *starts]) > state.una and not self.fatal

    def _timer_late(self) -> None:
        """By now a timer that was not restarted must have expired."""
        ctx = self.ctx
        self._timer_armed = False
        if not self._running or not ctx.device.timeout_us or self.fatal_duty is not None:
            return
        now = ctx.rules.now
        due = self._timer_due + ctx.tx_held.total(now) - self._timer_stalled
        if now >= due:
            what, why = f"RETRY_TMO of QP {self.qp.number}", "nothing was acknowledged in time"
            ctx.rules.fail("RCL-048", what, "nothing", why, self.qp.scope)
            return
        self._timer_armed = True
        ctx.deadlines.call_at(due, self._timer_late)

    def _expired(self) -> bool:
        """Return whether the timer may have expired by now."""
        state, ctx = self.state, self.ctx
        timeout = ctx.device.timeout_us
        if not timeout or not state.restarts or state.top == state.una:
            return False
        newest = state.restarts[-1]
        if len(state.restarts) > 1 and ctx.now - newest.settled <= ctx.timing.reaction + ctx.timing.period:
            newest = state.restarts[0]
        lower = timeout * US - int(ctx.knobs["TIMER_TOL"]["lower_us"] * US)
        return ctx.now - newest.begin >= lower

    def timed_out(self) -> None:
        """RETRY_TMO: judge that the timer may have expired, and send again from the oldest packet."""
        state, ctx = self.state, self.ctx
        rules, scope = ctx.rules, self.qp.scope
        if ctx.device.lite:
            rules.fail("RCL-107", "no RETRY_TMO", "RETRY_TMO", "nothing is repeated in LITE mode", scope)
            return
        if self.tmo_due is not None and self.tmo_due.open:
            ctx.deadlines.meet(self.tmo_due)
            self.tmo_due = None
            self._restart(ctx.now, ctx.now)
            return
        if not self._expired():
            what = f"after {ctx.device.timeout_us} us" if ctx.device.timeout_us else "never"
            why = "the timeout of the oldest packet"
            rules.fail(self._unheard() or "RCL-048", f"RETRY_TMO {what}", "earlier", why, scope)
            return
        rules.met("RCL-048", "a timeout is told", scope)
        self._stuck()
        self._restart(ctx.now, ctx.now)
        if not self._count_retry():
            return
        if state.una < state.top:
            clock = ctx.clock_at(ctx.now + ctx.timing.settle)
            state.rewinds.append(Rewind(TIMEOUT, state.una, state.una, clock))
            self.clock = clock
        self.schedule()

    def _unheard(self) -> str:
        """Rule by which an acknowledgement has to be taken whose tokens did not come so far; or ''."""
        duty = self._tokens
        special = duty is not None and duty.open and duty.rule in TOLERANCES
        return duty.rule if duty is not None and special else ""

    def _stuck(self) -> None:
        """A pass that had room to go on has to be finished before the timer expires for it."""
        state, ctx = self.state, self.ctx
        if self.waiting() is None or state.next >= state.top or not self.qp.rate_open():
            return
        since = self.qp.gates.open_since(self.qp.bank)
        if since is None:
            return
        idle = ctx.clock() - max(since, self.clock, self.qp.book.last_frame)
        if idle > ctx.timing.reaction:
            what = f"PSN {self.psn(state.next):#x} again"
            why = "every packet behind the start is sent again, in order"
            ctx.rules.fail(self.pass_rule, what, "nothing", why, self.qp.scope)

    # -- reports ----------------------------------------------------------------------------------

    def _owe_report(
        self, count: int, vague: bool, nak: bool, echo: int, begin: int, settled: int, rule: str
    ) -> None:
        """``rule`` demands the report; '' where the acknowledgement may be ignored."""
        ctx = self.ctx
        rtt = self.qp.book.round_trip(echo, begin, settled)
        duty = None
        if rule:
            what, why = f"RECV_ACK of QP {self.qp.number}", "an acknowledgement with a timestamp"
            duty = ctx.deadlines.must(rule, what, why, self.qp.scope, ctx.liveness())
        self.reports.append(Report((0 if vague else count, count), nak, rtt, duty))

    def reported(self, rtt: int, num: int, nak: int) -> None:
        """Judge a RECV_ACK pulse."""
        rules, scope = self.ctx.rules, self.qp.scope
        while self.reports and self.reports[0].duty is None and self.reports[0].nak != bool(nak):
            self.reports.popleft()  # one that was ignored altogether
        if not self.reports:
            why = "no acknowledgement with a timestamp came"
            rules.fail("RCL-054/count", "no RECV_ACK", f"num {num}", why, scope)
            return
        report = self.reports.popleft()
        rules.eq("RCL-054/count", int(report.nak), nak, "NAK flag of RECV_ACK", scope)
        rules.in_range("RCL-054/count", *report.num, num, "packets newly acknowledged", scope)
        if report.rtt is not None:
            low, high = report.rtt
            if (rtt - low) & 0xFFFF > high - low or rtt >> 16:
                rules.fail("RCL-054/rtt", f"{low & 0xFFFF} .. {high & 0xFFFF}", rtt, "round trip time", scope)
            else:
                rules.met("RCL-054/rtt", "round trip time", scope, sure=high - low < 0xFFFF)
        self.ctx.deadlines.meet(report.duty)

    # -- software ---------------------------------------------------------------------------------

    def preset(self, first: int) -> None:
        """Software wrote the next PSN of a queue pair without packets."""
        self._forget()
        self.state = State(first=first)
        self.fatal = False
        self.qp.shared.fatal.discard(self.qp.number)

    def flush(self) -> tuple[int, list[bytes]]:
        """free_buf_set: all slots are freed.

        Returns how many tokens come back without a number, and the payloads that must not be sent any more.
        """
        state = self.state
        tokens = state.accepted - state.returned
        freed = [state.packets[index].payload for index in range(state.una, state.accepted)]
        self._forget()
        first = self.psn(state.accepted)
        self.state = State(first=first)
        self.state.tails = (self.psn_before(state, state.next), self.psn_before(state, state.top))
        self.schedule()
        return tokens, freed

    @staticmethod
    def psn_before(state: State, index: int) -> int:
        """PSN of the packet before ``index``."""
        return (state.first + index - 1) & PSN_MASK

    def _forget(self) -> None:
        for packet in self.state.packets.values():
            self.qp.book.drop(packet)
        for duty in (self._tokens, self.fatal_duty, self.tmo_due):
            self.ctx.deadlines.void(duty)
        for report in self.reports:
            self.ctx.deadlines.void(report.duty)
        self.reports.clear()
        self._tokens = self.fatal_duty = self.tmo_due = None
        self.fatal_choice = False
        self.qp.arbiter.remove(self.qp.number)


#: Packets kept behind the last token: they may have been on their way when they were acknowledged.
GHOSTS = 64
