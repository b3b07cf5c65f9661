"""Acknowledgements that the responder of one QP owes: when each is due, and what it covers (section 12)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.deadlines import Must
from ref_model.ernic.context import Context
from ref_model.rocev2.psn import psn_diff
from ref_model.rules import Scope

#: Values of the ACK mode.
ACK_ON_REQUEST_OR_TIMEOUT, ACK_ON_TIMEOUT, ACK_ON_REQUEST = 0, 1, 2

#: Rules of ACKs that come by the timeout alone.
BY_TIMEOUT = ("ERN-120/rest", "ERN-121")

#: Duplicates whose ACK may still be on its way.
REPEATS = 1024


@dataclass(slots=True)
class Waiting:
    """An accepted request that asks for an acknowledgement."""

    psn: int
    duty: Must | None
    since: int = 0  # begin (ps) of the request, where its ACK has to wait for the timeout


class Acknowledgements:
    """Requests that wait for their ACK, and how far ACKs have come."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """Nothing waits."""
        self._ctx = ctx
        self._scope = scope
        self.begin()

    def begin(self) -> None:
        """Start anew: nothing waits, nothing was acknowledged."""
        self.waiting: deque[Waiting] = deque()
        self.repeats: deque[int] = deque(maxlen=REPEATS)
        self.sent_to: int | None = None  # PSN of the latest
        self._last_repeat = -(1 << 62)  # when (ps) the last duplicate came

    # -- what is owed -----------------------------------------------------------------------------

    @property
    def owed(self) -> bool:
        """Whether one is owed now."""
        return any(entry.duty is not None and entry.duty.open for entry in self.waiting)

    def owe(self, psn: int, rule: str, expected: str, why: str, knob: str | None = None) -> None:
        """The request with ``psn`` has to be acknowledged."""
        deadline = self._ctx.liveness()
        duty = self._ctx.deadlines.must(rule, expected, why, self._scope, deadline, knob)
        self.waiting.append(Waiting(psn, duty))

    def owe_by_timeout(self, psn: int, rule: str) -> None:
        """The request with ``psn`` is acknowledged after the ACK timeout, which may be unknown."""
        timeout = self._ctx.knobs["ACK_TIMEOUT"]
        if not isinstance(timeout, int):
            self._ctx.rules.observe(rule)
            return
        deadline = self._ctx.liveness() + timeout * self._ctx.timing.period
        duty = self._ctx.deadlines.must(rule, f"ACK of PSN {psn:#x}", "accepted", self._scope, deadline)
        self.waiting.append(Waiting(psn, duty, self._ctx.now))

    def permit(self, psn: int) -> None:
        """The request with ``psn`` may be acknowledged."""
        self.waiting.append(Waiting(psn, None))

    def repeated(self, psn: int, last: int | None) -> None:
        """A duplicate with ``psn`` came: it, or the ``last`` SEND or WRITE packet, may be acknowledged."""
        self.repeats.append(psn)
        self._last_repeat = self._ctx.now
        if last is not None:
            self.repeats.append(last)

    def no_longer_owed(self, before: int | None = None) -> None:
        """ACKs of what came (``before`` a PSN) are still allowed, but nothing demands them any more."""
        for entry in self.waiting:
            if before is None or psn_diff(entry.psn, before) < 0:
                self._ctx.deadlines.void(entry.duty)

    def stopped(self) -> None:
        """The QP is fatal, disabled or under recovery: its ACK timer need not go on."""
        for entry in self.waiting:
            if entry.duty is not None and entry.duty.rule in BY_TIMEOUT:
                self._ctx.deadlines.void(entry.duty)

    # -- what was sent ----------------------------------------------------------------------------

    def asked_for(self, psn: int) -> bool:
        """Return whether any request up to ``psn`` waits."""
        return any(psn_diff(entry.psn, psn) <= 0 for entry in self.waiting)

    def not_before_timeout(self, psn: int) -> None:
        """The timer of the ACK runs from the oldest request without one, at the earliest.

        A duplicate may have started it, too: then nothing is decided.
        """
        timeout = self._ctx.knobs["ACK_TIMEOUT"]
        if not isinstance(timeout, int) or not self.waiting or psn_diff(self.waiting[0].psn, psn) > 0:
            return
        length, since = timeout * self._ctx.timing.period, self.waiting[0].since
        if self._last_repeat > since - length - self._ctx.timing.reaction:
            return
        earliest = since + length
        why = f"ACK on timeout alone, not before {earliest / 1000:.1f} ns"
        self._ctx.rules.eq("ERN-121", True, self._ctx.now >= earliest, why, self._scope)

    def advance(self, psn: int) -> None:
        """An ACK with ``psn`` left."""
        if self.sent_to is None or psn_diff(psn, self.sent_to) > 0:
            self.sent_to = psn

    def covered(self, psn: int, by_ack: bool = False) -> None:
        """Requests up to ``psn`` are acknowledged; ``by_ack``: by an ACK that is not one of a duplicate.

        The timeout has shown only where nothing else called for the answer.
        """
        waiting, duties = self.waiting, []
        while waiting and psn_diff(waiting[0].psn, psn) <= 0:
            duties.append(waiting.popleft().duty)
        rest = [duty for duty in duties if duty is not None and duty.rule == "ERN-120/rest"]
        by_timeout = by_ack and len(rest) == len(duties)
        for duty in duties:
            if duty in rest and not by_timeout:
                self._ctx.deadlines.void(duty)
            else:
                self._ctx.deadlines.meet(duty)
