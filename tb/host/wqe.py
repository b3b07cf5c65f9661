"""Work queue entry (64 bytes) and completion entry (4 bytes) of the ERNIC, little-endian."""

from __future__ import annotations

import struct

from ref_model.errors import UserError
from tb.host.api import WorkCompletion

WQE_SIZE = 64
CQE_SIZE = 4
INLINE_MAX = 16

_WQE = struct.Struct("<HHQIB3sQI16sI12s")
_CQE = struct.Struct("<HBB")


def build_wqe(
    wrid: int,
    opcode: int,
    laddr: int,
    length: int,
    roffset: int = 0,
    rtag: int = 0,
    sdata: bytes = b"",
    value: int = 0,
    reserved: bytes = bytes(17),
) -> bytes:
    """The 64 bytes of one entry.

    ``wrid`` 16 bits, ``opcode`` 8, ``laddr`` and ``roffset`` 64, ``length``, ``rtag`` and ``value`` 32;
    ``sdata`` at most 16 bytes, zero filled; ``reserved`` fills the 17 bytes the device must ignore. Raises
    UserError when a value does not fit its field.
    """
    if len(sdata) > INLINE_MAX:
        raise UserError(f"WQE: inline data of {len(sdata)} bytes; allowed are at most {INLINE_MAX}")
    try:
        return _WQE.pack(
            wrid,
            int.from_bytes(reserved[0:2], "little"),
            laddr,
            length,
            opcode,
            reserved[2:5],
            roffset,
            rtag,
            sdata,
            value,
            reserved[5:17],
        )
    except struct.error as error:
        raise UserError(f"WQE: a field is out of range ({error})") from error


def parse_cqe(data: bytes) -> WorkCompletion:
    """The completion in the first four bytes of ``data``."""
    wrid, opcode, flag = _CQE.unpack_from(data)
    return WorkCompletion(wrid, opcode, flag != 0)
