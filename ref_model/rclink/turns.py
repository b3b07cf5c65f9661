"""Which queue pairs owe an ACK, and whether they are served in turn (section 7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ref_model.rclink.context import Context
    from ref_model.rules import Scope

#: Answers to later requests of one other queue pair after which a waiting one has missed its turn. One walk
#: gives one of them; what was on its way does not make it four.
MISSED = 4


@dataclass(slots=True)
class Turn:
    """One queue pair that waits."""

    since: int  #: when (ps) its oldest request came
    clock: int  #: tx clock by which the DUT knows of that
    scope: Scope
    latest: int = 0  #: when (ps) its latest request came
    idle: int | None = None  #: since when (ps) the DUT has called itself idle meanwhile
    passed: dict[int, int] = field(default_factory=dict)  #: answers to later requests, by queue pair


class Turns:
    """Queue pairs with a request to acknowledge."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.waiting: dict[int, Turn] = {}

    def asked(self, number: int, clock: int, scope: Scope) -> None:
        """Queue pair ``number`` owes an ACK for a request that is known at tx ``clock``."""
        now = self._ctx.now
        self.waiting.setdefault(number, Turn(now, clock, scope)).latest = now

    def end(self, number: int) -> None:
        """It owes none."""
        self.waiting.pop(number, None)

    def answered(self, number: int) -> None:
        """Judge the idle flag by the ACK that leaves: with no request since, it was pending all the time."""
        turn = self.waiting.get(number)
        if turn is not None and turn.idle is not None and turn.latest < turn.idle:
            why = "an ACK was pending"
            self._ctx.rules.fail("RCL-129", "RCLINK_IDLE_O[1] = 0", 1, why, turn.scope)

    def served(self, number: int, clock: int) -> None:
        """Judge that ``number`` is answered for a request known at tx ``clock`` while others wait."""
        ctx = self._ctx
        for other, turn in self.waiting.items():
            if other == number:
                continue
            ctx.rules.met("RCL-098", "one of several that wait", turn.scope)
            if turn.clock >= clock or not ctx.late(turn.clock):
                continue
            turn.passed[number] = turn.passed.get(number, 0) + 1
            if turn.passed[number] == MISSED:
                what, seen = f"an ACK of QP {other}", f"ACK {MISSED} of QP {number} meanwhile"
                ctx.rules.fail("RCL-098", what, seen, "queue pairs are served in turn", turn.scope)
