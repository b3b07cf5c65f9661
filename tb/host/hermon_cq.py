"""Software side of a Hermon completion queue: poll, publish, arm, resize, sweep; and ways to do it wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from ref_model.hermon_cq.ports import OPCODE_RESIZE, cq_doorbell
from tb.host.hermon_ring import INDEX_MASK, Ring

if TYPE_CHECKING:
    from tb.host.hermon import Arm, Form, HermonHost, Result
    from tb.host.hermon_eq import Event

_COMPLETION = 0x00


class Habit(Enum):
    """What a driver may do wrong on purpose (public bugs B7, B8, B15, B17, B28, B29)."""

    STALE_CI = "requests with the consumer counter of the round before"
    CONSTANT_SN = "the sequence number of requests never changes"
    UNPUBLISHED = "the consumer counter never reaches the DB record"
    AHEAD = "the published consumer counter is one beyond the producer"


class Style(Enum):
    """How a driver goes over to a resized ring (BEHAVIOUR 8)."""

    COPY = "A: copies unread entries into the new ring at once"
    SWITCH = "B: polls the old ring until the resize entry, then changes over"


@dataclass(frozen=True, slots=True)
class CqSettings:
    """One queue at creation. ``offset``: byte offset of slot 0; ``fill``: what ring memory holds before.

    ``extra`` overrides fields of the context by name; ``record`` uses memory that is there already.
    """

    cqn: int
    log_size: int = 4
    eqn: int = 0
    uar_page: int = 0
    max_count: int = 0
    period: int = 0
    oi: bool = False
    cc: bool = False
    offset: int = 0
    log2_page_size: int = 0
    opmod: int = 0
    st: int = 0
    fill: bytes = b"\xcc"
    record: int | None = None
    extra: Mapping[str, int] = field(default_factory=dict)


class Cq:
    """A queue as its driver knows it: ``ci``: the entry to poll next, ``sn``: of the next request."""

    def __init__(self, host: HermonHost, settings: CqSettings, ring: Ring, record: int, first: int) -> None:
        """``first``: where the counters start."""
        self.host = host
        self.settings = settings
        self.ring = ring
        self.record = record
        self.ci = first
        self.sn = 1
        self.habits: set[Habit] = set()
        self.taken: deque[bytes] = deque(maxlen=4096)  #: entries polled and not swept
        self.polled = 0
        self.events = 0
        self.published = first
        self._before = self._first = first
        self._resizes = 0
        self._next_ring: Ring | None = None

    @property
    def cqn(self) -> int:
        """Number."""
        return self.settings.cqn

    # -- consume ----------------------------------------------------------------------------------

    def poll(self, limit: int = 1 << 30) -> list[bytes]:
        """Up to ``limit`` new entries, without telling the device; resize entries are not among them."""
        found: list[bytes] = []
        self._before = self.ci
        while len(found) < limit and self.ring.ready(self.ci):
            entry = self.ring.read(self.ci)
            self.ci = self.ci + 1 & INDEX_MASK
            if entry[-1] & 0x1F == OPCODE_RESIZE:
                if self._next_ring is not None:
                    self.ring, self._next_ring = self._next_ring, None
                continue
            found.append(entry)
        self.polled += len(found)
        self.taken.extend(found)
        return found

    def skip(self, count: int) -> int:
        """Count so many entries as consumed unseen (collapsed queues); returns the consumer counter."""
        self.ci = self.ci + count & INDEX_MASK
        return self.ci

    def publish(self, index: int | None = None) -> None:
        """Write the consumer counter (or ``index``) into the DB record."""
        value = self.ci if index is None else index
        if Habit.UNPUBLISHED in self.habits:
            return
        self.published = value
        if Habit.AHEAD in self.habits:
            value = value + 1
        self.host.memory.write(self.record, (value & INDEX_MASK).to_bytes(4, "big"))

    def drain(self) -> list[bytes]:
        """Poll until the ring is empty and publish."""
        found = self.poll()
        self.publish()
        return found

    def sweep(self, qpn: int) -> int:
        """Remove unread entries of a queue pair that was reset, as drivers do; returns how many.

        The others move up; each keeps the owner bit of its new place.
        """
        end = self.ci
        while self.ring.ready(end) and (end - self.ci & INDEX_MASK) < self.ring.size:
            end += 1
        kept = end
        for index in range(end - 1, self.ci - 1, -1):
            entry = self.ring.read(index)
            if int.from_bytes(entry[1:4], "big") != qpn or entry[-1] & 0x1F == OPCODE_RESIZE:
                kept -= 1
                self.ring.write(kept, entry, self.ring.lap_owner(kept))
        freed = kept - self.ci
        self.ci = kept & INDEX_MASK
        self.publish()
        return freed

    # -- ask for events ---------------------------------------------------------------------------

    async def arm(
        self,
        request: Arm | int,
        param: int | None = None,
        sn: int | None = None,
        form: Form | None = None,
        page: int | None = None,
        gap_ps: int = 0,
    ) -> None:
        """Request an event: DB record, then doorbell. ``param``: counter, None: the consumer counter."""
        if param is None:
            param = self._before if Habit.STALE_CI in self.habits else self.ci
        if sn is None:
            sn = 1 if Habit.CONSTANT_SN in self.habits else self.sn
        first, second = self.doorbell(int(request), param, sn)
        self.host.memory.write(self.record + 4, (first & 0x37000000 | second).to_bytes(4, "big"))
        where = self.settings.uar_page if page is None else page
        await self.host.ring_cq(where, first, second, self.host.form() if form is None else form, gap_ps)

    def doorbell(self, request: int, param: int, sn: int) -> tuple[int, int]:
        """The two dwords of a doorbell of this queue."""
        return cq_doorbell(self.cqn, request, sn, param)

    def notified(self, event: Event) -> None:
        """An event of this queue was read: the next request carries the next sequence number."""
        if event.kind == _COMPLETION:
            self.events += 1
            self.sn += 1

    # -- resize -----------------------------------------------------------------------------------

    async def resize(
        self,
        log_size: int,
        style: Style = Style.SWITCH,
        ring: Ring | None = None,
        extra: Mapping[str, int] | None = None,
    ) -> Result:
        """Change to another ring (fresh unless given), the consumer by ``style``.

        ``extra``: further fields of the mailbox, which drivers leave 0.

        The new ring is known before the command: whoever polls meanwhile changes over at the resize entry.
        """
        settings = self.settings
        if self._next_ring is not None:
            self.poll()  # the entry of the last resize is still unread
        if ring is None:
            ring = self.host.rings.make(log_size, settings.offset, settings.log2_page_size, settings.cc)
        self._next_ring = ring
        result = await self.host.resize_command(self.cqn, ring, extra)
        if result.status:
            self._next_ring = None
            return result
        self._resizes += 1
        if style is Style.COPY and self._next_ring is not None:
            self._copy(ring)
        return result

    def _copy(self, ring: Ring) -> None:
        """Unread entries of old index i go to new index i + 1, as far as the resize entry."""
        index = self.ci
        while self.ring.ready(index):
            entry = self.ring.read(index)
            if entry[-1] & 0x1F == OPCODE_RESIZE:
                break
            ring.write(index + 1, entry, ring.lap_owner(index + 1))
            index += 1
        self.ring, self._next_ring = ring, None
        self.ci = self.ci + 1 & INDEX_MASK
        self.publish()

    def room(self, sent: int) -> int:
        """Entries that surely fit when ``sent`` reports were made: one is kept for a resize."""
        size = self.ring.size if self._next_ring is None else min(self.ring.size, self._next_ring.size)
        return size - 2 - (sent + self._resizes - (self.published - self._first & INDEX_MASK))
