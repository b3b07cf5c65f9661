"""RCLINK frame to bytes."""

from __future__ import annotations

import struct
from typing import NoReturn

from ref_model.errors import UserError
from ref_model.wire import ethernet, ipv4, limits, vlan
from ref_model.wire import udp as udp_header
from ref_model.wire.rclink import afh, icrc, rh
from ref_model.wire.rclink.classify import Kind
from ref_model.wire.rclink.frame import Frame
from ref_model.wire.rclink.layout import (
    ICRC_BYTES,
    OVERLAY_BYTES,
    RH_BYTES,
    Format,
    FrameLayout,
    IcrcMode,
)

LARGEST_PKT_LEN = 127
"""RH and payload of more bytes than this are told as Pkt_len 0."""

_TYPE = struct.Struct(">H")
_ZEROS = (b"", b"\0", b"\0\0", b"\0\0\0")


def build(frame: Frame, layout: FrameLayout) -> bytes:
    """Wire bytes: what is None is computed, all else goes out as given.

    UserError if a value does not fit its field, or the frame has a part that its format lacks or lacks one.
    """
    if frame.kind is Kind.TYPE3:
        return frame.payload
    try:
        return _build(frame, layout)
    except (struct.error, OverflowError):
        _explain(frame)


def _build(frame: Frame, layout: FrameLayout) -> bytes:
    _check_parts(frame, layout)
    addresses, payload = frame.addresses, frame.payload
    assert addresses is not None
    transport, logical, crc = b"", payload, b""
    if frame.rh is not None:
        pad, code = _computed(frame, frame.rh, layout)
        pad_bytes = frame.pad_bytes
        if pad_bytes is None:
            pad_bytes = _ZEROS[pad] if frame.carries_payload and not pad >> 2 else b""
        transport = rh.pack(frame.rh, code, pad, layout.rh_order)
        logical = payload + pad_bytes
    form = frame.format
    if form in afh.COMPACT:
        six, body = _split(frame, logical, layout)
        key_words = addresses.key_words
        if key_words is None:
            key_words = afh.KEY_WORDS_MULTICAST if frame.kind is Kind.TYPE2 else afh.KEY_WORDS_UNICAST
        link = afh.pack_compact(addresses, key_words, six, layout)
    else:
        body = logical
        link = afh.pack_full(addresses, form is Format.GEN1 and layout.gen1_tc)
    if form is Format.LITE:
        return b"".join((link, body, frame.trailer))
    if frame.vlan is not None:
        link += vlan.pack(frame.vlan)
    link += _TYPE.pack(_ethertype(frame, layout))
    headers = b""
    if form is Format.STANDARD:
        crc_size = ICRC_BYTES if _has_icrc(frame, layout) else 0
        headers = _datagram(frame, len(transport) + len(body) + crc_size, layout)
    if _has_icrc(frame, layout):
        value = frame.icrc
        if value is None:
            covered = transport + logical
            if headers and layout.icrc_mode is IcrcMode.BY_FORMAT:
                value = icrc.over_ip(headers, covered)
            else:
                value = icrc.from_rh(covered)
        crc = value.to_bytes(ICRC_BYTES, "little")
    return b"".join((link, headers, transport, body, crc, frame.trailer))


def _has_icrc(frame: Frame, layout: FrameLayout) -> bool:
    return layout.icrc and frame.kind is Kind.TYPE1


def _check_parts(frame: Frame, layout: FrameLayout) -> None:
    """Each header where its format has it and nowhere else, or UserError."""
    form = frame.format
    standard = form is Format.STANDARD
    with_rh = form is not Format.LITE and (frame.kind is Kind.TYPE1 or layout.type2_has_rh)
    name = f"{form.name} {frame.kind.value}"
    for part, there, wanted in (
        ("address block", frame.addresses is not None, True),
        ("ip header", frame.ip is not None, standard),
        ("udp header", frame.udp is not None, standard),
        ("RH", frame.rh is not None, with_rh),
    ):
        if there != wanted:
            raise UserError(f"{name} frame {'needs an' if wanted else 'has no'} {part} in this layout")
    if form is Format.LITE and (frame.vlan is not None or frame.ethertype is not None):
        raise UserError("LITE frames carry neither a VLAN tag nor an EtherType")
    if frame.icrc is not None and (form is Format.LITE or not _has_icrc(frame, layout)):
        raise UserError(f"{name} frame has no ICRC in this layout")


def _computed(frame: Frame, header: rh.Rh, layout: FrameLayout) -> tuple[int, int]:
    """Pad count and RH[31:25], as given or as they should be."""
    request = frame.carries_payload
    size = len(frame.payload)
    pad = header.pad
    if pad is None:
        pad = -size & 3 if request and frame.kind is Kind.TYPE1 else 0
    code = header.code
    if code is None:
        told = RH_BYTES + size
        # The limit of 127 is on what is counted; with pads counted the largest told value is 124.
        if layout.pktlen_incl_pad:
            told += pad
        code = told if request and told <= LARGEST_PKT_LEN else 0
    return pad, code


def _split(frame: Frame, logical: bytes, layout: FrameLayout) -> tuple[bytes, bytes]:
    """The six bytes beside compact addresses, and the body."""
    assert frame.addresses is not None
    spare = frame.addresses.spare
    if frame.carries_payload and layout.gen2_overlay:
        if len(frame.payload) < OVERLAY_BYTES:
            size = len(frame.payload)
            raise UserError(
                f"{frame.format.name} payload of {size} bytes does not fill the 6 in the addresses"
            )
        if spare is not None:
            raise UserError("spare address bytes are stated, but payload rides there")
        return logical[:OVERLAY_BYTES], logical[OVERLAY_BYTES:]
    if spare is None:
        spare = frame.payload[:OVERLAY_BYTES] if frame.carries_payload else b""
        spare = spare.ljust(OVERLAY_BYTES, b"\0")
    if len(spare) != OVERLAY_BYTES:
        raise UserError(f"{len(spare)} spare address bytes (allowed: 6)")
    return spare, logical


def _ethertype(frame: Frame, layout: FrameLayout) -> int:
    if frame.ethertype is not None:
        return frame.ethertype
    if frame.format is Format.STANDARD:
        return ethernet.ETHERTYPE_IPV4
    return layout.mac_type2 if frame.kind is Kind.TYPE2 else layout.len_type


def _datagram(frame: Frame, size: int, layout: FrameLayout) -> bytes:
    """IP and UDP header above `size` bytes."""
    ip, udp = frame.ip, frame.udp
    assert ip is not None and udp is not None
    length = udp_header.SIZE + size
    checksum = layout.udp_csum if udp.checksum is None else udp.checksum
    head = ipv4.pack(ip, ipv4.SIZE + length)
    return head + udp_header.LAYOUT.pack(
        udp.src, udp.dst, length if udp.length is None else udp.length, checksum
    )


def _explain(frame: Frame) -> NoReturn:
    """Raise UserError: the first field that does not fit its width."""
    compact = frame.format in afh.COMPACT
    layers = {
        "addresses": {"dst": 16 if compact else 48, "src": 16 if compact else 48, "tc": 8, "key_words": 8},
        "vlan": {"tpid": 16, "tci": 16},
        "ip": limits.IPV4,
        "udp": limits.UDP,
        "rh": rh.WIDTHS,
    }
    for layer, widths in layers.items():
        for name, bits in widths.items():
            limits.check(f"{layer}.{name}", getattr(getattr(frame, layer), name, None), bits)
    limits.check("ethertype", frame.ethertype, 16)
    limits.check("icrc", frame.icrc, 32)
    raise UserError(
        f"frame does not fit: payload of {len(frame.payload)} bytes, or 48-bit source beside a traffic class"
    )
