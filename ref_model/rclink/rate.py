"""Rate control (section 4): bytes per window, with the debt carried over; the window's phase is hidden.

The DUT's windows end at T0 + phase + k x W, for all queue pairs within ``lag`` after it. The phase is an
interval that every CC_TYPE1_QP_EN_SET narrows, since it tells that a window has just ended. The byte count of
a queue pair is an interval for each number of windows that may have ended by its last event: at most two.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ref_model.rclink.context import Context

ACC_TOP = (1 << 24) - 1
#: Frames of a queue pair that are remembered to tell its debt from what it sent in this window.
LATEST = 64


class Windows:
    """When windows may have ended; ``length`` in ps."""

    def __init__(self, length: int, lag: int, start: int = 0) -> None:
        """``lag``: how long after the end of a window it is in effect for all, in ps."""
        self.length = length
        self.lag = lag
        self.base = start
        self.low, self.high = 0, length  #: phase after ``base``
        self.generation = 0  #: changes with ``base``
        self.known = False

    def possible(self, time: int) -> int:
        """Return how many windows may have ended by ``time``."""
        return max((time - self.base - self.low) // self.length + 1, 0)

    def certain(self, time: int) -> int:
        """Return how many windows have ended for everyone by ``time``."""
        return max((time - self.base - self.high - self.lag) // self.length + 1, 0)

    def when_certain(self, count: int) -> int:
        """Return when ``count`` windows have ended for everyone."""
        return self.base + self.high + self.lag + (count - 1) * self.length

    def began(self, time: int) -> int:
        """Return when (ps), at the earliest, the latest window that may have begun by ``time`` did."""
        return self.base + self.low + (self.possible(time) - 1) * self.length

    def ended(self, first: int, last: int) -> bool:
        """A window ended within [first, last] (ps); returns False where no phase fits any more."""
        if not self.known:
            self.known = True
            self.generation += 1
            self.base = first - max(first - self.base, 0) // self.length * self.length  # the first one of all
            self.low, self.high = 0, last - first
            return True
        count = (last - self.base - self.low) // self.length
        low = max(self.low, first - self.base - count * self.length)
        high = min(self.high, last - self.base - count * self.length)
        if low > high:
            return False
        self.low, self.high = low, high
        return True


@dataclass(slots=True)
class Span:
    """Byte count, at least and at most."""

    low: int
    high: int


class Rate:
    """Bytes and threshold of one queue pair, or of TYPE2.

    Only a frame moves what is known: mask pulses tell of grants whose frames may still be on their way.
    """

    __slots__ = ("_ctx", "_generation", "_latest", "_spans", "_time", "masked", "threshold", "windows")

    def __init__(self, ctx: Context, windows: Windows, threshold: int | None = 0) -> None:
        """``threshold`` None: nothing is said about the rate before it is set."""
        self._ctx = ctx
        self.windows = windows
        self.threshold = threshold
        self.masked: bool | None = None  #: what CC SET and CLR told
        self._spans: dict[int, Span] = {windows.certain(ctx.now): Span(0, 0)}
        self._time = ctx.now
        self._generation = windows.generation
        self._latest: deque[tuple[int, int]] = deque(maxlen=LATEST)  # (time, bytes) of frames

    def preset(self, count: int) -> None:
        """Software wrote the byte counter."""
        moved = self._moved(self._ctx.now, self._ctx.now)
        self._keep({ended: Span(count, count) for ended in moved})

    def change(self, threshold: int) -> None:
        """A new threshold holds from now on."""
        self._keep(self._moved(self._ctx.now, self._ctx.now))
        self.threshold = threshold

    def _keep(self, spans: dict[int, Span]) -> None:
        self._spans = spans
        self._time = self._ctx.now

    def _moved(self, first: int, last: int) -> dict[int, Span]:
        """What is known at a moment within [first, last] (ps), by the number of windows over by then."""
        windows = self.windows
        if self._generation != windows.generation:
            self._rebase()
        low_count, high_count = windows.certain(first), windows.possible(last)
        threshold = self.threshold or 0
        moved: dict[int, Span] = {}
        for ended, span in self._spans.items():
            for count in range(max(ended, low_count), max(ended, high_count) + 1):
                spent = (count - ended) * threshold
                low, high = max(span.low - spent, 0), max(span.high - spent, 0)
                known = moved.get(count)
                if known is None:
                    moved[count] = Span(low, high)
                else:
                    known.low, known.high = min(known.low, low), max(known.high, high)
        return moved

    def _rebase(self) -> None:
        """Window numbers start anew: what is known is the range of the count."""
        low, high = _range(self._spans)
        windows, time = self.windows, self._time
        counts = range(windows.certain(time), windows.possible(time) + 1)
        self._spans = {count: Span(low, high) for count in counts}
        self._generation = windows.generation

    def moment(self, first: int, last: int) -> tuple[int, int]:
        """Return the range of the count at a moment within [first, last] (ps)."""
        return _range(self._moved(first, last))

    def send(self, first: int, last: int, length: int) -> bool:
        """``length`` payload bytes were granted within [first, last] (ps); returns whether that is legal.

        What is known afterwards is what is consistent with a legal grant, if there is such.
        """
        spans = self._moved(first, last)
        legal = spans
        if self.threshold is not None:
            legal = {count: span for count, span in spans.items() if span.low < self.threshold}
            for span in legal.values():
                span.high = min(span.high, self.threshold - 1)
        self._keep(legal or spans)
        self.add(length)
        self._latest.append((last, length))
        return bool(legal)

    def in_debt(self) -> bool:
        """Return whether what was sent since this window began leaves room: only a debt does not."""
        if not self.windows.known:
            return False
        since, latest = self.windows.began(self._ctx.now), self._latest
        if len(latest) == LATEST and latest[0][0] >= since:
            return False  # what is forgotten may have been of this window
        return sum(length for time, length in latest if time >= since) < (self.threshold or 0)

    def add(self, length: int) -> None:
        """Count ``length`` bytes."""
        for span in self._spans.values():
            span.low = min(span.low + length, ACC_TOP)
            span.high = min(span.high + length, ACC_TOP)

    def open_certainly(self) -> bool:
        """Return whether the frames seen so far leave room now."""
        if self.threshold is None:
            return False
        return self.moment(self._ctx.now, self._ctx.now)[1] < self.threshold

    def opens_at(self) -> int | None:
        """Return when (ps) the mask is gone for certain; None: never at this rate."""
        if not self.threshold:
            return None
        latest = self._ctx.now
        for ended, span in self._moved(self._ctx.now, self._ctx.now).items():
            windows = (span.high - self.threshold) // self.threshold + 1 if span.high >= self.threshold else 0
            if windows:
                latest = max(latest, self.windows.when_certain(ended + windows))
        return latest


def _range(spans: dict[int, Span]) -> tuple[int, int]:
    return min(span.low for span in spans.values()), max(span.high for span in spans.values())
