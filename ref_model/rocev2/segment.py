"""Cutting an RC message into packets (IBTA volume 1 sections 9.2 and 9.4).

A message of ``length`` bytes becomes ``max(1, ceil(length / pmtu))`` packets. Every packet but the last
carries exactly one path MTU of payload. The opcode tells the position: one packet alone is an ONLY,
otherwise FIRST, MIDDLE and LAST. Immediate data and the invalidated key travel on the last packet only, so
FIRST and MIDDLE of those verbs are those of the plain verb. A READ is one request packet without payload,
whatever its length.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ref_model.errors import UserError

PMTUS = (256, 512, 1024, 2048, 4096)
"""Path MTUs of RoCEv2, payload bytes of a full packet."""


class Verb(Enum):
    """What a work request asks for; the value is a telling name."""

    SEND = "send"
    SEND_IMM = "send_imm"
    SEND_INV = "send_inv"
    WRITE = "write"
    WRITE_IMM = "write_imm"
    READ = "read"

    @property
    def wqe_opcode(self) -> int:
        """OPCODE byte of the send queue entry that asks for this verb."""
        return _WQE_OPCODES[self]

    @property
    def is_send(self) -> bool:
        """True for the three SEND verbs (they take a receive queue element)."""
        return self in (Verb.SEND, Verb.SEND_IMM, Verb.SEND_INV)

    @property
    def is_write(self) -> bool:
        """True for the two RDMA WRITE verbs."""
        return self in (Verb.WRITE, Verb.WRITE_IMM)

    @property
    def has_immediate(self) -> bool:
        """True when the last packet carries 32 bits of immediate data."""
        return self in (Verb.SEND_IMM, Verb.WRITE_IMM)

    @property
    def has_invalidate(self) -> bool:
        """True when the last packet carries a key to invalidate."""
        return self is Verb.SEND_INV

    @classmethod
    def from_wqe_opcode(cls, opcode: int) -> Verb | None:
        """The verb of a send queue entry's OPCODE byte, None for a reserved code."""
        return _FROM_WQE.get(opcode)


_WQE_OPCODES: dict[Verb, int] = {
    Verb.WRITE: 0x00,
    Verb.WRITE_IMM: 0x01,
    Verb.SEND: 0x02,
    Verb.SEND_IMM: 0x03,
    Verb.READ: 0x04,
    Verb.SEND_INV: 0x0C,
}
_FROM_WQE: dict[int, Verb] = {code: verb for verb, code in _WQE_OPCODES.items()}

# Verb -> BTH opcodes (first, middle, last, only)
_POSITIONS: dict[Verb, tuple[int, int, int, int]] = {
    Verb.SEND: (0x00, 0x01, 0x02, 0x04),
    Verb.SEND_IMM: (0x00, 0x01, 0x03, 0x05),
    Verb.SEND_INV: (0x00, 0x01, 0x16, 0x17),
    Verb.WRITE: (0x06, 0x07, 0x08, 0x0A),
    Verb.WRITE_IMM: (0x06, 0x07, 0x09, 0x0B),
    Verb.READ: (0x0C, 0x0C, 0x0C, 0x0C),
}


@dataclass(frozen=True, slots=True)
class Segment:
    """One packet of a message: BTH opcode, byte offset in the message, payload bytes, position."""

    opcode: int
    offset: int
    length: int
    first: bool
    last: bool


def packet_count(verb: Verb, length: int, pmtu: int) -> int:
    """Request packets of a message of ``length`` bytes; an empty message and a READ take one."""
    if verb is Verb.READ:
        return 1
    return max(1, -(-length // pmtu))


def segment(verb: Verb, length: int, pmtu: int) -> list[Segment]:
    """The request packets of a message, in order.

    Raises UserError for a negative length or a path MTU that RoCEv2 does not have.
    """
    if pmtu not in PMTUS:
        raise UserError(f"segment: path MTU {pmtu} is not one of {', '.join(map(str, PMTUS))}")
    if length < 0:
        raise UserError(f"segment: message length {length} is negative; allowed is 0 or more")
    first, middle, last, only = _POSITIONS[verb]
    if verb is Verb.READ:
        return [Segment(only, 0, 0, True, True)]
    count = packet_count(verb, length, pmtu)
    if count == 1:
        return [Segment(only, 0, length, True, True)]
    final = count - 1
    packets = [Segment(first, 0, pmtu, True, False)]
    packets += [Segment(middle, index * pmtu, pmtu, False, False) for index in range(1, final)]
    packets.append(Segment(last, final * pmtu, length - final * pmtu, False, True))
    return packets


_RESPONSES = (0x0D, 0x0E, 0x0F, 0x10)


def response_count(length: int, pmtu: int) -> int:
    """Response packets of a READ of ``length`` bytes, and so the PSNs its request takes; at least one."""
    return max(1, -(-length // pmtu))


def response_segment(length: int, pmtu: int, index: int, start: int = 0) -> Segment:
    """Response packet ``index`` of a READ of ``length`` bytes when its request began at packet ``start``.

    ``offset`` counts from the first byte of the whole READ, the position (first, last) belongs to the
    request that is answered. Raises UserError for an index the READ does not have.
    """
    count = response_count(length, pmtu)
    if not start <= index < count:
        raise UserError(f"response_segment: packet {index} is outside {start} .. {count - 1}")
    first, last = index == start, index == count - 1
    opcode = _RESPONSES[3 if first and last else 0 if first else 2 if last else 1]
    return Segment(opcode, index * pmtu, min(pmtu, length - index * pmtu), first, last)
