"""Sparse byte memory in 4 KiB pages; untouched bytes read as zero."""

from __future__ import annotations

PAGE_BITS = 12
PAGE_SIZE = 1 << PAGE_BITS
_OFFSET = PAGE_SIZE - 1


class SparseMemory:
    """Byte-accurate memory of any address width; cost follows the bytes touched."""

    __slots__ = ("_pages",)

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def _page(self, number: int) -> bytearray:
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = bytearray(PAGE_SIZE)
        return page

    def write(self, addr: int, data: bytes) -> None:
        """Store ``data`` at byte address ``addr``."""
        position, left = 0, len(data)
        while left:
            offset = addr & _OFFSET
            chunk = min(left, PAGE_SIZE - offset)
            self._page(addr >> PAGE_BITS)[offset : offset + chunk] = data[position : position + chunk]
            addr += chunk
            position += chunk
            left -= chunk

    def write_masked(self, addr: int, data: bytes, mask: bytes) -> None:
        """Store the bytes of ``data`` whose ``mask`` byte is not zero."""
        for start, stop in runs(mask):
            self.write(addr + start, data[start:stop])

    def read(self, addr: int, length: int) -> bytes:
        """Return ``length`` bytes from ``addr``."""
        offset = addr & _OFFSET
        if offset + length <= PAGE_SIZE:
            page = self._pages.get(addr >> PAGE_BITS)
            return bytes(length) if page is None else bytes(page[offset : offset + length])
        parts = []
        while length:
            offset = addr & _OFFSET
            chunk = min(length, PAGE_SIZE - offset)
            page = self._pages.get(addr >> PAGE_BITS)
            parts.append(bytes(chunk) if page is None else bytes(page[offset : offset + chunk]))
            addr += chunk
            length -= chunk
        return b"".join(parts)


def runs(mask: bytes) -> list[tuple[int, int]]:
    """Return the half-open ranges of non-zero bytes in ``mask``, in order."""
    if 0 not in mask:
        return [(0, len(mask))] if mask else []
    found: list[tuple[int, int]] = []
    stop = 0
    while True:
        start = mask.find(1, stop)
        if start < 0:
            return found
        stop = mask.find(0, start)
        if stop < 0:
            stop = len(mask)
        found.append((start, stop))
