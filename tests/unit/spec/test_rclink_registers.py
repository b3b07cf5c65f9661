"""The RCLINK register map against a facts table, and what a map has to be: without overlap, 64 bits wide."""

from __future__ import annotations

import csv
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from ref_model.registers import Layout, Register, layout
from ref_model.rules import SPEC_DIR
from tb.registers.export import rdl_path

FACTS = Path(__file__).parent / "facts" / "rclink_registers.tsv"
PACKED, SHORT = {"AFH_LAYOUT": "PACKED"}, {"TX_MDQ_SIZE_BITS": 2}
KNOBS: list[dict[str, object]] = [{}, {**PACKED}, {**SHORT}, {**PACKED, **SHORT}]


def _facts() -> list[dict[str, str]]:
    lines = [line for line in FACTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def _at(address: int, knobs: dict[str, object] | None = None) -> Register:
    place = layout("rclink", knobs).locate(address)
    assert place is not None and place.block.address(place.register.name) == address
    return place.register


def _registers(registers: Layout) -> dict[int, Register]:
    return {
        block.base + register.offset: register
        for block in registers.blocks.values()
        for register in block.registers
    }


def test_exactly_these_registers_and_fields() -> None:
    expected: dict[tuple[int, str], list[tuple[str, str, str]]] = {}
    for row in _facts():
        place = int(row["address"], 16), row["register"]
        expected.setdefault(place, []).append((row["field"], row["bits"], row["access"].lower()))
    found = {
        (address, register.name): [
            (field.name, f"{field.lsb + field.width - 1}:{field.lsb}", field.access)
            for field in register.fields
        ]
        for address, register in _registers(layout("rclink")).items()
    }
    assert {place: sorted(fields) for place, fields in found.items()} == {
        place: sorted(fields) for place, fields in expected.items()
    }


def test_registers_as_printed() -> None:
    """Some rows of the source's own table, written down here once more."""
    for address, name in (
        (0x0000, "RDMA_EN"),
        (0x0040, "RETRY_TIMER_CFG"),
        (0x00A0, "INTR_STATUS"),
        (0x0160, "AFH_CFG_EN"),
        (0x01A0, "TYPE2_DA_7"),
        (0x0220, "TRAFFIC_CLASS"),
        (0x10C0, "RX_MDQ_BA"),
        (0x1178, "DMA_INT_MASK"),
        (0x1190, "TAIL_UP_CFG"),
        (0x2008, "DEST_IP_MEM"),
        (0x2058, "TX_EPSN_MEM"),
        (0x2080, "TX_MAX_FW_PSN_MEM"),
        (0x2088, "QP_ID_SET"),
    ):
        assert _at(address).name == name
    assert _at(0x0028).field("vid").mask == 0xFFF0
    assert _at(0x0008).field("type1_free_busy").access == "ro"


@pytest.mark.parametrize("knobs", KNOBS, ids=str)
def test_no_overlap(knobs: dict[str, object]) -> None:
    """Neither registers nor, inside one, fields; whatever the knobs that move fields say."""
    registers = _registers(layout("rclink", knobs))
    assert all(second - first >= 8 for first, second in pairwise(sorted(registers)))
    for address, register in registers.items():
        assert address % 8 == 0 and register.width == 64
        assert register.defined < 1 << 64
        assert register.defined.bit_count() == sum(field.width for field in register.fields), register.name


def test_knobs_that_move_fields() -> None:
    """The default is what no knob gives, and what its default value gives."""
    knobs = {"AFH_LAYOUT": "MIN", "TX_MDQ_SIZE_BITS": 12, "UDP_CSUM": 0}
    assert layout("rclink", knobs).blocks == layout("rclink").blocks
    packed = _at(0x0160, {**PACKED})
    assert packed.field("rx_type2_cbfc_en").lsb == 12
    assert (packed.field("type1_req_bank0_cbfc").mask, packed.field("type3_cbfc").lsb) == (0xE000, 31)
    plain = _at(0x0160)
    assert plain.field("rx_type2_cbfc_en").lsb == 33
    moved = {field.name for field in plain.fields if field not in packed.fields}
    assert len(moved) == 8 and all(name.endswith(("_cbfc", "_cbfc_en")) for name in moved)
    assert _at(0x1100, {**SHORT}).field("tx_mdq_size").width == 2
    assert _at(0x1120, {**SHORT}).field("rx_mdq_size").width == 12


def test_made_up_fields_are_marked() -> None:
    """Exactly those whose name says so."""
    for register in _registers(layout("rclink")).values():
        for field in register.fields:
            assert field.provisional == field.name.startswith("x_"), field.name
    assert {row["field"] for row in _facts() if row["printed"] == "no address"} == {
        field.name
        for register in _registers(layout("rclink")).values()
        for field in register.fields
        if field.provisional
    } | {"afh_lite_en"}


def test_reset_values() -> None:
    """0, but for the two soft resets."""
    values = {register.name: register.reset for register in _registers(layout("rclink")).values()}
    assert values.pop("NONR_DMA_CTRL") == 1 << 31 | 1 << 16
    assert set(values.values()) == {0}


def test_window_of_the_queue_pair() -> None:
    """One block, selected by a register that exists and lies outside."""
    blocks = layout("rclink").blocks
    assert [name for name, block in blocks.items() if block.selected_by] == ["QP"]
    selector, register = (blocks["QP"].selected_by or "").split(".")
    assert blocks[selector].address(register) == 0x2088
    addresses = [blocks["QP"].address(name) for name in blocks["QP"].by_name]
    assert (min(addresses), max(addresses)) == (0x2008, 0x2080)


def test_addresses_inside_a_register_and_holes() -> None:
    registers = layout("rclink")
    assert registers.locate(0x0014) == registers.locate(0x0010)
    for hole in (0x0030, 0x0048, 0x0230, 0x1008, 0x2000, 0x2020, 0x2090):
        assert registers.locate(hole) is None, hex(hole)


def test_decisions_are_named_where_they_act() -> None:
    """Every row of the facts table that was decided is answered in the RDL, and exists."""
    resolutions = json.loads((SPEC_DIR / "rclink" / "resolutions.json").read_text(encoding="utf-8"))["items"]
    known = {row["id"] for row in resolutions}
    answered = set(re.findall(r"\bA\d+\b", rdl_path("rclink").read_text(encoding="utf-8")))
    assert answered <= known
    for row in _facts():
        assert (row["resolution"] == "-") <= (row["printed"] == "=" or row["register"] == "X_MISC_CFG"), row
        assert row["resolution"] in answered | {"-"}, row
