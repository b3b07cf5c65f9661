"""Manifest of a stand-in: its faults (mutants) and its other legal behaviours (variants)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ref_model.errors import UserError
from tb.runner.binding import Binding
from tb.runner.knobs import suggest

MOST_RULES = 2
"""A fault names at most this many rules; naming more would let anything count as a kill."""


@dataclass(frozen=True)
class Mutant:
    """One fault: ``+MUTANT=<number>`` switches it on; ``test`` must fail by one of ``rules``."""

    number: int
    name: str
    rules: tuple[str, ...]
    test: str
    description: str
    bug: str | None = None


@dataclass(frozen=True)
class Variant:
    """One legal behaviour other than the golden one: ``+VARIANT=<number>``; every test must pass."""

    number: int
    name: str
    description: str


@dataclass(frozen=True)
class Manifest:
    """Mutants and variants of a DUT, in the order of their numbers."""

    mutants: tuple[Mutant, ...] = ()
    variants: tuple[Variant, ...] = ()


def read_manifest(binding: Binding) -> Manifest:
    """Manifest of a binding; empty when the binding names none (a foreign DUT).

    Raises:
        UserError: missing or malformed file; one line with file, entry and what is allowed.
    """
    path = binding.mutants
    if path is None:
        return Manifest()
    if not path.is_file():
        raise UserError(f"{binding.path}: mutants: {path} not found")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise UserError(f"{path}: no valid JSON: {error}") from error
    mutants = [
        Mutant(
            number=_number(path, "mutant", entry),
            name=_text(path, "mutant", entry, "name"),
            rules=_rules(path, entry),
            test=_text(path, "mutant", entry, "test"),
            description=_text(path, "mutant", entry, "description"),
            bug=entry.get("bug"),
        )
        for entry in data.get("mutants", [])
    ]
    variants = [
        Variant(
            number=_number(path, "variant", entry),
            name=_text(path, "variant", entry, "name"),
            description=_text(path, "variant", entry, "description"),
        )
        for entry in data.get("variants", [])
    ]
    for kind, entries in (("mutant", mutants), ("variant", variants)):
        for key in ("number", "name"):
            seen = [getattr(entry, key) for entry in entries]
            twice = sorted({str(one) for one in seen if seen.count(one) > 1})
            if twice:
                raise UserError(f"{path}: {kind} {key} {twice[0]} appears twice")
    return Manifest(
        tuple(sorted(mutants, key=lambda one: one.number)),
        tuple(sorted(variants, key=lambda one: one.number)),
    )


def find_mutant(binding: Binding, name: str) -> int:
    """Number of a mutant given by name or number; 0 is the golden DUT.

    Raises:
        UserError: no such mutant.
    """
    return _find(binding, "mutant", name)


def find_variant(binding: Binding, name: str) -> int:
    """Number of a variant given by name or number; 0 is the golden DUT.

    Raises:
        UserError: no such variant.
    """
    return _find(binding, "variant", name)


def _find(binding: Binding, kind: str, name: str) -> int:
    if name == "0":
        return 0
    manifest = read_manifest(binding)
    known: dict[str, int] = {
        entry.name: entry.number for entry in (manifest.mutants if kind == "mutant" else manifest.variants)
    }
    if name in known:
        return known[name]
    if name.isdigit() and int(name) in known.values():
        return int(name)
    if not known:
        raise UserError(f"{binding.label} has no {kind}s: {binding.path} names no manifest with any")
    raise UserError(
        f"unknown {kind} {name!r} of {binding.label}: {suggest(name, known)},"
        f" or a number up to {max(known.values())}"
    )


def _number(path: Any, kind: str, entry: dict[str, Any]) -> int:
    number = entry.get("number")
    if not isinstance(number, int) or not 1 <= number <= 0xFFFF:
        raise UserError(f"{path}: {kind} {entry.get('name')!r}: number = {number!r}: allowed are 1 to 65535")
    return number


def _text(path: Any, kind: str, entry: dict[str, Any], key: str) -> str:
    text = entry.get(key)
    if not isinstance(text, str) or not text:
        raise UserError(
            f"{path}: {kind} {entry.get('number')}: {key} = {text!r}: allowed is a non-empty string"
        )
    return text


def _rules(path: Any, entry: dict[str, Any]) -> tuple[str, ...]:
    rules = entry.get("rules")
    if not isinstance(rules, list) or not 1 <= len(rules) <= MOST_RULES:
        raise UserError(
            f"{path}: mutant {entry.get('number')}: rules = {rules!r}: allowed are 1 or {MOST_RULES} ids"
        )
    return tuple(rules)
