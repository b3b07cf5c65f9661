"""Interrupt line agent: passive, one Irq event per change of level as the clock sees it.

A pulse that begins and ends between two clock edges is not an event; X counts as 0.
Not checked here: whether a level is right (the model), level in reset (tb/hdl/pin_checker.sv).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ref_model.events import Irq
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.pins import ResetLine, high, now_ps, wait_for_level


@dataclass
class IrqConfig:
    """Pins of one interrupt line (active high) and the clock that samples it."""

    pin: Any
    clock: Any
    reset: Any
    reset_active: int = 0


class IrqMonitor(Monitor):
    """Irq events from the pin."""

    def setup(self, config: IrqConfig) -> None:
        """Take the pins (called by the agent)."""
        self._pin, self._clock = config.pin, config.clock
        self.level = 0

    async def run_phase(self) -> None:
        """Watch the pin for ever, also during reset."""
        edge = self._clock.rising_edge
        while True:
            await self._pin.value_change
            await edge
            level = int(high(self._pin))
            if level != self.level:
                self.level = level
                self.publish(Irq(now_ps(), level))


class IrqAgent(Agent):
    """The monitor and a way to wait for a level."""

    def build_phase(self) -> None:
        """Create the monitor from the :class:`IrqConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, IrqConfig)
        self.reset_line = ResetLine(self.config.reset, self.config.reset_active)
        self.monitor = IrqMonitor.create("monitor", self)
        self.monitor.setup(self.config)

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor."""
        return (self.monitor,)

    async def wait_level(self, level: int, timeout_ps: int) -> None:
        """Return when the line has ``level``; TimeoutError after ``timeout_ps`` picoseconds."""
        if not await wait_for_level(self.config.pin, level, timeout_ps):
            raise TimeoutError(f"interrupt line not {level} within {timeout_ps} ps (at {now_ps()} ps)")
