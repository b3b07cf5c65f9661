"""Send queue entries as the DUT fetched them, and what they let it read."""

from __future__ import annotations

from dataclasses import dataclass

from ref_model.ernic.read_ranges import BEAT
from ref_model.spans import Span, Spans


@dataclass(frozen=True, slots=True)
class WorkEntry:
    """A send queue entry as the bus delivered it (64 bytes, little-endian)."""

    raw: bytes

    def word(self, offset: int, size: int) -> int:
        """Return the little-endian integer of ``size`` bytes at ``offset``."""
        return int.from_bytes(self.raw[offset : offset + size], "little")

    @property
    def wrid(self) -> int:
        """WRID, echoed in the CQE."""
        return self.word(0, 2)

    @property
    def laddr(self) -> int:
        """LADDR, where the payload is in host memory."""
        return self.word(4, 8)

    @property
    def length(self) -> int:
        """LENGTH of the payload in bytes."""
        return self.word(12, 4)

    @property
    def opcode(self) -> int:
        """OPCODE byte."""
        return self.raw[16]

    @property
    def source(self) -> Span | None:
        """Whole bus beats around the payload; None without payload."""
        if not self.length:
            return None
        return self.laddr & -BEAT, -(-(self.laddr + self.length) // BEAT) * BEAT


class WorkEntries:
    """The entries of one send queue by slot; ``sources`` holds the payloads of those of all queues."""

    def __init__(self, sources: Spans) -> None:
        self._sources = sources
        self._slots: dict[int, WorkEntry] = {}

    def get(self, slot: int) -> WorkEntry | None:
        """Return what was fetched from ``slot`` last."""
        return self._slots.get(slot)

    def fetched(self, slot: int, data: bytes) -> None:
        """The bus delivered ``data`` for ``slot``."""
        self._drop(self._slots.get(slot))
        entry = self._slots[slot] = WorkEntry(data)
        if entry.source is not None:
            self._sources.add(entry.source)

    def clear(self) -> None:
        """Nothing is fetched any more."""
        for entry in self._slots.values():
            self._drop(entry)
        self._slots.clear()

    def _drop(self, entry: WorkEntry | None) -> None:
        if entry is not None and entry.source is not None:
            self._sources.remove(entry.source)
