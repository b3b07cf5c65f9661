"""Memory that inbound READs may have the DUT read, over all queue pairs, and memory they must not."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from ref_model.rules import Scope

#: The bus reads whole beats of 64 bytes.
BEAT = 64

#: Ranges remembered, answered READs included: the DUT may read ahead of or behind a response.
RANGES = 128


class Watcher(Protocol):
    """A READ that is being answered."""

    def changing(self, addr: int, old: bytes) -> None:
        """Memory from ``addr`` on is about to change; ``old``: its bytes so far."""


@dataclass(slots=True)
class ReadRanges:
    """Granted and refused ranges; ``watchers`` are told of memory that changes."""

    watchers: list[Watcher] = field(default_factory=list)
    _granted: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=RANGES))
    _refused: deque[tuple[int, int, str, str, Scope]] = field(default_factory=lambda: deque(maxlen=RANGES))
    #: (rule, reason, scope) of the last READ, if no range tells what a DUT that wrongly took it reads.
    _anywhere: tuple[str, str, Scope] | None = None

    @property
    def known(self) -> bool:
        """Return whether any READ request has come since reset."""
        return bool(self._granted or self._refused or self._anywhere)

    def grant(self, first: int, length: int) -> None:
        """A READ of ``length`` bytes from address ``first`` was accepted."""
        self._granted.append((first & -BEAT, -(-(first + length) // BEAT) * BEAT))
        self._anywhere = None

    def refuse(self, first: int, length: int, rule: str, why: str, scope: Scope) -> None:
        """A READ was refused by ``rule``: nothing of its range may be read for it."""
        self._refused.append((first & -BEAT, -(-(first + length) // BEAT) * BEAT, rule, why, scope))

    def beyond(self, rule: str, why: str, scope: Scope) -> None:
        """A READ came whose key names no row, by ``rule``: no telling what a faulty DUT reads for it."""
        self._anywhere = rule, why, scope

    def allows(self, first: int, stop: int) -> bool:
        """Return whether ``first`` to ``stop`` lie in the 64-byte aligned cover of one accepted READ."""
        return any(low <= first and stop <= high for low, high in reversed(self._granted))

    def blame(self, first: int, stop: int, scope: Scope) -> tuple[str, str, Scope]:
        """Return rule, reason and scope of a read that nothing allows; ``scope`` for one of no known READ."""
        for low, high, rule, why, owner in reversed(self._refused):
            if first < high and low < stop:
                return rule, why, owner
        return self._anywhere or (
            "ERN-136",
            "outside the aligned cover of every READ and of the payload to send",
            scope,
        )

    def changing(self, addr: int, old: bytes) -> None:
        """Tell the READs that are being answered that memory changes."""
        for watcher in self.watchers:
            watcher.changing(addr, old)

    def clear(self) -> None:
        """Reset: nothing is answered or permitted any more."""
        self.watchers.clear()
        self._granted.clear()
        self._refused.clear()
        self._anywhere = None
