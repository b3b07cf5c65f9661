"""The RDL against the facts table read independently from the vendor's register table."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, RegNode

from tb.registers.export import compile_rdl, field_access, rdl_path

RDL_PATH = rdl_path("ernic")
FACTS = Path(__file__).parent / "facts" / "ernic_registers.tsv"


@pytest.fixture(scope="module")
def top() -> AddrmapNode:
    return compile_rdl(RDL_PATH)


def _facts() -> list[dict[str, str]]:
    lines = [line for line in FACTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def _used(row: dict[str, str], key: str) -> str:
    """The decided value where the printed one does not hold."""
    return row[key] if row[f"use_{key}"] == "=" else row[f"use_{key}"]


def _registers(top: AddrmapNode) -> dict[int, RegNode]:
    """Registers by address: first instance of rows and QP slots, every bank."""
    found: dict[int, RegNode] = {}
    for node in top.descendants(unroll=False):
        if isinstance(node, RegNode):
            if node.is_array:
                dimensions = node.array_dimensions or [0]
                for index in range(dimensions[0]):
                    found[node.raw_absolute_address + index * (node.array_stride or 0)] = node
            else:
                found[node.raw_absolute_address] = node
    return found


def _reset(node: RegNode) -> int:
    word = 0
    for field in node.fields():
        value = field.get_property("reset")
        assert isinstance(value, int), field.get_path()
        word |= value << field.low
    return word


def _field_text(fields: Sequence[FieldNode], register_access: str) -> str:
    words = []
    for field in sorted(fields, key=lambda entry: entry.low):
        access = field_access(field).upper()
        words.append(f"{field.high}:{field.low}" + ("" if access == register_access else f"/{access}"))
    return " ".join(words)


def test_table_is_complete() -> None:
    rows = _facts()
    assert len(rows) == 288
    assert len({row["address"] for row in rows}) == 288


def test_rdl_has_exactly_these_registers(top: AddrmapNode) -> None:
    assert set(_registers(top)) == {int(row["address"], 16) for row in _facts()}


@pytest.mark.parametrize("row", _facts(), ids=lambda row: row["address"])
def test_register_matches(top: AddrmapNode, row: dict[str, str]) -> None:
    address = int(row["address"], 16)
    node = _registers(top)[address]
    name = node.inst_name
    if node.is_array:
        name += f"[{(address - node.raw_absolute_address) // (node.array_stride or 1)}]"
    assert name == _used(row, "name")
    access = _used(row, "access")
    assert _field_text(node.fields(), access) == _used(row, "fields")
    accesses = {field_access(field).upper() for field in node.fields()}
    assert access in accesses | {(node.get_property("table_access", default="") or "").upper()}
    assert _reset(node) == int(_used(row, "reset"), 0)


@pytest.mark.parametrize("row", _facts(), ids=lambda row: row["address"])
def test_instances_match(top: AddrmapNode, row: dict[str, str]) -> None:
    parent = _registers(top)[int(row["address"], 16)].parent
    if row["repeat"] == "-":
        assert not getattr(parent, "is_array", False)
        return
    assert (parent.inst_name, parent.array_dimensions, parent.array_stride) == (
        {"row": "MR", "qp": "QP"}[row["repeat"]],
        [2048],
        0x100,
    )


def test_qp1_has_what_the_table_gives_it(top: AddrmapNode) -> None:
    """Registers printed from QP2 on are "absent" or "unchecked" for QP1; TIMEOUTCONF by decision 60."""
    for row in _facts():
        if row["repeat"] == "qp":
            marked = _registers(top)[int(row["address"], 16)].get_property("qp1", default=None)
            assert (marked is not None) == (row["first_qp"] == "2" or "60" in row["resolution"].split()), row


def test_every_contradiction_is_answered_in_the_rdl() -> None:
    answered = {int(number) for number in re.findall(r"#(\d+)\b", RDL_PATH.read_text(encoding="utf-8"))}
    assert answered >= set(range(1, 74)), sorted(set(range(1, 74)) - answered)


def test_numbers_in_the_facts_table_are_near_their_registers() -> None:
    numbers = {int(number) for row in _facts() for number in row["resolution"].split() if number != "-"}
    assert numbers <= set(range(1, 74))


@pytest.mark.parametrize(("raw", "first"), [(0, 1), (1, 0)])
def test_slot_base_and_count_are_parameters(raw: int, first: int) -> None:
    small = compile_rdl(RDL_PATH, QP_SLOTS=8, MR_ROWS=16, QP_BASE_RAW=raw)
    qp = small.get_child_by_name("QP")
    assert isinstance(qp, AddressableNode)
    assert (qp.array_dimensions, qp.get_property("first_qp")) == ([8], first)
