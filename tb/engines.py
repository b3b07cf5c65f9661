"""The two engines an environment can stand on: beats moved in Python (tb/agents) or in C (tb/fast)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyuvm import uvm_component

from ref_model.errors import UserError
from tb.agents.axi import AxiMemoryAgent
from tb.agents.axis_mac import MacAgent
from tb.agents.host_memory import HostMemory
from tb.agents.mac import FrameAgent
from tb.agents.pins import ClockResetPins, now_ps
from tb.fast.engine import EngineMemory, engine
from tb.fast.hub import FastHub
from tb.fast.mac import FastMacAgent
from tb.fast.memory import FastMemoryAgent
from tb.fast.ports import FastPort, FastPorts, clock_reset_of


@dataclass(frozen=True)
class Kit:
    """What differs between the engines: agents of streams and memory ports, memory, pins, the hub."""

    mac: type[FrameAgent]
    memory_agent: type[Any]
    memory: HostMemory
    pins: ClockResetPins
    hub: FastHub | None


def kit(
    name: str, dut: Any, parent: uvm_component, pins: ClockResetPins, ports: Mapping[str, FastPort]
) -> Kit:
    """Return the parts of engine ``name`` (``c`` or ``python``) for one environment.

    ``pins``: clocks, resets and idle inputs of the bare top; ``ports``: where its streams and memories are in
    the C engine.

    Raises:
        UserError: no such engine, or a simulation that was built without the C engine.
    """
    if name == "python":
        return Kit(MacAgent, AxiMemoryAgent, HostMemory(), pins, None)
    if name != "c":
        raise UserError(f"unknown engine {name!r}: allowed are c, python")
    library = engine()
    library.clear()
    FastPorts(ports, dut).publish(parent)
    memory = HostMemory(memory=EngineMemory(library, now_ps))
    hub = FastHub("hub", parent, library, dut.fast_wake)
    return Kit(FastMacAgent, FastMemoryAgent, memory, clock_reset_of(pins, ports), hub)
