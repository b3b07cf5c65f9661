"""Environment for the agent self-tests: every agent on ``tb_ernic`` around the loop-back stand-in."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import cocotb
from pyuvm import ConfigDB, uvm_env, uvm_test

from tb.agents import ernic_pins as pins
from tb.agents.axil import AxilAgent
from tb.agents.clock_reset import ClockReset
from tb.agents.generators import StallConfig
from tb.agents.irq import IrqAgent
from tb.agents.pause import PauseAgent
from tb.agents.protocol import ProtocolMonitor
from tb.agents.sideband import SideBandSinkAgent, SideBandSourceAgent
from tb.engines import kit
from tb.fast.engine import LIBRARY
from tb.fast.ernic import PORTS
from tb.fast.hub import FastHub

PERIOD = 4000


class Log:
    """Collects the events of everything it is connected to."""

    def __init__(self, hub: FastHub | None = None) -> None:
        self.events: list[Any] = []
        self._hub = hub

    def fetch(self) -> None:
        """Take what has finished in the C engine."""
        if self._hub is not None:
            self._hub.drain()

    def write(self, event: Any) -> None:
        """Take one event."""
        self.events.append(event)

    def of(self, kind: type) -> list[Any]:
        """Return the events of one class."""
        self.fetch()
        return [e for e in self.events if isinstance(e, kind)]


class AgentsEnv(uvm_env):
    """All agents; ``knobs`` maps agent names to further configuration fields."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {}
    seed = 1

    def build_phase(self) -> None:
        """Create configurations and agents."""
        dut = cocotb.top
        parts = kit("c" if LIBRARY in os.environ else "python", dut, self, pins.CLOCK_RESET, PORTS)
        self.hub = parts.hub
        self.log = Log(parts.hub)
        self.memory = parts.memory
        self.clock_reset = ClockReset(dut, PERIOD, parts.pins, name="clock_reset", parent=self)

        def add(kind: Any, name: str, config: Any) -> Any:
            ConfigDB().set(self, name, "config", config)
            return kind.create(name, self)

        def knobs(name: str) -> dict[str, Any]:
            return self.knobs.get(name, {})

        self.axil = add(AxilAgent, "axil", pins.axil_config(dut, self.seed, **knobs("axil")))
        self.memories = {
            port: add(
                parts.memory_agent,
                port,
                pins.memory_config(dut, port, self.memory, self.seed, **knobs("memory")),
            )
            for port in pins.MEMORY_PORTS
        }
        self.mac = add(parts.mac, "mac", pins.roce_mac_config(dut, self.seed, **knobs("mac")))
        self.other_mac = add(parts.mac, "other_mac", pins.non_roce_mac_config(dut, self.seed, **knobs("mac")))
        self.host_stream = add(parts.mac, "host_stream", pins.host_stream_config(dut, self.seed))
        self.sinks = {
            port: add(SideBandSinkAgent, port, pins.side_band_config(dut, port, self.seed, **knobs("sink")))
            for port in pins.SINK_PORTS
        }
        self.sources = {
            port: add(SideBandSourceAgent, port, pins.side_band_config(dut, port, self.seed))
            for port in pins.SOURCE_PORTS
        }
        self.pause = add(PauseAgent, "pause", pins.pause_config(dut))
        self.irq = add(IrqAgent, "irq", pins.irq_config(dut))
        self.protocol = add(ProtocolMonitor, "protocol", pins.protocol_config(dut))
        self.agents = [
            self.axil,
            *self.memories.values(),
            self.mac,
            self.other_mac,
            self.host_stream,
            *self.sinks.values(),
            *self.sources.values(),
            self.pause,
            self.irq,
        ]

    def connect_phase(self) -> None:
        """Everything into one log."""
        self.monitors = [m for agent in self.agents for m in agent.monitors] + [self.protocol]
        for monitor in self.monitors:
            monitor.ap.subscribers.append(self.log)
            if self.hub is not None:
                self.hub.add(monitor)
        self.clock_reset.ap.subscribers.append(self.log)
        self.memory.ap.connect(self.log)


class AgentTest(uvm_test):
    """Base of the self-tests: environment, reset, scenario, no protocol violation left."""

    knobs: ClassVar[dict[str, dict[str, Any]]] = {}
    violations_expected = False

    def build_phase(self) -> None:
        """Create the environment."""
        self.dut: Any = cocotb.top
        AgentsEnv.knobs = self.knobs
        self.env = AgentsEnv.create("env", self)

    async def run_phase(self) -> None:
        """Reset and run the scenario under one objection."""
        self.raise_objection()
        await self.env.clock_reset.start()
        await self.scenario()
        self.env.log.fetch()
        if not self.violations_expected:
            assert not self.env.protocol.count, self.env.log.events[-1]
        assert all(m.open_begin() is None for m in self.env.monitors)
        self.drop_objection()

    async def scenario(self) -> None:
        """What the test does."""
        raise NotImplementedError


MIXED = {name: StallConfig.named(name) for name in ("light", "heavy", "bursts")}
