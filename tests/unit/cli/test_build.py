"""Build cache: keyed by content, one builder at a time, clear errors."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from ref_model.errors import UserError
from tb.runner import BuildError, build, cache_root, load_binding
from tb.runner.tools import have

needs_icarus = pytest.mark.skipif(not have("icarus"), reason="Icarus Verilog is not installed")


@needs_icarus
def test_cached_by_content(toy: Path) -> None:
    binding = load_binding(str(toy))
    first = build(binding, "icarus")
    assert not first.cached and first.program.is_file()
    assert build(binding, "icarus").cached
    others = [
        build(binding, "icarus", mutation=True),
        build(binding, "icarus", waves=True),
        build(binding.with_knobs({"C_NUM_QP": 16}), "icarus"),
    ]
    assert len({first.key, *(one.key for one in others)}) == 4


@needs_icarus
def test_half_build_is_made_anew(toy: Path) -> None:
    binding = load_binding(str(toy))
    built = build(binding, "icarus")
    (built.directory / "done.json").unlink()
    built.program.write_text("cut short")
    assert not build(binding, "icarus").cached
    assert built.program.read_text() != "cut short"


def _build(toy: str) -> bool:
    return build(load_binding(toy), "icarus").cached


@needs_icarus
def test_parallel_builds_make_one(toy: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        cached = pool.map(_build, [str(toy)] * 8, chunksize=1)
    assert sorted(cached) == [False] + [True] * 7
    assert len(list(cache_root().glob("icarus-*/sim.vvp"))) == 1


@needs_icarus
def test_broken_design(toy: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.sv").write_text("module toy; wire x = ; endmodule\n")
    toy.write_text(toy.read_text().replace('sources = ["', 'sources = ["broken.sv"]\n#'))
    with pytest.raises(BuildError, match=r"build failed: .*broken.sv:1: .*log: .*build.log"):
        build(load_binding(str(toy)), "icarus")


def test_unknown_simulator(toy: Path) -> None:
    with pytest.raises(UserError, match="unknown simulator 'vcs': allowed are verilator, icarus"):
        build(load_binding(str(toy)), "vcs")


def test_missing_simulator(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb.runner.tools.executable", lambda sim: None)
    with pytest.raises(UserError, match="simulator 'icarus' is not installed: apt-get install iverilog"):
        build(load_binding(str(toy)), "icarus")
