"""cocotb side of the end-to-end benchmark: a judged run that keeps its stimulus, and the same without Python.

The second run gives the DUT the same register accesses, frames and memory contents at the same times, out of
the C engine: what it takes is the simulator's share.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import Timer
from pyuvm import ConfigDB, uvm_root

from tb.agents.axil import AxilItem, RegPort
from tb.agents.pins import now_ps
from tb.entry import run_job
from tb.fast.engine import engine
from tb.runner.catalogue import find_test
from tb.testcase import ErnicTest

#: Directory in which the judged run leaves its stimulus for the second one.
FOLDER = "RDMA_DV_BENCH_FOLDER"


@cocotb.test()
async def judged(_: Any) -> None:
    """Run the job as ever; keep every register access with its time, and what the engine was given."""
    accesses: list[tuple[int, bool, int, int, int]] = []
    original = RegPort.access

    async def access(port: RegPort, item: AxilItem) -> AxilItem:
        accesses.append((now_ps(), item.write, item.addr, item.data, 0xF if item.strb is None else item.strb))
        return await original(port, item)

    RegPort.access = access  # type: ignore[method-assign, assignment]
    find_test("ernic", "write_soak")  # loads all tests, as the start of the other run does
    engine().record(1)
    start = time.perf_counter()
    await run_job(Path(os.environ["RDMA_DV_JOB"]))
    spent = time.perf_counter() - start
    folder = Path(os.environ[FOLDER])
    engine().save_record(folder / "given.bin")
    found = {"wall_s": spent, "end": now_ps(), "accesses": accesses, "ended": engine().ended()}
    (folder / "judged.json").write_text(json.dumps(found), encoding="utf-8")


class ReplayTest(ErnicTest):
    """The environment with nobody looking: no drain, no model, no partner."""

    async def run_phase(self) -> None:
        """Reset, then the recorded accesses at their times, until the recorded end."""
        self.raise_objection()
        folder = Path(os.environ[FOLDER])
        recorded = json.loads((folder / "judged.json").read_text(encoding="utf-8"))
        engine().replay(folder / "given.bin")
        start = time.perf_counter()
        await self.env.clock_reset.start()
        for at, write, addr, data, strb in recorded["accesses"]:
            if at > now_ps():
                await Timer(at - now_ps(), "ps")
            cocotb.start_soon(self.host.port.access(AxilItem(write, addr, data, strb)))
        await Timer(recorded["end"] - now_ps(), "ps")
        spent = time.perf_counter() - start
        found = {"wall_s": spent, "ended": engine().ended(), "recorded": recorded["ended"]}
        (folder / "replayed.json").write_text(json.dumps(found), encoding="utf-8")
        self.drop_objection()

    def extract_phase(self) -> None:
        """Nothing was judged."""

    def check_phase(self) -> None:
        """Nothing was judged."""


async def _nothing() -> None:
    """In place of the hub's run phase: nobody wakes."""


@cocotb.test()
async def replayed(_: Any) -> None:
    """Run the recorded stimulus again."""
    job = json.loads(Path(os.environ["RDMA_DV_JOB"]).read_text(encoding="utf-8"))
    from tb.fast import hub

    hub.FastHub.run_phase = lambda self: _nothing()  # type: ignore[method-assign]
    ConfigDB().set(None, "*", "job", job)
    await uvm_root().run_test(ReplayTest, keep_set={ConfigDB})
    (Path(job["out_dir"]) / "result.json").write_text('{"verdict": "pass"}', encoding="utf-8")
