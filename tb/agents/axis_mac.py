"""Ethernet MAC agent whose beats move in Python: whole frames over AXI-Stream, with exact times.

Signals: input to the DUT ``<rx_prefix>_t{data,keep,last,valid}`` with optional ``tuser`` and ``tready``;
output ``<tx_prefix>_t{data,keep,last,valid}`` with optional ``tready``; words beside the frame on pins of
their own; byte 0 of a frame in lane 0; no FCS either way.
Input: the MAC receive model of cocotbext-eth (line rate, preamble, inter-frame gap), which here cuts beats by
slices, marks good frames by tuser on the last beat and can leave idle clocks between beats.
Output: a ready generator that models a transmit MAC of the same line rate. cocotbext-eth's transmit model is
not used there: it needs tuser, calls a legal gap inside a frame an underflow, and hands a frame over only
after its time on the wire, while a partner has to see it in the time step of its last handshake.
Monitors: FrameIn (first to last beat) and FrameOut (first VALID to last handshake), from the pins only.
Not checked here: stream rules (tb/hdl/axis_checker.sv) and the content of frames.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocotbext.axi.stream import define_stream
from cocotbext.eth.eth_mac import AxiStreamBus, EthMacFrame, EthMacRx
from pyuvm import uvm_component

from ref_model.events import FrameIn, FrameOut, SideBand
from tb.agents.base import Monitor
from tb.agents.channels import SinkChannel
from tb.agents.generators import Stalls
from tb.agents.mac import FrameAgent, FrameDriver, MacConfig, StreamPins
from tb.agents.pins import Payload, high, now_ps, quiet_models, word

PREAMBLE_BYTES = 8
_LAG_CLOCKS = 4
_HostStreamBus = define_stream(
    "HostStream", signals=["tvalid", "tdata", "tkeep", "tlast"], optional_signals=["tready"]
)[0]


class _MarkedFrame(EthMacFrame):
    """cocotbext-eth frame with its verdict and the time (ps) at which it was queued."""

    good: bool = True
    queued_at: int = 0
    user: tuple[int, ...] = ()
    cut: Callable[[], None] | None = None


class LineRateMacRx(EthMacRx):
    """cocotbext-eth's receive MAC, driving a beat per Python step, with tuser and gaps between beats.

    Queue, frame accounting and reset are the model's. Its byte-by-byte cutting, its timers (which may end
    exactly at a clock edge, where simulators differ in what comes first) and its stream source are replaced:
    the time on the line is kept as a number, and a beat goes out at the first clock edge after the line has
    delivered it.
    """

    def __init__(self, bus: Any, pins: StreamPins, config: MacConfig, gaps: Stalls) -> None:
        self._gaps = gaps
        self._period_ps = config.period_ps
        self._line_at = 0
        marks = [bus.tuser] if hasattr(bus, "tuser") else []
        words = [getattr(config.entity, name) for name in pins.words]
        self._marked = bool(marks)
        self._restart: Any = getattr(config.entity, f"{pins.prefix}_restart", None)
        self._payload = Payload((bus.tdata, bus.tkeep, bus.tlast, *marks, *words))
        active = bool(pins.reset_active)
        super().__init__(
            bus, pins.clock, pins.reset, reset_active_level=active, ifg=config.ifg, speed=config.speed
        )
        self.stream.assert_reset(True)  # the pins are driven by _run

    def put(
        self, data: bytes, good: bool, user: tuple[int, ...], cut: Callable[[], None] | None = None
    ) -> None:
        """Queue one frame (the model's own ``send_nowait`` would drop ``good`` and ``user``).

        With ``cut`` it has no last beat; that is called once the framing of the DUT's port begins anew.
        """
        frame = _MarkedFrame(data)
        frame.good = good
        frame.user = user
        frame.cut = cut
        frame.queued_at = now_ps()
        self.queue.put_nowait(frame)
        self.idle_event.clear()
        self.queue_occupancy_bytes += len(frame)
        self.queue_occupancy_frames += 1

    def _line_time(self, count: int) -> int:
        """Return the picoseconds ``count`` bytes take on the line."""
        return count * 8 * 10**12 // self.speed if self.speed else 0

    async def _take_frame(self) -> _MarkedFrame:
        """Return the next frame; idle means no VALID on the pins.

        A frame counts from the first edge after it was queued: what is queued at an edge comes before that
        edge on one simulator and after it on the other.
        """
        frame = None if self.queue.empty() else self.queue.get_nowait()
        if frame is None or frame.queued_at >= now_ps():
            self.bus.tvalid.value = 0
            if frame is None:
                self.idle_event.set()
                frame = await self.queue.get()
            while frame.queued_at >= now_ps():
                await self.clock.rising_edge
            self._line_at = max(self._line_at, now_ps())
        else:
            # The pins lag the line by a few clocks. More lag than that is a gap somebody asked for, and is
            # not made up by sending faster than the line.
            self._line_at = max(self._line_at, now_ps() - _LAG_CLOCKS * self._period_ps)
        self.dequeue_event.set()
        self.queue_occupancy_bytes -= len(frame)
        self.queue_occupancy_frames -= 1
        self.current_frame = frame
        return frame

    async def _run(self) -> None:
        width, bus, edge = self.byte_lanes, self.bus, self.clock.rising_edge
        ready = getattr(bus, "tready", None)
        full = (1 << width) - 1
        self._line_at = 0
        while True:
            frame = await self._take_frame()
            data, now = frame.data, now_ps()
            self._line_at += self._line_time(PREAMBLE_BYTES)
            for offset in range(0, len(data), width):
                chunk = data[offset : offset + width]
                self._line_at += self._line_time(len(chunk))
                wait = max(self._gaps.draw(), -(-(self._line_at - now) // self._period_ps))
                if wait > 0:
                    bus.tvalid.value = 0
                    for _ in range(wait):
                        await edge
                last = offset + width >= len(data) and frame.cut is None
                keep = (1 << len(chunk)) - 1 if last else full
                marks = (int(last and frame.good),) if self._marked else ()
                beat = (int.from_bytes(chunk, "little"), keep, int(last), *marks, *frame.user)
                self._payload.drive(beat)
                bus.tvalid.value = 1
                await edge
                while ready is not None and not high(ready):
                    await edge
                now = now_ps()
            if frame.cut is not None:
                await self._give_up(frame.cut)
            self.current_frame = None
            self._line_at += self._line_time(self.ifg)

    async def _give_up(self, told: Callable[[], None]) -> None:
        """The next beat is the first of another frame."""
        self.bus.tvalid.value = 0
        self._restart.value = 1
        await self.clock.rising_edge
        self._restart.value = 0
        told()


class _LinePacer:
    """Transmit MAC with a small FIFO draining at line rate: clocks for which it cannot take a beat."""

    def __init__(self, config: MacConfig) -> None:
        self._speed = config.speed
        self._period = config.period_ps
        self._overhead = config.ifg + PREAMBLE_BYTES
        self._room = self._time(config.fifo) if config.speed else 0
        self._drained_at = 0

    def _time(self, count: int) -> int:
        return count * 8 * 10**12 // self._speed

    def take(self, count: int, last: bool, now: int) -> None:
        """A beat of ``count`` bytes was accepted."""
        if self._speed:
            cost = self._time(count + (self._overhead if last else 0))
            self._drained_at = max(self._drained_at, now) + cost

    def stall(self, now: int) -> int:
        """Return the clocks until there is room for another beat."""
        excess = self._drained_at - now - self._room
        return -(-excess // self._period) if self._speed and excess > 0 else 0


class _Assembler:
    """Collects the beats of one stream into frames; each pin is read once per beat."""

    def __init__(self, entity: Any, prefix: str) -> None:
        self._tdata = getattr(entity, f"{prefix}_tdata")
        self._tkeep = getattr(entity, f"{prefix}_tkeep")
        self._tlast = getattr(entity, f"{prefix}_tlast")
        self._bytes = len(self._tdata) // 8
        self._parts: list[bytes] = []
        self.begin: int | None = None

    def clear(self) -> None:
        """Drop the frame under way."""
        self._parts = []
        self.begin = None

    def beat(self, begin: int) -> tuple[int, bool]:
        """Take the beat on the pins; return its bytes and whether it was the last one."""
        if self.begin is None:
            self.begin = begin
        keep = word(self._tkeep)
        data = word(self._tdata).to_bytes(self._bytes, "little")
        count = keep.bit_length()
        if keep & (keep + 1):  # holes: the checker's finding; keep the bytes that are marked
            data = bytes(b for i, b in enumerate(data) if keep >> i & 1)
            count = len(data)
        self._parts.append(data[:count])
        return count, high(self._tlast)

    def take(self) -> tuple[int, bytes]:
        """Return begin and bytes of the complete frame and make room for the next."""
        begin, data = self.begin, b"".join(self._parts)
        assert begin is not None
        self.clear()
        return begin, data


class FrameMonitor(Monitor):
    """Frames of one stream; subclasses make the event.

    ``on_accept(bytes, last, now)`` is called with every accepted beat, before its stall is drawn.
    """

    on_accept: Callable[[int, bool, int], None] | None = None

    def setup(self, entity: Any, pins: StreamPins, stalls: Callable[[], int] | None) -> None:
        """Take the pins (called by the agent); ``stalls`` makes the channel drive READY."""
        self._pins = pins
        self._frame = _Assembler(entity, pins.prefix)
        self._words = tuple(getattr(entity, name) for name in pins.words)
        self._user: tuple[int, ...] = ()
        ready = getattr(entity, f"{pins.prefix}_tready", None)
        self.channel = SinkChannel(
            pins.clock, getattr(entity, f"{pins.prefix}_tvalid"), ready, self._on_beat, stalls=stalls
        )
        self.on_frame: list[Callable[[Any], None]] = []
        self.on_cut: list[Callable[[], None]] = []

    def start(self) -> None:
        """Watch the stream."""
        self.channel.start()

    def abort(self) -> None:
        """Drop the frame under way: it was cut by a reset."""
        self.channel.abort()
        self._frame.clear()

    def cut(self) -> None:
        """Drop the frame under way: its sender gave it up. The event of this is ``<port>_cut``."""
        self._frame.clear()
        now = now_ps()
        self.publish(SideBand(now, now, f"{self._pins.port}_cut", ()))
        for callback in self.on_cut:
            callback()

    def open_begin(self) -> int | None:
        """First VALID of the frame under way."""
        return self._frame.begin if self._frame.begin is not None else self.channel.begin

    def accepted(self, last: bool, now: int) -> None:
        """A beat was accepted."""

    def event(self, begin: int, now: int, data: bytes) -> Any:
        """Return the event of a complete frame."""
        raise NotImplementedError

    def _on_beat(self, begin: int, now: int) -> None:
        if self._words and (self._pins.words_at_last or self._frame.begin is None):
            self._user = tuple(map(word, self._words))
        count, last = self._frame.beat(begin)
        self.accepted(last, now)
        if self.on_accept is not None:
            self.on_accept(count, last, now)
        if last:
            event = self.event(*self._frame_times(now))
            self.publish(event)
            for callback in self.on_frame:
                callback(event)

    def _frame_times(self, now: int) -> tuple[int, int, bytes]:
        begin, data = self._frame.take()
        return begin, now, data


class FrameInMonitor(FrameMonitor):
    """FrameIn of an input stream."""

    def setup(self, entity: Any, pins: StreamPins, stalls: Callable[[], int] | None) -> None:
        """Take the pins; a stream without tuser carries good frames only."""
        super().setup(entity, pins, stalls)
        self._tuser = getattr(entity, f"{pins.prefix}_tuser", None)

    def event(self, begin: int, now: int, data: bytes) -> FrameIn:
        """Return the FrameIn; good is tuser on the last beat."""
        return FrameIn(begin, now, self._pins.port, data, self._good(), self._user)

    def _good(self) -> bool:
        return self._tuser is None or high(self._tuser)


class FrameOutMonitor(FrameMonitor):
    """FrameOut of an output stream, and how many beats there were."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self._taken = {False: (0, 0), True: (0, 0)}  # beats and frames: how many, when the last one was
        self._beat_told: Callable[[], None] | None = None

    def taken(self, before: int, frames: bool) -> int:
        """Beats (or ``frames``) accepted before the time ``before`` (ps)."""
        count, latest = self._taken[frames]
        return count - (count > 0 and latest >= before)

    def tell_beat(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once, in the time step in which the next beat is accepted."""
        self._beat_told = callback

    def accepted(self, last: bool, now: int) -> None:
        """Count a beat."""
        for frames in (False, True) if last else (False,):
            self._taken[frames] = (self._taken[frames][0] + 1, now)
        told, self._beat_told = self._beat_told, None
        if told is not None:
            told()

    def event(self, begin: int, now: int, data: bytes) -> FrameOut:
        """Return the FrameOut."""
        return FrameOut(begin, now, self._pins.port, data, self._user)


class MacDriver(FrameDriver):
    """Feeds the receive model of cocotbext-eth; ``given_up()`` is called when a frame was given up."""

    given_up: Callable[[], None]

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.model: LineRateMacRx | None = None

    def setup(self, config: MacConfig, pins: StreamPins) -> None:
        """Take the configuration (called by the agent)."""
        super().setup(config, pins)
        self.gaps = Stalls(config.gaps, config.seed, f"{config.path}/gaps")

    def transmit(self, data: bytes, good: bool, user: tuple[int, ...]) -> None:
        """Queue one frame at the model."""
        assert self.model is not None
        self.model.put(data, good, user)

    def transmit_cut(self, data: bytes, user: tuple[int, ...]) -> None:
        """Queue the beginning of a frame at the model."""
        assert self.model is not None
        self.model.put(data, True, user, self.given_up)

    def start(self) -> None:
        """Build the model at the first release of the reset and send what was queued before."""
        pins = self.pins
        if self.model is None:
            quiet_models(self.config.entity)
            kind = AxiStreamBus if hasattr(self.config.entity, f"{pins.prefix}_tuser") else _HostStreamBus
            bus = kind.from_prefix(self.config.entity, pins.prefix)
            self.model = LineRateMacRx(bus, pins, self.config, self.gaps)
        super().start()

    def abort(self) -> None:
        """Drop all frames and release whoever waits for them."""
        if self.model is not None:
            self.model.clear()
            self.model.bus.tvalid.value = 0
        super().abort()


class MacAgent(FrameAgent):
    """MAC agent whose beats move in Python."""

    def build_input(self, config: MacConfig, pins: StreamPins) -> None:
        """Create monitor and driver of the input."""
        self.monitor_in = FrameInMonitor.create("monitor_in", self)
        self.monitor_in.setup(config.entity, pins, None)
        if self.active():
            self.driver = MacDriver.create("driver", self)
            self.driver.setup(config, pins)
            self.driver.given_up = self.monitor_in.cut
            self.monitor_in.on_frame.append(self.driver.frame_seen)
            self.monitor_in.on_cut.append(self.driver.cut_seen)

    def build_output(self, config: MacConfig, pins: StreamPins) -> None:
        """Create the monitor of the output; when active it drives READY, too."""
        self.monitor_out = FrameOutMonitor.create("monitor_out", self)
        self.monitor_out.setup(config.entity, pins, self._output_stalls(config))
        self.monitor_out.on_frame = self.on_frame_out

    def _output_stalls(self, config: MacConfig) -> Callable[[], int] | None:
        self._stalls: Stalls | None = None
        if not self.active():
            return None
        random_stalls = self._stalls = Stalls(config.stalls, config.seed, f"{config.path}/stalls")
        if not config.speed:
            return random_stalls.draw
        pacer = _LinePacer(config)
        self.monitor_out.on_accept = pacer.take
        return lambda: max(random_stalls.draw(), pacer.stall(now_ps()))

    def hold_output(self) -> None:
        """Keep READY of the output low until :meth:`release_output`."""
        output = self._output()
        output.channel.hold()
        output.held.add("ready")

    def release_output(self) -> None:
        """End :meth:`hold_output`."""
        output = self._output()
        output.channel.release()
        output.held.discard("ready")

    @property
    def generators(self) -> tuple[Stalls, ...]:
        """Gaps of the input, stalls of the output."""
        gaps = self.driver.gaps if isinstance(self.driver, MacDriver) else None
        stalls = self._stalls if self.monitor_out is not None else None
        return tuple(g for g in (gaps, stalls) if g)

    def drive_idle(self) -> None:
        """Input without VALID, output without READY."""
        rx = self.config.rx
        if rx is not None and self.active():
            for suffix in ("tvalid", "tdata", "tkeep", "tlast", "tuser"):
                pin = getattr(self.config.entity, f"{rx.prefix}_{suffix}", None)
                if pin is not None:
                    pin.value = 0
            for name in rx.words:
                getattr(self.config.entity, name).value = 0
        if self.monitor_out is not None:
            self.monitor_out.channel.idle()

    def start(self) -> None:
        """Reset released."""
        for monitor in self.monitors:
            monitor.start()  # type: ignore[attr-defined]
        if self.driver is not None:
            self.driver.start()

    def abort(self) -> None:
        """Reset asserted."""
        for monitor in self.monitors:
            monitor.abort()  # type: ignore[attr-defined]
        if self.driver is not None:
            self.driver.abort()
