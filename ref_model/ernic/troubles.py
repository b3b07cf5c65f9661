"""What one QP goes through that must not touch the others (requirements section "Isolation between QPs")."""

from __future__ import annotations


class Troubles:
    """The latest deaths and waits of QPs.

    A QP that owes a packet and has sent none since another one ran into trouble breaks the rule of isolation
    that belongs to that trouble.
    """

    def __init__(self) -> None:
        """Start without any."""
        self.count = 0
        #: (number, QP, rule) of the last trouble, and of the last one of any other QP.
        self._last: list[tuple[int, int, str]] = []

    def died(self, qp: int) -> None:
        """``qp`` turned fatal."""
        self._add(qp, "ERN-236")

    def waits(self, qp: int) -> None:
        """``qp`` was told to wait (RNR), or resends because nobody answered."""
        self._add(qp, "ERN-237")

    def congested(self, qp: int) -> None:
        """A CNP told ``qp`` to slow down."""
        self._add(qp, "ERN-200")

    def erred(self, qp: int) -> None:
        """Memory answered an access for ``qp`` with an error."""
        self._add(qp, "ERN-217/others")

    def _add(self, qp: int, rule: str) -> None:
        self.count += 1
        others = [entry for entry in self._last if entry[1] != qp]
        self._last = [(self.count, qp, rule), *others[:1]]

    def rule_since(self, position: int, qp: int) -> str:
        """Return the rule that protects ``qp`` from the last trouble of another one after ``position``.

        ``position``: value of ``count`` at that time. Empty if there was none.
        """
        rules = (rule for number, other, rule in self._last if other != qp and number > position)
        return next(rules, "")
