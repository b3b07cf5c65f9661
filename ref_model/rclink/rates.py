"""Rates of all queue pairs and of TYPE2: what sets them, and the mask pulses that follow (section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.rclink.rate import Rate

if TYPE_CHECKING:
    from ref_model.rclink.qp import Qp, Shared


class Rates:
    """Mask state of the queue pairs as told by CC SET and CLR."""

    def __init__(self, shared: Shared) -> None:
        self._ctx = shared.ctx
        self._shared = shared
        self.reset()

    def reset(self) -> None:
        """All rates 0; nothing is known of TYPE2 before its rate is set."""
        self.type2 = Rate(self._ctx, self._shared.windows, None)
        self._clr: dict[int, Must] = {}  # CLR owed by queue pair
        self._cover: dict[int, Must] = {}  # bytes that explain a CLR which came before its frame
        self._opens: dict[int, Must] = {}  # SET owed
        self._set: dict[int, int] = {}  # when the rate changed last (ps)

    @property
    def _sweep(self) -> int:
        """Time (ps) a mask pulse may take: the sweep over the queue pairs, and the queue of pulses."""
        return self._shared.windows.lag

    def window_changed(self) -> None:
        """Software chose another window length."""
        shared, ctx = self._shared, self._ctx
        length = ctx.device.window_ns * 1000
        if length == shared.windows.length:
            return
        windows = shared.windows
        windows.length, windows.base, windows.low, windows.high = length, ctx.now, 0, length
        windows.known = False
        windows.generation += 1

    # -- settings ---------------------------------------------------------------------------------

    def set(self, number: int, value: int, now: int) -> None:
        """SET_CC_RATE for queue pair ``number``."""
        qp = self._shared.qp(number)
        if qp is None:
            return
        if qp.rate_locked:
            self._ctx.rules.tempt("RCL-135", ("rate", number))
            return
        self._apply(qp, value, now)

    def written(self, qp: Qp, value: int, now: int) -> None:
        """TX_SPEED_MEM was written."""
        self._apply(qp, value, now)
        self.lock(qp)

    def lock(self, qp: Qp) -> None:
        """SET_CC_RATE counts no more for a disabled queue pair at rate 0, until it is enabled again."""
        if qp.config.enabled:
            qp.rate_locked = False
        elif qp.rate.threshold == 0:
            qp.rate_locked = True

    def _apply(self, qp: Qp, value: int, now: int) -> None:
        rate, ctx = qp.rate, self._ctx
        if value == rate.threshold:
            return
        rate.change(value)
        self._set[qp.number] = now
        low, high = rate.moment(now, now)
        if low >= value:
            if rate.masked is False:
                self._owe_clr(qp, "RCL-069" if not value else "RCL-064")
        elif high < value and qp.number in self._clr:
            ctx.deadlines.void(self._clr.pop(qp.number))
        if high < value and qp.number in self._shared.masked:
            qp.arbiter.released(qp.number)
        qp.sending.clock = ctx.clock_at(now + ctx.timing.settle)
        qp.sending.schedule()

    def set_type2(self, value: int, now: int) -> None:
        """SET_TYPE2_RATE."""
        self.type2.change(value)
        self._set[-1] = now

    # -- frames -----------------------------------------------------------------------------------

    def recently_set(self, number: int, within: int) -> bool:
        """Return whether the rate changed within the last ``within`` ps: both values may have counted."""
        since = self._set.get(number)
        return since is not None and self._ctx.now - since <= within

    @property
    def _latency(self) -> int:
        """Time (ps) after a new rate within which frames may go by the old one."""
        ctx = self._ctx
        return int(ctx.knobs["CC_LATENCY_CLKS"]) * ctx.timing.period + ctx.timing.reaction

    def sent(self, qp: Qp, length: int, again: bool) -> None:
        """Judge that a request of ``length`` payload bytes leaves; ``again``: it is sent anew."""
        ctx, rate = self._ctx, qp.rate
        if again and not ctx.knobs["ACC_COUNTS_RETRY"]:
            length = 0
        low, _ = rate.moment(ctx.decided_since(), ctx.now)
        in_debt = rate.in_debt()
        if not rate.send(ctx.decided_since(), ctx.now, length) and not self.recently_set(
            qp.number, self._latency
        ):
            rule = "RCL-069" if not rate.threshold else "RCL-067" if in_debt else "RCL-064"
            if qp.rate_locked:
                rule = "RCL-135"
            seen = f"{length} bytes at {low} of {rate.threshold}"
            ctx.rules.fail(rule, "no request", seen, "the rate of the queue pair is used up", qp.scope)
        else:
            ctx.rules.met("RCL-067", "within the rate", qp.scope, sure=rate.masked is not None)
        threshold = rate.threshold
        low, high = rate.moment(ctx.now, ctx.now)
        if threshold is None or high < threshold:
            return
        if qp.number in self._cover:
            ctx.deadlines.meet(self._cover.pop(qp.number))
        elif low >= threshold and rate.masked is not True:
            self._owe_clr(qp, "RCL-066" if low == high == threshold else "RCL-064")

    def _owe_clr(self, qp: Qp, rule: str) -> None:
        if qp.number in self._clr:
            return
        ctx = self._ctx
        what = f"CC CLR of QP {qp.number}"
        deadline = ctx.now + self._sweep + ctx.timing.liveness
        self._clr[qp.number] = ctx.deadlines.must(rule, what, "its rate is used up", qp.scope, deadline)

    def type2_sent(self, length: int) -> None:
        """Judge that a TYPE2 frame with ``length`` payload bytes leaves."""
        ctx, rate = self._ctx, self.type2
        low, _ = rate.moment(ctx.decided_since(), ctx.now)
        legal = rate.send(ctx.decided_since(), ctx.now, length)
        if not legal and not self.recently_set(-1, self._latency):
            seen = f"{length} bytes at {low} of {rate.threshold}"
            ctx.rules.fail("RCL-072", "no TYPE2 frame", seen, "the TYPE2 rate is used up", ctx.mac)
        else:
            ctx.rules.met("RCL-072", "within the rate", ctx.mac, sure=bool(rate.threshold))

    def opened(self, qp: Qp) -> None:
        """The rate of ``qp`` certainly permits to send again."""
        if qp.rate.masked is True and qp.number not in self._opens:
            ctx = self._ctx
            what = f"CC SET of QP {qp.number}"
            deadline = ctx.now + self._sweep + ctx.timing.liveness
            self._opens[qp.number] = ctx.deadlines.must(
                "RCL-065", what, "its debt is paid", qp.scope, deadline
            )

    # -- pulses -----------------------------------------------------------------------------------

    def told(self, opened: int, closed: int, number: int, now: int) -> None:
        """Judge a beat of CC_TYPE1_QP_EN_SET / CLR."""
        ctx, rules = self._ctx, self._ctx.rules
        if opened and closed:
            rules.fail("RCL-071", "SET or CLR", "both", "mask pulses", ctx.mac)
            return
        qp = self._shared.qp(number)
        if qp is None:
            rules.fail("RCL-071", "a queue pair of the build", number, "mask pulses", ctx.mac)
            return
        if qp.rate.masked is bool(closed):
            word = "CLR" if closed else "SET"
            rules.fail("RCL-071", "a change", f"{word} again", "mask pulses", qp.scope)
            return
        rules.met("RCL-071", "a change of the mask", qp.scope, sure=qp.rate.masked is not None)
        qp.rate.masked = bool(closed)
        if closed:
            self._told_closed(qp, now)
        else:
            self._told_open(qp, now)

    def _told_closed(self, qp: Qp, now: int) -> None:
        ctx, rate = self._ctx, qp.rate
        if qp.number in self._opens:
            ctx.deadlines.void(self._opens.pop(qp.number))
        duty = self._clr.pop(qp.number, None)
        if duty is not None:
            ctx.deadlines.meet(duty)
        qp.sending.schedule()
        low, high = rate.moment(now - self._sweep, now)
        if rate.threshold is None or self.recently_set(qp.number, self._sweep):
            return
        if high >= rate.threshold:
            ctx.rules.met("RCL-064", "its rate is used up", qp.scope, sure=low >= rate.threshold)
            return
        if qp.sending.idle:
            seen = f"CLR at {high} of {rate.threshold}"
            ctx.rules.fail("RCL-064", "no CLR", seen, "its rate is not used up", qp.scope)
            return
        what, why = f"bytes of QP {qp.number} up to its rate", "CC CLR told that they are used up"
        deadline = now + ctx.timing.reaction + 2 * qp.frame_time
        self._cover[qp.number] = ctx.deadlines.must("RCL-064", what, why, qp.scope, deadline)

    def _told_open(self, qp: Qp, now: int) -> None:
        ctx, rate, windows = self._ctx, qp.rate, self._shared.windows
        if qp.number in self._clr:
            ctx.deadlines.void(self._clr.pop(qp.number))
        if qp.number in self._opens:
            ctx.deadlines.meet(self._opens.pop(qp.number))
        qp.arbiter.released(qp.number)
        qp.sending.schedule()
        if rate.threshold:
            ctx.rules.alive(("rate", qp.number))
        if self.recently_set(qp.number, self._sweep):
            return
        if rate.threshold and not windows.ended(now - windows.lag, now):
            what, why = f"a window of {windows.length // 1000} ns", "SET tells that a window has ended"
            ctx.rules.fail("RCL-068", what, "another phase", why, qp.scope)
            return
        ctx.rules.met("RCL-068", "windows of this length", qp.scope, sure=windows.generation > 0)
        low, _ = rate.moment(now - self._sweep, now)
        if rate.threshold is None or low < rate.threshold:
            ctx.rules.met("RCL-065", "unmasked after a window", qp.scope)
        else:
            rule = "RCL-135" if qp.rate_locked else "RCL-069" if not rate.threshold else "RCL-065"
            seen = f"SET at {low} of {rate.threshold}"
            ctx.rules.fail(rule, "masked", seen, "its rate is used up", qp.scope)
