"""A lossy link between two endpoints, for tests without a simulator."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass

from ref_model.errors import UserError

#: Bytes of a frame that name its sender.
SOURCE_MAC = range(6, 12)


@dataclass(frozen=True, slots=True)
class LinkFaults:
    """What a link direction may do to a frame, as probabilities 0..1, and its delays in picoseconds.

    A reordered frame is held back by ``reorder_ps`` more than the others; a corrupted one has one bit
    inverted, never of its source MAC, which no check covers.
    """

    drop: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    corrupt: float = 0.0
    delay_ps: int = 1_000_000
    reorder_ps: int = 2_000_000

    def __post_init__(self) -> None:
        """Reject values that are no probabilities."""
        for name in ("drop", "duplicate", "reorder", "corrupt"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise UserError(f"link: probability {name} is {value}; allowed is 0 to 1")


class LossyLink:
    """One direction: frames in at any time, frames out in order of their arrival time."""

    def __init__(self, faults: LinkFaults, rng: random.Random) -> None:
        """``rng`` decides every fault (take it from ``ref_model.streams.stream``)."""
        self.faults = faults
        self._rng = rng
        self._queue: list[tuple[int, int, bytes]] = []
        self._sequence = 0
        self.dropped = self.duplicated = self.reordered = self.corrupted = 0

    def send(self, now_ps: int, data: bytes) -> None:
        """Put a frame on the link."""
        faults, rng = self.faults, self._rng
        if rng.random() < faults.drop:
            self.dropped += 1
            return
        arrival = now_ps + faults.delay_ps
        if rng.random() < faults.reorder:
            self.reordered += 1
            arrival += faults.reorder_ps
        if rng.random() < faults.corrupt:
            self.corrupted += 1
            bit = rng.randrange(len(data) * 8)
            if bit // 8 in SOURCE_MAC:
                bit -= 8 * len(SOURCE_MAC)
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << (bit % 8)
            data = bytes(changed)
        self._push(arrival, data)
        if rng.random() < faults.duplicate:
            self.duplicated += 1
            self._push(arrival + faults.delay_ps, data)

    def deliver(self, now_ps: int) -> list[bytes]:
        """Frames that have arrived by now, in order of arrival."""
        frames = []
        while self._queue and self._queue[0][0] <= now_ps:
            frames.append(heapq.heappop(self._queue)[2])
        return frames

    def next_arrival(self) -> int | None:
        """Arrival time of the next frame, None when the link is empty."""
        return self._queue[0][0] if self._queue else None

    def _push(self, arrival: int, data: bytes) -> None:
        heapq.heappush(self._queue, (arrival, self._sequence, data))
        self._sequence += 1
