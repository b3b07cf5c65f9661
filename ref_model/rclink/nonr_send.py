"""TYPE3, transmit channel: what its descriptors say leaves (sections 2, 11.3 and 14.3)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.events import FrameOut
from ref_model.rclink.config import TYPE3_TX_MAX, Flow
from ref_model.rclink.nonr_status import FAULT_RULES, NonrStatus
from ref_model.rclink.rings import Descriptor

if TYPE_CHECKING:
    from ref_model.memory import SparseMemory
    from ref_model.rclink.nonr_channel import Channel
    from ref_model.rclink.qp import Shared

#: Bytes of a beat: buffers are read in whole ones.
BEAT = 64


@dataclass(slots=True, eq=False)
class Raw:
    """A frame to send: its buffer.

    ``whole``: it begins and ends in its descriptor; what becomes of another is open. ``unread``: an error
    response came in place of some of its bytes, which are open then.
    """

    descriptor: Descriptor
    whole: bool
    unread: bool = False


class RawSender:
    """Frames of fetched descriptors."""

    def __init__(self, shared: Shared, channel: Channel, status: NonrStatus, memory: SparseMemory) -> None:
        self._ctx = shared.ctx
        self._gates = shared.gates
        self._status = status
        self._memory = memory
        self.channel = channel
        self._sending: deque[Raw] = deque()
        self._last_sent: Descriptor | None = None
        self._sent = False  # a frame, since all was quiet

    def restart(self) -> None:
        """Soft reset."""
        self.channel.restart()
        self._sending.clear()
        self._last_sent = None

    def expect(self) -> None:
        """A frame is owed while one is posted and the channel runs."""
        channel = self.channel
        owed = channel.running and channel.ring.done < channel.ring.head
        self._gates.backlog(Flow.TYPE3, owed)

    def fetched(self, descriptor: Descriptor) -> None:
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
            self.channel.stop(FAULT_RULES[fault])
            self._status.fault(fault)
            self.expect()
            return
        self._sending.append(Raw(descriptor, descriptor.first and descriptor.last))

    def buffer_read(self, addr: int, size: int) -> None:
        """Judge a read of ``size`` bytes at ``addr``: it is for a frame to send."""
        if not any(_covers(raw.descriptor, addr, size) for raw in self._sending):
            rules, why = self._ctx.rules, "buffers of fetched descriptors"
            rules.fail(self.channel.unasked, "a buffer to send", addr, why, self._ctx.client)

    def buffer_unread(self, addr: int, size: int) -> None:
        """An error response came for that read: the bytes are open."""
        for raw in self._sending:
            raw.unread = raw.unread or _covers(raw.descriptor, addr, size)

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
        return self._memory.read(raw.descriptor.addr, raw.descriptor.data_size)

    def sent(self, event: FrameOut) -> bool:
        """Judge that a raw frame leaves."""
        ctx = self._ctx
        raw = self._next(event.data)
        if raw is None:
            why = "no descriptor was fetched for it"
            ctx.rules.fail(self.channel.unasked, "no frame", event.data, why, ctx.mac)
            return False
        while self._sending.popleft() is not raw:
            self.channel.ring.done += 1
        good = self._is(raw, event.data)
        if raw.unread and good:
            ctx.rules.met("RCL-024", "length of a raw frame", ctx.mac, sure=False)
        else:
            ctx.rules.eq("RCL-024", self._bytes(raw), event.data, "bytes of a raw frame", ctx.mac)
        self.channel.ring.done += 1
        self._sent = True
        ctx.rules.met("RCL-108", "descriptors in order", ctx.mac)
        self.channel.worked()
        self.channel.moved()
        self.expect()
        return good

    @property
    def missing(self) -> tuple[str, str]:
        """Rule and words of a frame that is posted and does not leave."""
        return "RCL-117" if self.channel.again else "RCL-108", "a TYPE3 frame"

    def quiet(self) -> None:
        """Nothing moves any more."""
        if self._sent:
            self._sent = False
            why = "transmit descriptors stay as they are: a change would have been a write"
            self._ctx.rules.met("RCL-110/tx", why, self._ctx.client)
        self.channel.ring.quiet()


def _covers(descriptor: Descriptor, addr: int, size: int) -> bool:
    """Return whether a read of ``size`` bytes at ``addr`` lies in the aligned cover of a buffer."""
    first = descriptor.addr & -BEAT
    stop = -(-(descriptor.addr + descriptor.data_size) // BEAT) * BEAT
    return first <= addr and addr + size <= stop
