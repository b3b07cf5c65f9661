"""The first twelve bytes of a frame: addresses, traffic class and Key_words by format (section 3.1).

Standard: two 48-bit addresses. GEN1: MAC_SA[47:40] is the traffic class where it is enabled. GEN2 and LITE:
each address field holds one byte (traffic class in MAC_DA, Key_words in MAC_SA, or exchanged by
GEN2_KW_IN_DA), three payload bytes and a 16-bit address.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ref_model.wire.rclink.layout import Format, FrameLayout, LiteSource

COMPACT = frozenset({Format.GEN2, Format.LITE})
"""Formats with 16-bit addresses."""

KEY_WORDS_UNICAST = 0x82
KEY_WORDS_MULTICAST = 0x83
"""{W, V, 0, 0, Z, Y, X, M} = 16-bit form, version 0, SLAP AAI, local address; M as told."""
KEY_WORDS_W = 0x80

_FULL = struct.Struct(">HIHI")
_COMPACT = struct.Struct(">B3sHB3sH")


@dataclass(slots=True)
class Addresses:
    """Destination and source: 16 bits in GEN2 and LITE, else 48 (a source beside a traffic class 40).

    `tc` None: the block has no traffic class (Standard, GEN1 without). `key_words` is None outside GEN2 and
    LITE; there None is computed by build. `spare` are the six bytes beside the compact addresses where they
    hold no payload: reserved in responses, a copy with GEN2_OVERLAY = 0; None: as specified.
    """

    dst: int
    src: int
    tc: int | None = None
    key_words: int | None = None
    spare: bytes | None = None


def pack_full(addresses: Addresses, with_tc: bool) -> bytes:
    """Twelve bytes of a Standard or GEN1 frame (OverflowError, struct.error: a field exceeds its width)."""
    dst, src = addresses.dst, addresses.src
    if with_tc:
        if src >> 40:
            raise OverflowError("GEN1 source address exceeds the 40 bits beside the traffic class")
        src |= (addresses.tc or 0) << 40
    return _FULL.pack(dst >> 32, dst & 0xFFFFFFFF, src >> 32, src & 0xFFFFFFFF)


def pack_compact(addresses: Addresses, key_words: int, six: bytes, layout: FrameLayout) -> bytes:
    """Twelve bytes of a GEN2 or LITE frame with `six` bytes beside the addresses."""
    first, second = addresses.tc or 0, key_words
    if layout.gen2_kw_in_da:
        first, second = second, first
    return _COMPACT.pack(first, six[:3], addresses.dst, second, six[3:], addresses.src)


def unpack(data: bytes, form: Format, layout: FrameLayout) -> tuple[Addresses, bytes]:
    """Read the block of a frame of at least 12 bytes; second result: the six bytes of a compact block."""
    if form in COMPACT:
        first, low, dst, second, high, src = _COMPACT.unpack_from(data)
        if layout.gen2_kw_in_da:
            first, second = second, first
        return Addresses(dst, src, first, second), low + high
    dst_high, dst_low, src_high, src_low = _FULL.unpack_from(data)
    dst, src = dst_high << 32 | dst_low, src_high << 32 | src_low
    if form is Format.GEN1 and layout.gen1_tc:
        return Addresses(dst, src & 0xFF_FFFF_FFFF, src >> 40), b""
    return Addresses(dst, src), b""


def lite_source(layout: FrameLayout, mac_addr: int, dest_qpid: int, source_qpid: int, bank_bits: int) -> int:
    """Source address of a LITE frame by LITE_SA: own address [15:0], or the XPU number of one of the QPs."""
    if layout.lite_sa is LiteSource.MAC:
        return mac_addr & 0xFFFF
    qpid = dest_qpid if layout.lite_sa is LiteSource.DQPID else source_qpid
    return qpid >> bank_bits & 0xFFFF


def lite_qpid(source: int, bank: int, bank_bits: int, qp_bits: int) -> int:
    """QP number of a received LITE frame: the low bits of the source address as XPU number, then the bank."""
    return (source << bank_bits | bank) & (1 << qp_bits) - 1
