"""UDP header (RFC 768) with the checksum over the IPv4 or IPv6 pseudo header (RFC 8200 clause 8.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ref_model.wire.ipv4 import IPv4, internet_checksum
from ref_model.wire.ipv6 import IPv6

LAYOUT = struct.Struct(">HHHH")
SIZE = 8
PROTOCOL = 17
ROCE_PORT = 4791
"""UDP destination port of RoCEv2 (annex A17)."""


@dataclass(slots=True)
class Udp:
    """UDP header; `length` in bytes with header (None: computed). `checksum` 0 = absent, None = computed."""

    src: int
    dst: int = ROCE_PORT
    length: int | None = None
    checksum: int | None = 0


def pack(udp: Udp, length: int) -> bytes:
    """Header; `length` is used where the header does not state one, a checksum of None is written as 0."""
    return LAYOUT.pack(udp.src, udp.dst, length if udp.length is None else udp.length, udp.checksum or 0)


def unpack(data: bytes, offset: int) -> Udp:
    """Read the header at `offset`; 8 bytes must be there."""
    return Udp(*LAYOUT.unpack_from(data, offset))


def _pseudo_header(ip: IPv4 | IPv6, length: int) -> bytes:
    size = 4 if isinstance(ip, IPv4) else 16
    addresses = ip.src.to_bytes(size, "big") + ip.dst.to_bytes(size, "big")
    return addresses + length.to_bytes(4, "big") + PROTOCOL.to_bytes(4, "big")


def checksum_of(ip: IPv4 | IPv6, datagram: bytes) -> int:
    """Checksum for `datagram` (UDP header with checksum field 0, then data); a sum of 0 is sent as 0xFFFF."""
    return internet_checksum(_pseudo_header(ip, len(datagram)) + datagram) or 0xFFFF


def checksum_ok(ip: IPv4 | IPv6, datagram: bytes) -> bool:
    """True if `datagram`, its non-zero checksum field included, sums to all ones."""
    return internet_checksum(_pseudo_header(ip, len(datagram)) + datagram) == 0
