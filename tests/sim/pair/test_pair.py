"""Two stand-ins back to back, on each simulator that is installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb.runner import ROOT, load_binding
from tests.sim.design import Design, simulate
from tests.sim.smoke import simulators

HDL = Path(__file__).resolve().parent / "hdl"


@pytest.mark.sim
@pytest.mark.parametrize("sim", simulators())
def test_pair(sim: str) -> None:
    """Stimulus and checks: see pair_cocotb.py."""
    binding = load_binding("ernic")
    design = Design(
        "tb_ernic_pair",
        "tests.sim.pair.pair_cocotb",
        [*binding.files.sources, HDL / "tb_ernic_pair.sv"],
        binding.files.include_dirs,
        parameters=binding.parameters(),
    )
    build_dir = ROOT / "build" / "pair" / sim
    simulate(
        sim,
        design,
        build_dir,
        plusargs=[f"+{name}={value}" for name, value in binding.plusargs().items()],
        env={"PAIR_DIR": str(build_dir), "PAIR_KNOBS": json.dumps(dict(binding.knobs)), "PAIR_SEED": "1"},
    )
