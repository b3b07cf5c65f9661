"""ICRC: by a second opinion, the fields it must not see, and every single-bit error."""

from __future__ import annotations

import pytest

from ref_model.wire.rclink import Format, FrameLayout, Kind, ParseError, build, diff, parse
from tests.unit.wire.rclink.samples import WITH_TRANSPORT, kinds_of, layout_of, sample, without_icrc
from tests.unit.wire.slow_icrc import crc32_bitwise

TYPE1_KINDS = ("request", "ack", "nak", "cnp")
MODES = ("by_format", "from_rh")


def layout_with(form: Format, mode: str) -> FrameLayout:
    """Default readings but for the coverage of the ICRC."""
    return layout_of(form).with_knobs({"ICRC_MODE": mode})


def covered_bytes(wire: bytes, form: Format, kind: str, mode: str) -> bytes:
    """Second opinion on the coverage, for untagged frames of 64 payload bytes or none."""
    if form is Format.STANDARD:
        if mode == "from_rh":
            return wire[42:-4]
        ip_udp = bytearray(wire[14:42])
        for position in (1, 8, 10, 11, 26, 27):
            ip_udp[position] = 0xFF
        return b"\xff" * 8 + bytes(ip_udp) + wire[42:-4]
    if form is Format.GEN2 and kind == "request":
        return wire[14:22] + wire[1:4] + wire[7:10] + wire[22:-4]
    return wire[14:-4]


@pytest.mark.parametrize("form", WITH_TRANSPORT)
@pytest.mark.parametrize("kind", TYPE1_KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_value(form: Format, kind: str, mode: str) -> None:
    """Bit by bit from the polynomial, low byte first on the wire."""
    wire = build(sample(form, kind), layout_with(form, mode))
    expected = crc32_bitwise(covered_bytes(wire, form, kind, mode))
    assert wire[-4:] == expected.to_bytes(4, "little")


def flipped(wire: bytes, bit: int) -> bytes:
    """One bit of the frame turned, bit 0 = most significant of byte 0."""
    raw = bytearray(wire)
    raw[bit >> 3] ^= 0x80 >> (bit & 7)
    return bytes(raw)


def verdict(wire: bytes, layout: FrameLayout) -> bool | None:
    """`icrc_ok`, or False where the frame cannot even be parsed."""
    try:
        return parse(wire, layout).icrc_ok
    except ParseError:
        return False


@pytest.mark.parametrize("form", WITH_TRANSPORT)
@pytest.mark.parametrize("kind", TYPE1_KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_single_bit_errors_are_found(form: Format, kind: str, mode: str) -> None:
    """RH, payload, pad and ICRC, bit by bit."""
    layout = layout_with(form, mode)
    wire = build(sample(form, kind, payload=bytes(range(65))), layout)
    first = 42 if form is Format.STANDARD else 14
    for bit in range(8 * first, 8 * len(wire)):
        assert verdict(flipped(wire, bit), layout) is False, divmod(bit, 8)


@pytest.mark.parametrize("form", [Format.GEN2])
def test_payload_in_the_addresses_is_covered(form: Format) -> None:
    """The six bytes of a request are payload to the ICRC; those of a response are not."""
    layout = layout_of(form)
    for kind, found in (("request", False), ("ack", True)):
        wire = build(sample(form, kind), layout)
        for byte in (1, 2, 3, 7, 8, 9):
            for bit in range(8):
                assert verdict(flipped(wire, 8 * byte + bit), layout) is found


@pytest.mark.parametrize("form", WITH_TRANSPORT)
def test_addresses_and_tag_are_not_covered(form: Format) -> None:
    """They may change from hop to hop."""
    layout = layout_of(form)
    frame = sample(form, "ack", tagged=True)
    expected = parse(build(frame, layout), layout).icrc
    assert frame.addresses and frame.vlan
    frame.addresses.dst ^= 1
    frame.addresses.src ^= 1
    frame.vlan.tci ^= 0xFFFF
    assert parse(build(frame, layout), layout).icrc == expected


# Bytes of an untagged Standard frame between EtherType and RH that RoCEv2 masks.
MASKED = {15: "ToS", 22: "TTL", 24: "IP checksum", 25: "IP checksum", 40: "UDP checksum", 41: "UDP checksum"}


@pytest.mark.parametrize("mode", MODES)
def test_masked_fields_of_standard_frames(mode: str) -> None:
    """Every bit of IP and UDP: seen unless masked; none is seen where the coverage starts at the RH.

    Version, IHL, total length, protocol and destination port decide whether it is a TYPE1 frame at all.
    """
    layout = layout_with(Format.STANDARD, mode)
    wire = build(sample(Format.STANDARD, "request"), layout)
    structure = {14, 16, 17, 23, 36, 37, 38, 39}
    for byte in set(range(14, 42)) - structure:
        for bit in range(8):
            expected = byte in MASKED or mode == "from_rh"
            assert verdict(flipped(wire, 8 * byte + bit), layout) is expected, byte


@pytest.mark.parametrize("form", Format)
def test_without_icrc_the_comparison_tells(form: Format) -> None:
    """Where nothing protects the frame, every single-bit error still differs from what was expected."""
    layout = without_icrc(layout_of(form))
    for kind in kinds_of(form):
        expected = sample(form, kind)
        wire = build(expected, layout)
        for bit in range(8 * len(wire)):
            broken = flipped(wire, bit)
            try:
                observed = parse(broken, layout)
            except ParseError:
                continue
            assert observed.kind is Kind.TYPE3 or diff(expected, observed, layout), (kind, divmod(bit, 8))


def test_stated_icrc_goes_out_as_given() -> None:
    frame = sample(Format.GEN1, "ack")
    frame.icrc = 0x12345678
    wire = build(frame, layout_of(Format.GEN1))
    assert wire.endswith(bytes.fromhex("78563412"))
    assert parse(wire, layout_of(Format.GEN1)).icrc_ok is False
