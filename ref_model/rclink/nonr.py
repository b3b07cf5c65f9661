"""TYPE3: raw Ethernet by descriptors in memory (sections 2, 11.3, 11.4, 12.3 and 14.3).

Descriptors and buffers are what the bus returned or what memory holds; the DUT is followed by its accesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.events import HostWrite, MemRead, MemWrite
from ref_model.memory import SparseMemory
from ref_model.rclink import ports
from ref_model.rclink.nonr_channel import UNASKED, Channel
from ref_model.rclink.nonr_receive import RawReceiver
from ref_model.rclink.nonr_send import RawSender
from ref_model.rclink.nonr_status import NonrStatus
from ref_model.rclink.rings import MD_BYTES, WRITTEN_BYTES, Descriptor

if TYPE_CHECKING:
    from ref_model.rclink.qp import Shared

PAGE = 4096
TX_BURST, RX_BURST = 256, 512
#: Faults of a descriptor by its sizes.
SIZE_FAULTS = {"TX": (7, 9), "RX": (10,)}


class RawEthernet:
    """Both channels of TYPE3: their registers, and the memory ports they share."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._ctx = shared.ctx
        self._values = shared.values
        self.status = NonrStatus(self._ctx, self._values)
        self.memory = SparseMemory()
        self.reset()

    def reset(self) -> None:
        """Channels stopped; memory stays."""
        tx, rx = (Channel(kind, self._ctx, self._values, self.status) for kind in ("TX", "RX"))
        self._channels = (tx, rx)
        self.tx = RawSender(self._shared, tx, self.status, self.memory)
        self.rx = RawReceiver(self._ctx, rx, self.status)
        self._md_until = 0
        self._md_begin = 0
        self._under_way: dict[tuple[str, type], int] = {}  # until when (ps), by port and direction
        self.status.reset()

    # -- registers --------------------------------------------------------------------------------

    def write(self, name: str, data: int) -> bool:
        """A write to a status register; returns whether it was one."""
        if name not in ("DMA_INTR_ST0", "DMA_INTR_ST1"):
            return False
        self.status.clear(name, data)
        return True

    def configured(self, name: str) -> None:
        """A register was written: follow rings, enables and resets."""
        for channel in self._channels:
            channel.configured(name)
        if name == "NONR_DMA_CTRL":
            for part in (self.tx, self.rx):
                if self._values.get(name, f"{part.channel.kind.lower()}_reset"):
                    part.restart()
                    self.tx.expect()
        self.tx.expect()

    def read(self, name: str, data: int) -> bool:
        """Judge a read of a register that the channels move; returns whether it was one."""
        if name in ("DMA_INTR_ST0", "DMA_INTR_ST1"):
            self.status.read(name, data)
            return True
        for channel in self._channels:
            if name == f"{channel.kind}_MD_TAIL_PTR":
                channel.read_tail(name, data)
                return True
        return False

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
            self.tx.buffer_unread(event.addr, len(event.data))
            return
        self.tx.buffer_read(event.addr, len(event.data))

    def _unread(self, addr: int) -> None:
        """A descriptor was not read: what its channel takes it for is open until the soft reset."""
        for channel in self._channels:
            if channel.ring.contains(addr):
                channel.stop(UNASKED[channel.kind])
                for fault in SIZE_FAULTS[channel.kind]:
                    self.status.fault(fault, sure=False)
        if self.rx.channel.stopped:
            self.rx.void_frames()
        self.tx.expect()

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
        for channel in self._channels:
            kind, ring = channel.kind, channel.ring
            position = ring.position(addr)
            if position is None:
                continue
            rule = UNASKED[kind]
            why = f"descriptors of the {kind} ring in order"
            if position > ring.fetched:
                self._ctx.rules.fail(
                    rule, f"entry {ring.fetched % ring.size}", position, why, self._ctx.client
                )
            elif position == ring.fetched:
                self._ctx.rules.met(rule, why, self._ctx.client)
                ring.fetched += 1
                descriptor = Descriptor.of(data)
                if kind == "TX":
                    self.tx.fetched(descriptor)
                else:
                    self.rx.fetched(position, descriptor)
            return
        owner = next((channel for channel in self._channels if channel.ring.contains(addr)), None)
        if owner is None or owner.running:
            why = "only descriptors between tail and head are read"
            rule = UNASKED[owner.kind if owner is not None else "TX"]
            self._ctx.rules.fail(rule, "a posted descriptor", addr, why, self._ctx.client)

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
            self.rx.filled(event)
        self.memory.write_masked(event.addr, event.data, event.mask)

    def _written_back(self, event: MemWrite) -> None:
        """A descriptor is written back."""
        rules, scope = self._ctx.rules, self._ctx.client
        strobed = [index for index, strobe in enumerate(event.mask) if strobe]
        addr = event.addr + (strobed[0] if strobed else 0)
        tx, rx = self.tx.channel.ring, self.rx.channel.ring
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
        self.rx.written_back(start, data, event.settled)

    # -- status -----------------------------------------------------------------------------------

    def message(self, info: int) -> None:
        """An MSI message of type 3."""
        self.status.message(info, (self.rx.channel.ring.tails, self.tx.channel.ring.tails))

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
        if self.tx.pending and self.tx.channel.running:
            return "raw frames to send"
        return "descriptors to write back" if self.rx.filling else ""

    @property
    def holds(self) -> bool:
        """Whether a frame is in a channel, be it for want of a descriptor or behind a fault."""
        return self.tx.pending or self.rx.holds

    def quiet(self) -> None:
        """Nothing moves any more."""
        self.status.quiet()
        self.tx.quiet()
        self.rx.channel.ring.quiet()
