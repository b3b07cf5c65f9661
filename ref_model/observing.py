"""What every model needs: rules, windows, obligations, and the time in which the bench holds the DUT up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ref_model.deadlines import Deadlines
from ref_model.held_up import HeldUp
from ref_model.rules import Rules, Scope
from ref_model.timing import Timing

#: Refused inputs remembered so that what comes of one names the rule that forbade it.
REFUSALS = 64


@dataclass(frozen=True, slots=True)
class Refusal:
    """Bytes a refused input would have written (from address ``first``), and the rule that refused it."""

    first: int
    length: int
    rule: str
    why: str
    scope: Scope
    data: bytes = b""


@dataclass(slots=True)
class Observing:
    """Shared state of one model instance; a target adds its own."""

    rules: Rules
    timing: Timing
    knobs: Mapping[str, Any]
    #: When the bench kept outputs from leaving; ``excused``: that, and what is judged by a limit of its own.
    held: HeldUp = field(default_factory=HeldUp)
    excused: HeldUp = field(default_factory=HeldUp)
    deadlines: Deadlines = field(init=False)
    now: int = 0
    quiet: bool = False

    def __post_init__(self) -> None:
        """Obligations are excused while the bench holds the DUT up."""
        self.deadlines = Deadlines(self.rules, self.excused.total)

    def liveness(self) -> int:
        """Deadline (ps) of something owed from now on, without a time of its own."""
        return self.now + self.timing.liveness

    def advance(self, now: int) -> None:
        """Nothing can come any more before ``now`` (ps)."""
        if now > self.now:
            self.deadlines.advance(now)
            self.now = now
        self.rules.now = now

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
