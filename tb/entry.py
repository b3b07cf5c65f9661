"""cocotb entry: reads the job (env RDMA_DV_JOB), runs its test, writes result.json."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from typing import Any

import cocotb
from pyuvm import ConfigDB, uvm_root

from ref_model.errors import UserError
from tb import tampers
from tb.runner.catalogue import find_test


@cocotb.test()
async def rdma_dv(_: Any) -> None:
    """Run the test of the job; the verdict is in result.json, not in cocotb's own summary."""
    await run_job()


async def run_job() -> None:
    """Read the job, run its test, write result.json."""
    job = json.loads(Path(os.environ["RDMA_DV_JOB"]).read_text(encoding="utf-8"))
    out = Path(job["out_dir"])
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
    (out / "result.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
