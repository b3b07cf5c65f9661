"""Fill levels of the receive buffers and the pause requests that follow from them (section 11.7, 14.4).

A level is known within bounds: a packet occupies its buffer from its arrival until it has left on RX_M, and
an entry or two of it may be in a stage that does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.rclink.config import BANKS, CLIENT_BEAT, FLOWS, Flow

if TYPE_CHECKING:
    from ref_model.rclink.context import Context

#: Entries that may lie outside of what is compared with the marks.
STAGE = 8
#: Reaction times within which a pause request has to follow: no back-pressure of the bench delays it.
PAUSE_REACTIONS = 4


class Buffers:
    """Occupancy by flow, and TX_PFC_REQ_O."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._entry = CLIENT_BEAT
        self.reset()

    def reset(self) -> None:
        """Empty, nothing requested."""
        self._entries: dict[Flow, int] = dict.fromkeys(FLOWS, 0)
        self._packets: dict[Flow, int] = dict.fromkeys(FLOWS, 0)
        self._last_change: dict[Flow, int] = dict.fromkeys(FLOWS, 0)
        self.stop = 0  #: TYPE1_FLOW_STOP_I
        self.type2_stop = 0
        self.stop_changed = 0
        self._stopped_before: set[Flow] = set()  # stopped within a reaction time before the last change
        self.level = 0
        self._congested: dict[Flow, bool | None] = dict.fromkeys(FLOWS, False)
        self._duties: dict[tuple[int, int], Must] = {}

    def entries(self, flow: Flow) -> int:
        """Entries of ``flow`` in its buffer."""
        return self._entries[flow]

    def last_change(self, flow: Flow) -> int:
        """When (ps) a packet last entered or left the buffer of ``flow``."""
        return self._last_change[flow]

    def enter(self, flow: Flow, length: int) -> None:
        """A packet of ``length`` payload bytes arrived."""
        self._entries[flow] += -(-length // self._entry)
        self._packets[flow] += 1
        self._moved(flow)

    def leave(self, flow: Flow, length: int) -> None:
        """It has left for the client."""
        self._entries[flow] -= -(-length // self._entry)
        self._packets[flow] -= 1
        self._moved(flow)

    def _moved(self, flow: Flow) -> None:
        self._last_change[flow] = self._ctx.now
        if self._ctx.device.pause_out[flow]:
            self.judge()
        else:
            self._congested[flow] = None  # nobody follows it

    def stopped(self, flow: Flow) -> bool:
        """Return whether the client stops ``flow``."""
        if flow is Flow.TYPE2:
            return bool(self.type2_stop)
        return flow in BANKS and bool(self.stop & self._ctx.device.flow_stop & 1 << flow)

    def stop_is(self, flow: Flow) -> bool | None:
        """Return whether ``flow`` is stopped now; None: it changed a moment ago."""
        ctx = self._ctx
        if ctx.now <= self.stop_changed:
            return None if ctx.device.flow_stop >> flow & 1 else False
        return self.stopped(flow)

    def client_stop(self, stop: int | None, type2: int | None, now: int) -> None:
        """New value of a stop level of the client."""
        recent = self._stopped_before if self._stop_is_recent() else set()
        self._stopped_before = recent | {flow for flow in FLOWS if self.stopped(flow)}
        if stop is not None:
            self.stop = stop
        if type2 is not None:
            self.type2_stop = type2
        self.stop_changed = now + self._ctx.timing.settle
        self.judge()

    def _stop_is_recent(self) -> bool:
        """Return whether a pause request of now may follow from what held before the last change."""
        return self._ctx.now <= self.stop_changed + self._ctx.timing.reaction

    # -- pause requests ---------------------------------------------------------------------------

    def _wanted(self, flow: Flow) -> bool | None:
        """Return whether ``flow`` asks for pause: yes, no, perhaps."""
        device = self._ctx.device
        if not device.pause_out[flow]:
            return False
        congested = self._is_congested(flow)
        return True if self.stopped(flow) else congested

    def _is_congested(self, flow: Flow) -> bool | None:
        """Return whether the fill level demands pause: yes, no, perhaps."""
        device = self._ctx.device
        xon, xoff = device.marks[flow]
        if flow in (Flow.ACK, Flow.TYPE3) or xon >= xoff:
            return None  # marks that contradict each other say nothing
        sharing = BANKS if flow in BANKS and not self._ctx.knobs["RXBUF_PER_BANK"] else (flow,)
        entries = sum(self._entries[other] for other in sharing)
        high = entries + sum(self._packets[other] for other in sharing)
        low = entries - STAGE
        if low >= xoff and xoff:
            self._congested[flow] = True
        elif high <= xon:
            self._congested[flow] = None if self._congested[flow] else False
            if self._packets[flow] == 0:
                self._congested[flow] = False
        elif self._congested[flow] is True and low > xon:
            pass  # on its way down, not at the lower mark yet
        elif self._congested[flow] is True or high >= xoff:
            self._congested[flow] = None
        return self._congested[flow]

    def judge(self) -> None:
        """Owe the level each priority has to have."""
        ctx = self._ctx
        device = ctx.device
        for priority in range(8):
            flows = [flow for flow in FLOWS if device.vcs[flow] == priority]
            wanted = [self._wanted(flow) for flow in flows]
            shown = self.level >> priority & 1
            for value in (0, 1):
                certain = any(want is True for want in wanted) if value else all(w is False for w in wanted)
                if value and shown and certain and not any(self.stopped(flow) for flow in flows):
                    ctx.rules.met("RCL-089", "a full buffer asks for pause", ctx.client)
                key = (priority, value)
                duty = self._duties.get(key)
                if certain and shown != value and duty is None:
                    stop = any(self.stopped(flow) for flow in flows)
                    rule = "RCL-090" if stop or not any(device.pause_out[f] for f in flows) else "RCL-089"
                    if not value and not any(device.pause_out[flow] for flow in flows):
                        rule = "RCL-092"
                    what = f"TX_PFC_REQ_O[{priority}] = {value}"
                    self._duties[key] = ctx.deadlines.must(
                        rule,
                        what,
                        "fill level and stop",
                        ctx.client,
                        ctx.now + PAUSE_REACTIONS * ctx.timing.reaction,
                        excusable=False,
                    )
                elif duty is not None and (not certain or shown == value):
                    (ctx.deadlines.meet if shown == value else ctx.deadlines.void)(duty)
                    del self._duties[key]

    def _asks(self, flow: Flow) -> bool:
        """Return whether ``flow`` may ask for pause, now or by the stop before."""
        before = self._stop_is_recent() and flow in self._stopped_before
        return before or self._wanted(flow) is not False

    def shown(self, level: int) -> None:
        """Judge a new value of TX_PFC_REQ_O."""
        ctx = self._ctx
        device = ctx.device
        risen = level & ~self.level
        self.level = level
        for priority in range(8):
            if not risen >> priority & 1:
                continue
            flows = [flow for flow in FLOWS if device.vcs[flow] == priority]
            recent = not ctx.late(ctx.former_until) or any(
                ctx.now - self._last_change[flow] <= ctx.timing.reaction for flow in flows
            )
            enabled = [flow for flow in flows if device.pause_out[flow]]
            if not enabled and ctx.late(ctx.former_until):
                what = f"TX_PFC_REQ_O[{priority}] = 0"
                ctx.rules.fail("RCL-092", what, "1", "no flow of it may ask", ctx.client)
            elif not recent and not any(self._asks(flow) for flow in enabled):
                what = f"TX_PFC_REQ_O[{priority}] = 0"
                stop = any(flow in BANKS and self.stop >> flow & 1 for flow in flows)
                why = "a stop of a bank without enable" if stop else "no flow of it asks"
                ctx.rules.fail("RCL-090" if stop else "RCL-089", what, "1", why, ctx.client)
            else:
                ctx.rules.met("RCL-092", "an enabled flow asks for pause", ctx.client)
        self.judge()
