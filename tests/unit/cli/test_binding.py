"""Bindings: what a good one resolves to, and one clear line for every kind of bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ref_model.errors import UserError
from tb.runner import load_binding, read_binding
from tb.runner.filelist import FileList, read_file_list


def test_label_parameters_and_knobs(toy: Path) -> None:
    binding = load_binding(str(toy))
    assert binding.label == "ernic.toy"
    assert binding.parameters() == {"WIDTH": 9}
    assert binding.with_knobs({"C_NUM_QP": 64}).parameters() == {"WIDTH": 64}
    assert binding.knobs["M_RULES"] == "enforce"
    resolved = binding.resolved()
    assert (resolved["SETTLE"], resolved["PIPE_OUT"], resolved["clock_period_ps"]) == (16, 64, 4000)


def test_parameter_from_an_enum_knob(toy: Path) -> None:
    toy.write_text(
        toy.read_text().replace('{ knob = "C_NUM_QP" }', '{ knob = "QP_BASE_MODE", doc = 0, raw = 1 }')
    )
    binding = load_binding(str(toy))
    assert binding.parameters() == {"WIDTH": 0}
    assert binding.with_knobs({"QP_BASE_MODE": "raw"}).parameters() == {"WIDTH": 1}


def test_plusargs_follow_knobs(toy: Path) -> None:
    table = '[plusargs]\nCREDIT = { knob = "AETH_CREDIT", mask = 31 }\nFIXED = 3\n[knobs]'
    toy.write_text(toy.read_text().replace("[knobs]", table))
    binding = load_binding(str(toy))
    assert binding.plusargs() == {"CREDIT": 31, "FIXED": 3}
    assert binding.with_knobs({"AETH_CREDIT": 5}).plusargs() == {"CREDIT": 5, "FIXED": 3}
    assert binding.with_knobs({"AETH_CREDIT": 5}).parameters() == binding.parameters()


def test_enum_knob_without_a_parameter_value(toy: Path) -> None:
    toy.write_text(toy.read_text().replace('{ knob = "C_NUM_QP" }', '{ knob = "QP_BASE_MODE", doc = 0 }'))
    binding = load_binding(str(toy)).with_knobs({"QP_BASE_MODE": "raw"})
    with pytest.raises(UserError, match=r"parameters.WIDTH: knob QP_BASE_MODE = 'raw': allowed are doc"):
        binding.parameters()


def test_hash_follows_headers(toy: Path, tmp_path: Path) -> None:
    header = tmp_path / "inc" / "x.svh"
    header.parent.mkdir()
    header.write_text("// one")
    toy.write_text(toy.read_text().replace("include_dirs = [", 'include_dirs = ["inc", '))
    before = load_binding(str(toy)).source_hash()
    header.write_text("// two")
    assert load_binding(str(toy)).source_hash() != before


def test_environment_variable_in_a_path(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = toy.read_text()
    folder = text.split('sources = ["')[1].split("/toy.sv")[0]
    toy.write_text(text.replace(f'sources = ["{folder}', 'sources = ["${TOY_RTL}'))
    with pytest.raises(UserError, match="environment variable TOY_RTL is not set"):
        load_binding(str(toy))
    monkeypatch.setenv("TOY_RTL", folder)
    assert [path.name for path in load_binding(str(toy)).files.sources] == ["toy.sv"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('top = "toy"', 'tpo = "toy"', "unknown key tpo: allowed are .*top"),
        ('top = "toy"', "", "key 'top' is missing"),
        ('top = "toy"', "top = 3", "top = 3: allowed is a string"),
        ("SETTLE = 16", "SETTLE = true", "SETTLE = True: allowed is an integer"),
        ("SETTLE = 16", "SETTLE = -1", "SETTLE = -1 is too small"),
        ("clock_period_ps = 4000", "clock_period_ps = 0", "clock_period_ps = 0 is too small"),
        ('target = "ernic"', 'target = "ernie"', "unknown target 'ernie': allowed are .*ernic"),
        ("C_NUM_QP = 9", "C_NUM_QP = 4", "C_NUM_QP = 4: allowed are 8 to 2048"),
        ("C_NUM_QP = 9", "C_NUM_PQ = 9", "unknown knob 'C_NUM_PQ' of ernic: allowed are .*C_NUM_QP"),
        ("C_NUM_QP = 9", 'M_RULES = "off"', "M_RULES = 'off': allowed are enforce, report"),
        ("C_NUM_QP = 9", "MAX_OUTSTANDING = [1, 2]", r"MAX_OUTSTANDING = \[1, 2\]: allowed are \[16, 8\]"),
        ("C_NUM_QP = 9", "TIMER_TOL = {a = 1}", "TIMER_TOL = .*: allowed are a table of lower_base_ticks"),
        ('{ knob = "C_NUM_QP" }', '{ knob = "NONE" }', "parameters.WIDTH: knob 'NONE' is not set"),
        ("toy.sv", "none.sv", "hdl.sources: no file matches .*none.sv"),
        ("[hdl]", "[hdl]\nsuorces = []", "unknown key hdl.suorces: allowed are .*sources"),
        ("[hdl]", "[hdl", "no valid TOML"),
        ('mutants = "mutants.json"', 'knob_set = "mine"', "knob_set = 'mine': allowed are default, own_dut"),
    ],
)
def test_malformed(toy: Path, old: str, new: str, message: str) -> None:
    text = toy.read_text()
    assert old in text
    toy.write_text(text.replace(old, new))
    with pytest.raises(UserError, match=message) as caught:
        read_binding(toy)
    assert "\n" not in str(caught.value)


def test_unknown_names() -> None:
    with pytest.raises(UserError, match=r"unknown DUT 'nic': allowed are .*ernic"):
        load_binding("nic")
    with pytest.raises(UserError, match=r"binding file none.toml not found"):
        load_binding("none.toml")


def test_file_list(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    for name in ("a.sv", "b.sv", "c.sv"):
        (tmp_path / name).write_text("")
    (tmp_path / "more.f").write_text("c.sv\n")
    (tmp_path / "all.f").write_text("# list\n+incdir+inc\n+define+DEPTH=4\nb.sv // first\na.sv\n-f more.f\n")
    files = FileList()
    read_file_list(tmp_path / "all.f", files)
    assert [path.name for path in files.sources] == ["b.sv", "a.sv", "c.sv"]
    elsewhere = FileList()
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "far.f").write_text("a.sv\n")
    read_file_list(tmp_path / "lists" / "far.f", elsewhere, tmp_path)
    assert [path.name for path in elsewhere.sources] == ["a.sv"]
    assert files.defines == {"DEPTH": "4"} and [path.name for path in files.include_dirs] == ["inc"]


@pytest.mark.parametrize(
    ("line", "message"),
    [("-y lib", r"all.f:1: unknown entry '-y lib'"), ("+incdir+no", "include directory .* not found")],
)
def test_bad_file_list(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "all.f").write_text(line)
    with pytest.raises(UserError, match=message):
        read_file_list(tmp_path / "all.f", FileList())
    with pytest.raises(UserError, match=r"none.f: file list not found"):
        read_file_list(tmp_path / "none.f", FileList())
