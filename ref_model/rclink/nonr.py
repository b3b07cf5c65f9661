"""TYPE3: raw Ethernet by descriptors in memory (sections 2, 11.3, 11.4, 12.3 and 14.3).

Descriptors and buffers are what the bus returned or what memory holds; the DUT is followed by its accesses.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.events import FrameIn, FrameOut, HostWrite, MemRead, MemWrite, RegRead, RegWrite
from ref_model.memory import SparseMemory
from ref_model.rclink import ports
from ref_model.rclink.config import TYPE3_TX_MAX, Flow
from ref_model.rclink.nonr_status import FAULT_RULES, RX_EMPTY, RX_TAIL, TX_EMPTY, TX_TAIL, NonrStatus
from ref_model.rclink.rings import INDEX_MASK, MD_BYTES, WRITTEN_BYTES, Descriptor, Ring

if TYPE_CHECKING:
    from ref_model.rclink.qp import Shared

PAGE = 4096
BEAT = 64
TX_BURST, RX_BURST = 256, 512
RX_FIFO = 8192
CRC_ERROR, LENGTH_ERROR = 1, 2
RINGS = ("TX", "RX")
#: Rule of what a channel does unasked, while no fault has stopped it.
UNASKED = {"TX": "RCL-108", "RX": "RCL-109"}
#: Faults of a descriptor by its sizes.
SIZE_FAULTS = {"TX": (7, 9), "RX": (10,)}


@dataclass(slots=True, eq=False)
class Raw:
    """A frame to send: its buffer.

    ``whole``: it begins and ends in its descriptor; what becomes of another is open. ``unread``: an error
    response came in place of some of its bytes, which are open then.
    """

    descriptor: Descriptor
    whole: bool
    unread: bool = False


@dataclass(slots=True, eq=False)
class Chunk:
    """What one receive descriptor gets.

    ``rule`` sends its frame here; ``answered``: when the last write of its bytes was.
    """

    position: int
    buffer: int
    data: bytes
    first: bool
    last: bool
    error: int
    duty: Must
    rule: str
    missing: set[int] = field(default_factory=set)
    answered: int = 0


@dataclass(slots=True, eq=False)
class Received:
    """A frame for the receive ring; ``at`` bytes have been assigned to descriptors."""

    data: bytes
    error: int
    duty: Must | None
    rule: str  #: sends it here
    at: int = 0


class RawEthernet:
    """Both channels of TYPE3."""

    def __init__(self, shared: Shared) -> None:
        self._ctx = shared.ctx
        self._values = shared.values
        self._gates = shared.gates
        self.status = NonrStatus(self._ctx, self._values)
        self.memory = SparseMemory()
        self._rx_max = int(self._ctx.knobs["T3_RX_MAX"])
        self.reset()

    def reset(self) -> None:
        """Channels stopped; memory stays."""
        self._rings = {name: Ring() for name in RINGS}
        self._stopped = dict.fromkeys(RINGS, False)
        self._used = dict.fromkeys(RINGS, False)  # it has worked, or met a fault
        self._again = dict.fromkeys(RINGS, False)  # a soft reset came after that
        self._sending: deque[Raw] = deque()
        self._last_sent: Descriptor | None = None
        self._sent = False  # a frame, since all was quiet
        self._fault_rule = dict(UNASKED)  # of the fault that stopped a channel
        self._frames: deque[Received] = deque()
        self._buffers: deque[tuple[int, Descriptor]] = deque()
        self._chunks: deque[Chunk] = deque()
        self._waiting_bytes = 0
        self._md_until = 0
        self._md_begin = 0
        self._under_way: dict[tuple[str, type], int] = {}  # until when (ps), by port and direction
        self.status.reset()

    # -- registers --------------------------------------------------------------------------------

    def write(self, name: str, data: int, event: RegWrite) -> bool:
        """A write to a status register; returns whether it was one."""
        if name not in ("DMA_INTR_ST0", "DMA_INTR_ST1"):
            return False
        self.status.clear(name, data)
        return True

    def configured(self, name: str, event: RegWrite) -> None:
        """A register was written: follow rings, enables and resets."""
        for kind in RINGS:
            ring = self._rings[kind]
            if name in (f"{kind}_MDQ_BA", f"{kind}_MDQ_SIZE"):
                ring.base = self._values.word(f"{kind}_MDQ_BA")
                ring.size = self._values.get(f"{kind}_MDQ_SIZE", f"{kind.lower()}_mdq_size")
            elif name == f"{kind}_MD_HEAD_PTR":
                ring.post(self._values.word(name))
        if name == "NONR_DMA_CTRL":
            for kind in RINGS:
                if self._values.get(name, f"{kind.lower()}_reset"):
                    self._soft_reset(kind)
        self._expect()

    def _soft_reset(self, kind: str) -> None:
        self._rings[kind].restart()
        self._again[kind] = self._again[kind] or self._used[kind] or self._stopped[kind]
        self._stopped[kind] = False
        if kind == "TX":
            self._sending.clear()
            self._last_sent = None
        else:
            for chunk in self._chunks:
                self._ctx.deadlines.void(chunk.duty)
            self._void_frames()
            self._chunks.clear()
            self._buffers.clear()
            self._frames.clear()
        self._expect()

    def _void_frames(self) -> None:
        """Frames that wait are not owed any more."""
        for frame in self._frames:
            self._ctx.deadlines.void(frame.duty)

    def _stop(self, kind: str, rule: str) -> None:
        """A channel stands still until its soft reset; ``rule``: what it breaks if it goes on."""
        self._stopped[kind] = True
        self._fault_rule[kind] = rule

    def _unasked(self, kind: str) -> str:
        """Rule of what a channel does and should not."""
        return self._fault_rule[kind] if self._stopped[kind] else UNASKED[kind]

    def _running(self, kind: str) -> bool:
        name = kind.lower()
        return bool(
            self._values.get("NONR_DMA_CTRL", f"{name}_en")
            and not self._values.get("NONR_DMA_CTRL", f"{name}_reset")
            and not self._stopped[kind]
        )

    def _expect(self) -> None:
        """A frame is owed while one is posted and the channel runs."""
        ring = self._rings["TX"]
        self._gates.backlog(Flow.TYPE3, self._running("TX") and ring.done < ring.head)

    def read(self, name: str, event: RegRead) -> bool:
        """Judge a read of a register that the channels move; returns whether it was one."""
        ctx = self._ctx
        if name in ("DMA_INTR_ST0", "DMA_INTR_ST1"):
            self.status.read(name, event.data)
            return True
        if name not in ("TX_MD_TAIL_PTR", "RX_MD_TAIL_PTR"):
            return False
        ring = self._rings[name[:2]]
        rule = "RCL-108" if name[0] == "T" else "RCL-109"
        rule = "RCL-117" if self._again[name[:2]] else rule
        seen = event.data & INDEX_MASK
        if ctx.quiet:
            ctx.rules.eq(rule, ring.tail, seen, f"{name} at rest", ctx.client)
        elif ring.size:
            ahead, most = ring.look(seen)
            ctx.rules.in_range(rule, 0, most, ahead, name, ctx.client, sure=False)
        return True

    # -- memory -----------------------------------------------------------------------------------

    def host_write(self, event: HostWrite) -> None:
        """The host wrote memory."""
        self.memory.write(event.addr, event.data)

    def memory_read(self, event: MemRead) -> None:
        """The DUT read memory."""
        rules, scope = self._ctx.rules, self._ctx.client
        self._beside_others(event)
        if event.port == ports.MD:
            self._md_access(event.begin, event.settled)
            if event.resp:
                self.status.fault(3)
                self._unread(event.addr)
                return
            size = len(event.data)
            rules.one_of("RCL-111", {16, 32}, size, "bytes of a descriptor read", scope)
            for offset in range(0, size, MD_BYTES):
                self._fetched(event.addr + offset, event.data[offset : offset + MD_BYTES])
            return
        self._burst(event.addr, len(event.data), TX_BURST)
        if event.resp:
            self.status.fault(4)
            for raw in self._sending:
                raw.unread = raw.unread or _covers(raw.descriptor, event.addr, len(event.data))
            return
        if not any(_covers(raw.descriptor, event.addr, len(event.data)) for raw in self._sending):
            why = "buffers of fetched descriptors"
            rules.fail(self._unasked("TX"), "a buffer to send", event.addr, why, scope)

    def _unread(self, addr: int) -> None:
        """A descriptor was not read: what its channel takes it for is open until the soft reset."""
        for kind, ring in self._rings.items():
            if ring.contains(addr):
                self._stop(kind, UNASKED[kind])
                for fault in SIZE_FAULTS[kind]:
                    self.status.fault(fault, sure=False)
        if self._stopped["RX"]:
            self._void_frames()
        self._expect()

    def _burst(self, addr: int, size: int, limit: int) -> None:
        rules, scope = self._ctx.rules, self._ctx.client
        if size > limit:
            rules.fail("RCL-111", f"at most {limit} bytes", size, "length of a burst", scope)
        elif size and addr // PAGE != (addr + size - 1) // PAGE:
            rules.fail("RCL-111", "no 4 KB border inside", addr, "address of a burst", scope)
        else:
            rules.met("RCL-111", "length and address of a burst", scope)

    def _beside_others(self, event: MemRead | MemWrite) -> None:
        """Accesses under way at once are evidence that their ids differ: the same id is an event."""
        key = (event.port, type(event))
        until = self._under_way.get(key, 0)
        if event.begin < until:
            self._ctx.rules.passed(("RCL-112",), self._ctx.client)
        self._under_way[key] = max(until, event.settled)

    def _md_access(self, begin: int, settled: int) -> None:
        self._md_begin = begin
        self._md_until = max(self._md_until, settled)

    def _fetched(self, addr: int, data: bytes) -> None:
        """One descriptor was read."""
        for kind, ring in self._rings.items():
            position = ring.position(addr)
            if position is None:
                continue
            rule = "RCL-108" if kind == "TX" else "RCL-109"
            why = f"descriptors of the {kind} ring in order"
            if position > ring.fetched:
                self._ctx.rules.fail(
                    rule, f"entry {ring.fetched % ring.size}", position, why, self._ctx.client
                )
            elif position == ring.fetched:
                self._ctx.rules.met(rule, why, self._ctx.client)
                ring.fetched += 1
                descriptor = Descriptor.of(data)
                (self._to_send if kind == "TX" else self._to_fill)(position, descriptor)
            return
        ring_of = next((kind for kind, ring in self._rings.items() if ring.contains(addr)), None)
        if ring_of is None or self._running(ring_of):
            why = "only descriptors between tail and head are read"
            self._ctx.rules.fail("RCL-108", "a posted descriptor", addr, why, self._ctx.client)

    # -- sending ----------------------------------------------------------------------------------

    def _to_send(self, position: int, descriptor: Descriptor) -> None:
        """A descriptor of the transmit ring is known."""
        before, self._last_sent = self._last_sent, descriptor
        fault = None
        if descriptor.data_size == 0:
            fault = 9
        elif descriptor.data_size > TYPE3_TX_MAX:
            fault = 7
        elif before is not None and before.starts_only and descriptor.starts_only:
            fault = 5
        elif before is not None and before.ends_only and descriptor.ends_only:
            fault = 6
        if fault is not None:
            self._stop("TX", FAULT_RULES[fault])
            self.status.fault(fault)
            self._expect()
            return
        self._sending.append(Raw(descriptor, descriptor.first and descriptor.last))

    @property
    def pending(self) -> bool:
        """Raw frames are to be sent."""
        return bool(self._sending)

    def expects(self, data: bytes) -> bool:
        """Return whether ``data`` is the next raw frame."""
        raw = self._next(data)
        return raw is not None and self._is(raw, data)

    def _next(self, data: bytes) -> Raw | None:
        """The frame ``data`` is taken for: one that must leave, or one before it that may."""
        for raw in self._sending:
            if raw.whole or self._is(raw, data):
                return raw
        return None

    def _is(self, raw: Raw, data: bytes) -> bool:
        return len(data) == raw.descriptor.data_size if raw.unread else data == self._bytes(raw)

    def _bytes(self, raw: Raw) -> bytes:
        return self.memory.read(raw.descriptor.addr, raw.descriptor.data_size)

    def sent(self, event: FrameOut) -> bool:
        """Judge that a raw frame leaves."""
        ctx = self._ctx
        raw = self._next(event.data)
        if raw is None:
            why = "no descriptor was fetched for it"
            ctx.rules.fail(self._unasked("TX"), "no frame", event.data, why, ctx.mac)
            return False
        while self._sending.popleft() is not raw:
            self._rings["TX"].done += 1
        good = self._is(raw, event.data)
        if raw.unread and good:
            ctx.rules.met("RCL-024", "length of a raw frame", ctx.mac, sure=False)
        else:
            ctx.rules.eq("RCL-024", self._bytes(raw), event.data, "bytes of a raw frame", ctx.mac)
        self._rings["TX"].done += 1
        self._sent = True
        ctx.rules.met("RCL-108", "descriptors in order", ctx.mac)
        self._worked("TX")
        self._moved("TX")
        self._expect()
        return good

    def _worked(self, kind: str) -> None:
        """A channel finished a frame."""
        self._used[kind] = True
        if self._again[kind]:
            self._again[kind] = False
            self._ctx.rules.met("RCL-117", "a channel works after its soft reset", self._ctx.client)

    @property
    def missing(self) -> tuple[str, str]:
        """Rule and words of a frame that is posted and does not leave."""
        return "RCL-117" if self._again["TX"] else "RCL-108", "a TYPE3 frame"

    def _moved(self, kind: str) -> None:
        """The tail of a ring moved: tail-up and ring-empty events."""
        ring = self._rings[kind]
        name = kind.lower()
        if ring.tail == self._values.get("TAIL_UP_CFG", f"{name}_tail_up_val") & INDEX_MASK:
            self.status.event(TX_TAIL if kind == "TX" else RX_TAIL)
        if ring.done == ring.head:
            self.status.event(TX_EMPTY if kind == "TX" else RX_EMPTY, sure=kind == "TX")

    # -- receiving --------------------------------------------------------------------------------

    def received(self, event: FrameIn, error: int, rule: str) -> None:
        """A raw frame came from the MAC; ``rule`` says that it belongs here."""
        if not self._running("RX"):
            return
        if len(event.data) > self._rx_max:
            self._stop("RX", FAULT_RULES[8])
            self._void_frames()
            self.status.fault(8)
            self._ctx.rules.tempt("RCL-113", "type3")
            return
        self._waiting_bytes += len(event.data)
        if self._waiting_bytes > RX_FIFO:
            self.status.fault(0, sure=False)
            self._ctx.rules.inconclusive("more raw frames than the receive FIFO holds")
        ring = self._rings["RX"]
        if ring.done == ring.head:
            self.status.event(RX_EMPTY)
        duty = None
        if ring.done < ring.head:
            what, why = f"{len(event.data)} bytes in memory", "a frame that belongs to TYPE3"
            duty = self._ctx.deadlines.must(rule, what, why, self._ctx.client, self._ctx.liveness())
        self._frames.append(Received(event.data, error, duty, rule))
        self._assign()

    def _to_fill(self, position: int, descriptor: Descriptor) -> None:
        """A descriptor of the receive ring is known."""
        if descriptor.buffer_size == 0:
            self._stop("RX", FAULT_RULES[10])
            self._void_frames()
            self.status.fault(10)
            return
        self._buffers.append((position, descriptor))
        self._assign()

    def _assign(self) -> None:
        """Give the bytes of waiting frames to the buffers that are known."""
        ctx = self._ctx
        while self._frames and self._buffers:
            frame = self._frames[0]
            position, descriptor = self._buffers.popleft()
            data = frame.data[frame.at : frame.at + descriptor.buffer_size]
            first = frame.at == 0
            self._ctx.deadlines.meet(frame.duty)
            frame.at += len(data)
            last = frame.at >= len(frame.data)
            what, why = f"descriptor {position} with {len(data)} bytes", "a raw frame came"
            duty = ctx.deadlines.must("RCL-109", what, why, ctx.client, ctx.liveness())
            error = frame.error if last else 0
            chunk = Chunk(position, descriptor.addr, data, first, last, error, duty, frame.rule)
            chunk.missing.update(range(len(data)))
            self._chunks.append(chunk)
            if last:
                self._frames.popleft()
                self._waiting_bytes -= len(frame.data)

    def memory_write(self, event: MemWrite) -> None:
        """The DUT wrote memory."""
        self._beside_others(event)
        if event.port == ports.MD:
            self._md_access(event.begin, event.settled)
            if event.resp:
                self.status.fault(2)
            self._written_back(event)
        else:
            self._burst(event.addr, len(event.data), RX_BURST)
            if event.resp:
                self.status.fault(4)
            self._filled(event)
        self.memory.write_masked(event.addr, event.data, event.mask)

    def _filled(self, event: MemWrite) -> None:
        """Bytes of received frames: each where its descriptor says, and right."""
        rules, scope = self._ctx.rules, self._ctx.client
        for chunk in self._chunks:
            offset = event.addr - chunk.buffer
            if not 0 <= offset < len(chunk.data):
                continue
            chunk.answered = max(chunk.answered, event.settled)
            for index, strobe in enumerate(event.mask):
                at = offset + index
                if not strobe:
                    continue
                if at >= len(chunk.data) or chunk.data[at] != event.data[index]:
                    expected = chunk.data[offset : offset + len(event.data)]
                    left_out = chunk.first and self._begins_later(event.data, chunk)
                    rule = chunk.rule if left_out else "RCL-109"
                    rules.fail(rule, expected, event.data, "bytes of a received frame", scope)
                    return
                chunk.missing.discard(at)
            rules.met("RCL-109", "bytes of a received frame", scope)
            return
        rules.fail(self._unasked("RX"), "a posted buffer", event.addr, "no frame for this place", scope)

    def _begins_later(self, data: bytes, missed: Chunk) -> bool:
        """Return whether ``data`` begins another frame than that of ``missed``."""
        others = [chunk.data for chunk in self._chunks if chunk is not missed and chunk.first]
        others += [frame.data for frame in self._frames]
        return any(other[:BEAT] == data[:BEAT] for other in others)

    def _written_back(self, event: MemWrite) -> None:
        """A descriptor is written back."""
        rules, scope = self._ctx.rules, self._ctx.client
        strobed = [index for index, strobe in enumerate(event.mask) if strobe]
        addr = event.addr + (strobed[0] if strobed else 0)
        tx, rx = self._rings["TX"], self._rings["RX"]
        part = "tx" if tx.contains(addr) else "rx"
        if not (tx.contains(addr) or rx.contains(addr)):
            rules.fail("RCL-110/rx", "a descriptor", event.addr, "only descriptors are written back", scope)
            return
        start = addr - (addr - (tx if part == "tx" else rx).base) % MD_BYTES
        wanted = list(range(start - event.addr, start - event.addr + WRITTEN_BYTES))
        what = "strobes of a write-back"
        if not rules.eq(f"RCL-110/{part}", wanted, strobed, what, scope):
            return
        data = bytes(event.data[index] for index in strobed)
        if part == "tx":
            old = self.memory.read(start, WRITTEN_BYTES)
            rules.eq("RCL-110/tx", old, data, "a transmit descriptor stays as it is", scope)
            return
        if not self._chunks or rx.base + self._chunks[0].position % rx.size * MD_BYTES != start:
            why = "descriptors are written in order"
            rules.fail(self._unasked("RX"), "the descriptor in use", start, why, scope)
            return
        self._complete(self._chunks.popleft(), data, event.settled)

    def _complete(self, chunk: Chunk, data: bytes, settled: int) -> None:
        """Judge what a receive descriptor says."""
        ctx, rules = self._ctx, self._ctx.rules
        why = "a descriptor is written after its data"
        if chunk.missing:
            rules.fail("RCL-109", "all bytes in memory", f"{len(chunk.missing)} missing", why, ctx.client)
        elif settled < chunk.answered:
            rules.fail("RCL-109", f"not before {chunk.answered} ps", f"{settled} ps", why, ctx.client)
        seen = Descriptor.of(data.ljust(MD_BYTES, b"\0"))
        for name, expected in (
            ("data_size", len(chunk.data)),
            ("first", chunk.first),
            ("last", chunk.last),
            ("crc_error", bool(chunk.error & CRC_ERROR)),
            ("length_error", bool(chunk.error & LENGTH_ERROR)),
        ):
            rules.eq("RCL-109", expected, getattr(seen, name), f"{name} of a receive descriptor", ctx.client)
        ctx.deadlines.meet(chunk.duty)
        rules.alive("type3")
        self._rings["RX"].done += 1
        self._worked("RX")
        self._moved("RX")

    # -- status -----------------------------------------------------------------------------------

    def message(self, info: int) -> None:
        """An MSI message of type 3."""
        self.status.message(info, (self._rings["RX"].tails, self._rings["TX"].tails))

    def interrupt(self, port: str, value: int, now: int) -> None:
        """An edge of NONR_INTR_O or NONR_FAULT_INTR_O."""
        self.status.interrupt(port, value)

    def busy_level(self, value: int, now: int) -> None:
        """Judge an edge of NONR_MD_AXI_BUSY_O."""
        ctx = self._ctx
        slack = ctx.timing.settle + ctx.timing.pipe_out
        if not value and self._md_begin + slack < now < self._md_until:
            why = "a descriptor access is outstanding"
            ctx.rules.fail("RCL-137", "NONR_MD_AXI_BUSY_O = 1", value, why, ctx.client)
        else:
            ctx.rules.met("RCL-137", "edge of NONR_MD_AXI_BUSY_O", ctx.client)

    def busy(self) -> str:
        """Return what is still under way, or an empty string."""
        if self._sending and self._running("TX"):
            return "raw frames to send"
        return "descriptors to write back" if self._chunks else ""

    @property
    def holds(self) -> bool:
        """Whether a frame is in a channel, be it for want of a descriptor or behind a fault."""
        return bool(self._sending or self._chunks or self._frames)

    def quiet(self) -> None:
        """Nothing moves any more."""
        self.status.quiet()
        if self._sent:
            self._sent = False
            why = "transmit descriptors stay as they are: a change would have been a write"
            self._ctx.rules.met("RCL-110/tx", why, self._ctx.client)
        for ring in self._rings.values():
            ring.quiet()


def _covers(descriptor: Descriptor, addr: int, size: int) -> bool:
    """Return whether a read of ``size`` bytes at ``addr`` lies in the aligned cover of a buffer."""
    first = descriptor.addr & -BEAT
    stop = -(-(descriptor.addr + descriptor.data_size) // BEAT) * BEAT
    return first <= addr and addr + size <= stop
