"""What the model of every target needs: rules, windows, obligations, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ref_model.deadlines import Deadlines, Must
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
    deadlines: Deadlines = field(init=False)
    now: int = 0
    quiet: bool = False

    def __post_init__(self) -> None:
        """Obligations are excused while the bench holds the DUT up."""
        self.deadlines = Deadlines(self.rules, self.excused_until, self.blame)

    def excused_until(self, now: int) -> int:
        """Time (ps) before ``now`` in which the bench held the DUT up: deadlines move by it."""
        return 0

    def blame(self, duty: Must) -> str:
        """Return the rule that ``duty`` breaks when it is overdue."""
        return duty.rule

    def liveness(self) -> int:
        """Deadline (ps) of something owed from now on, without a time of its own."""
        return self.now + self.timing.liveness

    def advance(self, now: int) -> None:
        """Nothing can come any more before ``now`` (ps)."""
        if now > self.now:
            self.deadlines.advance(now)
            self.now = now
        self.rules.now = now
