"""Levels of a DUT as one packed vector: an event for each part that changed, and a driver of the inputs.

The top gathers all levels, inputs included, in one vector, so that one coroutine wakes per clock with a
change whatever their number. Publishes SideBand events (begin = settled: the edge that shows the value); a
level is 0 from a reset on until it shows otherwise behind it, and unknown bits count as 0.
Not checked here: which levels are right (the model), unknown bits (tb/hdl/pin_checker.sv).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.task import Task

from ref_model.errors import UserError
from ref_model.events import SideBand
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.pins import ResetLine, now_ps, word


@dataclass
class LevelsConfig:
    """The vector, the width in bits of each level by its name (the lowest first), and the pins of inputs."""

    vector: Any
    widths: Mapping[str, int]
    inputs: Mapping[str, Any]
    clock: Any
    reset: Any
    reset_active: int = 0


class LevelsMonitor(Monitor):
    """SideBand events from the vector; ``values`` are the levels by name."""

    def setup(self, config: LevelsConfig) -> None:
        """Take the pins (called by the agent); UserError when the widths do not add up to the vector."""
        self._config = config
        self._task: Task[None] | None = None
        self.values = dict.fromkeys(config.widths, 0)
        total = sum(config.widths.values())
        if len(config.vector) != total:
            raise UserError(f"levels: a vector of {len(config.vector)} bits, {total} configured")

    def start(self) -> None:
        """Reset released: whatever is not 0 now is an event."""
        self._task = cocotb.start_soon(self._run())

    def abort(self) -> None:
        """Reset asserted: all levels count as 0."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.values = dict.fromkeys(self.values, 0)

    async def _run(self) -> None:
        vector, edge, last = self._config.vector, self._config.clock.rising_edge, 0
        while True:
            await edge
            value = word(vector)
            if value != last:
                self._changed(value, value ^ last)
                last = value
            await vector.value_change

    def _changed(self, value: int, changed: int) -> None:
        now, lsb = now_ps(), 0
        for name, width in self._config.widths.items():
            mask = (1 << width) - 1
            if changed >> lsb & mask:
                self.values[name] = value >> lsb & mask
                self.publish(SideBand(now, now, name, (self.values[name],)))
            lsb += width


class LevelsAgent(Agent):
    """The monitor and the drivers of the inputs."""

    def build_phase(self) -> None:
        """Create the monitor from the :class:`LevelsConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, LevelsConfig)
        self.reset_line = ResetLine(self.config.reset, self.config.reset_active)
        self.monitor = LevelsMonitor.create("monitor", self)
        self.monitor.setup(self.config)

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor."""
        return (self.monitor,)

    @property
    def values(self) -> Mapping[str, int]:
        """All levels by name, as the clock saw them last."""
        return self.monitor.values

    def drive_idle(self) -> None:
        """All inputs 0."""
        for pin in self.config.inputs.values():
            pin.value = 0

    def start(self) -> None:
        """Reset released."""
        self.monitor.start()

    def abort(self) -> None:
        """Reset asserted: all inputs 0."""
        self.monitor.abort()
        self.drive_idle()

    async def drive(self, name: str, value: int) -> None:
        """Give the input ``name`` a new level; returns a clock later. UserError for a name that is none."""
        if name not in self.config.inputs:
            raise UserError(f"level {name!r} is no input, allowed are {', '.join(self.config.inputs)}")
        await self.config.clock.rising_edge
        self.config.inputs[name].value = value
        await self.config.clock.rising_edge
