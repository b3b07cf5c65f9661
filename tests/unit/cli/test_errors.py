"""Every wrong input: one clear line, what is allowed, exit code 2, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("runn", "No such command 'runn'"),
        ("run --dut nic --test send_only", "unknown DUT 'nic': allowed are"),
        ("run --dut none.toml --test send_only", "binding file none.toml not found"),
        (
            "run --dut TOY --test send_olny",
            "unknown test 'send_olny' of ernic: allowed are psn_wrap, send_only",
        ),
        ("run --dut TOY", "Missing option '--test'"),
        ("run --dut TOY --test send_only --sede 3", "No such option"),
        ("run --dut TOY --test send_only --seed x", "Invalid value for '--seed'"),
        (
            "run --dut TOY --test send_only --sim vcs",
            "unknown simulator 'vcs': allowed are verilator, icarus",
        ),
        (
            "run --dut TOY --test send_only --mutant late",
            "unknown mutant 'late' of ernic.toy: allowed are drops",
        ),
        ("run --dut TOY --test send_only --mutant 9", "or a number up to 3"),
        (
            "run --dut TOY --test send_only --variant 5",
            "unknown variant '5' of ernic.toy: allowed are merged_acks",
        ),
        ("run --dut TOY --test send_only -o C_NUM_QP", "-o C_NUM_QP: allowed is KEY=VALUE"),
        ("run --dut TOY --test send_only -o C_NUM_QP=1", "C_NUM_QP = 1: allowed are 8 to 2048"),
        ("run --dut TOY --test send_only -o NO_KNOB=1", "unknown knob 'NO_KNOB' of ernic: allowed are"),
        ("run --dut TOY --test send_only --tamper nope", "unknown tamper 'nope'; allowed: "),
        ("regress --dut TOY --suite smok", "unknown suite 'smok' of ernic: allowed are full, smoke"),
        ("regress --dut TOY --jobs 0", "Invalid value for '--jobs'"),
        ("regress --dut TOY --test x", "unknown test 'x' of ernic"),
        ("qualify --dut TOY --mutant nope", "unknown mutant 'nope'"),
        ("qualify --dut TOY --mutant 0", "--mutant 0 is the golden DUT"),
        ("list --dut nic", "unknown DUT 'nic'"),
        ("new-test Send --dut ernic", "test name 'Send': allowed is snake_case"),
        ("new-test send_only --dut ernic", "test 'send_only' of ernic exists already"),
        ("new-test a --dut nic", "unknown target 'nic': allowed are ernic"),
        ("new-dut stub --target ernic", "DUT name 'stub': allowed is snake_case other than stub"),
        ("bench --only nope", "unknown benchmark 'nope'"),
    ],
)
def test_one_line_and_exit_code_2(arguments: str, message: str, toy: Path, run_main: Any) -> None:
    code, _, err = run_main(*(str(toy) if word == "TOY" else word for word in arguments.split()))
    assert code == 2
    lines = err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("rdma-dv: ") and message in lines[0]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"number": 0}, "number = 0: allowed are 1 to 65535"),
        ({"rules": ["A", "B", "C"]}, "allowed are 1 or 2 ids"),
        ({"rules": []}, "allowed are 1 or 2 ids"),
        ({"test": ""}, "test = '': allowed is a non-empty string"),
        ({"number": 2}, "mutant number 2 appears twice"),
        ({"name": "wrong_psn"}, "mutant name wrong_psn appears twice"),
    ],
)
def test_bad_manifest(entry: dict[str, Any], message: str, toy: Path, run_main: Any) -> None:
    path = toy.parent / "mutants.json"
    data = json.loads(path.read_text())
    data["mutants"][0] |= entry
    path.write_text(json.dumps(data))
    code, _, err = run_main("qualify", "--dut", str(toy))
    assert code == 2 and message in err and len(err.strip().splitlines()) == 1


def test_unreadable_manifest(toy: Path, run_main: Any) -> None:
    path = toy.parent / "mutants.json"
    path.write_text("{")
    assert "mutants.json: no valid JSON" in run_main("qualify", "--dut", str(toy))[2]
    path.unlink()
    assert "mutants.json not found" in run_main("qualify", "--dut", str(toy))[2]
    toy.write_text(toy.read_text().replace('mutants = "mutants.json"\n', ""))
    assert "ernic.toy has no mutants" in run_main("qualify", "--dut", str(toy))[2]


def test_bad_waiver(toy: Path, run_main: Any, build_root: Path) -> None:
    from tb.report.collect import report_of
    from tb.runner import load_binding

    for line, message in (('ERN-999 = "x"', "unknown requirement"), ('ERN-001 = ""', "needs a reason")):
        path = toy.with_name("waived.toml")
        path.write_text(toy.read_text() + f"[waivers]\n{line}\n")
        with pytest.raises(Exception, match=message):
            report_of("ernic.waived", load_binding(str(path)))


def test_help_lists_every_command(run_main: Any) -> None:
    code, out, _ = run_main("--help")
    assert code == 0
    for command in ("run", "regress", "qualify", "report", "list", "doctor", "new-test", "new-dut", "bench"):
        assert f"\n  {command} " in out


def test_no_traceback_from_the_console_script() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from tb.cli import main; sys.exit(main())",
            "run",
            "--dut",
            "nic",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from tb.cli import main; sys.exit(main())"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "Commands:" in done.stderr
