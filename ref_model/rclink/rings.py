"""Descriptors and rings of TYPE3 (sections 2 and 14.3).

Ring positions count on without wrapping; the index in a register is the position modulo the size.
"""

from __future__ import annotations

from dataclasses import dataclass

MD_BYTES = 16
#: Bytes of a descriptor the DUT may write back.
WRITTEN_BYTES = 6
INDEX_MASK = 0xFFF


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One memory descriptor; sizes in bytes."""

    data_size: int
    first: bool
    last: bool
    crc_error: bool
    length_error: bool
    buffer_size: int
    addr: int

    @property
    def starts_only(self) -> bool:
        """First of a frame and not its last."""
        return self.first and not self.last

    @property
    def ends_only(self) -> bool:
        """Last of a frame and not its first."""
        return self.last and not self.first

    @classmethod
    def of(cls, data: bytes) -> Descriptor:
        """Read 16 little-endian bytes."""
        word = int.from_bytes(data, "little")
        return cls(
            word >> 4 & 0xFFFF,
            bool(word >> 20 & 1),
            bool(word >> 21 & 1),
            bool(word >> 22 & 1),
            bool(word >> 23 & 1),
            word >> 48 & 0xFFFF,
            word >> 64,
        )

    def pack(self) -> bytes:
        """The 16 bytes in memory."""
        flags = self.first | self.last << 1 | self.crc_error << 2 | self.length_error << 3
        word = self.data_size << 4 | flags << 20 | self.buffer_size << 48 | self.addr << 64
        return word.to_bytes(MD_BYTES, "little")


class Ring:
    """One ring: software moves the head, the DUT the tail."""

    def __init__(self) -> None:
        """Stopped, nothing posted."""
        self.base = self.size = 0
        self.restart()

    def restart(self) -> None:
        """Soft reset, or new base and size: nothing posted, nothing used."""
        self.head = self.done = self.fetched = self.shown = 0

    def post(self, index: int) -> None:
        """Software wrote the head: entries up to ``index`` (exclusive) are posted."""
        if self.size:
            self.head = self.done + ((index & INDEX_MASK) - self.done) % self.size

    @property
    def tail(self) -> int:
        """Index in the tail register when all that was done has shown."""
        return self.done % self.size if self.size else 0

    @property
    def tails(self) -> set[int]:
        """Indices the tail may show while what was fetched is being worked on."""
        last = max(self.fetched, self.done)
        return {place % self.size for place in range(self.shown, last + 1)} if self.size else {0}

    def look(self, index: int) -> tuple[int, int]:
        """Note a tail that was read; returns how far it is ahead of the last one and how far it may be.

        When the tail follows what was done has no stated latency: only quiet makes it certain.
        """
        most = max(self.fetched, self.done + 1) - self.shown
        ahead = (index - self.shown) % self.size
        if ahead <= most:
            self.shown += ahead
        return ahead, most

    def quiet(self) -> None:
        """The tail shows all that was done."""
        self.shown = self.done

    def position(self, addr: int) -> int | None:
        """Posted entry at ``addr`` that is not done yet; None if there is none."""
        index, rest = divmod(addr - self.base, MD_BYTES)
        if rest or not 0 <= index < self.size:
            return None
        position = self.done + (index - self.done) % self.size
        return position if position < self.head else None

    def contains(self, addr: int) -> bool:
        """Return whether ``addr`` lies in the ring at all."""
        return self.base <= addr < self.base + self.size * MD_BYTES
