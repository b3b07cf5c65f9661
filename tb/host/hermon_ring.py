"""Buffers of a Hermon completion queue in host memory: pages, their MTT entries, the DB record.

A driver knows where its entries are by its own arithmetic (BEHAVIOUR 3), not by asking the device.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tb.host.placement import Memory

CQE_BYTES = 32
INDEX_MASK = 0xFFFFFF
PRESENT = 1
OWNER = 0x80
"""Bit of the last byte of a CQE or EQE."""


class MttArea:
    """Hands out MTT entries; ``base`` is the bus address of the area, offsets in it have up to 40 bits."""

    def __init__(self, memory: Memory, base: int, first: int = 0) -> None:
        """``first``: offset of the first entry."""
        self.base = base
        self._memory = memory
        self._next = first

    def table(self, pages: list[int], flags: Callable[[], int], at: int | None = None) -> int:
        """Write entries for ``pages`` and return their offset; ``flags``: bits 2:0 of each.

        ``at`` uses an offset again that was handed out before.
        """
        offset = self._next if at is None else at
        if at is None:
            self._next += 8 * len(pages) + 64
        for number, page in enumerate(pages):
            self.entry(offset, number, page, flags())
        return offset

    def entry(self, offset: int, number: int, page: int, flags: int = PRESENT) -> None:
        """Write entry ``number`` of the table at ``offset``."""
        self._memory.write(self.base + offset + 8 * number, (page | flags).to_bytes(8, "big"))

    def skip(self, offset: int) -> None:
        """Go on handing out at ``offset``."""
        self._next = offset


@dataclass(slots=True)
class Ring:
    """Entries of a buffer: 2^``log_size`` slots of ``stride`` bytes on pages of 4 KiB << ``log2_page_size``.

    ``offset`` is the byte offset of slot 0 in the first page, ``mtt`` that of the entries in the MTT area.
    """

    memory: Memory
    pages: list[int]
    mtt: int
    log_size: int
    stride: int
    offset: int = 0
    log2_page_size: int = 0
    collapsed: bool = False

    @property
    def size(self) -> int:
        """Entries."""
        return 1 << self.log_size

    def slot(self, index: int) -> int:
        """Address of the slot of CQE ``index``."""
        number = 0 if self.collapsed else index % self.size
        shift = 12 + self.log2_page_size
        place = self.offset + number * self.stride
        return self.pages[place >> shift] + (place & (1 << shift) - 1)

    def address(self, index: int) -> int:
        """Address of the 32 bytes of CQE ``index``: the upper half of a 64-byte slot."""
        return self.slot(index) + (CQE_BYTES if self.stride == 2 * CQE_BYTES else 0)

    def lap_owner(self, index: int) -> int:
        """Owner bit the device gives to CQE ``index``."""
        return index >> self.log_size & 1

    def read(self, index: int) -> bytes:
        """The 32 bytes at the place of CQE ``index``."""
        return self.memory.read(self.address(index), CQE_BYTES)

    def ready(self, index: int) -> bool:
        """Whether CQE ``index`` is there."""
        return self.memory.read(self.address(index) + CQE_BYTES - 1, 1)[0] >> 7 == self.lap_owner(index)

    def write(self, index: int, cqe: bytes, owner: int) -> None:
        """Put an entry there as software does (copy after a resize, sweep of a queue pair)."""
        last = cqe[-1] & ~OWNER | owner << 7
        self.memory.write(self.address(index), cqe[:-1] + bytes([last]))

    def fill(self, value: bytes) -> None:
        """Fill all slots with copies of ``value``, one byte or a whole slot."""
        slot = value * (self.stride // len(value))
        page = 4096 << self.log2_page_size
        first, last = self.offset, self.offset + self.stride * (1 if self.collapsed else self.size)
        for start in range(first & -page, last, page):
            low, high = max(first, start), min(last, start + page)
            image = slot * ((high - low) // self.stride + 1)
            self.memory.write(self.pages[start // page] + low - start, image[: high - low])


class RingMaker:
    """Makes rings of pages that lie in no order."""

    def __init__(self, memory: Memory, mtt: MttArea, rng: random.Random, stride: int) -> None:
        """``rng`` shuffles the pages and draws the reserved bits of MTT entries."""
        self.mtt = mtt
        self.stride = stride
        self._memory = memory
        self._rng = rng

    def make(
        self,
        log_size: int,
        offset: int = 0,
        log2_page_size: int = 0,
        collapsed: bool = False,
        at: int | None = None,
        pages: list[int] | None = None,
    ) -> Ring:
        """A ring of 2^``log_size`` entries; ``at``: place of its MTT entries; ``pages``: used again."""
        page = 4096 << log2_page_size
        count = -(-(offset + (self.stride << log_size)) // page)
        if pages is None:
            pages = [self._memory.alloc(page, page, "cq") for _ in range(count)]
            self._rng.shuffle(pages)
        table = self.mtt.table(pages[:count], lambda: PRESENT | self._rng.randrange(4) << 1, at)
        return Ring(self._memory, pages, table, log_size, self.stride, offset, log2_page_size, collapsed)
