"""Build and parse are inverse, under every reading; what is no frame is told, never guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ref_model.wire.rclink import (
    Format,
    Frame,
    FrameLayout,
    Kind,
    Opcode,
    ParseError,
    build,
    describe,
    parse,
    recompute,
    shared_parser,
)
from tests.unit.wire.rclink.samples import WITH_TRANSPORT, kinds_of, layout_of, sample, without_icrc
from tests.unit.wire.rclink.strategies import frames, layouts
from tests.unit.wire.strategies import REPEATABLE


def completed(frame: Frame, parsed: Frame) -> Frame:
    """`frame` with what build computes taken over from `parsed`."""
    result = replace(
        frame,
        ethertype=parsed.ethertype,
        icrc=parsed.icrc,
        pad_bytes=parsed.pad_bytes,
        icrc_ok=parsed.icrc_ok,
        ip_checksum_ok=parsed.ip_checksum_ok,
        bank=parsed.bank,
    )
    if frame.ip and parsed.ip:
        result.ip = replace(frame.ip, total_length=parsed.ip.total_length, checksum=parsed.ip.checksum)
    if frame.udp and parsed.udp:
        checksum = parsed.udp.checksum if frame.udp.checksum is None else frame.udp.checksum
        result.udp = replace(frame.udp, length=parsed.udp.length, checksum=checksum)
    if frame.rh and parsed.rh:
        code = parsed.rh.code if frame.rh.code is None else frame.rh.code
        result.rh = replace(frame.rh, code=code, pad=parsed.rh.pad)
    if frame.addresses and parsed.addresses:
        result.addresses = replace(
            frame.addresses, key_words=parsed.addresses.key_words, spare=parsed.addresses.spare
        )
    return result


@REPEATABLE
@given(layouts, st.data())
def test_round_trip(layout: FrameLayout, data: st.DataObject) -> None:
    """Fields to bytes to fields to bytes; lengths, checksums, pad and ICRC are right."""
    frame = data.draw(frames(layout))
    wire = build(frame, layout)
    parsed = parse(wire, layout)
    assert parsed == completed(frame, parsed)
    assert build(parsed, layout) == wire
    assert build(recompute(parsed), layout) == wire
    assert parsed.ip_checksum_ok in (True, None) and parsed.icrc_ok in (True, None)
    assert (parsed.icrc is not None) == (
        layout.icrc and frame.kind is Kind.TYPE1 and layout.format is not Format.LITE
    )
    if parsed.rh and frame.kind is Kind.TYPE1 and frame.carries_payload:
        assert parsed.rh.pad == -len(frame.payload) % 4 and parsed.pad_bytes == bytes(parsed.rh.pad)
        told = 8 + len(frame.payload) + (parsed.rh.pad if layout.pktlen_incl_pad else 0)
        assert parsed.rh.code == (told if told <= 127 else 0)
    if parsed.addresses and parsed.addresses.key_words is not None:
        assert parsed.addresses.key_words == (0x83 if frame.kind is Kind.TYPE2 else 0x82)


@REPEATABLE
@given(layouts, st.data())
def test_mutated_frames(layout: FrameLayout, data: st.DataObject) -> None:
    """Altered, cut or extended anywhere: ParseError with a partial frame, or an exact round trip."""
    raw = bytearray(build(data.draw(frames(layout)), layout))
    for position in data.draw(st.lists(st.integers(0, len(raw) - 1), max_size=4)):
        raw[position] = data.draw(st.integers(0, 255))
    wire = bytes(raw[: data.draw(st.integers(0, len(raw)))]) + data.draw(st.binary(max_size=3))
    try:
        parsed = parse(wire, layout)
    except ParseError as error:
        assert 0 <= error.offset <= len(wire) and error.layer in ("ip", "udp", "rh", "pad", "icrc")
        assert describe(error.partial) and str(error.partial)
        assert error.partial.payload in wire or layout.gen2_overlay
    else:
        assert build(parsed, layout) == wire
        assert describe(parsed) and str(parsed)


@REPEATABLE
@given(layouts, st.binary(max_size=120))
def test_random_bytes(layout: FrameLayout, rest: bytes) -> None:
    """Bytes of no meaning behind each start that leads into the parser."""
    for start in (
        b"",
        bytes(12) + b"\x88\xb5",
        bytes(12) + b"\x08\x00\x45",
        b"\x82" * 12 + b"\x88\xb6",
        bytes(12) + layout.tpid.to_bytes(2, "big") + b"\0\1\x88\xb5",
    ):
        try:
            parsed = parse(start + rest, layout)
        except ParseError as error:
            assert describe(error.partial)
        else:
            assert build(parsed, layout) == start + rest


@pytest.mark.parametrize("icrc", [True, False])
@pytest.mark.parametrize("fill", [0x00, 0xFF, 0xA5])
def test_mac_padding_is_no_part_of_the_frame(icrc: bool, fill: int) -> None:
    """Short frames end where IP length, Pkt_len or their kind says; zeros or not behind it."""
    for form in WITH_TRANSPORT:
        layout = layout_of(form) if icrc else without_icrc(layout_of(form))
        for kind in ("request", "ack", "nak", "cnp"):
            wire = build(sample(form, kind, payload=bytes(range(1, 9))), layout)
            filled = wire.ljust(60, bytes([fill]))
            parsed = parse(filled, layout)
            assert parsed.trailer == filled[len(wire) :]
            assert replace(parsed, trailer=b"") == parse(wire, layout)
            assert build(parsed, layout) == filled
    parsed = parse(
        build(sample(Format.STANDARD, "type2", payload=b"x"), layout_of(Format.STANDARD)) + b"yy",
        layout_of(Format.STANDARD),
    )
    assert (parsed.payload, parsed.trailer) == (b"x", b"yy")


def test_reserved_opcode_reads_to_the_end() -> None:
    """Nothing tells its length: the last four bytes count as its ICRC."""
    for form in WITH_TRANSPORT:
        frame = sample(form, "cnp")
        assert frame.rh
        frame.rh.opcode, frame.payload = Opcode.RESERVED, b"odd"
        wire = build(frame, layout_of(form))
        parsed = parse(wire, layout_of(form))
        assert parsed.payload == b"odd" and parsed.icrc_ok and build(parsed, layout_of(form)) == wire


def test_raw_frames_are_left_alone() -> None:
    """TYPE3 is the frame and nothing else."""
    for wire in (b"", b"\x01", bytes(12) + b"\x08\x06" + b"arp" * 20, bytes(range(256)) * 16):
        parsed = parse(wire, layout_of(Format.GEN1))
        assert parsed == Frame(Kind.TYPE3, payload=wire) and build(parsed, layout_of(Format.GEN1)) == wire


def test_an_afh_link_may_see_standard_frames() -> None:
    """They are told apart by EtherType; GEN1 and GEN2 are not."""
    wire = build(sample(Format.STANDARD, "ack"), layout_of(Format.STANDARD))
    for form in (Format.GEN1, Format.GEN2):
        assert parse(wire, layout_of(form)) == parse(wire, layout_of(Format.STANDARD))


def test_recompute_leaves_the_original_alone() -> None:
    """Editing the copy does not reach the parsed frame, and the edited copy is right again."""
    for form in Format:
        for kind in kinds_of(form):
            layout = layout_of(form)
            wire = build(sample(form, kind), layout)
            original = parse(wire, layout)
            edited = recompute(original)
            assert edited.addresses
            edited.addresses.dst ^= 1
            if edited.rh:
                edited.rh.psn ^= 1
            if edited.carries_payload:
                edited.payload += b"more"
            assert build(original, layout) == wire
            again = parse(build(edited, layout), layout)
            assert again.icrc_ok in (True, None) and again.ip_checksum_ok in (True, None)
            assert again.payload == edited.payload


def test_shared_parser_gives_one_object() -> None:
    layout = layout_of(Format.GEN2)
    wire = build(sample(Format.GEN2, "request"), layout)
    assert shared_parser(layout)(wire) is shared_parser(layout_of(Format.GEN2))(wire)
    assert shared_parser(layout)(wire) == parse(wire, layout)


def test_any_bytes_like_object_is_taken() -> None:
    layout = layout_of(Format.STANDARD)
    wire = build(sample(Format.STANDARD, "request"), layout)
    assert parse(bytearray(wire), layout) == parse(wire, layout)  # type: ignore[arg-type]
