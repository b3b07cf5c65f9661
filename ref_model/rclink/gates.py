"""Whether a flow may send: credits, software status, pause; and that a flow which may send does send.

For each flow the reasons that keep it closed are known by the rule that demands them, each with the moment
(tx clock) from which a frame must have respected it. A reason that a frame itself brought about (its credits
are gone) binds the very next frame, because frames of a flow leave in the order of their grants.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.rclink.config import BANKS, FLOWS, Flow
from ref_model.rclink.context import MAC_PATH
from ref_model.rclink.credits import Channel, Multicast

if TYPE_CHECKING:
    from ref_model.rclink.context import Context

AT_ONCE = -1
CREDIT_RULES = frozenset({"RCL-078", "RCL-079", "RCL-081", "RCL-084"})
_DFX_BITS = 16
#: Returns remembered per channel.
_RETURNS = 256


class Gates:
    """Openness of the seven flows."""

    def __init__(self, ctx: Context, blame: Callable[[Flow], tuple[str, str]]) -> None:
        """``blame(flow)``: rule and words of what is missing when a flow does not go on."""
        self._ctx = ctx
        self._blame = blame
        self._minimum = int(ctx.knobs["CBFC_MIN_LEN"])
        self._cells = int(ctx.knobs["TYPE2_CRD_RST_NUM"])
        self.reset()

    def reset(self) -> None:
        """After reset: nothing loaded, nothing paused, nothing waits."""
        self.channels = [Channel() for _ in range(8)]
        self.multicast = Multicast(self._cells)
        self.paused = 0  #: RX_PFC_REQ_I
        self._reasons: dict[Flow, dict[str, int]] = {flow: {} for flow in FLOWS}
        self._open: dict[Flow, int | None] = dict.fromkeys(FLOWS, 0)
        self._backlog: set[Flow] = set()
        self._duty: dict[Flow, Must] = {}
        self._last_reason: dict[Flow, str] = {}
        self._released: set[Flow] = set()  # by software status, while credit was missing
        self._free_cells = 0  # TYPE2 frames sent without multicast credit
        self._returns = [deque[int](maxlen=_RETURNS) for _ in range(8)]  # when (ps) credits came back
        self._wiped = False
        self._cells_kept = False  # over a CBFC reset, and not made whole since
        self.dfx = 0

    # -- openness ---------------------------------------------------------------------------------

    def changed(self, settled: int, flows: Sequence[Flow] = FLOWS, at_once: bool = False) -> None:
        """Something that opens or closes ``flows`` happened, effective at ``settled`` (ps) at the latest."""
        clock = self._ctx.clock_at(settled)
        for flow in flows:
            known = self._reasons[flow]
            reasons = self._closed_by(flow)
            if "RCL-080" in known and "RCL-080" not in reasons and CREDIT_RULES.intersection(reasons):
                self._released.add(flow)
                reasons = self._closed_by(flow)
            elif not reasons:
                self._released.discard(flow)
            if not reasons and not known:
                continue
            since = AT_ONCE if at_once else clock
            poor = min((known[rule] for rule in CREDIT_RULES.intersection(known)), default=since)
            self._reasons[flow] = {
                rule: known.get(rule, poor if rule in CREDIT_RULES else since) for rule in reasons
            }
            if flow is Flow.ACK:
                held = self._ctx.answers_held
                held.begin("flow", self._ctx.now) if reasons else held.end("flow", settled)
            if reasons:
                self._open[flow] = None
                if flow in self._backlog:
                    self._last_reason[flow] = next(iter(reasons))
            elif known:
                self._open[flow] = clock
            self._expect(flow)

    def _closed_by(self, flow: Flow) -> list[str]:
        device = self._ctx.device
        vc = device.vcs[flow]
        reasons = []
        if device.pause_in[flow] and self.paused >> vc & 1:
            reasons.append("RCL-091")
        limited = flow is Flow.TYPE2 and device.multicast_credit
        if limited and self._lacks_cells():
            both = device.credit_check[flow] and not device.credit_stop
            reasons.append("RCL-085" if both else "RCL-086")
        if device.credit_stop:
            return reasons
        if not device.vc_status >> vc & 1:
            reasons.append("RCL-080")
        if device.credit_check[flow]:
            channel = self.channels[vc]
            if not channel.loaded:
                reasons.append("RCL-084")
            else:
                most = channel.need(device.largest[flow])
                dynamic = device.dynamic and flow in BANKS
                if channel.credit < (most if dynamic else device.credit_limits[flow] * most):
                    tempting = device.dynamic and (dynamic or channel.credit >= most)
                    rule = "RCL-079" if tempting else "RCL-078"
                    reasons.append("RCL-081" if flow in self._released else rule)
        return reasons

    def _opened_by(self, flow: Flow) -> str:
        """Rule without which an open flow would have to wait for credit or a software bit; '' if none."""
        device = self._ctx.device
        vc = device.vcs[flow]
        channel = self.channels[vc]
        if flow is Flow.TYPE2 and not device.multicast_credit and self._lacks_cells():
            return "RCL-087"
        if flow is Flow.TYPE2 and device.multicast_credit and self._cells_kept:
            return "RCL-084"
        if not any(other.loaded for other in self.channels):
            return ""  # nothing speaks of credit at all
        if device.credit_stop:
            return "RCL-082" if self._poor(flow) or not device.vc_status >> vc & 1 else ""
        if not device.credit_check[flow]:
            return "RCL-134" if self._poor(flow) else ""
        limit = device.credit_limits[flow] * channel.need(device.largest[flow])
        return "RCL-079" if device.dynamic and flow in BANKS and channel.credit < limit else ""

    def _poor(self, flow: Flow) -> bool:
        """Return whether a largest frame of ``flow`` has no credit."""
        channel = self.channels[self._ctx.device.vcs[flow]]
        return not channel.loaded or channel.credit < channel.need(self._ctx.device.largest[flow])

    def _lacks_cells(self) -> bool:
        """Return whether a largest TYPE2 frame has no multicast credit."""
        return self.multicast.credit < self.multicast.need(self._ctx.device.largest[Flow.TYPE2])

    def open_since(self, flow: Flow) -> int | None:
        """Return since when (tx clock) ``flow`` may certainly send; None: it may not, or perhaps not."""
        return self._open[flow]

    def left(self, flow: Flow, length: int) -> None:
        """Judge that a frame of ``length`` bytes of ``flow`` leaves now."""
        ctx, rules = self._ctx, self._ctx.rules
        device = ctx.device
        for rule, clock in self._reasons[flow].items():
            if clock == AT_ONCE or ctx.late(clock):
                why = "the flow is closed"
                rules.fail(rule, f"no frame of {flow.name}", f"{length} bytes", why, ctx.mac)
                break
        channel = self.channels[device.vcs[flow]]
        if not device.credit_stop and device.credit_check[flow]:
            channel.consume(max(length, self._minimum))
            channel.coincided = channel.coincided or self._coincides(device.vcs[flow])
        if flow is Flow.TYPE2 and device.multicast_credit:
            self.multicast.credit -= self.multicast.need(length)
        self._evidence(flow)
        if flow in BANKS:  # the next packet is owed by what holds from here on
            ctx.deadlines.void(self._duty.pop(flow, None))
        else:
            self.served(flow)
        self.changed(ctx.now, [flow], at_once=True)
        self._expect(flow)

    def served(self, flow: Flow) -> None:
        """A frame of ``flow`` is here, the one that was owed (of a bank: before the next is looked for)."""
        self._last_reason.pop(flow, None)
        self._ctx.deadlines.meet(self._duty.pop(flow, None))

    def _evidence(self, flow: Flow) -> None:
        """What a legal frame of ``flow`` proves about checks that must not be made."""
        ctx, device = self._ctx, self._ctx.device
        if self._reasons[flow]:
            return
        poor = self._poor(flow)
        if device.credit_stop:
            ctx.rules.met("RCL-082", "no check while CBFC is stopped", ctx.mac, sure=poor)
        elif not device.credit_check[flow]:
            ctx.rules.met("RCL-134", "no check of this flow", ctx.mac, sure=poor)
        if flow is Flow.TYPE2 and not device.multicast_credit:
            self._free_cells += 1
            sure = self._lacks_cells() or self._free_cells > self._cells
            ctx.rules.met("RCL-087", "no multicast credit needed", ctx.mac, sure=sure)
        if self._starved(flow):
            ctx.rules.met("RCL-083", "another flow lacks credit", ctx.mac)

    def _starved(self, flow: Flow) -> bool:
        """Return whether another flow that has frames waiting lacks credit."""
        return any(
            other is not flow and CREDIT_RULES.intersection(self._reasons[other]) for other in self._backlog
        )

    # -- progress ---------------------------------------------------------------------------------

    def backlog(self, flow: Flow, waiting: bool) -> None:
        """Frames of ``flow`` wait with nothing else in their way, or no longer."""
        (self._backlog.add if waiting else self._backlog.discard)(flow)
        self._expect(flow)

    def _expect(self, flow: Flow) -> None:
        """A flow that may send and has something to send owes a frame."""
        ctx = self._ctx
        owes = flow in self._backlog and self._open[flow] is not None
        duty = self._duty.get(flow)
        if owes and duty is None:
            rule, what = self._blame(flow)
            if self._starved(flow):
                rule = "RCL-083"
            rule = self._opened_by(flow) or self._last_reason.get(flow, rule)
            why = "what may be sent is sent"
            self._duty[flow] = ctx.deadlines.must(rule, what, why, ctx.mac, ctx.liveness())
        elif not owes and duty is not None:
            ctx.deadlines.void(self._duty.pop(flow))
        if flow in self._backlog and self._open[flow] is None:
            self.tempt(flow)

    def tempt(self, flow: Flow) -> None:
        """Something waits to be sent: what keeps ``flow`` closed is tried."""
        for rule in self._reasons[flow]:
            self._ctx.rules.tempt(rule, MAC_PATH)

    def _coincides(self, vc: int) -> bool:
        """Return whether credits came back in each clock a frame that begins now may be granted in."""
        ctx = self._ctx
        first = ctx.decided_since()
        clocks = (ctx.now - first) // ctx.timing.period
        return 0 < clocks <= sum(first <= time <= ctx.now for time in self._returns[vc])

    def again(self) -> None:
        """What is missing when a flow does not go on is another thing from here on."""
        for flow in BANKS:
            self._ctx.deadlines.void(self._duty.pop(flow, None))
            self._expect(flow)

    # -- inputs -----------------------------------------------------------------------------------

    def load(self, bits: int, size: int, limit: int, ovhd: int, now: int) -> None:
        """CBFC configuration of the channels in ``bits``."""
        for vc, channel in enumerate(self.channels):
            if bits >> vc & 1:
                channel.load(size, limit, ovhd)
        self.changed(now + self._ctx.timing.settle)

    def give(self, bits: int, num: int, now: int) -> None:
        """Credits come back to the channels in ``bits`` (one-hot from a correct MAC)."""
        flows = []
        for vc, channel in enumerate(self.channels):
            if bits >> vc & 1:
                channel.give(num)
                self._returns[vc].append(now)
                flows += [flow for flow in FLOWS if self._ctx.device.vcs[flow] == vc]
        self.changed(now + self._ctx.timing.settle, flows)

    def wipe(self, now: int) -> None:
        """MAC2TX_CBFC_RESET_I: all channels unloaded; multicast credit stays."""
        for channel in self.channels:
            channel.clear()
        self._wiped = self._cells_kept = True
        self.changed(now + self._ctx.timing.settle)

    def give_cells(self, num: int, now: int) -> None:
        """Multicast credit comes back."""
        self.multicast.credit = min(self.multicast.credit + num, self.multicast.top)
        self.changed(now + self._ctx.timing.settle, [Flow.TYPE2])

    def refill_cells(self, now: int) -> None:
        """Multicast credit is whole again."""
        self.multicast.credit = self.multicast.top
        self._cells_kept = False
        self.changed(now + self._ctx.timing.settle, [Flow.TYPE2])

    def pause(self, level: int, now: int) -> None:
        """New value of RX_PFC_REQ_I."""
        self.paused = level
        self.changed(now + self._ctx.timing.settle)

    # -- DFX --------------------------------------------------------------------------------------

    def quiet(self) -> None:
        """Compare DFX_CBFC_CF_O: nothing moves any more."""
        device, rules = self._ctx.device, self._ctx.rules
        for flow in FLOWS:
            channel = self.channels[device.vcs[flow]]
            if not channel.loaded and not self._wiped:
                continue
            seen = self.dfx >> _DFX_BITS * flow & 0xFFFF
            rule = self._dfx_rule(flow, channel, seen - channel.shown())
            good = rules.eq(rule, channel.shown(), seen, f"credits of {flow.name} at rest", self._ctx.mac)
            if good:
                used = [
                    (channel.consumed > 0, "RCL-075"),
                    (channel.returned > 0, "RCL-076"),
                    (channel.coincided, "RCL-077"),
                ]
                rules.passed([rule for happened, rule in used if happened], self._ctx.mac)
            elif channel.loaded:
                channel.credit = seen
        for channel in self.channels:
            channel.compared()

    def _dfx_rule(self, flow: Flow, channel: Channel, difference: int) -> str:
        """Which rule a wrong counter breaks: by what happened to it since it was right."""
        device = self._ctx.device
        if not channel.loaded:
            return "RCL-084"
        if device.credit_stop:
            return "RCL-082"
        if not device.credit_check[flow]:
            return "RCL-134"
        if channel.coincided:
            return "RCL-077"
        others = sum(other.returned for other in self.channels if other is not channel)
        if 0 < difference <= others and not channel.returned:
            return "RCL-076"
        if difference < 0 and channel.returned:
            return "RCL-076"
        if channel.consumed:
            return "RCL-075"
        return "RCL-076" if channel.returned else "RCL-074"
