"""Status and interrupts of TYPE3: DMA_INTR_ST0, DMA_INTR_ST1, their lines and messages (section 12.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.moving import Flag
from ref_model.rclink import ports
from ref_model.rclink.messages import TYPE3_FAULT

if TYPE_CHECKING:
    from ref_model.rclink.context import Context
    from ref_model.rclink.registers import RegisterFile

RX_EMPTY, TX_EMPTY, RX_TAIL, TX_TAIL, ABNORMAL = range(5)
FAULTS = 11
#: Tails in a message of type 3.
RX_TAIL_LSB, TX_TAIL_LSB, TAIL_BITS = 18, 5, 0x1FFF
FAULT_RULES = {
    0: "RCL-139",
    2: "RCL-115",
    3: "RCL-115",
    4: "RCL-115",
    5: "RCL-114",
    6: "RCL-114",
    7: "RCL-113",
    8: "RCL-113",
    9: "RCL-114",
    10: "RCL-114",
}


class NonrStatus:
    """The two status registers as flags, and what follows from them."""

    def __init__(self, ctx: Context, values: RegisterFile) -> None:
        self._ctx = ctx
        self._values = values
        self.reset()

    def reset(self) -> None:
        """All bits 0, lines low."""
        self.events = [Flag() for _ in range(5)]
        self.faults = [Flag() for _ in range(FAULTS)]
        self.lines = {ports.NONR_INTR: 0, ports.NONR_FAULT_INTR: 0}
        self._fault_high = -1  # when the fault line was last at 1
        self._fresh_until = -1  # a line that rises until then was left over by the reset
        self.messages = 0  #: messages that may still come

    def started(self, now: int) -> None:
        """Reset ends: no status is left of what was before."""
        self._fresh_until = now + self._ctx.timing.irq_settle

    def event(self, bit: int, sure: bool = True) -> None:
        """An event of DMA_INTR_ST0 happens; whether the mask also governs its message is open."""
        self.events[bit].cause(sure)
        self.messages += 1

    def fault(self, bit: int, sure: bool = True) -> None:
        """A fault happens: its bit, the abnormal event, the fault line, a message."""
        ctx = self._ctx
        self.faults[bit].cause(sure)
        self.events[ABNORMAL].cause(sure)
        self.messages += 1
        if sure:
            what = f"fault {bit}: line or status"
            since = ctx.now
            ctx.deadlines.call_at(since + ctx.timing.liveness, lambda: self._shown(bit, what, since))

    def _shown(self, bit: int, what: str, since: int) -> None:
        """By now the fault line must have been at 1 after ``since``."""
        if not self.lines[ports.NONR_FAULT_INTR] and self._fault_high < since:
            rule = FAULT_RULES[bit]
            self._ctx.rules.fail(rule, what, "nothing", "a fault is reported", self._ctx.client)
            self.faults[bit].reset()

    def clear(self, register: str, bits: int) -> None:
        """Software wrote ones to a status register."""
        for bit, flag in enumerate(self.events if register == "DMA_INTR_ST0" else self.faults):
            if bits >> bit & 1:
                flag.clear()

    def read(self, register: str, value: int) -> None:
        """Judge a read of a status register."""
        rules, scope = self._ctx.rules, self._ctx.client
        events = register == "DMA_INTR_ST0"
        flags = list(enumerate(self.events if events else self.faults))
        flags.sort(key=lambda entry: entry[1].possible()[0])  # those that must be set first
        for bit, flag in flags:
            seen = value >> bit & 1
            rule = (
                ("RCL-139" if bit == ABNORMAL else "RCL-116") if events else FAULT_RULES.get(bit, "RCL-139")
            )
            if not flag.possible()[seen]:
                rules.fail(rule, f"{register}[{bit}] = {1 - seen}", seen, f"{register}[{bit}]", scope)
            else:
                rules.met(rule, f"{register}[{bit}]", scope, sure=not all(flag.possible()))
            flag.seen(seen)
        if self._ctx.quiet and not events and not self.lines[ports.NONR_FAULT_INTR] and value:
            rules.fail("RCL-139", f"{ports.NONR_FAULT_INTR} = 1", 0, "line at rest", scope)

    def _masked(self) -> list[Flag]:
        """Events that drive NONR_INTR_O, by the places of their mask bits."""
        mask = self._values.get("DMA_INT_MASK", "mask")
        places = {RX_EMPTY: 0, TX_EMPTY: 1, ABNORMAL: 2, TX_TAIL: 3, RX_TAIL: 4}
        if self._ctx.knobs["MASK_RX_TAIL_BIT"] == 2:
            places = {bit: bit for bit in range(5)}
        return [flag for bit, flag in enumerate(self.events) if mask >> places[bit] & 1]

    def _line(self, port: str) -> tuple[bool, bool]:
        """Return whether a line may be low and whether it may be high."""
        flags = self._masked() if port == ports.NONR_INTR else self.faults
        low = all(flag.possible()[0] for flag in flags)
        return low, any(flag.possible()[1] for flag in flags)

    def interrupt(self, port: str, value: int) -> None:
        """Judge an edge of a line."""
        rules, scope = self._ctx.rules, self._ctx.client
        self.lines[port] = value
        if port == ports.NONR_FAULT_INTR:
            self._fault_high = self._ctx.now
        rule = "RCL-116" if port == ports.NONR_INTR else "RCL-139"
        if value and not self._line(port)[1]:
            rule = "RCL-128" if self._ctx.now <= self._fresh_until else rule
            rules.fail(rule, f"{port} = 0", 1, "no event that drives it", scope)
        elif value:
            rules.met(rule, "an event drives its line", scope)

    def message(self, info: int, tails: tuple[set[int], set[int]]) -> None:
        """Judge an MSI message of type 3; ``tails``: values that RX and TX tail may have now."""
        rules, scope = self._ctx.rules, self._ctx.client
        if info & 31 != TYPE3_FAULT[1] or info >> 33:
            rules.fail("RCL-122", "code 1", info, "message of type 3", scope)
        elif not self.messages:
            rules.fail("RCL-122", "no message", info, "no event of TYPE3", scope)
        else:
            self.messages -= 1
            seen = (info >> RX_TAIL_LSB & TAIL_BITS, info >> TX_TAIL_LSB & TAIL_BITS)
            for name, allowed, value in zip(("RX tail", "TX tail"), tails, seen, strict=True):
                rules.one_of("RCL-122", allowed, value, f"{name} in a message", scope)

    def quiet(self) -> None:
        """All events have taken effect: lines show what the flags say."""
        rules, scope = self._ctx.rules, self._ctx.client
        for flag in (*self.events, *self.faults):
            flag.quiet()
        for port, value in self.lines.items():
            if port == ports.NONR_FAULT_INTR and not value:
                continue  # no line or no fault: the read of DMA_INTR_ST1 tells, or the time for both ends
            rule = "RCL-116" if port == ports.NONR_INTR else "RCL-139"
            if not self._line(port)[value]:
                rules.fail(rule, f"{port} = {1 - value}", value, "line at rest", scope)
