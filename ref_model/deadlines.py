"""Obligations with a deadline: the observer's *must* list."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from ref_model.rules import Rules, Scope


@dataclass(slots=True, eq=False)
class Must:
    """One thing the DUT owes: rule, what, why, until when (ps).

    ``excused``: time (ps) held up that ``deadline`` takes into account already; None: it never moves.
    ``since``: when (ps) it began. ``clock``: tells the time held up before a moment, both in ps.
    """

    rule: str
    expected: str
    why: str
    scope: Scope
    deadline: int
    knob: str | None = None
    excused: int | None = 0
    since: int = 0
    open: bool = True
    clock: Callable[[int], int] | None = None


class Deadlines:
    """One heap for all open obligations and timed reminders of a model."""

    def __init__(
        self,
        rules: Rules,
        excused: Callable[[int], int] = lambda now: 0,
        blame: Callable[[Must], str] = lambda duty: duty.rule,
    ) -> None:
        """Report overdue obligations to ``rules``.

        ``excused(now)``: time (ps) before ``now`` in which the bench held the DUT up; deadlines move by it.
        ``blame``: the rule an overdue obligation breaks.
        """
        self._rules = rules
        self._excused = excused
        self._blame = blame
        self._heap: list[tuple[int, int, Must | Callable[[], None]]] = []
        self._order = 0
        self.open = 0

    def must(
        self,
        rule: str,
        expected: str,
        why: str,
        scope: Scope,
        deadline: int,
        knob: str | None = None,
        excusable: bool = True,
        excused: Callable[[int], int] | None = None,
    ) -> Must:
        """Open an obligation that has to be met by ``deadline``; ``excusable``: later if held up.

        ``excused``: as for all obligations, where more than the DUT as a whole can hold this one up.
        """
        now = self._rules.now
        clock = excused or self._excused
        so_far = clock(now) if excusable else None
        duty = Must(rule, expected, why, scope, deadline, knob, so_far, now, clock=clock)
        self.open += 1
        self._push(deadline, duty)
        return duty

    def call_at(self, time: int, action: Callable[[], None]) -> None:
        """Run ``action`` when merged time passes ``time``."""
        self._push(time, action)

    def _push(self, time: int, item: Must | Callable[[], None]) -> None:
        self._order += 1
        heapq.heappush(self._heap, (time, self._order, item))

    def meet(self, duty: Must | None) -> None:
        """Close ``duty`` as fulfilled; counts as evidence for its rule."""
        if duty is not None and duty.open:
            duty.open = False
            self.open -= 1
            self._rules.met(duty.rule, duty.why, duty.scope, duty.knob)

    def void(self, duty: Must | None) -> None:
        """Close ``duty`` without evidence: its cause disappeared (reset, QP gone, other hypothesis)."""
        if duty is not None and duty.open:
            duty.open = False
            self.open -= 1

    def void_all(self, scope: Scope) -> None:
        """Close every duty of ``scope`` without evidence."""
        for _, _, item in self._heap:
            if isinstance(item, Must) and item.scope is scope:
                self.void(item)

    def advance(self, now: int) -> None:
        """Turn what is overdue at ``now`` into findings and run due reminders."""
        heap = self._heap
        while heap and heap[0][0] < now:
            time, _, item = heapq.heappop(heap)
            if not isinstance(item, Must):
                self._rules.now = time
                item()
            elif item.open and not self._later(item, time):
                self._rules.now = time
                self._overdue(item)

    def _later(self, duty: Must, time: int) -> bool:
        """Move the deadline by what the DUT was held up since it was set; returns whether it moved."""
        if duty.excused is not None and duty.clock is not None:
            excused = duty.clock(time)
            duty.deadline = max(duty.deadline, time + excused - duty.excused)
            duty.excused = excused
        if duty.deadline <= time:
            return False
        self._push(duty.deadline, duty)
        return True

    def finish(self) -> None:
        """End of test: every open obligation is a finding."""
        for _, _, item in sorted(self._heap, key=lambda entry: entry[:2]):
            if isinstance(item, Must) and item.open:
                self._overdue(item)
        self._heap.clear()

    def clear(self) -> None:
        """Reset: obligations are void, reminders forgotten."""
        self._heap.clear()
        self.open = 0

    def _overdue(self, duty: Must) -> None:
        duty.open = False
        self.open -= 1
        self._rules.fail(self._blame(duty), duty.expected, "nothing", duty.why, duty.scope, knob=duty.knob)
