"""Completion reports as a transport makes them: fields of a CQE by name (BEHAVIOUR 6)."""

from __future__ import annotations

from enum import IntEnum

from ref_model.hermon_cq.ports import OPCODE_ERROR, Report


class Opcode(IntEnum):
    """CQE opcodes of sends; receives have the codes 0 to 3."""

    NOP = 0x00
    SEND_INVAL = 0x01
    WRITE = 0x08
    WRITE_IMM = 0x09
    SEND = 0x0A
    SEND_IMM = 0x0B
    READ = 0x10


class Received(IntEnum):
    """CQE opcodes of receives."""

    WRITE_IMM = 0
    SEND = 1
    SEND_IMM = 2
    SEND_INVAL = 3


class Syndrome(IntEnum):
    """Causes of an error completion."""

    LOCAL_LENGTH = 0x01
    LOCAL_QP_OP = 0x02
    LOCAL_PROTECTION = 0x04
    FLUSH = 0x05
    MW_BIND = 0x06
    BAD_RESPONSE = 0x10
    LOCAL_ACCESS = 0x11
    REMOTE_REQUEST = 0x12
    REMOTE_ACCESS = 0x13
    REMOTE_OP = 0x14
    RETRY = 0x15
    RNR_RETRY = 0x16
    ABORTED = 0x22


def of_words(
    cqn: int, words: tuple[int, ...], tag: int, solicited: bool = False, error: bool = False
) -> Report:
    """A report whose CQE has the dwords ``words``, eight of them."""
    body = b"".join(word.to_bytes(4, "big") for word in words)
    return Report(cqn, body, tag, solicited, error, words[0] & 0xFFFFFF)


def good(
    cqn: int,
    tag: int,
    qpn: int,
    opcode: int,
    send: bool,
    wqe: int = 0,
    immediate: int = 0,
    byte_cnt: int = 0,
    solicited: bool = False,
) -> Report:
    """A completion without error."""
    words = (qpn, immediate, 0, 0, 0, byte_cnt, wqe << 16, int(send) << 6 | opcode)
    return of_words(cqn, words, tag, solicited)


def bad(cqn: int, tag: int, qpn: int, send: bool, syndrome: int, wqe: int = 0, vendor: int = 0) -> Report:
    """A completion with error."""
    words = (qpn, 0, 0, 0, 0, 0, wqe << 16 | vendor << 8 | syndrome, int(send) << 6 | OPCODE_ERROR)
    return of_words(cqn, words, tag, error=True)
