"""Registers of a target by name, as pyuvm registers that come into being when touched.

``layer.GLOBAL.XRNICCONF``, ``layer.QP[3].SQPI`` (index = slot), ``layer.CQINTSTS[0]`` (register array) give
handles with ``read``, ``write``, ``write_fields``, ``modify``, ``mirror`` and ``address``. A map with 2048
QPs opens in milliseconds, because blocks nobody touched do not exist.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyuvm import uvm_status_e

from ref_model.errors import UserError
from ref_model.registers import Block, Layout, Register
from tb.registers.uvm_blocks import LayoutBlock, LayoutReg, Port


class RegisterHandle:
    """One register: bus access through the port, expected contents in the pyuvm mirror."""

    __slots__ = ("_index", "block", "register", "uvm_reg")

    def __init__(self, block: Block, index: int, register: Register, uvm_reg: LayoutReg) -> None:
        self.block = block
        self.register = register
        self.uvm_reg = uvm_reg
        self._index = index

    def __repr__(self) -> str:
        return f"<{self.name} at 0x{self.address():06X}>"

    @property
    def name(self) -> str:
        """Full name, for example "QP[3].SQPI"."""
        return self.uvm_reg.get_full_name()

    def address(self) -> int:
        """Byte address."""
        return self.block.address(self.register.name, self._index)

    @property
    def mirror(self) -> int:
        """Value the register should have by the accesses made so far (volatile fields: value last read)."""
        return self.uvm_reg.get_mirrored_value()

    @property
    def reset_value(self) -> int:
        """Value after reset; fields marked reset_unknown count as stated in the layout."""
        return self.register.reset

    async def read(self) -> int:
        """Read the register and update the mirror."""
        status, value = await self.uvm_reg.read()
        self._check(status, "read")
        return value

    async def write(self, value: int) -> None:
        """Write all bits, reserved ones included; UserError if value does not fit."""
        largest = (1 << self.register.width) - 1
        if not 0 <= value <= largest:
            raise UserError(f"{self.name}: value {value:#x} does not fit (allowed: 0 to 0x{largest:X})")
        self._check(await self.uvm_reg.write(value), "write")

    async def read_fields(self) -> dict[str, int]:
        """Read the register and return its fields by name."""
        return self.unpack(await self.read())

    async def write_fields(self, **values: int) -> None:
        """Write the named fields; the other RW fields keep their mirrored value, W1C fields get 0."""
        await self.write(self._merge(self.mirror, values))

    async def modify(self, **values: int) -> None:
        """Read, change the named fields, write back: for registers that hardware moves too."""
        await self.write(self._merge(await self.read(), values))

    def pack(self, **values: int) -> int:
        """Word with the named fields and 0 elsewhere; UserError for an unknown field or too large a value."""
        word = 0
        for name, value in values.items():
            field = self.register.field(name)
            if not 0 <= value < 1 << field.width:
                limit = (1 << field.width) - 1
                raise UserError(
                    f"{self.name}.{name}: value {value:#x} does not fit (allowed: 0 to {limit:#x})"
                )
            word |= value << field.lsb
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """Field values of a word, in register order."""
        return {field.name: (word & field.mask) >> field.lsb for field in self.register.fields}

    def _merge(self, word: int, values: Mapping[str, int]) -> int:
        new = self.pack(**values)
        keep = self.register.writable
        for name in values:
            keep &= ~self.register.field(name).mask
        return word & keep | new

    def _check(self, status: uvm_status_e, what: str) -> None:
        if status != uvm_status_e.UVM_IS_OK:
            raise UserError(f"{self.name}: register {what} refused by the register layer ({status.name})")


class BlockHandle:
    """One block instance; registers are attributes or items by name."""

    def __init__(self, layer: RegisterLayer, block: Block, index: int) -> None:
        self._layer = layer
        self._block = block
        self._index = index

    def __getattr__(self, name: str) -> RegisterHandle:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> RegisterHandle:
        return self._layer.register(self._block.name, name, self._index)

    def __iter__(self) -> Iterator[RegisterHandle]:
        return (self[register.name] for register in self._block.registers)

    @property
    def uvm_block(self) -> LayoutBlock:
        """The pyuvm block behind this instance."""
        return self._layer.uvm_block(self._block.name, self._index)


class BlockArray:
    """All instances of a repeated block, by index; for register arrays the items are the registers."""

    def __init__(self, layer: RegisterLayer, block: Block) -> None:
        self._layer = layer
        self._block = block

    def __len__(self) -> int:
        return self._layer.count(self._block.name)

    def __getitem__(self, index: int) -> Any:
        self._layer.check_index(self._block.name, index)
        if [register.name for register in self._block.registers] == [self._block.name]:
            return self._layer.register(self._block.name, self._block.name, index)
        return BlockHandle(self._layer, self._block, index)


class RegisterLayer:
    """Register access by name over a port (``async write(addr, data)``, ``async read(addr)``).

    source: path of a registers.json, its parsed contents, or a Layout. counts: instances the build really
    has, per block, for example {"QP": 8, "MR": 16}; default as in the layout.
    Raises UserError for an unreadable file and for unknown names, with the allowed ones.
    """

    def __init__(
        self,
        source: Path | str | dict[str, Any] | Layout,
        port: Port,
        counts: Mapping[str, int] | None = None,
    ) -> None:
        self.layout = source if isinstance(source, Layout) else Layout(_load(source))
        self._port = port
        self._built: dict[tuple[str, int], LayoutBlock] = {}
        self._counts = {name: block.count for name, block in self.layout.blocks.items()}
        for name, count in (counts or {}).items():
            limit = self.layout.block(name).count
            if not 1 <= count <= limit:
                raise UserError(f"block {name}: count {count} not possible (allowed: 1 to {limit})")
            self._counts[name] = count

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        block = self.layout.block(name)
        return BlockHandle(self, block, 0) if block.count == 1 else BlockArray(self, block)

    def count(self, block: str) -> int:
        """Instances of a block in this build."""
        return self._counts[self.layout.block(block).name]

    def check_index(self, block: str, index: int) -> None:
        """UserError unless the build has that instance."""
        count = self.count(block)
        if not isinstance(index, int) or not 0 <= index < count:
            raise UserError(f"{block}[{index}] does not exist in this build (allowed: 0 to {count - 1})")

    def uvm_block(self, block: str, index: int = 0) -> LayoutBlock:
        """The pyuvm block of an instance, built at the first call."""
        self.check_index(block, index)
        built = self._built.get((block, index))
        if built is None:
            built = self._built[block, index] = LayoutBlock(self.layout.block(block), index, self._port)
        return built

    def register(self, block: str, name: str, index: int = 0) -> RegisterHandle:
        """Handle of a register; the pyuvm block is built at the first use."""
        spec = self.layout.block(block)
        register = spec.by_name.get(name)
        if register is None:
            raise UserError(f"block {block} has no register {name!r} (allowed: {', '.join(spec.by_name)})")
        return RegisterHandle(spec, index, register, self.uvm_block(block, index).register(name))

    def at(self, address: int) -> RegisterHandle | None:
        """Register at a byte address (word aligned down), None for a hole or an instance the build lacks."""
        place = self.layout.locate(address)
        if place is None or place.index >= self.count(place.block.name):
            return None
        return self.register(place.block.name, place.register.name, place.index)

    @property
    def built(self) -> list[str]:
        """Names of the block instances built so far, in the order they were touched."""
        return [block.get_name() for block in self._built.values()]

    def reset(self) -> None:
        """Set all mirrors to the reset values; call it when the DUT is reset."""
        for block in self._built.values():
            block.reset()


def _load(source: Path | str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(source, dict):
        return source
    path = Path(source)
    if not path.is_file():
        raise UserError(f"{path}: no such register layout (expected a registers.json)")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as exc:
        raise UserError(f"{path}: line {exc.lineno}: not JSON ({exc.msg})") from exc
