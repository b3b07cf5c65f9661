"""Packet sequence number arithmetic, generic in the counter width.

A sequence number is a counter modulo ``2**width`` (24 bits for RoCEv2, IBTA volume 1 section 9.7.2). Two
numbers are ordered by the half-window rule: ``b`` is ahead of ``a`` when it lies 1 to ``2**(width-1) - 1``
steps further on, and behind ``a`` (a duplicate region) when it lies 1 to ``2**(width-1)`` steps back. Other
transports use the same rules with another width, hence the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

PSN_WIDTH = 24
"""Bits of a RoCEv2 packet sequence number."""

PSN_MASK = (1 << PSN_WIDTH) - 1
"""Largest RoCEv2 packet sequence number, also the mask for arithmetic."""

PSN_HALF = 1 << (PSN_WIDTH - 1)
"""Half window: so many numbers count as behind (the expected one excluded)."""


def psn_add(psn: int, steps: int, width: int = PSN_WIDTH) -> int:
    """The number ``steps`` further on (or back, when negative), modulo ``2**width``."""
    return (psn + steps) & ((1 << width) - 1)


def psn_diff(a: int, b: int, width: int = PSN_WIDTH) -> int:
    """Signed distance ``a - b`` in ``[-2**(width-1), 2**(width-1) - 1]``: positive when ``a`` is ahead of
    ``b``.
    """
    half = 1 << (width - 1)
    return ((a - b + half) & ((1 << width) - 1)) - half


def psn_distance(start: int, end: int, width: int = PSN_WIDTH) -> int:
    """Unsigned number of steps from ``start`` forward to ``end``, ``0 .. 2**width - 1``."""
    return (end - start) & ((1 << width) - 1)


def psn_lt(a: int, b: int, width: int = PSN_WIDTH) -> bool:
    """True when ``a`` is before ``b``."""
    return psn_diff(a, b, width) < 0


def psn_le(a: int, b: int, width: int = PSN_WIDTH) -> bool:
    """True when ``a`` equals ``b`` or is before it."""
    return psn_diff(a, b, width) <= 0


def psn_gt(a: int, b: int, width: int = PSN_WIDTH) -> bool:
    """True when ``a`` is after ``b``."""
    return psn_diff(a, b, width) > 0


def psn_ge(a: int, b: int, width: int = PSN_WIDTH) -> bool:
    """True when ``a`` equals ``b`` or is after it."""
    return psn_diff(a, b, width) >= 0


def in_window(psn: int, first: int, count: int, width: int = PSN_WIDTH) -> bool:
    """True when ``psn`` is one of the ``count`` numbers that start at ``first``."""
    return psn_distance(first, psn, width) < count


def psn_range(first: int, count: int, width: int = PSN_WIDTH) -> Iterator[int]:
    """The ``count`` numbers that start at ``first``, in order."""
    mask = (1 << width) - 1
    for step in range(count):
        yield (first + step) & mask
