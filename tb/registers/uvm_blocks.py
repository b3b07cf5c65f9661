"""pyuvm register blocks made from the register layout, one block instance at a time.

pyuvm 5.0.0 limits that shape this file: `uvm_reg_predictor` cannot be built, so the map predicts itself
(`set_auto_predict`); addresses go through floating-point division, exact below 2**53 only, which the
layout keeps by far.
"""

from __future__ import annotations

from typing import Protocol

from pyuvm import (
    uvm_endianness_e,
    uvm_reg,
    uvm_reg_block,
    uvm_reg_field,
    uvm_reg_item,
    uvm_reg_map,
    uvm_status_e,
)

from ref_model.registers import Block, Register

_ACCESS = {"rw": "RW", "ro": "RO", "w1c": "W1C"}


class Port(Protocol):
    """Front door: accesses of a whole register by byte address."""

    async def write(self, addr: int, data: int, strb: int = 0xF) -> None:
        """Write data to addr."""

    async def read(self, addr: int) -> int:
        """Return the word at addr."""


class PortMap(uvm_reg_map):
    """Address map whose front door is a register port instead of a sequencer with an adapter."""

    def __init__(self, name: str, port: Port) -> None:
        super().__init__(name)
        self._port = port

    async def do_write(self, rw: uvm_reg_item) -> None:
        """Write the item's value to the register's address."""
        await self._port.write(rw.get_element().get_address(), rw.get_value())
        rw.set_status(uvm_status_e.UVM_IS_OK)

    async def do_read(self, rw: uvm_reg_item) -> None:
        """Read the register's address into the item."""
        rw.set_value(await self._port.read(rw.get_element().get_address()))
        rw.set_status(uvm_status_e.UVM_IS_OK)


class LayoutField(uvm_reg_field):
    """Field that gives its mirror without pyuvm's warning for volatile fields.

    The layer documents what the mirror of a volatile field means; a warning per access would bury the log.
    """

    def get_mirrored_value(self, fname: str = "", lineno: int = 0) -> int:
        """Mirrored value, right-aligned."""
        return self._mirrored


class LayoutReg(uvm_reg):
    """One register of the layout with its fields."""

    def __init__(self, register: Register) -> None:
        super().__init__(register.name, register.width)
        self._register = register

    def build(self, block: uvm_reg_block) -> None:
        """Attach the register to its block and create the fields."""
        self.configure(block)
        for spec in self._register.fields:
            field = LayoutField(spec.name)
            field.configure(
                self,
                spec.width,
                spec.lsb,
                _ACCESS[spec.access],
                spec.volatile,
                spec.reset,
                has_reset=True,
                is_rand=False,
                individually_accessible=False,
            )


class LayoutBlock(uvm_reg_block):
    """One instance of a register block (one region row, one QP slot, …), built and locked when touched.

    Every register has map rights RW, so that tests can write RO registers on purpose; the prediction
    follows the access of the fields.
    """

    def __init__(self, block: Block, index: int, port: Port) -> None:
        super().__init__(block.name if block.count == 1 else f"{block.name}[{index}]")
        self.index = index
        self._by_name: dict[str, LayoutReg] = {}
        address_map = PortMap("map", port)
        word_bytes = max(register.width for register in block.registers) // 8
        address_map.configure(
            self, block.base + index * block.stride, word_bytes, uvm_endianness_e.UVM_LITTLE_ENDIAN, True
        )
        for register in block.registers:
            reg = LayoutReg(register)
            reg.build(self)
            address_map.add_reg(reg, register.offset, "RW")
            self._by_name[register.name] = reg
        address_map.set_auto_predict(True)
        self.lock_model()
        self.reset()

    def register(self, name: str) -> LayoutReg:
        """The pyuvm register of that (known) name."""
        return self._by_name[name]
