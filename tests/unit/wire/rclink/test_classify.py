"""Every leaf of the receive classification, by frames made of bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ref_model.wire.rclink import (
    Class,
    Format,
    FrameLayout,
    Kind,
    Leaf,
    build,
    classify,
    lite_qpid,
    lite_source,
    parse,
)
from tests.unit.wire.rclink.samples import layout_of, sample

STANDARD, GEN1, GEN2 = (layout_of(form) for form in (Format.STANDARD, Format.GEN1, Format.GEN2))
LITE = layout_of(Format.LITE)
TAG = bytes.fromhex("81000123")


def ip(protocol: int = 17, port: int = 4791, first: int = 0x45) -> bytes:
    """EtherType, IPv4 header and UDP ports."""
    header = bytes([first, 0, 0, 40]) + bytes(5) + bytes([protocol]) + bytes(10)
    return b"\x08\x00" + header + bytes(2) + port.to_bytes(2, "big") + bytes(20)


TREE = [
    (ip(), Leaf.UDP_TYPE1),
    (ip(port=0xBEEF), Leaf.UDP_TYPE2),
    (ip(port=53), Leaf.UDP_OTHER),
    (ip(protocol=1), Leaf.IP_NOT_UDP),
    (ip(protocol=6), Leaf.IP_NOT_UDP),
    (ip(first=0x65), Leaf.UDP_TYPE1),  # the version is not looked at
    (ip(first=0x46), Leaf.IP_OPTIONS),
    (ip(first=0x44), Leaf.IP_OPTIONS),
    (b"\x88\xb5" + bytes(30), Leaf.ETHERTYPE_TYPE1),
    (b"\x88\xb6" + bytes(30), Leaf.ETHERTYPE_TYPE2),
    (b"\x08\x06" + bytes(30), Leaf.ETHERTYPE_OTHER),
    (b"\x86\xdd" + bytes(60), Leaf.ETHERTYPE_OTHER),
    (b"\x88\xa8\x00\x01\x88\xb5" + bytes(30), Leaf.ETHERTYPE_OTHER),
    (ip()[:10], Leaf.TOO_SHORT),
    (ip()[:25], Leaf.TOO_SHORT),
    (b"\x08", Leaf.TOO_SHORT),
]


@pytest.mark.parametrize(("rest", "leaf"), TREE, ids=[leaf.name for _, leaf in TREE])
@pytest.mark.parametrize("layout", [STANDARD, GEN1], ids=["standard", "gen1"])
def test_tree(rest: bytes, leaf: Leaf, layout: FrameLayout) -> None:
    """Untagged, and behind one tag of the configured identifier."""
    plain = classify(bytes(12) + rest, layout)
    tagged = classify(bytes(12) + TAG + rest, layout)
    assert plain.leaf is tagged.leaf is leaf
    if len(rest) > 1:
        assert (plain.body, plain.tagged, tagged.body, tagged.tagged) == (14, False, 18, True)


def test_second_tag_is_not_skipped() -> None:
    wire = bytes(12) + TAG + TAG + b"\x88\xb5" + bytes(30)
    assert classify(wire, GEN1).leaf is Leaf.ETHERTYPE_OTHER


def test_tag_of_another_identifier_is_not_skipped() -> None:
    wire = bytes(12) + TAG + b"\x88\xb5" + bytes(30)
    assert classify(wire, replace(GEN1, tpid=0x9100)).leaf is Leaf.ETHERTYPE_OTHER
    assert classify(bytes(12) + TAG[:3], GEN1).leaf is Leaf.TOO_SHORT


@pytest.mark.parametrize("ethertype", ["88b5", "88b6"])
@pytest.mark.parametrize("in_da", [0, 1])
def test_32_bit_form_of_gen2(ethertype: str, in_da: int) -> None:
    """Key_words W = 0 is raw Ethernet, unless it is not looked at; of other EtherTypes it is not asked."""
    layout = GEN2.with_knobs({"GEN2_KW_IN_DA": in_da})
    block = bytearray(b"\x7f" * 12)
    wire = bytes(block) + bytes.fromhex(ethertype) + bytes(40)
    assert classify(wire, layout).leaf is Leaf.GEN2_32BIT
    assert classify(wire, layout.with_knobs({"KW_CHECK": 0})).leaf.kind is not Kind.TYPE3
    block[0 if in_da else 6] = 0x80
    assert classify(bytes(block) + wire[12:], layout).leaf.kind is not Kind.TYPE3
    assert classify(wire, replace(layout, format=Format.GEN1)).leaf.kind is not Kind.TYPE3
    assert classify(wire[:12] + b"\x12\x34", layout).leaf is Leaf.ETHERTYPE_OTHER


@pytest.mark.parametrize("in_da", [0, 1])
def test_lite(in_da: int) -> None:
    """The upper six bits of the traffic class name the flow; EtherTypes and Key_words mean nothing there."""
    layout = LITE.with_knobs({"GEN2_KW_IN_DA": in_da})

    def wire(tc: int, words: int = 0x82) -> bytes:
        block = bytearray(12)
        block[0], block[6] = (words, tc) if in_da else (tc, words)
        return bytes(block) + b"\x88\xb5" + bytes(60)

    for bank, tc in enumerate((0x20, 0x28, 0x2C, 0x34)):
        for ecn in range(4):
            assert classify(wire(tc | ecn), layout) == Class(Leaf.LITE_TYPE1, 12, bank=bank)
    assert classify(wire(0x57), layout) == Class(Leaf.LITE_TYPE2, 12)
    assert classify(wire(0x58), layout).leaf is Leaf.LITE_OTHER
    assert classify(wire(0x28, 0x02), layout).leaf is Leaf.LITE_TYPE1
    assert classify(wire(0x28)[:11], layout).leaf is Leaf.TOO_SHORT
    assert classify(wire(0x34), replace(layout, bank_tcs=(0x20, 0x28))).leaf is Leaf.LITE_OTHER
    assert classify(wire(0x20), replace(layout, type2_tc=0x21)).leaf is Leaf.LITE_TYPE2


def test_every_leaf_is_reached_here() -> None:
    """The tables above, GEN2 and LITE."""
    elsewhere = {Leaf.GEN2_32BIT, Leaf.LITE_TYPE1, Leaf.LITE_TYPE2, Leaf.LITE_OTHER}
    assert {leaf for _, leaf in TREE} | elsewhere == set(Leaf)
    assert {leaf.kind for leaf in Leaf} == set(Kind) and all(leaf.text for leaf in Leaf)


def test_bank_of_a_lite_frame() -> None:
    parsed = parse(build(sample(Format.LITE, "request"), LITE), LITE)
    assert (parsed.kind, parsed.bank, parsed.addresses and parsed.addresses.src) == (Kind.TYPE1, 1, 0x11)
    assert lite_qpid(0x11, 1, bank_bits=2, qp_bits=10) == 0x45
    assert lite_qpid(0x311, 3, bank_bits=2, qp_bits=10) == 0x47


@pytest.mark.parametrize(("reading", "source"), [("MAC", 0xBEEF), ("DQPID", 0x11), ("SQPID", 0x2A)])
def test_source_of_a_lite_frame(reading: str, source: int) -> None:
    """The own address, or the XPU number in front of the bank bits of one of the QP numbers."""
    layout = LITE.with_knobs({"LITE_SA": reading})
    assert lite_source(layout, 0x0200_DEAD_BEEF, dest_qpid=0x47, source_qpid=0xAB, bank_bits=2) == source
