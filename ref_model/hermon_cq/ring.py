"""Where the entries of a CQ lie: slot, MTT entry, bus address, owner bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ref_model.hermon_cq import context
from ref_model.memory import SparseMemory

CQE_BYTES, MTT_BYTES = 32, 8
_PRESENT = 1
_ENTRY_FLAGS = 7


@dataclass(frozen=True, slots=True)
class Ring:
    """One ring: ``mtt`` is the bus address of its first MTT entry, ``offset`` the byte offset of slot 0."""

    mtt: int
    page_shift: int
    offset: int
    log_size: int
    stride: int
    collapsed: bool

    @classmethod
    def of(cls, values: Mapping[str, int], mtt_base: int, stride: int, collapsed: bool) -> Ring:
        """Take the ring from the fields of a context."""
        return cls(
            mtt_base + context.mtt_address(values),
            12 + values["log2_page_size"],
            values["page_offset"] * 32,
            values["log_cq_size"],
            stride,
            collapsed,
        )

    @property
    def size(self) -> int:
        """Entries."""
        return 1 << self.log_size

    @property
    def slots(self) -> int:
        """Entries that CQEs are written to."""
        return 1 if self.collapsed else self.size

    @property
    def aligned(self) -> bool:
        """Whether the offset is a multiple of the stride; if not, nothing is known about the places."""
        return self.offset % self.stride == 0

    @property
    def mtt_span(self) -> tuple[int, int]:
        """First address of the MTT entries and the one behind the last."""
        last = self.offset + self.size * self.stride - 1 >> self.page_shift
        return self.mtt, self.mtt + MTT_BYTES * (last + 1)

    def byte_offset(self, index: int) -> int:
        """Offset of the 32 bytes of CQE ``index`` in the mapped buffer."""
        slot = 0 if self.collapsed else index % self.size
        return self.offset + slot * self.stride + (CQE_BYTES if self.stride == 2 * CQE_BYTES else 0)

    def entry_address(self, index: int) -> int:
        """Bus address of the MTT entry of CQE ``index``."""
        return self.mtt + MTT_BYTES * (self.byte_offset(index) >> self.page_shift)

    def place(self, index: int, memory: SparseMemory) -> int | None:
        """Bus address of the 32 bytes of CQE ``index``; None: its page is absent."""
        entry = int.from_bytes(memory.read(self.entry_address(index), MTT_BYTES), "big")
        if not entry & _PRESENT:
            return None
        inside = (1 << self.page_shift) - 1
        return entry & ~_ENTRY_FLAGS & ~inside | self.byte_offset(index) & inside

    def pages(self, memory: SparseMemory) -> dict[int, int]:
        """Bus address of each present page by its number."""
        found = {}
        first, stop = self.mtt_span
        for number, address in enumerate(range(first, stop, MTT_BYTES)):
            entry = int.from_bytes(memory.read(address, MTT_BYTES), "big")
            if entry & _PRESENT:
                found[number] = entry & ~_ENTRY_FLAGS & -(1 << self.page_shift)
        return found

    def numbers(self, memory: SparseMemory) -> dict[int, int]:
        """Number of each present page by its bus address."""
        return {base: number for number, base in self.pages(memory).items()}

    def slot_in(self, address: int, numbers: Mapping[int, int]) -> int | None:
        """Slot that holds bus address ``address``; None: it lies outside the pages ``numbers``."""
        base = address & -(1 << self.page_shift)
        number = numbers.get(base)
        if number is None:
            return None
        slot = ((number << self.page_shift) + address - base - self.offset) // self.stride
        return slot if 0 <= slot < self.size else None

    def slot_at(self, address: int, memory: SparseMemory) -> int | None:
        """The same with a look at all pages."""
        return self.slot_in(address, self.numbers(memory))

    def owner(self, index: int) -> int:
        """Owner bit of CQE ``index`` by the lap rule."""
        return index >> self.log_size & 1
