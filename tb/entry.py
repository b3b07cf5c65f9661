"""cocotb entry: a cocotb test per job (env RDMA_DV_JOB), which runs the job's test and writes result.json.

Several jobs in one process save its start. Each begins with idle pins, stopped clocks and a reset, like the
first one.
"""

from __future__ import annotations

import gc
import json
import os
import time
from pathlib import Path
from typing import Any

import cocotb
from pyuvm import ConfigDB, uvm_root

from ref_model.errors import UserError
from tb import tampers
from tb.runner.catalogue import find_test


async def run_job(path: Path) -> None:
    """Run the test of a job file; the verdict is in result.json, not in cocotb's own summary."""
    job = json.loads(path.read_text(encoding="utf-8"))
    out, started = Path(job["out_dir"]), time.perf_counter()
    info = find_test(job["binding"]["target"], job["test"])
    result: dict[str, Any] = {
        key: job[key]
        for key in ("dut", "test", "seed", "sim", "mutant", "variant", "elastic", "knobs", "tampers")
    }
    result["suites"] = list(info.suites)
    # Frames and events live long enough to be looked at again and again by the collector, and make no cycles.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        tampers.check(job["tampers"])
        root = uvm_root()
        ConfigDB().set(None, "*", "job", job)
        await root.run_test(info.cls, keep_set={ConfigDB})
        result.update(uvm_root().uvm_test_top.result())
    except UserError as error:
        result.update(verdict="inconclusive", reason=str(error), findings=[], findings_total=0, evidence={})
    result["run_s"] = time.perf_counter() - started
    (out / "result.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _register(number: int, path: Path) -> None:
    async def one(_: Any) -> None:
        await run_job(path)

    globals()[f"job_{number}"] = cocotb.test(name=f"job_{number}")(one)


for _number, _path in enumerate(filter(None, os.environ.get("RDMA_DV_JOB", "").split(os.pathsep))):
    _register(_number, Path(_path))
