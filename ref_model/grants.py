"""Permissions to write memory: exact payload owed once, and standing areas.

Every byte the DUT writes must be covered by one of the two; everything else in the memory image is
a guard zone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ref_model.memory import PAGE_BITS
from ref_model.rules import Scope

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Payload:
    """Bytes that have to arrive at ``addr`` exactly once, in any bursts and any order."""

    addr: int
    data: bytes
    rule: str
    why: str
    on_done: Callable[[int], None]
    place_rule: str = ""
    port: str = ""  # master that has to write it, where it is not the usual one
    optional: bool = False  # may be written, is not owed
    scope: Scope | None = None  # queue pair that received it
    left: int = 0
    written: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self.left = len(self.data)
        self.written = bytearray(len(self.data))

    def fits(self, addr: int, data: bytes) -> bool:
        """Return whether ``data`` at ``addr``, as far as it lies inside, is what has to be there."""
        expected = self.data[addr - self.addr :][: len(data)]
        return data[: len(expected)] == expected


class PayloadGrants:
    """Open payload grants, found by page: cost per write does not grow with the number of QPs."""

    def __init__(self) -> None:
        self._pages: dict[int, list[Payload]] = {}
        self.open = 0

    def add(self, grant: Payload) -> None:
        """Open ``grant`` (must not be empty)."""
        self.open += 1
        for page in _pages(grant):
            self._pages.setdefault(page, []).append(grant)

    def remove(self, grant: Payload) -> None:
        """Close ``grant`` whether or not it was fulfilled."""
        for page in _pages(grant):
            entries = self._pages.get(page)
            if entries and grant in entries:
                entries.remove(grant)
                if not entries:
                    del self._pages[page]
                if page == grant.addr >> PAGE_BITS:
                    self.open -= 1

    def covering(self, addr: int, data: bytes | None = None) -> Payload | None:
        """Return the oldest open grant that owes the byte at ``addr``; one that has ``data`` comes first."""
        oldest = None
        for grant in self._pages.get(addr >> PAGE_BITS, ()):
            offset = addr - grant.addr
            if 0 <= offset < len(grant.data) and not grant.written[offset]:
                if data is None or grant.fits(addr, data):
                    return grant
                oldest = oldest or grant
        return oldest

    def inside(self, addr: int, length: int, port: str) -> list[Payload]:
        """Return the open grants for ``port`` that begin in ``length`` bytes from ``addr``."""
        found: dict[int, Payload] = {}
        for page in range(addr >> PAGE_BITS, (addr + length >> PAGE_BITS) + 1):
            for grant in self._pages.get(page, ()):
                if grant.port == port and addr <= grant.addr < addr + length:
                    found[id(grant)] = grant
        return list(found.values())

    def received_by(self, scope: Scope) -> list[Payload]:
        """Return the open grants of the queue pair ``scope``."""
        found = {id(grant): grant for entries in self._pages.values() for grant in entries}
        return [grant for grant in found.values() if grant.scope is scope]

    def owed_by(self, port: str) -> Payload | None:
        """Return an open grant that master ``port`` alone has to fulfil."""
        for entries in self._pages.values():
            for grant in entries:
                if grant.port == port:
                    return grant
        return None

    def misplaced(self, data: bytes) -> Payload | None:
        """Return an open grant whose bytes begin like ``data``: they came, but elsewhere."""
        if len(data) < 4:
            return None
        for entries in self._pages.values():
            for grant in entries:
                if grant.data.startswith(data):
                    return grant
        return None

    def clear(self) -> None:
        """Reset: nothing is owed any more."""
        self._pages.clear()
        self.open = 0


def _pages(grant: Payload) -> range:
    return range(grant.addr >> PAGE_BITS, ((grant.addr + len(grant.data) - 1) >> PAGE_BITS) + 1)


class Areas(Generic[T]):
    """Disjoint address ranges with an owner each, looked up by bisection."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._entries: list[tuple[int, int, T]] = []

    def set(self, entries: list[tuple[int, int, T]]) -> None:
        """Replace all areas by ``entries`` of (first address, length in bytes, owner)."""
        self._entries = sorted((entry for entry in entries if entry[1] > 0), key=lambda entry: entry[0])
        self._starts = [entry[0] for entry in self._entries]

    def find(self, addr: int) -> tuple[int, int, T] | None:
        """Return the (first address, length, owner) of the area that contains ``addr``."""
        index = bisect_right(self._starts, addr) - 1
        if index >= 0:
            entry = self._entries[index]
            if addr < entry[0] + entry[1]:
                return entry
        return None
