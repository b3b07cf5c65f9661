"""Reads of values that move while they are read: counters, indices and event flags.

A value read over the window [AR, RVALID] is legal if it was the value at some moment of it.
Each class keeps what is certain apart from what may already, or may still, have happened.
"""

from __future__ import annotations

from collections import deque

#: Settling time of an event whose effect has no stated latency: only quiet makes it certain.
UNTIL_QUIET = 1 << 62


class MovingCounter:
    """A counter of ``width`` bits with certain and possible increments (unwrapped inside)."""

    __slots__ = ("_at_end", "_floor", "_high", "_low", "_modulus", "_open", "_pending")

    def __init__(self, width: int, at_end: str = "wrap") -> None:
        """Start at zero; ``at_end``: what follows its highest value: wrap, saturate or report (open)."""
        self._at_end = at_end
        self._modulus = 1 << width
        self.reset()

    def reset(self) -> None:
        """Back to zero, nothing pending."""
        self._low = self._high = self._floor = 0
        self._pending: deque[tuple[int, int, int, int]] = deque()
        self._open = (0, 0)  # sum of the events that only quiet makes certain

    def add(self, begin: int, settled: int = UNTIL_QUIET, low: int = 1, high: int = 1) -> None:
        """Count an event worth ``low`` to ``high``, effective between ``begin`` and ``settled``.

        Reads are judged in the order of their end, so none ends before an event counted here began.
        """
        if settled == UNTIL_QUIET:
            self._open = self._open[0] + low, self._open[1] + high
        else:
            self._pending.append((begin, settled, low, high))

    def quiet(self) -> None:
        """Everything that happened so far has settled."""
        for _, _, low, high in self._pending:
            self._low += low
            self._high += high
        self._pending.clear()
        self._low += self._open[0]
        self._high += self._open[1]
        self._open = (0, 0)

    def window(self, begin: int, settled: int) -> tuple[int, int]:
        """Return the lowest and highest legal (unwrapped) value of a read over [begin, settled]."""
        keep: deque[tuple[int, int, int, int]] = deque()
        extra = self._open[1]
        for item in self._pending:
            if item[1] < begin:
                self._low += item[2]
                self._high += item[3]
            else:
                keep.append(item)
                if item[0] <= settled:
                    extra += item[3]
        self._pending = keep
        return max(self._low, self._floor), self._high + extra

    def accept(self, value: int, begin: int, settled: int) -> tuple[bool, int, int]:
        """Judge a read; returns (legal, low, high) and narrows what is known to ``value``."""
        low, high = self.window(begin, settled)
        if high >= self._modulus and self._at_end != "wrap":
            top = self._modulus - 1
            return self._at_end == "report" or min(low, top) <= value <= min(high, top), low, high
        legal = (value - low) % self._modulus <= high - low
        if legal:
            self._floor = low + (value - low) % self._modulus
            if not self._pending and not self._open[1]:
                self._low = self._high = self._floor
        return legal, low, high


class Flag:
    """A status bit set by events and cleared by writing 1; three-valued while events are in flight."""

    __slots__ = ("_certain", "_possible", "cleared", "free", "kept", "raced", "state")

    ZERO, ONE, EITHER = 0, 1, 2

    def __init__(self) -> None:
        """Start cleared."""
        self.reset()

    def reset(self) -> None:
        """Cleared, nothing pending."""
        self.state = Flag.ZERO
        self._certain = False  # a cause that must set the bit, at the latest when quiet
        self._possible = False  # a cause that may still set the bit
        self.cleared = False  # software wrote 1 to it, nothing happened since
        self.kept = False  # it was set and software cleared its neighbours only
        self.raced = False  # its event came close behind a clear
        self.free = False  # something nobody judges may set the bit at any time

    def cause(self, sure: bool = True) -> None:
        """An event begins that sets the bit (``sure``) or may set it."""
        self.cleared = False
        if sure:
            self._certain = True
        else:
            self._possible = True

    def let_go(self) -> None:
        """Nobody judges any more who sets the bit: it may be set at any time and need not be."""
        self.free = True
        self._possible = self._possible or self._certain
        self._certain = False

    def happened(self) -> None:
        """The bit was set for certain (its effect was seen elsewhere)."""
        self.state = Flag.ONE
        self._certain = False

    def clear(self) -> None:
        """Write 1: what was set is gone; what is in flight may have been set before or after."""
        if self._certain or self._possible:
            self.state = Flag.EITHER
            self._possible = True
            self._certain = False
        else:
            self.state = Flag.ZERO
            self.cleared = True
        self.kept = False

    def keep(self) -> None:
        """Software wrote 0 to the bit while clearing others."""
        self.kept = self.state == Flag.ONE

    def quiet(self) -> None:
        """All causes have taken effect by now."""
        if self._certain:
            self.state = Flag.ONE
        elif self._possible and self.state == Flag.ZERO:
            self.state = Flag.EITHER
        self._certain = self._possible = False

    def possible(self) -> tuple[bool, bool]:
        """Return whether a read may give 0 and whether it may give 1."""
        zero = self.state != Flag.ONE
        one = self.free or self.state != Flag.ZERO or self._certain or self._possible
        return zero, one

    def seen(self, value: int) -> None:
        """Narrow to a legal value that was read."""
        self.state = Flag.ONE if value else Flag.ZERO
        self.kept = self.raced = False
        if value:
            self._possible = self._possible or self._certain
            self._certain = False
