"""Registers of 64 bits through the layer and the generic checks: RCLINK."""

from __future__ import annotations

import pytest

from ref_model.errors import UserError
from ref_model.registers import apply_strobes, layout
from ref_model.rules import SPEC_DIR
from ref_model.streams import stream
from tb.registers import RegisterLayer
from tb.registers.sequences import AccessPolicySequence, ResetValueSequence, access_steps, reset_checks
from tests.unit.registers.bus import RegisterFile, drive

JSON_PATH = SPEC_DIR / "rclink" / "registers.json"


@pytest.fixture
def bus() -> RegisterFile:
    return RegisterFile(layout("rclink"))


def test_all_bits_go_through_the_layer(bus: RegisterFile) -> None:
    """Upper halves included, in mirror and fields; the address is that of the map."""
    layer = RegisterLayer(JSON_PATH, bus)
    handle = layer.GLOBAL.MAC_ADDR
    value = 0x88B5_0200_0000_0011
    drive(handle.write(value))
    assert bus.writes == [(0x10, value)]
    assert drive(handle.read()) == value == handle.mirror
    assert drive(handle.read_fields()) == {"mac_addr": 0x0200_0000_0011, "len_type": 0x88B5}
    drive(handle.write_fields(len_type=0x88B7))
    assert bus.words[0x10] == 0x88B7_0200_0000_0011
    found = layer.at(0x2058)
    assert found is not None and found.name == "QP.TX_EPSN_MEM" and found.uvm_reg.get_address() == 0x2058
    with pytest.raises(UserError, match=r"does not fit .allowed: 0 to 0xFFFFFFFFFFFFFFFF"):
        drive(handle.write(1 << 64))


def _mismatches(bus: RegisterFile) -> list[str]:
    registers = layout("rclink")
    steps = access_steps(registers, stream(1, "registers/wide"), path=JSON_PATH)
    bash = AccessPolicySequence(bus, steps)
    drive(bash.body())
    reset = ResetValueSequence(bus, reset_checks(registers, path=JSON_PATH))
    drive(reset.body())
    assert bash.checked > 3000 and reset.checked == 50
    return [str(one) for one in (*bash.mismatches, *reset.mismatches)]


def test_generic_checks_reach_bit_63(bus: RegisterFile) -> None:
    """A register file that is right passes, one whose upper half is deaf does not."""
    assert _mismatches(bus) == []
    bus.on_write = lambda address, value: (address, value & 0xFFFF_FFFF)
    assert any("GLOBAL.MAC_ADDR" in one for one in _mismatches(bus))


@pytest.mark.parametrize(("strb", "result"), [(0xFF, 0x1122334455667788), (0x80, 0x11 << 56), (0x01, 0x88)])
def test_strobes(strb: int, result: int) -> None:
    assert apply_strobes(0, 0x1122334455667788, strb, 64) == result
    assert apply_strobes(0xFFFF_FFFF_FFFF_FFFF, 0, 0xF0, 64) == 0xFFFF_FFFF
