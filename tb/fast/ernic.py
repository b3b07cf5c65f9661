"""Where the ports of ``tb_ernic_fast`` are in the C engine; the numbers are those of the HDL."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from ref_model.errors import UserError
from tb.agents.ernic_pins import CLOCK_RESET, MEMORY_PORTS
from tb.agents.pins import ClockResetPins
from tb.fast.hub import FastPort, Holds

#: Bytes of every stream and memory bus.
WIDTH = 64

PORTS = {
    **{f"{port}_m_axi": FastPort(number, hold=3 * number) for number, port in enumerate(MEMORY_PORTS)},
    "roce_cmac_s_axis": FastPort(6, monitor=7),
    "non_roce_cmac_s_axis": FastPort(8, monitor=9),
    "non_roce_dma_s_axis": FastPort(10, monitor=11),
    "cmac_m_axis": FastPort(12, hold=18),
    "non_roce_dma_m_axis": FastPort(13, hold=19),
}


def fast_clock_reset() -> ClockResetPins:
    """Return the pins of clocks, resets and idle inputs: the streams are wires inside the top."""
    inside = tuple(PORTS)
    inputs = {pin: level for pin, level in CLOCK_RESET.inputs.items() if not pin.startswith(inside)}
    return replace(CLOCK_RESET, inputs=inputs | {"fast_hold": 0})


def port_of(prefix: str) -> FastPort:
    """Return the port with this pin prefix; UserError names the allowed ones."""
    if prefix not in PORTS:
        raise UserError(f"port {prefix!r} is not on the C engine, allowed are {', '.join(PORTS)}")
    return PORTS[prefix]


@lru_cache(maxsize=1)
def holds(top: Any) -> Holds:
    """Return the hold bits of the top."""
    return Holds(top.fast_hold)
