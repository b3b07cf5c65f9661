"""What every part of the HERMON_CQ model shares: rules, obligations, counted clocks, memory, CQs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.hermon_cq.clocks import Stalls, Ticks
from ref_model.hermon_cq.config import Choices, Config
from ref_model.memory import SparseMemory
from ref_model.observing import Observing
from ref_model.rules import Scope

if TYPE_CHECKING:
    from ref_model.hermon_cq.cq import Cq

#: Path of a prohibition that any later good EQE confirms; one of a CQ is (CQ_PATH, number).
EVENT_PATH, CQ_PATH = "eqe", "cq"


@dataclass(slots=True)
class Context(Observing):
    """Shared state of one HERMON_CQ model instance. Clocks that do not count, by what they are excused for:

    ``bus``: accesses of the DUT under way; ``slow``: these and a stalled status stream; ``held``: these and
    a running command.
    """

    config: Config = field(init=False)
    choices: Choices = field(init=False)
    ticks: Ticks = field(init=False)
    bus: Stalls = field(default_factory=Stalls)
    slow: Stalls = field(default_factory=Stalls)
    held: Stalls = field(default_factory=Stalls)
    command: Stalls = field(default_factory=Stalls)  #: accesses and commands, without the status stream
    status_stalled: tuple[int, int] = (0, 0)  #: the latest beat of the status stream: VALID to READY
    memory: SparseMemory = field(default_factory=SparseMemory)
    #: CQs that hardware owns, or may own, and the former life of each number.
    cqs: dict[int, Cq] = field(default_factory=dict)
    former: dict[int, Cq] = field(default_factory=dict)
    records: dict[int, Cq] = field(default_factory=dict)  #: CQs by the address of their DB record
    blocked: set[int] = field(default_factory=set)  #: numbers of CQs in error, or whose event waits for room
    forgotten: set[int] = field(default_factory=set)  #: numbers that were used before the latest reset
    lives: dict[int, int] = field(default_factory=dict)  #: how often each number was created
    served: int = 0  #: latest moment (ps) at which an event fell due that came in time
    hurt: bool = False  #: an access had an error response and no good result has come since
    port: Scope = field(default_factory=lambda: Scope("memory port"))
    registers: Scope = field(default_factory=lambda: Scope("registers"))

    def __post_init__(self) -> None:
        Observing.__post_init__(self)

    def excused_until(self, now: int) -> int:
        """Time (ps) before ``now`` that does not count for events, doorbells and reports."""
        return self.held.total(now)

    def blame(self, duty: Must) -> str:
        """What never comes behind an error response shows that the DUT did not survive it."""
        return "HCQ-109/survives" if self.hurt and duty.rule == "HCQ-119/reports" else duty.rule

    def access(self, begin: int, settled: int) -> None:
        """The DUT accessed memory."""
        for clock in (self.bus, self.slow, self.held, self.command):
            clock.add(begin, settled)

    def stalled(self, begin: int, settled: int) -> None:
        """A beat of the status stream waited."""
        self.slow.add(begin, settled)
        self.held.add(begin, settled)
        self.status_stalled = begin, settled

    def in_stall(self, time: int) -> bool:
        """Whether the latest beat of the status stream was held up at ``time`` (ps)."""
        return self.status_stalled[0] < time <= self.status_stalled[1]

    def reset(self) -> None:
        """The DUT was reset: nothing is owed or remembered any more, but memory and the pace of ticks."""
        self.deadlines.clear()
        for clock in (self.bus, self.slow, self.held, self.command):
            clock.clear()
        self.forgotten.update(self.cqs)
        self.cqs.clear()
        self.records.clear()
        self.blocked.clear()
        self.former.clear()
        self.lives.clear()
        self.status_stalled = (0, 0)
        self.hurt, self.served = False, 0
        self.quiet = False
