"""Outgoing error status queue in memory: where the DUT may note its own errors (ERN-250).

Entry layout, trigger and write pointer are not public, and a DUT need not write at all: only the place is
judged.
"""

from __future__ import annotations

from ref_model.ernic.config import RegisterValues
from ref_model.rules import Rules, Scope

RULE = "ERN-250"
ENTRY_BYTES = 64
LOW_WORD = 0xFFFFFFFF


class OutgoingErrors:
    """The area of OPKTERRQBA, OPKTERRQBAMSB and OUTERRSTSQSZ."""

    def __init__(self, rules: Rules, values: RegisterValues) -> None:
        """Share ``values`` with the model."""
        self._rules = rules
        self._values = values
        self.scope = Scope("outgoing error queue")

    def area(self) -> tuple[int, int]:
        """Return (first address, bytes) of the queue."""
        base = self._values.get("GLOBAL", "OPKTERRQBAMSB") << 32 | self._values.get("GLOBAL", "OPKTERRQBA")
        return base, ENTRY_BYTES * (self._values.get("GLOBAL", "OUTERRSTSQSZ") & 0xFFFF)

    def write(self) -> None:
        """A write inside the area, where every lap has to stay."""
        self._rules.met(RULE, "written inside the outgoing error status queue", self.scope)

    def blames(self, addr: int) -> bool:
        """Return whether a stray write at ``addr`` looks like an entry: one too many, or upper bits lost."""
        base, size = self.area()
        low = base & LOW_WORD
        return bool(base) and (0 <= addr - base - size < ENTRY_BYTES or low <= addr < low + size)
