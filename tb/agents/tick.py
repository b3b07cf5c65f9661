"""Pulses of a time base into the DUT, at a pace the bench sets: made in HDL, so that time costs no Python.

The top makes a pulse every ``clocks`` clocks while ``pace`` is not 0. Publishes a SideBand event when the
pace changes: begin is the first pulse, values are (picoseconds between pulses,), 0 for none. Checks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.task import Task

from ref_model.errors import UserError
from ref_model.events import SideBand
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.pins import ResetLine, high, now_ps

LONGEST = 0xFFFF


@dataclass
class TickConfig:
    """Pins: the pulse, and the clocks between two of them (16 bits, 0: none); ``period_ps`` of the clock."""

    port: str
    pulse: Any
    pace: Any
    clock: Any
    reset: Any
    period_ps: int
    clocks: int = 25
    reset_active: int = 0


class TickMonitor(Monitor):
    """Tells of each new pace."""

    def setup(self, config: TickConfig) -> None:
        """Take the pins (called by the agent)."""
        self._config = config
        self._task: Task[None] | None = None

    def changed(self, clocks: int) -> None:
        """The pace is new from now on."""
        self.cancel()
        now = now_ps()
        if not clocks:
            self.publish(SideBand(now, now, self._config.port, (0,)))
            return
        self._task = cocotb.start_soon(self._first(clocks))

    def cancel(self) -> None:
        """Wait for no pulse any more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _first(self, clocks: int) -> None:
        edge = self._config.clock.rising_edge
        await edge
        while not high(self._config.pulse):
            await edge
        now, self._task = now_ps(), None
        self.publish(SideBand(now, now, self._config.port, (clocks * self._config.period_ps,)))


class TickAgent(Agent):
    """Sets the pace; there are no pulses in reset."""

    def build_phase(self) -> None:
        """Create the monitor from the :class:`TickConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, TickConfig)
        self.reset_line = ResetLine(self.config.reset, self.config.reset_active)
        self.monitor = TickMonitor.create("monitor", self)
        self.monitor.setup(self.config)
        self._on = False

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor."""
        return (self.monitor,)

    def drive_idle(self) -> None:
        """No pulses."""
        self.config.pace.value = 0

    def start(self) -> None:
        """Reset released: pulses as configured."""
        self._on = True
        self._drive(self.config.clocks)

    def abort(self) -> None:
        """Reset asserted: no pulses."""
        self._on = False
        self.monitor.cancel()
        self.drive_idle()

    async def pace(self, clocks: int) -> None:
        """A pulse every ``clocks`` clocks from now on (2 and above), 0: none."""
        if clocks not in (0, *range(2, LONGEST + 1)):
            raise UserError(f"{self.config.port}: {clocks} clocks, allowed are 0 and 2 to {LONGEST}")
        self.config.clocks = clocks
        if self._on:
            await self.config.clock.rising_edge
            self.drive_idle()
            await self.config.clock.rising_edge
            self.monitor.changed(0)
            if clocks:
                await self.config.clock.rising_edge
                self._drive(clocks)

    def _drive(self, clocks: int) -> None:
        self.config.pace.value = clocks
        if clocks:
            self.monitor.changed(clocks)
