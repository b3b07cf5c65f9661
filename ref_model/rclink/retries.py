"""Retry events of one queue pair: what they ask for, their count, and the end of it (sections 9 and 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.rclink.context import MAC_PATH
from ref_model.rclink.messages import RETRY_OVER
from ref_model.rclink.sending import RNR, Rewind
from ref_model.rocev2.rnr import rnr_wait_ps

if TYPE_CHECKING:
    from ref_model.rclink.sending import Sending

#: ps in a microsecond.
US = 1_000_000
#: Limit of RNR retries that means none.
NO_LIMIT = 15


class Retries:
    """Passes that begin again, and the thresholds."""

    def __init__(self, sending: Sending) -> None:
        self._sending = sending
        self._qp = sending.qp
        self._ctx = sending.ctx
        self._passes = 0  # how often sending began again

    def asked(self, kind: str, code: int, settled: int) -> None:
        """A NAK asks to send again; ``code``: its RNR timer code."""
        state, ctx = self._sending.state, self._ctx
        clock = ctx.clock_at(settled)
        not_before = 0
        if kind == RNR:
            state.rnr_retries += 1
            wait = rnr_wait_ps(code)
            not_before = settled + wait - int(ctx.knobs["TIMER_TOL"]["lower_us"] * US)
            limit = ctx.device.rnr_limit
            may_end = limit != NO_LIMIT and state.rnr_retries >= limit
            if may_end:
                self._sending.fatal_choice = True
                ctx.messages.owe(RETRY_OVER, self._qp.number, ctx.now, sure=False)
            ctx.deadlines.call_at(not_before, self._resume)
        elif not self.count():
            return
        self.rewind(kind, clock, not_before)

    def rewind(self, kind: str, clock: int, not_before: int = 0) -> None:
        """What is open is to be sent again; known at tx ``clock``, not before ``not_before`` (ps)."""
        state = self._sending.state
        if state.una < state.top:
            state.rewinds.append(Rewind(kind, state.una, state.una, clock, not_before))
            self._sending.clock = clock

    def _resume(self) -> None:
        """The RNR time is over."""
        self._sending.clock = self._ctx.tx_held.free(self._ctx.rules.now)
        self._sending.schedule()

    def count(self) -> bool:
        """Count a retry event; returns whether packets may be sent again."""
        state, ctx = self._sending.state, self._ctx
        state.retries += 1
        limit = ctx.device.retry_limit
        if state.retries < limit:
            return True
        if not ctx.messages.expects(RETRY_OVER, self._qp.number):
            ctx.messages.owe(RETRY_OVER, self._qp.number, ctx.now, sure=False)
        if state.retries == limit and limit:
            self._sending.fatal_choice = True
            self._choose()
            return True
        if self._sending.fatal_duty is None:
            why, what = "the retry threshold is reached", f"QP {self._qp.number} fatal"
            self._sending.fatal_duty = ctx.deadlines.must(
                "RCL-051", what, why, self._qp.scope, ctx.liveness()
            )
        return False

    def _choose(self) -> None:
        """At the threshold the DUT sends again or turns fatal and says so: look which it was."""
        ctx, state, retries = self._ctx, self._sending.state, self._sending.state.retries
        since, passes = ctx.tx_held.free(ctx.rules.now), self._passes

        def look() -> None:
            now = ctx.rules.now
            if not self._sending.fatal_choice or self._sending.state is not state or state.retries != retries:
                return
            if self._sending.fatal or self._passes != passes:
                return
            opened, clock = self._free_since(now), ctx.tx_held.free(now)
            left = max(since, clock if opened is None else opened) + ctx.timing.liveness - clock
            if left > 0:
                ctx.deadlines.call_at(now + left, look)
                return
            what, why = f"QP {self._qp.number} fatal, or its packets again", "the retry threshold is reached"
            ctx.rules.fail("RCL-051", what, "nothing", why, self._qp.scope)

        if state.una < state.top:
            ctx.deadlines.call_at(ctx.rules.now + ctx.timing.liveness, look)

    def _free_since(self, now: int) -> int | None:
        """Since when (tx clock) nothing but its choice keeps the queue pair from sending again; None: no."""
        self._ctx.now = max(self._ctx.now, now)
        waits = any(rewind.not_before > now for rewind in self._sending.state.rewinds)
        if waits or not self._qp.config.enabled or not self._qp.rate_open():
            return None
        return self._qp.gates.open_since(self._qp.bank)

    def began(self, index: int) -> bool:
        """The pass starts again at ``index``: what asked for it is served; returns whether anything did."""
        sending, state = self._sending, self._sending.state
        self._passes += 1
        served = [rewind for rewind in state.rewinds if state.reaches(rewind, index)]
        if not served:
            return False
        for rewind in state.rewinds:
            if index <= max(rewind.start, state.una):
                rewind.optional = rewind.served = True
        sending.pass_rule = served[0].rule
        sending.fatal_choice = False
        self._qp.book.resent(self._qp)
        return True

    def turned_fatal(self) -> None:
        """The DUT reported that retries are exhausted."""
        state, ctx = self._sending.state, self._ctx
        ctx.rules.in_range(
            "RCL-050",
            ctx.device.retry_limit if not state.rnr_retries else 0,
            max(ctx.device.retry_limit + 1, state.retries),
            state.retries,
            "retry events without progress",
            self._qp.scope,
        )
        self._sending.turned_fatal()
        if self._sending.fatal_duty is not None:
            ctx.deadlines.meet(self._sending.fatal_duty)
            self._sending.fatal_duty = None
        else:
            ctx.rules.met("RCL-051", "the queue pair told by the message", self._qp.scope)
        if state.una < state.accepted:
            ctx.rules.tempt("RCL-050", MAC_PATH)
        state.rewinds.clear()
        self._sending.schedule()
