"""cocotb side of the end-to-end benchmark: a judged run that keeps its stimulus, and the same without Python.

The second run gives the DUT the same levels on the pins that Python drives, and out of the C engine the same
frames and memory contents, all at the same times: what it takes is the simulator's share.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.handle import ValueObjectBase
from cocotb.triggers import Timer
from pyuvm import ConfigDB, uvm_root

from tb.agents.base import Agent
from tb.agents.pins import now_ps
from tb.entry import run_job
from tb.fast.engine import engine
from tb.fast.hub import FastHub
from tb.runner.catalogue import find_test
from tb.testcase import DutTest, TestInfo

#: Directory in which the judged run leaves its stimulus for the second one.
FOLDER = "RDMA_DV_BENCH_FOLDER"


def _job() -> tuple[dict[str, Any], TestInfo]:
    """The job and its test; both runs load all tests before they look at the clock."""
    job = json.loads(Path(os.environ["RDMA_DV_JOB"]).read_text(encoding="utf-8"))
    return job, find_test(job["binding"]["target"], job["test"])


@cocotb.test()
async def judged(_: Any) -> None:
    """Run the job as ever; keep every level put on a pin with its time, and what the engine was given."""
    levels: list[tuple[int, str, int]] = []
    original = ValueObjectBase.value

    def put(pin: Any, value: Any) -> None:
        levels.append((now_ps(), pin._name, int(getattr(value, "value", value))))  # bare or an action
        original.fset(pin, value)  # type: ignore[attr-defined]

    ValueObjectBase.value = property(original.fget, put)  # type: ignore[attr-defined, assignment, method-assign]
    _job()
    engine().record(1)
    start = time.perf_counter()
    await run_job(Path(os.environ["RDMA_DV_JOB"]))
    spent = time.perf_counter() - start
    folder = Path(os.environ[FOLDER])
    engine().save_record(folder / "given.bin")
    found = {"wall_s": spent, "end": now_ps(), "levels": levels, "ended": engine().ended()}
    (folder / "judged.json").write_text(json.dumps(found), encoding="utf-8")


class ReplayTest(DutTest):
    """The environment with nobody looking: no monitor, no drain, no model, no partner."""

    async def run_phase(self) -> None:
        """Reset, the recorded levels at their times, until the recorded end.

        What was put on a pin at a clock edge had its effect at the next one, so it comes a little later here.
        """
        self.raise_objection()
        folder = Path(os.environ[FOLDER])
        recorded = json.loads((folder / "judged.json").read_text(encoding="utf-8"))
        engine().replay(folder / "given.bin")
        later = self.env.config.period_ps // 4
        start = time.perf_counter()
        cocotb.start_soon(self.env.clock_reset.start())
        for at, name, level in recorded["levels"]:
            if at + later > now_ps():
                await Timer(at + later - now_ps(), "ps")
            getattr(cocotb.top, name).value = level
        if recorded["end"] > now_ps():
            await Timer(recorded["end"] - now_ps(), "ps")
        spent = time.perf_counter() - start
        found = {"wall_s": spent, "ended": engine().ended(), "recorded": recorded["ended"]}
        (folder / "replayed.json").write_text(json.dumps(found), encoding="utf-8")
        self.drop_objection()

    def extract_phase(self) -> None:
        """Nothing was judged."""

    def check_phase(self) -> None:
        """Nothing was judged."""


async def _nothing(_: Any) -> None:
    """In place of a run phase: nobody wakes."""


@cocotb.test()
async def replayed(_: Any) -> None:
    """Run the recorded stimulus again."""
    job, info = _job()
    for kind in (FastHub, Agent):
        kind.run_phase = _nothing  # type: ignore[method-assign, assignment]
    ReplayTest.environment = info.cls.environment
    ConfigDB().set(None, "*", "job", job)
    await uvm_root().run_test(ReplayTest, keep_set={ConfigDB})
    (Path(job["out_dir"]) / "result.json").write_text('{"verdict": "pass"}', encoding="utf-8")
