"""What one queue pair has to send: its packets, how far they got, what asks to repeat (sections 2, 9 and 15).

Packets are counted from the last initialisation on (*index*); the PSN is the index plus the first PSN, modulo
4096. ``una`` is the oldest packet that is not acknowledged, ``next`` the one the current pass sends next,
``top`` the first that was never sent, ``returned`` counts tokens that came back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ref_model.deadlines import Must
    from ref_model.rclink.qp import Qp

PSN_MASK = 4095
HALF = 2048

SEQUENCE, TIMEOUT, RNR = "sequence NAK", "timeout", "RNR NAK"
RULE_OF = {SEQUENCE: "RCL-045", TIMEOUT: "RCL-048", RNR: "RCL-052"}


@dataclass(slots=True, eq=False)
class Packet:
    """One accepted packet; ``clock``: tx clock from which it may certainly be sent the first time."""

    index: int
    payload: bytes
    fack: bool
    age: int
    clock: int
    sends: int = 0


@dataclass(slots=True, eq=False)
class Rewind:
    """A retry event: the pass starts again at one of ``lowest`` .. the oldest open packet."""

    kind: str
    lowest: int
    start: int
    clock: int  #: tx clock by which the DUT knows of it
    not_before: int = 0  #: end (ps) of an RNR wait
    optional: bool = False  #: nothing is owed for it any more
    served: bool = False  #: and it permits nothing once the DUT must have acted on it

    @property
    def rule(self) -> str:
        """Rule that demands to send again."""
        return RULE_OF[self.kind]


@dataclass(slots=True)
class Restart:
    """The timer started at ``begin`` (ps) at the earliest, and certainly by ``settled``."""

    begin: int
    settled: int


@dataclass(slots=True)
class State:
    """What a new initialisation starts from."""

    first: int = 0
    accepted: int = 0
    una: int = 0
    next: int = 0
    top: int = 0
    returned: int = 0
    drops: int = 0  #: packets that had to be dropped
    kept: int = 0  #: oldest packet that is remembered
    certain: int = 0  #: packets whose tokens are owed for certain
    tails: tuple[int, ...] | None = None  #: (tx_last, tx_max) as software wrote them
    #: PSNs before the starts of passes that were acknowledged before they began: tx_last may have gone there
    stepped: set[int] = field(default_factory=set)
    packets: dict[int, Packet] = field(default_factory=dict)
    rewinds: list[Rewind] = field(default_factory=list)
    restarts: deque[Restart] = field(default_factory=lambda: deque(maxlen=2))
    retries: int = 0
    rnr_retries: int = 0
    vague: bool = False  #: an acknowledgement came while its packets waited: counters may differ

    def psn(self, index: int) -> int:
        """PSN of packet ``index``."""
        return (self.first + index) & PSN_MASK

    def index_of(self, psn: int) -> int:
        """Packet that ``psn`` means, by the half window around the oldest open one."""
        distance = (psn - self.psn(self.una)) & PSN_MASK
        return self.una + (distance if distance < HALF else distance - PSN_MASK - 1)

    def reaches(self, rewind: Rewind, index: int) -> bool:
        """Return whether ``rewind`` may start the pass at ``index``."""
        return rewind.lowest <= index <= max(rewind.start, self.una)

    def rewind_at(self, index: int) -> bool:
        """Return whether any retry event may start the pass at ``index``."""
        return any(self.reaches(rewind, index) for rewind in self.rewinds)

    def goes_to(self, index: int) -> None:
        """Packet ``index`` left: the pass goes on behind it."""
        self.next = index + 1
        self.top = max(self.top, self.next)


class Sending:
    """The packets of one queue pair, and which of them it certainly has to send next.

    ``fatal``: retries are exhausted, as it told. ``fatal_duty``: it has to turn so. ``fatal_choice``: it may
    send again or turn so.
    """

    def __init__(self, qp: Qp) -> None:
        self.qp = qp
        self.ctx = qp.ctx
        self.state = State()
        self.fatal = False
        self.fatal_duty: Must | None = None
        self.fatal_choice = False
        self.pass_rule = "RCL-045"  #: demands what the current pass sends again
        self.clock = 0  #: tx clock since when nothing but its age keeps the next packet

    @property
    def held(self) -> int:
        """Slots that are, or may be, occupied."""
        return self.state.accepted - self.state.returned

    @property
    def idle(self) -> bool:
        """Nothing waits, nothing is unacknowledged."""
        return self.state.una == self.state.accepted

    def accept(self, payload: bytes, fack: bool, settled: int) -> None:
        """A packet entered a slot."""
        state, ctx = self.state, self.ctx
        ctx.arrivals += 1
        packet = Packet(state.accepted, payload, fack, ctx.arrivals, ctx.clock_at(settled))
        state.packets[packet.index] = packet
        state.accepted += 1
        self.qp.book.add(payload, self.qp, packet)
        self.schedule()

    def waiting(self) -> int | None:
        """First packet that certainly has to be sent, None if there is none or the queue pair must not."""
        state = self.state
        if self.fatal or self.fatal_choice or self.fatal_duty is not None or not self.qp.config.enabled:
            return None
        index = state.next
        for rewind in state.rewinds:
            if rewind.optional:
                continue
            if rewind.not_before > self.ctx.now:
                return None
            index = min(index, max(rewind.start, state.una))
        index = max(index, state.una)
        return index if index < state.accepted else None

    def schedule(self) -> None:
        """Tell the arbiter what this queue pair has waiting."""
        index = self.waiting()
        if index is None or not self.qp.rate_open():
            self.qp.arbiter.remove(self.qp.number)
            return
        packet = self.state.packets[index]
        clock = max(packet.clock, self.clock)
        self.qp.arbiter.place(self.qp.number, self.qp.bank, packet.age, clock)

    def missing(self) -> tuple[str, str]:
        """Rule and words of what is missing when this queue pair does not go on."""
        state = self.state
        for rewind in state.rewinds:
            if not rewind.optional:
                return rewind.rule, f"PSN {state.psn(max(rewind.start, state.una)):#x} again"
        if state.next < state.top:
            return "RCL-045", f"PSN {state.psn(state.next):#x} again"
        return "RCL-056", f"request with PSN {state.psn(state.next):#x}"

    def turned_fatal(self) -> None:
        """Nothing may leave any more."""
        self.fatal = True
        self.fatal_choice = False
        self.qp.shared.fatal.add(self.qp.number)
        self.clock = self.ctx.clock()

    def renumber(self, first: int) -> State:
        """Start anew without packets, with PSN ``first``; returns what is forgotten."""
        former = self.state
        for packet in former.packets.values():
            self.qp.book.drop(packet)
        self.ctx.deadlines.void(self.fatal_duty)
        self.fatal_duty = None
        self.fatal_choice = False
        self.qp.arbiter.remove(self.qp.number)
        self.state = State(first)
        return former
