"""The small HDL benches of the Hermon CQ stand-in on every simulator that is there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tb.runner.tools import base_env, require
from tests.sim.smoke import simulators

STUBS = Path(__file__).resolve().parents[2] / "rtl_stubs"
INCLUDES = ("-Icommon", "-Ihermon_cq", "-Ihermon_cq/selfcheck")


@pytest.mark.parametrize("sim", simulators())
@pytest.mark.parametrize("bench", ["rings", "corners"])
def test_selfcheck(bench: str, sim: str, tmp_path: Path) -> None:
    """The bench builds with the simulator and prints PASS as its verdict."""
    sources = ["hermon_cq/hermon_cq.sv", f"hermon_cq/selfcheck/{bench}.sv"]
    compiler = str(require(sim))
    if sim == "icarus":
        program = [str(tmp_path / "bench")]
        command = [compiler, "-g2012", *INCLUDES, "-s", bench, "-o", program[0], *sources]
        program.insert(0, "vvp")
    else:
        program = [str(tmp_path / "bench")]
        command = [compiler, "--binary", "--timing", "-Wno-fatal", "-CFLAGS", "-O0 -std=gnu++20", *INCLUDES]
        command += ["--top-module", bench, "-Mdir", str(tmp_path), "-o", program[0], *sources]
    built = subprocess.run(command, cwd=STUBS, env=base_env(), capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    ran = subprocess.run(program, env=base_env(), capture_output=True, text=True, check=False, timeout=300)
    assert f"{bench}: PASS" in ran.stdout.splitlines(), ran.stdout[-2000:]
