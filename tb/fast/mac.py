"""Ethernet MAC agent whose beats move in C (configuration and behaviour as tb/agents/axis_mac.py)."""

from __future__ import annotations

from typing import Any

from pyuvm import uvm_component

from ref_model.errors import UserError
from ref_model.events import FrameIn, FrameOut
from tb.agents.mac import FrameAgent, FrameDriver, MacConfig, StreamPins
from tb.agents.pins import now_ps
from tb.fast.engine import Engine, Finished, Purpose, Switch, engine
from tb.fast.ernic import WIDTH, holds, port_of
from tb.fast.hub import FastMonitor


class FastMacDriver(FrameDriver):
    """Feeds a source of the engine."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self._awaited = 0

    def connect_engine(self, lib: Engine, number: int, monitor: int) -> None:
        """Take the port numbers of the source and of its monitor (called by the agent)."""
        self._lib = lib
        self._number = number
        self._monitor = monitor

    def transmit(self, data: bytes, good: bool, user: tuple[int, ...]) -> None:
        """Queue one frame at the engine, which knows no words beside a frame."""
        self._lib.put(self._number, now_ps(), data, len(data), int(good))

    async def send(self, data: bytes, good: bool, user: tuple[int, ...] = ()) -> None:
        """Queue one frame and wait until its last beat is over; TransferAborted on reset."""
        self._awaited += 1
        self._lib.wake(self._monitor, 1)  # somebody waits for the end of a frame
        try:
            await super().send(data, good, user)
        finally:
            self._awaited -= 1
            self._lib.wake(self._monitor, int(self._awaited > 0))


class FastMacAgent(FrameAgent):
    """MAC agent on ports of the C engine."""

    def build_phase(self) -> None:
        """Create the parts from the :class:`MacConfig` under "config"."""
        self._lib = engine()
        self._switches: list[Switch] = []
        self._numbers: list[int] = []
        super().build_phase()

    def build_input(self, config: MacConfig, pins: StreamPins) -> None:
        """Open source and monitor of the input."""
        port, lib = port_of(pins.prefix), self._lib

        def event(item: Finished) -> FrameIn:
            return FrameIn(item.begin, item.settled, pins.port, item.data, bool(item.flag))

        lib.open_sink(port.monitor, WIDTH, 0, 0, 0, config.period_ps)
        self._numbers += [port.number, port.monitor]
        self.monitor_in = FastMonitor.create("monitor_in", self)
        self.monitor_in.setup(lib, port.monitor, event)
        if self.active():
            lib.open_source(port.number, WIDTH, config.speed, config.ifg, config.period_ps)
            self._switch(port.number, config, "gaps")
            self.driver = FastMacDriver.create("driver", self)
            self.driver.setup(config, pins)
            self.driver.connect_engine(lib, port.number, port.monitor)
            self.monitor_in.on_item.append(self.driver.frame_seen)

    def build_output(self, config: MacConfig, pins: StreamPins) -> None:
        """Open the sink of the output."""
        port = port_of(pins.prefix)

        def event(item: Finished) -> FrameOut:
            return FrameOut(item.begin, item.settled, pins.port, item.data)

        if not self.active():
            raise UserError(f"{config.path}: a passive output, allowed with the C engine are active ones")
        self._lib.open_sink(port.number, WIDTH, config.speed, config.ifg, config.fifo, config.period_ps)
        self._lib.wake(port.number, 1)
        self._switch(port.number, config, "stalls")
        self._numbers.append(port.number)
        self._hold_bit = port.hold
        self.monitor_out = FastMonitor.create("monitor_out", self)
        self.monitor_out.setup(self._lib, port.number, event)
        self.monitor_out.on_item = self.on_frame_out

    def _switch(self, number: int, config: MacConfig, purpose: str) -> None:
        stalls = getattr(config, purpose)
        path = f"{config.path}/{purpose}"
        self._switches.append(self._lib.generator(number, Purpose.MAIN, stalls, config.seed, path))

    @property
    def generators(self) -> tuple[Any, ...]:
        """Gaps of the input, stalls of the output."""
        return tuple(self._switches)

    def hold_output(self) -> None:
        """Keep READY of the output low until :meth:`release_output`."""
        self._output()
        holds(self.config.entity).put(self._hold_bit, True)

    def release_output(self) -> None:
        """End :meth:`hold_output`."""
        self._output()
        holds(self.config.entity).put(self._hold_bit, False)

    def start(self) -> None:
        """Reset released."""
        if self.driver is not None:
            self.driver.start()

    def abort(self) -> None:
        """Reset asserted."""
        for number in self._numbers:
            self._lib.abort(number)
        if self.driver is not None:
            self.driver.abort()
