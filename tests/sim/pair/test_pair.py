"""Two stand-ins back to back, on each simulator that is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb.runner import ROOT, load_binding
from tests.sim.design import Design, simulate
from tests.sim.smoke import simulators

HDL = Path(__file__).resolve().parent / "hdl"


@pytest.mark.sim
@pytest.mark.parametrize("sim", simulators())
@pytest.mark.parametrize("target", ["ernic", "rclink"])
def test_pair(target: str, sim: str) -> None:
    """Stimulus and checks: see the cocotb module of the target."""
    binding = load_binding(target)
    design = Design(
        f"tb_{target}_pair",
        f"tests.sim.pair.{target}_cocotb",
        [*binding.files.sources, HDL / f"tb_{target}_pair.sv"],
        binding.files.include_dirs,
        parameters=binding.parameters(),
    )
    build_dir = ROOT / "build" / "pair" / f"{target}_{sim}"
    plusargs = [f"+{name}={value}" for name, value in binding.plusargs().items()]
    simulate(sim, design, build_dir, plusargs=plusargs, env={"PAIR_DIR": str(build_dir), "PAIR_SEED": "1"})
