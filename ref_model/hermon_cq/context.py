"""CQ context of 64 bytes, described once in ``spec/hermon_cq/context.json``: encode, decode, print.

Sixteen big-endian dwords, dword 0 at the lowest address; bit 0 is the least significant of its dword.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from ref_model.errors import UserError
from ref_model.rules import SPEC_DIR

BYTES = 64


@dataclass(frozen=True, slots=True)
class ContextField:
    """Place of one field; ``owner`` is "sw", "hw" or "reserved"."""

    name: str
    dword: int
    msb: int
    lsb: int
    owner: str
    desc: str

    @property
    def mask(self) -> int:
        """Largest value of the field."""
        return (1 << self.msb - self.lsb + 1) - 1

    def take(self, dwords: tuple[int, ...]) -> int:
        """Value of the field in the dwords of a context."""
        return dwords[self.dword] >> self.lsb & self.mask


@cache
def fields() -> tuple[ContextField, ...]:
    """All 37 fields in the order of dwords and bits."""
    data = json.loads((SPEC_DIR / "hermon_cq" / "context.json").read_text(encoding="utf-8"))
    return tuple(ContextField(**row) for row in data["fields"])


@cache
def _by_name() -> dict[str, ContextField]:
    return {entry.name: entry for entry in fields()}


def names(owner: str) -> tuple[str, ...]:
    """Names of the fields of ``owner``."""
    return tuple(entry.name for entry in fields() if entry.owner == owner)


def field(name: str) -> ContextField:
    """Return field ``name``; raises UserError naming the known ones."""
    entry = _by_name().get(name)
    if entry is None:
        raise UserError(f"CQ context has no field {name!r}; fields: {', '.join(_by_name())}")
    return entry


def encode(values: Mapping[str, int]) -> bytes:
    """Return the 64 bytes with ``values`` by field name, 0 elsewhere.

    Raises UserError for an unknown name or a value that does not fit.
    """
    dwords = [0] * (BYTES // 4)
    for name, value in values.items():
        entry = field(name)
        if not 0 <= value <= entry.mask:
            raise UserError(f"CQ context: {name} = {value:#x}; allowed is 0 to {entry.mask:#x}")
        dwords[entry.dword] |= value << entry.lsb
    return b"".join(dword.to_bytes(4, "big") for dword in dwords)


def decode(image: bytes) -> dict[str, int]:
    """Return all 37 fields of ``image`` by name; raises UserError unless it has 64 bytes."""
    if len(image) != BYTES:
        raise UserError(f"CQ context: {len(image)} bytes; allowed are {BYTES}")
    dwords = tuple(int.from_bytes(image[at : at + 4], "big") for at in range(0, BYTES, 4))
    return {entry.name: entry.take(dwords) for entry in fields()}


def describe(values: Mapping[str, int], shown: Iterable[str] | None = None) -> str:
    """Return ``values`` in words, one ``name=value`` each; without ``shown`` all fields that are not 0."""
    chosen = [name for name in _by_name() if values.get(name)] if shown is None else list(shown)
    return " ".join(f"{field(name).name}={values.get(name, 0):#x}" for name in chosen) or "all fields 0"


def with_addresses(values: Mapping[str, int], mtt: int, db_record: int) -> dict[str, int]:
    """Return ``values`` with the fields of a 40-bit MTT address and a 64-bit DB record address, in bytes."""
    return {
        **values,
        "mtt_base_addr_h": mtt >> 32,
        "mtt_base_addr_l": (mtt & 0xFFFFFFFF) >> 3,
        "db_record_addr_h": db_record >> 32,
        "db_record_addr_l": (db_record & 0xFFFFFFFF) >> 3,
    }


def mtt_address(values: Mapping[str, int]) -> int:
    """Return the byte address of the first MTT entry, behind the MTT base."""
    return values["mtt_base_addr_h"] << 32 | values["mtt_base_addr_l"] << 3


def db_record_address(values: Mapping[str, int]) -> int:
    """Return the byte address of the DB record."""
    return values["db_record_addr_h"] << 32 | values["db_record_addr_l"] << 3


def table() -> str:
    """Return the layout as a Markdown table (docs/HERMON_CONTEXT.md shows it)."""
    rows = ["| dword | byte | bits | field | set by | meaning |", "|---|---|---|---|---|---|"]
    rows += [
        f"| {entry.dword} | {4 * entry.dword:#04x} | {entry.msb}:{entry.lsb} | {entry.name} "
        f"| {entry.owner} | {entry.desc} |"
        for entry in fields()
    ]
    return "\n".join(rows) + "\n"
