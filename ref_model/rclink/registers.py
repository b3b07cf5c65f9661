"""Storage of the 64-bit registers: one copy of each, and one per queue pair behind QP_ID_SET.

Names of registers and fields are those of ``spec/rclink/registers.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ref_model.registers import Field, Register, layout

#: Addresses that act on the queue pair in QP_ID_SET (section 14.1).
QP_WINDOW = range(0x2008, 0x2088)

BYTES = 8
_ALL = (1 << 64) - 1


class RegisterFile:
    """What software wrote; ``epoch`` changes with every write outside the queue pair window."""

    def __init__(self, qp_count: int, knobs: Mapping[str, Any]) -> None:
        """Start at the reset values, with ``qp_count`` queue pairs; ``knobs`` place contested fields."""
        self.qp_count = qp_count
        self.by_addr: dict[int, Register] = {}
        self._by_name: dict[str, tuple[int, Register]] = {}
        self._fields: dict[tuple[str, str], Field] = {}
        for block in layout("rclink", knobs).blocks.values():
            for register in block.registers:
                addr = block.base + register.offset
                self.by_addr[addr] = register
                self._by_name[register.name] = (addr, register)
                for entry in register.fields:
                    self._fields[register.name, entry.name] = entry
        self.epoch = 0
        self.reset()

    def reset(self) -> None:
        """All registers back to their reset values."""
        self._values: dict[tuple[int, int], int] = {}
        self.epoch += 1

    @property
    def selected(self) -> int | None:
        """Queue pair the window acts on; None: it does not exist."""
        qp = self.word("QP_ID_SET") & 0xFFFFFFFF
        return qp if qp < self.qp_count else None

    def address(self, name: str) -> int:
        """Address of register ``name`` (KeyError if there is none)."""
        return self._by_name[name][0]

    def entry(self, register: str, field: str) -> Field:
        """Position of a field (KeyError if there is none)."""
        return self._fields[register, field]

    def word(self, name: str, qp: int = 0) -> int:
        """Stored word of a register; ``qp`` counts in the window only."""
        addr, register = self._by_name[name]
        return self._values.get((addr, qp if addr in QP_WINDOW else 0), register.reset)

    def get(self, register: str, field: str, qp: int = 0) -> int:
        """Stored value of a field."""
        entry = self._fields[register, field]
        return self.word(register, qp) >> entry.lsb & ((1 << entry.width) - 1)

    def write(self, addr: int, data: int, strb: int, qp: int = 0) -> int:
        """Store the writable bits of the strobed bytes; returns the word as it is now."""
        register = self.by_addr[addr]
        mask = lanes(strb) & register.writable
        key = (addr, qp if addr in QP_WINDOW else 0)
        word = (self._values.get(key, register.reset) & ~mask) | (data & mask)
        self._values[key] = word
        if addr not in QP_WINDOW:
            self.epoch += 1
        return word


def lanes(strb: int) -> int:
    """64-bit mask of the bytes whose strobe bit is 1."""
    if strb & 0xFF == 0xFF:
        return _ALL
    return sum(0xFF << 8 * lane for lane in range(BYTES) if strb >> lane & 1)
