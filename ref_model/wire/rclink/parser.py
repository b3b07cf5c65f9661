"""Bytes to RCLINK frame."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from ref_model.wire import ethernet, ipv4, udp, vlan
from ref_model.wire.rclink import afh, icrc, rh
from ref_model.wire.rclink.classify import Class, Kind, classify
from ref_model.wire.rclink.errors import ParseError, Reason
from ref_model.wire.rclink.frame import Frame
from ref_model.wire.rclink.layout import (
    ADDRESS_BYTES,
    ICRC_BYTES,
    RH_BYTES,
    Format,
    FrameLayout,
    IcrcMode,
)
from ref_model.wire.rclink.rh import Opcode


def parse(data: bytes, layout: FrameLayout) -> Frame:
    """Read one frame (no frame check sequence); ParseError if TYPE1 or TYPE2 and malformed, nothing else.

    Lengths, checksums, pad and ICRC are filled in as received, so that build gives the same bytes back. Wrong
    IP checksum and ICRC are no parse errors (`ip_checksum_ok`, `icrc_ok`), nor are wrong addresses, keys or
    UDP checksums. The end of the frame is the IP length in Standard; elsewhere Pkt_len of a request that
    tells one, the fixed size of a response, or else the end of `data`; what lies behind is `trailer`.
    """
    if type(data) is not bytes:
        data = bytes(data)
    found = classify(data, layout)
    if found.leaf.kind is Kind.TYPE3:
        return Frame(Kind.TYPE3, payload=data)
    return _parse(data, layout, found)


@lru_cache(maxsize=8)
def shared_parser(layout: FrameLayout) -> Callable[[bytes], Frame]:
    """As :func:`parse`, but one object for the same bytes met again soon: for readers that change nothing."""
    return lru_cache(maxsize=1024)(partial(parse, layout=layout))


def _parse(data: bytes, layout: FrameLayout, found: Class) -> Frame:
    at = found.body
    kind = found.leaf.kind
    if layout.format is Format.LITE:
        return _parse_lite(data, layout, found)
    ethertype = data[at - 2] << 8 | data[at - 1]
    form = Format.STANDARD
    if ethertype != ethernet.ETHERTYPE_IPV4:
        form = Format.GEN2 if layout.format is Format.GEN2 else Format.GEN1
    addresses, six = afh.unpack(data, form, layout)
    frame = Frame(kind, form, addresses, ethertype=ethertype)
    if found.tagged:
        tpid, tci = vlan.LAYOUT.unpack_from(data, ADDRESS_BYTES)
        frame.vlan = vlan.Vlan(tci, tpid)
    if form is Format.STANDARD:
        return _parse_standard(frame, data, layout, at)
    if kind is Kind.TYPE1 or layout.type2_has_rh:
        return _parse_transport(frame, data, layout, at, None, six)
    if six and not layout.gen2_overlay:
        addresses.spare, six = six, b""
    frame.payload = six + data[at:]
    return frame


def _parse_lite(data: bytes, layout: FrameLayout, found: Class) -> Frame:
    addresses, six = afh.unpack(data, Format.LITE, layout)
    if not layout.gen2_overlay:
        addresses.spare, six = six, b""
    payload = six + data[ADDRESS_BYTES:]
    return Frame(found.leaf.kind, Format.LITE, addresses, payload=payload, bank=found.bank)


def _parse_standard(frame: Frame, data: bytes, layout: FrameLayout, at: int) -> Frame:
    body = at + icrc.HEADER_BYTES
    frame.ip = ip = ipv4.unpack(data, at)
    frame.ip_checksum_ok = ipv4.checksum_ok(data[at : at + ipv4.SIZE])
    if body > len(data):
        frame.payload = data[at + ipv4.SIZE :]
        raise ParseError(Reason.TRUNCATED, "udp", at + ipv4.SIZE, frame)
    frame.udp = header = udp.unpack(data, at + ipv4.SIZE)
    end = at + (ip.total_length or 0)
    if end > len(data) or end < body:
        _salvage(frame, data, layout, body)
        raise ParseError(Reason.IP_LENGTH, "ip", at + 2, frame)
    if frame.kind is Kind.TYPE1 or layout.type2_has_rh:
        _parse_transport(frame, data, layout, body, end, b"")
    else:
        frame.payload = data[body:end]
        frame.trailer = data[end:]
    if header.length != end - body + udp.SIZE:
        raise ParseError(Reason.UDP_LENGTH, "udp", at + ipv4.SIZE + 4, frame)
    return frame


def _salvage(frame: Frame, data: bytes, layout: FrameLayout, at: int) -> None:
    """Read the RH if there is one, so that a judge can name QP and opcode; the rest is payload."""
    if (frame.kind is Kind.TYPE1 or layout.type2_has_rh) and at + RH_BYTES <= len(data):
        frame.rh = rh.unpack(data, at, layout.rh_order)
        at += RH_BYTES
    frame.payload = data[at:]


def _parse_transport(
    frame: Frame, data: bytes, layout: FrameLayout, at: int, end: int | None, six: bytes
) -> Frame:
    """RH, payload, pad and ICRC from `at` on; `end` is None where the RH has to tell it."""
    size = len(data)
    start = at + RH_BYTES
    if start > (size if end is None else end):
        frame.payload = data[at:]
        raise ParseError(Reason.TRUNCATED, "rh", at, frame)
    frame.rh = header = rh.unpack(data, at, layout.rh_order)
    request = frame.carries_payload
    # Six bytes of the payload, or what else lies beside the addresses.
    if six and not (request and layout.gen2_overlay):
        assert frame.addresses is not None
        frame.addresses.spare, six = six, b""
    crc = ICRC_BYTES if layout.icrc and frame.kind is Kind.TYPE1 else 0
    pad = (header.pad or 0) if request else 0
    told = header.code or 0
    if request and 0 < told < RH_BYTES:
        frame.payload = six + data[start:end]
        raise ParseError(Reason.PKT_LEN, "rh", at, frame)
    if end is None:
        if not request:
            # Nothing tells the length behind a reserved opcode.
            end = size if header.opcode == Opcode.RESERVED else start + crc
        elif told:
            # Pkt_len counts from the RH on, and payload in the addresses too.
            end = at - len(six) + told + (0 if layout.pktlen_incl_pad else pad) + crc
        else:
            end = size
        if end > size or end - crc < start:
            frame.payload = six + data[start:]
            wrong = Reason.PKT_LEN if request and told else Reason.ICRC
            raise ParseError(wrong, "rh" if wrong is Reason.PKT_LEN else "icrc", at, frame)
    tail = end - crc
    if tail < start:
        frame.payload = data[start:end]
        raise ParseError(Reason.ICRC, "icrc", start, frame)
    stop = tail - pad
    if stop < start:
        frame.payload = six + data[start:end]
        raise ParseError(Reason.PAD, "pad", at, frame)
    frame.payload = six + data[start:stop]
    frame.pad_bytes = data[stop:tail]
    if end != size:
        frame.trailer = data[end:]
    if crc:
        frame.icrc = value = int.from_bytes(data[tail:end], "little")
        covered = data[at:start] + six + data[start:tail] if six else data[at:tail]
        if frame.ip is not None and layout.icrc_mode is IcrcMode.BY_FORMAT:
            frame.icrc_ok = value == icrc.over_ip(data[at - icrc.HEADER_BYTES : at], covered)
        else:
            frame.icrc_ok = value == icrc.from_rh(covered)
    return frame
