"""Fixtures: a build directory of its own, a toy DUT, a fake test registry, a fake executor."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tb.runner import Job, catalogue

HDL = Path(__file__).parent / "hdl"

MUTANTS = [
    ("drops_first", ["ERN-039"], "send_only"),
    ("wrong_psn", ["ERN-064", "ERN-062"], "send_only"),
    ("late_irq", ["ERN-177"], "write_only"),
]
VARIANTS = ["merged_acks", "small_bursts"]


@dataclass
class FakeInfo:
    """What the runner reads of a registered test."""

    name: str
    suites: tuple[str, ...]
    doc: str
    module: str = "tests.sim.ernic.fake"
    seeds: int = 1


@pytest.fixture(autouse=True)
def build_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep everything generated inside the test's directory."""
    folder = tmp_path / "build"
    monkeypatch.setenv("RDMA_DV_BUILD", str(folder))
    return folder


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeInfo]:
    """Three tests in place of the real ones."""
    tests = {
        "send_only": FakeInfo("send_only", ("smoke", "full"), "A SEND arrives.\n\nStimulus: one SEND."),
        "write_only": FakeInfo("write_only", ("smoke", "full"), "A WRITE lands in memory."),
        "psn_wrap": FakeInfo("psn_wrap", ("full",), "The PSN wraps.", seeds=3),
    }
    monkeypatch.setattr(catalogue, "_registered", lambda target: tests)
    return tests


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """Binding file of the toy DUT, with a manifest of three mutants and two variants."""
    mutants = [
        {"number": i, "name": name, "rules": rules, "test": test, "bug": None, "description": f"fault {i}"}
        for i, (name, rules, test) in enumerate(MUTANTS, start=1)
    ]
    variants = [
        {"number": i, "name": name, "description": "legal"} for i, name in enumerate(VARIANTS, start=1)
    ]
    (tmp_path / "mutants.json").write_text(json.dumps({"mutants": mutants, "variants": variants}))
    path = tmp_path / "toy.toml"
    path.write_text(
        f"""target = "ernic"
top = "toy"
clock_period_ps = 4000
SETTLE = 16
PIPE_OUT = 64
mutants = "mutants.json"
[hdl]
sources = ["{HDL}/toy.sv"]
include_dirs = ["{HDL}"]
[parameters]
WIDTH = {{ knob = "C_NUM_QP" }}
[knobs]
C_NUM_QP = 9
"""
    )
    return path


def passed(job: Job, **more: Any) -> dict[str, Any]:
    """Result of a passed run."""
    result: dict[str, Any] = {
        "dut": job.dut,
        "test": job.test,
        "seed": job.seed,
        "sim": job.sim,
        "mutant": job.mutant,
        "variant": job.variant,
        "elastic": job.elastic,
        "knobs": {},
        "verdict": "pass",
        "reason": "",
        "findings": [],
        "findings_total": 0,
        "evidence": {"ERN-039": 4},
        "observed": {},
        "packets": {"in": 2, "out": 3},
        "sim_time_ps": 1000,
        "wall_s": 0.5,
        "out_dir": str(job.out_dir),
        "repeat": job.repeat_command(),
    }
    return result | more


def finding(rule: str, time_ps: int = 4000, *, secondary: bool = False) -> dict[str, Any]:
    """A finding as the scoreboard writes it."""
    return {
        "rule": rule,
        "text": f"{rule} was broken",
        "time_ps": time_ps,
        "scope": "QP 3",
        "expected": "PSN 7",
        "observed": "PSN 8",
        "why": "the last one was 6",
        "packet_diff": [["bth.psn", "7", "8"]],
        "history": ["0.004 ns frame in"],
        "secondary": secondary,
    }


def failed(job: Job, *findings: dict[str, Any]) -> dict[str, Any]:
    """Result of a run with findings."""
    return passed(job, verdict="fail", findings=list(findings), findings_total=len(findings), evidence={})


Executor = Callable[[Job], dict[str, Any]]


@pytest.fixture
def run_main(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Call the command line; returns exit code, stdout, stderr."""
    from tb.cli import main

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return call
