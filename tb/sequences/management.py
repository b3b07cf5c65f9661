"""QP1 in the words of host and peer: management datagrams and CNPs, both ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ref_model.rocev2.endpoint import EndpointConfig, envelope
from ref_model.rocev2.segment import Verb
from ref_model.wire import Bth, Deth, Frame, build, opcodes
from tb.host import Qp, QpConfig, WorkRequest
from tb.partner.management import GENERAL_QKEY, MANAGEMENT_QP
from tb.sequences.connect import PEER_IPV4, PEER_IPV6, PEER_MAC, Bench, Link

MAD_BYTES = 256
"""Size of a management datagram (IBTA)."""

ICRC_BYTES = 4


def notification(sender: EndpointConfig, psn: int = 0) -> Frame:
    """The CNP that the holder of ``sender`` has its device send to its peer: BECN set, 16 bytes of zero."""
    return envelope(sender, Bth(opcodes.CNP, sender.peer_qp, psn, sender.pkey, becn=True))


@dataclass(slots=True)
class Management:
    """QP1 of the DUT and of its peer; ``path`` are the addresses as the peer sees them."""

    bench: Bench
    qp: Qp
    path: EndpointConfig
    psn: int = 0

    @classmethod
    async def open(cls, bench: Bench, **settings: Any) -> Management:
        """Create QP1; ``settings`` go to QpConfig (elements of 512 bytes unless given)."""
        config = QpConfig(MANAGEMENT_QP, **({"element": 512} | settings))
        qp = await bench.host.create_qp(config)
        device, six = bench.host.config, config.ip_version == 6
        path = EndpointConfig(
            qp=MANAGEMENT_QP,
            peer_qp=MANAGEMENT_QP,
            mac=PEER_MAC + 1,
            peer_mac=device.mac,
            ip=(PEER_IPV6 if six else PEER_IPV4) + 1,
            peer_ip=device.ipv6 if six else device.ipv4,
            ip_version=config.ip_version,
        )
        return cls(bench, qp, path)

    def datagram(self, payload: bytes | None = None, psn: int | None = None) -> Frame:
        """A datagram to the DUT (random content unless given); ``psn`` default: one after the last."""
        if psn is None:
            psn = self.psn
            self.psn = self.psn + 1 & 0xFFFFFF
        frame = envelope(self.path, Bth(opcodes.UD_SEND_ONLY, MANAGEMENT_QP, psn, self.path.pkey))
        frame.deth = Deth(GENERAL_QKEY, MANAGEMENT_QP)
        frame.payload = self.bench.rng.randbytes(MAD_BYTES) if payload is None else payload
        return frame

    def receive(self, count: int = 1, **content: Any) -> None:
        """Let the peer send ``count`` datagrams."""
        for _ in range(count):
            self.bench.partner.notify(MANAGEMENT_QP, self.datagram(**content))

    async def free(self) -> int:
        """Give back every element that is filled; returns how many were."""
        await self.bench.host.poll_recv(self.qp)
        count = self.qp.received - self.qp.freed
        await self.bench.host.free_recv(self.qp, count)
        return count

    def outgoing(self, payload: bytes | None = None, psn: int = 0) -> WorkRequest:
        """A request to send a datagram to the peer, as software prepares it: a whole frame but the ICRC."""
        back = mirrored(self.path)
        frame = envelope(back, Bth(opcodes.UD_SEND_ONLY, MANAGEMENT_QP, psn, back.pkey))
        frame.deth = Deth(GENERAL_QKEY, MANAGEMENT_QP)
        frame.payload = self.bench.rng.randbytes(MAD_BYTES) if payload is None else payload
        return whole(frame)

    def outgoing_cnp(self, link: Link) -> WorkRequest:
        """A request to send a CNP to the peer of ``link``."""
        return whole(notification(mirrored(link.peer.config)))

    async def send(self, *requests: WorkRequest) -> None:
        """Post requests on QP1 and wait for their completions."""
        await self.bench.host.post_send(self.qp, *requests)
        await self.bench.host.wait_completions(self.qp)


def mirrored(path: EndpointConfig) -> EndpointConfig:
    """The same path seen from the other side."""
    return replace(
        path,
        qp=path.peer_qp,
        peer_qp=path.qp,
        mac=path.peer_mac,
        peer_mac=path.mac,
        ip=path.peer_ip,
        peer_ip=path.ip,
    )


def whole(frame: Frame, align_offset: int = 0) -> WorkRequest:
    """A QP1 request for ``frame``: lengths count the ICRC, which the device appends."""
    return WorkRequest(Verb.SEND, build(frame)[:-ICRC_BYTES], align_offset=align_offset)
