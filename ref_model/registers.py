"""Register layout of a target, read from ``spec/<target>/registers.json``, and plain storage of it.

Blocks are arrays (base, stride, count); nothing is expanded, so 2048 x 36 registers cost nothing
until they are touched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
    provisional: bool = False
    """Place made up because the source names the control and gives no address."""
    sets_only: bool = False
    """A written 1 sets the bit, a 0 leaves it; hardware or reset clear it."""
    locked: bool = False
    """Read only once the device was told that its set-up is over."""

    @property
    def mask(self) -> int:
        """Bits of the field inside the register word."""
        return ((1 << self.width) - 1) << self.lsb


@dataclass(frozen=True, slots=True)
class Register:
    """One register of a block, `width` bits, with its derived bit masks."""

    name: str
    offset: int
    access: str
    reset: int
    fields: tuple[Field, ...]
    defined: int
    writable: int
    w1c: int
    reset_unknown: int
    width: int = 32

    def field(self, name: str) -> Field:
        """Return field ``name``; raises UserError naming the allowed ones."""
        for entry in self.fields:
            if entry.name == name:
                return entry
        allowed = ", ".join(entry.name for entry in self.fields)
        raise UserError(f"register {self.name} has no field {name!r}; fields: {allowed}")


@dataclass(frozen=True, slots=True)
class Block:
    """An array of ``count`` copies of the same registers, ``stride`` bytes apart.

    ``selected_by`` names the register (``block.register``) whose value says which of the copies behind one
    window of addresses is meant; None where each copy has its own addresses.
    """

    name: str
    base: int
    stride: int
    count: int
    registers: tuple[Register, ...]
    by_name: dict[str, Register]
    by_offset: dict[int, Register]
    selected_by: str | None = None

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
        widest = max(register.width for block in self._ordered for register in block.registers)
        self._aligned = -(widest // 8)

    def block(self, name: str) -> Block:
        """Return block ``name``; raises UserError naming the allowed ones."""
        if name not in self.blocks:
            raise UserError(f"no register block {name!r}; blocks: {', '.join(self.blocks)}")
        return self.blocks[name]

    def locate(self, addr: int) -> Location | None:
        """Return the register at ``addr``, or None for a hole."""
        addr &= self._aligned
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
        row.get("selected_by"),
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
            entry.get("provisional", False),
            entry.get("sets_only", False),
            entry.get("locked", False),
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
        row["name"],
        row["offset"],
        row["access"],
        row["reset"],
        fields,
        defined,
        writable,
        w1c,
        unknown,
        row["width"],
    )


def layout(target: str, knobs: Mapping[str, Any] | None = None) -> Layout:
    """Return the (cached) register layout of ``target``; raises UserError if there is none.

    ``knobs``: parameter values, for the registers whose fields a contested parameter places; without them
    each such parameter has its default.
    """
    places = tuple(knobs.get(name) for name in _variant_knobs(target)) if knobs else ()
    return _layout(target, places)


@cache
def _data(target: str) -> dict[str, Any]:
    path = SPEC_DIR / target / "registers.json"
    if not path.is_file():
        raise UserError(f"no register layout for target {target!r}: {path.name} is missing in spec/{target}")
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def _variant_knobs(target: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["knob"] for row in _data(target).get("variants", ())))


@cache
def _layout(target: str, places: tuple[Any, ...]) -> Layout:
    data = _data(target)
    chosen = dict(zip(_variant_knobs(target), places, strict=False))
    other = {
        (row["block"], row["register"]["name"]): row["register"]
        for row in data.get("variants", ())
        if chosen.get(row["knob"]) == row["value"]
    }
    blocks = [
        {**block, "registers": [other.get((block["name"], reg["name"]), reg) for reg in block["registers"]]}
        for block in data["blocks"]
    ]
    return Layout({"blocks": blocks})


def apply_strobes(old: int, data: int, strb: int, width: int = 32) -> int:
    """Return the ``width`` bits of ``old`` with the bytes of ``data`` whose strobe bit is 1."""
    mask = 0
    for lane in range(width // 8):
        if strb >> lane & 1:
            mask |= 0xFF << (8 * lane)
    return (old & ~mask & (1 << width) - 1) | (data & mask)
