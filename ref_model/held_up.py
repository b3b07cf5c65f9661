"""Time in which the bench holds the DUT up on purpose: pause requests, a side-band READY kept low.

Environment limits count the clocks in which nothing was held up, and what leaves right behind such a time may
have been ready, and decided on, since it began (docs/JUDGING.md, "Held up").
"""

from __future__ import annotations

from collections import deque

#: Spans kept; older ones only count in the sum.
SPANS = 256


class HeldUp:
    """Spans of time (ps) by their reason; spans of several reasons may overlap and count once."""

    def __init__(self) -> None:
        """Nothing was held up yet."""
        self.clear()

    def clear(self) -> None:
        """Forget all spans (reset)."""
        self._spans: deque[tuple[int, int]] = deque()
        self._since: dict[object, int] = {}
        self._forgotten = 0

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
        self._spans.append((begin, end))
        if len(self._spans) > SPANS:
            first, last = self._spans.popleft()
            self._forgotten += last - first

    def _until(self, now: int) -> list[tuple[int, int]]:
        """Return the spans before ``now`` in order, joined where they overlap, cut at ``now``."""
        spans = [*self._spans, *((begin, now) for begin in self._since.values())]
        joined: list[tuple[int, int]] = []
        for begin, end in sorted(spans):
            last = min(end, now)
            if last <= begin:
                continue
            if joined and begin <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(joined[-1][1], last))
            else:
                joined.append((begin, last))
        return joined

    def total(self, now: int) -> int:
        """Return the time (ps) held up before ``now``."""
        if not self._spans and not self._since:
            return 0
        return self._forgotten + sum(end - begin for begin, end in self._until(now))

    def between(self, first: int, last: int) -> int:
        """Return the time (ps) held up over [first, last]."""
        return self.total(last) - self.total(first) if last > first else 0

    def ready_since(self, time: int, slack: int) -> int:
        """Return since when (ps) what left at ``time`` may have been ready.

        That is the begin of the span that was over for at most ``slack`` ps, and so on backwards; ``time``
        itself when there is none.
        """
        if not self._spans and not self._since:
            return time
        for begin, end in reversed(self._until(time)):
            if end + slack < time:
                break
            time = begin
        return time
