"""RCLINK transport header RH, 8 bytes, in requests, acknowledges and CNPs (section 3.5 of the source).

As a 64-bit number: opcode [63:62], Fack [61], pad [60:59], reserved [58:57], Timestamp_en [56],
timestamp [55:40], P_key [39:32], Pkt_len or syndrome [31:25], PSN [24:13], destination QP [12:0]. It is not
the reliability header of the public SUE documents.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from ref_model.wire.rclink.layout import RhOrder


class Opcode(IntEnum):
    """RH[63:62]."""

    REQUEST = 0
    ACK = 1
    CNP = 2
    RESERVED = 3


ACK = 0x00
RNR_NAK = 0x20
NAK = 0x60
"""Values of syndrome bits [6:5]; the low five bits are 0x1F, the RNR timer code or the NAK code."""
KIND_BITS = 0x60
ACK_SYNDROME = ACK | 0x1F
NAK_PSN_SEQUENCE = NAK | 0

WIDTHS = {
    "opcode": 2,
    "dest_qp": 13,
    "psn": 12,
    "pkey": 8,
    "code": 7,
    "timestamp": 16,
    "ts_en": 1,
    "pad": 2,
    "fack": 1,
    "rsv": 2,
}

_BIG = struct.Struct(">Q")
_LITTLE = struct.Struct("<Q")


@dataclass(slots=True)
class Rh:
    """`code` is Pkt_len in a request (None: computed by build) and the syndrome in an ACK (None: 0).

    `pad` None: build takes what brings the payload of a TYPE1 request to a multiple of 4, else 0.
    """

    opcode: int
    dest_qp: int
    psn: int
    pkey: int
    code: int | None = None
    timestamp: int = 0
    ts_en: bool = False
    pad: int | None = None
    fack: bool = False
    rsv: int = 0

    @property
    def is_ack(self) -> bool:
        """Positive acknowledge."""
        return self.opcode == Opcode.ACK and (self.code or 0) & KIND_BITS == ACK

    @property
    def is_rnr(self) -> bool:
        """Receiver-not-ready NAK; the low five syndrome bits are the timer code."""
        return self.opcode == Opcode.ACK and (self.code or 0) & KIND_BITS == RNR_NAK

    @property
    def is_nak(self) -> bool:
        """Sequence NAK; the low five syndrome bits are the NAK code."""
        return self.opcode == Opcode.ACK and (self.code or 0) & KIND_BITS == NAK


def pack(rh: Rh, code: int, pad: int, order: RhOrder) -> bytes:
    """The 8 bytes; `code` and `pad` are written as given. OverflowError if a field exceeds its width."""
    if (
        rh.opcode >> 2
        or rh.dest_qp >> 13
        or rh.psn >> 12
        or rh.pkey >> 8
        or code >> 7
        or rh.timestamp >> 16
        or pad >> 2
        or rh.rsv >> 2
    ):
        raise OverflowError("an RH field exceeds its width")
    flags = rh.opcode << 7 | rh.fack << 6 | pad << 4 | rh.rsv << 2 | rh.ts_en << 1
    if order is RhOrder.TXBIT:
        word = rh.dest_qp << 51 | rh.psn << 39 | code << 32 | rh.pkey << 24 | rh.timestamp << 8
        return _BIG.pack(word | rh.ts_en << 7 | rh.rsv << 5 | pad << 3 | rh.fack << 2 | rh.opcode)
    word = flags << 55 | rh.timestamp << 40 | rh.pkey << 32 | code << 25 | rh.psn << 13 | rh.dest_qp
    return (_LITTLE if order is RhOrder.LE64 else _BIG).pack(word)


def unpack(data: bytes, offset: int, order: RhOrder) -> Rh:
    """Read the header at `offset`; 8 bytes must be there."""
    if order is RhOrder.TXBIT:
        (word,) = _BIG.unpack_from(data, offset)
        return Rh(
            word & 3,
            word >> 51,
            word >> 39 & 0xFFF,
            word >> 24 & 0xFF,
            word >> 32 & 0x7F,
            word >> 8 & 0xFFFF,
            word & 0x80 != 0,
            word >> 3 & 3,
            word & 4 != 0,
            word >> 5 & 3,
        )
    (word,) = (_LITTLE if order is RhOrder.LE64 else _BIG).unpack_from(data, offset)
    return Rh(
        word >> 62,
        word & 0x1FFF,
        word >> 13 & 0xFFF,
        word >> 32 & 0xFF,
        word >> 25 & 0x7F,
        word >> 40 & 0xFFFF,
        word >> 56 & 1 != 0,
        word >> 59 & 3,
        word >> 61 & 1 != 0,
        word >> 57 & 3,
    )


def syndrome_text(syndrome: int) -> str:
    """Syndrome in words, e.g. ``NAK, PSN sequence error``."""
    kind, low = syndrome & KIND_BITS, syndrome & 0x1F
    if kind == ACK:
        return f"ACK, low bits 0x{low:02x}"
    if kind == RNR_NAK:
        return f"RNR NAK, timer code {low}"
    if kind == NAK:
        return "NAK, PSN sequence error" if low == 0 else f"NAK, reserved code {low}"
    return "reserved"
