"""Software side of the event queues of a Hermon CQ engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tb.host.hermon_ring import INDEX_MASK, OWNER

if TYPE_CHECKING:
    from tb.host.hermon import HermonHost
    from tb.host.hermon_cq import Cq

EQE_BYTES = 32
COMPLETION, CQ_ERROR = 0x00, 0x04


@dataclass(frozen=True, slots=True)
class Event:
    """An EQE as software reads it."""

    kind: int
    cqn: int
    code: int


class EventQueue:
    """One event queue: where it is and how far software has read it."""

    def __init__(self, host: HermonHost, number: int, base: int, log_size: int) -> None:
        """``base``: address of its entries, 2^``log_size`` of 32 bytes."""
        self.host = host
        self.number = number
        self.base = base
        self.log_size = log_size
        self.index = 0

    def clear(self) -> None:
        """All entries belong to the device."""
        self.host.memory.write(self.base, (bytes(EQE_BYTES - 1) + bytes([OWNER])) * (1 << self.log_size))

    def ready(self) -> bool:
        """Whether there is an unread entry."""
        return self._last() >> 7 == self.index >> self.log_size & 1

    def _address(self) -> int:
        return self.base + EQE_BYTES * (self.index % (1 << self.log_size))

    def _last(self) -> int:
        return self.host.memory.read(self._address() + EQE_BYTES - 1, 1)[0]

    def take(self) -> list[Event]:
        """All unread entries."""
        events = []
        while self.ready():
            entry = self.host.memory.read(self._address(), EQE_BYTES)
            events.append(Event(entry[1], int.from_bytes(entry[5:8], "big"), entry[15]))
            self.index = self.index + 1 & INDEX_MASK
        return events

    async def update(self, arm: bool = True) -> None:
        """Tell the device how far the queue was read, and ask for an interrupt."""
        await self.host.ring_eq(self.number, self.index, arm)


@dataclass(slots=True)
class EventQueues:
    """All valid event queues, and what is told of their events.

    ``seen`` holds the events in the order they were taken; ``on_event`` are called for each.
    """

    queues: dict[int, EventQueue]
    cqs: Mapping[int, Cq]
    seen: list[Event] = field(default_factory=list)
    on_event: list[Callable[[Event], None]] = field(default_factory=list)

    def count(self, cqn: int, kind: int = COMPLETION) -> int:
        """Events of one queue so far."""
        return sum(event.kind == kind and event.cqn == cqn for event in self.seen)

    async def handle(self, arm: bool = True, update: bool = True) -> list[Event]:
        """Read all queues, tell the completion queues, ring the doorbells of those that had events."""
        found: list[Event] = []
        for queue in list(self.queues.values()):
            events = queue.take()
            for event in events:
                self._told(event)
            if events and update:
                await queue.update(arm)
            found += events
        return found

    def _told(self, event: Event) -> None:
        self.seen.append(event)
        cq = self.cqs.get(event.cqn)
        if cq is not None:  # an event may name a queue that was given back meanwhile
            cq.notified(event)
        for told in self.on_event:
            told(event)
