"""The ERNIC environment: agents on all pins, link partner, host, model, scoreboard.

::

    ErnicHost --RegPort--> AxilAgent ----+                      +--- AxiMemoryAgent x6 --- HostMemory
                                         |      +---------+     |
    LinkPartner --frames--> MacAgent ----+----> |   DUT   | <---+--- SideBand sinks, IrqAgent
                                         |      +---------+     |
                                         +--- monitors: ap -----+--> Scoreboard (merge -> ErnicModel)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cocotb.triggers import Event, Timer
from pyuvm import ConfigDB, uvm_env

from ref_model.ernic import follow
from ref_model.registers import layout
from ref_model.streams import stream
from tb.agents import ernic_pins as pins
from tb.agents.axil import AxilAgent
from tb.agents.base import Agent
from tb.agents.clock_reset import ClockReset
from tb.agents.generators import Latency, StallConfig
from tb.agents.irq import IrqAgent
from tb.agents.pause import PauseAgent
from tb.agents.pins import now_ps
from tb.agents.protocol import ProtocolMonitor
from tb.agents.sideband import SideBandSinkAgent, SideBandSourceAgent
from tb.engines import kit
from tb.host import DeviceConfig, ErnicHost
from tb.host.names import RegisterNames
from tb.host.side_bands import SideBands
from tb.partner import LegalityChecker, LinkPartner, Notes
from tb.partner.line import PausableLine
from tb.scoreboard import Judge, JudgeProcess, Scoreboard, Tap
from tb.scoreboard.log import RunLog

STEP_CLOCKS, WATCH_CLOCKS = 250, 2000
#: A DUT that is not quiet after so many times LIVENESS_CLKS makes the run inconclusive.
QUIET_LIMIT = 10
#: Highest queue pair number XRNIC_CONF_QP_EN[10:0] can name.
MOST_QPS = 2047


@dataclass
class EnvConfig:
    """What one run sets: seed, judging parameters, pacing of the bench."""

    dut: Any
    seed: int
    directory: Path
    comment: str
    period_ps: int
    settle_clks: int
    pipe_out_clks: int
    knobs: dict[str, Any]
    stalls: str = "light"
    register_stalls: str = "none"
    latency: Latency = field(default_factory=lambda: Latency(4, 20))
    line_rate: int = 100_000_000_000
    tampers: frozenset[str] = frozenset()
    stop_on_finding: bool = False
    engine: str = "python"
    judge: str = "inline"
    start_ps: int = 0


class ErnicEnv(uvm_env):
    """Builds and connects everything; ``config`` (EnvConfig) comes from the ConfigDB."""

    def build_phase(self) -> None:
        """Create the agents with their typed configurations."""
        config: EnvConfig = ConfigDB().get(self, "", "config")
        self.config = config
        dut, seed = config.dut, config.seed
        stalls = StallConfig.named(config.stalls)
        parts = kit(config.engine, dut, self)
        self.memory, self.hub = parts.memory, parts.hub
        self.clock_reset = ClockReset(dut, config.period_ps, parts.pins, parent=self)
        registers = StallConfig.named(config.register_stalls)
        slow_registers = dict.fromkeys(("skew", "b_stall", "r_stall"), registers)
        self.axil = self._agent("axil", AxilAgent, pins.axil_config(dut, seed, **slow_registers))
        pacing = {"gaps": stalls, "stalls": stalls, "speed": config.line_rate}
        self.mac = self._agent("mac_roce", parts.mac, pins.roce_mac_config(dut, seed, **pacing))
        self.other_mac = self._agent("mac_non_roce", parts.mac, pins.non_roce_mac_config(dut, seed, **pacing))
        self.host_stream = self._agent("mac_host", parts.mac, pins.host_stream_config(dut, seed, gaps=stalls))
        slow = {
            "write_latency": config.latency,
            "read_latency": config.latency,
            **dict.fromkeys(("aw_stall", "w_stall", "ar_stall", "b_gap", "r_gap"), stalls),
        }
        self.ports = [
            self._agent(
                f"axi_{port}", parts.memory_agent, pins.memory_config(dut, port, self.memory, seed, **slow)
            )
            for port in pins.MEMORY_PORTS
        ]
        self.side_bands = [
            self._agent(
                f"sideband_{port}", SideBandSinkAgent, pins.side_band_config(dut, port, seed, stalls=stalls)
            )
            for port in pins.SINK_PORTS
        ]
        self.doorbells = {
            port: self._agent(
                f"sideband_{port}", SideBandSourceAgent, pins.side_band_config(dut, port, seed, stalls=stalls)
            )
            for port in pins.SOURCE_PORTS
        }
        self.pause = self._agent("pause", PauseAgent, pins.pause_config(dut))
        self.irq = self._agent("irq", IrqAgent, pins.irq_config(dut))
        ConfigDB().set(self, "protocol", "config", pins.protocol_config(dut))
        self.protocol = ProtocolMonitor.create("protocol", self)
        self.scoreboard = Scoreboard.create("scoreboard", self)

    def _agent(self, name: str, kind: type[Any], config: Any) -> Any:
        ConfigDB().set(self, name, "config", config)
        return kind.create(name, self)

    @property
    def agents(self) -> list[Agent]:
        """All agents."""
        macs = (self.mac, self.other_mac, self.host_stream)
        bands = (*self.side_bands, *self.doorbells.values())
        return [self.axil, *macs, *self.ports, *bands, self.pause, self.irq]

    def connect_phase(self) -> None:
        """Connect every monitor to the scoreboard; make model, log, partner and host."""
        config = self.config
        model = follow(config.knobs, config.period_ps, config.settle_clks, config.pipe_out_clks)
        log = RunLog(config.directory, config.comment, config.start_ps)
        self.judge: Judge | JudgeProcess = Judge(model, log, LegalityChecker())
        self._quiet_clks = int(model.knobs["QUIET_CLKS"])
        self.found = Event()
        self.rested = 0  # when (ps) the status registers were last read at rest
        self.scoreboard.hub = self.hub
        for agent in self.agents:
            for monitor in agent.monitors:
                if self.hub is not None:
                    self.hub.add(monitor)
                if not ("monitor_cut" in config.tampers and agent is self.mac):
                    self.scoreboard.connect_monitor(monitor)
        self.scoreboard.connect_monitor(self.protocol)
        self.memory.ap.connect(Tap("host_tap", self, self.scoreboard.put))
        self.clock_reset.ap.connect(Tap("reset_tap", self, self.scoreboard.put))
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

    def start_of_simulation_phase(self) -> None:
        """Everything that judges is as it will be: from here on it may have a process of its own."""
        if self.config.judge == "process" and isinstance(self.judge, Judge):
            self.judge = JudgeProcess(self.judge)
        self.scoreboard.judge = self.judge

    # -- run --------------------------------------------------------------------------------------

    async def settle(self) -> str:
        """Wait until the DUT is quiet and judge everything so far; returns what kept it busy, or ''.

        Quiet: nothing owed, no timer armed, no item under way, the partner idle, for QUIET_CLKS.
        """
        calm = self._quiet_clks * self.config.period_ps
        limit = QUIET_LIMIT * self.judge.liveness
        start = now_ps()
        busy_since = start
        while True:
            await self.clock_reset.clocks(STEP_CLOCKS)
            self.scoreboard.hand_on()
            self.scoreboard.check_hangs()
            now = now_ps()
            reason = self.judge.busy() or ("" if self.scoreboard.idle() else "an item is under way")
            if not reason and not (self.partner.idle and self.line.idle and self.other_line.idle):
                reason = "the link partner still sends"
            if reason:
                busy_since = now
            if now - max(busy_since, self.scoreboard.last_event) >= calm:
                self.judge.quiet(now)
                return ""
            if self.found.is_set():
                return ""
            if now - start > limit:
                return reason or "traffic without end"

    async def quiet_reads(self) -> None:
        """Read every status register the run touched; the model judges them exactly."""
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
        await self.clock_reset.clocks(self._quiet_clks)  # anything stray still has time to come
        self.scoreboard.hand_on()
        self.rested = now_ps()

    async def watch(self) -> None:
        """Judge now and then, so that waiting items and deadlines never pile up."""
        while True:
            await self.clock_reset.clocks(WATCH_CLOCKS)
            self.scoreboard.hand_on()
            self.scoreboard.check_hangs()
            if self.scoreboard.hung or (self.config.stop_on_finding and self.judge.found()):
                self.found.set()


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
