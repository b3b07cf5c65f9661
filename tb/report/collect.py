"""Collecting results: the latest regressions and qualifications of every DUT."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ref_model.errors import UserError
from tb.report.requirements import Item, gather, judge
from tb.runner import ROOT, load_binding, results_root, targets, tests_of
from tb.runner.binding import Binding
from tb.runner.mutants import Manifest, read_manifest
from tb.runner.store import SUMMARY, read_json


@dataclass
class TestRow:
    """Runs of one test in the latest regressions; 0 runs: the test did not run."""

    name: str
    doc: str
    runs: int = 0
    passed: int = 0
    inconclusive: int = 0
    last_seed: int | None = None
    repeat: str = ""

    @property
    def state(self) -> str:
        """``not run``, ``passed`` (all runs) or ``failed``."""
        if not self.runs:
            return "not run"
        return "passed" if self.passed == self.runs else "failed"


@dataclass
class VariantRow:
    """Runs on one legal variant; any finding there is a false alarm."""

    number: int
    name: str
    description: str
    runs: int = 0
    passed: int = 0

    @property
    def clean(self) -> bool:
        """Whether it ran and every run passed."""
        return self.runs > 0 and self.passed == self.runs


@dataclass
class DutReport:
    """Everything known about one DUT."""

    label: str
    binding: Binding
    regressions: list[dict[str, Any]] = field(default_factory=list)
    qualifications: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    tests: list[TestRow] = field(default_factory=list)
    mutants: list[dict[str, Any]] = field(default_factory=list)
    variants: list[VariantRow] = field(default_factory=list)
    not_checked: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Runs of the unfaulted DUT that did not pass."""
        return [run for run in self.runs if run["verdict"] != "pass"]

    @property
    def inconclusive(self) -> int:
        """Runs without a judgement, mutant runs included."""
        return sum(run["verdict"] == "inconclusive" for run in self.runs) + sum(
            one["outcome"] == "inconclusive" for one in self.mutants
        )

    @property
    def seeds(self) -> list[int]:
        """Seeds of the regressions, sorted."""
        return sorted({run["seed"] for run in self.runs})


def collect() -> list[DutReport]:
    """Reports of all targets, then of further DUTs that have results, by name."""
    found = {path.parents[2].name: path for path in results_root().glob(f"*/regress/*/{SUMMARY}")}
    found |= {path.parent.name: path for path in results_root().glob("*/qualify-*.json")}
    labels = [*targets(), *sorted(set(found) - set(targets()))]
    return [report_of(label, _binding(label)) for label in labels]


def _binding(label: str) -> Binding:
    """Binding of a label; the one that results name where it lies outside the tree."""
    try:
        return load_binding(label)
    except UserError:
        places = [
            *results_root().glob(f"{label}/regress/*/{SUMMARY}"),
            *results_root().glob(f"{label}/qualify-*.json"),
        ]
        if not places:
            raise
        return load_binding(read_json(places[0])["binding"])


def report_of(label: str, binding: Binding) -> DutReport:
    """Report of one DUT from what lies in its results directory."""
    folder = results_root() / label
    report = DutReport(label, binding)
    report.regressions = [read_json(path) for path in sorted(folder.glob(f"regress/*/{SUMMARY}"))]
    report.qualifications = [read_json(path) for path in sorted(folder.glob("qualify-*.json"))]
    report.runs = [run for one in report.regressions for run in one["results"]]
    manifest = read_manifest(binding)
    # With results of several simulators a mutant counts as killed where any of them killed it by its rule.
    report.mutants = _mutants(manifest, report.qualifications)
    report.tests = _tests(binding.target, report.runs)
    report.variants = _variants(manifest, report.runs)
    spec = _specification(binding.target)
    golden = [run for one in report.qualifications for run in one["golden"]]
    # Runs with other knobs are runs, but no evidence for a DUT judged with these.
    usual = [run for run in report.runs if not run.get("knob_set")]
    evidence = gather([*usual, *golden], report.mutants, _traces(binding.target))
    report.items = judge(spec["items"], evidence, _waivers(binding, spec))
    report.not_checked = spec.get("deliberately_not_checked", [])
    report.notes = _notes(report)
    return report


def _specification(target: str) -> dict[str, Any]:
    path = ROOT / "spec" / target / "requirements.json"
    if not path.is_file():
        raise UserError(f"{path} not found")
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def _traces(target: str) -> list[dict[str, str]]:
    """Trace mutants of a target (name, rule): the unit tests of its model run every one of them."""
    path = ROOT / "spec" / target / "trace_mutants.json"
    if not path.is_file():
        return []
    rows: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))["mutants"]
    return rows


def _waivers(binding: Binding, spec: Mapping[str, Any]) -> dict[str, str]:
    known = {row["id"] for row in spec["items"]}
    for name, reason in binding.waivers.items():
        if name not in known:
            raise UserError(f"{binding.path}: waivers.{name}: unknown requirement of {binding.target}")
        if not reason:
            raise UserError(f"{binding.path}: waivers.{name}: a waiver needs a reason")
    return dict(binding.waivers)


def _mutants(manifest: Manifest, qualifications: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows: dict[int, dict[str, Any]] = {}
    for one in qualifications:
        for entry in one["mutants"]:
            known = rows.get(entry["number"])
            if known is None or (entry["killed"] and not known["killed"]):
                rows[entry["number"]] = entry | {"sim": one["sim"]}
    for mutant in manifest.mutants:
        rows.setdefault(
            mutant.number,
            {
                "number": mutant.number,
                "name": mutant.name,
                "rules": list(mutant.rules),
                "test": mutant.test,
                "bug": mutant.bug,
                "description": mutant.description,
                "outcome": "not run",
                "killed": False,
                "found_rule": None,
                "detail": "no qualification yet",
                "repeat": "",
                "sim": "",
            },
        )
    numbers = {mutant.number for mutant in manifest.mutants}
    return [rows[number] for number in sorted(rows) if number in numbers]


def _tests(target: str, runs: list[dict[str, Any]]) -> list[TestRow]:
    rows = {name: TestRow(name, info.doc) for name, info in tests_of(target).items()}
    for run in runs:
        row = rows.setdefault(run["test"], TestRow(run["test"], "(no longer there)"))
        row.runs += 1
        row.passed += run["verdict"] == "pass"
        row.inconclusive += run["verdict"] == "inconclusive"
        if run["verdict"] != "pass" or row.state == "passed":
            row.last_seed = run["seed"]
            row.repeat = run.get("repeat", "")
    return [rows[name] for name in sorted(rows)]


def _variants(manifest: Manifest, runs: list[dict[str, Any]]) -> list[VariantRow]:
    rows = {one.number: VariantRow(one.number, one.name, one.description) for one in manifest.variants}
    if rows:
        rows[0] = VariantRow(
            0, "elastic_shell", "random delays of outputs and register effects, any variant inside"
        )
    for run in runs:
        for number in {run.get("variant", 0), *([0] if run.get("elastic") else [])}:
            if number in rows and (number or run.get("elastic")):
                rows[number].runs += 1
                rows[number].passed += run["verdict"] == "pass"
    return [rows[number] for number in sorted(rows)]


def _notes(report: DutReport) -> list[str]:
    """What a reader must know before believing the numbers."""
    notes = []
    if not report.regressions:
        notes.append(f"no regression yet: run rdma-dv regress --dut {report.label}")
    present = report.binding.source_hash()
    for kind, results in (("regression", report.regressions), ("qualification", report.qualifications)):
        for one in results:
            if one["source_hash"] != present:
                notes.append(f"stale: the RTL has changed since the {kind} on {one['sim']} of {one['made']}")
    knobs = {
        json.dumps(one["knobs"], sort_keys=True) for one in [*report.regressions, *report.qualifications]
    }
    if len(knobs) > 1:
        notes.append("regression and qualification used different knobs: proof does not carry over")
    return notes
