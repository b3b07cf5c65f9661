"""SystemRDL export: up to date, never expanded, clear complaints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ref_model.errors import UserError
from tb.registers.export import RDL_PATH, compile_rdl, export, main, render
from tb.registers.sequences import JSON_PATH


def test_registers_json_is_up_to_date() -> None:
    """If this fails: python -m tb.registers.export."""
    assert JSON_PATH.read_text(encoding="utf-8") == render(export(compile_rdl(RDL_PATH)))


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
