"""TYPE3, receive channel: which bytes get where, what descriptors tell (sections 2, 11.4 and 14.3)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ref_model.events import FrameIn, MemWrite
from ref_model.rclink.nonr_status import FAULT_RULES, RX_EMPTY, NonrStatus
from ref_model.rclink.rings import MD_BYTES, Descriptor

if TYPE_CHECKING:
    from ref_model.deadlines import Must
    from ref_model.rclink.context import Context
    from ref_model.rclink.nonr_channel import Channel

#: Bytes by which a frame is known again.
START = 64
RX_FIFO = 8192
CRC_ERROR, LENGTH_ERROR = 1, 2


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


class RawReceiver:
    """Frames that came, and the buffers they go to."""

    def __init__(self, ctx: Context, channel: Channel, status: NonrStatus) -> None:
        self._ctx = ctx
        self._status = status
        self.channel = channel
        self._rx_max = int(ctx.knobs["T3_RX_MAX"])
        self._frames: deque[Received] = deque()
        self._buffers: deque[tuple[int, Descriptor]] = deque()
        self._chunks: deque[Chunk] = deque()
        self._waiting_bytes = 0

    def restart(self) -> None:
        """Soft reset."""
        self.channel.restart()
        for chunk in self._chunks:
            self._ctx.deadlines.void(chunk.duty)
        self.void_frames()
        self._chunks.clear()
        self._buffers.clear()
        self._frames.clear()
        self._waiting_bytes = 0

    def void_frames(self) -> None:
        """Frames that wait are not owed any more."""
        for frame in self._frames:
            self._ctx.deadlines.void(frame.duty)

    @property
    def filling(self) -> bool:
        """Descriptors are to be written back."""
        return bool(self._chunks)

    @property
    def holds(self) -> bool:
        """Whether a frame is in the channel, be it for want of a descriptor or behind a fault."""
        return bool(self._chunks or self._frames)

    def received(self, event: FrameIn, error: int, rule: str) -> None:
        """A raw frame came from the MAC; ``rule`` says that it belongs here."""
        if not self.channel.running:
            return
        if len(event.data) > self._rx_max:
            self.channel.stop(FAULT_RULES[8])
            self.void_frames()
            self._status.fault(8)
            self._ctx.rules.tempt("RCL-113", "type3")
            return
        self._waiting_bytes += len(event.data)
        if self._waiting_bytes > RX_FIFO:
            self._status.fault(0, sure=False)
            self._ctx.rules.inconclusive("more raw frames than the receive FIFO holds")
        ring = self.channel.ring
        if ring.done == ring.head:
            self._status.event(RX_EMPTY)
        duty = None
        if ring.done < ring.head:
            what, why = f"{len(event.data)} bytes in memory", "a frame that belongs to TYPE3"
            duty = self._ctx.deadlines.must(rule, what, why, self._ctx.client, self._ctx.liveness())
        self._frames.append(Received(event.data, error, duty, rule))
        self._assign()

    def fetched(self, position: int, descriptor: Descriptor) -> None:
        """A descriptor of the receive ring is known."""
        if descriptor.buffer_size == 0:
            self.channel.stop(FAULT_RULES[10])
            self.void_frames()
            self._status.fault(10)
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
            ctx.deadlines.meet(frame.duty)
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

    def filled(self, event: MemWrite) -> None:
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
        rules.fail(self.channel.unasked, "a posted buffer", event.addr, "no frame for this place", scope)

    def _begins_later(self, data: bytes, missed: Chunk) -> bool:
        """Return whether ``data`` begins another frame than that of ``missed``."""
        others = [chunk.data for chunk in self._chunks if chunk is not missed and chunk.first]
        others += [frame.data for frame in self._frames]
        return any(other[:START] == data[:START] for other in others)

    def written_back(self, start: int, data: bytes, settled: int) -> None:
        """Judge the write-back of the descriptor at ``start``."""
        ring = self.channel.ring
        if not self._chunks or ring.base + self._chunks[0].position % ring.size * MD_BYTES != start:
            rules, why = self._ctx.rules, "descriptors are written in order"
            rules.fail(self.channel.unasked, "the descriptor in use", start, why, self._ctx.client)
            return
        self._complete(self._chunks.popleft(), data, settled)

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
        self.channel.ring.done += 1
        self.channel.worked()
        self.channel.moved()
