"""Telling a message that was sent out of turn from one with wrong content."""

from __future__ import annotations

from ref_model.ernic.context import Context
from ref_model.rocev2.segment import Verb, segment
from ref_model.wire import Frame

INLINE = slice(32, 48)


def begins(ctx: Context, frame: Frame, wqe: bytes, pmtu: int) -> bool:
    """Return whether ``frame`` is the first packet of the work queue entry ``wqe`` (64 bytes) with payload.

    OPCODE is byte 16, LADDR bytes 4 to 11, LENGTH bytes 12 to 15, inline data bytes 32 to 47, little-endian.
    """
    verb = Verb.from_wqe_opcode(wqe[16])
    length = int.from_bytes(wqe[12:16], "little")
    if verb is None or not length or frame.bth is None:
        return False
    part = segment(verb, length, pmtu)[0]
    stored = ctx.memory.read(int.from_bytes(wqe[4:12], "little"), part.length)
    return frame.bth.opcode == part.opcode and frame.payload in (stored, wqe[INLINE][: part.length])
