"""Ethernet MAC agent whose beats move in C (configuration and behaviour as tb/agents/axis_mac.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyuvm import uvm_component

from ref_model.errors import UserError
from ref_model.events import FrameIn, FrameOut, SideBand
from tb.agents.mac import FrameAgent, FrameDriver, MacConfig, StreamPins
from tb.agents.pins import now_ps
from tb.fast.engine import BEAT, CUT, ERRORED, GIVEN_UP, GOOD, Engine, Finished, Purpose, Switch, engine
from tb.fast.hub import FastMonitor
from tb.fast.ports import FastPort, FastPorts


class FastFrameInMonitor(FastMonitor):
    """Frames into the DUT; ``on_cut`` are called when one was given up."""

    def setup(self, engine: Engine, number: int, make: Callable[[Finished], Any]) -> None:
        """Take the port."""
        super().setup(engine, number, make)
        self.on_cut: list[Callable[[], None]] = []

    def accept(self, item: Finished) -> None:
        """Publish one frame, or the end of one that was given up."""
        if item.kind != CUT:
            super().accept(item)
            return
        self.publish(self._make(item))
        for callback in self.on_cut:
            callback()


class FastFrameOutMonitor(FastMonitor):
    """Frames out of the DUT, and how many beats there were of them."""

    _on_beat: Callable[[], None] | None = None

    def taken(self, before: int, frames: bool) -> int:
        """Beats (or ``frames``) accepted before the time ``before`` (ps)."""
        return int(self._engine.taken(self.number, before, frames))

    def tell_beat(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once, in the time step in which the next beat is accepted."""
        self._on_beat = callback
        self._engine.await_beat(self.number)

    def accept(self, item: Finished) -> None:
        """Publish one frame, or tell that a beat came."""
        if item.kind != BEAT:
            super().accept(item)
        elif self._on_beat is not None:
            self._on_beat()


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
        """Queue one frame at the engine."""
        self._lib.put(self._number, now_ps(), data, GOOD if good else ERRORED, user)

    def transmit_cut(self, data: bytes, user: tuple[int, ...]) -> None:
        """Queue the beginning of a frame at the engine."""
        self._lib.put(self._number, now_ps(), data, GIVEN_UP, user)

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
        port, width, words, lib = *self._where(pins), len(pins.words), self._lib

        def event(item: Finished) -> FrameIn | SideBand:
            if item.kind == CUT:
                return SideBand(item.begin, item.settled, f"{pins.port}_cut", ())
            return FrameIn(item.begin, item.settled, pins.port, item.data, bool(item.flag), item.user)

        lib.open_sink(port.monitor, width, 0, 0, 0, config.period_ps, words)
        self._numbers += [port.number, port.monitor]
        self.monitor_in = FastFrameInMonitor.create("monitor_in", self)
        self.monitor_in.setup(lib, port.monitor, event)
        if self.active():
            lib.open_source(port.number, width, config.speed, config.ifg, config.period_ps, words)
            self._switch(port.number, config, "gaps")
            self.driver = FastMacDriver.create("driver", self)
            self.driver.setup(config, pins)
            self.driver.connect_engine(lib, port.number, port.monitor)
            self.monitor_in.on_item.append(self.driver.frame_seen)
            self.monitor_in.on_cut.append(self.driver.cut_seen)

    def build_output(self, config: MacConfig, pins: StreamPins) -> None:
        """Open the sink of the output."""
        port, width = self._where(pins)

        def event(item: Finished) -> FrameOut:
            return FrameOut(item.begin, item.settled, pins.port, item.data, item.user)

        if not self.active():
            raise UserError(f"{config.path}: a passive output, allowed with the C engine are active ones")
        line = (config.speed, config.ifg, config.fifo, config.period_ps)
        self._lib.open_sink(port.number, width, *line, len(pins.words))
        self._lib.wake(port.number, 1)
        self._switch(port.number, config, "stalls")
        self._numbers.append(port.number)
        self._hold_bit = port.hold
        self.monitor_out = FastFrameOutMonitor.create("monitor_out", self)
        self.monitor_out.setup(self._lib, port.number, event)
        self.monitor_out.on_item = self.on_frame_out

    def _where(self, pins: StreamPins) -> tuple[FastPort, int]:
        """Place of a stream in the engine, bytes of its bus."""
        self._ports = FastPorts.of(self)
        return self._ports.port(pins.prefix), self._ports.width(pins.prefix, "tdata")

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
        self._output().held.add("ready")
        self._ports.hold(self._hold_bit, True)

    def release_output(self) -> None:
        """End :meth:`hold_output`."""
        self._output().held.discard("ready")
        self._ports.hold(self._hold_bit, False)

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
