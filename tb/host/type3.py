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

    async def reset(self, name: str) -> None:
        """Soft reset of channel "tx" or "rx": it stays in reset, without a ring, until ``open``."""
        self._rings[name] = _Ring(name)
        await self._host.set("NONR_DMA_CTRL", **{f"{name}_en": 0, f"{name}_reset": 1})

    async def post_send(self, *frames: bytes, offset: int = 0) -> None:
        """Put frames into memory, ``offset`` bytes past a multiple of 4096, and announce them at once."""
        entries = []
        for frame in frames:
            addr = self._memory.alloc(offset + len(frame), 4096, "type3 tx") + offset
            self._memory.write(addr, frame)
            entries.append(descriptor(addr, len(frame), len(frame), START | LAST))
        await self.post("tx", *entries)

    async def post_receive(self, *sizes: int, offset: int = 0) -> list[int]:
        """Give the device buffers ``offset`` bytes past a multiple of 4096, at once; returns their addresses.

        Raises:
            UserError: a size or the offset is no multiple of 64, or a size is none of 16 bits above 0.
        """
        if offset % 64 or any(size % 64 or not 0 < size < 1 << 16 for size in sizes):
            allowed = "allowed are multiples of 64, sizes from 64 to 65472"
            raise UserError(f"receive buffers of {sizes} bytes, offset {offset}: {allowed}")
        places = [self._memory.alloc(offset + size, 4096, "type3 rx") + offset for size in sizes]
        await self.post("rx", *map(descriptor, places, sizes))
        return places

    async def post(self, name: str, *entries: bytes) -> None:
        """Put descriptors into a ring once there is room for all of them, then move its head once."""
        ring = self._rings[name]
        if len(entries) >= ring.entries:
            raise UserError(f"type3 {name}: {len(entries)} descriptors in a ring of {ring.entries}")

        async def room() -> bool:
            return (await self.tail(name) - ring.head - 1) % ring.entries >= len(entries)

        await self._host.wait_until(room, f"room in the {name} ring")
        for entry in entries:
            self._memory.write(ring.base + ENTRY * ring.head, entry)
            ring.head = (ring.head + 1) % ring.entries
        await self._host.set(f"{name.upper()}_MD_HEAD_PTR", **{f"{name}_md_head_ptr": ring.head})

    async def done(self, name: str) -> None:
        """Wait until the device used all descriptors of a ring."""

        async def empty() -> bool:
            return await self.tail(name) == self._rings[name].head

        await self._host.wait_until(empty, f"the end of the {name} ring")

    async def tail(self, name: str) -> int:
        """Entry the device works on."""
        return await self._host.get(f"{name.upper()}_MD_TAIL_PTR", f"{name}_md_tail_ptr")
