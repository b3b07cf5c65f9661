"""AXI4 memory agent: serves one AXI4 master of the DUT from the shared host memory.

Signals: ``<prefix>_{aw,w,b,ar,r}*`` with any data width up to 1024 bits.
Responder: random latency from request to response, back-pressure on AW, W and AR, gaps on B and R, error
regions (SLVERR/DECERR). Written data reaches the memory when its response is put on the bus, not before:
whoever announces data without waiting for the response is then caught with memory not yet changed.
Monitor: one MemWrite per write burst (published at the B handshake) and one MemRead per read burst (at the
last R handshake), from the pins only.

The channels are driven by tb.agents.channels and not by cocotbext-axi's AxiSlave, which has no latency,
answers at once and asserts (ends the simulation) on the very protocol errors a DUT is to be judged for.
Not checked here: protocol rules (tb/hdl/axi4_checker.sv). FIXED and WRAP bursts, which ERN-213 forbids, are
answered with SLVERR, change nothing and show up as events with the addresses of an INCR burst.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.task import Task
from cocotb.triggers import Timer
from pyuvm import uvm_component, uvm_driver

from ref_model.errors import UserError
from ref_model.events import MemRead, MemWrite
from ref_model.streams import Draws
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.channels import SinkChannel, SourceChannel
from tb.agents.generators import Latency, StallConfig, Stalls
from tb.agents.host_memory import HostMemory
from tb.agents.pins import Payload, ResetLine, now_ps, word

__all__ = ["AxiMemoryAgent", "AxiMemoryConfig", "ErrorRegion", "HostMemory"]

OKAY, SLVERR, DECERR = 0, 2, 3
_INCR = 1
_MASK = [bytes((value >> bit) & 1 for bit in range(8)) for value in range(256)]


@dataclass(frozen=True, slots=True)
class ErrorRegion:
    """Addresses ``start`` <= a < ``stop`` that answer with ``resp`` (2 SLVERR, 3 DECERR).

    A write burst that touches the region is not stored. In a read burst the beats inside the region are
    zeros with ``resp``. ``reads`` and ``writes`` choose the directions.
    """

    start: int
    stop: int
    resp: int = SLVERR
    reads: bool = True
    writes: bool = True

    def __post_init__(self) -> None:
        if self.resp not in (SLVERR, DECERR) or self.start >= self.stop:
            raise UserError(
                f"error region {self.start:#x}..{self.stop:#x} resp {self.resp}: "
                "allowed are start < stop and resp 2 (SLVERR) or 3 (DECERR)"
            )


@dataclass
class AxiMemoryConfig:
    """Pins and knobs of one memory port; ``port`` is the name in the events, latencies are in clocks.

    ``reorder``: responses of different ids may overtake each other (those of one id never do).
    """

    entity: Any
    prefix: str
    port: str
    clock: Any
    reset: Any
    memory: HostMemory
    reset_active: int = 0
    period_ps: int = 4000
    seed: int = 0
    path: str = "axi"
    write_latency: Latency = field(default_factory=Latency)
    read_latency: Latency = field(default_factory=Latency)
    aw_stall: StallConfig = field(default_factory=StallConfig)
    w_stall: StallConfig = field(default_factory=StallConfig)
    ar_stall: StallConfig = field(default_factory=StallConfig)
    b_gap: StallConfig = field(default_factory=StallConfig)
    r_gap: StallConfig = field(default_factory=StallConfig)
    error_regions: list[ErrorRegion] = field(default_factory=list)
    reorder: bool = False


@dataclass(slots=True)
class Burst:
    """One burst on its way; ``beats`` holds (data, strobes) of writes and (data, response) of reads."""

    begin: int
    ident: int
    addr: int
    length: int
    size: int
    kind: int
    beats: list[tuple[int, int]] = field(default_factory=list)
    accepted: int = 0
    issued: int = 0

    def beat_addresses(self) -> list[int]:
        """Return the address of each beat as an INCR burst; all but the first are aligned to the size."""
        step = 1 << self.size
        aligned = self.addr & -step
        return [self.addr] + [aligned + i * step for i in range(1, self.length)]


@dataclass(slots=True)
class _DataPhase:
    begin: int
    beats: list[tuple[int, int]]


def lanes(burst: Burst, data: list[int], width: int) -> bytes:
    """Return the bytes a burst carries, from its first byte address on (``width`` bytes per bus word)."""
    if burst.size == width.bit_length() - 1:
        whole = b"".join(value.to_bytes(width, "little") for value in data)
        return whole[burst.addr % width :]
    parts = []
    for addr, value in zip(burst.beat_addresses(), data, strict=False):
        offset = addr % width
        stop = (offset & -(1 << burst.size)) + (1 << burst.size)
        parts.append(value.to_bytes(width, "little")[offset:stop])
    return b"".join(parts)


def strobe_mask(burst: Burst, strobes: list[int], width: int) -> bytes:
    """Return one byte (0 or 1) per data byte of :func:`lanes`."""
    expanded = [
        int.from_bytes(b"".join(_MASK[b] for b in strobe.to_bytes(width // 8, "little")), "little")
        for strobe in strobes
    ]
    return lanes(burst, expanded, width)


class AxiMemoryMonitor(Monitor):
    """Bursts of one master; ``on_write`` and ``on_read`` hand complete requests to the responder."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self._addresses: deque[Burst] = deque()
        self._data: deque[_DataPhase] = deque()
        self._unanswered: dict[int, deque[Burst]] = {}
        self._reads: dict[int, deque[Burst]] = {}
        self._filling: _DataPhase | None = None
        self.on_write: Callable[[Burst], None] | None = None
        self.on_read: Callable[[Burst], None] | None = None
        self.generators: list[Stalls] = []
        self.outstanding_max = 0

    def setup(self, config: AxiMemoryConfig, active: bool) -> None:
        """Take pins and knobs (called by the agent)."""
        self._port = config.port

        def pin(suffix: str) -> Any:
            return getattr(config.entity, f"{config.prefix}_{suffix}")

        self._aw = [pin(f"aw{s}") for s in ("id", "addr", "len", "size", "burst")]
        self._ar = [pin(f"ar{s}") for s in ("id", "addr", "len", "size", "burst")]
        self._wdata, self._wstrb, self._wlast = pin("wdata"), pin("wstrb"), pin("wlast")
        self._bid, self._bresp = pin("bid"), pin("bresp")
        self._rid, self._rdata, self._rresp, self._rlast = map(pin, ("rid", "rdata", "rresp", "rlast"))
        self.width = len(self._wdata) // 8

        def channel(name: str, on_beat: Any, stall: StallConfig | None = None) -> SinkChannel:
            draw = None
            if active and stall is not None:
                self.generators.append(Stalls(stall, config.seed, f"{config.path}/{name}_stall"))
                draw = self.generators[-1].draw
            return SinkChannel(config.clock, pin(f"{name}valid"), pin(f"{name}ready"), on_beat, stalls=draw)

        self.channels = {
            "aw": channel("aw", self._on_aw, config.aw_stall),
            "w": channel("w", self._on_w, config.w_stall),
            "b": channel("b", self._on_b),
            "ar": channel("ar", self._on_ar, config.ar_stall),
            "r": channel("r", self._on_r),
        }

    def start(self) -> None:
        """Watch all channels."""
        for channel in self.channels.values():
            channel.start()

    def abort(self) -> None:
        """Forget all bursts under way (their responses will never come)."""
        for channel in self.channels.values():
            channel.abort()
        self._addresses.clear()
        self._data.clear()
        self._unanswered.clear()
        self._reads.clear()
        self._filling = None

    def open_begin(self) -> int | None:
        """Begin of the oldest burst without its last handshake."""
        begins = [self.channels[c].begin for c in ("aw", "w", "ar")]
        begins += [burst.begin for burst in self._addresses]
        begins += [phase.begin for phase in self._data]
        if self._filling is not None:
            begins.append(self._filling.begin)
        for queues in (self._unanswered, self._reads):
            begins += [queue[0].begin for queue in queues.values() if queue]
        return min((b for b in begins if b is not None), default=None)

    @property
    def outstanding(self) -> int:
        """Bursts accepted and not finished, both directions."""
        queued = sum(len(q) for group in (self._unanswered, self._reads) for q in group.values())
        return queued + len(self._addresses)

    def _on_aw(self, begin: int, now: int) -> None:
        ident, addr, length, size, kind = (word(p) for p in self._aw)
        self._addresses.append(Burst(begin, ident, addr, length + 1, size, kind, issued=begin))
        self._pair(now)

    def _on_w(self, begin: int, now: int) -> None:
        filling = self._filling
        if filling is None:
            filling = self._filling = _DataPhase(begin, [])
        filling.beats.append((word(self._wdata), word(self._wstrb)))
        if word(self._wlast):
            self._filling = None
            self._data.append(filling)
            self._pair(now)

    def _pair(self, now: int) -> None:
        """Join address and data phases, in order, whichever came first."""
        while self._addresses and self._data:
            burst, phase = self._addresses.popleft(), self._data.popleft()
            burst.begin = min(burst.begin, phase.begin)
            burst.beats = phase.beats
            burst.accepted = now
            self._unanswered.setdefault(burst.ident, deque()).append(burst)
            self.outstanding_max = max(self.outstanding_max, self.outstanding)
            if self.on_write is not None:
                self.on_write(burst)

    def _on_b(self, begin: int, now: int) -> None:
        queue = self._unanswered.get(word(self._bid))
        if queue:
            burst = queue.popleft()
            data = lanes(burst, [d for d, _ in burst.beats], self.width)
            mask = strobe_mask(burst, [s for _, s in burst.beats], self.width)
            resp = word(self._bresp)
            self.publish(MemWrite(burst.begin, now, self._port, burst.addr, data, mask, resp, burst.issued))

    def _on_ar(self, begin: int, now: int) -> None:
        ident, addr, length, size, kind = (word(p) for p in self._ar)
        burst = Burst(begin, ident, addr, length + 1, size, kind, accepted=now)
        self._reads.setdefault(ident, deque()).append(burst)
        self.outstanding_max = max(self.outstanding_max, self.outstanding)
        if self.on_read is not None:
            self.on_read(burst)

    def _on_r(self, begin: int, now: int) -> None:
        queue = self._reads.get(word(self._rid))
        if queue:
            burst = queue[0]
            burst.beats.append((word(self._rdata), word(self._rresp)))
            if word(self._rlast):
                queue.popleft()
                data = lanes(burst, [d for d, _ in burst.beats], self.width)
                resp = max(r for _, r in burst.beats)
                self.publish(MemRead(burst.begin, now, self._port, burst.addr, data, resp))


class _Delay:
    """Calls ``serve(burst, at_edge)`` for each burst, in order (of its id), when its latency has passed.

    The wait ends a quarter clock before the edge at which the response is driven, so that no simulator has a
    choice of order between the timer and the clock.
    """

    def __init__(
        self, latency: Latency, config: AxiMemoryConfig, purpose: str, serve: Callable[[Burst, bool], None]
    ) -> None:
        self.latency = latency
        self._period = config.period_ps
        self._reorder = config.reorder
        self._draws = Draws.of(config.seed, f"{config.path}/{purpose}")
        self._serve = serve
        self._available: dict[int, int] = {}
        self._tasks: dict[int, Task[None]] = {}

    def put(self, burst: Burst) -> None:
        """Serve a burst accepted now, when its time has come."""
        clocks = self._draws.between(self.latency.low, self.latency.high)
        lane = burst.ident if self._reorder else 0
        due = burst.accepted + (clocks - 1) * self._period - self._period // 4
        due = self._available[lane] = max(due, self._available.get(lane, 0))
        wait = due - now_ps()
        if wait <= 0:
            self._serve(burst, True)
            return
        self._tasks[id(burst)] = cocotb.start_soon(self._later(wait, burst))

    def abort(self) -> None:
        """Drop everything."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()
        self._available.clear()

    async def _later(self, wait: int, burst: Burst) -> None:
        await Timer(wait, "ps")
        del self._tasks[id(burst)]
        self._serve(burst, False)


class AxiMemoryDriver(uvm_driver):
    """Responder: answers the bursts the monitor hands over."""

    def setup(self, config: AxiMemoryConfig, width: int) -> None:
        """Take pins and knobs (called by the agent)."""
        self.config = config
        self._width = width
        self.generators: list[Stalls] = []

        def pin(suffix: str) -> Any:
            return getattr(config.entity, f"{config.prefix}_{suffix}")

        def drive(*names: str) -> Callable[[tuple[int, ...]], None]:
            return Payload(tuple(pin(name) for name in names)).drive

        def gaps(name: str, stall: StallConfig) -> Stalls:
            self.generators.append(Stalls(stall, config.seed, f"{config.path}/{name}"))
            return self.generators[-1]

        self.b: SourceChannel[tuple[int, ...]] = SourceChannel(
            config.clock, pin("bvalid"), pin("bready"), drive("bid", "bresp"), gaps("b_gap", config.b_gap)
        )
        self.r: SourceChannel[tuple[int, ...]] = SourceChannel(
            config.clock,
            pin("rvalid"),
            pin("rready"),
            drive("rid", "rdata", "rresp", "rlast"),
            gaps("r_gap", config.r_gap),
        )
        self._writes = _Delay(config.write_latency, config, "write_latency", self._answer_write)
        self._reads = _Delay(config.read_latency, config, "read_latency", self._answer_read)
        self.on_write = self._writes.put
        self.on_read = self._reads.put

    def set_write_latency(self, latency: Latency) -> None:
        """Latency of the writes that come from now on."""
        self._writes.latency = latency

    def drive_idle(self) -> None:
        """BVALID and RVALID low."""
        self.b.idle()
        self.r.idle()

    def start(self) -> None:
        """Reset released."""
        self.b.start()
        self.r.start()

    def abort(self) -> None:
        """Reset asserted: drop all responses."""
        for part in (self._writes, self._reads, self.b, self.r):
            part.abort()

    def _response(self, start: int, stop: int, write: bool) -> int:
        for region in self.config.error_regions:
            if start < region.stop and region.start < stop and (region.writes if write else region.reads):
                return region.resp
        return OKAY

    def _answer_write(self, burst: Burst, at_edge: bool) -> None:
        data = lanes(burst, [d for d, _ in burst.beats], self._width)
        resp = self._response(burst.addr, burst.addr + len(data), True)
        if burst.kind != _INCR:
            resp = SLVERR
        if resp == OKAY:
            mask = strobe_mask(burst, [s for _, s in burst.beats], self._width)
            self.config.memory.store(burst.addr, data, mask)
        self.b.put((burst.ident, resp), at_edge)

    def _answer_read(self, burst: Burst, at_edge: bool) -> None:
        width, last = self._width, burst.length - 1
        addresses = burst.beat_addresses()
        start = addresses[0] & -width
        image = self.config.memory.read(start, (addresses[last] & -width) + width - start)
        items: list[tuple[int, ...]] = []
        for i, addr in enumerate(addresses):
            bus_word = addr & -width
            resp = self._response(addr, (addr & -(1 << burst.size)) + (1 << burst.size), False)
            if burst.kind != _INCR:
                resp = SLVERR
            data = 0 if resp else int.from_bytes(image[bus_word - start : bus_word - start + width], "little")
            items.append((burst.ident, data, resp, int(i == last)))
        self.r.put_all(items, at_edge)


class AxiMemoryAgent(Agent):
    """Monitor and responder of one AXI4 master port of the DUT.

    ``hold(channel)`` / ``release(channel)`` stop and resume READY of "aw", "w" or "ar" for any time.
    """

    def build_phase(self) -> None:
        """Create the parts from the :class:`AxiMemoryConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, AxiMemoryConfig)
        self.reset_line = ResetLine(self.config.reset, self.config.reset_active)
        self.monitor = AxiMemoryMonitor.create("monitor", self)
        self.monitor.setup(self.config, self.active())
        self.driver: AxiMemoryDriver | None = None
        if self.active():
            self.driver = AxiMemoryDriver.create("driver", self)
            self.driver.setup(self.config, self.monitor.width)

    def connect_phase(self) -> None:
        """Let the monitor hand requests to the responder."""
        if self.driver is not None:
            self.monitor.on_write = self.driver.on_write
            self.monitor.on_read = self.driver.on_read

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor of the port."""
        return (self.monitor,)

    def set_error_regions(self, regions: list[ErrorRegion]) -> None:
        """Replace the address ranges that answer with an error."""
        self.config.error_regions = list(regions)

    def set_write_latency(self, latency: Latency) -> None:
        """Answer the writes that come from now on after another latency."""
        if self.driver is not None:
            self.driver.set_write_latency(latency)

    def hold(self, channel: str) -> None:
        """Keep READY of ``channel`` ("aw", "w", "ar") low until :meth:`release`."""
        self._request_channel(channel).hold()
        self.monitor.held.add(channel)

    def release(self, channel: str) -> None:
        """End :meth:`hold`."""
        self._request_channel(channel).release()
        self.monitor.held.discard(channel)

    def _request_channel(self, channel: str) -> SinkChannel:
        if channel not in ("aw", "w", "ar"):
            raise UserError(f"{self.config.prefix}: channel {channel!r}, allowed are aw, w, ar")
        return self.monitor.channels[channel]

    @property
    def generators(self) -> tuple[Stalls, ...]:
        """Stalls of AW, W and AR, gaps of B and R."""
        return (*self.monitor.generators, *(self.driver.generators if self.driver is not None else ()))

    def drive_idle(self) -> None:
        """All VALID and READY of the slave side low."""
        if self.driver is not None:
            self.driver.drive_idle()
            for channel in self.monitor.channels.values():
                channel.idle()

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
