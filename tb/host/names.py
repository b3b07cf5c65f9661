"""Symbolic register names to AXI4-Lite addresses."""

from __future__ import annotations

from ref_model.errors import UserError
from ref_model.registers import Layout

QP_BLOCK = "QP"


class RegisterNames:
    """Addresses by register name; the block follows from the name.

    For registers of queue pairs the index is the queue pair number: slot ``number - 1`` or, with
    ``qp_base_raw``, slot ``number`` (QP_BASE_MODE doc and raw). For all other arrays it is the row.
    """

    def __init__(self, layout: Layout, qp_base_raw: bool = False) -> None:
        """Index all register names of ``layout`` by block."""
        self._first_qp = 0 if qp_base_raw else 1
        self._blocks = {name: block for block in layout.blocks.values() for name in block.by_name}

    def address(self, name: str, index: int | None = None) -> int:
        """Byte address of register ``name``.

        Raises UserError for an unknown name, an index that does not exist, a missing and a superfluous index.
        """
        block = self._blocks.get(name)
        if block is None:
            raise UserError(f"no register {name!r}; the names are in spec/<target>/registers.json")
        if (index is None) != (block.count == 1):
            need = "takes no index" if block.count == 1 else "needs an index"
            raise UserError(f"register {name} {need}")
        slot = index or 0
        if block.name == QP_BLOCK:
            slot -= self._first_qp
        return block.address(name, slot)
