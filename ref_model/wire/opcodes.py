"""Transport opcodes of the BTH and what follows the BTH for each (IBTA vol 1 clause 9.2.1, RoCEv2 annex A17).

The upper three bits of an opcode name the transport service (0 = RC, 3 = UD), the lower five the operation.
`INFO` covers all RC opcodes, the two UD SENDs and the congestion notification packet; any other value is
unknown to this project and maps to nothing (``INFO.get(opcode) is None``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Opcode(IntEnum):
    """BTH opcodes by name; also exported as plain module constants."""

    SEND_FIRST = 0x00
    SEND_MIDDLE = 0x01
    SEND_LAST = 0x02
    SEND_LAST_IMM = 0x03
    SEND_ONLY = 0x04
    SEND_ONLY_IMM = 0x05
    WRITE_FIRST = 0x06
    WRITE_MIDDLE = 0x07
    WRITE_LAST = 0x08
    WRITE_LAST_IMM = 0x09
    WRITE_ONLY = 0x0A
    WRITE_ONLY_IMM = 0x0B
    READ_REQUEST = 0x0C
    READ_RESP_FIRST = 0x0D
    READ_RESP_MIDDLE = 0x0E
    READ_RESP_LAST = 0x0F
    READ_RESP_ONLY = 0x10
    ACKNOWLEDGE = 0x11
    ATOMIC_ACK = 0x12
    COMPARE_SWAP = 0x13
    FETCH_ADD = 0x14
    SEND_LAST_INV = 0x16
    SEND_ONLY_INV = 0x17
    UD_SEND_ONLY = 0x64
    UD_SEND_ONLY_IMM = 0x65
    CNP = 0x81


SEND_FIRST = Opcode.SEND_FIRST
SEND_MIDDLE = Opcode.SEND_MIDDLE
SEND_LAST = Opcode.SEND_LAST
SEND_LAST_IMM = Opcode.SEND_LAST_IMM
SEND_ONLY = Opcode.SEND_ONLY
SEND_ONLY_IMM = Opcode.SEND_ONLY_IMM
WRITE_FIRST = Opcode.WRITE_FIRST
WRITE_MIDDLE = Opcode.WRITE_MIDDLE
WRITE_LAST = Opcode.WRITE_LAST
WRITE_LAST_IMM = Opcode.WRITE_LAST_IMM
WRITE_ONLY = Opcode.WRITE_ONLY
WRITE_ONLY_IMM = Opcode.WRITE_ONLY_IMM
READ_REQUEST = Opcode.READ_REQUEST
READ_RESP_FIRST = Opcode.READ_RESP_FIRST
READ_RESP_MIDDLE = Opcode.READ_RESP_MIDDLE
READ_RESP_LAST = Opcode.READ_RESP_LAST
READ_RESP_ONLY = Opcode.READ_RESP_ONLY
ACKNOWLEDGE = Opcode.ACKNOWLEDGE
ATOMIC_ACK = Opcode.ATOMIC_ACK
COMPARE_SWAP = Opcode.COMPARE_SWAP
FETCH_ADD = Opcode.FETCH_ADD
SEND_LAST_INV = Opcode.SEND_LAST_INV
SEND_ONLY_INV = Opcode.SEND_ONLY_INV
UD_SEND_ONLY = Opcode.UD_SEND_ONLY
UD_SEND_ONLY_IMM = Opcode.UD_SEND_ONLY_IMM
CNP = Opcode.CNP

CNP_RESERVED_BYTES = 16
"""Reserved bytes behind the BTH of a congestion notification packet (annex A17)."""


@dataclass(frozen=True, slots=True)
class OpInfo:
    """Traits of one opcode: its kind, its place in a message and the extension headers it carries.

    `kind` is one of "send", "write", "read_req", "read_resp", "ack", "atomic", "cnp", "ud".
    A packet that is a whole message by itself has both `first` and `last` set.
    """

    name: str
    kind: str
    first: bool
    last: bool
    reth: bool = False
    aeth: bool = False
    immdt: bool = False
    ieth: bool = False
    atomic: bool = False
    atomic_ack: bool = False
    deth: bool = False

    @property
    def only(self) -> bool:
        """The packet is a complete message."""
        return self.first and self.last

    @property
    def extension_bytes(self) -> int:
        """Bytes of extension headers between BTH and payload (the reserved bytes of a CNP included)."""
        size = 8 * self.deth + 16 * self.reth + 28 * self.atomic + 4 * self.aeth
        size += 8 * self.atomic_ack + 4 * self.immdt + 4 * self.ieth
        return size + (CNP_RESERVED_BYTES if self.kind == "cnp" else 0)


_FIRST, _MIDDLE, _LAST, _ONLY = (True, False), (False, False), (False, True), (True, True)


def _table() -> dict[int, OpInfo]:
    rows: list[tuple[Opcode, str, tuple[bool, bool], str]] = [
        (SEND_FIRST, "send", _FIRST, ""),
        (SEND_MIDDLE, "send", _MIDDLE, ""),
        (SEND_LAST, "send", _LAST, ""),
        (SEND_LAST_IMM, "send", _LAST, "immdt"),
        (SEND_ONLY, "send", _ONLY, ""),
        (SEND_ONLY_IMM, "send", _ONLY, "immdt"),
        (WRITE_FIRST, "write", _FIRST, "reth"),
        (WRITE_MIDDLE, "write", _MIDDLE, ""),
        (WRITE_LAST, "write", _LAST, ""),
        (WRITE_LAST_IMM, "write", _LAST, "immdt"),
        (WRITE_ONLY, "write", _ONLY, "reth"),
        (WRITE_ONLY_IMM, "write", _ONLY, "reth immdt"),
        (READ_REQUEST, "read_req", _ONLY, "reth"),
        (READ_RESP_FIRST, "read_resp", _FIRST, "aeth"),
        (READ_RESP_MIDDLE, "read_resp", _MIDDLE, ""),
        (READ_RESP_LAST, "read_resp", _LAST, "aeth"),
        (READ_RESP_ONLY, "read_resp", _ONLY, "aeth"),
        (ACKNOWLEDGE, "ack", _ONLY, "aeth"),
        (ATOMIC_ACK, "ack", _ONLY, "aeth atomic_ack"),
        (COMPARE_SWAP, "atomic", _ONLY, "atomic"),
        (FETCH_ADD, "atomic", _ONLY, "atomic"),
        (SEND_LAST_INV, "send", _LAST, "ieth"),
        (SEND_ONLY_INV, "send", _ONLY, "ieth"),
        (UD_SEND_ONLY, "ud", _ONLY, "deth"),
        (UD_SEND_ONLY_IMM, "ud", _ONLY, "deth immdt"),
        (CNP, "cnp", _ONLY, ""),
    ]
    table: dict[int, OpInfo] = {}
    for opcode, kind, (first, last), headers in rows:
        table[int(opcode)] = OpInfo(opcode.name, kind, first, last, **dict.fromkeys(headers.split(), True))
    return table


INFO: dict[int, OpInfo] = _table()
"""Known opcodes; the key is the plain 8-bit opcode."""


def name_of(opcode: int) -> str:
    """Readable name of an opcode, e.g. ``SEND_ONLY`` or ``opcode 0x2A`` for one outside `INFO`."""
    info = INFO.get(opcode)
    return info.name if info is not None else f"opcode 0x{opcode:02X}"
