"""TYPE3 rings of an RCLINK: descriptors of 16 bytes in host memory, buffers, head and tail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.errors import UserError
from tb.host.placement import Memory

if TYPE_CHECKING:
    from tb.host.rclink import RclinkHost

ENTRY = 16
START, LAST = 1 << 20, 1 << 21  # SF, LF


def descriptor(addr: int, size: int, data_size: int = 0, flags: int = 0) -> bytes:
    """Descriptor, little-endian: data size [19:4], SF [20], LF [21], buffer size [63:48], address above."""
    return (data_size << 4 | flags | size << 48 | addr << 64).to_bytes(ENTRY, "little")


@dataclass(slots=True)
class _Ring:
    """One direction: place and entries of the ring, next entry to fill."""

    prefix: str
    base: int = 0
    entries: int = 0
    head: int = 0


class Type3Rings:
    """Both rings; used by the host."""

    def __init__(self, host: RclinkHost, memory: Memory) -> None:
        self._host = host
        self._memory = memory
        self.forget()

    def forget(self) -> None:
        """The channels are in reset."""
        self._rings = {name: _Ring(name) for name in ("tx", "rx")}

    async def open(self, tx_entries: int = 0, rx_entries: int = 0) -> None:
        """Place the rings that have entries, set static registers, enable, release from reset (flow I6)."""
        control: dict[str, int] = {}
        for name, entries in (("tx", tx_entries), ("rx", rx_entries)):
            if not entries:
                continue
            ring = self._rings[name] = _Ring(
                name, self._memory.alloc(ENTRY * entries, 64, f"{name} ring"), entries
            )
            await self._host.set(f"{name.upper()}_MDQ_SIZE", **{f"{name}_mdq_size": entries})
            await self._host.set(f"{name.upper()}_MDQ_BA", **{f"{name}_mdq_ba": ring.base})
            await self._host.set(f"{name.upper()}_MD_HEAD_PTR", **{f"{name}_md_head_ptr": 0})
            control |= {f"{name}_en": 1, f"{name}_reset": 0}
        await self._host.set("NONR_DMA_CTRL", **control)

    async def post_send(self, frame: bytes, offset: int = 0, align: int = 64) -> None:
        """Put a frame into memory, ``offset`` past a multiple of ``align``, its descriptor into the ring."""
        addr = self._memory.alloc(len(frame) + offset, align, "type3 tx") + offset
        self._memory.write(addr, frame)
        await self.post("tx", descriptor(addr, len(frame), len(frame), START | LAST))

    async def post_receive(self, size: int) -> int:
        """Give the device a buffer of ``size`` bytes (a multiple of 64); returns its address."""
        if size % 64 or not 0 < size < 1 << 16:
            raise UserError(f"receive buffer of {size} bytes, allowed are multiples of 64 below 65536")
        addr = self._memory.alloc(size, 64, "type3 rx")
        await self.post("rx", descriptor(addr, size))
        return addr

    async def post(self, name: str, entry: bytes) -> None:
        """Put a descriptor, legal or not, into ring ``name`` once there is room."""
        ring = self._rings[name]
        if not ring.entries:
            raise UserError(f"type3 {name}: the ring is not open")
        following = (ring.head + 1) % ring.entries

        async def room() -> bool:
            return await self.tail(name) != following

        await self._host.wait_until(room, f"room in the {name} ring")
        self._memory.write(ring.base + ENTRY * ring.head, entry)
        ring.head = following
        await self._host.set(f"{name.upper()}_MD_HEAD_PTR", **{f"{name}_md_head_ptr": following})

    async def soft_reset(self, name: str) -> None:
        """Put a channel into its soft reset; ``open`` ends it."""
        await self._host.set("NONR_DMA_CTRL", **{f"{name}_reset": 1, f"{name}_en": 0})
        await self._host.pause(0.5)

    async def tail(self, name: str) -> int:
        """Entry the device works on."""
        return await self._host.get(f"{name.upper()}_MD_TAIL_PTR", f"{name}_md_tail_ptr")
