"""The HERMON CQ environment: agents on all pins, producer and host, model, scoreboard.

::

    HermonHost --RegPort--> AxilAgent x2 (cmd, uar) --+   +---------+   +-- AxiMemoryAgent --- HostMemory
         |                                            |   |         |   |
    Producer --reports--> cpl (source), sts (sink) ---+-> |   DUT   | <-+-- TickAgent, LevelsAgent (irq)
                                                      |   +---------+   |
                                                      +- monitors: ap --+--> Scoreboard (merge -> model)
"""

from __future__ import annotations

from cocotb.triggers import Timer
from pyuvm import ConfigDB

from ref_model.events import Reset
from ref_model.hermon_cq import HermonModel
from ref_model.streams import stream
from tb.agents import hermon_pins as pins
from tb.agents.axil import AxilAgent
from tb.agents.base import Agent
from tb.agents.clock_reset import ClockReset
from tb.agents.generators import StallConfig
from tb.agents.levels import LevelsAgent
from tb.agents.protocol import ProtocolMonitor
from tb.agents.sideband import SideBandSinkAgent, SideBandSourceAgent
from tb.agents.tick import TickAgent
from tb.engines import kit
from tb.env import Env
from tb.fast.hermon_cq import PORTS
from tb.host.hermon import HermonHost
from tb.host.hermon_producer import Producer
from tb.scoreboard import Model, Tap


class HermonEnv(Env):
    """Builds and connects everything."""

    def build_phase(self) -> None:
        """Create the agents with their typed configurations."""
        super().build_phase()
        config = self.config
        dut, seed = config.dut, config.seed
        stalls = StallConfig.named(config.stalls)
        parts = kit(config.engine, dut, self, pins.CLOCK_RESET, PORTS)
        self.memory, self.hub = parts.memory, parts.hub
        self.clock_reset = ClockReset(dut, config.period_ps, parts.pins, parent=self)
        registers = StallConfig.named(config.register_stalls)
        slow_registers = dict.fromkeys(("skew", "b_stall", "r_stall"), registers)
        self.axil = self.agent("cmd", AxilAgent, pins.command_config(dut, seed, **slow_registers))
        self.uar = self.agent("uar", AxilAgent, pins.uar_config(dut, seed, **slow_registers))
        slow = {
            "period_ps": config.period_ps,
            "write_latency": config.latency,
            "read_latency": config.latency,
            **dict.fromkeys(("aw_stall", "w_stall", "ar_stall", "b_gap", "r_gap"), stalls),
        }
        self.axi = self.agent("axi", parts.memory_agent, pins.memory_config(dut, self.memory, seed, **slow))
        self.cpl = self.agent("cpl", SideBandSourceAgent, pins.report_config(dut, seed, stalls=stalls))
        self.sts = self.agent("sts", SideBandSinkAgent, pins.status_config(dut, seed, stalls=stalls))
        self.tick = self.agent("tick", TickAgent, pins.tick_config(dut, period_ps=config.period_ps))
        self.irq = self.agent("irq", LevelsAgent, pins.irq_config(dut))
        ConfigDB().set(self, "protocol", "config", pins.protocol_config(dut))
        self.protocol = ProtocolMonitor.create("protocol", self)

    @property
    def agents(self) -> list[Agent]:
        """All agents."""
        return [self.axil, self.uar, self.axi, self.cpl, self.sts, self.tick, self.irq]

    @property
    def main_agent(self) -> Agent:
        """The agent of the command port, which every test uses."""
        agent: Agent = self.axil
        return agent

    def model(self) -> Model:
        """Make the observer of the engine."""
        config = self.config
        return HermonModel(config.knobs, config.period_ps, config.settle_clks, config.pipe_out_clks)

    def connect_phase(self) -> None:
        """Connect the memory; make producer and host."""
        super().connect_phase()
        config = self.config
        self.scoreboard.hang_rules = pins.HANGS
        self.scoreboard.notes = list
        self.memory.ap.connect(Tap("host_tap", self, self.scoreboard.put))
        self.producer = Producer(self.cpl.send_all, stream(config.seed, "producer"))
        self.sts.monitor.ap.connect(Tap("result_tap", self, self.producer.result))
        self.host = HermonHost(
            self.axil.port, self.uar.port, self.memory, config.knobs, stream(config.seed, "host"), _sleep
        )
        self.clock_reset.ap.connect(Tap("restart_tap", self, self._reset))

    def _reset(self, event: Reset) -> None:
        """The host begins anew."""
        if event.asserted:
            self.host.forget()

    def stimulus(self) -> str:
        """Whether the producer still sends."""
        return "" if self.cpl.idle else "reports are still offered"

    def stop(self) -> None:
        """Nobody stands on the other side."""

    async def read_status(self) -> None:
        """Read the counters, the event queues, and the context of every queue the hardware owns."""
        host = self.host
        for name in STATUS:
            await host.read(name)
        for number in host.open_queues():
            for name in EQ_STATUS:
                await host.read(name, number)
        for number in self.judge.subjects():
            await host.query(number)


async def _sleep(ps: int) -> None:
    await Timer(ps, "ps")


STATUS = ("STAT", "CNT_CPL", "CNT_CQE", "CNT_EQE", "CNT_REF")
EQ_STATUS = ("EQ_PI", "EQ_CI", "EQ_ST")
