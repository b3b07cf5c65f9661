"""Ports of the HERMON_CQ engine as the events name them, doorbell offsets, and the words of the streams.

==========  ==========================================================================================
``cmd``     s_axil_cmd: RegWrite, RegRead with ``port`` = "cmd", 32-bit data
``uar``     s_axil_uar: RegWrite, RegRead with ``port`` = "uar", 64-bit data, ``addr`` = page << 12 | offset
``cpl``     s_axis_cpl: SideBand, begin = first VALID, settled = handshake, values = (TDATA,) of 512 bits
``sts``     m_axis_sts: SideBand, begin = first VALID, settled = handshake, values = (TDATA,) of 64 bits
``mem``     m_axi: MemWrite (with ``issued``), MemRead
``irq``     SideBand at each change, values = (all lines, EQ 0 lowest,)
``tick``    SideBand when the pace of tick_us changes, values = (ps between pulses,): a pulse at begin and
            after each such time; 0: no pulses any more
==========  ==========================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

CMD, UAR, CPL, STS, MEM, IRQ, TICK = "cmd", "uar", "cpl", "sts", "mem", "irq", "tick"

PAGE_BITS = 12
CQ_DB0, CQ_DB1 = 0x20, 0x24
EQ_DB, EQ_DB_STEP, EQS_PER_PAGE = 0x800, 8, 4

SOLICITED, ANY, ARM_N = 1, 2, 3
"""Commands of a CQ doorbell: next solicited, next any, CQE of an index."""

OPCODE_ERROR, OPCODE_RESIZE = 0x1E, 0x16
WRITTEN, OVERFLOWED, IN_ERROR, NOT_OWNED, WRITE_FAILED = range(5)
"""Codes of the status stream."""

_U24 = 0xFFFFFF


def cq_doorbell(cqn: int, cmd: int, sn: int, param: int) -> tuple[int, int]:
    """Return both dwords of a CQ doorbell; ``param``: consumer counter, or target of ARM_N."""
    return (sn & 3) << 28 | (cmd & 7) << 24 | cqn & _U24, param & _U24


def eq_doorbell_address(eqn: int) -> int:
    """Return the address of the doorbell of EQ ``eqn`` on s_axil_uar."""
    return eqn // EQS_PER_PAGE << PAGE_BITS | EQ_DB + EQ_DB_STEP * (eqn % EQS_PER_PAGE)


@dataclass(frozen=True, slots=True)
class Report:
    """One work completion on s_axis_cpl; ``body`` is the CQE of 32 bytes as it lies in memory."""

    cqn: int
    body: bytes
    tag: int = 0
    solicited: bool = False
    error: bool = False
    qpn: int = 0

    @property
    def word(self) -> int:
        """The beat of 512 bits: dword k of the CQE at bits 32k, plain."""
        value = 0
        for k in range(8):
            value |= int.from_bytes(self.body[4 * k : 4 * k + 4], "big") << 32 * k
        value |= (self.cqn & _U24) << 256 | (self.qpn & _U24) << 288
        return value | self.solicited << 312 | self.error << 313 | (self.tag & 0xFFFFFFFF) << 320

    @classmethod
    def of(cls, word: int) -> Report:
        """Take a beat apart."""
        body = b"".join((word >> 32 * k & 0xFFFFFFFF).to_bytes(4, "big") for k in range(8))
        tag, qpn = word >> 320 & 0xFFFFFFFF, word >> 288 & _U24
        return cls(word >> 256 & _U24, body, tag, bool(word >> 312 & 1), bool(word >> 313 & 1), qpn)


@dataclass(frozen=True, slots=True)
class Status:
    """One result on m_axis_sts."""

    cqn: int
    code: int
    tag: int

    @property
    def word(self) -> int:
        """The beat of 64 bits."""
        return (self.tag & 0xFFFFFFFF) << 32 | (self.code & 0xFF) << 24 | self.cqn & _U24

    @classmethod
    def of(cls, word: int) -> Status:
        """Take a beat apart."""
        return cls(word & _U24, word >> 24 & 0xFF, word >> 32 & 0xFFFFFFFF)
