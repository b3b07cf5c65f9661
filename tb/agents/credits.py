"""The far side of a port that spends credits: gives one back for every beat it took, after a while.

Sits on the monitor of the port and on the source of the credit pulses. A batch of beats stays in the buffer
of the far side for a number of clocks that is drawn, then their credits come back at once, a pulse each. What
is taken at the very edge at which they come back waits for the next batch: who looks first does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import cocotb
from cocotb.task import Task
from cocotb.triggers import Event

from ref_model.streams import Draws
from tb.agents.generators import Latency
from tb.agents.pins import TransferAborted, now_ps
from tb.agents.sideband import SideBandSourceAgent


class BeatCounter(Protocol):
    """Monitor of an output stream, of either engine."""

    def taken(self, before: int, frames: bool) -> int:
        """Beats (or ``frames``) accepted before a time (ps)."""

    def tell_beat(self, callback: Callable[[], None]) -> None:
        """Call once in the time step of the next beat."""


class CreditReturn:
    """Returns the credits of one port, ``period_ps`` being its clock."""

    def __init__(
        self,
        monitor: BeatCounter,
        credit: SideBandSourceAgent,
        restore: SideBandSourceAgent,
        latency: Latency,
        seed: int,
        per_frame: bool = False,
    ) -> None:
        """``latency``: clocks a beat stays in the buffer; ``per_frame``: a credit is worth a whole frame."""
        self._monitor = monitor
        self._credit = credit
        self._restore = restore
        self._latency = latency
        self._draws = Draws.of(seed, "credit_return")
        self._per_frame = per_frame
        self._clock: Any = credit.config.clock
        self._settled = 0  # what was taken and is owed no more
        self._held = False
        self._wake = Event()
        self._task: Task[None] | None = None

    def _owed(self, before: int) -> int:
        """Credits for what was taken before a time (ps)."""
        return self._monitor.taken(before, self._per_frame) - self._settled

    def start(self) -> None:
        """Reset released: nothing is owed."""
        self._forgive()
        self._held = False
        self._task = cocotb.start_soon(self._run())

    def abort(self) -> None:
        """Reset asserted."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    @property
    def idle(self) -> bool:
        """Whether no credit is owed, or all are held back on purpose."""
        return self._held or not self._owed(now_ps() + 1)

    def hold(self) -> None:
        """Give nothing back until :meth:`release`."""
        self._held = True

    def release(self) -> None:
        """End :meth:`hold`."""
        self._held = False
        self._wake.set()

    async def restore(self) -> None:
        """Make the credit whole; what was owed is forgiven."""
        self._forgive()
        await self._restore.send()

    def _forgive(self) -> None:
        self._settled += self._owed(now_ps())

    async def _run(self) -> None:
        while True:
            while self._held or not self._owed(now_ps() + 1):
                self._wake.clear()
                self._monitor.tell_beat(self._wake.set)
                await self._wake.wait()
            for _ in range(max(1, self._draws.between(self._latency.low, self._latency.high) - 1)):
                await self._clock.rising_edge
            count = self._owed(now_ps())
            if self._held or not count:
                continue
            self._settled += count
            try:
                await self._credit.send_all([()] * count)
            except TransferAborted:
                return
