"""CQ context: the layout against the numbers of the listing, both ways, the table of the document."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ref_model.errors import UserError
from ref_model.hermon_cq import context

#: Name and width in the order of the listing, lowest bit of dword 0 first: read from it once more.
LISTING = [
    word
    for line in (
        "reserved0 8 st 4 reserved1 5 oi 1 cc 1 reserved2 9 status 4 reserved3 32 reserved4 5 page_offset 7",
        "reserved5 20 usr_page 24 log_cq_size 5 reserved6 3 cq_max_count 16 cq_period 16 c_eqn 9",
        "reserved7 23 mtt_base_addr_h 8 reserved8 16 log2_page_size 6 reserved9 2",
        "reserved10 3 mtt_base_addr_l 29",
        "last_notified_indx 24 reserved11 8 solicit_producer_indx 24 reserved12 8 consumer_counter 24",
        "reserved13 8 producer_counter 24 reserved14 8 reserved15 32 reserved16 32 db_record_addr_h 32",
        "reserved17 3 db_record_addr_l 29",
    )
    for word in line.split()
]

values = st.fixed_dictionaries({entry.name: st.integers(0, entry.mask) for entry in context.fields()})


def test_fields_are_those_of_the_listing() -> None:
    at = 0
    expected = []
    for name, width in zip(LISTING[::2], map(int, LISTING[1::2]), strict=True):
        expected.append((name, at // 32, at % 32 + width - 1, at % 32))
        at += width
    assert at == 512
    assert [(entry.name, entry.dword, entry.msb, entry.lsb) for entry in context.fields()] == expected


@given(values)
def test_both_ways(chosen: dict[str, int]) -> None:
    assert context.decode(context.encode(chosen)) == chosen


def test_bytes() -> None:
    image = context.encode({"st": 9, "oi": 1, "page_offset": 0x7F, "c_eqn": 0x1FF, "db_record_addr_l": 1})
    assert image[:4] == bytes((0, 2, 9, 0))
    assert image[8:12] == bytes((0, 0, 0x0F, 0xE0))
    assert image[20:24] == bytes((0, 0, 1, 0xFF))
    assert image[60:] == bytes((0, 0, 0, 8))


def test_addresses() -> None:
    chosen = context.with_addresses({"log_cq_size": 3}, 0x81_2345_6788, 0x1234_5678_9ABC_DEF0)
    read = context.decode(context.encode(chosen))
    assert context.mtt_address(read) == 0x81_2345_6788
    assert context.db_record_address(read) == 0x1234_5678_9ABC_DEF0
    assert context.encode(chosen)[0x1C:0x20].hex() == "23456788"


def test_words() -> None:
    assert context.describe({"st": 9, "producer_counter": 0x12}) == "st=0x9 producer_counter=0x12"
    assert context.describe({}) == "all fields 0"
    assert context.describe({"oi": 1}, ["oi", "cc"]) == "oi=0x1 cc=0x0"


def test_wrong_input_is_told() -> None:
    with pytest.raises(UserError, match="no field 'stt'"):
        context.encode({"stt": 1})
    with pytest.raises(UserError, match="allowed is 0 to 0xf"):
        context.encode({"st": 16})
    with pytest.raises(UserError, match="63 bytes"):
        context.decode(bytes(63))


def test_document_shows_the_description() -> None:
    text = (Path(__file__).parents[3] / "docs" / "HERMON_CONTEXT.md").read_text(encoding="utf-8")
    assert text.endswith(context.table())
