"""Two stand-ins back to back, on each simulator that is installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from tb.runner import ROOT, load_binding
from tests.sim.agents.test_agents import BUILD_ARGS, simulator_path
from tests.sim.smoke import simulators

HDL = Path(__file__).resolve().parent / "hdl"


@pytest.mark.sim
@pytest.mark.parametrize("sim", simulators())
def test_pair(sim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stimulus and checks: see pair_cocotb.py."""
    monkeypatch.setenv("PATH", simulator_path())
    monkeypatch.setenv("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include")  # the wheel's verilated.mk lacks it
    binding = load_binding("ernic")
    build_dir = ROOT / "build" / "pair" / sim
    build_dir.mkdir(parents=True, exist_ok=True)
    runner = get_runner(sim)
    runner.build(
        sources=[*binding.files.sources, HDL / "tb_ernic_pair.sv"],
        includes=binding.files.include_dirs,
        parameters=binding.parameters(),
        hdl_toplevel="tb_ernic_pair",
        build_args=BUILD_ARGS[sim],
        build_dir=build_dir,
        timescale=("1ns", "1ps"),
        log_file=build_dir / "build.log",
    )
    results = runner.test(
        hdl_toplevel="tb_ernic_pair",
        test_module="tests.sim.pair.pair_cocotb",
        build_dir=build_dir,
        test_dir=build_dir,
        timescale=("1ns", "1ps"),
        plusargs=[f"+{name}={value}" for name, value in binding.plusargs().items()],
        extra_env={
            "PYTHONPATH": str(ROOT),
            "PAIR_DIR": str(build_dir),
            "PAIR_KNOBS": json.dumps(dict(binding.knobs)),
            "PAIR_SEED": "1",
        },
        log_file=build_dir / "sim.log",
    )
    ran, failed = get_results(results)
    assert ran and not failed, f"{failed} of {ran} failed, see {build_dir / 'sim.log'}"
