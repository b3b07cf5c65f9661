"""Opening of most RCLINK scenarios: bring-up, queue pairs on both sides, traffic both ways."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from tb.host.rclink import RclinkHost
from tb.host.rclink_settings import QpSettings, RclinkSettings, device_changes, qp_changes
from tb.partner import RclinkPartner

PEER_MAC, PEER_IP = 0x02_00_00_00_00_22, 0xC0A8_0002
PEER_QP = 4
"""The peer of queue pair n is n exclusive-or this: another number in the same bank."""


class Bench(Protocol):
    """What sequences need of a running test."""

    host: RclinkHost
    partner: RclinkPartner
    rng: random.Random
    env: Any


@dataclass(frozen=True, slots=True)
class Link:
    """A queue pair of the DUT and its peer."""

    settings: QpSettings

    @property
    def number(self) -> int:
        """Number in the DUT."""
        return self.settings.number

    @property
    def peer(self) -> int:
        """Number at the partner."""
        return self.settings.peer_qp


def qp_settings(bench: Bench, number: int, **settings: Any) -> QpSettings:
    """A queue pair with keys, ports and PSNs of its own; ``settings`` override fields of QpSettings."""
    rng = bench.rng
    own: dict[str, Any] = {
        "number": number,
        "peer_qp": number ^ PEER_QP,
        "peer_mac": PEER_MAC,
        "peer_ip": PEER_IP,
        "first_psn": rng.randrange(4096),
        "remote_psn": rng.randrange(4096),
        "key_tx": rng.randrange(256),
        "key_rx": rng.randrange(256),
        "udp_source": 0xC000 + rng.randrange(0x4000),
    }
    return QpSettings(**(own | settings))


async def bring_up(bench: Bench, **settings: Any) -> None:
    """Both sides with the same settings but their addresses; ``settings`` override RclinkSettings."""
    chosen = RclinkSettings(**settings)
    await bench.host.open(chosen)
    bench.partner.program(device_changes(chosen.mirrored(PEER_MAC, PEER_IP)))


async def connect(bench: Bench, number: int, **settings: Any) -> Link:
    """A queue pair and its peer; ``settings`` override fields of QpSettings."""
    chosen, device = qp_settings(bench, number, **settings), bench.host.settings
    bench.partner.program(qp_changes(chosen.mirrored(device.mac, device.ip)))
    await bench.host.create_qp(chosen)
    return Link(chosen)


async def start(bench: Bench, numbers: Iterable[int] = (1,), **settings: Any) -> list[Link]:
    """Bring-up and queue pairs ``numbers``, one after the other."""
    await bring_up(bench, **settings)
    return [await connect(bench, number) for number in numbers]


LENGTHS = (64, 65, 66, 67, 100, 127, 128, 129, 200, 500, 1024, 1343, 1344)
"""Payload lengths around the beats and the limits."""


def payload(rng: random.Random, length: int | None = None) -> bytes:
    """Random bytes; without ``length`` one of LENGTHS."""
    return rng.randbytes(rng.choice(LENGTHS) if length is None else length)


async def exchange(bench: Bench, links: Iterable[Link], packets: int, fack: float = 0.2) -> None:
    """Random packets both ways over random queue pairs."""
    chosen, rng = list(links), bench.rng
    for _ in range(packets):
        link = rng.choice(chosen)
        await bench.host.send(link.number, payload(rng), rng.random() < fack)
        link = rng.choice(chosen)
        bench.partner.send(link.peer, payload(rng), rng.random() < fack)
        await bench.host.pause(rng.choice((0, 0, 0.05, 0.3)) or 0.001)


async def reset(bench: Bench) -> None:
    """Reset the DUT with all that is under way; host and partner forget their queue pairs, memory stays."""
    bench.partner.reset()
    await bench.env.clock_reset.reset()
    bench.host.forget()
