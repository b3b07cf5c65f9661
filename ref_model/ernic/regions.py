"""Memory region table: key, protection domain, range and access (requirements section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import GRANTED
from ref_model.rules import Rules
from ref_model.wire import Reth

ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of a region check: where the data goes, or which rule denies it.

    ``beyond``: the key names no row of the table. The DUT may refuse it, or take the row modulo the table,
    and then the rest of the verdict is that of the row; how it answers is open.
    """

    address: int
    denied: bool = False
    rule: str = ""
    why: str = ""
    beyond: bool = False
    #: (first byte, length) ranges a DUT that forgot the check would touch
    would_be: tuple[tuple[int, int], ...] = ()


class Regions:
    """Checks against the rows as the registers hold them now."""

    def __init__(self, values: RegisterValues, knobs: Mapping[str, Any], rules: Rules) -> None:
        """Read rows from ``values``."""
        self._values = values
        self._knobs = knobs
        self._rules = rules
        #: Rows whose key came in a SEND_INV: they go on working (ERN-038).
        self.invalidated: set[int] = set()

    def check_write(self, reth: Reth, pd: int) -> Verdict:
        """Check an inbound WRITE of ``reth`` on a QP of protection domain ``pd``, as ``check`` does."""
        return self.check(reth, pd, ACCESS_WRITE)

    def check(self, reth: Reth, pd: int, operation: int) -> Verdict:
        """Check an inbound WRITE or READ (``operation`` ACCESS_WRITE, ACCESS_READ) on a QP of domain ``pd``.

        Row = R_Key[31:8], tag = R_Key[7:0]; the whole message is checked at its first packet.
        """
        row = reth.rkey >> 8
        rows = int(self._knobs["MR_ROWS"])
        if reth.length == 0:
            return Verdict(0)
        if row >= rows:
            where = self._translate(row % rows, reth)
            why = f"row {row:#x} of a table of {rows}"
            denied = bool(self._fault(row % rows, reth, pd, operation)[0])
            return Verdict(where, denied, "ERN-028", why, True, ((where, reth.length),))
        address = self._translate(row, reth)
        rule, why = self._fault(row, reth, pd, operation)
        if rule:
            return Verdict(address, True, rule, why, would_be=((address, reth.length),))
        if row in self.invalidated:
            self._rules.tempt("ERN-038", GRANTED)
        for passed in ("ERN-027", "ERN-029", "ERN-030", "ERN-031", "ERN-032/defined"):
            self._rules.tempt(passed, GRANTED)
        return Verdict(address, would_be=((address, reth.length),))

    def denies(self, reth: Reth, pd: int) -> bool:
        """Return whether the rows as they are now refuse a WRITE of ``reth``."""
        row = reth.rkey >> 8
        return bool(reth.length) and (
            row >= int(self._knobs["MR_ROWS"]) or bool(self._fault(row, reth, pd, ACCESS_WRITE)[0])
        )

    def writable(self, pd: int) -> bool:
        """Return whether a row of protection domain ``pd`` with a length allows writing (SEND_CHECKS_MR)."""
        for row in range(int(self._knobs["MR_ROWS"])):
            access = self._get("ACCESSDESC", row)
            length = (access >> 16) << 32 | self._get("WRRDBUFLEN", row)
            allowed = length and access & 0xF in (ACCESS_WRITE, ACCESS_BOTH)
            if allowed and self._get("PDPDNUM", row) & 0xFFFFFF == pd:
                return True
        return False

    def spans(self, pd: int) -> list[tuple[int, int]]:
        """Return (first byte, length) of the memory behind each row of protection domain ``pd``."""
        found = []
        for row in range(int(self._knobs["MR_ROWS"])):
            length = (self._get("ACCESSDESC", row) >> 16) << 32 | self._get("WRRDBUFLEN", row)
            if length and self._get("PDPDNUM", row) & 0xFFFFFF == pd:
                base = self._get("BUFBASEADDRMSB", row) << 32 | self._get("BUFBASEADDRLSB", row)
                found.append((base, length))
        return found

    def edge_rule(self, reth: Reth) -> str:
        """Return the rule that demands to allow this access, by what is special about it, "" for none."""
        row = reth.rkey >> 8
        if row >= int(self._knobs["MR_ROWS"]):
            return ""
        if row in self.invalidated:
            return "ERN-038"
        high = self._get("ACCESSDESC", row) >> 16
        if high:
            return "ERN-031"
        start = reth.va - (self._get("VIRTADDRMSB", row) << 32 | self._get("VIRTADDRLSB", row))
        return "ERN-030" if not start or start + reth.length == self._get("WRRDBUFLEN", row) else ""

    def _get(self, name: str, row: int) -> int:
        return self._values.get("MR", name, row)

    def _translate(self, row: int, reth: Reth) -> int:
        virtual = self._get("VIRTADDRMSB", row) << 32 | self._get("VIRTADDRLSB", row)
        base = self._get("BUFBASEADDRMSB", row) << 32 | self._get("BUFBASEADDRLSB", row)
        return base + reth.va - virtual & (1 << 64) - 1

    def _fault(self, row: int, reth: Reth, pd: int, operation: int) -> tuple[str, str]:
        """Return (rule, why) of the first check that fails, or empty strings."""
        access = self._get("ACCESSDESC", row)
        length = (access >> 16) << 32 | self._get("WRRDBUFLEN", row)
        virtual = self._get("VIRTADDRMSB", row) << 32 | self._get("VIRTADDRLSB", row)
        if self._get("BUFRKEY", row) & 0xFF != reth.rkey & 0xFF:
            return (
                "ERN-027",
                f"key tag {reth.rkey & 0xFF:#x}, row {row} has {self._get('BUFRKEY', row) & 0xFF:#x}",
            )
        if self._get("PDPDNUM", row) & 0xFFFFFF != pd:
            return "ERN-029", f"protection domain {pd:#x}, row {row} has {self._get('PDPDNUM', row):#x}"
        if length == 0:
            return "ERN-036", f"row {row} has length 0"
        if not (virtual <= reth.va and reth.va + reth.length <= virtual + length):
            span = f"{virtual:#x} + {length:#x}"
            rule = "ERN-031" if length >> 32 else "ERN-030"
            return rule, f"access {reth.va:#x} + {reth.length:#x} outside {span}"
        code = access & 0xF
        if code not in (operation, ACCESS_BOTH):
            return (
                "ERN-032/defined" if code < ACCESS_BOTH else "ERN-032/reserved",
                f"access code {code} forbids {'READ' if operation == ACCESS_READ else 'WRITE'}",
            )
        return "", ""
