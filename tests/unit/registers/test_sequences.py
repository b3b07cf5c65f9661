"""Register sequences: silent on a good register file, and each one bites."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ref_model.errors import UserError
from ref_model.registers import layout
from ref_model.streams import stream
from tb.registers.sequences import (
    AccessPolicySequence,
    Mismatch,
    ResetValueSequence,
    Scope,
    UniqueValueSequence,
    access_steps,
    reset_checks,
    unique_values,
)
from tests.unit.registers.bus import RegisterFile, drive

SCOPE = Scope(counts={"QP": 8, "MR": 16}, num_qp=8)


def _rng(purpose: str):  # type: ignore[no-untyped-def]
    return stream(1, f"registers/{purpose}")


@pytest.fixture
def bus() -> RegisterFile:
    return RegisterFile(layout("ernic"))


def _reset_values(bus: RegisterFile) -> list[Mismatch]:
    sequence = ResetValueSequence(bus, reset_checks(layout("ernic"), SCOPE))
    drive(sequence.body())
    assert sequence.checked > 150
    return sequence.mismatches


def _access_policy(bus: RegisterFile) -> list[Mismatch]:
    sequence = AccessPolicySequence(bus, access_steps(layout("ernic"), _rng("bash"), SCOPE))
    drive(sequence.body())
    assert sequence.checked > 3000
    return sequence.mismatches


def _unique(bus: RegisterFile) -> list[Mismatch]:
    sequence = UniqueValueSequence(bus, unique_values(layout("ernic"), _rng("unique"), SCOPE))
    drive(sequence.body())
    assert sequence.checked > 100
    return sequence.mismatches


RUNS: dict[str, Callable[[RegisterFile], list[Mismatch]]] = {
    "reset": _reset_values,
    "access": _access_policy,
    "unique": _unique,
}


@pytest.mark.parametrize("name", RUNS)
def test_good_register_file_passes(bus: RegisterFile, name: str) -> None:
    assert RUNS[name](bus) == []


def test_register_file_is_as_after_reset_when_the_bash_ends(bus: RegisterFile) -> None:
    _access_policy(bus)
    assert _reset_values(bus) == []


def test_reset_values_bite(bus: RegisterFile) -> None:
    bus.on_read = lambda address, value: value ^ 0x100 if address == 0x10_0018 else value
    (found,) = _reset_values(bus)
    assert "GLOBAL.XRNIC_BUF_THRESHOLD_NON_ROCE (0x100018): read 0x0096015A" in str(found)


def test_unknown_reset_values_are_left_out(bus: RegisterFile) -> None:
    bus.words[0x10_0004] = 0x000A_0000  # XRNICADCONF before its first write
    bus.words[0x18_0104] = 0x0000_003F  # QPADVCONF traffic class
    bus.words[0x10_00AC] = 0  # CON_IO_CONF[31]
    assert _reset_values(bus) == []
    bus.words[0x10_0004] = 0x000A_0002  # an undefined bit reads 0 all the same
    assert [found.check.name for found in _reset_values(bus)] == ["GLOBAL.XRNICADCONF"]


def test_volatile_fields_count_only_when_idle(bus: RegisterFile) -> None:
    bus.words[0x10_0100] = 5
    checks = {check.name: check for check in reset_checks(layout("ernic"), SCOPE, idle=False)}
    assert checks["GLOBAL.INSRRPKTCNT"].mask == 0
    assert [found.check.name for found in _reset_values(bus)] == ["GLOBAL.INSRRPKTCNT"]


@pytest.mark.parametrize(
    ("fault", "register"),
    [
        ("stuck bit", "GLOBAL.MACXADDLSB"),
        ("writable RO", "QP[1].STATWQE"),
        ("W1C as RW", "GLOBAL.INTSTS"),
        ("narrow", "QP[1].DESTQPCONF"),
        ("undefined bit", "GLOBAL.XRNIC_PAUSE_CONF"),
    ],
)
def test_access_policy_bites(bus: RegisterFile, fault: str, register: str) -> None:
    address = next(check.address for check in reset_checks(layout("ernic"), SCOPE) if check.name == register)
    last = {"data": 0}

    def remember(addr: int, data: int) -> tuple[int, int]:
        if addr == address:
            last["data"] = data
        return addr, data

    change: dict[str, Callable[[int], int]] = {
        "stuck bit": lambda value: value & ~0x8000_0000,
        "writable RO": lambda value: last["data"] & 0xFFFF,
        "W1C as RW": lambda value: last["data"],
        "narrow": lambda value: value & 0xFFFF,
        "undefined bit": lambda value: value | 0x4,
    }
    bus.on_write = remember
    bus.on_read = lambda addr, value: change[fault](value) if addr == address else value
    assert {found.check.name for found in _access_policy(bus)} == {register}


def test_unique_values_find_an_alias(bus: RegisterFile) -> None:
    bus.on_write = lambda address, data: (address & ~0x100 if address >> 16 == 0x18 else address, data)
    names = {found.check.name for found in _unique(bus)}
    assert "QP[1].QDEPTH" in names and "MR[1].PDPDNUM" not in names


def test_enable_bits_stay_zero(bus: RegisterFile) -> None:
    _access_policy(bus)
    _unique(bus)
    enables = {0x10_0000, 0x10_0004, *(0x18_0000 + slot * 0x100 for slot in range(8))}
    assert [(addr, data) for addr, data in bus.writes if addr in enables and data & 1] == []


def test_only_defined_bits_are_written_as_one(bus: RegisterFile) -> None:
    _access_policy(bus)
    for address, data in bus.writes:
        place = layout("ernic").locate(address)
        assert place is not None and data & ~place.register.defined == 0


def test_qp1_slot_is_left_out_where_it_has_no_register() -> None:
    names = {check.name for check in reset_checks(layout("ernic"), SCOPE)}
    assert "QP[0].SQPI" in names and "QP[0].SQPSN" not in names and "QP[1].SQPSN" in names
    raw = Scope(counts={"QP": 8}, instances={"QP": (1, 2)}, qp1_slot=1)
    names = {check.name for check in reset_checks(layout("ernic"), raw)}
    assert "QP[1].SQPSN" not in names and "QP[2].SQPSN" in names


def test_qp_numbers_are_compared_as_far_as_the_build_needs() -> None:
    by_name = {step.check.name: step for step in access_steps(layout("ernic"), _rng("width"), SCOPE)}
    assert by_name["GLOBAL.XRNIC_CONF_QP_EN"].check.mask == 0xFFFF_FFFF & ~0x7F8
    full = Scope(num_qp=2048)
    by_name = {step.check.name: step for step in access_steps(layout("ernic"), _rng("width"), full)}
    assert by_name["GLOBAL.XRNIC_CONF_QP_EN"].check.mask == 0xFFFF_FFFF


def test_wrong_instance_is_told() -> None:
    with pytest.raises(UserError, match=r"QP\[9\] .*0 to 7"):
        list(reset_checks(layout("ernic"), Scope(instances={"QP": (9,)}, counts={"QP": 8})))
