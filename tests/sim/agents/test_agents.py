"""Agents and protocol checkers against small designs, on each simulator that is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tb.runner import ROOT, engine_library
from tests.sim.design import Design, simulate
from tests.sim.smoke import simulators

HDL = ROOT / "tb" / "hdl"
HERE = Path(__file__).resolve().parent / "hdl"
INCLUDES = [HDL, ROOT / "tb/fast/hdl"]
CHECKERS = sorted(HDL.glob("*.sv"))
LOOPBACK = [*CHECKERS, ROOT / "tb/duts/ernic/tb_ernic.sv", HERE / "loopback_ernic.sv"]
FAST = [*sorted((ROOT / "tb/fast/hdl").glob("*.sv")), ROOT / "tb/duts/ernic/tb_ernic_fast.sv"]
DIRECT = {"ERNIC_DIRECT": 1}
DESIGNS = (
    Design("tb_ernic", "tests.sim.agents.agents_cocotb", LOOPBACK, INCLUDES, DIRECT),
    Design("tb_ernic_fast", "tests.sim.agents.agents_cocotb", [*LOOPBACK, *FAST], INCLUDES, DIRECT),
    Design(
        "checker_bench", "tests.sim.agents.checkers_cocotb", [*CHECKERS, HERE / "checker_bench.sv"], INCLUDES
    ),
)


@pytest.mark.sim
@pytest.mark.parametrize("sim", simulators())
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.top)
def test_agents(design: Design, sim: str) -> None:
    """Stimulus and checks: see the cocotb module of the design."""
    build_dir = ROOT / "build" / "agents" / f"{design.top}_{sim}"
    build_args: list[str] = []
    test_args: list[str] = []
    env = {}
    if design.top == "tb_ernic_fast":
        build_dir.mkdir(parents=True, exist_ok=True)
        library = build_dir / engine_library.NAME[sim]
        subprocess.run(engine_library.command(sim), cwd=build_dir, check=True)
        env["RDMA_DV_ENGINE"] = str(library)
        if sim == "verilator":
            build_args = ["-LDFLAGS", f"-L{build_dir} -l:{library.name} -Wl,-rpath,{build_dir}"]
        else:
            test_args = ["-M", str(build_dir), "-m", library.stem]
    simulate(sim, design, build_dir, build_args=build_args, test_args=test_args, env=env)
