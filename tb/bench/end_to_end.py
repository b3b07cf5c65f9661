"""Judged packets per second on the ERNIC stand-in, beside the same traffic without any Python.

Traffic: 1024-byte WRITEs in both directions. Judged: driver, monitors, model, scoreboard, log. The baseline
is the same RTL in the same simulator with the same stimulus at the same times, given by the C engine.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from ref_model.errors import UserError
from tb.bench import Measurement
from tb.runner import Job
from tb.runner import run as simulate
from tb.runner.tools import SIMULATORS, executable

MESSAGES = {"verilator": 4096, "icarus": 512}
#: Share of the recorded items that the second run has to see; its accesses may differ by a clock.
SAME = 0.99


def run_on(sim: str) -> list[Measurement]:
    """Measure on one simulator."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["RDMA_DV_BENCH_FOLDER"] = name
        options = {"messages": MESSAGES[sim]}
        found = {}
        for case in ("judged", "replayed"):
            job = Job("ernic", "write_soak", sim=sim, options=options, out_dir=folder / case)
            result = simulate(job, test_module="tb.bench._replay", test_filter=case)
            if result["verdict"] != "pass":
                raise UserError(f"benchmark {case} on {sim}: {result.get('reason', 'no verdict')}")
            found[case] = json.loads((folder / f"{case}.json").read_text(encoding="utf-8"))
            if case == "judged":
                packets = sum(result["packets"].values())
    judged, replayed = found["judged"], found["replayed"]
    if replayed["ended"] < SAME * replayed["recorded"]:
        seen = f"{replayed['ended']} of {replayed['recorded']}"
        raise UserError(f"benchmark on {sim}: the replay saw {seen} items: not the same traffic")
    rate, bare = packets / judged["wall_s"], packets / replayed["wall_s"]
    return [Measurement(f"{sim}: ERNIC, 1024 B WRITE both ways, judged", rate, "packets/s", bare)]


def run() -> list[Measurement]:
    """Measure on all installed simulators."""
    return [row for sim in SIMULATORS if executable(sim) is not None for row in run_on(sim)]
