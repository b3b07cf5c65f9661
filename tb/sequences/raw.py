"""Hand-made requests of a peer: every packet chosen by the test, legal or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ref_model.rocev2.endpoint import envelope
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb, response_count, segment
from ref_model.wire import Bth, Frame, Reth, build, opcodes
from tb.partner import PartnerCore
from tb.sequences.connect import Bench, Link

Change = Callable[[Frame], None]


@dataclass(slots=True)
class RawPeer:
    """Builds request packets of one link and injects them; keeps its own PSN.

    The endpoint of the link never sees these requests, so what the DUT answers to them is ignored there. Do
    not mix with requests posted at the endpoint.
    """

    link: Link
    partner: PartnerCore
    psn: int = -1
    _broken: int = 0x5A00_0000

    def __post_init__(self) -> None:
        """Begin at the PSN the DUT expects."""
        if self.psn < 0:
            self.psn = self.link.config.expected_psn

    def message(
        self,
        verb: Verb,
        payload: bytes,
        va: int = 0,
        rkey: int = 0,
        value: int = 0,
        psn: int | None = None,
        ack: bool = True,
    ) -> list[Frame]:
        """The packets of a message as frames, from ``psn`` (default: the next one); nothing is sent.

        Of a READ only the length of ``payload`` counts.
        """
        config = self.link.peer.config
        first = self.psn if psn is None else psn
        frames = []
        for number, part in enumerate(segment(verb, len(payload), config.pmtu)):
            bth = Bth(
                opcode=part.opcode,
                dest_qp=config.peer_qp,
                psn=psn_add(first, number),
                pkey=config.pkey,
                ack_req=ack and part.last,
            )
            frame = envelope(config, bth)
            frame.payload = payload[part.offset : part.offset + part.length]
            if (verb.is_write or verb is Verb.READ) and part.first:
                frame.reth = Reth(va=va, rkey=rkey, length=len(payload))
            if part.last and verb.has_immediate:
                frame.immdt = value
            if part.last and verb.has_invalidate:
                frame.ieth = value
            frames.append(frame)
        return frames

    def send(self, frames: list[Frame] | Frame, advance: bool = True, good: bool = True) -> None:
        """Inject frames in order; ``advance`` moves the peer's PSN behind the last one."""
        frames = [frames] if isinstance(frames, Frame) else frames
        for frame in frames:
            self.partner.inject(build(frame), good)
            if advance and frame.bth is not None:
                span = 1
                if frame.bth.opcode == opcodes.READ_REQUEST and frame.reth is not None:
                    span = response_count(frame.reth.length, self.link.peer.config.pmtu)
                self.psn = psn_add(frame.bth.psn, span)

    def post(self, verb: Verb, payload: bytes, va: int = 0, rkey: int = 0, value: int = 0) -> list[Frame]:
        """Send a legal message at the next PSN and return its frames (for a later replay)."""
        frames = self.message(verb, payload, va, rkey, value)
        self.send(frames)
        return frames

    def read(self, va: int, rkey: int, length: int, psn: int | None = None) -> Frame:
        """Send a READ request for ``length`` bytes; one with a ``psn`` of its own leaves the peer's alone."""
        frame = self.message(Verb.READ, bytes(length), va, rkey, psn=psn, ack=False)[0]
        self.send(frame, advance=psn is None)
        return frame

    def broken(self, change: Change, payload: bytes | None = None, good: bool = True) -> None:
        """Send a one-packet SEND altered by ``change`` that the DUT should drop; the peer's PSN stays.

        Without ``payload`` it carries 32 bytes no other broken frame has, so that a stray write tells which.
        """
        self._broken += 1
        data = payload if payload is not None else self._broken.to_bytes(4, "big") * 8
        frame = self.message(Verb.SEND, data)[0]
        change(frame)
        self.partner.inject(build(frame), good)


async def fill_ring(bench: Bench, raw: RawPeer) -> list[Frame]:
    """Post a 30-byte SEND for each of the 16 elements of the default receive ring, wait until all have come;
    return the packets of the last one (for a replay).
    """
    for _ in range(16):
        last = raw.post(Verb.SEND, bench.rng.randbytes(30))
    await bench.host.wait_received(raw.link.qp, 16)
    return last
