"""The ERNIC environment: agents on all pins, link partner, host, model, scoreboard.

::

    ErnicHost --RegPort--> AxilAgent ----+                      +--- AxiMemoryAgent x6 --- HostMemory
                                         |      +---------+     |
    LinkPartner --frames--> MacAgent ----+----> |   DUT   | <---+--- SideBand sinks, IrqAgent
                                         |      +---------+     |
                                         +--- monitors: ap -----+--> Scoreboard (merge -> ErnicModel)
"""

from __future__ import annotations

from cocotb.triggers import Timer
from pyuvm import ConfigDB

from ref_model.ernic import follow
from ref_model.registers import layout
from ref_model.streams import stream
from tb.agents import ernic_pins as pins
from tb.agents.axil import AxilAgent
from tb.agents.base import Agent
from tb.agents.clock_reset import ClockReset
from tb.agents.generators import StallConfig
from tb.agents.irq import IrqAgent
from tb.agents.pause import PauseAgent
from tb.agents.protocol import ProtocolMonitor
from tb.agents.sideband import SideBandSinkAgent, SideBandSourceAgent
from tb.engines import kit
from tb.env import Env
from tb.fast.ernic import PORTS
from tb.host import DeviceConfig, ErnicHost
from tb.host.names import RegisterNames
from tb.host.side_bands import SideBands
from tb.partner import LinkPartner, Notes
from tb.partner.line import PausableLine
from tb.scoreboard import Model, Tap

#: Highest queue pair number XRNIC_CONF_QP_EN[10:0] can name.
MOST_QPS = 2047


class ErnicEnv(Env):
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
        pacing = {"gaps": stalls, "stalls": stalls, "speed": config.line_rate}
        self.mac = self.agent("mac_roce", parts.mac, pins.roce_mac_config(dut, seed, **pacing))
        self.other_mac = self.agent("mac_non_roce", parts.mac, pins.non_roce_mac_config(dut, seed, **pacing))
        self.host_stream = self.agent("mac_host", parts.mac, pins.host_stream_config(dut, seed, gaps=stalls))
        slow = {
            "write_latency": config.latency,
            "read_latency": config.latency,
            **dict.fromkeys(("aw_stall", "w_stall", "ar_stall", "b_gap", "r_gap"), stalls),
        }
        self.ports = [
            self.agent(
                f"axi_{port}", parts.memory_agent, pins.memory_config(dut, port, self.memory, seed, **slow)
            )
            for port in pins.MEMORY_PORTS
        ]
        self.side_bands = [
            self.agent(
                f"sideband_{port}", SideBandSinkAgent, pins.side_band_config(dut, port, seed, stalls=stalls)
            )
            for port in pins.SINK_PORTS
        ]
        self.doorbells = {
            port: self.agent(
                f"sideband_{port}", SideBandSourceAgent, pins.side_band_config(dut, port, seed, stalls=stalls)
            )
            for port in pins.SOURCE_PORTS
        }
        self.pause = self.agent("pause", PauseAgent, pins.pause_config(dut))
        self.irq = self.agent("irq", IrqAgent, pins.irq_config(dut))
        ConfigDB().set(self, "protocol", "config", pins.protocol_config(dut))
        self.protocol = ProtocolMonitor.create("protocol", self)

    @property
    def agents(self) -> list[Agent]:
        """All agents."""
        macs = (self.mac, self.other_mac, self.host_stream)
        bands = (*self.side_bands, *self.doorbells.values())
        return [self.axil, *macs, *self.ports, *bands, self.pause, self.irq]

    @property
    def main_agent(self) -> Agent:
        """The MAC whose frames are RoCE."""
        agent: Agent = self.mac
        return agent

    def model(self) -> Model:
        """Make the ERNIC observer."""
        config = self.config
        return follow(config.knobs, config.period_ps, config.settle_clks, config.pipe_out_clks)

    def connect_phase(self) -> None:
        """Connect memory and lines; make partner and host."""
        super().connect_phase()
        self.scoreboard.hang_rules = pins.HANGS
        config = self.config
        self.memory.ap.connect(Tap("host_tap", self, self.scoreboard.put))
        self.line, self.other_line = PausableLine(self.mac), PausableLine(self.other_mac)
        self.pause.monitor.on_requests += [self.line.requests, self.other_line.requests]
        notes = Notes()
        self.scoreboard.notes = notes.take
        self.partner = LinkPartner(
            self.line, stream(config.seed, "partner"), notes, off_edge=self.clock_reset.off_edge
        )
        raw = config.knobs["QP_BASE_MODE"] == "raw"
        self.host = ErnicHost(
            self.axil.port,
            self.memory,
            RegisterNames(layout("ernic"), raw),
            DeviceConfig(qp_count=min(int(config.knobs["C_NUM_QP"]) - (1 if raw else 0), MOST_QPS)),
            stream(config.seed, "host"),
            _sleep,
            free_running=config.knobs["SQ_INDEX_FORM"] == "B",
            credit_first=config.knobs["RQ_CREDIT_MODE"] == "absolute",
        )
        self.host.side_bands = SideBands(
            {"SQPI": self.doorbells["sq_pidb"].send, "RQCI": self.doorbells["rq_cidb"].send}
        )

    def stimulus(self) -> str:
        """Whether the link partner still sends."""
        idle = self.partner.idle and self.line.idle and self.other_line.idle
        return "" if idle else "the link partner still sends"

    def stop(self) -> None:
        """The link partner falls silent."""
        self.partner.stop()

    async def read_status(self) -> None:
        """Read every status register the run touched."""
        host = self.host
        queues = self.judge.subjects()
        for name in STATUS:
            await host.read(name)
        for number in queues:
            for name in QP_STATUS:
                await host.read(name, number)
        for bank in sorted({number // 32 for number in queues}):
            for name in ("RQINTSTS", "CQINTSTS", "CNPSCHDSTS"):
                await host.read(name, bank)


async def _sleep(ps: int) -> None:
    await Timer(ps, "ps")


STATUS = (
    "INSRRPKTCNT",
    "INAMPKTCNT",
    "OUTIOPKTCNT",
    "OUTAMPKTCNT",
    "LSTINPKT",
    "LSTOUTPKT",
    "ININVDUPCNT",
    "WQEPROCSTS",
    "QPMSTS",
    "INALLDRPPKTCNT",
    "INNAKPKTCNT",
    "OUTNAKPKTCNT",
    "RESPHNDSTS",
    "RETRYCNTSTS",
    "INCNPPKTCNT",
    "OUTCNPPKTCNT",
    "OUTRDRSPPKTCNT",
    "ERRBUFWPTR",
    "IPKTERRQWPTR",
    "INTSTS",
)
QP_STATUS = (
    "CQHEAD",
    "SQPI",
    "SQPSN",
    "LSTRQREQ",
    "STATSSN",
    "STATMSN",
    "STATQP",
    "STATCURSQPTR",
    "STATRESPSN",
    "STATRQBUFCA",
    "STATRQBUFCAMSB",
    "STATWQE",
    "STATRQPIDB",
)
