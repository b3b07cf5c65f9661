"""What the responder of one QP remembers of the requests that reached the pins."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.rocev2.psn import psn_add, psn_diff

#: Distance from the expected PSN at which only the half-window rule decides.
FAR = 1 << 22
#: Message counts remembered, by the PSN of their request.
COUNTS = 4096


@dataclass(slots=True)
class Progress:
    """The message in the middle of which the responder is."""

    kind: str
    address: int
    offset: int
    total: int | None
    element: int


class Received:
    """The expected PSN, the last requests, messages and elements used, and what was refused."""

    def __init__(self) -> None:
        """Start as after reset."""
        self.messages = 0
        self.last_opcode: int | None = None
        self.rnr_active = False
        self.far_off = False  # the last request out of order was far from the expected one
        self.begin(0, 0)

    def begin(self, expected: int, elements: int) -> None:
        """Expect PSN ``expected`` next, ``elements`` of the receive queue are used; messages stay counted."""
        self.expected = expected
        self.elements = elements
        self.progress: Progress | None = None
        self.gap_reported = False
        self.after_rnr = False
        self.fatal = False
        self.last_accepted: int | None = None
        self.last_plain: int | None = None  # PSN of the last SEND or WRITE packet
        self.last_read: int | None = None  # PSN of the request, if the last one accepted was a READ
        self.open = False  # nothing has told yet whether a request with a key beyond the table was executed
        self.lost = False  # so much is open that the QP cannot be followed any further
        self.after_doubt = False  # a request came behind a READ whose acceptance nobody can tell
        self.counts: deque[tuple[int, int]] = deque(maxlen=COUNTS)  # (PSN, messages with it)
        self._refused: deque[tuple[int, str]] = deque(maxlen=16)

    def take(self, psn: int, opcode: int, span: int, reading: bool) -> None:
        """The request with ``psn``, which takes ``span`` PSNs, is or may be executed."""
        self.expected = psn_add(psn, span)
        self.last_accepted = psn_add(psn, span - 1)
        self.last_read = psn if reading else None
        if not reading:
            self.last_plain = psn
        self.last_opcode = opcode

    def look(self, psn: int) -> bool:
        """A request out of order has ``psn``; returns whether that is far from the expected one."""
        self.far_off = abs(psn_diff(psn, self.expected)) > FAR
        return self.far_off

    def refuse(self, psn: int, rule: str) -> None:
        """The request with ``psn`` must not be executed, by ``rule``."""
        self._refused.append((psn, rule))

    def refusal(self, psn: int) -> str | None:
        """Return the rule that refused the request with ``psn``, if any did."""
        return next((rule for number, rule in reversed(self._refused) if number == psn), None)

    def last_refusal(self) -> str | None:
        """Return the rule of the last refusal."""
        return self._refused[-1][1] if self._refused else None
