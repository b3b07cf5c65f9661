"""Two ERNICs back to back over a lossy link."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from itertools import count

import pyuvm

from ref_model.events import FrameOut
from ref_model.link import LinkFaults
from ref_model.rocev2.segment import Verb
from ref_model.streams import stream
from tb.ernic_env import ErnicEnv
from tb.host import ErnicHost, Mr, Qp, QpConfig, WorkRequest
from tb.sequences.start import bring_up
from tb.sequences.traffic import READ_TOO, request
from tests.sim.pair.bench import PairTest, all_of

PSN_WRAP = 0xFF_FFF8
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


@dataclass
class Side:
    """One device with its host, and the other end of each of its queue pairs."""

    env: ErnicEnv
    rng: random.Random
    qps: dict[int, Qp] = field(default_factory=dict)
    regions: dict[int, Mr] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)  # queue pairs whose requests have all completed

    @property
    def host(self) -> ErnicHost:
        """Its host."""
        return self.env.host


class ErnicPair(PairTest):
    """Connects the queue pairs of both devices with one another; all verbs from both sides at once."""

    target = "ernic"
    environment = ErnicEnv
    proof = "ERN-122"
    rounds = 4

    async def scenario(self) -> None:
        """Bring-up and traffic."""
        self.sides = {name: Side(env, stream(env.config.seed, "scenario")) for name, env in self.envs.items()}
        a, b = self.sides.values()
        for name, other in (("a", "b"), ("b", "a")):
            await self.bring_up(name, other)
        await all_of([self.traffic(a, b), self.traffic(b, a), self.receive(a), self.receive(b)])

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


@pyuvm.test()
class Clean(ErnicPair):
    """Nothing is lost."""


@pyuvm.test()
class Lossy(ErnicPair):
    """Frames are lost, doubled, overtaken and damaged."""

    faults = LinkFaults(drop=0.03, duplicate=0.03, reorder=0.03, corrupt=0.02)
    rounds = 12


@pyuvm.test()
class Forged(ErnicPair):
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
