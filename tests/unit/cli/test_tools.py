"""Smaller commands: list, doctor, bench, scaffolds, and single runs."""

from __future__ import annotations

import ast
import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tb.bench
from ref_model.errors import UserError
from tb.cli import doctor, scaffold
from tb.cli import run as run_module
from tb.runner import Job, build, load_binding, tools
from tb.runner.ports import Port, module_ports
from tests.unit.cli.conftest import failed, finding, passed

HEADER = """
/* module ernic; in a comment */
module ernic #(parameter int N = (2 + 6)) ( // ports
    input  logic clk, rst,
    input  logic [N-1:0] a,
    output logic [(N*2)-1:0] b, c,
    output wire d
);
endmodule
"""


def test_list(toy: Path, run_main: Any) -> None:
    assert "ernic" in run_main("list")[1].split()
    code, out, _ = run_main("list", "--dut", str(toy), "--mutants", "--knobs")
    assert code == 0
    for text in ("A SEND arrives.", "wrong_psn", "small_bursts", "C_NUM_QP"):
        assert text in out
    assert "Stimulus" not in out


def test_doctor(run_main: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run_main("doctor")
    assert code == 0 and "cocotb" in out and "usable simulators: " in out
    monkeypatch.setattr(tools, "executable", lambda sim: None)
    code, out, _ = run_main("doctor")
    assert code == 1 and "no simulator works" in out and "usable simulators: none" in out


def test_doctor_says_what_a_missing_package_costs(run_main: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "package_version", lambda name: None if name == "pyuvm" else "1")
    code, out, _ = run_main("doctor")
    assert code == 1 and "pyuvm is missing: no simulation" in out
    assert all(one.without for one in doctor.examine())


def test_bench(run_main: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    modules = {
        "tb.bench.one": SimpleNamespace(
            run=lambda: [{"name": "x", "value": 30.0, "unit": "k/s", "baseline": 10.0}]
        ),
        "tb.bench.two": SimpleNamespace(run=lambda: [tb.bench.Measurement("y", 1.0, "s")]),
        "tb.bench.three": SimpleNamespace(__file__="three.py"),
    }
    monkeypatch.setattr(tb.bench, "importlib", SimpleNamespace(import_module=modules.__getitem__))
    monkeypatch.setattr("tb.cli.bench.benchmarks", lambda: ["one", "two"])
    target = tmp_path / "sub" / "bench.json"
    code, out, _ = run_main("bench", "--json", str(target))
    assert code == 0 and "30" in out
    assert json.loads(target.read_text()) == [
        {"name": "x", "value": 30.0, "unit": "k/s", "baseline": 10.0, "ratio": 3.0},
        {"name": "y", "value": 1.0, "unit": "s", "baseline": None, "ratio": None},
    ]
    with pytest.raises(UserError, match=r"three.py: no function run"):
        tb.bench.run_benchmark("three")


def test_run_prints_the_finding_and_the_repeat_command(
    toy: Path, run_main: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "run", lambda job: failed(job, finding("ERN-064")))
    code, out, _ = run_main(
        *("run", "--dut", str(toy), "--test", "send_only", "--seed", "7", "--mutant", "wrong_psn"),
        *("--variant", "2", "-o", "pcap=a b.pcapng", "-o", "count=3"),
    )
    assert code == 1
    for text in ("FAIL  send_only", "ERN-064  at 4.000 ns  QP 3", "PSN 7", "the last one was 6", "bth.psn"):
        assert text in out
    assert "--seed 7 --sim verilator --mutant 2 --variant 2 -o 'pcap=a b.pcapng' -o count=3" in out
    monkeypatch.setattr(run_module, "run", passed)
    assert run_main("run", "--dut", str(toy), "--test", "send_only")[0] == 0


def test_new_test(tmp_path: Path, registry: dict[str, Any]) -> None:
    path = scaffold.new_test(tmp_path, "ernic", "read_wrap", "read_wrap")
    tree = ast.parse(path.read_text())
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    assert names == ["read_wrap"] and len(path.read_text().splitlines()) <= 30
    with pytest.raises(UserError, match="exists already"):
        scaffold.new_test(tmp_path, "ernic", "read_wrap", "read_wrap")


def test_module_ports(tmp_path: Path) -> None:
    source = tmp_path / "x.sv"
    source.write_text(HEADER)
    header, ports = module_ports("ernic", [source])
    assert header.startswith("module ernic #(") and header.endswith(");") and "//" not in header
    assert ports == [
        Port("input", "clk"),
        Port("input", "rst"),
        Port("input", "a"),
        Port("output", "b"),
        Port("output", "c"),
        Port("output", "d"),
    ]
    with pytest.raises(UserError, match=r"module hermon not found in x.sv"):
        module_ports("hermon", [source])


ADAPTED = {
    "ernic": "assign cmac_m_axis_tvalid = '0;",
    "rclink": "assign TX_S_CRD_O = '0;",
    "hermon_cq": "assign m_axi_awvalid = '0;",
}


@pytest.mark.skipif(not tools.have("icarus"), reason="Icarus Verilog is not installed")
@pytest.mark.parametrize("target", ADAPTED)
def test_new_dut_compiles(target: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    binding, adapter = scaffold.new_dut(folder, target, "vendor_4_0")
    assert ADAPTED[target] in adapter.read_text()
    loaded = load_binding(str(binding))
    assert loaded.label == f"{target}.vendor_4_0" and loaded.knobs.get("M_RULES", "report") == "report"
    assert build(loaded, "icarus").program.is_file()
    assert build(loaded.with_engine("c"), "icarus").program.is_file()
    with pytest.raises(UserError, match="exists already"):
        scaffold.new_dut(folder, target, "vendor_4_0")


@pytest.mark.parametrize("target", ADAPTED)
def test_new_test_names_what_there_is(target: str, tmp_path: Path) -> None:
    tree = ast.parse(scaffold.new_test(tmp_path, target, "fresh_words", "fresh_words").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    assert imports
    for node in imports:
        module = importlib.import_module(node.module or "")
        assert all(hasattr(module, alias.name) for alias in node.names)


def test_job_names_are_unique() -> None:
    jobs = [Job("d", "t", seed, mutant=m, variant=v) for seed in (1, 2) for m in (0, 1) for v in (0, 1)]
    assert len({job.name for job in jobs}) == len(jobs)
