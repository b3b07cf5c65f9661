"""The same job gives the same transactions: twice, and on both simulators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tb.runner import Job, run, run_batch
from tb.runner.tools import present_simulators

TESTS = ("random_traffic", "nak_sequence")
ENGINE_TESTS = {
    "ernic": ("random_traffic", "backpressure_heavy", "reset_midtraffic", "non_roce_pass", "qp_recovery"),
    "rclink": ("type1_standard", "type1_soak", "cut_frame", "mac_credit", "lossy_link", "type3_ids"),
    "hermon_cq": ("cqe_soak", "bus_errors", "event_order", "random_wrap"),
}


def digests(test: str, sim: str, folder: Path, dut: str = "ernic", engine: str = "auto") -> dict[str, str]:
    """Run and return the digests of the transaction log."""
    result = run(Job(dut=dut, test=test, seed=5, sim=sim, engine=engine, out_dir=folder))
    assert result["verdict"] == "pass", result["reason"]
    return result["digests"]


@pytest.mark.parametrize("test", TESTS)
def test_same_seed_same_log(test: str, tmp_path: Path) -> None:
    """With times, on one simulator."""
    assert digests(test, "verilator", tmp_path / "a") == digests(test, "verilator", tmp_path / "b")


@pytest.mark.parametrize("sim", present_simulators())
@pytest.mark.parametrize(("dut", "test"), [(dut, test) for dut in ENGINE_TESTS for test in ENGINE_TESTS[dut]])
def test_same_log_on_both_engines(dut: str, test: str, sim: str, tmp_path: Path) -> None:
    """With times: whether Python or C moves the beats cannot be told from the pins."""
    first = digests(test, sim, tmp_path / "a", dut, "c")
    assert first == digests(test, sim, tmp_path / "b", dut, "python")


@pytest.mark.parametrize("sim", present_simulators())
@pytest.mark.parametrize(("test", "mutant"), [("random_traffic", 0), ("send_only", 19)])
def test_same_result_wherever_judged(sim: str, test: str, mutant: int, tmp_path: Path) -> None:
    """Findings, evidence and digests are the same with a process for the judge and without."""
    job = Job(dut="ernic", test=test, seed=5, sim=sim, mutant=mutant)
    inline = run(replace(job, out_dir=tmp_path / "inline"))
    apart = run(replace(job, judge="process", out_dir=tmp_path / "process"))
    assert inline["verdict"] == ("fail" if mutant else "pass")
    assert apart["judge_rss_kb"] > 0
    for key in ("verdict", "reason", "findings", "evidence", "observed", "digests", "packets", "events"):
        assert apart[key] == inline[key], key


@pytest.mark.parametrize("sim", present_simulators())
def test_same_log_alone_and_behind_others(sim: str, tmp_path: Path) -> None:
    """With times: what ran before in the same process leaves no trace, whatever state it left."""
    names = ("reset_midtraffic", "fatal_queue", "random_traffic", "nak_sequence")
    jobs = [
        Job(dut="ernic", test=test, seed=number, sim=sim, out_dir=tmp_path / f"behind-{number}")
        for number, test in enumerate(names)
    ]
    behind = run_batch(jobs)
    alone = [run(replace(job, out_dir=tmp_path / f"alone-{job.seed}")) for job in jobs]
    assert [one["verdict"] for one in behind] == ["pass"] * len(jobs)
    assert [one["digests"] for one in behind] == [one["digests"] for one in alone]
    assert [one["evidence"] for one in behind] == [one["evidence"] for one in alone]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.skipif("icarus" not in present_simulators(), reason="iverilog not installed")
def test_same_log_on_both_simulators(test: str, tmp_path: Path) -> None:
    """Without times, across simulators."""
    first = digests(test, "verilator", tmp_path / "a")
    second = digests(test, "icarus", tmp_path / "b")
    assert (first["stimulus"], first["outcome"]) == (second["stimulus"], second["outcome"])
