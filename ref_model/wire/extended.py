"""Extended transport headers behind the BTH (IBTA vol 1 clause 9.3): RETH, AETH, atomics, DETH.

ImmDt and IETH are single 32-bit words, most significant byte first, and live in `Frame` as integers.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

WORD = struct.Struct(">I")
"""Layout of ImmDt and of IETH."""
RETH = struct.Struct(">QII")
AETH = struct.Struct(">I")
ATOMIC = struct.Struct(">QIQQ")
ATOMIC_ACK = struct.Struct(">Q")
DETH = struct.Struct(">II")

ACK = 0x00
RNR_NAK = 0x20
NAK = 0x60
"""Values of syndrome bits [6:5]; the low five bits are credit count, RNR timer code or NAK code."""

NAK_PSN_SEQUENCE = NAK | 0
NAK_INVALID_REQUEST = NAK | 1
NAK_REMOTE_ACCESS = NAK | 2
NAK_REMOTE_OPERATION = NAK | 3
NAK_INVALID_RD_REQUEST = NAK | 4

NAK_NAMES = {
    NAK_PSN_SEQUENCE: "PSN sequence error",
    NAK_INVALID_REQUEST: "invalid request",
    NAK_REMOTE_ACCESS: "remote access error",
    NAK_REMOTE_OPERATION: "remote operational error",
    NAK_INVALID_RD_REQUEST: "invalid RD request",
}


@dataclass(slots=True)
class Reth:
    """RDMA extended transport header, 16 bytes: virtual address, R_Key, bytes of the whole message."""

    va: int
    rkey: int
    length: int


@dataclass(slots=True)
class Aeth:
    """ACK extended transport header, 4 bytes: 8-bit syndrome, 24-bit message sequence number."""

    syndrome: int
    msn: int

    @property
    def is_ack(self) -> bool:
        """Positive acknowledge."""
        return self.syndrome & 0xE0 == ACK

    @property
    def is_rnr(self) -> bool:
        """Receiver-not-ready NAK; the low five syndrome bits are the timer code."""
        return self.syndrome & 0xE0 == RNR_NAK

    @property
    def is_nak(self) -> bool:
        """Negative acknowledge; the low five syndrome bits are the NAK code."""
        return self.syndrome & 0xE0 == NAK

    @property
    def value(self) -> int:
        """Low five syndrome bits: credit count, timer code or NAK code."""
        return self.syndrome & 0x1F


@dataclass(slots=True)
class AtomicEth:
    """Atomic extended transport header, 28 bytes; `swap` is the addend of a FETCH_ADD."""

    va: int
    rkey: int
    swap: int
    compare: int


@dataclass(slots=True)
class AtomicAckEth:
    """Atomic acknowledge extended transport header, 8 bytes: the value before the operation."""

    original: int


@dataclass(slots=True)
class Deth:
    """Datagram extended transport header, 8 bytes: 32-bit Q_Key, 8 reserved bits, 24-bit source QP."""

    qkey: int
    src_qp: int
    resv: int = 0


def syndrome_text(syndrome: int) -> str:
    """AETH syndrome in words, e.g. ``ACK, credits 0x1f`` or ``NAK, remote access error``."""
    kind, low = syndrome & 0xE0, syndrome & 0x1F
    if kind == ACK:
        return f"ACK, credits 0x{low:02x}"
    if kind == RNR_NAK:
        return f"RNR NAK, timer code {low}"
    if kind == NAK:
        return f"NAK, {NAK_NAMES.get(syndrome, f'reserved code {low}')}"
    return "reserved"
