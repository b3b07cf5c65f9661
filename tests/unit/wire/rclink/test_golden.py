"""Frames byte for byte: the vectors, the lengths of the source's formats, and what each knob changes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from ref_model.wire.rclink import Format, Kind, build, parse
from tests.unit.wire.rclink.samples import KINDS, layout_of, sample, without_icrc

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "rclink_vectors.json").read_text(encoding="utf-8")
)["frames"]


def _name(row: dict[str, Any]) -> str:
    return f"{row['format']}-{'tagged-' if row['tagged'] else ''}{row['kind']}"


@pytest.mark.parametrize("row", VECTORS, ids=_name)
def test_vector(row: dict[str, Any]) -> None:
    """Built from field values, and read back to them."""
    form = Format[row["format"].upper()]
    layout, wire = layout_of(form), bytes.fromhex(row["hex"])
    frame = sample(form, row["kind"], row["tagged"])
    assert build(frame, layout).hex() == row["hex"]
    read = parse(wire, layout)
    assert (read.kind, read.format, read.vlan, read.payload) == (
        frame.kind,
        form,
        frame.vlan,
        frame.payload,
    )
    assert read.icrc_ok in (True, None)
    assert (read.icrc_ok is None) == (form is Format.LITE or row["kind"] == "type2")
    assert build(read, layout) == wire


def test_vectors_cover_every_kind_of_every_format() -> None:
    found = {(row["format"], row["kind"]) for row in VECTORS}
    assert found == {(f, k) for f in ("standard", "gen1", "gen2") for k in KINDS} | {
        ("lite", "request"),
        ("lite", "type2"),
    }


LENGTHS = [
    # format, kind, bytes without and with tag for n = 0 payload bytes, without ICRC
    (Format.STANDARD, "request", 50, 54),
    (Format.STANDARD, "response", 50, 54),
    (Format.STANDARD, "type2", 42, 46),
    (Format.GEN1, "request", 22, 26),
    (Format.GEN1, "response", 22, 26),
    (Format.GEN1, "type2", 14, 18),
    (Format.GEN2, "request", 16, 20),
    (Format.GEN2, "response", 22, 26),
    (Format.GEN2, "type2", 8, 12),
    (Format.LITE, "request", 6, 6),
    (Format.LITE, "type2", 6, 6),
]


@pytest.mark.parametrize(("form", "kind", "plain", "tagged"), LENGTHS)
@pytest.mark.parametrize("icrc", [False, True])
def test_lengths(
    form: Format, kind: Literal["request", "response", "type2"], plain: int, tagged: int, icrc: bool
) -> None:
    """Overheads of every format, by formula and as built."""
    layout = replace(layout_of(form), icrc=icrc)
    crc = 4 if icrc and kind != "type2" and form is not Format.LITE else 0
    for size in (0,) if kind == "response" else (64, 65, 66, 67, 1344):
        pad = -size % 4 if kind == "request" and form is not Format.LITE else 0
        for tag, overhead in ((False, plain), (True, tagged)):
            expected = overhead + size + pad + crc
            assert layout.frame_bytes(kind, size, tag) == expected
            if not (tag and form is Format.LITE):
                frame = sample(form, "ack" if kind == "response" else kind, tag, bytes(size))
                assert len(build(frame, layout)) == expected


def test_largest_frames() -> None:
    """1344 payload bytes with tag and ICRC."""
    sizes = [layout_of(form).frame_bytes("request", 1344, True) for form in Format]
    assert sizes == [1402, 1374, 1368, 1350]


def changed(form: Format, kind: str, size: int = 66, **knobs: Any) -> tuple[bytes, bytes]:
    """The frame by the default readings and with some other ones."""
    layout = layout_of(form)
    frame = sample(form, kind, payload=bytes(range(1, size + 1)))
    return build(frame, layout), build(frame, layout.with_knobs(knobs))


def test_key_words_and_traffic_class_change_places() -> None:
    """The octets of an address whose first one has the group bit: 0x82 and 0x83 of SLAP."""
    for form in (Format.GEN2, Format.LITE):
        for kind, tc, words in (("request", 0x28, 0x82), ("type2", 0x54, 0x83)):
            default, other = changed(form, kind, GEN2_KW_IN_DA=1)
            assert (default[0], default[6], other[0], other[6]) == (tc, words, words, tc)
            assert default[1:6] + default[7:] == other[1:6] + other[7:]


def test_overlay_as_copy() -> None:
    """The addresses hold the first six bytes either way; the body starts behind them or with them."""
    for form, body in ((Format.GEN2, 22), (Format.LITE, 12)):
        default, other = changed(form, "request", GEN2_OVERLAY=0)
        first = bytes(range(1, 7))
        assert default[1:4] + default[7:10] == first == other[1:4] + other[7:10]
        assert default[body] == 7 and other[body : body + 6] == first
        assert len(other) == len(default) + 6


def test_udp_checksum_constant() -> None:
    """Two bytes of the header, and nothing of the ICRC."""
    default, other = changed(Format.STANDARD, "request", UDP_CSUM=0xFFFF)
    assert (default[40:42], other[40:42]) == (b"\0\0", b"\xff\xff")
    assert default[:40] + default[42:] == other[:40] + other[42:]


def test_pkt_len_counts_pad_or_not() -> None:
    """65 bytes and three of pad: 76 or 73; what is not counted is still sent."""
    default, other = changed(Format.GEN1, "request", 65, PKTLEN_INCL_PAD=0)
    assert (default[18] >> 1, other[18] >> 1) == (76, 73)
    assert len(default) == len(other) == 22 + 68 + 4


@pytest.mark.parametrize(("size", "told"), [(64, 72), (116, 124), (117, 0), (119, 0), (120, 0), (1344, 0)])
def test_pkt_len_border(size: int, told: int) -> None:
    """Up to 127 bytes are told; with pads counted no value between 124 and 128 occurs."""
    wire = build(sample(Format.GEN1, "request", payload=bytes(size)), layout_of(Format.GEN1))
    assert wire[18] >> 1 == told


@pytest.mark.parametrize(("size", "told"), [(118, 126), (119, 127), (120, 0)])
def test_pkt_len_border_without_pad(size: int, told: int) -> None:
    """The same border where pads do not count."""
    assert changed(Format.GEN1, "request", size, PKTLEN_INCL_PAD=0)[1][18] >> 1 == told


def test_icrc_is_left_out_on_demand() -> None:
    """Requests and responses lose four bytes, TYPE2 and LITE frames have none to lose."""
    for form in Format:
        layout = layout_of(form)
        for kind in ("request", "type2") if form is Format.LITE else KINDS:
            with_crc = build(sample(form, kind), layout)
            without = build(sample(form, kind), without_icrc(layout))
            lost = 0 if kind == "type2" or form is Format.LITE else 4
            assert len(with_crc) - len(without) == lost
            # The IP and UDP lengths count the ICRC, the IP checksum follows: all before the RH at byte 42.
            same = 42 if form is Format.STANDARD else 0
            assert with_crc[same : len(without)] == without[same:]


def test_type2_with_rh() -> None:
    """Eight bytes more, no pad, no ICRC."""
    for form in (Format.STANDARD, Format.GEN1, Format.GEN2):
        layout = layout_of(form).with_knobs({"TYPE2_HAS_RH": 1})
        frame = sample(form, "type2", payload=bytes(range(65)))
        plain = build(frame, layout_of(form))
        frame.rh = sample(form, "request").rh
        wire = build(frame, layout)
        assert len(wire) == len(plain) + 8 == layout.frame_bytes("type2", 65)
        read = parse(wire, layout)
        assert read.kind is Kind.TYPE2 and read.rh is not None and read.rh.pad == 0 and read.icrc is None
        assert read.payload == frame.payload and build(read, layout) == wire


def test_gen1_without_traffic_class() -> None:
    """The whole source address is there instead."""
    layout = replace(layout_of(Format.GEN1), gen1_tc=False)
    frame = sample(Format.GEN1, "request")
    assert frame.addresses
    frame.addresses.tc, frame.addresses.src = None, 0x02AABBCCDDEE
    wire = build(frame, layout)
    assert wire[6:12].hex() == "02aabbccddee"
    read = parse(wire, layout)
    assert read.addresses == frame.addresses and read.traffic_class is None
