"""INTSTS, the per-QP banks and the interrupt line (requirements section 17)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from ref_model.ernic.context import Context
from ref_model.moving import Flag
from ref_model.rules import OPEN_VALUES, Scope

VALIDATION, MAD, RNR_SENT, COMPLETION, ILLEGAL_WQE, RECEIVE, FATAL, CNP = 0, 1, 3, 4, 5, 6, 7, 8

#: Rule that owns each INTSTS bit.
BIT_RULES = {
    VALIDATION: "ERN-178",
    MAD: "ERN-196",
    RNR_SENT: "ERN-179",
    COMPLETION: "ERN-181",
    ILLEGAL_WQE: "ERN-068/no_packet",
    RECEIVE: "ERN-182",
    FATAL: "ERN-180/bit",
    CNP: "ERN-198",
}
SUMMARY = frozenset({f"INTSTS[{COMPLETION}]", f"INTSTS[{RECEIVE}]"})
BANK_RULES = {"CQ": "ERN-181", "RQ": "ERN-182", "CNP": "ERN-198"}
BANK_BIT = {"CQ": COMPLETION, "RQ": RECEIVE, "CNP": CNP}
#: An event this many clocks behind a clear may have raced with it.
RACE_CLKS = 128
IMPLEMENTED = sum(1 << bit for bit in BIT_RULES)


def bank_rule(kind: str, qp: int) -> str:
    """Return the rule that owns the bank bit of ``qp``; receiving on QP1 has its own."""
    return "ERN-196" if kind == "RQ" and qp == 1 else BANK_RULES[kind]


class Interrupts:
    """Three-valued status bits and what they allow the line to be."""

    def __init__(self, ctx: Context) -> None:
        """Start with everything clear and the line low."""
        self._ctx = ctx
        self.scope = Scope("interrupts")
        self._flags = {bit: Flag() for bit in BIT_RULES}
        self._banks: dict[tuple[str, int], Flag] = {}
        #: INTSTS[4] and [6] are bits of their own, set with a bank bit, cleared by writing 1.
        self._sticky = ctx.knobs["INTSTS46_CLEAR"] == "sticky"
        self.reset()

    def reset(self) -> None:
        """All bits clear, line low."""
        for flag in self._flags.values():
            flag.reset()
        self._banks.clear()
        self.enable = 0
        self.line = 0
        self._last_possible = {0: 0, 1: -(1 << 62)}
        self._epoch = 0
        self._caused: set[str] = set()
        self._cleared: dict[tuple[str, int], int] = {}  # when (ps) a bank (or INTSTS) was cleared last
        self._announced: Counter[tuple[str, int]] = Counter()
        self._unscheduled: set[int] = set()  # QPs whose CNPSCHDSTS bit something may have cleared

    # -- causes -----------------------------------------------------------------------------------

    def raise_bit(self, bit: int, sure: bool = True) -> None:
        """An event begins that sets INTSTS[bit]."""
        self._touch()
        self._flags[bit].cause(sure)
        if sure:
            self._caused.add(BIT_RULES[bit])
            self._flags[bit].raced = self._behind_clear("INTSTS", 0)
        self._touch()

    def let_go(self, qp: int | None) -> None:
        """``qp`` is not judged any more: it may set its bank bits and any status bit at any time.

        None: the status bits only.
        """
        self._touch()
        for flag in self._flags.values():
            flag.free = True
        for kind in BANK_RULES:
            if qp is not None:
                self._announced.pop((kind, qp), None)
                self._banks.setdefault((kind, qp), Flag()).let_go()
        self._touch()

    def announce(self, kind: str, qp: int) -> None:
        """An event that will set the bank bit of ``qp`` has begun; its data are still on their way."""
        self._announced[kind, qp] += 1

    def bank(self, kind: str, qp: int, sure: bool = True) -> None:
        """An event begins that sets the bank bit of ``qp`` and with it the summary bit."""
        if sure and self._announced[kind, qp]:
            self._announced[kind, qp] -= 1
        self._touch()
        flag = self._banks.setdefault((kind, qp), Flag())
        sure = sure and not flag.free
        flag.cause(sure)
        if kind == "CNP" or self._sticky:
            self._flags[BANK_BIT[kind]].cause(sure)
        if sure:
            self._caused.add(bank_rule(kind, qp))
            flag.raced = self._behind_clear(kind, qp // 32)
        self._touch()

    def _behind_clear(self, kind: str, bank: int) -> bool:
        """Return whether a bank (or INTSTS) was cleared so short ago that an event now may race with it."""
        cleared = self._cleared.get((kind, bank))
        return cleared is not None and self._ctx.now - cleared <= RACE_CLKS * self._ctx.timing.period

    # -- software ---------------------------------------------------------------------------------

    def write_enable(self, value: int) -> None:
        """INTEN was written."""
        self._touch()
        self.enable = value & IMPLEMENTED
        self._touch()

    def clear_status(self, value: int) -> None:
        """INTSTS was written: 1 clears; bits 4 and 6 follow their banks (INTSTS46_CLEAR)."""
        self._touch()
        self._cleared["INTSTS", 0] = self._ctx.now
        for bit, flag in self._flags.items():
            if value >> bit & 1:
                flag.clear()
            else:
                flag.keep()
        if value >> CNP & 1:
            self.unschedule("w1c8")
        self._touch()

    def unschedule(self, action: str, qps: Collection[int] | None = None, begun: bool = False) -> None:
        """Something happened that clears CNPSCHDSTS bits if CNP_CLEAR says so.

        ``action``: w1c8 (INTSTS[8] written 1), cnp_tx (a CNP left through QP1) or bank (the bank register
        written 1), for the bits of ``qps`` (None: all). ``begun``: it may take effect any time from now on.
        """
        knob = self._ctx.knobs["CNP_CLEAR"]
        self._touch()
        for (kind, qp), flag in self._banks.items():
            if kind != "CNP" or (qps is not None and qp not in qps):
                continue
            if flag.state == Flag.ONE:
                self._unscheduled.add(qp)
            if knob == action and not begun:
                flag.clear()
            elif knob in (action, "report") and flag.state == Flag.ONE:
                flag.state = Flag.EITHER
        self._touch()

    def clear_bank(self, kind: str, bank: int, value: int) -> None:
        """A bank register was written: 1 clears."""
        self._touch()
        self._cleared[kind, bank] = self._ctx.now
        for bit in range(32):
            flag = self._banks.get((kind, 32 * bank + bit))
            if flag is None:
                continue
            if value >> bit & 1:
                flag.clear()
            else:
                flag.keep()
        self._touch()

    def read_status(self, value: int) -> None:
        """Judge a read of INTSTS and narrow the bits to it."""
        rules = self._ctx.rules
        rules.eq("ERN-185", 0, value & ~IMPLEMENTED, "reserved bits of INTSTS", self.scope)
        for bit, rule in BIT_RULES.items():
            observed = value >> bit & 1
            zero, one = self._bit(bit)
            self._judge_bit(rule, zero, one, observed, f"INTSTS[{bit}]", self._flags[bit])
            if (bit not in (COMPLETION, RECEIVE) or self._sticky) and (one if observed else zero):
                self._flags[bit].seen(observed)
        self._touch()

    def read_bank(self, kind: str, bank: int, value: int) -> None:
        """Judge a read of a bank register and narrow its bits."""
        for bit in range(32):
            key = (kind, 32 * bank + bit)
            observed = value >> bit & 1
            flag = self._banks.get(key)
            zero, one = flag.possible() if flag is not None else (True, False)
            if flag is None and not observed:
                continue
            rule, where = bank_rule(kind, key[1]), f"{kind} bank {bank + 1} bit {bit}"
            if kind == "CNP" and key[1] in self._unscheduled:
                self._judge_unscheduled(key[1], zero, one, observed)
            else:
                if observed and not one and self._in_other_bank(kind, bit):
                    self._ctx.rules.fail("ERN-018", 0, 1, f"{where}: set in another bank", self.scope)
                self._judge_bit(rule, zero, one, observed, where, flag)
            if flag is not None and (one if observed else zero):
                flag.seen(observed)
        self._touch()

    def _judge_unscheduled(self, qp: int, zero: bool, one: bool, observed: int) -> None:
        """Judge a CNPSCHDSTS bit that something may have cleared, by CNP_CLEAR."""
        if self._ctx.knobs["CNP_CLEAR"] == "report":
            self._ctx.rules.observe("ERN-202")
        elif zero != one:
            why = f"CNPSCHDSTS bit of QP {qp} after what may clear it"
            self._ctx.rules.eq("ERN-202", int(one), observed, why, self.scope)
        else:
            return
        self._unscheduled.discard(qp)

    def _in_other_bank(self, kind: str, bit: int) -> bool:
        """Return whether ``bit`` of any bank of ``kind`` is set for certain."""
        return any(
            name == kind and number % 32 == bit and not flag.possible()[0]
            for (name, number), flag in self._banks.items()
        )

    def _judge_bit(
        self, rule: str, zero: bool, one: bool, observed: int, where: str, flag: Flag | None
    ) -> None:
        rules, scope = self._ctx.rules, self.scope
        if observed and not one:
            if (rule == BANK_RULES["RQ"] or where.startswith("RQ")) and self._early("RQ"):
                rules.fail("ERN-144", 0, 1, f"{where}: the payload is not in memory yet", scope)
            elif where in SUMMARY and rule in self._caused and not self._sticky:
                rules.fail("ERN-183", 0, 1, f"{where}: every bank bit behind it is clear", scope)
            elif flag is not None and flag.cleared:
                rules.fail("ERN-006", 0, 1, f"{where} was cleared by writing 1", scope)
            else:
                rules.fail("ERN-185", 0, 1, f"{where}: no event sets it", scope)
        elif not observed and not zero:
            kept = flag is not None and flag.kept
            if where in SUMMARY:
                rule = "ERN-183"
            if self._raced(where, flag) and self._ctx.knobs["M_RULES"] not in OPEN_VALUES:
                why = f"{where}: its event came close behind a clear"
                rules.fail("ERN-184", 1, 0, why, scope)
                return
            why = f"{where} was set, only others were cleared" if kept else f"{where}: its event happened"
            rules.fail("ERN-006" if kept else rule, 1, 0, why, scope)
        elif zero != one:
            if where in SUMMARY:
                rules.met("ERN-183", f"{where} follows INTSTS46_CLEAR", scope)
            if observed:
                rules.met(rule, f"{where} follows its event", scope, sure=rule in self._caused)
            if observed and flag is not None and flag.raced:
                rules.met("ERN-184", f"{where} is not lost behind a clear", scope, knob="M_RULES")
            rules.met("ERN-185", "no status bit without cause", scope, sure=not observed)

    def _raced(self, where: str, flag: Flag | None) -> bool:
        """Return whether an event close behind a clear must have set the bit, or one that it sums up."""
        if where not in SUMMARY:
            return flag is not None and flag.raced
        kind = "CQ" if where == f"INTSTS[{COMPLETION}]" else "RQ"
        banks = (bank for (name, _), bank in self._banks.items() if name == kind)
        return any(bank.raced and not bank.possible()[0] for bank in banks)

    def _early(self, kind: str) -> bool:
        """Return whether an event of ``kind`` waits for its data."""
        return any(count for (name, _), count in self._announced.items() if name == kind)

    # -- the line ---------------------------------------------------------------------------------

    def _bit(self, bit: int) -> tuple[bool, bool]:
        """Return whether INTSTS[bit] may be 0 and may be 1."""
        if bit in (COMPLETION, RECEIVE) and not self._sticky:
            kind = "CQ" if bit == COMPLETION else "RQ"
            zero, one = True, False
            for (name, _), flag in self._banks.items():
                if name == kind:
                    low, high = flag.possible()
                    zero, one = zero and low, one or high
            return (zero, one) if self._ctx.knobs["INTSTS46_CLEAR"] == "or_of_banks" else (True, True)
        return self._flags[bit].possible()

    def _line(self) -> tuple[bool, bool]:
        """Return whether the line may be low and may be high."""
        low, high = True, False
        for bit in BIT_RULES:
            if self.enable >> bit & 1:
                zero, one = self._bit(bit)
                low, high = low and zero, high or one
        return low, high

    def _touch(self) -> None:
        """Note what the line may be now; a definite level has to show within INTR_SETTLE."""
        low, high = self._line()
        now = self._ctx.now
        if low:
            self._last_possible[0] = now
        if high:
            self._last_possible[1] = now
        self._epoch += 1
        if low != high and (level := int(high)) != self.line:
            epoch = self._epoch
            self._ctx.deadlines.call_at(
                now + self._ctx.timing.irq_settle, lambda: self._settled(epoch, level)
            )

    def _settled(self, epoch: int, level: int) -> None:
        if epoch == self._epoch:
            why = "rnic_intr = OR(INTSTS and INTEN)"
            self._ctx.rules.eq("ERN-177", level, self.line, why, self.scope)

    def only(self, bit: int) -> bool:
        """Return whether no enabled bit but ``bit`` can be 1 now."""
        return not any(
            self.enable >> other & 1 and self._bit(other)[1] for other in BIT_RULES if other != bit
        )

    def edge(self, level: int) -> None:
        """Judge an edge of rnic_intr."""
        low, high = self._line()
        possible = high if level else low
        self.line = level
        recent = self._ctx.now - self._last_possible[level] <= self._ctx.timing.irq_settle
        why = "an enabled status bit can be set" if level else "every enabled status bit can be clear"
        early = level and self.enable >> RECEIVE & 1 and self._early("RQ")
        rule = "ERN-144" if early and not (possible or recent) else "ERN-177"
        if not level and not (possible or recent) and self._kept():
            rule = "ERN-006"
        self._ctx.rules.eq(rule, True, possible or recent, f"rnic_intr = {level}: {why}", self.scope)
        self._touch()

    def _kept(self) -> bool:
        """Return whether an enabled bit is set for certain while software cleared only its neighbours."""
        banks = any(
            flag.kept and not flag.possible()[0] and self.enable >> BANK_BIT[kind] & 1
            for (kind, _), flag in self._banks.items()
        )
        status = (flag for bit, flag in self._flags.items() if self.enable >> bit & 1)
        return banks or any(flag.kept and not flag.possible()[0] for flag in status)

    def quiet(self) -> None:
        """All causes so far have taken effect."""
        self._touch()
        for flag in self._flags.values():
            flag.quiet()
        for flag in self._banks.values():
            flag.quiet()
        self._touch()
