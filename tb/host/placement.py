"""Host memory areas with guard zones and poison around them."""

from __future__ import annotations

import random
from typing import Protocol

GUARD_BYTES = 256
"""Untouchable bytes before and after each area."""

HIGH_BASE = 1 << 36
"""Added to an address to get the same area above 4 GiB; keeps areas disjoint."""


class Memory(Protocol):
    """What the host needs of the bench's memory."""

    def write(self, addr: int, data: bytes) -> None:
        """Store bytes."""

    def read(self, addr: int, length: int) -> bytes:
        """Load bytes."""

    def alloc(self, size: int, align: int = 64, name: str = "") -> int:
        """Reserve an area and return its address."""


class Placement:
    """Hands out areas filled with random bytes, so that stale or foreign data never looks right by luck."""

    def __init__(self, memory: Memory, rng: random.Random) -> None:
        """``rng`` supplies the poison."""
        self.memory = memory
        self._rng = rng

    def area(self, size: int, align: int = 64, name: str = "", offset: int = 0, high: bool = False) -> int:
        """Address of a fresh poisoned area of ``size`` bytes, ``offset`` past a multiple of ``align``."""
        guard = -(-GUARD_BYTES // align) * align
        span = guard + offset + size + GUARD_BYTES
        base = self.memory.alloc(span, align, name) + (HIGH_BASE if high else 0)
        self.memory.write(base, self._rng.randbytes(span))
        return base + guard + offset

    def store(self, data: bytes, offset: int = 0, name: str = "payload") -> int:
        """Address of a fresh area that holds ``data``, ``offset`` bytes past a multiple of 64."""
        addr = self.area(len(data), 64, name, offset)
        if data:
            self.memory.write(addr, data)
        return addr
