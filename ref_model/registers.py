"""Register layout of a target, read from ``spec/<target>/registers.json``, and plain storage of it.

Blocks are arrays (base, stride, count); nothing is expanded, so 2048 x 36 registers cost nothing
until they are touched.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from ref_model.errors import UserError
from ref_model.rules import SPEC_DIR


@dataclass(frozen=True, slots=True)
class Field:
    """One bit field: position and policy."""

    name: str
    lsb: int
    width: int
    access: str
    reset: int
    reset_unknown: bool = False
    override_writable: bool = False
    volatile: bool = False

    @property
    def mask(self) -> int:
        """Bits of the field inside the register word."""
        return ((1 << self.width) - 1) << self.lsb


@dataclass(frozen=True, slots=True)
class Register:
    """One 32-bit register of a block with its derived bit masks."""

    name: str
    offset: int
    access: str
    reset: int
    fields: tuple[Field, ...]
    defined: int
    writable: int
    w1c: int
    reset_unknown: int

    def field(self, name: str) -> Field:
        """Return field ``name``; raises UserError naming the allowed ones."""
        for entry in self.fields:
            if entry.name == name:
                return entry
        allowed = ", ".join(entry.name for entry in self.fields)
        raise UserError(f"register {self.name} has no field {name!r}; fields: {allowed}")


@dataclass(frozen=True, slots=True)
class Block:
    """An array of ``count`` copies of the same registers, ``stride`` bytes apart."""

    name: str
    base: int
    stride: int
    count: int
    registers: tuple[Register, ...]
    by_name: dict[str, Register]
    by_offset: dict[int, Register]

    def address(self, register: str, index: int = 0) -> int:
        """Return the byte address of ``register`` in copy ``index``."""
        entry = self.by_name.get(register)
        if entry is None:
            raise UserError(
                f"block {self.name} has no register {register!r}; registers: {', '.join(self.by_name)}"
            )
        if not 0 <= index < self.count:
            raise UserError(f"{self.name}[{index}] does not exist; indices: 0 .. {self.count - 1}")
        return self.base + index * self.stride + entry.offset


@dataclass(frozen=True, slots=True)
class Location:
    """Where an address lies: block, copy, register."""

    block: Block
    index: int
    register: Register


class Layout:
    """All blocks of a target."""

    def __init__(self, data: dict[str, Any]) -> None:
        """Build from the parsed JSON."""
        self.blocks = {row["name"]: _block(row) for row in data["blocks"]}
        self._ordered = sorted(self.blocks.values(), key=lambda block: block.base, reverse=True)

    def block(self, name: str) -> Block:
        """Return block ``name``; raises UserError naming the allowed ones."""
        if name not in self.blocks:
            raise UserError(f"no register block {name!r}; blocks: {', '.join(self.blocks)}")
        return self.blocks[name]

    def locate(self, addr: int) -> Location | None:
        """Return the register at ``addr``, or None for a hole."""
        addr &= ~3
        for block in self._ordered:
            offset = addr - block.base
            if offset < 0:
                continue
            if block.count == 1:
                index = 0
            else:
                index, offset = divmod(offset, block.stride)
            register = block.by_offset.get(offset)
            if register is not None and index < block.count:
                return Location(block, index, register)
        return None


def _block(row: dict[str, Any]) -> Block:
    registers = tuple(_register(entry) for entry in row["registers"])
    return Block(
        row["name"],
        row["base"],
        row["stride"],
        row["count"],
        registers,
        {entry.name: entry for entry in registers},
        {entry.offset: entry for entry in registers},
    )


def _register(row: dict[str, Any]) -> Register:
    fields = tuple(
        Field(
            entry["name"],
            entry["lsb"],
            entry["width"],
            entry["access"],
            entry.get("reset", 0),
            entry.get("reset_unknown", False),
            entry.get("override_writable", False),
            entry.get("volatile", False),
        )
        for entry in row["fields"]
    )
    defined = writable = w1c = unknown = 0
    for entry in fields:
        defined |= entry.mask
        if entry.access == "rw":
            writable |= entry.mask
        elif entry.access == "w1c":
            w1c |= entry.mask
        if entry.reset_unknown:
            unknown |= entry.mask
    return Register(
        row["name"], row["offset"], row["access"], row["reset"], fields, defined, writable, w1c, unknown
    )


@cache
def layout(target: str) -> Layout:
    """Return the (cached) register layout of ``target``; raises UserError if there is none."""
    path = SPEC_DIR / target / "registers.json"
    if not path.is_file():
        raise UserError(f"no register layout for target {target!r}: {path.name} is missing in spec/{target}")
    return Layout(json.loads(path.read_text(encoding="utf-8")))


def apply_strobes(old: int, data: int, strb: int) -> int:
    """Return ``old`` with the bytes of ``data`` whose strobe bit is 1."""
    mask = 0
    for lane in range(4):
        if strb >> lane & 1:
            mask |= 0xFF << (8 * lane)
    return (old & ~mask & 0xFFFFFFFF) | (data & mask)
