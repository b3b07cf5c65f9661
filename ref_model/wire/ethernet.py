"""Ethernet II header (IEEE 802.3 clause 3), without preamble and frame check sequence."""

from __future__ import annotations

import struct
from dataclasses import dataclass

ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_IPV6 = 0x86DD
ETHERTYPE_MAC_CONTROL = 0x8808

LAYOUT = struct.Struct(">HIHIH")
SIZE = LAYOUT.size
MIN_FRAME_BYTES = 60
"""Smallest Ethernet frame without its 4-byte frame check sequence."""


@dataclass(slots=True)
class Ethernet:
    """Addresses are 48-bit integers, most significant byte first; `ethertype` is the innermost one."""

    dst: int
    src: int
    ethertype: int


def pack(eth: Ethernet, tags: bytes = b"") -> bytes:
    """The header with `tags` between addresses and type (struct.error if a field exceeds its width)."""
    dst, src = eth.dst, eth.src
    head = LAYOUT.pack(dst >> 32, dst & 0xFFFFFFFF, src >> 32, src & 0xFFFFFFFF, eth.ethertype)
    return head[:12] + tags + head[12:] if tags else head


def mac_text(address: int) -> str:
    """48-bit address as ``aa:bb:cc:dd:ee:ff``."""
    return ":".join(f"{byte:02x}" for byte in address.to_bytes(6, "big"))
