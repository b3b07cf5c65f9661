"""Specification data of every target: complete, consistent with each other and with the register map."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from ref_model.registers import layout
from ref_model.rules import SPEC_DIR, specification


@dataclass(frozen=True)
class Shape:
    """What the files of a target are known to hold."""

    prefix: str
    requirements: int
    strengths: dict[str, int]
    not_checked: int
    parameters: int
    words: frozenset[str]
    """Words in capitals in the texts that look like registers and are none."""


SHAPES = {
    "ernic": Shape(
        "ERN",
        250,
        {"exact": 140, "tolerant": 50, "parameter": 51, "observe-only": 9},
        34,
        38,
        frozenset(
            {
                *("SEND_IMM", "SEND_INV", "WRITE_IMM", "ROFFSET", "LENGTH", "ERRFLAG", "SLVERR", "DECERR"),
                *("IPKTERRQ", "DATBUF"),
            }
        ),
    ),
    "hermon_cq": Shape(
        "HCQ",
        124,
        {"exact": 86, "tolerant": 22, "parameter": 16},
        25,
        32,
        frozenset({"SW2HW_CQ", "HW2SW_CQ", "QUERY_CQ", "MODIFY_CQ", "BAD_SIZE"}),
    ),
    "rclink": Shape(
        "RCL",
        139,
        {"exact": 93, "parameter": 27, "tolerant": 19},
        20,
        43,
        frozenset(
            {
                *("MAC_DA", "MAC_SA", "TX_S_DAT_I", "TYPE2_DA", "RETRY_TMO", "RECV_CNP", "CBFC_RST"),
                *("CBFC_RESET", "CREDIT_RST", "TX_WAIT_MAC_CRD_O", "NONR_INTR_O", "RC_INTR_O"),
                *("NONR_MD_AXI_BUSY_O", "TX_MAC_FREE_O", "NONR_FAULT_INTR_O"),
            }
        ),
    ),
}


def _read(target: str, name: str) -> dict[str, Any]:
    return json.loads((SPEC_DIR / target / name).read_text(encoding="utf-8"))


REQUIREMENTS = {target: _read(target, "requirements.json") for target in SHAPES}
PARAMETERS = {target: _read(target, "parameters.json") for target in SHAPES}
KNOBS = {target: {row["name"]: row for row in data["items"]} for target, data in PARAMETERS.items()}

every_target = pytest.mark.parametrize("target", sorted(SHAPES))


def _registers(target: str) -> set[str]:
    return {register.name for block in layout(target).blocks.values() for register in block.registers}


def test_every_target_is_looked_at() -> None:
    assert set(SHAPES) == {path.parent.name for path in SPEC_DIR.glob("*/*.json")}
    for target in SHAPES:
        assert REQUIREMENTS[target]["target"] == PARAMETERS[target]["target"] == target
        assert REQUIREMENTS[target]["strengths"] == REQUIREMENTS["ernic"]["strengths"]
        assert PARAMETERS[target]["types"] == PARAMETERS["ernic"]["types"]


@every_target
def test_ids_are_unbroken_and_unique(target: str) -> None:
    shape = SHAPES[target]
    assert [item["id"] for item in REQUIREMENTS[target]["items"]] == [
        f"{shape.prefix}-{number:03d}" for number in range(1, shape.requirements + 1)
    ]


@every_target
def test_rows_have_the_same_keys(target: str) -> None:
    keys = set(REQUIREMENTS["ernic"]["items"][0])
    for item in REQUIREMENTS[target]["items"]:
        assert set(item) - {"parts", "part_strength"} == keys, item["id"]
        assert item["basis"] and item["section"], item["id"]


@every_target
def test_strength_counts(target: str) -> None:
    counts = Counter(item["strength"] for item in REQUIREMENTS[target]["items"])
    assert counts == SHAPES[target].strengths
    assert set(counts) <= set(REQUIREMENTS[target]["strengths"])


@every_target
def test_texts_are_single_sentences_about_the_dut(target: str) -> None:
    texts = [item["text"] for item in REQUIREMENTS[target]["items"]]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert text.startswith(("The DUT ", "The DUT, ")) and text.endswith("."), text
        assert ". " not in text, text


@every_target
@pytest.mark.parametrize("key", ["marks", "observable"])
def test_listed_words_are_defined(target: str, key: str) -> None:
    known = REQUIREMENTS[target]["marks" if key == "marks" else "observation_points"]
    for item in REQUIREMENTS[target]["items"]:
        assert item[key], item["id"]
        assert set(item[key]) <= set(known), item["id"]


@every_target
def test_observation_points_are_used(target: str) -> None:
    used = {point for item in REQUIREMENTS[target]["items"] for point in item["observable"]}
    assert used == set(REQUIREMENTS[target]["observation_points"])


@every_target
def test_parameter_rows_name_a_parameter(target: str) -> None:
    for item in REQUIREMENTS[target]["items"]:
        assert set(item["parameters"]) <= set(KNOBS[target]), item["id"]
        if item["strength"] == "parameter":
            assert item["parameters"], item["id"]


@every_target
def test_tolerant_rows_state_their_latitude(target: str) -> None:
    for item in REQUIREMENTS[target]["items"]:
        if item["strength"] == "tolerant":
            assert item["latitude"], item["id"]


@every_target
def test_used_by_agrees_in_both_directions(target: str) -> None:
    items = REQUIREMENTS[target]["items"]
    for name, row in KNOBS[target].items():
        assert row["used_by"] == [item["id"] for item in items if name in item["parameters"]], name


@every_target
def test_parts_are_complete(target: str) -> None:
    for item in REQUIREMENTS[target]["items"]:
        parts = item.get("parts", [])
        assert len(parts) != 1, item["id"]
        strengths = item.get("part_strength", {})
        assert list(strengths) == parts, item["id"]
        for row in strengths.values():
            assert row["strength"] in REQUIREMENTS[target]["strengths"]
            assert (row["strength"] == "parameter") == ("parameter" in row)
            assert row.get("parameter", item["parameters"][0] if item["parameters"] else None) in (
                item["parameters"] or [None]
            )


@every_target
def test_register_lists_match_the_map(target: str) -> None:
    named = {name for item in REQUIREMENTS[target]["items"] for name in item["registers"]}
    known = _registers(target)
    assert named == known, sorted(named ^ known)


@every_target
def test_words_that_look_like_registers_are_registers(target: str) -> None:
    known = _registers(target) | set(KNOBS[target]) | SHAPES[target].words
    for item in REQUIREMENTS[target]["items"]:
        for word in re.findall(r"\b[A-Z][A-Z0-9_]{5,}\b", item["text"]):
            base = re.sub(r"(?:\d+REG|\d+)$", "", word)
            assert {word, base} & known, (item["id"], word)


@every_target
def test_not_checked_list_says_why(target: str) -> None:
    rows = REQUIREMENTS[target]["deliberately_not_checked"]
    assert len(rows) == SHAPES[target].not_checked
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


@every_target
def test_parameter_values_fit_their_types(target: str) -> None:
    assert len(KNOBS[target]) == len(PARAMETERS[target]["items"]) == SHAPES[target].parameters
    for row in KNOBS[target].values():
        assert row["type"] in PARAMETERS[target]["types"]
        for value in (row["default"], row["own_dut"], *row.get("own_dut_builds", ())):
            assert _allowed(row, value), (row["name"], value)
        assert row["why"]


def test_reader_of_the_model_accepts_the_files() -> None:
    spec = specification("ernic")
    assert spec.requirement("ERN-114/count").parts == ("count", "noexec")
    assert spec.knobs({"M_RULES": "report"})["M_RULES"] == "report"
    spec = specification("rclink")
    assert spec.requirement("RCL-021/value").parts == ("present", "value")
    assert spec.knobs({"UDP_CSUM": 0xFFFF})["RH_ORDER"] == "BE64"


# -- RCLINK: what was decided where its source is silent ----------------------------------------------------

RESOLUTIONS = _read("rclink", "resolutions.json")
_ROW = re.compile(r"\bA\d+\b")


def test_resolutions_are_unbroken() -> None:
    rows = RESOLUTIONS["items"]
    assert [row["id"] for row in rows] == [f"A{number}" for number in range(1, 186)]
    for row in rows:
        assert row["kind"] in RESOLUTIONS["kinds"] and row["section"] and row["decision"], row["id"]


def test_resolutions_that_are_cited_exist() -> None:
    """In the bases of requirements and in the reasons of parameters, the latter in both directions."""
    known = {row["id"] for row in RESOLUTIONS["items"]}
    for item in REQUIREMENTS["rclink"]["items"]:
        assert set(_ROW.findall(item["basis"])) <= known, item["id"]
    for row in RESOLUTIONS["items"]:
        named = [name for name, knob in KNOBS["rclink"].items() if row["id"] in _ROW.findall(knob["why"])]
        assert row.get("parameters", []) == named, row["id"]


def test_rows_that_rest_on_a_decision_are_marked() -> None:
    """A rule whose base names nothing but the source is documented; one decided here says so."""
    for item in REQUIREMENTS["rclink"]["items"]:
        assert "D" in item["marks"] or "R" in item["marks"], item["id"]
        if "D" not in item["marks"]:
            assert "R" in item["marks"], item["id"]


def test_fixed_parameters_are_no_knobs() -> None:
    for row in PARAMETERS["rclink"]["fixed"]:
        assert row["name"] not in KNOBS["rclink"] and row["why"]


# -- HERMON_CQ: what its rows rest on -----------------------------------------------------------------------


def test_rows_that_are_cited_exist() -> None:
    """Events, open questions and public bugs named in the bases and reasons; every open question is used."""
    data = REQUIREMENTS["hermon_cq"]
    known = {**data["events"], **data["open_questions"], **data["public_bugs"]}
    words = [item["basis"] for item in data["items"]]
    words += [row["why"] for row in PARAMETERS["hermon_cq"]["items"]]
    words += [row[key] for row in data["deliberately_not_checked"] for key in ("item", "why")]
    cited = set(re.findall(r"\b(?:E[1-9]|U\d+|HB\d+|B\d+)\b", " ".join(words)))
    assert cited <= set(known), sorted(cited - set(known))
    assert set(data["open_questions"]) | set(data["public_bugs"]) <= cited
