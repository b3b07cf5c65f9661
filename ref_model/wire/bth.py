"""Base transport header (IBTA vol 1 clause 9.2)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

LAYOUT = struct.Struct(">BBHII")
SIZE = 12
DEFAULT_PKEY = 0xFFFF

#: Byte 1 taken apart once and for all: SE, M, pad count, TVer.
_FLAGS = tuple((byte > 127, byte & 64 != 0, byte >> 4 & 3, byte & 15) for byte in range(256))


@dataclass(slots=True)
class Bth:
    """Base transport header, 12 bytes.

    Byte 1 holds SE, M, pad [1:0], TVer [3:0]; the second word FECN, BECN, resv6, destination QP (24 bits);
    the third A, resv7, PSN (24 bits). `pad` None: build takes what brings the payload to a multiple of 4.
    """

    opcode: int
    dest_qp: int
    psn: int
    pkey: int = DEFAULT_PKEY
    ack_req: bool = False
    se: bool = False
    mig: bool = False
    pad: int | None = None
    tver: int = 0
    fecn: bool = False
    becn: bool = False
    resv6: int = 0
    resv7: int = 0


def pack(bth: Bth, pad: int) -> bytes:
    """The 12 bytes; `pad` is the count to write. OverflowError if a field would spill into its neighbour."""
    if (bth.dest_qp | bth.psn) >> 24 or pad >> 2 or bth.tver >> 4 or bth.resv6 >> 6 or bth.resv7 >> 7:
        raise OverflowError("a BTH field exceeds its width")
    return LAYOUT.pack(
        bth.opcode,
        bth.se << 7 | bth.mig << 6 | pad << 4 | bth.tver,
        bth.pkey,
        bth.fecn << 31 | bth.becn << 30 | bth.resv6 << 24 | bth.dest_qp,
        bth.ack_req << 31 | bth.resv7 << 24 | bth.psn,
    )


def unpack(data: bytes, offset: int) -> Bth:
    """Read the header at `offset`; 12 bytes must be there."""
    opcode, flags, pkey, qp, psn = LAYOUT.unpack_from(data, offset)
    se, mig, pad, tver = _FLAGS[flags]
    return Bth(
        opcode,
        qp & 0xFFFFFF,
        psn & 0xFFFFFF,
        pkey,
        psn > 0x7FFFFFFF,
        se,
        mig,
        pad,
        tver,
        qp > 0x7FFFFFFF,
        qp & 0x40000000 != 0,
        qp >> 24 & 63,
        psn >> 24 & 127,
    )
