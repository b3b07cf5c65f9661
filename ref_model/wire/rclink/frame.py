"""An RCLINK frame as one object: addresses, tag, IP, UDP, RH, payload, pad, ICRC, MAC padding."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ref_model.wire.ipv4 import IPv4
from ref_model.wire.rclink.afh import Addresses
from ref_model.wire.rclink.classify import Kind
from ref_model.wire.rclink.layout import Format, FrameLayout
from ref_model.wire.rclink.rh import Opcode, Rh, syndrome_text
from ref_model.wire.udp import Udp
from ref_model.wire.vlan import Vlan

CONGESTION_EXPERIENCED = 3


@dataclass(slots=True)
class Frame:
    """One frame without its frame check sequence.

    TYPE3: `payload` is the whole frame and all else is empty. TYPE1 and TYPE2 have `addresses`; Standard ones
    `ip` and `udp`; TYPE1 ones, LITE excepted, `rh`. None where build computes: lengths and checksum of `ip`
    and `udp` (a UDP checksum of None is the constant UDP_CSUM), `ethertype` (0x0800, len_type or mac_type2),
    `pad_bytes` (zeros as counted by `rh.pad`), `icrc` (the little-endian integer of the wire bytes).
    `payload` has the bytes that ride in the addresses and no pad; `trailer` is what lies behind the frame's
    own end, as a rule MAC padding.

    Set by the parser and ignored by the builder: `icrc_ok`, `ip_checksum_ok`, `bank` (LITE TYPE1 only).
    """

    kind: Kind
    format: Format = Format.STANDARD
    addresses: Addresses | None = None
    vlan: Vlan | None = None
    ethertype: int | None = None
    ip: IPv4 | None = None
    udp: Udp | None = None
    rh: Rh | None = None
    payload: bytes = b""
    pad_bytes: bytes | None = None
    icrc: int | None = None
    icrc_ok: bool | None = None
    ip_checksum_ok: bool | None = None
    trailer: bytes = b""
    bank: int | None = None

    @property
    def traffic_class(self) -> int | None:
        """IP ToS or AFH traffic class, 8 bits; None where the frame has none."""
        if self.ip is not None:
            return self.ip.tos
        return self.addresses.tc if self.addresses is not None else None

    @property
    def carries_payload(self) -> bool:
        """Requests, TYPE2 and LITE frames; with GEN2_OVERLAY six bytes of theirs ride in the addresses."""
        return self.kind is Kind.TYPE2 or self.rh is None or self.rh.opcode == Opcode.REQUEST

    def __str__(self) -> str:
        """One line: what it is, and what identifies it."""
        if self.kind is Kind.TYPE3:
            return f"TYPE3 {len(self.payload)} bytes"
        text = f"{self.format.name} {self.kind.value}"
        if self.rh is not None:
            rh = self.rh
            text += f" {name_of(rh)} qp {rh.dest_qp:#x} psn {rh.psn:#05x}"
            if rh.ts_en:
                text += f" time {rh.timestamp:#06x}"
        return f"{text} {len(self.payload)} bytes{' Fack' if self.rh and self.rh.fack else ''}"


def name_of(rh: Rh) -> str:
    """REQUEST, CNP, RESERVED, or the syndrome of an ACK in words."""
    return syndrome_text(rh.code or 0) if rh.opcode == Opcode.ACK else Opcode(rh.opcode).name


def congestion_marked(frame: Frame, layout: FrameLayout) -> bool:
    """ECN = congestion experienced: in the IP ToS, with ECN_ON_AFH also in the AFH traffic class."""
    tc = frame.traffic_class
    if tc is None or (frame.ip is None and not layout.ecn_on_afh):
        return False
    return tc & 3 == CONGESTION_EXPERIENCED


def recompute(frame: Frame) -> Frame:
    """Copy whose lengths, checksums, Pkt_len, pad and ICRC build computes anew; for editing a parsed frame.

    Header objects are copied, so editing the result leaves `frame` alone. The syndrome of an ACK stays, as do
    a stated UDP checksum, Key_words and the bytes beside compact addresses.
    """
    rh = frame.rh
    if rh is not None:
        rh = replace(rh, pad=None, code=None if rh.opcode == Opcode.REQUEST else rh.code)
    return replace(
        frame,
        addresses=None if frame.addresses is None else replace(frame.addresses),
        vlan=None if frame.vlan is None else replace(frame.vlan),
        ip=None if frame.ip is None else replace(frame.ip, total_length=None, checksum=None),
        udp=None if frame.udp is None else replace(frame.udp, length=None),
        rh=rh,
        pad_bytes=None,
        icrc=None,
        icrc_ok=None,
        ip_checksum_ok=None,
    )
