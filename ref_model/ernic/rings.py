"""Ring index numbering of the ERNIC: raw 16-bit register values against an unwrapped count.

Software habits differ (1..depth, free-running); both agree modulo the depth, so positions are judged
modulo the depth and only "all done" is compared with the raw value (spec parameter SQ_INDEX_FORM).
"""

from __future__ import annotations


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


def match_position(value: int, depth: int, low: int, high: int) -> int | None:
    """Return the count n in low .. high whose ring position equals ``value``, or None."""
    if depth <= 0:
        return None
    count = low + (value - low) % depth
    return count if count <= high else None
