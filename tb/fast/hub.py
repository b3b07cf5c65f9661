"""Between the C engine and the monitors: hands out finished items, wakes when HDL says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyuvm import uvm_component

from tb.agents.base import Monitor
from tb.fast.engine import Engine, Finished


class FastMonitor(Monitor):
    """Publishes the items of one engine port; ``make`` turns a finished item into an event."""

    def setup(self, engine: Engine, number: int, make: Callable[[Finished], Any]) -> None:
        """Take the port (called by the agent)."""
        self._engine = engine
        self.number = number
        self._make = make
        self.on_item: list[Callable[[Any], None]] = []

    def accept(self, item: Finished) -> None:
        """Publish one finished item."""
        event = self._make(item)
        self.publish(event)
        for callback in self.on_item:
            callback(event)

    def open_begin(self) -> int | None:
        """Begin of the oldest item under way."""
        begin = self._engine.open_begin(self.number)
        return None if begin < 0 else begin


class FastHub(uvm_component):
    """Drains the engine: when ``fast_wake`` changes, and whenever somebody wants to know the latest."""

    def __init__(self, name: str, parent: uvm_component, engine: Engine, wake: Any) -> None:
        super().__init__(name, parent)
        self._engine = engine
        self._wake = wake
        self._monitors: dict[int, FastMonitor] = {}
        self._draining = False

    def add(self, monitor: Monitor) -> None:
        """Let ``monitor`` have the items of its port, if it belongs to the engine."""
        if isinstance(monitor, FastMonitor):
            self._monitors[monitor.number] = monitor

    @property
    def draining(self) -> bool:
        """Whether items are being handed out: some that have ended are not published yet."""
        return self._draining

    def drain(self) -> None:
        """Publish everything that has finished."""
        if self._draining:
            return
        self._draining = True
        try:
            for item in self._engine.drain():
                self._monitors[item.port].accept(item)
        finally:
            self._draining = False

    async def run_phase(self) -> None:
        """Drain in the time step in which HDL asks for it."""
        while True:
            await self._wake.value_change
            self.drain()
