"""SystemRDL export: up to date, never expanded, clear complaints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ref_model.errors import UserError
from ref_model.rules import SPEC_DIR
from tb.registers.export import compile_rdl, described_targets, export_file, main, rdl_path, render
from tb.registers.sequences import JSON_PATH


@pytest.mark.parametrize("target", described_targets())
def test_registers_json_is_up_to_date(target: str) -> None:
    """If this fails: python -m tb.registers.export."""
    text = (SPEC_DIR / target / "registers.json").read_text(encoding="utf-8")
    assert text == render(export_file(rdl_path(target)))
    assert json.loads(text)["target"] == target


def test_every_target_is_described() -> None:
    assert described_targets() == sorted(path.parent.name for path in SPEC_DIR.glob("*/requirements.json"))


def test_blocks_stay_arrays() -> None:
    data = json.loads(JSON_PATH.read_text(encoding="utf-8"))
    shape = {block["name"]: (block["base"], block["stride"], block["count"]) for block in data["blocks"]}
    assert data["target"] == "ernic" and data["address_bits"] == 21
    assert shape == {
        "MR": (0x00_0000, 0x100, 2048),
        "GLOBAL": (0x10_0000, 0x188, 1),
        "RQINTSTS": (0x10_0190, 4, 64),
        "CQINTSTS": (0x10_0290, 4, 64),
        "CNPSCHDSTS": (0x10_0390, 4, 64),
        "QP": (0x18_0000, 0x100, 2048),
    }


def test_special_fields_carry_their_marks() -> None:
    data = json.loads(JSON_PATH.read_text(encoding="utf-8"))
    marks: dict[str, set[str]] = {}
    for block in data["blocks"]:
        for register in block["registers"]:
            for field in register["fields"]:
                for mark in ("reset_unknown", "override_writable", "activates", "qp_number"):
                    if field[mark]:
                        marks.setdefault(mark, set()).add(f"{register['name']}.{field['name']}")
    assert marks["override_writable"] == {
        *("CQHEAD.HEAD", "STATCURSQPTR.PTR", "STATRQPIDB.PI", "STATMSN.MSN"),
        *("STATRQBUFCA.ADDR", "STATRQBUFCAMSB.ADDR"),
    }
    assert marks["activates"] == {"XRNICCONF.EN", "XRNICADCONF.SW_OVERRIDE", "QPCONF.EN"}
    assert marks["qp_number"] == {"XRNICADCONF.OVERRIDE_QP", "XRNIC_CONF_QP_EN.QP_EN", "CON_IO_CONF.QP"}
    assert {"XRNICADCONF.BASE_WIDTH", "QPADVCONF.TCLASS", "CON_IO_CONF.READY"} <= marks["reset_unknown"]


def test_main_writes_next_to_the_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "tiny.rdl"
    source.write_text(
        "addrmap tiny { littleendian; lsb0; reg { field { sw = rw; hw = r; } A[3:0] = 5; } R @ 0x4; };",
        encoding="utf-8",
    )
    assert main([str(source)]) == 0
    data = json.loads((tmp_path / "registers.json").read_text(encoding="utf-8"))
    assert data["blocks"][0]["registers"][0]["fields"][0]["reset"] == 5
    assert "written" in capsys.readouterr().out


TWO_KNOBS = """
addrmap tiny #(string PLACE = "LOW", longint unsigned BITS = 4) {{
    default sw = rw; default hw = r; default reset = 0; default regwidth = 64;
    reg {{ field {{}} A[(PLACE == "HIGH") ? 40 : 8:(PLACE == "HIGH") ? 33 : 1]; }} R @ 0x0;
    reg {{ field {{}} B[{0}:0]; }} S @ 0x8;
    regfile {{ selected_by = "R.R"; reg {{ field {{ provisional; }} C[63:0]; }} T; }} W @ 0x10;
}};
"""
PROPERTIES = """
property selected_by {{ component = regfile; type = string; }};
property provisional {{ component = field; type = boolean; }};
"""


def _two_knobs(folder: Path, width: str) -> Path:
    source = folder / "tiny.rdl"
    source.write_text((PROPERTIES + TWO_KNOBS).format(width), encoding="utf-8")
    knobs = [
        {"name": "PLACE", "type": "enum", "values": ["LOW", "HIGH"]},
        {"name": "BITS", "type": "enum", "values": [4, 2]},
    ]
    (folder / "parameters.json").write_text(json.dumps({"items": knobs}), encoding="utf-8")
    return source


def test_registers_that_a_knob_lays_out_are_listed(tmp_path: Path) -> None:
    """64 bits, a window, a made-up field; one variant for each value but the default, of what it changes."""
    data = json.loads(render(export_file(_two_knobs(tmp_path, "BITS - 1"))))
    assert [(row["knob"], row["value"], row["block"]) for row in data["variants"]] == [
        ("PLACE", "HIGH", "R"),
        ("BITS", 2, "S"),
    ]
    fields = [row["register"]["fields"][0] for row in data["variants"]]
    assert [(field["lsb"], field["width"]) for field in fields] == [(33, 8), (0, 2)]
    window = data["blocks"][2]
    assert window["selected_by"] == "R.R" and window["registers"][0]["width"] == 64
    assert window["registers"][0]["fields"][0]["provisional"] is True
    assert "provisional" not in fields[0] and "selected_by" not in data["blocks"][0]


def test_a_register_follows_one_knob(tmp_path: Path) -> None:
    source = _two_knobs(tmp_path, '(PLACE == "HIGH") ? 7 : BITS')
    with pytest.raises(UserError, match="register S depends on PLACE and BITS"):
        export_file(source)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("addrmap t { reg { field { sw = rw; hw = r; } A[3:0] } R; };", "line"),
        ("addrmap t { reg { field { sw = w; hw = r; } A[3:0]; } R; };", "access not supported"),
        ("addrmap t { reg { field { sw = rw; hw = r; } A; } R[2][2]; };", "one array dimension"),
        (
            "addrmap t { regfile { reg { field { sw = rw; hw = r; } A; } R[2]; } F; };",
            "top of the address map",
        ),
    ],
)
def test_wrong_rdl_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, complaint: str
) -> None:
    source = tmp_path / "bad.rdl"
    source.write_text(text, encoding="utf-8")
    assert main([str(source)]) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1


def test_missing_file_and_too_many_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="no such register description"):
        compile_rdl(tmp_path / "none.rdl")
    assert main(["a", "b", "c"]) == 2
    assert "usage" in capsys.readouterr().err
