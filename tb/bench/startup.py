"""What a simulated test costs beside its simulation: the start of a process, and each further test in it."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from ref_model.errors import UserError
from tb.bench import Measurement
from tb.runner import Job, run_batch
from tb.runner.tools import SIMULATORS, executable

FURTHER = 16


def run() -> list[Measurement]:
    """Measure on all installed simulators; the build is made before the clock starts."""
    return [row for sim in SIMULATORS if executable(sim) is not None for row in _on(sim)]


def _on(sim: str) -> list[Measurement]:
    with TemporaryDirectory() as name:
        _seconds(sim, 1, Path(name))
        one = _seconds(sim, 1, Path(name))
        many = _seconds(sim, 1 + FURTHER, Path(name))
    each = (many - one) / FURTHER
    return [
        Measurement(f"{sim}: process with one test of two frames", one, "s"),
        Measurement(f"{sim}: each further such test in it", each, "s", one),
    ]


def _seconds(sim: str, count: int, folder: Path) -> float:
    jobs = [Job("ernic", "reset_only", seed, sim, out_dir=folder / str(seed)) for seed in range(count)]
    start = time.perf_counter()
    results = run_batch(jobs)
    if any(result["verdict"] != "pass" for result in results):
        raise UserError(f"benchmark startup on {sim}: {results[0]['reason']}")
    return time.perf_counter() - start
