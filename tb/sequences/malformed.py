"""Random malformed frames: cut, stretched, corrupted in one field or many bits, random bytes.

Victims are queue pairs of their own: what is accepted by chance, or turns one fatal, disturbs nobody else.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import cocotb

from ref_model.rocev2.endpoint import acknowledge
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from ref_model.wire import Frame, IPv4, build, recompute
from tb.sequences.connect import Bench, Link
from tb.sequences.raw import RawPeer
from tb.sequences.traffic import ALL_VERBS, consume, peer_post, request

BURST = 6
"""Frames without a gap between; the inputs have no READY, the buffer behind them has an end."""

#: Where a frame names its sender.
SOURCE_MAC = slice(6, 12)

#: Opcodes of requests without READ, one behind the last of RC, reserved ones.
OPCODES = (*range(0x0C), 0x15, 0x16, 0x17, 0x18, 0x1F)

_Change = Callable[[random.Random, Frame], None]


def _flip(path: str, width: int) -> _Change:
    """One bit of a field; all check sums are right again."""
    layer, _, name = path.partition(".")

    def change(rng: random.Random, frame: Frame) -> None:
        header = getattr(frame, layer)
        if header is not None:
            setattr(header, name, getattr(header, name) ^ 1 << rng.randrange(width))

    return change


def _opcode(rng: random.Random, frame: Frame) -> None:
    assert frame.bth is not None
    frame.bth.opcode = rng.choice(OPCODES)


def _number(rng: random.Random, frame: Frame) -> None:
    """A queue pair beyond every build of this bench."""
    assert frame.bth is not None
    frame.bth.dest_qp = rng.choice((0, 0x80_0000, 0xFF_FFFF)) | rng.getrandbits(16) << 8 & 0xFF_F000


def _psn(rng: random.Random, frame: Frame) -> None:
    assert frame.bth is not None
    step = rng.choice((-1, 1, -5, 7, 1 << 22, (1 << 23) - 40, 40 - (1 << 23), -(1 << 22)))
    frame.bth.psn = psn_add(frame.bth.psn, step)


def _length_field(rng: random.Random, frame: Frame) -> None:
    """An IP or UDP length off by little or much, check sums of header and ICRC right."""
    delta = rng.choice((-64, -8, -4, -1, 1, 3, 4, 64, 1000, -5000))
    whole = len(build(frame)) - 14
    size = max(0, min(0xFFFF, whole + delta))
    if isinstance(frame.ip, IPv4):
        frame.ip.total_length = size
    elif frame.ip is not None:
        frame.ip.payload_length = max(0, size - 40)


def _udp_length(rng: random.Random, frame: Frame) -> None:
    header = 20 if isinstance(frame.ip, IPv4) else 40
    delta = rng.choice((-64, -4, -1, 1, 4, 64, 2000))
    assert frame.udp is not None
    frame.udp.length = max(0, len(build(frame)) - 14 - header + delta)


def _checksum(rng: random.Random, frame: Frame) -> None:
    """An IPv4 header check sum that is wrong; the ICRC leaves it out."""
    if isinstance(frame.ip, IPv4):
        frame.ip.checksum = rng.getrandbits(16)


def _trailer(rng: random.Random, frame: Frame) -> None:
    frame.trailer = rng.randbytes(rng.choice((1, 2, 3, 4, 6, 18, 100)))


FIELDS: tuple[_Change, ...] = (
    _flip("eth.dst", 48),
    _flip("ip.dst", 32),
    _flip("udp.dst", 16),
    _flip("bth.tver", 4),
    _flip("bth.pkey", 15),
    _flip("reth.va", 64),
    _flip("reth.rkey", 32),
    _flip("reth.length", 20),
    _opcode,
    _number,
    _psn,
    _length_field,
    _udp_length,
    _checksum,
    _trailer,
)


class Malformer:
    """Makes malformed frames for ``victims``; the same ``rng`` gives the same frames."""

    def __init__(self, rng: random.Random, victims: list[RawPeer]) -> None:
        """Frames are for one of ``victims`` at a time."""
        self._rng = rng
        self._victims = victims

    def frame(self) -> tuple[bytes, bool]:
        """Bytes of the next frame and whether its last beat says that it is good."""
        rng = self._rng
        raw = rng.choice(self._victims)
        base = recompute(self._legal(raw))
        kind = rng.randrange(8)
        if kind == 0:
            return rng.randbytes(rng.randrange(14, 300)), True
        if kind <= 3:
            rng.choice(FIELDS)(rng, base)
            return build(base), rng.random() > 0.02
        data = bytearray(build(base))
        if kind == 4:
            return bytes(data[: rng.randrange(14, len(data))]), True
        if kind == 5:
            return bytes(data) + rng.randbytes(rng.randrange(1, 600)), True
        for _ in range(rng.choice((1, 1, 2, 8))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        data[SOURCE_MAC] = base.eth.src.to_bytes(6, "big")  # no check covers it, so it would end the judging
        return bytes(data), True

    def _legal(self, raw: RawPeer) -> Frame:
        rng = self._rng
        if rng.random() < 0.2:
            syndrome = rng.choice((0x1F, 0x1F, 0x60, 0x21, 0x62, 0x7F))
            return acknowledge(raw.link.peer.config, rng.getrandbits(24), syndrome, 0)
        verb = rng.choice(ALL_VERBS)
        frames = raw.message(verb, rng.randbytes(rng.choice((0, 1, 30, 256, 257, 700))), rng.getrandbits(40))
        return rng.choice(frames)


async def malformed_round(bench: Bench, victims: list[Link], busy: list[Link], count: int) -> None:
    """``count`` malformed frames for ``victims`` beside good traffic on ``busy``, then rest."""
    make = Malformer(bench.rng, [RawPeer(link, bench.partner) for link in victims])
    consumer = cocotb.start_soon(consume(bench, busy, bench.rng, 0.1))
    for number in range(count):
        data, good = make.frame()
        bench.partner.inject(data, good)
        if number % BURST == BURST - 1:
            await bench.host.pause(1.2)
        if number % 40 == 0:
            link = bench.rng.choice(busy)
            peer_post(link, bench.rng, Verb.SEND, bench.rng.randrange(600))
            bench.partner.service()
            await bench.host.post_send(link.qp, request(bench.rng, bench.rng.choice(ALL_VERBS), 300))
    for link in busy:
        await bench.host.wait_completions(link.qp)

        async def done(link: Link = link) -> bool:
            return link.peer.requester.idle

        await bench.host.wait_until(done, f"peer of QP {link.number} finished", 1_000_000_000)
    consumer.cancel()
