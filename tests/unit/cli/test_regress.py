"""Regressions: what runs, with which seeds, and what is left behind."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ref_model.errors import UserError
from tb.cli import regress as module
from tb.cli.options import parse_settings
from tb.cli.regress import Plan, conclude, regress
from tb.runner import Job, load_binding
from tb.runner.knob_sets import KnobSet
from tb.runner.seeds import elastic_seed, run_seed
from tb.runner.store import exclusive, regress_directory
from tests.unit.cli.conftest import failed, finding, passed


def _plan(toy: Path, **more: Any) -> Plan:
    return replace(Plan(str(toy), "icarus", (("send_only", 2), ("write_only", 1))), **more)


def test_seeds_are_derived_and_stable() -> None:
    assert run_seed(1, "send_only", 0) == run_seed(1, "send_only", 0)
    seeds = [run_seed(base, test, index) for base in (1, 2) for test in ("a", "b") for index in range(50)]
    assert len(set(seeds)) == len(seeds) and all(0 <= seed < 1 << 31 for seed in seeds)
    assert elastic_seed(5) > 0


def test_every_variant_and_elastic_with_the_same_seeds(toy: Path) -> None:
    jobs = _plan(toy, variants=(0, 1, 2), elastic=True).jobs("ernic.toy")
    assert len(jobs) == 3 * 3 * 2
    assert len({job.out_dir for job in jobs}) == len(jobs)
    seeds: dict[tuple[int, bool], list[int]] = {(job.variant, bool(job.elastic)): [] for job in jobs}
    for job in jobs:
        seeds[(job.variant, bool(job.elastic))].append(job.seed)
    assert len({tuple(one) for one in seeds.values()}) == 1


def test_results_are_kept(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binding = load_binding(str(toy))
    old = regress_directory("ernic.toy", "icarus") / "old" / "result.json"
    old.parent.mkdir(parents=True)
    old.write_text("{}")

    def execute(job: Job) -> dict[str, Any]:
        if job.test == "write_only":
            return failed(job, finding("ERN-144"))
        return passed(job)

    results = regress(binding, _plan(toy), "smoke", 2, execute)
    out = capsys.readouterr().out
    assert [one["test"] for one in results] == ["send_only", "send_only", "write_only"]
    assert "regress ernic.toy smoke on icarus: 3 runs" in out and "FAIL" in out and "\x1b" not in out
    folder = regress_directory("ernic.toy", "icarus")
    assert not old.exists()
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["suite"] == "smoke" and len(summary["results"]) == 3
    assert summary["source_hash"] == binding.source_hash()
    cases = ET.parse(folder / "junit.xml").getroot().findall("testsuite/testcase")
    assert len(cases) == 3 and [case.find("failure") is not None for case in cases] == [False, False, True]


@pytest.mark.parametrize(
    ("verdicts", "code", "line"),
    [
        (["pass", "pass"], 0, "passed 2 of 2 runs (base seed 1)"),
        (["pass", "fail"], 1, "passed 1 of 2 runs, 1 fail (base seed 1)"),
        (["inconclusive"], 1, "passed 0 of 1 runs, 1 inconclusive (base seed 1)"),
        ([], 1, "passed 0 of 0 runs (base seed 1)"),
    ],
)
def test_exit_code(verdicts: list[str], code: int, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert conclude([{"verdict": word} for word in verdicts], 1) == code
    assert capsys.readouterr().out.strip() == line


def test_nothing_to_run(toy: Path) -> None:
    with pytest.raises(UserError, match="nothing to run"):
        regress(load_binding(str(toy)), _plan(toy, tests=()), "smoke", 1, passed)


def test_two_at_once(toy: Path) -> None:
    with exclusive("ernic.toy", "regress", "icarus"):
        with pytest.raises(UserError, match=r"another regress of ernic\.toy on icarus is running"):
            regress(load_binding(str(toy)), _plan(toy), "smoke", 1, passed)


def test_an_error_of_the_executor_stops_the_rest(toy: Path) -> None:
    ran: list[str] = []

    def execute(job: Job) -> dict[str, Any]:
        ran.append(job.test)
        raise UserError("build failed: x")

    with pytest.raises(UserError, match="build failed"):
        regress(load_binding(str(toy)), _plan(toy, tests=(("send_only", 50),)), "smoke", 1, execute)
    assert len(ran) < 50


def test_command(toy: Path, run_main: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Plan] = []

    def fake(binding: object, plan: Plan, suite: str, workers: int) -> list[dict[str, Any]]:
        seen.append(plan)
        jobs = plan.jobs("ernic.toy")
        return [failed(job, finding("ERN-064")) if job.test == "psn_wrap" else passed(job) for job in jobs]

    monkeypatch.setattr(module, "regress", fake)
    code, out, _ = run_main(
        "regress", "--dut", str(toy), "--suite", "full", "--variants", "-o", "C_NUM_QP=64"
    )
    assert code == 1
    assert seen[0].variants == (0, 1, 2) and seen[0].knobs == {"C_NUM_QP": 64}
    assert dict(seen[0].tests) == {"send_only": 1, "write_only": 1, "psn_wrap": 3}
    assert "ERN-064: ERN-064 was broken" in out
    assert f"rdma-dv run --dut {toy} --test psn_wrap --seed" in out and "-o C_NUM_QP=64" in out
    assert out.strip().splitlines()[-1].startswith("passed 6 of 15 runs, 9 fail")
    assert run_main("regress", "--dut", str(toy), "--test", "send_only", "--seeds", "2")[0] == 0
    assert seen[1].tests == (("send_only", 2),)


def test_one_variant(toy: Path, run_main: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Plan] = []

    def fake(binding: object, plan: Plan, suite: str, workers: int) -> list[dict[str, Any]]:
        seen.append(plan)
        return [passed(job) for job in plan.jobs("ernic.toy")]

    monkeypatch.setattr(module, "regress", fake)
    assert run_main("regress", "--dut", str(toy), "--variant", "small_bursts")[0] == 0
    assert seen[0].variants == (2,)
    assert run_main("regress", "--dut", str(toy), "--variant", "9")[0] == 2


def test_knob_sets_run_beside_the_suite(toy: Path) -> None:
    one = KnobSet("narrow", {"C_NUM_QP": 16, "MAX_OUTSTANDING": [16, 8]}, ("send_only",), ("smoke",))
    plan = _plan(toy, sets=(one,), knobs={"C_NUM_QP": 8})
    jobs = plan.jobs("ernic.toy")
    assert len(jobs) == 4 and len({job.out_dir for job in jobs}) == 4
    assert [job.knobs["C_NUM_QP"] for job in jobs] == [8, 8, 8, 16]
    assert "-o 'MAX_OUTSTANDING=[16, 8]'" in jobs[-1].repeat_command()
    results = regress(load_binding(str(toy)), plan, "smoke", 2, passed)
    assert [result.get("knob_set") for result in results] == [None, None, None, "narrow"]


def test_a_knob_set_alone(toy: Path, run_main: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Plan] = []

    def fake(binding: object, plan: Plan, suite: str, workers: int) -> list[dict[str, Any]]:
        seen.append(plan)
        return [passed(job) for job in plan.jobs("ernic.toy")]

    monkeypatch.setattr(module, "regress", fake)
    one = KnobSet("narrow", {"C_NUM_QP": 16}, ("send_only", "psn_wrap"), ("nightly",))
    monkeypatch.setattr(module, "find_knob_set", lambda target, name: one)
    choice = ("--knob-set", "narrow", "--variant", "2", "--seeds", "2", "--elastic")
    assert run_main("regress", "--dut", str(toy), *choice)[0] == 0
    jobs = seen[0].jobs("ernic.toy")
    assert {job.knob_set for job in jobs} == {"narrow"} and {job.variant for job in jobs} == {2}
    assert len(jobs) == 8 == len({job.out_dir for job in jobs})


def test_pairs_and_tables_on_the_command_line() -> None:
    knobs, _ = parse_settings("ernic", ("MAX_OUTSTANDING=[16, 8]",))
    assert knobs == {"MAX_OUTSTANDING": [16, 8]}
    with pytest.raises(UserError, match="no JSON"):
        parse_settings("ernic", ("MAX_OUTSTANDING=[16",))
