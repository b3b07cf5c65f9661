"""Host memory behind the AXI masters of a DUT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ref_model.errors import UserError
from ref_model.events import HostWrite
from ref_model.memory import SparseMemory
from tb.agents.pins import now_ps

GUARD = 256


class Publisher:
    """Analysis port outside the component tree: ``connect`` takes anything with ``write(event)``."""

    def __init__(self) -> None:
        self._subscribers: list[Any] = []

    def connect(self, export: Any) -> None:
        """Add a subscriber."""
        self._subscribers.append(export)

    def write(self, event: object) -> None:
        """Send ``event`` to every subscriber."""
        for export in self._subscribers:
            export.write(event)


class HostMemory:
    """Sparse byte memory (4 KiB pages, 64-bit addresses) shared by the bench and all memory agents.

    ``write`` is the bench's own write and is published as :class:`HostWrite` on ``ap``; writes of the DUT
    come through :meth:`store` and are published by the monitor of their port. Areas from :meth:`alloc` never
    touch: at least 256 unallocated bytes lie between two, so that a stray write is seen for what it is.
    ``memory`` holds the bytes (default: a SparseMemory).
    """

    def __init__(
        self, base: int = 0x1_2000_0000, clock: Callable[[], int] = now_ps, memory: Any = None
    ) -> None:
        self._memory = SparseMemory() if memory is None else memory
        self._next = base
        self._clock = clock
        self.ap = Publisher()
        self.areas: list[tuple[str, int, int]] = []

    def write(self, addr: int, data: bytes) -> None:
        """Write ``data`` at byte address ``addr`` as the host and publish it."""
        self._memory.write(addr, bytes(data))
        self.ap.write(HostWrite(self._clock(), addr, bytes(data)))

    def read(self, addr: int, length: int) -> bytes:
        """Return ``length`` bytes from ``addr``; untouched bytes are 0."""
        return self._memory.read(addr, length)

    def store(self, addr: int, data: bytes, mask: bytes) -> None:
        """Write the bytes of ``data`` whose ``mask`` byte is 1, as the DUT does."""
        self._memory.write_masked(addr, data, mask)

    def alloc(self, size: int, align: int = 64, name: str = "") -> int:
        """Reserve ``size`` bytes at a multiple of ``align`` (a power of two) and return the address.

        ``areas`` lists (name, address, size) of everything reserved, in order.
        """
        if size < 1:
            raise UserError(f"host memory area {name!r}: size {size}, allowed is 1 and above")
        if align < 1 or align & (align - 1):
            raise UserError(f"host memory area {name!r}: align {align}, allowed are powers of two")
        addr = (self._next + align - 1) & -align
        self._next = addr + size + GUARD
        self.areas.append((name, addr, size))
        return addr
