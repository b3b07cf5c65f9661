"""A clock that stands still while the bench holds an output up."""

from __future__ import annotations


class StallClock:
    """Counts the time (ps) in which nothing held the DUT up; overlapping reasons count once."""

    __slots__ = ("_reasons", "_since", "_stalled")

    def __init__(self) -> None:
        """Nothing was held up yet."""
        self.clear()

    def clear(self) -> None:
        """Forget everything (reset)."""
        self._reasons: set[object] = set()
        self._since = 0
        self._stalled = 0

    def hold(self, reason: object, now: int) -> None:
        """``reason`` holds the DUT up from ``now`` on; a second time changes nothing."""
        if not self._reasons:
            self._since = now
        self._reasons.add(reason)

    def release(self, reason: object, now: int) -> None:
        """``reason`` is over since ``now``."""
        if reason in self._reasons:
            self._reasons.remove(reason)
            if not self._reasons:
                self._stalled += max(now - self._since, 0)

    def stalled(self, now: int) -> int:
        """Time (ps) held up before ``now``."""
        return self._stalled + (max(now - self._since, 0) if self._reasons else 0)

    def read(self, now: int) -> int:
        """What the clock shows at ``now``: the time in which nothing was held up."""
        return now - self.stalled(now)
