"""The far side of a port that spends credits: gives one back for every beat it took, after a while.

Sits on the monitor of the port and on the source of the credit pulses. A batch of beats stays in the buffer
of the far side for a number of clocks that is drawn, then their credits come back at once, a pulse each.
"""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.task import Task
from cocotb.triggers import Event

from ref_model.streams import Draws
from tb.agents.axis_mac import FrameOutMonitor
from tb.agents.generators import Latency
from tb.agents.pins import TransferAborted
from tb.agents.sideband import SideBandSourceAgent


class CreditReturn:
    """Returns the credits of one port, ``period_ps`` being its clock."""

    def __init__(
        self,
        monitor: FrameOutMonitor,
        credit: SideBandSourceAgent,
        restore: SideBandSourceAgent,
        latency: Latency,
        seed: int,
        per_frame: bool = False,
    ) -> None:
        """``latency``: clocks a beat stays in the buffer; ``per_frame``: a credit is worth a whole frame."""
        self._credit = credit
        self._restore = restore
        self._latency = latency
        self._draws = Draws.of(seed, "credit_return")
        self._per_frame = per_frame
        self._clock: Any = credit.config.clock
        self._owed = 0
        self._held = False
        self._wake = Event()
        self._task: Task[None] | None = None
        monitor.on_accept = self._took

    def _took(self, count: int, last: bool, now: int) -> None:
        if last or not self._per_frame:
            self._owed += 1
            self._wake.set()

    def start(self) -> None:
        """Reset released: nothing is owed."""
        self._owed = 0
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
        return self._held or not self._owed

    def hold(self) -> None:
        """Give nothing back until :meth:`release`."""
        self._held = True

    def release(self) -> None:
        """End :meth:`hold`."""
        self._held = False
        self._wake.set()

    async def restore(self) -> None:
        """Make the credit whole; what was owed is forgiven."""
        self._owed = 0
        await self._restore.send()

    async def _run(self) -> None:
        while True:
            while self._held or not self._owed:
                self._wake.clear()
                await self._wake.wait()
            for _ in range(self._draws.between(self._latency.low, self._latency.high) - 1):
                await self._clock.rising_edge
            if self._held or not self._owed:
                continue
            count, self._owed = self._owed, 0
            try:
                await self._credit.send_all([()] * count)
            except TransferAborted:
                return
