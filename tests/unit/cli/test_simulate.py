"""Running a simulation: good ends, and every way of ending without a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb.cli.classify import fault_activated
from tb.runner import Job, run
from tb.runner.tools import have

pytestmark = [
    pytest.mark.sim,
    pytest.mark.skipif(not have("icarus"), reason="Icarus Verilog is not installed"),
]
ENTRY = "tests.unit.cli.toy_entry"


def _job(toy: Path, test: str, **more: object) -> Job:
    return Job(dut=str(toy), test=test, sim="icarus", **more)  # type: ignore[arg-type]


def test_passes(toy: Path) -> None:
    result = run(_job(toy, "good", seed=5, mutant=2), test_module=ENTRY)
    assert (result["verdict"], result["b"], result["width"], result["exit_code"]) == ("pass", 4, 9, 0)
    folder = Path(result["out_dir"])
    assert json.loads((folder / "result.json").read_text()) == result
    assert fault_activated(folder, 2) and not fault_activated(folder, 3)
    assert result["repeat"] == f"rdma-dv run --dut {toy} --test good --seed 5 --sim icarus --mutant 2"


def test_golden_build_has_no_faults(toy: Path) -> None:
    result = run(_job(toy, "good"), test_module=ENTRY)
    assert not fault_activated(Path(result["out_dir"]), 0)


def test_waves(toy: Path) -> None:
    result = run(_job(toy, "good", waves=True), test_module=ENTRY)
    assert "$var" in (Path(result["out_dir"]) / "dump.vcd").read_text()


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("silent", "no result.json (log"),
        ("broken", "no result.json: ValueError: seven is not eight (log"),
        ("crash", "simulator ended with exit code 3, no result.json"),
        ("hang", "time limit of 2 s reached"),
    ],
)
def test_ends_without_a_result(toy: Path, test: str, reason: str) -> None:
    limit = 2 if test == "hang" else 60  # a busy machine is no reason to fail
    result = run(_job(toy, test, timeout_s=limit), test_module=ENTRY)
    assert result["verdict"] == "inconclusive"
    assert result["reason"].startswith(reason) and "sim.log" in result["reason"]
    assert result["log_tail"] and result["evidence"] == {}


def test_old_result_does_not_survive(toy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(_job(toy, "good", out_dir=out), test_module=ENTRY)["verdict"] == "pass"
    assert run(_job(toy, "silent", out_dir=out), test_module=ENTRY)["verdict"] == "inconclusive"
