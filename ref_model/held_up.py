"""Time in which the bench holds the DUT up on purpose: pause, a READY kept low, credit held back.

Environment limits count the clocks in which nothing was held up, and what leaves right behind such a time may
have been ready, and decided on, since it began (docs/JUDGING.md, "Held up").
"""

from __future__ import annotations

from collections import deque

#: Spans kept; older ones only count in the sum.
SPANS = 256


class HeldUp:
    """Spans of time (ps) by their reason; spans of several reasons may overlap and count once."""

    __slots__ = ("_since", "_spans", "_sum")

    def __init__(self) -> None:
        """Nothing was held up yet."""
        self.clear()

    def clear(self) -> None:
        """Forget all spans (reset)."""
        self._spans: deque[tuple[int, int]] = deque()  # over, in order, without overlap
        self._since: dict[object, int] = {}
        self._sum = 0  # of all spans that are over, forgotten ones included

    def begin(self, reason: object, now: int) -> None:
        """``reason`` holds the DUT up from ``now`` on; a second begin changes nothing."""
        self._since.setdefault(reason, now)

    def end(self, reason: object, now: int) -> None:
        """``reason`` is over since ``now``."""
        begin = self._since.pop(reason, None)
        if begin is not None:
            self.add(begin, now)

    def add(self, begin: int, end: int) -> None:
        """The DUT was held up over [begin, end]."""
        if end <= begin:
            return
        spans, behind = self._spans, []
        while spans and spans[-1][1] >= begin:
            first, last = spans.pop()
            if first > end:
                behind.append((first, last))
            else:
                self._sum -= last - first
                begin, end = min(begin, first), max(end, last)
        self._sum += end - begin
        spans.append((begin, end))
        spans.extend(reversed(behind))
        if len(spans) > SPANS:
            spans.popleft()

    def _open(self, now: int) -> int:
        """Return since when something holds the DUT up without end; ``now`` if nothing does."""
        return min(now, *self._since.values()) if self._since else now

    def total(self, now: int) -> int:
        """Return the time (ps) held up before ``now``."""
        since = self._open(now)
        total = self._sum + now - since
        for begin, end in reversed(self._spans):
            if end <= since:
                break
            total -= end - max(begin, since)
        return total

    def free(self, now: int) -> int:
        """Return what a clock shows at ``now`` (ps) that stands still while the DUT is held up."""
        return now - self.total(now)

    def between(self, first: int, last: int) -> int:
        """Return the time (ps) held up over [first, last]."""
        return self.total(last) - self.total(first) if last > first else 0

    def ready_since(self, time: int, slack: int) -> int:
        """Return since when (ps) what left at ``time`` may have been ready.

        That is the begin of the span that was over for at most ``slack`` ps, and so on backwards; ``time``
        itself when there is none.
        """
        since = self._open(time)
        for begin, end in reversed(self._spans):
            if min(end, time) + slack < since:
                break
            since = min(since, begin)
        return since
