"""Judged packets per second on the ERNIC stand-in, beside the same traffic without any Python.

Traffic: 1024-byte WRITEs in both directions. Judged: driver, monitors, model, scoreboard, log; all in the
process of the simulator, and with a process of its own for model and log, as ``rdma-dv run`` has it. The
baseline is the same RTL in the same simulator with the same stimulus at the same times, out of the C engine.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ref_model.errors import UserError
from tb.bench import Measurement
from tb.runner import Job
from tb.runner import run as simulate
from tb.runner.results import Result
from tb.runner.tools import SIMULATORS, executable

MESSAGES = {"verilator": 8192, "icarus": 512}
#: Share of the recorded items that the second run has to see; its accesses may differ by a clock.
SAME = 0.99
JUDGES = ("inline", "process")


def run_on(sim: str) -> list[Measurement]:
    """Measure on one simulator."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["RDMA_DV_BENCH_FOLDER"] = name
        walls, packets = {}, 0
        for judge in JUDGES:
            result, found = _simulate(sim, "judged", judge, folder)
            walls[judge], packets = found["wall_s"], sum(result["packets"].values())
        _, replayed = _simulate(sim, "replayed", "inline", folder)
    if replayed["ended"] < SAME * replayed["recorded"]:
        seen = f"{replayed['ended']} of {replayed['recorded']}"
        raise UserError(f"benchmark on {sim}: the replay saw {seen} items: not the same traffic")
    bare = packets / replayed["wall_s"]
    text = f"{sim}: ERNIC, 1024 B WRITE both ways, judged"
    return [Measurement(f"{text} {judge}", packets / walls[judge], "packets/s", bare) for judge in JUDGES]


def _simulate(sim: str, case: str, judge: str, folder: Path) -> tuple[Result, dict[str, Any]]:
    """Result of the run and what it measured."""
    options = {"messages": MESSAGES[sim]}
    job = Job("ernic", "write_soak", sim=sim, options=options, judge=judge, out_dir=folder / case)
    result = simulate(job, test_module="tb.bench._replay", test_filter=case)
    if result["verdict"] != "pass":
        raise UserError(f"benchmark {case} on {sim}: {result.get('reason', 'no verdict')}")
    return result, json.loads((folder / f"{case}.json").read_text(encoding="utf-8"))


def run() -> list[Measurement]:
    """Measure on all installed simulators."""
    return [row for sim in SIMULATORS if executable(sim) is not None for row in run_on(sim)]
