"""The line between a sender and an input of the DUT: a MAC that obeys the DUT's pause requests, or not.

Without obedience frames go straight to the MAC agent. With it they wait here while the request of their
priority is up; only the frame under way cannot be called back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import cocotb
from cocotb.task import Task
from cocotb.triggers import Event

from ref_model.events import FrameOut
from tb.agents.pins import TransferAborted


class Mac(Protocol):
    """What a line needs of the MAC agent."""

    on_frame_out: list[Callable[[FrameOut], None]]

    def send_nowait(self, data: bytes, good: bool = True) -> Any:
        """Queue a frame."""

    async def send(self, data: bytes, good: bool = True) -> None:
        """Send a frame and return after its last beat."""

    @property
    def input_idle(self) -> bool:
        """Whether no frame is queued or under way."""


class PausableLine:
    """Frames towards one input of the DUT, in order; ``requests`` is to be told each new request vector."""

    def __init__(self, mac: Mac) -> None:
        """Begin without obedience."""
        self._mac = mac
        self.on_frame_out = mac.on_frame_out
        self._queue: deque[tuple[bytes, bool]] = deque()
        self._bit = 0
        self._asked = 0
        self._sending = False
        self._wake = Event()
        self._task: Task[None] | None = None

    @property
    def idle(self) -> bool:
        """Whether no frame waits or is under way."""
        return not self._queue and not self._sending and self._mac.input_idle

    @property
    def waiting(self) -> int:
        """Frames that wait on the line."""
        return len(self._queue)

    def obey(self, priority: int | None) -> None:
        """Stop while the DUT requests a pause of ``priority`` (0 to 8); None: take no notice any more."""
        self._bit = 0 if priority is None else 1 << priority
        if self._task is None and self._bit:
            self._task = cocotb.start_soon(self._serve())
        self._wake.set()

    def requests(self, vector: int) -> None:
        """The DUT's request vector is ``vector`` now."""
        self._asked = vector
        self._wake.set()

    def send_nowait(self, data: bytes, good: bool = True) -> None:
        """Queue a frame."""
        if self._task is None:
            self._mac.send_nowait(data, good)
        else:
            self._queue.append((data, good))
            self._wake.set()

    async def _serve(self) -> None:
        while True:
            while not self._queue or self._asked & self._bit:
                self._wake.clear()
                await self._wake.wait()
            self._sending = True
            try:
                await self._mac.send(*self._queue.popleft())
            except TransferAborted:
                self._queue.clear()  # a reset ends what was on the line
            self._sending = False
