"""Where the ports of a top are in the C engine: tables of the targets, found by pin prefix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyuvm import ConfigDB, uvm_component

from ref_model.errors import UserError
from tb.agents.pins import ClockResetPins

_KEY = "fast_ports"


@dataclass(frozen=True, slots=True)
class FastPort:
    """Where a stream or memory port is in the engine and in the vector ``fast_hold`` of the top.

    ``monitor``: the port number of the monitor of a source; ``hold``: lowest hold bit.
    """

    number: int
    monitor: int = -1
    hold: int = -1


class FastPorts:
    """The ports of one top by the prefix of their pins, and its hold bits, which keep READY low."""

    def __init__(self, table: Mapping[str, FastPort], top: Any) -> None:
        self._table = table
        self._top = top
        self._bits = 0

    def publish(self, parent: uvm_component) -> None:
        """Let the agents below ``parent`` find this."""
        ConfigDB().set(parent, "*", _KEY, self)

    @staticmethod
    def of(component: uvm_component) -> FastPorts:
        """The ports of the environment ``component`` is in."""
        found: FastPorts = ConfigDB().get(component, "", _KEY)
        return found

    def port(self, prefix: str) -> FastPort:
        """Return the port with this pin prefix; UserError names the allowed ones."""
        if prefix not in self._table:
            allowed = ", ".join(self._table)
            raise UserError(f"port {prefix!r} is not on the C engine, allowed are {allowed}")
        return self._table[prefix]

    def width(self, prefix: str, data: str) -> int:
        """Bytes of the bus ``data`` (tdata, wdata) of this port."""
        return len(getattr(self._top, f"{prefix}_{data}")) // 8

    def hold(self, bit: int, on: bool) -> None:
        """Set or clear one hold bit."""
        self._bits = self._bits | 1 << bit if on else self._bits & ~(1 << bit)
        self._top.fast_hold.value = self._bits


def clock_reset_of(pins: ClockResetPins, table: Mapping[str, FastPort]) -> ClockResetPins:
    """``pins`` of clocks, resets and idle inputs with the streams of ``table`` as wires inside the top."""
    inside = tuple(table)
    inputs = {pin: level for pin, level in pins.inputs.items() if not pin.startswith(inside)}
    return replace(pins, inputs=inputs | {"fast_hold": 0})
