"""Frames that are not RoCE, passed between MAC and host in both directions (ERN-207, ERN-208, ERN-210)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.deadlines import Must
from ref_model.ernic.context import Context
from ref_model.ernic.pause import Class, FlowControl
from ref_model.events import FrameIn, FrameOut
from ref_model.rules import Scope

#: Reaction times without any output after which frames that may be lost are no longer waited for.
PATIENCE = 4


@dataclass(frozen=True, slots=True)
class _Inbound:
    """A frame for the host. ``since``: its end (ps); ``full``: the host held others up, it may be lost whole.

    ``unasked``: if it is lost, a pause request should have come first.
    """

    data: bytes
    since: int
    full: bool
    unasked: bool


class PassThrough:
    """Judges the two non-RoCE directions."""

    def __init__(self, ctx: Context, flow: FlowControl, scope: Scope) -> None:
        """``scope`` is that of the frame streams."""
        self._ctx = ctx
        self._flow = flow
        self._scope = scope
        flow.waiting = lambda: bool(self._inbound)
        #: Host frames that have to leave through the MAC, oldest first.
        self.host: deque[bytes] = deque()
        self.reset()

    def reset(self) -> None:
        """The DUT was reset: frames under way are gone."""
        self.host.clear()
        self._inbound: deque[_Inbound] = deque()
        self._leaving: tuple[int, int] = (0, 0)  # begin and end of the last frame to the host
        self._duty: Must | None = None
        self._roce_left = False

    # -- to the host --------------------------------------------------------------------------------

    def from_mac(self, event: FrameIn, enabled: bool) -> None:
        """A frame came in from the MAC; ``enabled``: XRNICCONF[0] (what 0 means for it is open)."""
        self._flow.arrived(Class.OTHER, event.settled, len(event.data))
        full = not enabled or self._held_up(event.settled)
        self._inbound.append(
            _Inbound(event.data, event.settled, full, enabled and self._flow.lossless(Class.OTHER))
        )

    def _held_up(self, now: int) -> bool:
        """Return whether the host kept frames waiting at ``now``: only then may one be lost."""
        patience = self._ctx.timing.pipe_out
        begin, end = self._leaving
        stalled = begin + patience < now <= end
        return stalled or (bool(self._inbound) and self._inbound[0].since + patience < now)

    def to_host(self, event: FrameOut, enabled: bool) -> None:
        """A frame came out towards the host."""
        rules, scope = self._ctx.rules, self._scope
        self._leaving = (event.begin, event.settled)
        self._flow.passed_on(event.begin, event.settled, len(event.data))
        self._skip_lost(event.data)
        expected = self._inbound.popleft().data if self._inbound else b""
        rules.eq("ERN-207", expected, event.data, "non-RoCE frame passed on unchanged", scope)
        if not enabled:
            rules.observe("ERN-210")

    def _skip_lost(self, data: bytes) -> None:
        """Give up the frames before the one that came out, if all of them may be lost."""
        before = []
        for frame in self._inbound:
            if frame.data == data:
                break
            before.append(frame)
        else:
            return
        if all(frame.full for frame in before):
            for frame in before:
                self._inbound.popleft()
                self._give_up(frame)

    def _give_up(self, frame: _Inbound) -> None:
        if frame.unasked:
            self._flow.lost(Class.OTHER)

    # -- to the MAC ---------------------------------------------------------------------------------

    def from_host(self, event: FrameIn) -> None:
        """The DUT took a frame of the host."""
        self.host.append(event.data)
        self._owe()

    def _owe(self) -> None:
        if self.host and (self._duty is None or not self._duty.open):
            self._roce_left = False
            self._duty = self._ctx.deadlines.must(
                "ERN-210", "a host frame leaves", "the DUT took it", self._scope, self._ctx.liveness()
            )

    def sent(self) -> None:
        """The oldest host frame left; evidence of a shared output only if RoCE frames left meanwhile."""
        self.host.popleft()
        (self._ctx.deadlines.meet if self._roce_left else self._ctx.deadlines.void)(self._duty)
        self._owe()

    def roce_sent(self) -> None:
        """A RoCE frame left the MAC output."""
        self._roce_left = True

    # -- end ----------------------------------------------------------------------------------------

    def busy(self) -> str:
        """Return what is still under way, or an empty string."""
        idle = self._ctx.now - PATIENCE * self._ctx.timing.reaction
        lost = self._leaving[1] < idle and all(frame.full and frame.since < idle for frame in self._inbound)
        return "" if not self.host and (lost or not self._inbound) else "frames to pass through"

    def finish(self) -> None:
        """End of test: what has not come out is missing, or was lost as it may be."""
        rules = self._ctx.rules
        if self.host:
            missing = f"{len(self.host)} missing"
            rules.fail("ERN-208", "all host frames sent", missing, "end of test", self._scope)
        for frame in self._inbound:
            if not frame.full:
                missing = f"{len(self._inbound)} missing"
                rules.fail("ERN-207", "all frames passed on", missing, "end of test", self._scope)
                return
            self._give_up(frame)
