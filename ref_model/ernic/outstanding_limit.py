"""How many one-packet WQEs may wait for their acknowledgement, before and after a CNP (ERN-065, ERN-200)."""

from __future__ import annotations

from collections.abc import Sequence

from ref_model.ernic.context import Context
from ref_model.ernic.packet import Message
from ref_model.rules import Scope


class OutstandingLimit:
    """The limit of one QP, which the first CNP lowers."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """No CNP came yet."""
        self._ctx = ctx
        self._rules = ctx.rules
        self._scope = scope
        self._congested: int | None = None
        self._cnps = 0
        self._drained = False  # all WQEs acknowledged since the CNP: the limit may be back

    def congested(self, now: int) -> None:
        """A CNP came: the first one lowers the limit, later ones do nothing."""
        self._cnps += 1
        if self._congested is None or self._drained:
            self._congested = now
            self._drained = False

    def emptied(self) -> None:
        """Nothing waits for an acknowledgement any more."""
        self._drained = self._congested is not None

    @property
    def value(self) -> int:
        """The limit in force."""
        before, after = self._ctx.knobs["MAX_OUTSTANDING"]
        return int(before if self._congested is None else after)

    def tells(self, held: int) -> bool:
        """Return whether a further WQE beside ``held`` shows that later CNPs lower the limit no further."""
        return self._cnps > 1 and not self._drained and held >= self.value // 2

    def judge(self, messages: Sequence[Message], decided: int) -> None:
        """The last one of ``messages`` was begun, decided on at ``decided``."""
        if any(message.span != 1 for message in messages):
            return
        held, limit = len(messages), self.value
        rule = "ERN-065" if self._congested is None else "ERN-200"
        free = self._drained or (
            self._congested is not None and not self._ctx.reacted(self._congested, decided)
        )
        if free and held > limit:
            self._rules.observe("ERN-200")
            limit = int(self._ctx.knobs["MAX_OUTSTANDING"][0])
        sure = held == limit and not free
        self._rules.in_range(rule, 1, limit, held, "unacknowledged one-packet WQEs", self._scope, sure=sure)
