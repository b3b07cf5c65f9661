"""The RH bit by bit, against a second opinion that writes it as a string of bits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ref_model.wire.rclink import Rh, RhOrder
from ref_model.wire.rclink.rh import WIDTHS, pack, syndrome_text, unpack
from tests.unit.wire.strategies import REPEATABLE, bits

# The table of the source, from bit 0 up.
TABLE = [
    ("dest_qp", 0, 12),
    ("psn", 13, 24),
    ("code", 25, 31),
    ("pkey", 32, 39),
    ("timestamp", 40, 55),
    ("ts_en", 56, 56),
    ("rsv", 57, 58),
    ("pad", 59, 60),
    ("fack", 61, 61),
    ("opcode", 62, 63),
]


def wire_of(rh: Rh, order: RhOrder) -> bytes:
    """Second opinion: the fields as text of 0 and 1, in the order in which they leave."""
    texts = [f"{int(getattr(rh, name)):0{high - low + 1}b}" for name, low, high in TABLE]
    text = "".join(texts if order is RhOrder.TXBIT else reversed(texts))
    data = bytes(int(text[at : at + 8], 2) for at in range(0, 64, 8))
    return data[::-1] if order is RhOrder.LE64 else data


headers = st.builds(
    Rh,
    opcode=bits(2),
    dest_qp=bits(13),
    psn=bits(12),
    pkey=bits(8),
    code=bits(7),
    timestamp=bits(16),
    ts_en=st.booleans(),
    pad=bits(2),
    fack=st.booleans(),
    rsv=bits(2),
)


def packed(rh: Rh, order: RhOrder) -> bytes:
    """`pack` with code and pad as stated."""
    return pack(rh, rh.code or 0, rh.pad or 0, order)


def test_table_fills_the_header() -> None:
    assert [low for _, low, _ in TABLE] == [0] + [high + 1 for _, _, high in TABLE[:-1]]
    assert TABLE[-1][2] == 63
    assert {name: high - low + 1 for name, low, high in TABLE} == WIDTHS


@pytest.mark.parametrize("order", RhOrder)
def test_every_bit_has_its_place(order: RhOrder) -> None:
    """One bit at a time, in both directions."""
    seen = set()
    for name, width in WIDTHS.items():
        for bit in range(width):
            rh = Rh(0, 0, 0, 0, code=0, pad=0)
            setattr(rh, name, bool(1 << bit) if width == 1 and name != "opcode" else 1 << bit)
            wire = packed(rh, order)
            assert wire == wire_of(rh, order) and unpack(wire, 0, order) == rh
            seen.add(wire)
    assert len(seen) == 64


@REPEATABLE
@given(headers, st.sampled_from(RhOrder))
def test_round_trip(rh: Rh, order: RhOrder) -> None:
    assert packed(rh, order) == wire_of(rh, order)
    assert unpack(b"ahead" + packed(rh, order), 5, order) == rh


def test_opcode_is_in_the_first_byte() -> None:
    """By default a parser sees opcode, Fack, pad and Timestamp_en first."""
    rh = Rh(1, 0x155, 0xABC, 0x5A, code=0x1F, timestamp=0x1234, ts_en=True, pad=0)
    assert packed(rh, RhOrder.BE64).hex() == "4112345a3f578155"
    assert packed(rh, RhOrder.LE64).hex() == "5581573f5a341241"


@pytest.mark.parametrize("name", sorted(WIDTHS.keys() - {"ts_en", "fack"}))
@pytest.mark.parametrize("below", [False, True])
def test_too_wide(name: str, below: bool) -> None:
    """A field never spills into its neighbour."""
    rh: Any = Rh(0, 0, 0, 0, code=0, pad=0)
    setattr(rh, name, -1 if below else 1 << WIDTHS[name])
    with pytest.raises(OverflowError):
        pack(rh, rh.code, rh.pad, RhOrder.BE64)


@pytest.mark.parametrize(
    ("syndrome", "text", "kind"),
    [
        (0x1F, "ACK, low bits 0x1f", "ack"),
        (0x2E, "RNR NAK, timer code 14", "rnr"),
        (0x60, "NAK, PSN sequence error", "nak"),
        (0x63, "NAK, reserved code 3", "nak"),
        (0x40, "reserved", None),
    ],
)
def test_syndromes(syndrome: int, text: str, kind: str | None) -> None:
    """In words, and exactly one kind; a request with the same bits has none."""
    assert syndrome_text(syndrome) == text
    rh = Rh(1, 0, 0, 0, code=syndrome)
    assert [name for name in ("ack", "rnr", "nak") if getattr(rh, f"is_{name}")] == ([kind] if kind else [])
    rh.opcode = 0
    assert not (rh.is_ack or rh.is_rnr or rh.is_nak)
