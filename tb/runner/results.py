"""Reading results of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Result = dict[str, Any]
"""Result of one run, as :func:`tb.runner.run` returns it."""


def primary_findings(result: Result) -> list[Result]:
    """Findings that are not consequences of an earlier one, earliest first."""
    own = [one for one in result.get("findings", []) if not one.get("secondary")]
    return sorted(own, key=lambda one: one["time_ps"])


def base_rule(rule: str) -> str:
    """Row of a rule id: ``ERN-114/count`` belongs to ``ERN-114``."""
    return rule.partition("/")[0]


def headline(result: Result) -> str:
    """One line on why a run did not pass; empty for a pass."""
    if result["verdict"] == "pass":
        return ""
    found = primary_findings(result)
    if found:
        return f"{found[0]['rule']}: {found[0]['text']}"
    return result.get("reason") or "no reason given"


def seeds_without_effect(results: Sequence[Result]) -> list[str]:
    """Names of tests of which two seeds gave the same stimulus: the seed does not reach the bench."""
    found: dict[tuple[str, str], int] = {}
    names: list[str] = []
    for one in results:
        digest = one.get("digests", {}).get("stimulus")
        if digest is None:
            continue
        seed = found.setdefault((one["test"], digest), one["seed"])
        if seed != one["seed"] and one["test"] not in names:
            names.append(one["test"])
    return names


def place(result: Result) -> str:
    """Which DUT a run was on: golden, a variant, a mutant, within the elastic shell."""
    words = [f"{kind} {result[kind]}" for kind in ("mutant", "variant") if result.get(kind)]
    if result.get("elastic"):
        words.append("elastic")
    return ", ".join(words) or "golden"
