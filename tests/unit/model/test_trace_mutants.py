"""Trace mutants: a golden log with one deviation is found by the rule that owns it.

Each row of spec/ernic/trace_mutants.json is a negative test of a check of the model: without the damage the
same log is clean. The report counts these rules as proven by trace.
"""

from __future__ import annotations

import json

import pytest

from ref_model.events import FrameIn, RegRead
from ref_model.registers import layout
from ref_model.rules import SPEC_DIR
from tb.bench._soft_ernic import QP
from tests.unit.model.trace import edit, golden, judge
from tests.unit.model.trace_damage import DAMAGE, SEND, flip, put

MANIFEST: list[dict[str, str]] = json.loads(
    (SPEC_DIR / "ernic" / "trace_mutants.json").read_text(encoding="utf-8")
)["mutants"]


def test_golden_is_clean() -> None:
    assert judge(list(golden())) == []
    assert judge(list(golden(2, lossy=True))) == []


def test_manifest_and_damage_agree() -> None:
    names = [row["name"] for row in MANIFEST]
    assert sorted(names) == sorted(DAMAGE) and len(set(names)) == len(names)


@pytest.mark.parametrize("row", MANIFEST, ids=lambda row: row["name"])
def test_mutant(row: dict[str, str]) -> None:
    findings = judge(DAMAGE[row["name"]](list(golden())))
    assert findings, "survived"
    told = [f"{f.rule} {f.why}: {f.expected} / {f.observed}" for f in findings[:3]]
    assert findings[0].rule == row["rule"], told


def test_hop_limit() -> None:
    findings = judge(edit(SEND, flip("ip.hop_limit"))(list(golden(1, 6))))
    assert findings and findings[0].rule == "ERN-043/hop_limit"


def test_finding_is_complete() -> None:
    """A finding names rule, time, reason, the differing fields and the packets before."""
    finding = judge(edit(SEND, flip("ip.ttl"))(list(golden())))[0]
    assert isinstance(golden()[0].begin, int) and finding.time_ps > 0
    assert ("ip.ttl", "64", "65") in finding.packet_diff
    assert finding.history and finding.scope == f"QP {QP}" and "TTL" in finding.why


def test_input_frames_are_only_stimulus() -> None:
    """Damage on the way in is legal stimulus: the model derives what is right for the frame as it came."""
    select = lambda event: isinstance(event, FrameIn)  # noqa: E731
    findings = judge(edit(select, put("icrc", 7, fresh=False))(list(golden())))
    assert findings, "the golden DUT behaves as if the frame had been good"
    assert findings[0].rule in ("ERN-107", "ERN-083", "ERN-062", "ERN-071", "ERN-077", "ERN-122", "ERN-150")


def test_register_value() -> None:
    """A read that does not return what was written names the register's rule."""
    addr = layout("ernic").block("GLOBAL").address("MACXADDLSB")
    log = list(golden())
    end = log[-1].begin
    read = RegRead(end + 4000, end + 8000, addr, 0x1234)
    findings = judge([*log, read])
    assert [finding.rule for finding in findings] == ["ERN-013"]
