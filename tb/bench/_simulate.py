"""Building and running one design of the simulator benchmarks (tb/bench/hdl) with a cocotb module."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from cocotb_tools.runner import get_runner

from ref_model.errors import UserError
from tb.runner import engine_library, tools
from tb.runner.paths import ROOT, build_root
from tb.runner.simulate import ENGINE_VARIABLE

FAST = ROOT / "tb" / "fast" / "hdl"
DESIGNS = ROOT / "tb" / "bench" / "hdl" / "bench_designs.sv"
RESULT = "RDMA_DV_BENCH_RESULT"


def measure(sim: str, top: str, module: str, case: str) -> dict[str, float]:
    """Return what cocotb test ``case`` of ``module`` measured on design ``top``.

    Raises:
        UserError: the simulation failed; the message names its log.
    """
    tools.require(sim)
    folder = build_root() / "bench" / f"{top}-{sim}"
    folder.mkdir(parents=True, exist_ok=True)
    old = dict(os.environ)
    os.environ.update(tools.base_env())
    try:
        return _measure(sim, top, module, case, folder)
    except (SystemExit, subprocess.CalledProcessError, RuntimeError) as error:
        raise UserError(f"benchmark {case} on {sim} failed: {error} (log: {folder / 'sim.log'})") from error
    finally:
        os.environ.clear()
        os.environ.update(old)


def _measure(sim: str, top: str, module: str, case: str, folder: Path) -> dict[str, float]:
    library = folder / engine_library.NAME[sim]
    subprocess.run(engine_library.command(sim), cwd=folder, check=True)
    arguments = ["-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", "-O2"]
    arguments += ["-LDFLAGS", f"-L{folder} -l:{library.name} -Wl,-rpath,{folder}"]
    runner = get_runner(sim)
    runner.build(
        sources=[*sorted(FAST.glob("*.sv")), DESIGNS],
        includes=[FAST],
        defines={"FAST_BITS": "512"},
        hdl_toplevel=top,
        build_args=arguments if sim == "verilator" else [],
        build_dir=folder,
        timescale=("1ns", "1ps"),
        log_file=folder / "build.log",
    )
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    runner.test(
        hdl_toplevel=top,
        test_module=module,
        test_filter=f"{case}$",
        build_dir=folder,
        test_dir=folder,
        timescale=("1ns", "1ps"),
        test_args=[] if sim == "verilator" else ["-M", str(folder), "-m", library.stem],
        extra_env={"PYTHONPATH": str(ROOT), RESULT: str(result), ENGINE_VARIABLE: str(library)},
        log_file=folder / "sim.log",
    )
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found
