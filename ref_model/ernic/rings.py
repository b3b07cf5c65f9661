"""Ring index numbering of the ERNIC: raw 16-bit register values against an unwrapped count.

Software habits differ (1..depth, free-running); both agree modulo the depth, so positions are judged
modulo the depth and only "all done" is compared with the raw value (spec parameter SQ_INDEX_FORM).
"""

from __future__ import annotations

from collections import deque


class RingIndex:
    """An index that only moves forward, told apart from its raw register value."""

    __slots__ = ("count", "raw")

    def __init__(self) -> None:
        """Start at position zero."""
        self.count = 0
        self.raw = 0

    def preset(self, raw: int) -> None:
        """Set by software under override: a new start of counting."""
        self.count = self.raw = raw

    def advance_to(self, raw: int, depth: int, limit: int) -> int:
        """Move to raw value ``raw``; returns how many entries that adds.

        Equal positions with a different raw value mean a whole lap, if ``limit`` (what the other side
        allows) reaches that far.
        """
        if depth <= 0:
            return 0
        added = (raw - self.count) % depth
        if added == 0 and raw != self.raw and limit >= depth:
            added = depth
        self.count += added
        self.raw = raw
        return added


class Shown:
    """Counts that a doorbell has shown, with their times (ps): a register read must not fall behind."""

    __slots__ = ("_base", "_steps")

    def __init__(self) -> None:
        """Start at zero."""
        self.preset(0)

    def preset(self, count: int) -> None:
        """Set by software under override: nothing is shown beyond ``count``."""
        self._base = count
        self._steps: deque[tuple[int, int]] = deque(maxlen=64)

    def show(self, count: int, begin: int) -> None:
        """A doorbell with ``count`` began."""
        if len(self._steps) == self._steps.maxlen:
            self._base = self._steps[0][1]
        self._steps.append((begin, count))

    def before(self, time: int) -> int:
        """Return the highest count shown before ``time``."""
        return max((count for begin, count in self._steps if begin < time), default=self._base)


def match_position(value: int, depth: int, low: int, high: int) -> int | None:
    """Return the count n in low .. high whose ring position equals ``value``, or None."""
    if depth <= 0:
        return None
    count = low + (value - low) % depth
    return count if count <= high else None
