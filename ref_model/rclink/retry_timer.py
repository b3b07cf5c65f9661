"""The retry timer of one queue pair: when it may, must and must not expire (sections 9 and 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.rclink.retries import US
from ref_model.rclink.sending import TIMEOUT, Restart

if TYPE_CHECKING:
    from ref_model.deadlines import Must
    from ref_model.rclink.retries import Retries
    from ref_model.rclink.sending import Sending
    from ref_model.rclink.tokens import Tokens


class RetryTimer:
    """The timer of the oldest packet that waits for its acknowledgement."""

    def __init__(self, sending: Sending, retries: Retries, tokens: Tokens) -> None:
        self._sending = sending
        self._retries = retries
        self._tokens = tokens
        self._qp = sending.qp
        self._ctx = sending.ctx
        self._pulse: Must | None = None  # RETRY_TMO is owed: the timer has shown already
        self._armed = False
        self._due = 0
        self._stalled = 0

    def restart(self, begin: int, settled: int) -> None:
        """The timer starts anew: progress, or the oldest packet left."""
        ctx, timeout = self._ctx, self._ctx.device.timeout_us
        self._sending.state.restarts.append(Restart(begin, settled))
        if not timeout:
            return
        wait = int(timeout * US * float(ctx.knobs["TIMER_TOL"]["upper_factor"]))
        self._due = settled + wait + ctx.timing.liveness
        self._stalled = ctx.tx_held.total(ctx.now)
        if not self._armed:
            self._armed = True
            ctx.deadlines.call_at(self._due, self._late)

    @property
    def _running(self) -> bool:
        """A packet that was sent waits for its acknowledgement, and is not about to be sent again."""
        state = self._sending.state
        starts = [entry.start for entry in state.rewinds if not entry.optional]
        return min([state.next, *starts]) > state.una and not self._sending.fatal

    def _late(self) -> None:
        """By now a timer that was not restarted must have expired."""
        ctx = self._ctx
        self._armed = False
        if not self._running or not ctx.device.timeout_us or self._sending.fatal_duty is not None:
            return
        now = ctx.rules.now
        due = self._due + ctx.tx_held.total(now) - self._stalled
        if now >= due:
            what, why = f"RETRY_TMO of QP {self._qp.number}", "nothing was acknowledged in time"
            ctx.rules.fail("RCL-048", what, "nothing", why, self._qp.scope)
            return
        self._armed = True
        ctx.deadlines.call_at(due, self._late)

    def expired(self) -> bool:
        """Return whether the timer may have expired by now."""
        state, ctx = self._sending.state, self._ctx
        timeout = ctx.device.timeout_us
        if not timeout or not state.restarts or state.top == state.una:
            return False
        newest = state.restarts[-1]
        if len(state.restarts) > 1 and ctx.now - newest.settled <= ctx.timing.reaction + ctx.timing.period:
            newest = state.restarts[0]
        lower = timeout * US - int(ctx.knobs["TIMER_TOL"]["lower_us"] * US)
        return ctx.now - newest.begin >= lower

    def owe_pulse(self) -> None:
        """Packets are sent again for a timeout that is still to be told."""
        ctx, qp = self._ctx, self._qp
        what = f"RETRY_TMO of QP {qp.number}"
        self._pulse = ctx.deadlines.must("RCL-048", what, "a timeout is told", qp.scope, ctx.liveness())
        self._sending.pass_rule = "RCL-048"

    def timed_out(self) -> None:
        """RETRY_TMO: judge that the timer may have expired, and send again from the oldest packet."""
        ctx = self._ctx
        rules, scope = ctx.rules, self._qp.scope
        if ctx.device.lite:
            rules.fail("RCL-107", "no RETRY_TMO", "RETRY_TMO", "nothing is repeated in LITE mode", scope)
            return
        if self._pulse is not None and self._pulse.open:
            ctx.deadlines.meet(self._pulse)
            self._pulse = None
            self.restart(ctx.now, ctx.now)
            return
        if not self.expired():
            what = f"after {ctx.device.timeout_us} us" if ctx.device.timeout_us else "never"
            why = "the timeout of the oldest packet"
            rules.fail(self._tokens.unheard() or "RCL-048", f"RETRY_TMO {what}", "earlier", why, scope)
            return
        rules.met("RCL-048", "a timeout is told", scope)
        self._stuck()
        self.restart(ctx.now, ctx.now)
        if not self._retries.count():
            return
        self._retries.rewind(TIMEOUT, ctx.clock_at(ctx.now + ctx.timing.settle))
        self._sending.schedule()

    def _stuck(self) -> None:
        """A pass that had room to go on has to be finished before the timer expires for it."""
        state, ctx = self._sending.state, self._ctx
        if self._sending.waiting() is None or state.next >= state.top or not self._qp.rate_open():
            return
        since = self._qp.gates.open_since(self._qp.bank)
        if since is None:
            return
        idle = ctx.clock() - max(since, self._sending.clock, self._qp.book.last_frame)
        if idle > ctx.timing.reaction:
            what = f"PSN {state.psn(state.next):#x} again"
            why = "every packet behind the start is sent again, in order"
            ctx.rules.fail(self._sending.pass_rule, what, "nothing", why, self._qp.scope)

    def forget(self) -> None:
        """The packets are numbered anew: no pulse is owed."""
        self._ctx.deadlines.void(self._pulse)
        self._pulse = None
