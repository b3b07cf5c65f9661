"""Qualification: what the pair (golden run, mutant run) says about one mutant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tb.runner.mutants import Mutant
from tb.runner.results import base_rule, headline, primary_findings

KILLED = "killed"
OTHER_RULE = "killed-by-other-rule"
NOT_ACTIVATED = "not-activated"
NOT_DETECTED = "not-detected"
INCONCLUSIVE = "inconclusive"
GOLDEN_NOT_EXERCISED = "golden-not-exercised"
GOLDEN_FAILED = "golden-failed"
NO_TEST = "test-missing"

MEANING = {
    KILLED: "the named rule saw the fault first",
    OTHER_RULE: "found, but the first finding carries a rule the manifest does not name",
    NOT_ACTIVATED: "the fault never acted: the test does not reach it",
    NOT_DETECTED: "the fault acted and nothing was found: a check is missing",
    INCONCLUSIVE: "the mutant run ended without a judged deviation (crash, time-out, lost result)",
    GOLDEN_NOT_EXERCISED: "the golden run passed but none of the named rules was decided in it",
    GOLDEN_FAILED: "the test does not pass on the golden DUT",
    NO_TEST: "the manifest names a test that does not exist",
}
"""Classes of a mutant, in words."""


@dataclass(frozen=True)
class Outcome:
    """Class of one mutant with its grounds (JSON-able by :meth:`as_dict`)."""

    number: int
    name: str
    rules: tuple[str, ...]
    test: str
    seed: int
    outcome: str
    found_rule: str | None = None
    detail: str = ""
    repeat: str = ""
    out_dir: str = ""
    bug: str | None = None
    description: str = ""

    @property
    def killed(self) -> bool:
        """Whether the mutant died by a rule it names."""
        return self.outcome == KILLED

    def as_dict(self) -> dict[str, Any]:
        """Plain data, with ``killed``."""
        return asdict(self) | {"killed": self.killed}


def classify(
    mutant: Mutant,
    seed: int,
    golden: Mapping[str, Any] | None,
    run: Mapping[str, Any] | None,
    activated: bool,
) -> Outcome:
    """Class of a mutant from its golden run, its own run, and whether its fault reported that it acted.

    Killed only if the golden run passed with one of the named rules decided, the mutant run failed by a
    finding, the fault was activated, and the earliest finding that is no consequence of another carries one
    of the named rules (a part counts as its row).
    """

    def outcome(kind: str, found: str | None = None, detail: str = "") -> Outcome:
        return Outcome(
            number=mutant.number,
            name=mutant.name,
            rules=mutant.rules,
            test=mutant.test,
            seed=seed,
            outcome=kind,
            found_rule=found,
            detail=detail or MEANING[kind],
            repeat=str((run or {}).get("repeat", "")),
            out_dir=str((run or {}).get("out_dir", "")),
            bug=mutant.bug,
            description=mutant.description,
        )

    if golden is None or run is None:
        return outcome(NO_TEST)
    if golden["verdict"] != "pass":
        return outcome(GOLDEN_FAILED, detail=f"golden: {headline(dict(golden))}")
    named = {base_rule(rule) for rule in mutant.rules}
    decided = {base_rule(rule) for rule, count in golden.get("evidence", {}).items() if count}
    if not named & decided:
        return outcome(GOLDEN_NOT_EXERCISED)
    if run["verdict"] == INCONCLUSIVE:
        return outcome(INCONCLUSIVE, detail=run.get("reason", ""))
    if not activated:
        return outcome(NOT_ACTIVATED)
    found = primary_findings(dict(run))
    if run["verdict"] == "pass":
        return outcome(NOT_DETECTED)
    if not found:
        return outcome(INCONCLUSIVE, detail=run.get("reason", "") or "failed without a finding")
    first = found[0]
    if base_rule(first["rule"]) not in named:
        return outcome(OTHER_RULE, first["rule"], first["text"])
    return outcome(KILLED, first["rule"], first["text"])


def fault_activated(out_dir: Path, number: int) -> bool:
    """Whether sim.log has the line by which the stand-in reports that fault ``number`` acted."""
    log = out_dir / "sim.log"
    if not log.is_file():
        return False
    wanted = re.compile(rf"\bmut_hit\s+{number}\b")
    with log.open(encoding="utf-8", errors="replace") as lines:
        return any(wanted.search(line) for line in lines)
