"""Reports: states of requirements, sign-off data, the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tb.cli.qualify import qualify
from tb.cli.qualify import summary as qualify_summary
from tb.cli.regress import Plan, regress
from tb.report.collect import report_of
from tb.report.requirements import gather, judge
from tb.report.signoff import counts
from tb.runner import Job, load_binding, report_root
from tb.runner.mutants import read_manifest
from tb.runner.store import qualify_file, stamp, write_json
from tests.unit.cli.conftest import failed, finding, passed

PLAIN = {"id": "ERN-001", "section": "A", "text": "t", "basis": "b", "strength": "exact"}
PARTED = PLAIN | {"id": "ERN-114", "parts": ["count", "noexec"]}
OBSERVE = PLAIN | {"id": "ERN-206", "strength": "observe-only"}
JOB = Job("ernic", "send_only")


def _state(
    row: dict[str, Any], runs: list[Any], mutants: list[Any], waivers: dict[str, str] | None = None
) -> str:
    return judge([row], gather(runs, mutants), waivers or {})[0].state


def _kill(rule: str) -> dict[str, Any]:
    return {"killed": True, "found_rule": rule, "name": "m"}


@pytest.mark.parametrize(
    ("row", "runs", "mutants", "state"),
    [
        (PLAIN, [], [], "not exercised"),
        (PLAIN, [passed(JOB, evidence={"ERN-001": 1})], [], "exercised"),
        (PLAIN, [passed(JOB, evidence={"ERN-001": 0})], [], "not exercised"),
        (PLAIN, [passed(JOB, evidence={"ERN-001": 1})], [_kill("ERN-001")], "proven"),
        (PLAIN, [], [_kill("ERN-001")], "not exercised"),
        (PLAIN, [passed(JOB, evidence={}, observed={"ERN-001": 3})], [], "observed"),
        (PLAIN, [failed(JOB, finding("ERN-001"))], [], "failed"),
        (PLAIN, [passed(JOB, evidence={"ERN-001": 1}), failed(JOB, finding("ERN-001"))], [], "failed"),
        (PLAIN, [failed(JOB, finding("ERN-001", secondary=True))], [], "not exercised"),
        (PLAIN, [passed(JOB, verdict="inconclusive", evidence={"ERN-001": 1})], [], "not exercised"),
        (PARTED, [passed(JOB, evidence={"ERN-114/count": 1})], [], "not exercised"),
        (PARTED, [passed(JOB, evidence={"ERN-114/count": 1, "ERN-114/noexec": 1})], [], "exercised"),
        (
            PARTED,
            [passed(JOB, evidence={"ERN-114/count": 1, "ERN-114/noexec": 1})],
            [_kill("ERN-114/count")],
            "exercised",
        ),
        (
            PARTED,
            [passed(JOB, evidence={"ERN-114/count": 1, "ERN-114/noexec": 1})],
            [_kill("ERN-114/count"), _kill("ERN-114/noexec")],
            "proven",
        ),
        (
            PARTED,
            [passed(JOB, evidence={"ERN-114/count": 1}, observed={"ERN-114/noexec": 1})],
            [],
            "observed",
        ),
        (PARTED, [failed(JOB, finding("ERN-114"))], [], "failed"),
        (OBSERVE, [], [], "not checked"),
        (OBSERVE, [passed(JOB, evidence={}, observed={"ERN-206": 1})], [], "observed"),
    ],
)
def test_states(row: dict[str, Any], runs: list[Any], mutants: list[Any], state: str) -> None:
    assert _state(row, runs, mutants) == state


def test_trace_mutants_prove_apart() -> None:
    runs = [passed(JOB, evidence={"ERN-114/count": 1, "ERN-114/noexec": 1})]
    traces = [{"name": "packet repeated", "rule": "ERN-114/count"}]
    one = judge([PARTED], gather(runs, [_kill("ERN-114/noexec")], traces), {})[0]
    assert one.state == "proven by trace" and one.is_exercised
    assert one.proven_by == ["m", "packet repeated (trace)"]
    assert judge([PARTED], gather(runs, [], traces), {})[0].state == "exercised"


def test_waiver_hides_a_gap_but_not_evidence() -> None:
    waivers = {"ERN-001": "unused feature"}
    assert _state(PLAIN, [], [], waivers) == "waived"
    assert _state(PLAIN, [passed(JOB, evidence={"ERN-001": 1})], [], waivers) == "exercised"


def test_all_requirements_are_listed_from_the_first_day(toy: Path) -> None:
    report = report_of("ernic.toy", load_binding(str(toy)))
    number = counts(report)
    assert number["total"] == 250 and number["exercised"] == number["proven"] == number["failed"] == 0
    assert all(item.text and item.basis and item.strength for item in report.items)
    assert [row.state for row in report.tests] == ["not run"] * 3
    assert [one["outcome"] for one in report.mutants] == ["not run"] * 3
    assert report.notes == ["no regression yet: run rdma-dv regress --dut ernic.toy"]


@pytest.fixture
def results(toy: Path) -> Path:
    """A regression with one failure and one inconclusive run, and a qualification with one survivor."""
    binding = load_binding(str(toy))

    def execute(job: Job) -> dict[str, Any]:
        if job.variant == 2 and job.test == "write_only":
            return failed(job, finding("ERN-144"))
        if job.variant == 1 and job.test == "psn_wrap":
            return passed(
                job, verdict="inconclusive", reason="time-out <b>", evidence={}, log_tail=["last line"]
            )
        return passed(job)

    plan = Plan(
        str(toy),
        "icarus",
        (("send_only", 2), ("write_only", 1), ("psn_wrap", 1)),
        variants=(0, 1, 2),
        elastic=True,
    )
    regress(binding, plan, "full", 2, execute)

    def mutate(job: Job) -> dict[str, Any]:
        return failed(job, finding("ERN-039")) if job.mutant == 1 else passed(job)

    outcomes, golden = qualify(
        binding,
        Job(str(toy), "", sim="icarus"),
        read_manifest(binding).mutants,
        ["send_only"],
        1,
        mutate,
        lambda out, number: True,
    )
    write_json(
        qualify_file("ernic.toy", "icarus"), stamp(binding, "icarus") | qualify_summary(outcomes, golden)
    )
    return toy


def test_signoff(results: Path, run_main: Any) -> None:
    code, out, _ = run_main("report")
    assert code == 0
    data = json.loads((report_root() / "signoff.json").read_text())
    assert sorted(data) == ["commit", "duts", "tools"]
    dut = data["duts"]["ernic.toy"]
    assert sorted(dut) == sorted(
        ["tests", "requirements", "mutants", "variants", "inconclusive", "coverage", "seeds"]
    )
    assert dut["tests"] == {"total": 3, "passed": 1, "failed": 2}
    numbers = {name: value for name, value in dut["requirements"].items() if name != "items"}
    assert numbers == {
        "total": 250,
        "exercised": 1,
        "observed": 0,
        "proven": 1,
        "proven_trace": 0,
        "failed": 1,
        "waived": 0,
    }
    items = {item["id"]: item for item in dut["requirements"]["items"]}
    assert items["ERN-039"]["state"] == "proven" and items["ERN-039"]["proven_by"] == ["drops_first"]
    assert items["ERN-039"]["tests"] == ["psn_wrap", "send_only", "write_only"]
    assert items["ERN-144"]["state"] == "failed"
    assert items["ERN-114"]["parts"] == {"count": "not exercised", "noexec": "not exercised"}
    assert items["ERN-039"]["parts"] == {}
    assert dut["mutants"]["total"] == 3 and dut["mutants"]["killed"] == 1
    assert [one["class"] for one in dut["mutants"]["survivors"]] == ["golden-not-exercised", "test-missing"]
    assert dut["variants"] == {"total": 3, "clean": 0}
    assert dut["inconclusive"] == 2 and len(dut["seeds"]) == 4
    assert "ernic.toy: 1 of 250 requirements exercised, 1 proven, 1 failed" in out
    assert out.strip().splitlines()[-1].startswith("report: ")


def test_page(results: Path, run_main: Any) -> None:
    run_main("report")
    page = (report_root() / "index.html").read_text()
    assert page.count("ERN-") >= 250 and "<script" not in page
    assert "time-out &lt;b&gt;" in page and "last line" in page and "bth.psn" in page
    for target in re.findall(r'href="(?!#|http)([^"]+)"', page):
        assert not target.startswith("/")
    assert f"rdma-dv run --dut {results} --test write_only" in page


def test_stale_results_are_named(results: Path) -> None:
    text = results.read_text()
    results.write_text(
        text.replace("[hdl]", "[hdl]\ndefines = {}\n").replace('toy.sv"', 'toy.sv", "extra.sv"')
    )
    (results.parent / "extra.sv").write_text("module extra; endmodule\n")
    notes = report_of("ernic.toy", load_binding(str(results))).notes
    assert [note.split(" on ")[0] for note in notes] == [
        "stale: the RTL has changed since the regression",
        "stale: the RTL has changed since the qualification",
    ]
