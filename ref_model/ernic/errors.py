"""Error buffer and fatal error queue in memory (requirements section 15)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from ref_model.deadlines import Must
from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import Context
from ref_model.rocev2.psn import psn_diff
from ref_model.rules import Scope

SYNDROME_MAC, SYNDROME_IP_VERSION, SYNDROME_IHL = 1 << 0, 1 << 2, 1 << 3
DOCUMENTED = SYNDROME_MAC | SYNDROME_IP_VERSION | SYNDROME_IHL
IPKTERR_ENTRY_BYTES = 8
NAK_ACCESS = 0x62

#: Good frames remembered in case the DUT refuses one of them.
SUSPECTS = 64
#: PSN of a suspicion that any refusal of its QP may be about.
ANY_PSN = -1


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What is special about a good frame: the rule its refusal would break, by how it would be refused.

    ``dropped``: without an answer; ``access``, ``invalid``: with that NAK; ``lost``: on its way, which is
    the least telling. Empty: nothing special.
    """

    qp: int
    psn: int
    dropped: str = ""
    access: str = ""
    invalid: str = ""
    lost: str = ""


@dataclass(slots=True, eq=False)
class BadFrame:
    """A frame that failed validation, or may have: it must or may leave an error buffer entry.

    ``sure``: its entry is owed, else allowed if all errors are logged; ``fatal``: it may turn its QP fatal,
    and then it is logged in any case. ``syndrome``: the bit the entry must show, 0 when that is open;
    ``further``: bits of faults of lower precedence, which it may show too; ``may``: documented bits it can
    have at all; ``blank``: it can have none of them, where ``syndrome`` leaves that open.
    """

    rule: str
    why: str
    sure: bool = False
    fatal: bool = False
    syndrome: int = 0
    further: int = 0
    may: int = 0
    blank: bool = True
    duty: Must | None = field(default=None, init=False)

    def fits(self, documented: int) -> bool:
        """Return whether an entry with these documented syndrome bits can be the one of this frame."""
        if self.syndrome:
            return documented & ~self.further == self.syndrome
        return not documented & ~self.may if documented else self.blank

    @property
    def bit_rule(self) -> str:
        """Rule of the syndrome: one fault shows its bit, of several the one of lowest precedence number."""
        return "ERN-102" if self.further else "ERN-154"

    @property
    def possible(self) -> int:
        """Number of documented bits its entry may show."""
        return (self.may | self.syndrome).bit_count()


class ErrorBuffer:
    """Ring of ERRBUFSZ entries: one per frame that failed validation."""

    def __init__(self, ctx: Context, values: RegisterValues) -> None:
        """Start empty."""
        self._ctx = ctx
        self._values = values
        self.scope = Scope("error buffer")
        self._last_good: deque[Suspicion] = deque(maxlen=SUSPECTS)
        self._waiting: deque[BadFrame] = deque(maxlen=4096)
        self.entries = 0
        self._free = False  # frames nobody judges may leave entries
        self._adrift = False  # nor is known where the next one goes

    def let_go(self, adrift: bool = False) -> None:
        """Entries need no cause any more and none is owed; ``adrift``: memory refused to store one."""
        self._free = True
        self._adrift = self._adrift or adrift
        self._waiting.clear()
        self._ctx.deadlines.void_all(self.scope)

    def area(self) -> tuple[int, int]:
        """Return (first address, bytes) of the ring."""
        count, size = self._shape()
        return self._base(), count * size

    def behind(self, addr: int) -> bool:
        """Return whether ``addr`` is where one entry more would be."""
        first, length = self.area()
        return 0 <= addr - first - length < self._shape()[1]

    def _base(self) -> int:
        return self._values.get("GLOBAL", "ERRBUFBAMSB") << 32 | self._values.get("GLOBAL", "ERRBUFBA")

    def _shape(self) -> tuple[int, int]:
        word = self._values.get("GLOBAL", "ERRBUFSZ")
        return word & 0xFFFF, word >> 16

    def _log_all(self) -> bool:
        return bool(self._values.get("GLOBAL", "XRNICCONF") >> 5 & 1)

    def expect(self, frame: BadFrame) -> None:
        """``frame`` came in: its entry may or must follow."""
        if self._free or not (frame.sure or frame.fatal or self._log_all()):
            return
        if frame.sure and self.area()[1]:
            frame.duty = self._ctx.deadlines.must(
                frame.rule, "an error buffer entry", frame.why, self.scope, self._ctx.liveness()
            )
        self._waiting.append(frame)

    def write(self, addr: int, data: bytes) -> None:
        """Judge a write into the ring; only the one at the start of an entry counts as a new entry."""
        rules = self._ctx.rules
        if self._adrift:
            rules.observe("ERN-153")
            return
        count, size = self._shape()
        offset = addr - self._base()
        if offset + len(data) > count * size:
            rules.fail(
                "ERN-153",
                f"inside {count} x {size} bytes",
                f"{len(data)} bytes at offset {offset:#x}",
                "ring",
                self.scope,
            )
            return
        if offset % size:
            slot = (self.entries - 1) % count
            rules.eq("ERN-153", slot, offset // size, "the rest of the entry just begun", self.scope)
            return
        if not rules.eq(
            "ERN-153", self.entries % count, offset // size, "entries follow each other", self.scope
        ):
            return
        self.entries += 1
        syndrome = int.from_bytes(data[:8].ljust(8, b"\0"), "little")
        self._match(syndrome)

    def _match(self, syndrome: int) -> None:
        """Find the frame of a new entry: the oldest that must have one, else one that may."""
        rules = self._ctx.rules
        if self._free:
            rules.observe("ERN-151")
            return
        owed = next((frame for frame in self._waiting if frame.sure), None)
        seen = syndrome & DOCUMENTED
        if owed is not None and owed.fits(seen):
            self._close(owed)
            if owed.syndrome:
                why = (
                    "documented syndrome bit" if not owed.further else "fault of the lowest precedence number"
                )
                rules.met(owed.bit_rule, why, self.scope, knob="ERRBUF_LAYOUT")
            return
        able = [frame for frame in self._waiting if not frame.sure and frame.fits(seen)]
        free = min(able, key=lambda frame: frame.possible, default=None)  # keeps those that fit more
        if free is not None:
            self._close(free)
        elif owed is not None:
            if any(frame.sure and frame.fits(seen) for frame in self._waiting if frame is not owed):
                what = f"that of a later frame, syndrome {syndrome:#x}"
                rules.fail(owed.rule, "its entry", what, owed.why, self.scope)
            else:
                rules.eq(owed.bit_rule, owed.syndrome, seen, owed.why, self.scope, knob="ERRBUF_LAYOUT")
            self._close(owed)
        else:
            rule = self.suspect() if self._log_all() else "ERN-152"
            rules.fail(rule, "no entry", f"syndrome {syndrome:#x}", "no frame that is logged", self.scope)

    def accepted(self, good: Suspicion) -> None:
        """A good frame came in: remember what its refusal would break."""
        self._last_good.append(good)

    def answered(self, qp: int, psn: int) -> None:
        """The DUT acknowledged ``psn`` of ``qp``: that frame was not refused, nor was any before it."""
        done = 0
        for number, good in enumerate(self._last_good, 1):
            if good.qp == qp and good.psn != ANY_PSN and psn_diff(good.psn, psn) <= 0:
                done = number
        for _ in range(done):
            self._last_good.popleft()

    def suspect(self) -> str:
        """Return what an entry for a good frame breaks, by the oldest one not answered that was special."""
        told = [rule for good in self._last_good for rule in (good.dropped, good.access, good.invalid)]
        told += [good.lost for good in self._last_good]
        return next((rule for rule in told if rule), "ERN-151")

    def suspect_lost(self, qp: int, psn: int) -> str:
        """Return the rule that losing the good frame with ``psn`` of ``qp`` breaks, "" if none of its own."""
        good = next((entry for entry in self._last_good if (entry.qp, entry.psn) == (qp, psn)), None)
        return "" if good is None else good.dropped or good.lost

    def suspect_nak(self, qp: int, psn: int, syndrome: int) -> str:
        """Return what a NAK of ``syndrome`` for the good frame with ``psn`` of ``qp`` breaks."""
        mine = [entry for entry in self._last_good if entry.qp == qp and entry.psn in (psn, ANY_PSN)]
        good = next((entry for entry in mine if entry.psn == psn), mine[0] if mine else None)
        if good is None:
            return "ERN-127"
        return (good.access if syndrome == NAK_ACCESS else good.invalid) or "ERN-127"

    def _close(self, frame: BadFrame) -> None:
        self._waiting.remove(frame)
        self._ctx.deadlines.meet(frame.duty)

    def judge_pointer(self, value: int) -> None:
        """Judge ERRBUFWPTR at quiet: entries written, modulo the ring."""
        count, _ = self._shape()
        if count and self._ctx.quiet and not self._adrift:
            why = f"{self.entries} entries written"
            self._ctx.rules.eq(
                "ERN-153", self.entries % count, value % count, why, self.scope, sure=self.entries > 0
            )


class FatalQueue:
    """Ring of IPKTERRQSZ 8-byte entries: {QP [31:16], code [15:0]} in the first word."""

    def __init__(self, ctx: Context, values: RegisterValues) -> None:
        """Start empty."""
        self._ctx = ctx
        self._values = values
        self.scope = Scope("fatal error queue")
        self.entries = 0
        self.adrift = False  #: memory refused to store an entry: where the next one goes is open

    def area(self) -> tuple[int, int]:
        """Return (first address, bytes) of the ring."""
        base = self._values.get("GLOBAL", "IPKTERRQBAMSB") << 32 | self._values.get("GLOBAL", "IPKTERRQBA")
        return base, IPKTERR_ENTRY_BYTES * (self._values.get("GLOBAL", "IPKTERRQSZ") & 0xFFFF)

    def write(self, addr: int, data: bytes) -> tuple[int, int] | None:
        """Judge the place of an entry; returns (QP number, code) of a new one."""
        rules = self._ctx.rules
        base, size = self.area()
        if self.adrift:
            rules.observe("ERN-156")
            return _entry(data) if not (addr - base) % IPKTERR_ENTRY_BYTES else None
        slot = self.entries % (size // IPKTERR_ENTRY_BYTES)
        expected = base + slot * IPKTERR_ENTRY_BYTES
        if addr == expected + 4 and len(data) <= 4:
            return None  # upper word of the entry, content unknown
        if not rules.eq("ERN-156", expected, addr, f"entry {self.entries} of the ring", self.scope):
            return None
        self.entries += 1
        return _entry(data)

    def judge_pointer(self, value: int) -> None:
        """Judge IPKTERRQWPTR at quiet: entries written, modulo the ring."""
        count = self.area()[1] // IPKTERR_ENTRY_BYTES
        if count and self._ctx.quiet and not self.adrift:
            why = f"{self.entries} entries written"
            self._ctx.rules.eq(
                "ERN-156", self.entries % count, value % count, why, self.scope, sure=self.entries > 0
            )


def _entry(data: bytes) -> tuple[int, int]:
    """Return (QP number, code) of a fatal queue entry."""
    word = int.from_bytes(data[:4], "little")
    return word >> 16, word & 0xFFFF
