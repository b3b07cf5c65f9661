"""Reading pins safely and the few helpers every agent shares.

Values are sampled in the callback of the rising clock edge: both supported simulators run it before the
non-blocking assignments of that edge, so an agent sees exactly what a flip-flop of the DUT would see.

``high`` and ``word`` read the simulator's bit string below ``.value``: they run several times per clock, and
the value objects around the string cost five times (one bit) and twice (512 bits) as much as reading it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cocotb import simulator
from cocotb.simtime import convert
from cocotb.triggers import First, Timer
from cocotb.types import Logic

_UNKNOWN = str.maketrans(dict.fromkeys("XxZzUuWwLl-", "0") | dict.fromkeys("Hh", "1"))


class TransferAborted(Exception):
    """A reset cut the transfer somebody was waiting for; the text names the interface."""


def now_ps() -> int:
    """Return the simulation time in picoseconds (the simulator precision must be 1 ps or coarser)."""
    high_word, low_word = simulator.get_sim_time()
    return (high_word << 32 | low_word) * _ps_per_step()


@cache
def _ps_per_step() -> int:
    return round(convert(1, "step", to="ps"))


def high(pin: Any) -> bool:
    """Return True when the one-bit ``pin`` is 1; X and Z count as 0."""
    return pin._handle.get_signal_val_binstr() == "1"


def word(pin: Any) -> int:
    """Return the value of a pin of any width as an unsigned integer; unknown bits read as 0."""
    bits = pin._handle.get_signal_val_binstr()
    try:
        return int(bits, 2)
    except ValueError:
        return int(bits.translate(_UNKNOWN), 2)


async def wait_for_level(pin: Any, level: int, timeout_ps: int) -> bool:
    """Wait until the one-bit ``pin`` has ``level``; return False after ``timeout_ps`` picoseconds."""
    deadline = now_ps() + timeout_ps
    while high(pin) != bool(level):
        left = deadline - now_ps()
        if left <= 0:
            return False
        await First(pin.value_change, Timer(left, "ps"))
    return True


@dataclass(frozen=True)
class ClockResetPins:
    """Names of the pins of a DUT top: clocks, resets with their active level, idle inputs.

    ``done`` is an output that says by 1 that the internal reset is over ("" when there is none); ``inputs``
    are the levels of inputs which no agent may be there to drive.
    """

    clocks: tuple[str, ...]
    resets: Mapping[str, int]
    done: str = ""
    inputs: Mapping[str, int] = field(default_factory=dict)


def quiet_models(entity: Any) -> None:
    """Silence the per-item chatter of the cocotbext models under ``entity``; warnings still show."""
    logging.getLogger(f"cocotb.{entity._name}").setLevel(logging.WARNING)


class Payload:
    """Output pins written as one tuple; a pin that keeps its level is not written again."""

    def __init__(self, pins: tuple[Any, ...]) -> None:
        self._pins = pins
        self._levels: list[int | None] = [None] * len(pins)

    def __len__(self) -> int:
        """Number of pins."""
        return len(self._pins)

    def drive(self, values: tuple[int, ...]) -> None:
        """Drive all pins."""
        for index, value in enumerate(values):
            if self._levels[index] != value:
                self._levels[index] = value
                self._pins[index].value = value


class ResetLine:
    """One reset pin with its active level (0: active low, 1: active high); X counts as asserted."""

    def __init__(self, pin: Any, active_level: int) -> None:
        self._pin = pin
        self._inactive = Logic(1 - active_level)

    @property
    def asserted(self) -> bool:
        """Whether the reset is active now."""
        return self._pin.value is not self._inactive

    async def wait_asserted(self) -> None:
        """Return in the time step in which the reset is (or becomes) active."""
        while not self.asserted:
            await self._pin.value_change

    async def wait_released(self) -> None:
        """Return in the time step in which the reset is (or becomes) inactive."""
        while self.asserted:
            await self._pin.value_change
