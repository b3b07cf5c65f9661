"""Qualification: each class of a mutant, and the command as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tb.cli import qualify as module
from tb.cli.classify import classify, fault_activated
from tb.cli.qualify import conclude, qualify
from tb.runner import Job, load_binding
from tb.runner.mutants import Mutant, read_manifest
from tb.runner.store import qualify_file
from tests.unit.cli.conftest import failed, finding, passed

MUTANT = Mutant(7, "wrong_psn", ("ERN-064", "ERN-114"), "send_only", "PSN off by one")
JOB = Job("ernic", "send_only")
GOLDEN = passed(JOB, evidence={"ERN-064": 2})


@pytest.mark.parametrize(
    ("golden", "run", "activated", "outcome", "rule"),
    [
        (GOLDEN, failed(JOB, finding("ERN-064")), True, "killed", "ERN-064"),
        (GOLDEN, failed(JOB, finding("ERN-114/count")), True, "killed", "ERN-114/count"),
        (
            passed(JOB, evidence={"ERN-114/noexec": 1}),
            failed(JOB, finding("ERN-064")),
            True,
            "killed",
            "ERN-064",
        ),
        (
            GOLDEN,
            failed(JOB, finding("ERN-064", 9), finding("ERN-071", 5)),
            True,
            "killed-by-other-rule",
            "ERN-071",
        ),
        (
            GOLDEN,
            failed(JOB, finding("ERN-064", 9), finding("ERN-071", 5, secondary=True)),
            True,
            "killed",
            "ERN-064",
        ),
        (
            GOLDEN,
            failed(JOB, finding("ERN-071"), finding("ERN-064")),
            True,
            "killed-by-other-rule",
            "ERN-071",
        ),
        (GOLDEN, failed(JOB, finding("ERN-064")), False, "not-activated", None),
        (GOLDEN, passed(JOB), False, "not-activated", None),
        (GOLDEN, passed(JOB), True, "not-detected", None),
        (GOLDEN, passed(JOB, verdict="inconclusive", reason="time-out"), True, "inconclusive", None),
        (GOLDEN, failed(JOB), True, "inconclusive", None),
        (passed(JOB), failed(JOB, finding("ERN-064")), True, "golden-not-exercised", None),
        (
            passed(JOB, evidence={"ERN-064": 0}),
            failed(JOB, finding("ERN-064")),
            True,
            "golden-not-exercised",
            None,
        ),
        (failed(JOB, finding("ERN-064")), failed(JOB, finding("ERN-064")), True, "golden-failed", None),
        (None, None, False, "test-missing", None),
    ],
)
def test_classes(golden: Any, run: Any, activated: bool, outcome: str, rule: str | None) -> None:
    found = classify(MUTANT, 1, golden, run, activated)
    assert (found.outcome, found.found_rule) == (outcome, rule)
    assert found.killed == (outcome == "killed") and found.detail


def test_activation_is_read_from_the_log(tmp_path: Path) -> None:
    assert not fault_activated(tmp_path, 7)
    (tmp_path / "sim.log").write_text("mut_hit 77\n     mut_hit 7\n")
    assert (
        fault_activated(tmp_path, 7) and fault_activated(tmp_path, 77) and not fault_activated(tmp_path, 777)
    )


def _execute(job: Job) -> dict[str, Any]:
    if job.mutant == 0:
        return passed(job, evidence={"ERN-039": 1, "ERN-064": 1, "ERN-177": 1})
    rules = {1: "ERN-039", 2: "ERN-062", 3: "ERN-177"}
    return failed(job, finding(rules[job.mutant]))


def test_golden_runs_once_per_test(toy: Path) -> None:
    binding = load_binding(str(toy))
    ran: list[Job] = []

    def execute(job: Job) -> dict[str, Any]:
        ran.append(job)
        return _execute(job)

    mutants = read_manifest(binding).mutants
    template = Job(str(toy), "", sim="icarus")
    outcomes, golden = qualify(
        binding, template, mutants, ["send_only", "write_only"], 1, execute, lambda out, number: True
    )
    assert [one.outcome for one in outcomes] == ["killed"] * 3
    assert [(job.test, job.mutant) for job in ran] == [
        ("send_only", 0),
        ("write_only", 0),
        ("send_only", 1),
        ("send_only", 2),
        ("write_only", 3),
    ]
    assert all(job.mutation_build for job in ran) and len(golden) == 2
    assert len({job.seed for job in ran if job.test == "send_only"}) == 1


def test_missing_test(toy: Path) -> None:
    binding = load_binding(str(toy))
    mutants = read_manifest(binding).mutants
    outcomes, _ = qualify(
        binding,
        Job(str(toy), "", sim="icarus"),
        mutants,
        ["send_only"],
        1,
        _execute,
        lambda out, number: True,
    )
    assert [one.outcome for one in outcomes] == ["killed", "killed", "test-missing"]


def test_last_line_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    good = classify(MUTANT, 1, GOLDEN, failed(JOB, finding("ERN-064")), True)
    bad = classify(MUTANT, 1, GOLDEN, passed(JOB), True)
    assert conclude([good]) == 0
    assert capsys.readouterr().out.strip().splitlines()[-1] == "killed 1 of 1"
    assert conclude([good, bad]) == 1
    out = capsys.readouterr().out
    assert out.strip().splitlines()[-1] == "killed 1 of 2"
    assert "wrong_psn: not-detected" in out and "1 not-detected" in out
    assert conclude([]) == 1


def test_command_keeps_only_complete_qualifications(
    toy: Path, run_main: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fake(binding: Any, template: Any, mutants: Any, tests: Any, workers: int) -> Any:
        return qualify(binding, template, mutants, tests, workers, _execute, lambda out, number: True)

    monkeypatch.setattr(module, "qualify", fake)
    path = qualify_file("ernic.toy", "icarus")
    code, out, _ = run_main("qualify", "--dut", str(toy), "--sim", "icarus", "--mutant", "late_irq")
    assert code == 0 and not path.exists() and out.strip().endswith("killed 1 of 1")
    code, out, _ = run_main("qualify", "--dut", str(toy), "--sim", "icarus")
    assert code == 0 and out.strip().endswith("killed 3 of 3")
    stored = json.loads(path.read_text())
    assert (stored["killed"], stored["total"], len(stored["golden"])) == (3, 3, 2)
