"""One ordered stream out of many monitors.

A monitor publishes an item when it ends, but the model wants items in the order of their begin. An
item may be handed on once no monitor can still deliver one that began earlier: the watermark is the
lowest begin of all unfinished items. So the delay of a monitor never changes a verdict.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

from ref_model.events import (
    Event,
    FrameIn,
    FrameOut,
    HostWrite,
    Irq,
    MemRead,
    MemWrite,
    PauseIn,
    PauseOut,
    ProtocolViolation,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)

OpenBegin = Callable[[], int | None]

#: Order of items that begin in the same picosecond: stimulus first, register reads last, the rest by kind and
#: port, so that it does not matter in which order monitors deliver.
_RANK = {
    kind: rank
    for rank, kind in enumerate(
        (
            Reset,
            RegWrite,
            HostWrite,
            PauseIn,
            FrameIn,
            MemRead,
            MemWrite,
            FrameOut,
            SideBand,
            PauseOut,
            Irq,
            ProtocolViolation,
            RegRead,
        )
    )
}


class Merge:
    """Heap of finished items, released up to the watermark."""

    def __init__(self) -> None:
        """Start without sources."""
        self._sources: list[tuple[str, OpenBegin]] = []
        self._heap: list[tuple[int, int, str, int, Event]] = []
        self._sequence = 0
        self.latest = 0

    def add_source(self, name: str, open_begin: OpenBegin) -> None:
        """Take the begin of a monitor's unfinished item into the watermark."""
        self._sources.append((name, open_begin))

    def put(self, event: Event) -> None:
        """Accept a finished item. Register reads count at their end: their value depends on all before."""
        time = event.settled if isinstance(event, RegRead) else event.begin
        self._sequence += 1
        where = getattr(event, "port", "")
        heapq.heappush(self._heap, (time, _RANK[type(event)], where, self._sequence, event))

    def watermark(self, now: int) -> int:
        """Return the time (ps) before which nothing can still arrive."""
        begins = [begin for _, source in self._sources if (begin := source()) is not None]
        return min([now, *begins])

    def oldest_open(self) -> tuple[str, int] | None:
        """Return (monitor, begin) of the oldest unfinished item."""
        entries = [(begin, name) for name, source in self._sources if (begin := source()) is not None]
        if not entries:
            return None
        begin, name = min(entries)
        return name, begin

    def release(self, watermark: int) -> Iterator[Event]:
        """Yield the items that began before ``watermark``, in order."""
        heap = self._heap
        while heap and heap[0][0] < watermark:
            yield heapq.heappop(heap)[4]

    def __len__(self) -> int:
        """Return how many items wait."""
        return len(self._heap)
