"""Scapy layers for RCLINK frames by the default readings, to craft and `show()` them.

A frame is made of an address block (`AFHGen1`, `AFHGen2`, `AFHLite`, or scapy's `Ether`), `RclinkTag` and
`RclinkType` where the block has no EtherType of its own, and `RH`. A dissector cannot tell the format of an
AFH frame, so dissection starts at the right class: ``AFHGen2(data)``. Standard frames are scapy's own layers
up to UDP; their port belongs to RoCEv2 in scapy, so stack an `RH` there by hand and read it with
``RH(bytes(packet[UDP].payload))``. Whether an `RclinkType` is followed by an RH is a setting of the link,
told by ``bind_layers(RclinkType, RH, type=...)``. Payload in the addresses, pad and ICRC are the caller's.

As for `tb.wire_scapy`, only tests import this module: scapy is an optional extra.
"""

from __future__ import annotations

from typing import Any

from scapy.fields import (
    BitEnumField,
    BitField,
    MACField,
    XBitField,
    XByteField,
    XShortField,
    XStrFixedLenField,
)
from scapy.packet import Packet, Raw

__all__ = ["RH", "AFHGen1", "AFHGen2", "AFHLite", "RclinkTag", "RclinkType"]

_TAG = b"\x81\x00"


class RH(Packet):
    """Transport header, most significant bit first."""

    name = "RCLINK RH"
    fields_desc = [
        BitEnumField("opcode", 0, 2, {0: "REQUEST", 1: "ACK", 2: "CNP", 3: "RESERVED"}),
        BitField("fack", 0, 1),
        BitField("pad", 0, 2),
        BitField("rsv", 0, 2),
        BitField("ts_en", 0, 1),
        XShortField("timestamp", 0),
        XByteField("pkey", 0),
        XBitField("code", 0, 7),
        XBitField("psn", 0, 12),
        XBitField("dest_qp", 0, 13),
    ]


class RclinkType(Packet):
    """EtherType behind an address block."""

    name = "RCLINK EtherType"
    fields_desc = [XShortField("type", 0x88B5)]


class RclinkTag(Packet):
    """VLAN tag behind an address block; the EtherType follows as `RclinkType`."""

    name = "RCLINK VLAN tag"
    fields_desc = [
        XShortField("tpid", 0x8100),
        BitField("prio", 0, 3),
        BitField("dei", 0, 1),
        BitField("vlan", 0, 12),
    ]

    def guess_payload_class(self, payload: bytes) -> type[Packet]:
        return RclinkType


class _Block(Packet):
    def guess_payload_class(self, payload: bytes) -> type[Packet]:
        return RclinkTag if payload[:2] == _TAG else RclinkType


class AFHGen1(_Block):
    """GEN1 addresses with the traffic class in MAC_SA[47:40]."""

    name = "AFH_GEN1"
    fields_desc = [MACField("dst", None), XByteField("tc", 0), XBitField("src", 0, 40)]


_COMPACT: Any = [
    XByteField("tc", 0),
    XStrFixedLenField("low", b"\0\0\0", 3),
    XShortField("dst", 0),
    BitField("w", 1, 1),
    BitField("v", 0, 1),
    BitField("rsv", 0, 2),
    BitField("zy", 0, 2),
    BitField("x", 1, 1),
    BitField("m", 0, 1),
    XStrFixedLenField("high", b"\0\0\0", 3),
    XShortField("src", 0),
]
"""Traffic class and Key_words with three payload bytes and a 16-bit address behind each."""


class AFHGen2(_Block):
    """GEN2_16b addresses."""

    name = "AFH_GEN2_16b"
    fields_desc = _COMPACT


class AFHLite(Packet):
    """LITE addresses; the rest of the payload follows at once."""

    name = "AFH_Lite"
    fields_desc = _COMPACT

    def guess_payload_class(self, payload: bytes) -> type[Packet]:
        return Raw
