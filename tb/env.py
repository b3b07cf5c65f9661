"""What the environments of all targets share: configuration, scoreboard and judge, quiet, watching.

A target's environment (:mod:`tb.ernic_env`) creates the agents, the host and what stands on the other side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cocotb.triggers import Event
from pyuvm import ConfigDB, uvm_env

from tb.agents.base import Agent
from tb.agents.clock_reset import ClockReset
from tb.agents.generators import Latency
from tb.agents.pins import now_ps
from tb.agents.protocol import ProtocolMonitor
from tb.fast.hub import FastHub
from tb.partner import LegalityChecker
from tb.scoreboard import Judge, JudgeProcess, Model, Scoreboard, Tap
from tb.scoreboard.log import RunLog

STEP_CLOCKS, WATCH_CLOCKS = 250, 2000
#: A DUT that is not quiet after so many times LIVENESS_CLKS makes the run inconclusive.
QUIET_LIMIT = 10


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


class Env(uvm_env):
    """Base of all environments; ``config`` (EnvConfig) comes from the ConfigDB.

    A subclass sets ``clock_reset`` and ``protocol`` and, with the C engine, ``hub`` in its build phase.
    """

    clock_reset: ClockReset
    protocol: ProtocolMonitor
    hub: FastHub | None = None

    def build_phase(self) -> None:
        """Take the configuration, create the scoreboard."""
        self.config: EnvConfig = ConfigDB().get(self, "", "config")
        self.scoreboard = Scoreboard.create("scoreboard", self)

    def agent(self, name: str, kind: type[Any], config: Any) -> Any:
        """Create an agent with its typed configuration."""
        ConfigDB().set(self, name, "config", config)
        return kind.create(name, self)

    # -- what a target says -----------------------------------------------------------------------

    @property
    def agents(self) -> list[Agent]:
        """All agents."""
        raise NotImplementedError

    @property
    def main_agent(self) -> Agent:
        """The agent whose traffic every test needs."""
        raise NotImplementedError

    def model(self) -> Model:
        """Make the model that judges."""
        raise NotImplementedError

    def stimulus(self) -> str:
        """Return what still sends into the DUT, or ''."""
        raise NotImplementedError

    def stop(self) -> None:
        """End of test: whatever stands on the other side falls silent."""
        raise NotImplementedError

    async def read_status(self) -> None:
        """Read every status register the run touched; the model judges them exactly."""
        raise NotImplementedError

    # -- judging ----------------------------------------------------------------------------------

    def connect_phase(self) -> None:
        """Connect every monitor to the scoreboard; make model and log."""
        config, model = self.config, self.model()
        log = RunLog(config.directory, config.comment, config.start_ps)
        self.judge: Judge | JudgeProcess = Judge(model, log, LegalityChecker())
        self._quiet_clks = int(model.rules.knobs["QUIET_CLKS"])
        self.found = Event()  #: the scenario need not go on
        self.standstill = ""  #: since when nothing has happened any more
        self.rested = 0  # when (ps) the status registers were last read at rest
        self.scoreboard.hub = self.hub
        for agent in self.agents:
            for monitor in agent.monitors:
                if self.hub is not None:
                    self.hub.add(monitor)
                if not ("monitor_cut" in config.tampers and agent is self.main_agent):
                    self.scoreboard.connect_monitor(monitor)
        self.scoreboard.connect_monitor(self.protocol)
        self.clock_reset.ap.connect(Tap("reset_tap", self, self.scoreboard.put))

    def start_of_simulation_phase(self) -> None:
        """Everything that judges is as it will be: from here on it may have a process of its own."""
        if self.config.judge == "process" and isinstance(self.judge, Judge):
            self.judge = JudgeProcess(self.judge)
        self.scoreboard.judge = self.judge

    # -- run --------------------------------------------------------------------------------------

    async def settle(self) -> str:
        """Wait until the DUT is quiet and judge everything so far; returns what kept it busy, or ''.

        Quiet: nothing owed, no timer armed, no item under way, the stimulus over, for QUIET_CLKS.
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
            reason = reason or self.stimulus()
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
        """Read the status registers and wait: anything stray still has time to come."""
        await self.read_status()
        await self.clock_reset.clocks(self._quiet_clks)
        self.scoreboard.hand_on()
        self.rested = now_ps()

    async def watch(self) -> None:
        """Judge now and then, so that waiting items and deadlines never pile up.

        A scenario may wait for the DUT: where no pin has moved for a long time, it waits for ever.
        """
        limit = QUIET_LIMIT * self.judge.liveness
        while True:
            await self.clock_reset.clocks(WATCH_CLOCKS)
            self.scoreboard.hand_on()
            self.scoreboard.check_hangs()
            if now_ps() - self.scoreboard.last_event > limit:
                self.standstill = f"nothing has happened since {self.scoreboard.last_event // 1000} ns"
            if (
                self.standstill
                or self.scoreboard.hung
                or (self.config.stop_on_finding and self.judge.found())
            ):
                self.found.set()
