"""Contested points: the stand-in in each of its builds, judged by each value of the parameter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb.runner import Job, run, targets, tests_of
from tb.runner.knobs import catalogue
from tb.runner.tools import present_simulators

VALUES = [
    ("ecn_cleared", "CNP_CLEAR", "cnp_tx", "ERN-202"),
    ("cnp_out", "CNP_CLEAR", "cnp_tx", "ERN-193"),
    ("retry_source", "RETRY_SOURCE", "buffer", "ERN-090"),
    ("retry_source", "RETRY_SOURCE", "laddr", "ERN-090"),
    ("icrc_errors", "ICRC_MODE", "from_rh", "RCL-032"),
    ("registers_rw", "AFH_LAYOUT", "PACKED", "RCL-125/printed"),
]
"""Test, parameter, value, a rule that has to be decided then."""

OPEN = [
    ("ecn_cleared", "CNP_CLEAR", "report", "ERN-202"),
    ("retry_source", "RETRY_SOURCE", "either", "ERN-090"),
    ("mad_out", "M_RULES", "report", "ERN-194"),
    ("icrc_errors", "ICRC_CHECK", "report", "RCL-032"),
    ("registers_rw", "X_FIELDS", "report", "RCL-125/provisional"),
]
"""The same with a value that leaves the point open: the rule is recorded only."""


@pytest.mark.parametrize(("test", "knob", "value", "rule"), [*VALUES, *OPEN])
def test_parameter(test: str, knob: str, value: str, rule: str, tmp_path: Path) -> None:
    """Model and HDL follow the parameter together; an open value neither fails nor proves anything."""
    sim = present_simulators()[0]
    dut = next(target for target in targets() if knob in catalogue(target) and test in tests_of(target))
    result = run(Job(dut=dut, test=test, sim=sim, knobs={knob: value}, out_dir=tmp_path / "run"))
    assert result["verdict"] == "pass", f"{result['reason']}\nrepeat: {result['repeat']}"
    decided = (test, knob, value, rule) in VALUES
    assert (rule in result["evidence"], rule in result["observed"]) == (decided, not decided)
