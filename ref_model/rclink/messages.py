"""Interrupts: MSI messages that are owed, the status bits of RC_INTR_O and INTR_STATUS (section 12)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.deadlines import Deadlines, Must
from ref_model.moving import Flag
from ref_model.rules import Rules, Scope
from ref_model.timing import Timing

TYPE_LSB = 31
QP_LSB = 5
CODE_BITS = 0x1F

#: Message type and code -> (rule, bit of RC_INTR_O or None); type 2 code 1 has two bits.
TX_OVERSIZE, RETRY_OVER, OVER_CREDIT, TX_DISABLED, RX_DISABLED = (1, 1), (1, 2), (1, 3), (1, 4), (1, 5)
TYPE2_TX, TYPE2_RX_OVERSIZE, TYPE2_RX_OVERFLOW = (2, 1), (2, 2), (2, 4)
TYPE3_FAULT = (3, 1)
RULES = {
    TX_OVERSIZE: "RCL-119",
    RETRY_OVER: "RCL-051",
    OVER_CREDIT: "RCL-118",
    TX_DISABLED: "RCL-120",
    RX_DISABLED: "RCL-033",
    TYPE2_TX: "RCL-119",
    TYPE2_RX_OVERSIZE: "RCL-121",
    TYPE2_RX_OVERFLOW: "RCL-121",
    TYPE3_FAULT: "RCL-139",
}
#: Rule that a message without cause breaks, where it is another one: the slot or the retry was there.
UNCAUSED = {RETRY_OVER: "RCL-050", OVER_CREDIT: "RCL-060"}
T1_OVERSIZE_BIT, T1_OVER_CREDIT_BIT, RETRY_OVER_BIT = 0, 1, 3
T2_OVERSIZE_BIT, T2_OVER_CREDIT_BIT, T2_RX_OVERSIZE_BIT = 6, 9, 12
TX_DISABLED_BIT, RX_DISABLED_BIT = 14, 15
BITS = {
    TX_OVERSIZE: T1_OVERSIZE_BIT,
    RETRY_OVER: RETRY_OVER_BIT,
    OVER_CREDIT: T1_OVER_CREDIT_BIT,
    TX_DISABLED: TX_DISABLED_BIT,
    RX_DISABLED: RX_DISABLED_BIT,
    TYPE2_RX_OVERSIZE: T2_RX_OVERSIZE_BIT,
}
BIT_RULES = {
    T1_OVERSIZE_BIT: "RCL-119",
    T1_OVER_CREDIT_BIT: "RCL-118",
    RETRY_OVER_BIT: "RCL-051",
    T2_OVERSIZE_BIT: "RCL-119",
    T2_OVER_CREDIT_BIT: "RCL-118",
    T2_RX_OVERSIZE_BIT: "RCL-121",
    TX_DISABLED_BIT: "RCL-120",
    RX_DISABLED_BIT: "RCL-033",
}
OVERFLOW_SUBTYPE = 1

Cause = tuple[int, int]


@dataclass(slots=True)
class Owed:
    """One message: its cause, the queue pair it names (None: not judged), the obligation (None: optional)."""

    cause: Cause
    qp: int | None
    duty: Must | None
    since: int = 0  #: when (ps) the cause occurred


class Messages:
    """Owed messages in order of occurrence, and the level bits they go with."""

    def __init__(self, rules: Rules, deadlines: Deadlines, timing: Timing) -> None:
        """Report to ``rules``."""
        self._rules = rules
        self._deadlines = deadlines
        self._timing = timing
        self.scope = Scope("interrupts")
        self.bits = [Flag() for _ in range(16)]
        self.reset()

    def reset(self) -> None:
        """Nothing owed, all bits 0."""
        self._owed: deque[Owed] = deque()
        self.level = 0
        self._rising: dict[int, str] = {}  # bits that have to rise, and why
        self._last_high = [-1] * 16
        self._clearing: list[tuple[int, int]] = []  # (bits, until): written 1, the level may still show
        self._fresh_until = -1  # a bit that shows until then was left over by the reset
        for flag in self.bits:
            flag.reset()

    def started(self, now: int) -> None:
        """Reset ends: no status is left of what was before, and the line shows none."""
        self._fresh_until = now + self._timing.irq_settle

    def _rule_of(self, bit: int, now: int) -> str:
        """Rule that level bit ``bit`` breaks when it is at 1 without an event."""
        return "RCL-128" if now <= self._fresh_until else BIT_RULES.get(bit, "RCL-122")

    def owe(
        self,
        cause: Cause,
        qp: int | None,
        now: int,
        rule: str = "",
        bit: int | None = None,
        sure: bool = True,
    ) -> None:
        """``cause`` occurred: one message and, where there is one, a level bit; ``sure``: certainly so."""
        rule = rule or RULES[cause]
        duty = None
        if sure:
            what = f"MSI type {cause[0]} code {cause[1]}"
            deadline = now + self._timing.liveness
            duty = self._deadlines.must(rule, what, "an event that is reported", self.scope, deadline)
        self._owed.append(Owed(cause, qp, duty, now))
        bit = BITS.get(cause) if bit is None else bit
        if bit is not None:
            self.bits[bit].cause(sure)
            if sure:
                self._rises(bit, rule, now, now)

    def _rises(self, bit: int, rule: str, since: int, now: int) -> None:
        """Level bit ``bit`` has to be at 1 some time after ``since``."""
        if not self.level >> bit & 1:
            self._rising[bit] = rule
        self._deadlines.call_at(now + self._timing.liveness, lambda: self._risen(bit, rule, since))

    def _risen(self, bit: int, rule: str, since: int) -> None:
        """By now the level bit must have been at 1 after ``since``."""
        flag = self.bits[bit]
        self._rising.pop(bit, None)
        if not self.level >> bit & 1 and self._last_high[bit] < since:
            self._rules.fail(rule, f"RC_INTR bit {bit}", "0", "an event that raises a line", self.scope)
            flag.reset()

    def sent(self, info: int, now: int) -> tuple[Cause, int]:
        """Judge one message; returns its cause and the queue pair field."""
        rules = self._rules
        cause = (info >> TYPE_LSB & 3, info & CODE_BITS)
        qp = info >> QP_LSB & 0xFFFF
        if cause[0] == 3:
            return cause, 0
        match = None
        for entry in self._owed:
            if entry.cause == cause and entry.qp in (None, qp):
                match = entry
                break
        if match is None:
            other = next((entry for entry in self._owed if entry.cause == cause), None)
            if other is not None and cause[0] == 1:
                rule = "RCL-051" if cause == RETRY_OVER else "RCL-122"
                rules.eq(rule, other.qp, qp, "queue pair of a message", self.scope)
                match = other
            elif cause in RULES and self._instead(cause, qp):
                return cause, qp
            else:
                rule = UNCAUSED.get(cause, RULES.get(cause, "RCL-122"))
                rules.fail(rule, "no message", f"type {cause[0]} code {cause[1]}", "no cause", self.scope)
                return cause, qp
        self._owed.remove(match)
        self._deadlines.meet(match.duty)
        if cause == RETRY_OVER and match.duty is None:
            self._told_by_message(match, now)
        self._form(cause, info)
        return cause, qp

    def _instead(self, cause: Cause, qp: int) -> bool:
        """Judge a message without cause by one that is owed and has another code; False: there is none."""
        for entry in self._owed:
            duty = entry.duty
            if entry.cause[0] == cause[0] and entry.qp in (None, qp) and duty is not None and duty.open:
                expected, seen = f"code {entry.cause[1]}", f"code {cause[1]}"
                self._rules.fail(duty.rule, expected, seen, "code of a message", self.scope)
                self._deadlines.void(duty)
                self._owed.remove(entry)
                return True
        return False

    def expects(self, cause: Cause, qp: int) -> bool:
        """Return whether a message of ``cause`` for ``qp`` is owed or allowed."""
        return any(entry.cause == cause and entry.qp in (None, qp) for entry in self._owed)

    def _form(self, cause: Cause, info: int) -> None:
        """Bits of a message that are constant."""
        if cause[0] == 1:
            self._rules.eq("RCL-122", 0, info >> 33, "reserved bits of a message", self.scope)
            return
        rest = info & ~(3 << TYPE_LSB | CODE_BITS | 7 << QP_LSB)
        self._rules.eq("RCL-122", 0, rest, "reserved bits of a message", self.scope)
        if cause == TYPE2_RX_OVERFLOW:
            self._rules.eq("RCL-122", OVERFLOW_SUBTYPE, info >> QP_LSB & 7, "sub-type", self.scope)

    # -- levels -----------------------------------------------------------------------------------

    def shown(self, value: int, now: int) -> None:
        """New value of RC_INTR_O."""
        changed = value ^ self.level
        self._clearing = [entry for entry in self._clearing if entry[1] >= now]
        clearing = 0
        for bits, _ in self._clearing:
            clearing |= bits
        for bit in range(16):
            if not changed >> bit & 1:
                continue
            flag, high = self.bits[bit], value >> bit & 1
            rule = self._rule_of(bit, now)
            if high:
                expected = self._rising.pop(bit, None)
                if not flag.possible()[1]:
                    rule = next(iter(self._rising.values()), rule)  # perhaps in place of another bit
                    self._rules.fail(rule, f"bit {bit} stays 0", "1", "no event that raises it", self.scope)
                else:
                    self._rules.met(BIT_RULES.get(bit, rule), "an event raises its line", self.scope)
                    if bit == RETRY_OVER_BIT and expected is None:
                        self._told_by_line(now)
                flag.seen(1)
            else:
                self._last_high[bit] = now
                held = not clearing >> bit & 1
                if held:
                    self._rules.fail(
                        "RCL-123", f"bit {bit} held", "0", "software did not clear it", self.scope
                    )
                else:
                    self._rules.met("RCL-123", "held until cleared", self.scope)
                flag.seen(0)
        self.level = value

    def _told_by_message(self, entry: Owed, now: int) -> None:
        """Retries are exhausted, says the message: the line has to rise, if it did not before."""
        bit = RETRY_OVER_BIT
        if not self.level >> bit & 1 and self._last_high[bit] < entry.since:
            self.bits[bit].cause()
            self._rises(bit, RULES[entry.cause], entry.since, now)

    def _told_by_line(self, now: int) -> None:
        """Retries are exhausted, says the line: the message has to say of which queue pair."""
        open_ones = [entry for entry in self._owed if entry.cause == RETRY_OVER]
        if len(open_ones) == 1 and open_ones[0].duty is None:
            what, deadline = f"MSI type {RETRY_OVER[0]} code {RETRY_OVER[1]}", now + self._timing.liveness
            rule, why = RULES[RETRY_OVER], "the line reports retries that are exhausted"
            open_ones[0].duty = self._deadlines.must(rule, what, why, self.scope, deadline)

    def cleared(self, mask: int, now: int) -> None:
        """Software wrote ``mask`` to INTR_STATUS."""
        self._clearing.append((mask & 0xFFFF, now + self._timing.irq_settle))
        for bit, flag in enumerate(self.bits):
            if mask >> bit & 1:
                flag.clear()

    def read(self, value: int, now: int) -> None:
        """Judge a read of INTR_STATUS."""
        for bit, flag in enumerate(self.bits):
            seen = value >> bit & 1
            if not flag.possible()[seen]:
                rule = "RCL-123" if not seen else self._rule_of(bit, now)
                self._rules.fail(
                    rule, f"INTR_STATUS[{bit}] = {1 - seen}", str(seen), "status bits", self.scope
                )
            else:
                self._rules.met("RCL-123", "status bits", self.scope, sure=not all(flag.possible()))
            flag.seen(seen)

    def quiet(self) -> None:
        """All events have taken effect; the line shows what the status says."""
        for bit, flag in enumerate(self.bits):
            flag.quiet()
            if not flag.possible()[self.level >> bit & 1]:
                rule = BIT_RULES.get(bit, "RCL-122")
                self._rules.fail(rule, f"RC_INTR bit {bit} = {1 - (self.level >> bit & 1)}", "other", "quiet")
                flag.reset()
