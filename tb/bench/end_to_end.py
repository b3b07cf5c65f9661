"""Judged packets or CQEs per second on the stand-ins, beside the same traffic without anybody looking.

Traffic: long payloads in both directions; completions of four queues under a driver. Judged: driver,
monitors, model, scoreboard, log; all in the process of the simulator, and with a process of its own for
model and log, as ``rdma-dv run`` has it. The baseline is the same RTL in the same simulator with the same
stimulus at the same times, out of the C engine and a list of levels.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ref_model.errors import UserError
from tb.bench import Measurement
from tb.runner import Job
from tb.runner import run as simulate
from tb.runner.results import Result
from tb.runner.tools import SIMULATORS, executable

JUDGES = ("inline", "process")


@dataclass(frozen=True)
class Soak:
    """A test with steady traffic; ``messages`` by simulator, ``packets`` counts what the result is about."""

    target: str
    test: str
    text: str
    messages: dict[str, int]
    packets: Callable[[Result, int], int]
    unit: str = "packets/s"


SOAKS = (
    Soak(
        "ernic",
        "write_soak",
        "ERNIC, 1024 B WRITE both ways",
        {"verilator": 8192, "icarus": 512},
        lambda result, messages: sum(result["packets"].values()),
    ),
    Soak(
        "rclink",
        "type1_soak",
        "RCLINK, 1344 B TYPE1 both ways, without ACKs",
        {"verilator": 2048, "icarus": 128},
        lambda result, messages: 2 * messages,
    ),
    Soak(
        "hermon_cq",
        "cqe_soak",
        "HERMON_CQ, 32 B CQEs to four queues",
        {"verilator": 4096, "icarus": 1024},
        lambda result, messages: messages,
        "CQEs/s",
    ),
)


def run_on(soak: Soak, sim: str) -> list[Measurement]:
    """Measure one target on one simulator."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["RDMA_DV_BENCH_FOLDER"] = name
        walls, packets = {}, 0
        for judge in JUDGES:
            result, found = _simulate(soak, sim, "judged", judge, folder)
            walls[judge], packets = found["wall_s"], soak.packets(result, soak.messages[sim])
        _, replayed = _simulate(soak, sim, "replayed", "inline", folder)
    if replayed["ended"] != replayed["recorded"]:
        seen = f"{replayed['ended']} of {replayed['recorded']}"
        raise UserError(f"benchmark on {sim}: the replay saw {seen} items: not the same traffic")
    bare = packets / replayed["wall_s"]
    text = f"{sim}: {soak.text}, judged"
    return [Measurement(f"{text} {judge}", packets / walls[judge], soak.unit, bare) for judge in JUDGES]


def _simulate(soak: Soak, sim: str, case: str, judge: str, folder: Path) -> tuple[Result, dict[str, Any]]:
    """Result of the run and what it measured."""
    options = {"messages": soak.messages[sim]}
    job = Job(soak.target, soak.test, sim=sim, options=options, judge=judge, out_dir=folder / case)
    result = simulate(job, test_module="tb.bench._replay", test_filter=case)
    if result["verdict"] != "pass":
        raise UserError(f"benchmark {case} on {sim}: {result.get('reason', 'no verdict')}")
    return result, json.loads((folder / f"{case}.json").read_text(encoding="utf-8"))


def run() -> list[Measurement]:
    """Measure all targets on all installed simulators."""
    present = [sim for sim in SIMULATORS if executable(sim) is not None]
    return [row for soak in SOAKS for sim in present for row in run_on(soak, sim)]
