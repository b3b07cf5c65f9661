"""Base of all tests and their registry.

A test is a class of about twenty lines: configuration and ``scenario``. Reset, end-of-test waiting,
quiet reads, leak checks and the verdict live here.
"""

from __future__ import annotations

import logging
import resource
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import cocotb
from cocotb.triggers import First, with_timeout
from pyuvm import ConfigDB, uvm_test

from ref_model.errors import UserError
from ref_model.streams import stream
from tb import tampers
from tb.agents.pins import now_ps
from tb.env import Env, EnvConfig
from tb.ernic_env import ErnicEnv
from tb.hermon_env import HermonEnv
from tb.rclink_env import RclinkEnv

SUITES = ("smoke", "full", "nightly")


@dataclass(frozen=True, slots=True)
class TestInfo:
    """What the runner knows of a test without running it."""

    __test__ = False  # not a pytest class

    name: str
    suites: tuple[str, ...]
    doc: str
    cls: type[DutTest]
    module: str
    seeds: int = 1


_REGISTRY: dict[tuple[str, str], TestInfo] = {}


def registry() -> list[TestInfo]:
    """Return all registered tests; a name is unique within the tests of a target."""
    return list(_REGISTRY.values())


Test = TypeVar("Test", bound="DutTest")


def dut_test(suites: tuple[str, ...] = ("full",), seeds: int = 1) -> Callable[[type[Test]], type[Test]]:
    """Register a test class under its own name.

    ``suites`` it belongs to (smoke, full, nightly); ``seeds`` it runs with by default in a regression.
    Raises UserError for an unknown suite, a missing docstring or a second test of that name.
    """

    def register(cls: type[Test]) -> type[Test]:
        unknown = sorted(set(suites) - set(SUITES))
        if unknown:
            allowed = ", ".join(SUITES)
            raise UserError(f"test {cls.__name__}: unknown suite {unknown[0]!r}; allowed: {allowed}")
        if not cls.__doc__:
            raise UserError(f"test {cls.__name__}: needs a docstring saying the behaviour in words")
        key = (cls.__module__.rpartition(".")[0], cls.__name__)
        known = _REGISTRY.get(key)
        if known is not None and known.module != cls.__module__:
            raise UserError(f"test {cls.__name__} exists twice: in {known.module} and {cls.__module__}")
        _REGISTRY[key] = TestInfo(cls.__name__, suites, cls.__doc__, cls, cls.__module__, seeds)
        return cls

    return register


class DutTest(uvm_test):
    """One test on the environment ``environment`` of a target.

    Class attributes a test may set: ``stalls`` (none, light, heavy, bursts: idle and back-pressure on
    every interface but the register port), ``register_stalls`` (the same there, and the order of address and
    data), ``line_rate`` (bit/s, 0: frames back to back at bus speed).
    """

    environment: type[Env]
    stalls = "light"
    register_stalls = "none"
    line_rate = 100_000_000_000

    def build_phase(self) -> None:
        """Create the environment from the job."""
        job = self.job = ConfigDB().get(self, "", "job")
        binding = job["binding"]
        self.options: dict[str, Any] = job["options"]
        seed = 0 if "seed_ignored" in job["tampers"] else int(job["seed"])
        config = EnvConfig(
            dut=cocotb.top,
            seed=seed,
            directory=Path(job["out_dir"]),
            comment=f"test {job['test']} seed {job['seed']}",
            period_ps=int(binding["clock_period_ps"]),
            settle_clks=int(binding["SETTLE"]),
            pipe_out_clks=int(binding["PIPE_OUT"]),
            knobs=dict(job["knobs"]),
            stalls=str(self.options.get("stalls", self.stalls)),
            register_stalls=str(self.options.get("register_stalls", self.register_stalls)),
            line_rate=int(self.options.get("line_rate", self.line_rate)),
            tampers=frozenset(job["tampers"]),
            stop_on_finding=bool(job["mutant"]),
            engine=str(binding["engine"]),
            judge=str(job["judge"]),
            start_ps=now_ps(),
        )
        ConfigDB().set(self, "env", "config", config)
        self.env: Any = self.environment.create("env", self)
        self.rng = stream(seed, "scenario")
        self.reason = ""
        self.start_ps = config.start_ps

    def connect_phase(self) -> None:
        """Damage the environment where the job asks for it."""
        tampers.apply(self.env)

    async def scenario(self) -> None:
        """Stimulus of the test."""
        raise NotImplementedError

    async def settle(self) -> None:
        """Wait for quiet in the middle of a test and judge all status registers exactly."""
        busy = await self.env.settle()
        if busy:
            raise TimeoutError(f"the DUT never fell quiet: {busy}")
        await self.env.quiet_reads()

    async def run_phase(self) -> None:
        """Reset, scenario, drain, quiet reads; an exception of the stimulus never hides what was judged."""
        self.raise_objection()
        watch = cocotb.start_soon(self.env.watch())
        try:
            await self.env.clock_reset.start()
            await self._stimulate()
        except (TimeoutError, UserError) as error:
            self.reason = f"scenario stopped: {error}"
        except Exception:  # the verdict still has to be written; the traceback is part of it
            self.reason = f"scenario failed: {traceback.format_exc()}"
            logging.getLogger(__name__).exception("scenario failed")
        try:
            await self._drain()
        finally:
            watch.cancel()
            self.env.stop()
            self.drop_objection()

    async def _stimulate(self) -> None:
        """Run the scenario until its end, a hang or, against a mutant, the first finding."""
        scenario = cocotb.start_soon(self.scenario())
        await First(scenario, self.env.found.wait())
        if self.env.found.is_set():
            scenario.cancel()
            self.reason = self.env.standstill

    async def _drain(self) -> None:
        if "no_drain" in self.env.config.tampers or self.env.found.is_set():
            return
        await self.env.clock_reset.clocks(1)
        self.env.scoreboard.hand_on()  # a reset at the very end has to be known before it is asked for
        if self.env.judge.in_reset():
            return
        busy = await self.env.settle()
        if busy:
            self.reason = self.reason or f"the DUT never fell quiet: {busy}"
            return
        limit = self.env.judge.liveness
        try:
            await with_timeout(self.env.quiet_reads(), limit, "ps")
        except TimeoutError:
            self.reason = self.reason or f"the status registers could not be read within {limit // 1000} ns"

    def extract_phase(self) -> None:
        """Flush the merge: nothing may be left unjudged."""
        env = self.env
        if env.found.is_set():
            return
        waiting = len(env.scoreboard.merge)
        if waiting:
            why = "everything is judged before the end"
            env.judge.bench("an empty merge", f"{waiting} events", why)
        env.scoreboard.flush()

    def check_phase(self) -> None:
        """Accounts: open obligations, rest at the end, minimum traffic, bench errors."""
        env = self.env
        if env.found.is_set():
            return
        if not (self.reason or env.judge.in_reset()) and env.scoreboard.last_event > env.rested:
            seen = f"an event at {env.scoreboard.last_event / 1000:.1f} ns"
            env.judge.bench("status read at rest behind the last event", seen, "end of test")
        env.judge.finish(now_ps())
        for line in env.scoreboard.shortfalls():
            env.judge.bench("the least traffic of each agent", line, "end of test")

    def report_phase(self) -> None:
        """Take what was judged, stop the clocks."""
        self.judged = self.env.judge.result()
        self.env.clock_reset.stop()

    def result(self) -> dict[str, Any]:
        """Return the result of the run as plain data."""
        judged = self.judged
        undecided, decisions = judged.pop("undecided"), judged.pop("decisions")
        decided = sum(judged["evidence"].values())
        verdict, reason = "pass", ""
        if judged["findings_total"]:
            verdict, first = "fail", judged["findings"][0]
            reason = f"{first['rule']}: {first['why']}: "
            reason += f"expected {first['expected']}, observed {first['observed']}"
        elif decided != decisions:
            verdict, reason = "fail", f"{decided} counts of evidence for {decisions} decided checks"
        elif self.reason or undecided:
            verdict, reason = "inconclusive", self.reason or undecided[0]
        elif not decided or not sum(judged["packets"].values()) + self.env.axil.monitors[0].count:
            verdict, reason = "fail", "nothing was judged"
        return {
            "verdict": verdict,
            "reason": reason,
            "stopped": self.reason,
            **judged,
            "sim_time_ps": now_ps() - self.start_ps,
            "peak_rss_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        }


class ErnicTest(DutTest):
    """One test on the ERNIC environment."""

    environment = ErnicEnv

    def connect_phase(self) -> None:
        """Give scenarios short names for what they use."""
        super().connect_phase()
        self.host, self.partner, self.mem = self.env.host, self.env.partner, self.env.memory


class RclinkTest(DutTest):
    """One test on the RCLINK environment."""

    environment = RclinkEnv

    def connect_phase(self) -> None:
        """Give scenarios short names for what they use."""
        super().connect_phase()
        self.host, self.partner, self.mem = self.env.host, self.env.partner, self.env.memory


class HermonTest(DutTest):
    """One test on the HERMON CQ environment.

    ``tick_clks``: clocks between two pulses of tick_us.
    """

    environment = HermonEnv
    tick_clks = 25

    def connect_phase(self) -> None:
        """Give scenarios short names for what they use."""
        super().connect_phase()
        self.host, self.producer, self.mem = self.env.host, self.env.producer, self.env.memory
        self.env.tick.config.clocks = int(self.options.get("tick_clks", self.tick_clks))

    async def clocks(self, count: int) -> None:
        """Let ``count`` clocks pass."""
        await self.env.clock_reset.clocks(count)
