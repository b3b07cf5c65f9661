"""Order in which TYPE1 packets are sent: the oldest first, or banks in turn (section 9).

A queue pair stands in the list of its bank, by the age of its next packet, while nothing keeps that packet
from being sent: so the first entries tell what had to go before the packet that went.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from ref_model.rclink.config import BANKS, Flow

if TYPE_CHECKING:
    from ref_model.rclink.context import Context
    from ref_model.rclink.gates import Gates

Entry = tuple[int, int, int]
"""(age, queue pair, tx clock since when it may certainly go)."""


class Arbiter:
    """Packets that wait with nothing in their way, by bank."""

    def __init__(self, ctx: Context, gates: Gates) -> None:
        """``gates`` tells which flow may send."""
        self._ctx = ctx
        self._gates = gates
        self.reset()

    def reset(self) -> None:
        """Nothing waits."""
        self._waiting: dict[Flow, list[Entry]] = {bank: [] for bank in BANKS}
        self._entry: dict[int, tuple[Flow, Entry]] = {}
        self._last: Flow | None = None
        self._released: dict[int, int] = {}  # age of the latest packet a queue pair had when it was released

    def released(self, qp: int) -> None:
        """The rate lets ``qp`` go on: what it has in hand was stopped and released."""
        self._released[qp] = self._ctx.arrivals

    def place(self, qp: int, bank: Flow, age: int, clock: int) -> None:
        """The next packet of ``qp`` has ``age`` and may go since ``clock`` (tx clock)."""
        known = self._entry.get(qp)
        if known is not None:
            if known[0] is bank and known[1][0] == age and known[1][2] <= clock:
                return
            self.remove(qp)
        entry = (age, qp, clock)
        insort(self._waiting[bank], entry)
        self._entry[qp] = (bank, entry)
        self._gates.backlog(bank, True)

    def remove(self, qp: int) -> None:
        """Nothing of ``qp`` can go."""
        known = self._entry.pop(qp, None)
        if known is None:
            return
        waiting = self._waiting[known[0]]
        del waiting[bisect_left(waiting, known[1])]
        if not waiting:
            self._gates.backlog(known[0], False)

    def waits(self, bank: Flow) -> bool:
        """Return whether a packet of ``bank`` waits."""
        return bool(self._waiting[bank])

    def alone(self, bank: Flow) -> bool:
        """Return whether ``bank`` was served last, with banks in turn, and no other one waits."""
        others = any(waiting for other, waiting in self._waiting.items() if other is not bank)
        return self._ctx.device.bank_rr and self._last is bank and not others

    def first(self, bank: Flow) -> int | None:
        """Return the queue pair whose packet is the oldest that waits in ``bank``."""
        return self._waiting[bank][0][1] if self._waiting[bank] else None

    def went(self, qp: int, bank: Flow, age: int) -> None:
        """Judge that the packet of ``age`` was sent now, before those that wait still."""
        rules = self._ctx.rules
        turns = self._ctx.device.bank_rr
        last, self._last = self._last, bank
        if age <= self._released.get(qp, 0):
            beside = any(len(waiting) for waiting in self._waiting.values())
            rules.met("RCL-070", "in its old place among others", self._ctx.mac, sure=beside)
        if not turns:
            older = next(filter(None, (self._older(other, qp, age) for other in BANKS)), None)
            if older is None:
                rules.passed(("RCL-056", "RCL-059"), self._ctx.mac)
            else:
                self._overtaken("RCL-056", older, age)
            return
        older = self._older(bank, qp, age)
        if older is not None:
            self._overtaken("RCL-059", older, age)
            return
        rules.met("RCL-059", "the oldest of its bank", self._ctx.mac)
        others = [other for other in BANKS if other is not bank]
        if bank is last:
            ready = next((other for other in others if self._ready(other)), None)
            if ready is not None:
                what = f"a packet of {ready.name}"
                rules.fail("RCL-057", what, f"{bank.name} again", "another bank had one", self._ctx.mac)
            elif not any(self._waiting[other] for other in others):
                rules.met("RCL-058", "the only loaded bank goes on", self._ctx.mac)
            return
        rules.met("RCL-057", "banks in turn", self._ctx.mac, sure=last is not None and self.waits(last))
        for other in others:
            if other is not last and (older := self._older(other, qp, age)) is not None:
                self._overtaken("RCL-057", older, age)
                return

    def _overtaken(self, rule: str, older: Entry, age: int) -> None:
        what = f"packet {older[0]} of QP {older[1]}"
        if older[0] <= self._released.get(older[1], 0):
            rule = "RCL-070"
        self._ctx.rules.fail(rule, what, f"packet {age}", "the oldest packet goes first", self._ctx.mac)

    def _older(self, bank: Flow, qp: int, age: int) -> Entry | None:
        """Return a packet of ``bank`` that had to go before the one of ``age``."""
        if not self._waiting[bank] or self._waiting[bank][0][0] >= age:
            return None
        clock = self._gates.open_since(bank)
        if clock is None or not self._ctx.late(clock):
            return None
        for entry in self._waiting[bank]:
            if entry[0] >= age:
                return None
            if entry[1] != qp and self._ctx.late(entry[2]):
                return entry
        return None

    def _ready(self, bank: Flow) -> bool:
        """Return whether ``bank`` certainly had a packet to send."""
        clock = self._gates.open_since(bank)
        if clock is None or not self._ctx.late(clock):
            return False
        return any(self._ctx.late(entry[2]) for entry in self._waiting[bank][:8])
