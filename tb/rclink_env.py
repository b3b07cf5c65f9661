"""The RCLINK environment: agents on all pins, link partner, host, model, scoreboard.

::

    RclinkHost --RegPort--> AxilAgent ------+                    +--- AxiMemoryAgent x2 --- HostMemory
         |                                  |    +---------+     |
         +--TokenClient--> client (TX_S) ---+--> |   DUT   | <---+--- client (RX_M), CreditReturn
                                            |    +---------+     |
    RclinkPartner --frames--> mac ----------+                    +--- pulses, levels
                                            +--- monitors: ap ---+--> Scoreboard (merge -> RclinkModel)
"""

from __future__ import annotations

import cocotb
from cocotb.triggers import Timer
from pyuvm import ConfigDB

from ref_model.events import Reset
from ref_model.rclink import RclinkModel, ports
from ref_model.streams import stream
from tb.agents import rclink_pins as pins
from tb.agents.axil import AxilAgent
from tb.agents.base import Agent
from tb.agents.clock_reset import ClockReset
from tb.agents.credits import CreditReturn
from tb.agents.generators import StallConfig
from tb.agents.levels import LevelsAgent
from tb.agents.pins import now_ps
from tb.agents.protocol import ProtocolMonitor
from tb.agents.sideband import SideBandSinkAgent, SideBandSourceAgent
from tb.agents.tokens import TokenClient
from tb.engines import kit
from tb.env import Env
from tb.fast.rclink import PORTS
from tb.host.rclink import RclinkHost
from tb.partner import RclinkPartner
from tb.scoreboard import Model, Tap


class RclinkEnv(Env):
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
        self.axil = self.agent("axil", AxilAgent, pins.axil_config(dut, seed, **slow_registers))
        pacing = {"gaps": stalls, "stalls": stalls, "period_ps": config.period_ps}
        self.client_port = self.agent("client", parts.mac, pins.client_config(dut, seed, **pacing))
        self.mac = self.agent("mac", parts.mac, pins.mac_config(dut, seed, speed=config.line_rate, **pacing))
        slow = {
            "period_ps": config.period_ps,
            "write_latency": config.latency,
            "read_latency": config.latency,
            **dict.fromkeys(("aw_stall", "w_stall", "ar_stall", "b_gap", "r_gap"), stalls),
        }
        self.ports = {
            port: self.agent(
                f"axi_{port}", parts.memory_agent, pins.memory_config(dut, port, self.memory, seed, **slow)
            )
            for port in pins.MEMORY_PORTS
        }
        self.inputs = {
            port: self.agent(f"pulse_{port}", SideBandSourceAgent, pins.pulse_config(dut, port, seed))
            for port in ports.PULSES_IN
        }
        self.outputs = {
            port: self.agent(f"pulse_{port}", SideBandSinkAgent, pins.pulse_config(dut, port, seed))
            for port in ports.PULSES_OUT
        }
        self.levels = self.agent("levels", LevelsAgent, pins.levels_config(dut))
        ConfigDB().set(self, "protocol", "config", pins.protocol_config(dut))
        self.protocol = ProtocolMonitor.create("protocol", self)

    @property
    def agents(self) -> list[Agent]:
        """All agents."""
        pulses = (*self.inputs.values(), *self.outputs.values())
        return [self.axil, self.client_port, self.mac, *self.ports.values(), *pulses, self.levels]

    @property
    def main_agent(self) -> Agent:
        """The agent of the MAC port."""
        agent: Agent = self.mac
        return agent

    def model(self) -> Model:
        """Make the RCLINK observer."""
        config = self.config
        return RclinkModel(config.knobs, config.period_ps, config.settle_clks, config.pipe_out_clks)

    def connect_phase(self) -> None:
        """Connect memory, tokens and credits; make partner and host."""
        super().connect_phase()
        config, knobs = self.config, self.config.knobs
        self.scoreboard.hang_rules = pins.HANGS
        self.scoreboard.notes = list
        self.memory.ap.connect(Tap("host_tap", self, self.scoreboard.put))
        tokens = {ports.TOKEN_TYPE1: int(knobs["TYPE1_OST_N"]), ports.TOKEN_TYPE2: int(knobs["TYPE2_OST_N"])}
        self.client = TokenClient(self.client_port, tokens)
        self.outputs[ports.TX_S_CRD].monitor.ap.connect(Tap("token_tap", self, self.client.returned))
        self.credits = CreditReturn(
            self.mac.monitor_out,
            self.inputs[ports.MAC_CREDIT],
            self.inputs[ports.MAC_CREDIT_RST],
            config.latency,
            config.seed,
            per_frame=knobs["UNIT"] == "PKT",
        )
        self.partner = RclinkPartner(
            self.mac, knobs, config.period_ps, stream(config.seed, "partner"), self.clock_reset.off_edge
        )
        self.host = RclinkHost(self.axil.port, self.memory, self.client, knobs, self._sleep)
        self.clock_reset.ap.connect(Tap("restart_tap", self, self._reset))

    def _reset(self, event: Reset) -> None:
        """Tokens and credits begin anew."""
        if event.asserted:
            self.client.reset()
            self.credits.abort()
        else:
            self.credits.start()

    async def _sleep(self, ps: int) -> None:
        """Wait for about ``ps`` picoseconds, until a moment that is no clock edge."""
        now = now_ps()
        await Timer(self.clock_reset.off_edge(now + ps) - now, "ps")

    def stimulus(self) -> str:
        """Whether something still sends into the DUT."""
        if not (self.partner.idle and self.mac.input_idle):
            return "the link partner still sends"
        if not self.client.idle:
            return "the client still sends"
        return "" if self.credits.idle else "MAC credits are on their way"

    def stop(self) -> None:
        """The link partner falls silent."""
        self.partner.stop()

    async def downstream_reset(self) -> None:
        """The MAC is reset: its own credit and that of the channels, in the same clock."""
        channels = self.inputs[ports.CBFC_RESET]
        for task in [cocotb.start_soon(job) for job in (self.credits.restore(), channels.send())]:
            await task

    async def read_status(self) -> None:
        """Read every status register the run touched."""
        host = self.host
        for name in STATUS:
            await host.read(name)
        for number in self.judge.subjects():
            for name in QP_STATUS:
                await host.read(name, number)


STATUS = ("INTR_STATUS", "XON_THR_RDMA", "TX_MD_TAIL_PTR", "RX_MD_TAIL_PTR", "DMA_INTR_ST1", "DMA_INTR_ST0")
QP_STATUS = (
    "QP_CONTROL_STATUS",
    "TX_EPSN_MEM",
    "EXPECT_RESP_PSN_MEM",
    "TX_LAST_PSN_MEM",
    "TX_MAX_FW_PSN_MEM",
    "REQ_CHK_SN_MEM",
    "TX_ACK_SN_MEM",
    "RETRY_CNT_MEM",
    "TX_CC_BYTE_CNT_MEM",
)
