"""A register file without a simulator, good or with one fault, and a driver for the layer's coroutines."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ref_model.registers import Layout, apply_strobes

T = TypeVar("T")


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that waits for nothing but pyuvm's own (free) locks."""
    while True:
        try:
            trigger = coroutine.send(None)
        except StopIteration as stop:
            return stop.value
        trigger._prime()  # what the scheduler does; a free lock is taken at once


class RegisterFile:
    """Behaves as the layout says; on_write and on_read alter what is stored or seen, to plant a fault."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.words: dict[int, int] = {}
        self.writes: list[tuple[int, int]] = []
        self.on_write: Callable[[int, int], tuple[int, int]] = lambda address, value: (address, value)
        self.on_read: Callable[[int, int], int] = lambda address, value: value

    async def write(self, addr: int, data: int, strb: int = 0xFF) -> None:
        """Store what the access policy lets through."""
        self.writes.append((addr, data))
        addr, data = self.on_write(addr, data)
        place = self.layout.locate(addr)
        if place is None:
            return
        old = self.words.get(addr, place.register.reset)
        new = apply_strobes(old, data, strb, place.register.width)
        keep = old & ~place.register.writable & ~(data & place.register.w1c)
        self.words[addr] = new & place.register.writable | keep

    async def read(self, addr: int) -> int:
        """Return the stored word, the reset value if never written, 0 for a hole."""
        place = self.layout.locate(addr)
        value = self.words.get(addr, place.register.reset) if place else 0
        return self.on_read(addr, value)
