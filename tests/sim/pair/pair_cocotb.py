"""Two ERNICs back to back over a lossy link, each judged by a model of its own."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import cocotb
import pyuvm
from pyuvm import ConfigDB, uvm_test

from ref_model.events import FrameOut
from ref_model.link import LinkFaults, LossyLink
from ref_model.rocev2.segment import Verb
from ref_model.streams import stream
from tb.agents.mac import FrameAgent
from tb.agents.pins import now_ps
from tb.env import EnvConfig
from tb.ernic_env import ErnicEnv
from tb.host import ErnicHost, Mr, Qp, QpConfig, WorkRequest
from tb.partner.timer import Alarm
from tb.sequences.start import bring_up
from tb.sequences.traffic import READ_TOO, request

PSN_WRAP = 0xFF_FFF8
PERIOD, SETTLE, PIPE_OUT = 4000, 16, 64
QPS = range(2, 6)
REGION = 1 << 16
SIDES = {
    "a": {"mac": 0x02_00_00_00_00_0A, "ipv4": 0x0A00_000A},
    "b": {"mac": 0x02_00_00_00_00_0B, "ipv4": 0x0A00_000B},
}


def psn(name: str, number: int) -> int:
    """First PSN that side ``name`` sends on queue pair ``number``: some wrap early."""
    return PSN_WRAP if number % 2 else 0x1000 * number + ord(name)


def aimed(rng: random.Random, verb: Verb, target: Mr) -> WorkRequest:
    """A request that stays within region ``target`` of the other side where it goes to memory."""
    one = request(rng, verb, rng.choice((1, 64, 255, 256, 257, 1000)))
    if verb.is_write or verb is Verb.READ:
        one.va, one.rkey = target.va + rng.randrange(0, REGION - 1024), target.rkey
    return one


async def all_of(jobs: list[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines side by side to their end."""
    for task in [cocotb.start_soon(job) for job in jobs]:
        await task


class Wire:
    """Carries what one MAC sends to another one, with faults."""

    def __init__(self, source: FrameAgent, sink: FrameAgent, faults: LinkFaults, rng: random.Random) -> None:
        self.link = LossyLink(faults, rng)
        self._sink = sink
        self._alarm = Alarm(self._deliver)
        source.on_frame_out.append(self._sent)

    def _sent(self, event: FrameOut) -> None:
        self.link.send(now_ps(), event.data)
        self._arm()

    def _deliver(self) -> None:
        for data in self.link.deliver(now_ps()):
            self._sink.send_nowait(data)
        self._arm()

    def _arm(self) -> None:
        following = self.link.next_arrival()
        if following is not None:
            self._alarm.at(following)


@dataclass
class Side:
    """One device with its host, and the other end of each of its queue pairs."""

    env: ErnicEnv
    rng: random.Random
    qps: dict[int, Qp]
    regions: dict[int, Mr]
    done: set[int] = field(default_factory=set)  # queue pairs whose requests have all completed

    @property
    def host(self) -> ErnicHost:
        """Its host."""
        return self.env.host


class PairTest(uvm_test):
    """Brings both devices up, connects their queue pairs with one another, judges both."""

    faults = LinkFaults()
    rounds = 4

    def build_phase(self) -> None:
        """Create an environment per device."""
        out = Path(os.environ["PAIR_DIR"]) / type(self).__name__
        knobs = json.loads(os.environ["PAIR_KNOBS"])
        self.envs = {}
        for name in SIDES:
            directory = out / name
            directory.mkdir(parents=True, exist_ok=True)
            seed = int(os.environ["PAIR_SEED"]) + ord(name)
            config = EnvConfig(
                getattr(cocotb.top, name),
                seed,
                directory,
                "pair",
                PERIOD,
                SETTLE,
                PIPE_OUT,
                knobs,
                start_ps=now_ps(),
            )
            ConfigDB().set(self, name, "config", config)
            self.envs[name] = ErnicEnv.create(name, self)

    def connect_phase(self) -> None:
        """Wire both MACs."""
        rng = stream(int(os.environ["PAIR_SEED"]), "wires")
        a, b = self.envs["a"].mac, self.envs["b"].mac
        self.wires = [Wire(a, b, self.faults, rng), Wire(b, a, self.faults, rng)]
        self.sides = {
            name: Side(env, stream(env.config.seed, "scenario"), {}, {}) for name, env in self.envs.items()
        }

    async def run_phase(self) -> None:
        """Reset, connect, traffic from both sides at once, quiet reads."""
        self.raise_objection()
        envs = list(self.envs.values())
        watches = [cocotb.start_soon(env.watch()) for env in envs]
        await all_of([env.clock_reset.start() for env in envs])
        a, b = self.sides.values()
        for name, other in (("a", "b"), ("b", "a")):
            await self.bring_up(name, other)
        await all_of([self.traffic(a, b), self.traffic(b, a), self.receive(a), self.receive(b)])
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

    async def bring_up(self, name: str, other: str) -> None:
        """Documented bring-up of one side, its queue pairs with the numbers of their peers."""
        side, peer = self.sides[name], SIDES[other]
        side.host.config.qp_count = len(QPS) + 1
        await bring_up(side, base_width=8, **SIDES[name])  # type: ignore[arg-type]
        for number in QPS:
            config = QpConfig(
                number,
                number,
                peer["mac"],
                peer["ipv4"],
                pmtu=256,
                element=2048,
                timeout=4,
                pd=number,
                first_psn=psn(name, number),
                expected_psn=psn(other, number),
            )
            side.qps[number] = await side.host.create_qp(config)
            side.regions[number] = await side.host.register_mr(number, REGION, row=number)

    async def traffic(self, side: Side, peer: Side) -> None:
        """All verbs on all queue pairs, to regions of the other side."""
        for _ in range(self.rounds):
            for number, qp in side.qps.items():
                verb = side.rng.choice([v for v in READ_TOO if v is not Verb.SEND_INV])
                await side.host.post_send(qp, aimed(side.rng, verb, peer.regions[number]))
        for qp in side.qps.values():
            await side.host.wait_completions(qp, limit_ps=4_000_000_000)
            side.done.add(qp.number)

    async def receive(self, side: Side) -> None:
        """Free receive elements until both sides are done."""
        while any(len(one.done) < len(one.qps) for one in self.sides.values()):
            for qp in side.qps.values():
                await side.host.poll_recv(qp)
                if qp.received > qp.freed:
                    await side.host.free_recv(qp, qp.received - qp.freed)
            await side.host.pause(1)

    def extract_phase(self) -> None:
        """Judge everything that is left."""
        for env in self.envs.values():
            env.scoreboard.flush()
            env.judge.finish(now_ps())
            env.clock_reset.stop()

    def check_phase(self) -> None:
        """No side may have a finding."""
        for name, env in self.envs.items():
            result = env.judge.result()
            lines = [f"{one['rule']} {one['why']}: {one['observed']}" for one in result["findings"]]
            assert not lines, f"side {name}: " + "; ".join(lines[:5])
            assert result["evidence"]["ERN-122"], name
        for wire in self.wires:
            link, faults = wire.link, self.faults
            for name, seen in (
                ("drop", link.dropped),
                ("duplicate", link.duplicated),
                ("reorder", link.reordered),
            ):
                assert bool(seen) == bool(getattr(faults, name)), f"{name}: {seen} frames"


@pyuvm.test()
class Clean(PairTest):
    """Nothing is lost."""


@pyuvm.test()
class Lossy(PairTest):
    """Frames are lost, doubled, overtaken and damaged."""

    faults = LinkFaults(drop=0.03, duplicate=0.03, reorder=0.03, corrupt=0.02)
    rounds = 12


@pyuvm.test()
class Forged(PairTest):
    """One side is shown a frame that it did not send: that side, and only that side, has to object."""

    def connect_phase(self) -> None:
        """Show side a its tenth frame a second time, one of its last bytes changed."""
        super().connect_phase()
        frames = count(1)

        def forge(event: FrameOut) -> None:
            if next(frames) == 10:
                damaged = bytes((*event.data[:-5], event.data[-5] ^ 1, *event.data[-4:]))
                self.envs["a"].scoreboard.put(replace(event, data=damaged))

        self.envs["a"].mac.on_frame_out.append(forge)

    def check_phase(self) -> None:
        """Side a has findings, side b has none."""
        findings = {name: env.judge.result()["findings"] for name, env in self.envs.items()}
        assert findings["a"] and not findings["b"], {name: len(found) for name, found in findings.items()}
