"""Clocks and resets of a DUT.

All clocks run in phase at one period (GPI clocks: the simulator toggles them without Python). A reset covers
all domains at once and is published as two Reset events; single domains can be reset for robustness tests,
their events name the pin.
"""

from __future__ import annotations

from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import Timer
from pyuvm import uvm_analysis_port, uvm_component

from ref_model.errors import UserError
from ref_model.events import Reset
from tb.agents.ernic_pins import CLOCK_RESET
from tb.agents.pins import ClockResetPins, now_ps, wait_for_level

_DONE_CLOCKS = 8192
_FIRST_LOW = 1000  # ps before the clocks start, low half first


class ClockReset(uvm_component):
    """Starts the clocks and resets the DUT; ``ap`` publishes Reset events."""

    def __init__(
        self,
        dut: Any,
        period_ps: int,
        pins: ClockResetPins = CLOCK_RESET,
        name: str = "clock_reset",
        parent: uvm_component | None = None,
    ) -> None:
        super().__init__(name, parent)
        if period_ps < 2 or period_ps % 2:
            raise UserError(f"clock period {period_ps} ps, allowed are even numbers from 2 ps on")
        self._dut = dut
        self._pins = pins
        self.period_ps = period_ps
        self.ap: Any = uvm_analysis_port("ap", self)
        self._clocks: list[Clock] = []
        self._first_edge = 0

    def _drive_resets(self, asserted: bool) -> None:
        for name, level in self._pins.resets.items():
            getattr(self._dut, name).value = level if asserted else 1 - level

    @property
    def main_clock(self) -> Any:
        """Handle of the first clock, which times resets."""
        return getattr(self._dut, self._pins.clocks[0])

    async def start(self, cycles: int = 16) -> None:
        """Drive idle inputs and resets, start the clocks, hold the reset and release it.

        Inputs and resets settle before the first edge and the reset lasts ``cycles`` clocks: a 4-state
        simulator would otherwise carry X into the models.
        """
        for name, level in self._pins.inputs.items():
            getattr(self._dut, name).value = level
        for name in self._pins.clocks:
            getattr(self._dut, name).value = 0
        self._drive_resets(True)
        self.ap.write(Reset(now_ps(), True))
        await Timer(_FIRST_LOW, "ps")
        self._first_edge = now_ps() + self.period_ps // 2
        for name in self._pins.clocks:
            clock = Clock(getattr(self._dut, name), self.period_ps, unit="ps", impl="gpi")
            clock.start(start_high=False)
            self._clocks.append(clock)
        await self._hold_and_release(cycles)

    def stop(self) -> None:
        """Stop the clocks (end of test)."""
        for clock in self._clocks:
            clock.stop()
        self._clocks.clear()

    async def reset(self, cycles: int = 16) -> None:
        """Reset all domains for ``cycles`` clocks (3 and above) in the middle of whatever goes on.

        Returns when the DUT reports the end of its internal reset; TimeoutError if it does not within 8192
        clocks.
        """
        if cycles < 3:
            raise UserError(f"reset of {cycles} clocks, allowed is 3 and above")
        await self.main_clock.rising_edge
        self._drive_resets(True)
        self.ap.write(Reset(now_ps(), True))
        await self._hold_and_release(cycles)

    async def reset_domain(self, name: str, cycles: int = 16) -> None:
        """Reset one domain only, by the name of its reset pin."""
        if name not in self._pins.resets:
            raise UserError(f"reset pin {name!r} is unknown, allowed are {', '.join(self._pins.resets)}")
        pin, level = getattr(self._dut, name), self._pins.resets[name]
        await self.main_clock.rising_edge
        pin.value = level
        self.ap.write(Reset(now_ps(), True, name))
        await self.clocks(cycles)
        pin.value = 1 - level
        self.ap.write(Reset(now_ps(), False, name))

    async def _hold_and_release(self, cycles: int) -> None:
        await self.clocks(cycles)
        self._drive_resets(False)
        self.ap.write(Reset(now_ps(), False))
        if self._pins.done:
            await self.main_clock.rising_edge
            done = getattr(self._dut, self._pins.done)
            if not await wait_for_level(done, 1, _DONE_CLOCKS * self.period_ps):
                raise TimeoutError(f"{self._pins.done} not 1 within {_DONE_CLOCKS} clocks after reset")

    def off_edge(self, time: int) -> int:
        """Return ``time`` (ps) or the picosecond after it, whichever is on no clock edge of a run.

        Simulators differ in whether a timer or an edge of the same moment comes first. All edges have the
        parity of the first one, since the period is even.
        """
        return time + (time % 2 == self._first_edge % 2)

    async def clocks(self, count: int) -> None:
        """Wait for ``count`` rising edges of the main clock, waking twice and not once per edge."""
        edge = self.main_clock.rising_edge
        await edge
        if count > 1:
            await Timer((count - 1) * self.period_ps - self.period_ps // 2, "ps")
            await edge
