"""Opening of most RCLINK scenarios: bring-up, queue pairs on both sides, traffic both ways."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Protocol

from ref_model.rclink import ports
from ref_model.rules import SPEC_DIR
from ref_model.wire.rclink import Opcode
from tb.host.rclink import RclinkHost
from tb.host.rclink_settings import FULL_RATE, QpSettings, RclinkSettings, device_changes, qp_changes
from tb.partner import Action, Direction, Fault, RclinkPartner
from tb.registers.sequences import Scope

REGISTERS = SPEC_DIR / "rclink" / "registers.json"
STORED = Scope(skip=frozenset({"TYPE3.TX_MD_HEAD_PTR", "TYPE3.RX_MD_HEAD_PTR"}))
"""Registers that are plain storage: what the head pointers show while their channel is in reset is open."""

REQUEST, ACK, CNP = int(Opcode.REQUEST), int(Opcode.ACK), int(Opcode.CNP)
PEER_MAC, PEER_IP = 0xD6_00_00_00_00_22, 0xC0A8_0002
PEER_QP = 4
"""The peer of queue pair n is n exclusive-or this: another number in the same bank."""


class Bench(Protocol):
    """What sequences need of a running test."""

    host: RclinkHost
    partner: RclinkPartner
    rng: random.Random
    env: Any

    async def settle(self) -> None:
        """Wait for quiet and judge all status."""


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
    await bench.env.inputs[ports.SET_TYPE2_RATE].send(FULL_RATE)


async def connect(bench: Bench, number: int, **settings: Any) -> Link:
    """A queue pair and its peer; ``settings`` override fields of QpSettings."""
    chosen, device = qp_settings(bench, number, **settings), bench.host.settings
    bench.partner.program(qp_changes(chosen.mirrored(device.mac, device.ip)))
    await bench.host.create_qp(chosen)
    return Link(chosen)


async def start(bench: Bench, numbers: Iterable[int] = (1,), **settings: Any) -> list[Link]:
    """Bring-up and queue pairs ``numbers``; ``settings`` go to QpSettings or RclinkSettings by their name."""
    names = {entry.name for entry in fields(QpSettings)}
    own = {name: value for name, value in settings.items() if name in names}
    await bring_up(bench, **{name: value for name, value in settings.items() if name not in names})
    return [await connect(bench, number, **own) for number in numbers]


async def reconnect(bench: Bench, link: Link) -> None:
    """Recover a fatal queue pair by the documented steps, both ends numbered anew."""

    settings = await bench.host.recover(link.number, bench.partner.free(link.peer))
    device = bench.host.settings
    bench.partner.program(qp_changes(settings.mirrored(device.mac, device.ip)))


async def all_sent(bench: Bench) -> None:
    """Wait until no packet is on its way into the DUT or out of it."""

    async def sent() -> bool:
        return bench.env.client.idle and bench.env.levels.values[ports.TX_MAC_FREE] == 1

    await bench.host.pause(0.5)
    await bench.host.wait_until(sent, "the end of sending")


RAW_TYPE = 0x9ABC
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


def raw_frame(rng: random.Random, length: int) -> bytes:
    """A frame of an EtherType nobody knows, to any address."""
    return rng.randbytes(12) + RAW_TYPE.to_bytes(2, "big") + rng.randbytes(length - 14)


async def burst(bench: Bench, number: int, count: int, length: int | None = None, fack: bool = False) -> None:
    """Packets of one queue pair of the DUT, back to back."""
    for _ in range(count):
        await bench.host.send(number, payload(bench.rng, length), fack)


def peer_burst(bench: Bench, link: Link, count: int, length: int | None = None, fack: bool = False) -> None:
    """Packets of the peer of a queue pair, back to back."""
    for _ in range(count):
        bench.partner.send(link.peer, payload(bench.rng, length), fack)


def corrupt(
    bench: Bench, field: str, value: int | bytes, opcode: int = REQUEST, count: int | None = 1
) -> None:
    """Change a field of the next frames of the partner, all check sums right."""
    fault = Fault(
        Action.CORRUPT, Direction.TO_DUT, opcode=opcode, count=count, field=field, value=value, repeats=False
    )
    bench.partner.add_faults(fault)


def lose(bench: Bench, direction: Direction, opcode: int = REQUEST, **more: Any) -> None:
    """Lose frames; ``more`` are the fields of the fault."""
    bench.partner.add_faults(Fault(Action.DROP, direction, opcode=opcode, **more))


async def set_rate(bench: Bench, number: int, rate: int) -> None:
    """Rate of a queue pair of the DUT by its port, in bytes per window."""
    await bench.env.inputs[ports.SET_CC_RATE].send(rate, number)


async def link_credit(bench: Bench, size: int, limit: int, ovhd: int, **fields: int) -> None:
    """Load all channels, put the TYPE1 banks under credit check; ``fields`` of AFH_CFG_EN on top."""
    await bench.env.inputs[ports.CBFC_LOAD].send(0xFF, size, limit, ovhd)
    limits = {f"{flow}_credit_uf_limit_cbfc": 2 for flow in ("type1", "type2", "type3", "ack")}
    checks = {f"rx_type1_req_bank{bank}_cbfc_en": 1 for bank in range(4)}
    changed = {**limits, **checks, "software_ctrl_cbfc_vc_status": 0xFF, **fields}
    await bench.host.set("AFH_CFG_EN", **changed, stop_cbfc_en=0)
    await bench.host.pause(0.1)


async def give(bench: Bench, vc: int, credits: int) -> None:
    """Return credits of one channel."""
    await bench.env.inputs[ports.CBFC_RETURN].send(1 << vc, credits)


async def settled(bench: Bench) -> None:
    """End what the faults did, judge all status at rest."""
    await bench.settle()
    bench.partner.clear_faults()


async def reset(bench: Bench) -> None:
    """Reset the DUT with all that is under way; host and partner forget their queue pairs, memory stays."""
    bench.partner.reset()
    await bench.env.clock_reset.reset()
    bench.host.forget()
