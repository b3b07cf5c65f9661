"""Index arithmetic of ERNIC rings in numbering form A.

The first entry is announced by the value 1 and the value runs 1..depth, then 1 again; 0 is only seen before
the first entry. Slots count from 0: the entry announced by value ``v`` sits in slot ``(v - 1) mod depth``.
"""

from __future__ import annotations


def index_value(total: int, depth: int) -> int:
    """Register value after ``total`` entries (0 when there was none)."""
    return 0 if total == 0 else (total - 1) % depth + 1


def slot_of(number: int, depth: int) -> int:
    """Ring slot of entry ``number`` (0 for the first)."""
    return number % depth


def advance(total: int, value: int, depth: int) -> int:
    """New running total when the device shows ``value`` and ``total`` entries were known.

    Needs fewer than ``depth`` new entries between two looks; then the value, in any numbering that agrees
    modulo the depth, tells their number.
    """
    return total + (value - total) % depth
