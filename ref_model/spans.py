"""A changing set of address ranges that answers whether one of them covers an access.

Each range lies in one or two buckets of about its own size, so the cost of an answer does not grow with
the number of ranges.
"""

from __future__ import annotations

from collections import Counter

Span = tuple[int, int]
"""First address and the address behind the last byte."""


class Spans:
    """Ranges of addresses, each held as often as it was added."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[int, int], Counter[Span]] = {}
        self._levels: Counter[int] = Counter()

    def add(self, span: Span) -> None:
        """Hold ``span`` (not empty)."""
        for bucket in _buckets_of(span):
            self._buckets.setdefault(bucket, Counter())[span] += 1
            self._levels[bucket[0]] += 1

    def remove(self, span: Span) -> None:
        """Undo one :meth:`add`."""
        for bucket in _buckets_of(span):
            held = self._buckets[bucket]
            held[span] -= 1
            if not held[span]:
                del held[span]
            if not held:
                del self._buckets[bucket]
            self._levels[bucket[0]] -= 1
            if not self._levels[bucket[0]]:
                del self._levels[bucket[0]]

    def cover(self, first: int, stop: int) -> bool:
        """Return whether one range holds all of ``first`` to ``stop`` (exclusive)."""
        return any(
            low <= first and stop <= high
            for level in self._levels
            for low, high in self._buckets.get((level, first >> level), ())
        )

    def clear(self) -> None:
        """Hold nothing."""
        self._buckets.clear()
        self._levels.clear()


def _buckets_of(span: Span) -> set[tuple[int, int]]:
    """(log2 of the size, number) of the buckets ``span`` lies in."""
    low, high = span
    level = (high - low - 1).bit_length()
    return {(level, low >> level), (level, (high - 1) >> level)}
