"""Two devices of one target back to back, each judged by a model of its own."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import cocotb
from pyuvm import ConfigDB, uvm_test

from ref_model.events import FrameOut
from ref_model.link import LinkFaults, LossyLink
from ref_model.streams import stream
from tb.agents.mac import FrameAgent
from tb.agents.pins import now_ps
from tb.env import Env, EnvConfig
from tb.partner.timer import Alarm
from tb.runner import load_binding


async def all_of(jobs: list[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines side by side to their end."""
    for task in [cocotb.start_soon(job) for job in jobs]:
        await task


class Wire:
    """Carries what one MAC sends to another one, with faults."""

    def __init__(
        self,
        source: FrameAgent,
        sink: FrameAgent,
        faults: LinkFaults,
        rng: random.Random,
        off_edge: Callable[[int], int],
        words: tuple[int, ...],
    ) -> None:
        """``words``: what stands beside each frame at the input of ``sink``."""
        self.link = LossyLink(faults, rng)
        self._sink, self._words = sink, words
        self._alarm = Alarm(self._deliver, off_edge)
        source.on_frame_out.append(self._sent)

    def _sent(self, event: FrameOut) -> None:
        self.link.send(now_ps(), event.data)
        self._arm()

    def _deliver(self) -> None:
        for data in self.link.deliver(now_ps()):
            self._sink.send_nowait(data, user=self._words)
        self._arm()

    def _arm(self) -> None:
        following = self.link.next_arrival()
        if following is not None:
            self._alarm.at(following)


class PairTest(uvm_test):
    """Builds both environments, wires their MACs, judges both. A scenario starts them and makes traffic."""

    target: str
    environment: type[Env]
    proof: str  #: a rule that traffic has to decide on both sides
    words: tuple[int, ...] = ()  #: beside each frame at the MAC input
    faults = LinkFaults()

    def build_phase(self) -> None:
        """Create an environment per device."""
        out = Path(os.environ["PAIR_DIR"]) / type(self).__name__
        binding = load_binding(self.target)
        self.seed = int(os.environ["PAIR_SEED"])
        self.envs: dict[str, Any] = {}
        for name in "ab":
            directory = out / name
            directory.mkdir(parents=True, exist_ok=True)
            config = EnvConfig(
                getattr(cocotb.top, name),
                self.seed + ord(name),
                directory,
                "pair",
                binding.clock_period_ps,
                binding.settle,
                binding.pipe_out,
                dict(binding.knobs),
                start_ps=now_ps(),
            )
            ConfigDB().set(self, name, "config", config)
            self.envs[name] = self.environment.create(name, self)

    def connect_phase(self) -> None:
        """Unplug what stands on the other side of each MAC and wire the two instead."""
        rng = stream(self.seed, "wires")
        a, b = self.envs["a"], self.envs["b"]
        self.wires = []
        for source, sink in ((a, b), (b, a)):
            source.mac.on_frame_out.clear()
            off_edge = sink.clock_reset.off_edge
            self.wires.append(Wire(source.mac, sink.mac, self.faults, rng, off_edge, self.words))

    async def run_phase(self) -> None:
        """Reset, scenario, quiet reads."""
        self.raise_objection()
        envs = list(self.envs.values())
        watches = [cocotb.start_soon(env.watch()) for env in envs]
        await all_of([env.clock_reset.start() for env in envs])
        await self.scenario()
        for env in (*envs, envs[0]):
            busy = await env.settle()
            assert not busy, busy
        for env in envs:
            await env.quiet_reads()
        for watch in watches:
            watch.cancel()
        for env in envs:
            env.stop()
        self.drop_objection()

    async def scenario(self) -> None:
        """Bring both devices up and send from both."""
        raise NotImplementedError

    def extract_phase(self) -> None:
        """Judge everything that is left."""
        for env in self.envs.values():
            env.scoreboard.flush()
            env.judge.finish(now_ps())
            env.clock_reset.stop()

    def check_phase(self) -> None:
        """No side may have a finding, and the link must have done what was asked of it."""
        for name, env in self.envs.items():
            result = env.judge.result()
            lines = [f"{one['rule']} {one['why']}: {one['observed']}" for one in result["findings"]]
            assert not lines, f"side {name}: " + "; ".join(lines[:5])
            assert not result["undecided"], f"side {name}: {result['undecided']}"
            assert result["evidence"][self.proof], name
        for wire in self.wires:
            link, faults = wire.link, self.faults
            for name, seen in (
                ("drop", link.dropped),
                ("duplicate", link.duplicated),
                ("reorder", link.reordered),
            ):
                assert bool(seen) == bool(getattr(faults, name)), f"{name}: {seen} frames"
