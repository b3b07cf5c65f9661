"""AXI4-Lite agent: register reads and writes with exact times.

Signals: the five AXI4-Lite channels ``<prefix>_aw* w* b* ar* r*`` (32- or 64-bit data, no AxPROT).
Driver: the AXI4-Lite master of cocotbext-axi, extended by what it lacks: any strobe pattern and, per access,
the skew between AW and W and the stall of BREADY and RREADY. Knobs: :class:`AxilConfig`.
Monitor: RegWrite (begin = later of the AW and W handshakes, settled = first edge with BVALID) and RegRead
(AR handshake .. first edge with RVALID), read from the pins only.
Not checked here: channel rules (tb/hdl/axi4lite_checker.sv) and values (the model).
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import cocotb
from cocotb.triggers import ClockCycles, Event, Lock
from cocotbext.axi import AxiLiteBus
from cocotbext.axi.axil_master import AxiLiteMasterRead, AxiLiteMasterWrite, AxiLiteWriteRespCmd
from cocotbext.axi.constants import AxiProt
from pyuvm import uvm_component, uvm_driver, uvm_sequence, uvm_sequence_item, uvm_sequencer

from ref_model.errors import UserError
from ref_model.events import RegRead, RegWrite
from ref_model.streams import stream
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.channels import SinkChannel
from tb.agents.generators import StallConfig, Stalls
from tb.agents.pins import ResetLine, TransferAborted, high, now_ps, quiet_models, word

_MASTER_PINS = ("awvalid", "wvalid", "bready", "arvalid", "rready", "awaddr", "wdata", "wstrb", "araddr")


@dataclass
class AxilConfig:
    """Pins and knobs of one AXI4-Lite port.

    ``skew`` draws the clocks between the AW and the W valid of a write; which of the two leads is drawn, too
    (none: both at once). ``b_stall`` and ``r_stall`` are clocks of BVALID/RVALID without READY. With all
    three at none, accesses follow as closely as the master can issue them. ``port``: name in the events, for
    a target with several such ports.
    """

    entity: Any
    prefix: str
    clock: Any
    reset: Any
    reset_active: int = 0
    seed: int = 0
    path: str = "axil"
    skew: StallConfig = field(default_factory=StallConfig)
    b_stall: StallConfig = field(default_factory=StallConfig)
    r_stall: StallConfig = field(default_factory=StallConfig)
    port: str = ""


class AxilItem(uvm_sequence_item):
    """One register access; ``data`` and ``resp`` hold the answer after ``finish_item``.

    ``strb`` None: all bytes.
    ``w_lead`` > 0: WVALID comes that many clocks before AWVALID; < 0: after it; None: drawn by the driver.
    ``aborted`` is set when a reset cut the access. ``epoch`` is the driver's count of resets when the access
    was asked for: one that a reset overtakes in the queue is aborted, too (None: never). ``beside``: an
    access in the other direction that is issued at the same time and ends with this one.
    """

    def __init__(
        self, write: bool, addr: int, data: int = 0, strb: int | None = None, w_lead: int | None = None
    ) -> None:
        super().__init__("write" if write else "read")
        self.write = write
        self.addr = addr
        self.data = data
        self.strb = strb
        self.w_lead = w_lead
        self.resp = 0
        self.aborted = False
        self.epoch: int | None = None
        self.beside: AxilItem | None = None


class AxilSequence(uvm_sequence):
    """Sequence of one item: what :class:`RegPort` starts for each access."""

    def __init__(self, item: AxilItem) -> None:
        super().__init__("reg_access")
        self.item = item

    async def body(self) -> None:
        """Hand the item to the driver and wait for its answer."""
        await self.start_item(self.item)
        await self.finish_item(self.item)


class _StrobedWrite(NamedTuple):
    address: int
    data: int
    strb: int
    event: Event


class _StrobedMaster(AxiLiteMasterWrite):
    """cocotbext-axi's write master with word writes of any strobe pattern (also none)."""

    async def write_word(self, address: int, data: int, strb: int) -> Any:
        """Write one word; return cocotbext-axi's response, or None when a reset cut it."""
        event = Event()
        self.in_flight_operations += 1
        self._idle.clear()
        await self.write_command_queue.put(_StrobedWrite(address, data, strb, event))
        await event.wait()
        return event.data

    async def _process_write(self) -> None:
        while True:
            cmd = await self.write_command_queue.get()
            self.current_write_command = cmd
            await self.int_write_resp_command_queue.put(
                AxiLiteWriteRespCmd(cmd.address, self.byte_lanes, 1, AxiProt.NONSECURE, cmd.event)
            )
            address = self.aw_channel._transaction_obj()
            address.awaddr = cmd.address
            data = self.w_channel._transaction_obj()
            data.wdata, data.wstrb = cmd.data, cmd.strb
            await self.aw_channel.send(address)
            await self.w_channel.send(data)
            self.current_write_command = None


class AxilDriver(uvm_driver):
    """Turns items into accesses, one after the other."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.config: AxilConfig
        self._write: _StrobedMaster | None = None
        self._read: AxiLiteMasterRead | None = None
        self._ready = Event()
        self.epoch = 0
        self.bytes = 4

    def setup(self, config: AxilConfig) -> None:
        """Take the configuration (called by the agent)."""
        self.config = config
        self.bytes = len(getattr(config.entity, f"{config.prefix}_wstrb"))
        self._reset_line = ResetLine(config.reset, config.reset_active)
        self._skew = Stalls(config.skew, config.seed, f"{config.path}/skew")
        self._lead = stream(config.seed, f"{config.path}/lead")
        self._b_stall = Stalls(config.b_stall, config.seed, f"{config.path}/b_stall")
        self._r_stall = Stalls(config.r_stall, config.seed, f"{config.path}/r_stall")

    @property
    def generators(self) -> tuple[Stalls, ...]:
        """Skew of writes, stalls of BREADY and RREADY."""
        return (self._skew, self._b_stall, self._r_stall)

    def start(self) -> None:
        """Build the models at the first release of the reset (they cannot bear X or an early reset)."""
        if self._write is None:
            c = self.config
            quiet_models(c.entity)
            bus = AxiLiteBus.from_prefix(c.entity, c.prefix)
            active = bool(c.reset_active)
            self._write = _StrobedMaster(bus.write, c.clock, c.reset, reset_active_level=active)
            self._read = AxiLiteMasterRead(bus.read, c.clock, c.reset, reset_active_level=active)
        self._ready.set()

    def abort(self) -> None:
        """Hold new items back until the reset is released; the models flush themselves."""
        self.epoch += 1
        self._ready.clear()

    async def run_phase(self) -> None:
        """Serve items for ever."""
        while True:
            item = await self.seq_item_port.get_next_item()
            # The models may notice a reset earlier in its time step than abort() is called.
            cut_now = self._ready.is_set() and self._reset_line.asserted
            if cut_now or item.epoch not in (None, self.epoch):
                item.aborted = True
            else:
                await self._ready.wait()
                beside = None if item.beside is None else cocotb.start_soon(self._do(item.beside))
                await self._do(item)
                if beside is not None:
                    await beside
            self.seq_item_port.item_done()

    async def _do(self, item: AxilItem) -> None:
        await (self._do_write(item) if item.write else self._do_read(item))

    async def _do_write(self, item: AxilItem) -> None:
        master = self._write
        assert master is not None
        lead = item.w_lead
        if lead is None:
            lead = self._skew.draw()
            if lead and self._lead.random() < 0.5:
                lead = -lead
        late = master.aw_channel if lead > 0 else master.w_channel
        if lead:
            late.pause = True
            cocotb.start_soon(self._resume(late, abs(lead)))
        pins = self.config
        async with _stalled(
            master.b_channel, getattr(pins.entity, f"{pins.prefix}_bvalid"), pins.clock, self._b_stall.draw()
        ):
            strb = (1 << self.bytes) - 1 if item.strb is None else item.strb
            response = await master.write_word(item.addr, item.data, strb)
        item.aborted = response is None
        item.resp = 0 if response is None else int(response.resp)

    async def _do_read(self, item: AxilItem) -> None:
        master = self._read
        assert master is not None
        pins = self.config
        async with _stalled(
            master.r_channel, getattr(pins.entity, f"{pins.prefix}_rvalid"), pins.clock, self._r_stall.draw()
        ):
            response = await master.read(item.addr, self.bytes)
        item.aborted = response is None
        if response is not None:
            item.data = int.from_bytes(response.data, "little")
            item.resp = int(response.resp)

    async def _resume(self, channel: Any, clocks: int) -> None:
        await ClockCycles(self.config.clock, clocks)
        channel.pause = False


@asynccontextmanager
async def _stalled(sink: Any, valid: Any, clock: Any, clocks: int) -> AsyncGenerator[None, None]:
    """Keep the READY of ``sink`` low for ``clocks`` edges with VALID during the body."""
    if not clocks:
        yield
        return

    async def release() -> None:
        await clock.rising_edge
        while not high(valid):
            await valid.rising_edge
            await clock.rising_edge
        for _ in range(clocks - 1):
            await clock.rising_edge
        sink.pause = False

    sink.pause = True
    task = cocotb.start_soon(release())
    try:
        yield
    finally:
        task.cancel()
        sink.pause = False


class AxilMonitor(Monitor):
    """RegWrite and RegRead from the pins."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self._channels: list[SinkChannel] = []
        self._aw: deque[tuple[int, int, int]] = deque()
        self._w: deque[tuple[int, int, int, int]] = deque()
        self._ar: deque[tuple[int, int, int]] = deque()

    def setup(self, config: AxilConfig) -> None:
        """Take the pins (called by the agent)."""
        self._port = config.port

        def pin(suffix: str) -> Any:
            return getattr(config.entity, f"{config.prefix}_{suffix}")

        self._awaddr, self._wdata, self._wstrb, self._bresp = map(pin, ("awaddr", "wdata", "wstrb", "bresp"))
        self._araddr, self._rdata, self._rresp = map(pin, ("araddr", "rdata", "rresp"))

        def channel(name: str, on_beat: Any, on_valid: Any = None) -> SinkChannel:
            return SinkChannel(config.clock, pin(f"{name}valid"), pin(f"{name}ready"), on_beat, on_valid)

        self._channels = [
            channel("aw", self._on_aw),
            channel("w", self._on_w),
            channel("b", _nothing, self._on_b),
            channel("ar", self._on_ar),
            channel("r", _nothing, self._on_r),
        ]

    def start(self) -> None:
        """Watch all channels."""
        for channel in self._channels:
            channel.start()

    def abort(self) -> None:
        """Drop accesses under way."""
        for channel in self._channels:
            channel.abort()
        for queue in (self._aw, self._w, self._ar):
            queue.clear()

    def open_begin(self) -> int | None:
        """Begin of the oldest access under way; its first VALID while no handshake is known yet."""
        begins = [c.begin for c in self._channels if c.begin is not None]
        begins += [queue[0][0] for queue in (self._aw, self._w, self._ar) if queue]
        return min(begins, default=None)

    def _on_aw(self, begin: int, now: int) -> None:
        self._aw.append((begin, now, word(self._awaddr)))

    def _on_w(self, begin: int, now: int) -> None:
        self._w.append((begin, now, word(self._wdata), word(self._wstrb)))

    def _on_ar(self, begin: int, now: int) -> None:
        self._ar.append((begin, now, word(self._araddr)))

    def _on_b(self, now: int) -> None:
        if self._aw and self._w:  # a response nobody asked for is the checker's finding, not an access
            _, aw_time, addr = self._aw.popleft()
            _, w_time, data, strb = self._w.popleft()
            begin = max(aw_time, w_time)
            self.publish(RegWrite(begin, now, addr, data, strb, word(self._bresp), self._port))

    def _on_r(self, now: int) -> None:
        if self._ar:
            _, begin, addr = self._ar.popleft()
            self.publish(RegRead(begin, now, addr, word(self._rdata), word(self._rresp), self._port))


def _nothing(begin: int, now: int) -> None:
    """Handshakes of the response channels carry no further event."""


class RegPort:
    """Register access for hosts and tests; calls may come from several coroutines."""

    def __init__(self, sequencer: uvm_sequencer, driver: AxilDriver, prefix: str) -> None:
        self._sequencer = sequencer
        self._driver = driver
        self._prefix = prefix
        self._lock = Lock()
        self.last_resp = 0

    async def access(self, item: AxilItem) -> AxilItem:
        """Run one access; TransferAborted when a reset cuts it, UserError for an illegal address or value."""
        size = self._driver.bytes
        if not 0 <= item.addr < 1 << 32 or item.addr % size:
            raise UserError(f"{self._prefix}: address {item.addr:#x}, allowed are 32-bit multiples of {size}")
        if not 0 <= item.data < 1 << 8 * size or not 0 <= (item.strb or 0) < 1 << size:
            raise UserError(
                f"{self._prefix}: data {item.data:#x} strobe {item.strb or 0:#x}, "
                f"allowed are {8 * size} and {size} bits"
            )
        if item.beside is not None and item.beside.write == item.write:
            raise UserError(f"{self._prefix}: two accesses at once, allowed are a read and a write")
        item.epoch = self._driver.epoch
        async with self._lock:
            await AxilSequence(item).start(self._sequencer)
        if item.aborted:
            raise TransferAborted(
                f"{self._prefix}: reset during the {item.get_name()} of {item.addr:#x} at {now_ps()} ps"
            )
        self.last_resp = item.resp
        return item

    async def write(self, addr: int, data: int, strb: int | None = None) -> int:
        """Write a word at byte address ``addr``; return BRESP once the response is in."""
        return (await self.access(AxilItem(True, addr, data, strb))).resp

    async def read(self, addr: int) -> int:
        """Read the word at byte address ``addr``; RRESP is in ``last_resp``."""
        return (await self.access(AxilItem(False, addr))).data


class AxilAgent(Agent):
    """Sequencer, driver and monitor of one AXI4-Lite slave port of the DUT."""

    port: RegPort

    def build_phase(self) -> None:
        """Create the parts from the :class:`AxilConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, AxilConfig)
        self.reset_line = ResetLine(self.config.reset, self.config.reset_active)
        self.monitor = AxilMonitor.create("monitor", self)
        self.monitor.setup(self.config)
        self.driver: AxilDriver | None = None
        if self.active():
            self.sequencer = uvm_sequencer.create("sequencer", self)
            self.driver = AxilDriver.create("driver", self)
            self.driver.setup(self.config)
            self.port = RegPort(self.sequencer, self.driver, self.config.prefix)

    def connect_phase(self) -> None:
        """Connect driver and sequencer."""
        if self.driver is not None:
            self.driver.seq_item_port.connect(self.sequencer.seq_item_export)

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor of the port."""
        return (self.monitor,)

    @property
    def generators(self) -> tuple[Stalls, ...]:
        """Skew of writes, stalls of BREADY and RREADY."""
        return () if self.driver is None else self.driver.generators

    def drive_idle(self) -> None:
        """All VALID and READY of the master low, payload 0."""
        if self.driver is not None:
            for suffix in _MASTER_PINS:
                getattr(self.config.entity, f"{self.config.prefix}_{suffix}").value = 0

    def start(self) -> None:
        """Reset released."""
        self.monitor.start()
        if self.driver is not None:
            self.driver.start()

    def abort(self) -> None:
        """Reset asserted."""
        self.monitor.abort()
        if self.driver is not None:
            self.driver.abort()
