"""Counted clocks and microseconds: what does not count for a bound, and pulses of tick_us."""

from __future__ import annotations


class Stalls:
    """Union of spans of time (ps) that do not count; spans come in the order of their begin."""

    def __init__(self) -> None:
        """Nothing was stalled yet."""
        self.clear()

    def clear(self) -> None:
        """Forget everything (reset)."""
        self._before = 0  # sum of the spans before the last
        self._begin = self._end = 0  # the last span
        self._held = False

    def add(self, begin: int, end: int) -> None:
        """The time from ``begin`` to ``end``, which may lie in the future, does not count."""
        if begin > self._end and not self._held:
            self._close(begin)
        self._end = max(self._end, end)

    def hold(self, now: int) -> None:
        """No time counts from ``now`` on."""
        if now > self._end:
            self._close(now)
        self._held = True

    def release(self, now: int) -> None:
        """Time counts again from ``now`` on, but for spans that last longer."""
        if self._held:
            self._held = False
            self._end = max(self._end, now)

    def _close(self, begin: int) -> None:
        self._before += self._end - self._begin
        self._begin = self._end = begin

    def total(self, now: int) -> int:
        """Return the time (ps) before ``now`` that does not count; ``now``: not before the last begin."""
        end = now if self._held else min(self._end, now)
        return self._before + max(end - self._begin, 0)


class Ticks:
    """Pulses of tick_us, from the times at which their pace changed."""

    def __init__(self, pace: int = 0) -> None:
        """``pace``: ps between pulses, 0: none."""
        self._start = pace
        self.clear()

    def clear(self) -> None:
        """Begin anew (reset); the pace is that of the beginning."""
        self.pace = self._start
        self._since = 0
        self._before = 0

    def change(self, begin: int, pace: int) -> None:
        """A pulse at ``begin`` and after each ``pace`` ps from there; 0: none from here on."""
        self._before = self.count(begin - 1)
        self._since, self.pace = begin, pace

    def count(self, now: int) -> int:
        """Return the pulses up to ``now``, which lies not before the last change."""
        if not self.pace or now < self._since:
            return self._before
        return self._before + (now - self._since) // self.pace + 1

    def when(self, number: int) -> int | None:
        """Return the time of pulse ``number`` at the present pace; None: it does not come."""
        if not self.pace:
            return None
        return self._since + (number - self._before - 1) * self.pace
