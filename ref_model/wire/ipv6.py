"""IPv6 fixed header (RFC 8200). Extension headers are not followed: what they hold stays opaque payload."""

from __future__ import annotations

import struct
from dataclasses import dataclass

LAYOUT = struct.Struct(">IHBBQQQQ")
SIZE = 40

_LOW64 = (1 << 64) - 1


@dataclass(slots=True)
class IPv6:
    """IPv6 header; addresses as 128-bit integers, `payload_length` in bytes (None: computed by build)."""

    src: int
    dst: int
    traffic_class: int = 0
    flow_label: int = 0
    hop_limit: int = 64
    next_header: int = 17
    payload_length: int | None = None
    version: int = 6


def pack(ip: IPv6, payload_length: int) -> bytes:
    """Header; `payload_length` is used where the header does not state one.

    struct.error or OverflowError if a field exceeds its width.
    """
    if ip.payload_length is not None:
        payload_length = ip.payload_length
    if ip.traffic_class >> 8 or ip.flow_label >> 20:
        raise OverflowError("traffic class or flow label exceeds its width")
    word = (ip.version << 28) | (ip.traffic_class << 20) | ip.flow_label
    src, dst = ip.src, ip.dst
    return LAYOUT.pack(
        word, payload_length, ip.next_header, ip.hop_limit, src >> 64, src & _LOW64, dst >> 64, dst & _LOW64
    )


def unpack(data: bytes, offset: int) -> IPv6:
    """Read the header at `offset`; 40 bytes must be there."""
    word, length, next_header, hop_limit, s1, s0, d1, d0 = LAYOUT.unpack_from(data, offset)
    return IPv6(
        s1 << 64 | s0,
        d1 << 64 | d0,
        word >> 20 & 0xFF,
        word & 0xFFFFF,
        hop_limit,
        next_header,
        length,
        word >> 28,
    )


def address_text(address: int) -> str:
    """128-bit address as eight groups of four hex digits, without zero compression."""
    text = f"{address:032x}"
    return ":".join(text[i : i + 4] for i in range(0, 32, 4))
