"""Connecting queue pairs of the DUT to peers in the link partner."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Protocol

from ref_model.rocev2.endpoint import Endpoint, EndpointConfig
from tb.host import ErnicHost, Qp, QpConfig
from tb.partner import PartnerCore

PEER_MAC = 0x02_AA_BB_CC_DD_00
PEER_IPV4 = 0x0A00_0100
PEER_IPV6 = 0x2001_0DB8_0000_0000_00AA_BBCC_DDEE_0000
PEER_QP = 0x10_0000


class Bench(Protocol):
    """What sequences need of a running test."""

    host: ErnicHost
    partner: PartnerCore
    rng: random.Random
    env: Any


@dataclass(slots=True)
class Link:
    """A connected queue pair: the host's handle, the peer's endpoint, the settings of both."""

    qp: Qp
    peer: Endpoint
    config: QpConfig

    @property
    def number(self) -> int:
        """Queue pair number in the DUT."""
        return self.config.number


def peer_config(host: ErnicHost, config: QpConfig, **settings: Any) -> EndpointConfig:
    """The peer of ``config``: addresses and PSNs mirrored; ``settings`` override fields of EndpointConfig."""
    device = host.config
    mirrored: dict[str, Any] = {
        "qp": config.peer_qp,
        "peer_qp": config.number,
        "mac": config.peer_mac,
        "peer_mac": device.mac,
        "ip": config.peer_ip,
        "peer_ip": device.ipv6 if config.ip_version == 6 else device.ipv4,
        "ip_version": config.ip_version,
        "pkey": config.pkey,
        "pmtu": config.pmtu,
        "first_psn": config.expected_psn,
        "expected_psn": config.first_psn,
        "history": 1024,
    }
    return EndpointConfig(**(mirrored | settings))


def qp_config(number: int, **settings: Any) -> QpConfig:
    """Queue pair settings with a peer identity of its own; ``settings`` override fields of QpConfig."""
    version = settings.get("ip_version", 4)
    identity: dict[str, Any] = {
        "number": number,
        "peer_qp": PEER_QP + number,
        "peer_mac": PEER_MAC + (number & 0xFF),
        "peer_ip": (PEER_IPV6 if version == 6 else PEER_IPV4) + number,
        "first_psn": 0x1000 * number,
        "expected_psn": 0x80_0000 + 0x1000 * number,
        "pd": number,
    }
    return QpConfig(**(identity | settings))


async def connect(bench: Bench, number: int = 2, peer: dict[str, Any] | None = None, **settings: Any) -> Link:
    """Create queue pair ``number`` and its peer; ``settings`` go to QpConfig, ``peer`` to EndpointConfig."""
    config = qp_config(number, **settings)
    endpoint = bench.partner.connect(number, peer_config(bench.host, config, **(peer or {})))
    qp = await bench.host.create_qp(config)
    return Link(qp, endpoint, config)


async def connect_many(bench: Bench, numbers: range, **settings: Any) -> list[Link]:
    """Connect several queue pairs with the same settings."""
    return [await connect(bench, number, **settings) for number in numbers]


async def reconnect(bench: Bench, link: Link, **settings: Any) -> None:
    """Recover a fatal queue pair by the documented steps and give it a fresh peer; ``settings`` go to
    QpConfig.
    """
    config = qp_config(link.number, **settings)
    link.peer = bench.partner.connect(link.number, peer_config(bench.host, config))
    link.config = config
    await bench.host.recover_qp(link.qp, config)
