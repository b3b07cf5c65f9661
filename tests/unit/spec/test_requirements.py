"""requirements.json and parameters.json: complete, consistent with each other and with the register map."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from ref_model.registers import layout
from ref_model.rules import SPEC_DIR, specification

REQUIREMENTS: dict[str, Any] = json.loads(
    (SPEC_DIR / "ernic" / "requirements.json").read_text(encoding="utf-8")
)
PARAMETERS: dict[str, Any] = json.loads((SPEC_DIR / "ernic" / "parameters.json").read_text(encoding="utf-8"))
ITEMS: list[dict[str, Any]] = REQUIREMENTS["items"]
KNOBS: dict[str, dict[str, Any]] = {row["name"]: row for row in PARAMETERS["items"]}

NOT_REGISTERS = {
    *("SEND", "WRITE", "READ", "SEND_IMM", "SEND_INV", "WRITE_IMM", "LADDR", "RTAG", "ROFFSET", "LENGTH"),
    *("SDATA", "IMMDT", "ERRFLAG", "WRID", "SLVERR", "DECERR", "RESP", "WQE", "PSN"),
    *("ERRBUF", "IPKTERRQ", "DATBUF", "RESPERR", "OPKTERRQ"),
}


def test_ids_are_unbroken_and_unique() -> None:
    assert [item["id"] for item in ITEMS] == [f"ERN-{number:03d}" for number in range(1, 251)]


def test_strength_counts() -> None:
    counts = Counter(item["strength"] for item in ITEMS)
    assert counts == {"exact": 140, "tolerant": 50, "parameter": 51, "observe-only": 9}


def test_texts_are_single_sentences_about_the_dut() -> None:
    texts = [item["text"] for item in ITEMS]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert text.startswith(("The DUT ", "The DUT, ")) and text.endswith("."), text
        assert ". " not in text, text


@pytest.mark.parametrize("key", ["marks", "observable"])
def test_listed_words_are_defined(key: str) -> None:
    known = REQUIREMENTS["marks" if key == "marks" else "observation_points"]
    for item in ITEMS:
        assert item[key], item["id"]
        assert set(item[key]) <= set(known), item["id"]


def test_parameter_rows_name_a_parameter() -> None:
    for item in ITEMS:
        assert set(item["parameters"]) <= set(KNOBS), item["id"]
        if item["strength"] == "parameter":
            assert item["parameters"], item["id"]


def test_used_by_agrees_in_both_directions() -> None:
    for name, row in KNOBS.items():
        assert row["used_by"] == [item["id"] for item in ITEMS if name in item["parameters"]], name


def test_parts_are_complete() -> None:
    for item in ITEMS:
        parts = item.get("parts", [])
        assert len(parts) != 1, item["id"]
        strengths = item.get("part_strength", {})
        assert list(strengths) == parts, item["id"]
        for row in strengths.values():
            assert row["strength"] in REQUIREMENTS["strengths"]
            assert (row["strength"] == "parameter") == ("parameter" in row)
            assert row.get("parameter", item["parameters"][0] if item["parameters"] else None) in (
                item["parameters"] or [None]
            )


def test_register_lists_match_the_map() -> None:
    known = {register.name for block in layout("ernic").blocks.values() for register in block.registers}
    named = {name for item in ITEMS for name in item["registers"]}
    assert named == known, sorted(named ^ known)


def test_words_that_look_like_registers_are_registers() -> None:
    known = {register.name for block in layout("ernic").blocks.values() for register in block.registers}
    for item in ITEMS:
        for word in re.findall(r"\b[A-Z][A-Z0-9]{5,}\b", item["text"]):
            base = re.sub(r"(?:\d+REG|\d+)$", "", word)
            assert {word, base} & (known | NOT_REGISTERS), (item["id"], word)


def test_not_checked_list_says_why() -> None:
    rows = REQUIREMENTS["deliberately_not_checked"]
    assert len(rows) == 34
    assert all(row["item"] and row["why"] for row in rows)


def _allowed(row: dict[str, Any], value: Any) -> bool:
    values = row["values"]
    if row["type"] in ("enum", "pair"):
        return value in values
    if row["type"] == "tolerance":
        return list(value) == values["keys"] and all(number >= 0 for number in value.values())
    return value in values.get("words", ()) or (
        isinstance(value, int) and values["min"] <= value <= values["max"]
    )


def test_parameter_values_fit_their_types() -> None:
    assert len(KNOBS) == 38
    for row in KNOBS.values():
        assert row["type"] in PARAMETERS["types"]
        for value in (row["default"], row["own_dut"], *row.get("own_dut_builds", ())):
            assert _allowed(row, value), (row["name"], value)
        assert row["why"]


def test_reader_of_the_model_accepts_both_files() -> None:
    spec = specification("ernic")
    assert spec.requirement("ERN-114/count").parts == ("count", "noexec")
    assert spec.knobs({"M_RULES": "report"})["M_RULES"] == "report"
