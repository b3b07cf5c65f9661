"""Two RCLINKs back to back over a lossy link, in all frame formats."""

from __future__ import annotations

import pyuvm

from ref_model.link import LinkFaults
from ref_model.rclink import ports
from ref_model.streams import stream
from ref_model.wire.rclink import Format
from tb.host.rclink_settings import FULL_RATE, QpSettings, RclinkSettings
from tb.rclink_env import RclinkEnv
from tb.sequences.rclink import payload
from tests.sim.pair.bench import PairTest, all_of

QPS = (1, 2, 3, 8)
A = {"mac": 0x02_00_00_00_00_0A, "ip": 0xC0A8_000A}
B = {"mac": 0x02_00_00_00_00_0B, "ip": 0xC0A8_000B}


class RclinkPair(PairTest):
    """Connects four queue pairs in four banks; TYPE1 and multicast from both sides at once."""

    target = "rclink"
    environment = RclinkEnv
    proof = "RCL-039"
    words = (0,)  # no FCS error
    format = Format.STANDARD
    packets = 20

    async def scenario(self) -> None:
        """Bring-up and traffic; the PSNs wrap early."""
        self.rng = stream(self.seed, "scenario")
        settings = RclinkSettings(format=self.format, timeout_us=20)
        for name, own in (("a", settings.mirrored(**A)), ("b", settings.mirrored(**B))):
            await self.envs[name].host.open(own)
            await self.envs[name].inputs[ports.SET_TYPE2_RATE].send(FULL_RATE)
        for number in QPS:
            one = QpSettings(number, number ^ 4, B["mac"], B["ip"], 4090, 4085, 0x11, 0x22)
            await self.envs["a"].host.create_qp(one)
            await self.envs["b"].host.create_qp(one.mirrored(**A))
        await all_of([self.traffic("a", QPS), self.traffic("b", [number ^ 4 for number in QPS])])

    async def traffic(self, name: str, numbers: list[int] | tuple[int, ...]) -> None:
        """Packets of random lengths on all queue pairs, now and then one of multicast."""
        host, rng = self.envs[name].host, self.rng
        for index in range(self.packets):
            await host.send(rng.choice(numbers), payload(rng), rng.random() < 0.2)
            if index % 5 == 0:
                await host.multicast(rng.randrange(8), payload(rng))
            await host.pause(0.2)


class Lossy(RclinkPair):
    """Frames are lost, doubled, overtaken and damaged."""

    faults = LinkFaults(drop=0.04, duplicate=0.04, reorder=0.04, corrupt=0.02)
    packets = 60


@pyuvm.test()
class Clean(RclinkPair):
    """Nothing is lost."""


@pyuvm.test()
class LossyStandard(Lossy):
    """Standard frames."""


@pyuvm.test()
class LossyGen1(Lossy):
    """AFH_GEN1."""

    format = Format.GEN1


@pyuvm.test()
class LossyGen2(Lossy):
    """AFH_GEN2_16b."""

    format = Format.GEN2


@pyuvm.test()
class Lite(RclinkPair):
    """AFH_Lite, which repeats nothing, on a good link."""

    format = Format.LITE
    proof = "RCL-107"
