"""The scapy layers of tb.wire_scapy_rclink and the codec agree, both ways."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw

from ref_model.wire.rclink import Format, Frame, Kind, build, parse
from tb.wire_scapy_rclink import RH, AFHGen1, AFHGen2, AFHLite, RclinkTag, RclinkType
from tests.unit.wire.rclink.samples import kinds_of, layout_of, sample

CASES = [
    (form, kind, tagged)
    for form in Format
    for kind in kinds_of(form)
    for tagged in ((False,) if form is Format.LITE else (False, True))
]
SIZE = 66


def _dotted(address: int) -> str:
    return ".".join(map(str, address.to_bytes(4, "big")))


def _block(frame: Frame, payload: bytes) -> Packet:
    addresses = frame.addresses
    assert addresses
    if frame.format is Format.STANDARD:
        return Ether(dst=addresses.dst.to_bytes(6, "big"), src=addresses.src.to_bytes(6, "big"))
    if frame.format is Format.GEN1:
        return AFHGen1(dst=addresses.dst.to_bytes(6, "big"), tc=addresses.tc, src=addresses.src)
    layer = AFHGen2 if frame.format is Format.GEN2 else AFHLite
    low, high = (payload[:3], payload[3:6]) if payload else (bytes(3), bytes(3))
    m = int(frame.kind is Kind.TYPE2)
    return layer(tc=addresses.tc, low=low, dst=addresses.dst, m=m, high=high, src=addresses.src)


def craft(frame: Frame) -> bytes:
    """The same frame made of scapy layers from the field values, the rest of its rules written out here."""
    layout, rh, payload = layout_of(frame.format), frame.rh, frame.payload
    packet: Any = _block(frame, payload)
    body = payload[6:] if frame.format in (Format.GEN2, Format.LITE) else payload
    if frame.format is Format.LITE:
        return bytes(packet / Raw(body))
    transport = b""
    if rh is not None:
        request = rh.opcode == 0
        pad = -len(payload) % 4
        body += bytes(pad)
        code = 8 + len(payload) + pad if request else rh.code or 0
        transport = bytes(
            RH(
                opcode=int(rh.opcode),
                fack=int(rh.fack),
                pad=pad,
                ts_en=int(rh.ts_en),
                timestamp=rh.timestamp,
                pkey=rh.pkey,
                code=code,
                psn=rh.psn,
                dest_qp=rh.dest_qp,
            )
        )
    logical = transport + payload + body[len(body) - (-len(payload) % 4) :] if rh and payload else transport
    if frame.format is not Format.STANDARD:
        if frame.vlan:
            packet /= RclinkTag(prio=frame.vlan.priority, vlan=frame.vlan.vid)
        packet /= RclinkType(type=layout.mac_type2 if frame.kind is Kind.TYPE2 else layout.len_type)
        crc = crc32(logical).to_bytes(4, "little") if rh else b""
        return bytes(packet / Raw(transport + body + crc))
    assert frame.ip and frame.udp
    if frame.vlan:
        packet /= Dot1Q(prio=frame.vlan.priority, vlan=frame.vlan.vid)
    room = bytes(4) if rh else b""
    packet /= IP(
        src=_dotted(frame.ip.src),
        dst=_dotted(frame.ip.dst),
        tos=frame.ip.tos,
        ttl=frame.ip.ttl,
        id=frame.ip.ident,
        flags="DF",
    )
    packet /= UDP(sport=frame.udp.src, dport=frame.udp.dst, chksum=0) / Raw(transport + body + room)
    wire = bytes(packet)
    if not rh:
        return wire
    # ToS, TTL and both checksums as ones, found by scapy's own layers.
    masked = IP(bytes(Ether(wire)[IP]))
    masked.tos, masked.ttl, masked.chksum = 0xFF, 0xFF, 0xFFFF
    masked[UDP].chksum = 0xFFFF
    return wire[:-4] + crc32(b"\xff" * 8 + bytes(masked)[:-4]).to_bytes(4, "little")


@pytest.mark.parametrize(("form", "kind", "tagged"), CASES)
def test_crafted_frames_are_the_same_bytes(form: Format, kind: str, tagged: bool) -> None:
    frame = sample(form, kind, tagged, bytes(range(1, SIZE + 1)))
    assert craft(frame).hex() == build(frame, layout_of(form)).hex()


@pytest.mark.parametrize(("form", "kind", "tagged"), CASES)
def test_dissected_fields_are_the_same(form: Format, kind: str, tagged: bool) -> None:
    """What scapy reads is what the codec reads."""
    layout = layout_of(form)
    wire = build(sample(form, kind, tagged, bytes(range(1, SIZE + 1))), layout)
    parsed = parse(wire, layout)
    assert parsed.addresses
    packet: Packet
    if form is Format.STANDARD:
        packet = Ether(wire)
        assert parsed.ip and (packet[IP].tos, packet[IP].len) == (parsed.ip.tos, parsed.ip.total_length)
        rest = bytes(packet[UDP].payload)
    else:
        packet = {Format.GEN1: AFHGen1, Format.GEN2: AFHGen2, Format.LITE: AFHLite}[form](wire)
        assert packet.tc == parsed.traffic_class and packet.src == parsed.addresses.src
        if form is Format.LITE:
            assert packet.low + packet.high + bytes(packet.payload) == parsed.payload
            return
        assert packet.haslayer(RclinkTag) == tagged
        assert packet[RclinkType].type == parsed.ethertype
        rest = bytes(packet[RclinkType].payload)
    if parsed.rh:
        header = RH(rest)
        for name in ("opcode", "fack", "pad", "rsv", "ts_en", "timestamp", "pkey", "code", "psn", "dest_qp"):
            assert getattr(header, name) == getattr(parsed.rh, name), name
