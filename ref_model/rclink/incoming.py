"""Requests that came for one queue pair, and the PSN it expects next (section 2)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.rclink.sending import PSN_MASK

if TYPE_CHECKING:
    from ref_model.rclink.context import Context


@dataclass(slots=True)
class Request:
    """One request that passed all checks before the PSN."""

    psn: int
    payload: bytes
    fack: bool
    timestamp: int
    source: int  #: MAC_SA[9:0]
    clock: int  #: tx clock by which the DUT has seen it
    sure: bool = True  #: it certainly passed the checks
    rule: str = "RCL-039"  #: rule that demands to take it
    stop: bool | None = False  #: its bank is stopped with RNR NAKs enabled; None: perhaps


class ExpectedPsn:
    """The expected PSN (``value``), and which of its values an answer may know."""

    def __init__(self, ctx: Context, first: int) -> None:
        self._ctx = ctx
        self.first = self.value = first & PSN_MASK
        self._history: deque[tuple[int, int]] = deque()

    def advance(self, clock: int) -> None:
        """A request that is known at tx ``clock`` was taken."""
        self.value = (self.value + 1) & PSN_MASK
        self._history.append((clock, self.value))
        if len(self._history) > 1 and self._ctx.late(self._history[1][0]):
            self.lowest()

    def lowest(self) -> int:
        """Expected PSN that an answer which leaves now has to know at least."""
        history, late = self._history, self._ctx.late
        while len(history) > 1 and late(history[1][0]):
            history.popleft()
        if history and late(history[0][0]):
            return history[0][1]
        return (history[0][1] - 1) & PSN_MASK if history else self.value

    def known(self, expected: int) -> bool:
        """Return whether ``expected`` is a value the expected PSN may have for an answer of now."""
        low = self.lowest()
        return (expected - low) & PSN_MASK <= (self.value - low) & PSN_MASK
