"""What every part of the ERNIC model shares: rules, deadlines, memory, time base, permissions."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ref_model.deadlines import Must
from ref_model.ernic.read_ranges import ReadRanges
from ref_model.ernic.troubles import Troubles
from ref_model.grants import Payload, PayloadGrants
from ref_model.held_up import HeldUp
from ref_model.memory import SparseMemory
from ref_model.observing import REFUSALS, Observing, Refusal
from ref_model.rules import Rules, Scope
from ref_model.spans import Spans
from ref_model.timing import Timing

if TYPE_CHECKING:
    from ref_model.ernic.retry_buffers import RetryBuffers

#: Path of a prohibition that any later good frame of the DUT confirms.
OUTPUT = ("DUT", "tx")

#: Path of a prohibition that the next payload written or read in its granted place confirms.
GRANTED = ("regions", "granted")

#: Master that writes the data of READ responses.
READ_PORT = "rx_pkt_hndler_rdrsp"

#: Permissions to write READ data that nobody is bound to use.
PERMITS = 256

#: Bytes of the memory bus: reads may begin at its multiples.
BUS_BYTES = 64


#: Payload reads remembered to tell when a packet was decided on.
FETCHES = 512


@dataclass(slots=True)
class Context(Observing):
    """Shared state of one ERNIC model instance."""

    memory: SparseMemory = field(default_factory=SparseMemory)
    payloads: PayloadGrants = field(default_factory=PayloadGrants)
    refused_psns: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=REFUSALS))
    refusals: deque[Refusal] = field(default_factory=lambda: deque(maxlen=REFUSALS))
    #: READ data that may be written, and the latest of these permissions.
    optional: PayloadGrants = field(default_factory=PayloadGrants)
    _permits: deque[Payload] = field(default_factory=deque)
    #: (first byte, length) of buffers a malformed READ response may have spoiled.
    scratch: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=16))
    #: What inbound READs may have read, and who must know of memory that changes under them.
    reads: ReadRanges = field(default_factory=ReadRanges)
    #: Payloads of the work queue entries that were fetched, of all QPs.
    sources: Spans = field(default_factory=Spans)
    _fetches: dict[int, int] = field(default_factory=dict)
    _last_fetch: int = 0
    #: Messages with an immediate or a key that were accepted, over all QPs.
    immediates_owed: int = 0
    #: A QP nobody judges may add some, until the next reset.
    immediates_free: bool = False
    #: CQEs that are owed, by their word, over all QPs.
    cqes_owed: Counter[int] = field(default_factory=Counter)
    #: When the bench kept outputs from leaving; ``excused``: that, and what is judged by a limit of its own.
    held: HeldUp = field(default_factory=HeldUp)
    excused: HeldUp = field(default_factory=HeldUp)
    retries: RetryBuffers = field(init=False)  #: set by the queue pairs, which it concerns
    received_until: int = 0
    #: A frame left since the last reset.
    spoken: bool = False
    troubles: Troubles = field(default_factory=Troubles)
    #: When (ps) a malformed frame came behind which only error entries have shown; None: there is none.
    mangled: int | None = None
    #: Rule under which everything is recorded until the next reset of all domains; empty: all is judged.
    unjudged: str = ""

    @classmethod
    def build(
        cls,
        rules: Rules,
        knobs: Mapping[str, Any],
        period_ps: int,
        settle_clks: int,
        pipe_out_clks: int,
    ) -> Context:
        """Make a context for a DUT with the given clock period and windows (in clocks)."""
        return cls(rules, Timing.of(period_ps, settle_clks, pipe_out_clks, knobs), knobs)

    def reset(self) -> None:
        """The DUT was reset: nothing is owed, permitted or remembered any more; memory stays."""
        self.deadlines.clear()
        self.held.clear()
        self.excused.clear()
        self.payloads.clear()
        self.optional.clear()
        self._permits.clear()
        self.scratch.clear()
        self.reads.clear()
        self.sources = Spans()
        self.refusals.clear()
        self.cqes_owed.clear()
        self.immediates_owed = 0
        self.immediates_free = False
        self._fetches.clear()
        self._last_fetch = 0
        self.spoken = False
        self.troubles = Troubles()
        self.mangled = None

    def stop_judging(self, rule: str) -> None:
        """From now on the DUT may do anything: it is recorded under ``rule``."""
        self.unjudged = rule
        self.reset()

    def blame(self, duty: Must) -> str:
        """A DUT that has shown nothing since a malformed frame hangs, whatever it is that is missing."""
        return "ERN-234" if self.mangled is not None and self.mangled < duty.since else duty.rule

    def excused_until(self, now: int) -> int:
        """Time (ps) before ``now`` by which deadlines move."""
        return self.excused.total(now)

    def ready_since(self, begin: int) -> int:
        """Return since when (ps) an output that left at ``begin`` may have waited for the bench."""
        return self.held.ready_since(begin, self.timing.reaction)

    def hold(self, reason: object, now: int, on: bool) -> None:
        """``reason`` keeps outputs of the DUT from leaving from ``now`` on, or no longer."""
        for clock in (self.held, self.excused):
            (clock.begin if on else clock.end)(reason, now)

    def held_over(self, begin: int, end: int) -> None:
        """The bench kept an output of the DUT waiting over [begin, end]."""
        self.held.add(begin, end)
        self.excused.add(begin, end)

    def grant(self, payload: Payload) -> None:
        """Permit and demand ``payload``."""
        self.payloads.add(payload)

    def store(self, addr: int, data: bytes) -> None:
        """Memory takes ``data`` at ``addr``; READs that are being answered may still return the old bytes."""
        if self.reads.watchers:
            self.reads.changing(addr, self.memory.read(addr, len(data)))
        self.memory.write(addr, data)

    def permit(self, payload: Payload) -> None:
        """Permit ``payload`` without demanding it."""
        self.optional.add(payload)
        self._permits.append(payload)
        if len(self._permits) > PERMITS:
            self.optional.remove(self._permits.popleft())

    def covering(self, addr: int, data: bytes) -> Payload | None:
        """Return the grant for the byte at ``addr``: owed, or permitted where only that has ``data``."""
        owed = self.payloads.covering(addr)
        if not self.optional.open or (owed is not None and owed.fits(addr, data)):
            return owed
        permitted = self.optional.covering(addr, data)
        return permitted if owed is None or (permitted is not None and permitted.fits(addr, data)) else owed

    def drop(self, payload: Payload) -> None:
        """Close ``payload`` whether or not it was fulfilled."""
        (self.optional if payload.optional else self.payloads).remove(payload)

    def scratched(self, addr: int) -> int:
        """Return how many bytes from ``addr`` on a malformed READ response may have spoiled."""
        return max((first + length - addr for first, length in self.scratch if first <= addr), default=0)

    def payload_done(self, payload: Payload, settled: int) -> None:
        """``payload`` has arrived in memory whole at ``settled``."""
        self.drop(payload)
        self.received_until = max(self.received_until, settled)
        payload.on_done(settled)

    def reacted(self, cause: int, now: int) -> bool:
        """Return whether the DUT must have acted on an inbound frame of time ``cause`` by ``now``.

        Frames are handled in order, so while payload of earlier ones waits for memory nothing is certain.
        """
        return not self.payloads.open and self.ready_since(now) > (
            max(cause, self.received_until) + self.timing.reaction
        )

    def fetching(self, addr: int, begin: int) -> None:
        """The DUT began to read payload at ``addr``."""
        self._last_fetch = begin
        self._fetches.pop(addr, None)
        self._fetches[addr] = begin
        if len(self._fetches) > FETCHES:
            del self._fetches[next(iter(self._fetches))]

    def decided_lately(self, begin: int) -> int:
        """Return the same for a packet nobody knows the address of: no later than the last payload read."""
        return min(self._last_fetch or begin, begin)

    def decided(self, addr: int, begin: int) -> int:
        """Return when a packet with payload from ``addr`` that left at ``begin`` was decided, at the latest.

        Its payload was being read by then, and memory may have taken any time over it.
        """
        fetched = self._fetches.get(addr, self._fetches.get(addr & -BUS_BYTES, begin))
        return min(fetched, begin)

    def fetched_in(self, places: list[tuple[int, int]], since: int, begin: int) -> int:
        """Return when the DUT first read in ``places`` (address, bytes) after ``since``, else ``begin``."""
        times = [
            time
            for addr, time in self._fetches.items()
            if since < time < begin and any(first <= addr < first + length for first, length in places)
        ]
        return min(times, default=begin)

    def refuse(self, first: int, length: int, rule: str, why: str, scope: Scope, data: bytes = b"") -> None:
        """Remember what a refused request would have written."""
        self.refusals.append(Refusal(first, max(length, 1), rule, why, scope, data))

    def refusal_with(self, data: bytes) -> Refusal | None:
        """Return the oldest refusal whose payload begins like ``data`` (4 bytes or more tell)."""
        if len(data) < 4:
            return None
        return next((entry for entry in self.refusals if entry.data.startswith(data)), None)

    def refusal_at(self, addr: int, data: bytes) -> Refusal | None:
        """Return the refusal that explains ``data`` at ``addr``: by both, by the bytes, by the address."""
        there = [entry for entry in self.refusals if entry.first <= addr < entry.first + entry.length]
        same = next((entry for entry in there if len(data) >= 4 and entry.data.startswith(data)), None)
        return same or self.refusal_with(data) or (there[-1] if there else None)
