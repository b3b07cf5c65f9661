"""Ethernet MAC agent, what both engines share: configuration, items, the frame driver, the agent's interface.

The transactors are in tb/agents/axis_mac.py (Python) and tb/fast/mac.py (C); an environment takes either.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cocotb.triggers import Event
from pyuvm import uvm_component, uvm_driver, uvm_sequence, uvm_sequence_item, uvm_sequencer

from ref_model.errors import UserError
from ref_model.events import FrameIn, FrameOut
from tb.agents.base import Agent, Generator, Monitor, config_of
from tb.agents.generators import StallConfig
from tb.agents.pins import ResetLine, TransferAborted, now_ps


@dataclass
class StreamPins:
    """One stream: prefix of its pins, name of the port in the events, clock and reset of its domain.

    ``words`` are the pins beside the frame whose values the events carry in ``user``. They are driven for the
    whole frame and read at its first beat, with ``words_at_last`` at its last.
    """

    prefix: str
    port: str
    clock: Any
    reset: Any
    reset_active: int
    words: tuple[str, ...] = ()
    words_at_last: bool = False


@dataclass
class MacConfig:
    """Pins and knobs of one MAC; ``rx`` leads into the DUT, ``tx`` out of it, either may be None.

    ``speed`` is the line rate in bit/s (0: no limit, zero-gap mode: frames follow at bus speed without
    preamble and gap), ``ifg`` the inter-frame gap in bytes, ``gaps`` idle clocks before input beats,
    ``stalls`` clocks of output VALID without READY, ``fifo`` the bytes the transmit MAC buffers.
    """

    entity: Any
    rx: StreamPins | None = None
    tx: StreamPins | None = None
    period_ps: int = 4000
    speed: int = 100_000_000_000
    ifg: int = 12
    fifo: int = 512
    seed: int = 0
    path: str = "mac"
    gaps: StallConfig = field(default_factory=StallConfig)
    stalls: StallConfig = field(default_factory=StallConfig)

    def __post_init__(self) -> None:
        if self.speed < 0 or self.ifg < 0:
            raise UserError(f"{self.path}: speed {self.speed}, ifg {self.ifg}, allowed are 0 and above")


class MacItem(uvm_sequence_item):
    """One frame into the DUT; ``good`` False marks it as errored (tuser 0 on the last beat).

    ``user`` has a value for each of the words beside the frame.
    """

    def __init__(self, data: bytes, good: bool = True, user: tuple[int, ...] = ()) -> None:
        super().__init__("frame")
        self.data = data
        self.good = good
        self.user = user


class MacSequence(uvm_sequence):
    """Sends a list of items, each when the one before has left."""

    def __init__(self, items: list[MacItem]) -> None:
        super().__init__("frames")
        self.items = items

    async def body(self) -> None:
        """Send all items."""
        for item in self.items:
            await self.start_item(item)
            await self.finish_item(item)


class FrameDriver(uvm_driver):
    """Sends frames from sequence items and from direct calls, in one order; subclasses move the beats."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self._waiting: deque[tuple[Event, list[bool]]] = deque()
        self._early: list[tuple[bytes, bool, tuple[int, ...]]] = []
        self._cut: deque[Event] = deque()
        self.on_reset = True

    def setup(self, config: MacConfig, pins: StreamPins) -> None:
        """Take the configuration (called by the agent)."""
        self.config = config
        self.pins = pins

    def transmit(self, data: bytes, good: bool, user: tuple[int, ...]) -> None:
        """Hand one frame to the transactor (outside reset)."""
        raise NotImplementedError

    def transmit_cut(self, data: bytes, user: tuple[int, ...]) -> None:
        """Hand the transactor the beginning of a frame, whole beats, which is given up then."""
        raise NotImplementedError

    def start(self) -> None:
        """Reset released: send what was queued before."""
        self.on_reset = False
        early, self._early = self._early, []
        for entry in early:
            self.transmit(*entry)

    def abort(self) -> None:
        """Reset asserted: drop all frames and release whoever waits for them."""
        self.on_reset = True
        self._early = []
        while self._waiting:
            done, sent = self._waiting.popleft()
            sent[0] = False
            done.set()
        while self._cut:
            self._cut.popleft().set()

    @property
    def idle(self) -> bool:
        """Whether no frame is queued or under way."""
        return not self._waiting

    def put(self, data: bytes, good: bool, user: tuple[int, ...] = ()) -> tuple[Event, list[bool]]:
        """Queue one frame; the event fires when its last beat is over, the list says if it was sent."""
        if not data:
            raise UserError(f"{self.pins.port}: frame of 0 bytes, allowed is 1 and above")
        if len(user) != len(self.pins.words):
            wanted = len(self.pins.words)
            raise UserError(f"{self.pins.port}: {len(user)} words beside a frame, allowed are {wanted}")
        if self.on_reset:
            self._early.append((bytes(data), good, user))
        else:
            self.transmit(bytes(data), good, user)
        waiter = (Event(), [True])
        self._waiting.append(waiter)
        return waiter

    async def send(self, data: bytes, good: bool, user: tuple[int, ...] = ()) -> None:
        """Queue one frame and wait until its last beat is over; TransferAborted on reset."""
        done, sent = self.put(data, good, user)
        await done.wait()
        if not sent[0]:
            port, size = self.pins.port, len(data)
            raise TransferAborted(f"{port}: reset cut a frame of {size} bytes at {now_ps()} ps")

    def frame_seen(self, event: FrameIn) -> None:
        """The input monitor saw a frame end: its sender may go on."""
        if self._waiting:
            self._waiting.popleft()[0].set()

    async def cut(self, data: bytes, user: tuple[int, ...]) -> None:
        """Send the beginning of a frame and give it up; returns when that is over or a reset came."""
        lanes = len(getattr(self.config.entity, f"{self.pins.prefix}_tdata")) // 8
        if not data or len(data) % lanes:
            raise UserError(
                f"{self.pins.port}: {len(data)} bytes of a cut frame, allowed are multiples of {lanes}"
            )
        self.transmit_cut(data, user)
        self._cut.append(Event())
        await self._cut[-1].wait()

    def cut_seen(self) -> None:
        """The input monitor saw a frame given up: its sender may go on."""
        if self._cut:
            self._cut.popleft().set()

    async def run_phase(self) -> None:
        """Serve sequence items for ever."""
        while True:
            item = await self.seq_item_port.get_next_item()
            try:
                await self.send(item.data, item.good, item.user)
            except TransferAborted as cut:
                self.logger.info("%s", cut)
            self.seq_item_port.item_done()


class FrameAgent(Agent):
    """Input and output stream of one MAC port; subclasses make monitors and driver.

    ``monitor_in`` and ``monitor_out`` are None where the configuration has no such stream. ``on_frame_out``
    callbacks get each FrameOut in the time step of its last handshake, after the subscribers of the monitor.
    """

    monitor_in: Any = None
    monitor_out: Any = None
    driver: FrameDriver | None = None

    def build_phase(self) -> None:
        """Create the parts from the :class:`MacConfig` under "config"."""
        super().build_phase()
        config = self.config = config_of(self, MacConfig)
        pins = config.rx or config.tx
        if pins is None:
            raise UserError(f"{self.get_full_name()}: neither rx nor tx stream, allowed is one or both")
        self.reset_line = ResetLine(pins.reset, pins.reset_active)
        self.on_frame_out: list[Callable[[FrameOut], None]] = []
        if config.rx is not None:
            self.build_input(config, config.rx)
            if self.driver is not None:
                self.sequencer = uvm_sequencer.create("sequencer", self)
        if config.tx is not None:
            self.build_output(config, config.tx)

    def build_input(self, config: MacConfig, pins: StreamPins) -> None:
        """Create ``monitor_in`` and, when active, ``driver``."""
        raise NotImplementedError

    def build_output(self, config: MacConfig, pins: StreamPins) -> None:
        """Create ``monitor_out``, which calls ``on_frame_out``, and what drives READY."""
        raise NotImplementedError

    def connect_phase(self) -> None:
        """Connect driver and sequencer."""
        if self.driver is not None:
            self.driver.seq_item_port.connect(self.sequencer.seq_item_export)

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The input and the output monitor, where present."""
        return tuple(m for m in (self.monitor_in, self.monitor_out) if m is not None)

    async def send(self, data: bytes, good: bool = True, user: tuple[int, ...] = ()) -> None:
        """Send one frame into the DUT, return after its last beat; TransferAborted when a reset cuts it."""
        await self._input().send(data, good, user)

    def send_nowait(self, data: bytes, good: bool = True, user: tuple[int, ...] = ()) -> None:
        """Queue one frame; frames leave in the order of the calls."""
        self._input().put(data, good, user)

    def send_aborted(self, data: bytes, after: int) -> None:
        """Queue a frame that the MAC gives up after ``after`` bytes: it ends there, marked bad.

        UserError unless ``after`` is 1 to one less than the bytes of ``data``.
        """
        if not 0 < after < len(data):
            raise UserError(f"{self.config.path}: abort after {after} bytes, allowed is 1 to {len(data) - 1}")
        self._input().put(data[:after], False)

    async def cut(self, data: bytes, user: tuple[int, ...]) -> None:
        """Send the beginning of a frame behind those queued and give it up; the port needs a restart pin.

        UserError unless ``data`` is whole beats.
        """
        await self._input().cut(data, user)

    @property
    def input_idle(self) -> bool:
        """Whether no frame is queued or under way into the DUT."""
        return self.driver is None or self.driver.idle

    def _input(self) -> FrameDriver:
        if self.driver is None:
            raise UserError(f"{self.config.path}: no active input stream, allowed are agents with rx pins")
        return self.driver

    def _output(self) -> Any:
        if self.monitor_out is None:
            raise UserError(f"{self.config.path}: no output stream, allowed are agents with tx pins")
        return self.monitor_out

    def hold_output(self) -> None:
        """Keep READY of the output low until :meth:`release_output`."""
        raise NotImplementedError

    def release_output(self) -> None:
        """End :meth:`hold_output`."""
        raise NotImplementedError

    @property
    def generators(self) -> tuple[Generator, ...]:
        """Gaps of the input, stalls of the output."""
        raise NotImplementedError
