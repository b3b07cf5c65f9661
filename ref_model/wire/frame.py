"""The frame as one object: Ethernet, tags, IP, UDP, BTH, extension headers, payload, pad, ICRC, trailer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ref_model.wire.bth import Bth
from ref_model.wire.ethernet import Ethernet
from ref_model.wire.extended import Aeth, AtomicAckEth, AtomicEth, Deth, Reth
from ref_model.wire.ipv4 import IPv4
from ref_model.wire.ipv6 import IPv6
from ref_model.wire.opcodes import name_of
from ref_model.wire.pause import Pause, Pfc
from ref_model.wire.udp import Udp
from ref_model.wire.vlan import Vlan


@dataclass(slots=True)
class Frame:
    """One Ethernet frame without its frame check sequence.

    A header that is None is not there. Headers are written in wire order whatever the opcode says, so that
    wrong combinations can be built: DETH, RETH, AtomicETH, AETH, AtomicAckETH, ImmDt, IETH, CNP bytes.
    `pad_bytes` None: zeros as counted by `bth.pad`. `icrc` is the little-endian integer of the wire bytes
    (None: computed). `trailer` are the bytes behind the IP length, or behind the parameters of a MAC control
    frame. `cnp_reserved` None on a CNP: 16 zero bytes.

    Set by the parser and ignored by the builder: `icrc_ok`, `ip_checksum_ok` (IPv4 only), `udp_checksum_ok`
    (None where the checksum is absent).
    """

    eth: Ethernet
    vlans: tuple[Vlan, ...] = ()
    ip: IPv4 | IPv6 | None = None
    udp: Udp | None = None
    bth: Bth | None = None
    reth: Reth | None = None
    aeth: Aeth | None = None
    atomic: AtomicEth | None = None
    atomic_ack: AtomicAckEth | None = None
    immdt: int | None = None
    ieth: int | None = None
    deth: Deth | None = None
    payload: bytes = b""
    pad_bytes: bytes | None = None
    icrc: int | None = None
    icrc_ok: bool | None = None
    pause: Pause | Pfc | None = None
    trailer: bytes = b""
    cnp_reserved: bytes | None = None
    ip_checksum_ok: bool | None = None
    udp_checksum_ok: bool | None = None

    def __str__(self) -> str:
        """One line: opcode, QP, PSN and the extension headers of a RoCE frame, the type of any other."""
        bth = self.bth
        if bth is None:
            return f"ethertype {self.eth.ethertype:#06x} {len(self.payload)} bytes"
        text = f"{name_of(bth.opcode)} qp {bth.dest_qp:#x} psn {bth.psn:#08x}"
        if self.aeth is not None:
            text += f" syndrome {self.aeth.syndrome:#x} msn {self.aeth.msn:#x}"
        if self.reth is not None:
            text += f" va {self.reth.va:#x} key {self.reth.rkey:#x} length {self.reth.length}"
        return f"{text} {len(self.payload)} bytes{' A' if bth.ack_req else ''}"


def recompute(frame: Frame) -> Frame:
    """Copy whose lengths, checksums, pad and ICRC build computes anew.

    A parsed frame carries the values it was received with; after an edit they are stale. An absent UDP
    checksum stays absent. Header objects are copied, so editing the result leaves `frame` alone.
    """
    ip: IPv4 | IPv6 | None
    if isinstance(frame.ip, IPv4):
        ip = replace(frame.ip, total_length=None, checksum=None)
    elif isinstance(frame.ip, IPv6):
        ip = replace(frame.ip, payload_length=None)
    else:
        ip = None
    udp = frame.udp
    if udp is not None:
        udp = replace(udp, length=None, checksum=None if udp.checksum else 0)
    return replace(
        frame,
        eth=replace(frame.eth),
        vlans=tuple(replace(tag) for tag in frame.vlans),
        ip=ip,
        udp=udp,
        bth=None if frame.bth is None else replace(frame.bth, pad=None),
        pad_bytes=None,
        icrc=None,
        icrc_ok=None,
        ip_checksum_ok=None,
        udp_checksum_ok=None,
        **{
            name: replace(header)
            for name in ("reth", "aeth", "atomic", "atomic_ack", "deth", "pause")
            if (header := getattr(frame, name)) is not None
        },
    )
