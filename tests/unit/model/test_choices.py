"""Open parameters: what each value permits, and that the other value is found."""

from __future__ import annotations

from typing import Any

import pytest

from ref_model.ernic import ErnicModel
from ref_model.ernic.choices import effective_strobes, lanes, override_applies
from ref_model.ernic.config import RegisterValues
from ref_model.ernic.errors import BadFrame, ErrorBuffer
from ref_model.events import RegRead, RegWrite, Reset
from ref_model.moving import MovingCounter
from ref_model.registers import layout

MAC_LOW = layout("ernic").block("GLOBAL").address("MACXADDLSB")
ADVANCED = layout("ernic").block("GLOBAL").address("XRNICADCONF")
HEAD = layout("ernic").block("QP").address("CQHEAD", 1)
OLD, NEW, STROBED = 0x1122_3344, 0xAABB_CCDD, 0x1122_CCDD


def model(**knobs: Any) -> ErnicModel:
    """A model that is out of reset."""
    one = ErnicModel(knobs)
    one.observe(Reset(0, False))
    return one


def accesses(one: ErnicModel, *steps: tuple[int, int, int] | tuple[int, int]) -> list[str]:
    """Do writes (address, data, strobes) and reads (address, value); returns the rules found."""
    for number, step in enumerate(steps, 1):
        start = number * 100_000
        if len(step) == 3:
            one.observe(RegWrite(start, start + 4000, step[0], step[1], step[2], 0))
        else:
            one.observe(RegRead(start, start + 4000, step[0], step[1], 0))
    return [finding.rule for finding in one.rules.findings]


@pytest.mark.parametrize(
    ("value", "right", "wrong"), [("apply", STROBED, NEW), ("ignore", NEW, STROBED), ("report", NEW, None)]
)
def test_strobes(value: str, right: int, wrong: int | None) -> None:
    writes = ((MAC_LOW, OLD, 0xF), (MAC_LOW, NEW, 0x3))
    assert accesses(model(AXIL_WSTRB=value), *writes, (MAC_LOW, right), (MAC_LOW, right)) == []
    if wrong is not None:
        assert accesses(model(AXIL_WSTRB=value), *writes, (MAC_LOW, wrong)) == ["ERN-008"]
    else:
        assert accesses(model(AXIL_WSTRB=value), *writes, (MAC_LOW, STROBED)) == []
        assert accesses(model(AXIL_WSTRB=value), *writes, (MAC_LOW, NEW), (MAC_LOW, STROBED)) != []


def test_lanes() -> None:
    assert (lanes(0b0101), lanes(0), lanes(0xF)) == (0x00FF_00FF, 0, 0xFFFF_FFFF)
    assert effective_strobes({"AXIL_WSTRB": "ignore"}, 1) == 0xF
    assert effective_strobes({"AXIL_WSTRB": "apply"}, 1) == 1


@pytest.mark.parametrize(
    ("gate", "named", "applies"),
    [("ignored", 9, True), ("gates", 9, False), ("gates", 2, True), ("gates", 0, True), ("any", 9, None)],
)
def test_override_gate(gate: str, named: int, applies: bool | None) -> None:
    knobs = {"OVERRIDE_QP_GATE": gate}
    assert override_applies(knobs, named << 20 | 1, 2) is applies
    assert override_applies(knobs, named << 20, 2) is False


@pytest.mark.parametrize(
    ("gate", "value", "rules"),
    [
        ("ignored", 5, []),
        ("ignored", 0, ["ERN-025"]),
        ("gates", 0, []),
        ("any", 5, []),
        ("any", 0, []),
    ],
)
def test_override_for_another_qp(gate: str, value: int, rules: list[str]) -> None:
    steps = ((ADVANCED, 9 << 20 | 1, 0xF), (HEAD, 5, 0xF), (HEAD, value))
    assert accesses(model(OVERRIDE_QP_GATE=gate), *steps) == rules


@pytest.mark.parametrize(
    ("at_end", "good", "bad"), [("wrap", 4, 0xFFFF), ("saturate", 0xFFFF, 4), ("report", 4, None)]
)
def test_counter_end(at_end: str, good: int, bad: int | None) -> None:
    counter = MovingCounter(16, at_end)
    counter.add(0, low=0x1_0004, high=0x1_0004)
    counter.quiet()
    assert counter.accept(good, 10, 20)[0]
    assert bad is None or not counter.accept(bad, 10, 20)[0]


def test_entries_of_frames_with_several_faults() -> None:
    """An entry without a documented bit goes to the frame that can have none, whatever their order."""
    one, values = model(), RegisterValues(layout("ernic"))
    values.put("GLOBAL", "XRNICCONF", 0x21)
    values.put("GLOBAL", "ERRBUFSZ", 64 << 16 | 8)
    values.put("GLOBAL", "ERRBUFBA", 0x1000)
    buffer = ErrorBuffer(one.ctx, values)
    buffer.expect(BadFrame("ERN-151", "MAC and more", may=1))
    buffer.expect(BadFrame("ERN-151", "length"))
    buffer.write(0x1000, (0x400).to_bytes(8, "little"))
    buffer.write(0x1040, (1).to_bytes(8, "little"))
    assert not one.rules.findings
    buffer.expect(BadFrame("ERN-151", "MAC and IHL", sure=True, may=9, blank=False))
    buffer.expect(BadFrame("ERN-151", "length"))
    buffer.write(0x1080, (0x400).to_bytes(8, "little"))
    buffer.write(0x10C0, (8).to_bytes(8, "little"))
    assert not one.rules.findings
    buffer.write(0x1100, (1).to_bytes(8, "little"))
    assert [finding.rule for finding in one.rules.findings] == ["ERN-151"]
