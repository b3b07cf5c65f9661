"""Pause agent: drives stat_rx_pause_req, watches it and the pause outputs of the DUT.

One event per change of value as the clock sees it (PauseIn for the request into the DUT, PauseOut for
ctl_tx_pause_req and ctl_tx_resend_pause); these are slow signals, on either engine watched in Python.
Not checked here: which requests are right (the model).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cocotb

from ref_model.errors import UserError
from ref_model.events import PauseIn, PauseOut
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.pins import ResetLine, now_ps, word

LINES = 9
"""Width of the request vectors: priorities 0 to 7, and 8 for the whole link."""


@dataclass
class PauseConfig:
    """Pins of the pause interface and the clocks that sample them.

    ``stat`` is the 9-bit request into the DUT (clock of the receive MAC), ``outputs`` are the pause outputs
    by name (clock of the transmit MAC).
    """

    stat: Any
    stat_clock: Any
    outputs: dict[str, Any]
    clock: Any
    reset: Any
    reset_active: int = 1


class PauseMonitor(Monitor):
    """PauseIn and PauseOut events from the pins; ``requests`` is the last value of ctl_tx_pause_req."""

    def setup(self, config: PauseConfig) -> None:
        """Take the pins (called by the agent)."""
        self._config = config
        self.requests = 0
        self.on_requests: list[Callable[[int], None]] = []

    async def run_phase(self) -> None:
        """Watch all pins for ever, also during reset."""
        config = self._config
        for name, pin in config.outputs.items():
            cocotb.start_soon(self._watch(pin, config.clock, name))
        await self._watch(config.stat, config.stat_clock, "")

    async def _watch(self, pin: Any, clock: Any, name: str) -> None:
        edge, last = clock.rising_edge, 0
        while True:
            await pin.value_change
            await edge
            value = word(pin)
            if value == last:
                continue
            last = value
            self.publish(PauseOut(now_ps(), name, value) if name else PauseIn(now_ps(), value))
            if name == "ctl_tx_pause_req":
                self.requests = value
                for callback in self.on_requests:
                    callback(value)


class PauseAgent(Agent):
    """The monitor and the driver of the request into the DUT."""

    def build_phase(self) -> None:
        """Create the monitor from the :class:`PauseConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, PauseConfig)
        self.reset_line = ResetLine(self.config.reset, self.config.reset_active)
        self.monitor = PauseMonitor.create("monitor", self)
        self.monitor.setup(self.config)
        self._value = 0

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor."""
        return (self.monitor,)

    def drive_idle(self) -> None:
        """No request."""
        self._value = 0
        self.config.stat.value = 0

    def abort(self) -> None:
        """Reset asserted: no request."""
        self.drive_idle()

    async def request(self, *lines: int) -> None:
        """Ask the DUT to pause exactly these priorities (0 to 8; none: go on); returns a clock later."""
        wrong = [line for line in lines if not 0 <= line < LINES]
        if wrong:
            raise UserError(f"pause request of priority {wrong[0]}, allowed are 0 to {LINES - 1}")
        await self.config.stat_clock.rising_edge
        self._value = sum(1 << line for line in set(lines))
        self.config.stat.value = self._value
        await self.config.stat_clock.rising_edge

    @property
    def asked(self) -> int:
        """The request vector driven now."""
        return self._value
