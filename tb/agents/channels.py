"""Transactors of one VALID/READY channel; every agent is put together from these two.

They are used instead of the channel classes of cocotbext-axi where an agent needs the time of the first
VALID, stalls drawn per item, safe reading of X, or one pin read per beat. A channel sleeps on the rising
edge of its wake-up (VALID or a queue) while idle, and on that of READY while it waits for the other side, so
that neither costs Python time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import cocotb
from cocotb.task import Task
from cocotb.triggers import Event

from tb.agents.generators import Stalls
from tb.agents.pins import high, now_ps

Item = TypeVar("Item")
BeatCallback = Callable[[int, int], None]
StallDraw = Callable[[], int]


class SinkChannel:
    """Watches VALID/READY and, when given a stall source, drives READY.

    ``on_valid(now)`` runs at the first edge with VALID of each beat, ``on_beat(begin, now)`` at its
    handshake, begin being that first edge; both in ps, before the registers of the DUT change. Without
    ``ready`` each edge with VALID is a handshake. ``stalls`` (clocks of VALID without READY, drawn per beat)
    makes the channel active; without it READY is only observed.
    """

    def __init__(
        self,
        clock: Any,
        valid: Any,
        ready: Any | None,
        on_beat: BeatCallback,
        on_valid: Callable[[int], None] | None = None,
        stalls: StallDraw | None = None,
    ) -> None:
        self._clock = clock
        self._valid = valid
        self._ready = ready
        self._on_beat = on_beat
        self._on_valid = on_valid
        self._stalls = stalls
        self._remaining = 0
        self._held = False
        self._task: Task[None] | None = None
        self.begin: int | None = None

    def idle(self) -> None:
        """Put READY to its idle level (low) before the first clock."""
        if self._stalls is not None and self._ready is not None:
            self._ready.value = 0

    def start(self) -> None:
        """Begin to watch (and to give READY); call when the reset is released."""
        self.begin = None
        if self._stalls is not None:
            self._remaining = self._stalls()
            self._drive_ready()
        self._task = cocotb.start_soon(self._run())

    def abort(self) -> None:
        """Forget the beat under way and stop; call when the reset is asserted."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.begin = None
        self.idle()

    def hold(self) -> None:
        """Keep READY low until :meth:`release` (a hard stall of any length)."""
        self._held = True
        self._drive_ready()

    def release(self) -> None:
        """End :meth:`hold`."""
        self._held = False
        self._drive_ready()

    def _drive_ready(self) -> None:
        if self._stalls is not None and self._ready is not None:
            self._ready.value = int(self._remaining == 0 and not self._held)

    async def _run(self) -> None:
        edge = self._clock.rising_edge
        valid, ready, stalls = self._valid, self._ready, self._stalls
        while True:
            await edge
            if not high(valid):
                self.begin = None  # a beat that was withdrawn begins anew
                await valid.rising_edge
                continue
            now = now_ps()
            if self.begin is None:
                self.begin = now
                if self._on_valid is not None:
                    self._on_valid(now)
            if ready is None or high(ready):
                begin, self.begin = self.begin, None
                self._on_beat(begin, now)
                if stalls is not None:
                    self._remaining = stalls()
                    if self._remaining:
                        self._drive_ready()
            elif stalls is None:
                await ready.rising_edge
            elif self._remaining:
                self._remaining -= 1
                if not self._remaining:
                    self._drive_ready()


class SourceChannel(Generic[Item]):
    """Drives VALID and a payload from a queue and waits for READY.

    ``drive(item)`` writes the payload pins. ``gaps`` are idle clocks drawn before each item; with none,
    queued items follow back to back.
    """

    def __init__(
        self,
        clock: Any,
        valid: Any,
        ready: Any | None,
        drive: Callable[[Item], None],
        gaps: Stalls | None = None,
        on_done: Callable[[Item], None] | None = None,
    ) -> None:
        self._clock = clock
        self._valid = valid
        self._ready = ready
        self._drive = drive
        self._gaps = gaps
        self._on_done = on_done
        self._queue: deque[Item] = deque()
        self._wake = Event()
        self._aligned = False
        self._task: Task[None] | None = None

    def idle(self) -> None:
        """Put VALID to 0."""
        self._valid.value = 0

    def start(self) -> None:
        """Begin to serve the queue; call when the reset is released."""
        self._task = cocotb.start_soon(self._run())

    def abort(self) -> list[Item]:
        """Stop, drop VALID and return the items not yet accepted; call when the reset is asserted."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        left = list(self._queue)
        self._queue.clear()
        self._wake.clear()
        self.idle()
        return left

    def put(self, item: Item, aligned: bool = False) -> None:
        """Queue ``item``; ``aligned`` says the caller runs at a clock edge, so VALID may rise at once."""
        self._queue.append(item)
        if not self._wake.is_set():
            self._aligned = aligned
            self._wake.set()

    def put_all(self, items: list[Item], aligned: bool = False) -> None:
        """Queue several items, to be sent back to back."""
        for item in items:
            self.put(item, aligned)

    @property
    def pending(self) -> int:
        """Items queued or on the pins."""
        return len(self._queue)

    async def _run(self) -> None:
        edge = self._clock.rising_edge
        valid, ready, queue = self._valid, self._ready, self._queue
        driven = False
        await edge
        while True:
            if not queue:
                if driven:
                    valid.value = 0
                    driven = False
                self._wake.clear()
                await self._wake.wait()
                if not self._aligned:
                    await edge
            gap = self._gaps.draw() if self._gaps is not None else 0
            if gap:
                if driven:
                    valid.value = 0
                    driven = False
                for _ in range(gap):
                    await edge
            item = queue[0]
            self._drive(item)
            if not driven:
                valid.value = 1
                driven = True
            await edge
            while ready is not None and not high(ready):
                await ready.rising_edge
                await edge
            queue.popleft()
            if self._on_done is not None:
                self._on_done(item)
