"""The set-up behind ``rclink_vectors.json``: one device, its peer, one queue pair, every kind of frame."""

from __future__ import annotations

from dataclasses import replace

from ref_model.wire import IPv4, Udp, Vlan
from ref_model.wire.rclink import Addresses, Format, Frame, FrameLayout, Kind, Opcode, Rh

KINDS = ("request", "ack", "nak", "cnp", "type2")
WITH_TRANSPORT = (Format.STANDARD, Format.GEN1, Format.GEN2)
COMPACT = (Format.GEN2, Format.LITE)

_TC = {"request": 0x28, "type2": 0x54}
_PRIORITY = {"request": 3, "type2": 5}
_ACK_TC, _ACK_PRIORITY = 0x30, 4


def layout_of(form: Format) -> FrameLayout:
    """Default readings; EtherTypes, port and traffic classes of the set-up."""
    return FrameLayout(
        form,
        len_type=0x88B5,
        mac_type2=0x88B6,
        type2_port=0xBEEF,
        type2_tc=0x54,
        bank_tcs=(0x20, 0x28, 0x2C, 0x34),
    )


def _rh(kind: str) -> Rh:
    qp, psn, key = 0x155, 0xABC, 0x5A
    if kind == "request":
        return Rh(Opcode.REQUEST, qp, psn, key, timestamp=0x1234, ts_en=True, fack=True)
    if kind == "ack":
        return Rh(Opcode.ACK, qp, psn, key, code=0x1F, timestamp=0x1234, ts_en=True)
    if kind == "nak":
        return Rh(Opcode.ACK, qp, psn, key, code=0x60)
    return Rh(Opcode.CNP, qp, 0, key)


def sample(form: Format, kind: str, tagged: bool = False, payload: bytes = bytes(range(64))) -> Frame:
    """One frame; `payload` counts for requests and TYPE2 only."""
    type2 = kind == "type2"
    tc = _TC.get(kind, _ACK_TC)
    dst = 0x01_00_00_00_00_33 if type2 else 0x02_00_00_00_00_22
    src = 0x02_00_00_00_00_11
    if form in COMPACT:
        dst, src = dst & 0xFFFF, src & 0xFFFF
    elif form is Format.GEN1:
        src &= 0xFF_FFFF_FFFF
    frame = Frame(
        Kind.TYPE2 if type2 else Kind.TYPE1,
        form,
        Addresses(dst, src, None if form is Format.STANDARD else tc),
        vlan=Vlan(_PRIORITY.get(kind, _ACK_PRIORITY) << 13 | 0x123) if tagged else None,
        rh=None if type2 or form is Format.LITE else _rh(kind),
        payload=payload if kind in ("request", "type2") else b"",
    )
    if form is Format.STANDARD:
        frame.ip = IPv4(0xC0A80001, 0xC0A80002, tos=tc, ttl=64, ident=0x1234)
        frame.udp = Udp(0xC002, 0xBEEF, checksum=None) if type2 else Udp(0xC000, checksum=None)
    return frame


def kinds_of(form: Format) -> tuple[str, ...]:
    """Kinds of frame that a format has."""
    return ("request", "type2") if form is Format.LITE else KINDS


def without_icrc(layout: FrameLayout) -> FrameLayout:
    """The same link with type1_remove_icrc_en = 1."""
    return replace(layout, icrc=False)
