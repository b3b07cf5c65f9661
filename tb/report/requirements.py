"""States of requirements: what the evidence of runs and qualifications adds up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

FAILED = "failed"
NOT_EXERCISED = "not exercised"
NOT_CHECKED = "not checked"
OBSERVED = "observed"
EXERCISED = "exercised"
PROVEN = "proven"
PROVEN_TRACE = "proven by trace"
WAIVED = "waived"

# From weakest to strongest: a row with parts counts as its weakest part.
_RANK = (FAILED, NOT_EXERCISED, NOT_CHECKED, OBSERVED, EXERCISED, PROVEN_TRACE, PROVEN)

MEANING = {
    PROVEN: "decided in a passed run, and a fault that breaks it was caught by it",
    PROVEN_TRACE: "decided in a passed run, and a fault in an event log that breaks it was found by it",
    EXERCISED: "decided at least once in a passed run; never seen to fail",
    OBSERVED: "seen and logged; the specification or a knob leaves it open",
    NOT_CHECKED: "logged at most, never judged",
    NOT_EXERCISED: "no passed run decided it",
    FAILED: "a run found a deviation",
    WAIVED: "a known deviation or gap, accepted with a reason",
}
"""States in words, strongest first."""


@dataclass
class Item:
    """One requirement with its state and what the state rests on."""

    id: str
    section: str
    text: str
    basis: str
    strength: str
    state: str = NOT_EXERCISED
    exercised: int = 0
    observed: int = 0
    tests: list[str] = field(default_factory=list)
    proven_by: list[str] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)
    why: str = ""

    @property
    def is_exercised(self) -> bool:
        """Whether every part was decided in a passed run and none failed."""
        return self.state in (EXERCISED, PROVEN_TRACE, PROVEN)

    def as_dict(self) -> dict[str, Any]:
        """Entry of signoff.json."""
        return {
            "id": self.id,
            "state": self.state,
            "exercised": self.exercised,
            "tests": self.tests,
            "proven_by": self.proven_by,
            "parts": self.parts,
        }


@dataclass
class Evidence:
    """Counts per rule id (row or row/part) over runs."""

    exercised: dict[str, int] = field(default_factory=dict)
    observed: dict[str, int] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    tests: dict[str, set[str]] = field(default_factory=dict)
    proven_by: dict[str, list[str]] = field(default_factory=dict)
    traced_by: dict[str, list[str]] = field(default_factory=dict)


def gather(
    runs: Iterable[Mapping[str, Any]],
    mutants: Iterable[Mapping[str, Any]],
    traces: Iterable[Mapping[str, str]] = (),
) -> Evidence:
    """Add up runs of the unfaulted DUT, killed mutants and the trace mutants of the model's own tests.

    Only passed runs give evidence. A run's findings mark their rules as failed, consequences of earlier
    findings excepted.
    """
    evidence = Evidence()
    for run in runs:
        for finding in run.get("findings", []):
            if not finding.get("secondary"):
                evidence.failed.add(finding["rule"])
        if run["verdict"] != "pass":
            continue
        for source, target in (("evidence", evidence.exercised), ("observed", evidence.observed)):
            for rule, count in run.get(source, {}).items():
                target[rule] = target.get(rule, 0) + count
                if count:
                    evidence.tests.setdefault(rule, set()).add(run["test"])
    for mutant in mutants:
        if mutant["killed"]:
            evidence.proven_by.setdefault(mutant["found_rule"], []).append(mutant["name"])
    for trace in traces:
        evidence.traced_by.setdefault(trace["rule"], []).append(trace["name"])
    return evidence


def judge(spec: Iterable[Mapping[str, Any]], evidence: Evidence, waivers: Mapping[str, str]) -> list[Item]:
    """State of every requirement of a specification, in its order."""
    return [_item(row, evidence, waivers) for row in spec]


def _item(row: Mapping[str, Any], evidence: Evidence, waivers: Mapping[str, str]) -> Item:
    name = row["id"]
    item = Item(name, row["section"], row["text"], row.get("basis", ""), row["strength"])
    strengths = row.get("part_strength", {})
    keys = {part: f"{name}/{part}" for part in row.get("parts", [])} or {"": name}
    states = {}
    for part, key in keys.items():
        strength = strengths.get(part, {}).get("strength", row["strength"])
        states[part] = _state(key, strength, evidence)
        item.exercised += evidence.exercised.get(key, 0)
        item.observed += evidence.observed.get(key, 0)
        item.tests.extend(evidence.tests.get(key, ()))
        faults = evidence.proven_by.get(key, [])
        item.proven_by.extend(faults or [f"{name} (trace)" for name in evidence.traced_by.get(key, ())])
    item.tests = sorted(set(item.tests))
    item.proven_by = sorted(set(item.proven_by))
    # A finding may carry the row itself even where parts exist.
    weakest = FAILED if name in evidence.failed else min(states.values(), key=_RANK.index)
    item.state = weakest
    item.parts = states if "" not in states else {}
    if weakest == NOT_CHECKED:
        item.why = "observe-only: logged and covered, never fails"
    if name in waivers and weakest in (FAILED, NOT_EXERCISED):
        item.state = WAIVED
        item.why = waivers[name]
    return item


def _state(key: str, strength: str, evidence: Evidence) -> str:
    if key in evidence.failed:
        return FAILED
    if evidence.exercised.get(key):
        if evidence.proven_by.get(key):
            return PROVEN
        return PROVEN_TRACE if evidence.traced_by.get(key) else EXERCISED
    if evidence.observed.get(key):
        return OBSERVED
    return NOT_CHECKED if strength == "observe-only" else NOT_EXERCISED
