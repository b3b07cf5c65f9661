"""Build and parse are inverse, for every opcode and header combination."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ref_model.wire import (
    INFO,
    Ethernet,
    Frame,
    IPv4,
    IPv6,
    ParseError,
    Pause,
    Pfc,
    Udp,
    Vlan,
    build,
    describe,
    parse,
    payload_of,
    recompute,
)
from tests.unit.wire.samples import sample
from tests.unit.wire.strategies import REPEATABLE, roce_frames


def completed(frame: Frame, parsed: Frame) -> Frame:
    """`frame` with what build computes and the parser judges taken over from `parsed`."""
    ip: IPv4 | IPv6 | None = frame.ip
    if isinstance(ip, IPv4) and isinstance(parsed.ip, IPv4):
        ip = replace(ip, total_length=parsed.ip.total_length, checksum=parsed.ip.checksum)
    elif isinstance(ip, IPv6) and isinstance(parsed.ip, IPv6):
        ip = replace(ip, payload_length=parsed.ip.payload_length)
    assert frame.udp and parsed.udp and frame.bth and parsed.bth
    return replace(
        frame,
        ip=ip,
        udp=replace(frame.udp, length=parsed.udp.length, checksum=parsed.udp.checksum),
        bth=replace(frame.bth, pad=parsed.bth.pad),
        pad_bytes=parsed.pad_bytes,
        icrc=parsed.icrc,
        icrc_ok=True,
        ip_checksum_ok=True if isinstance(ip, IPv4) else None,
        udp_checksum_ok=True if frame.udp.checksum is None else None,
        cnp_reserved=bytes(16) if INFO[frame.bth.opcode].kind == "cnp" else None,
    )


@pytest.mark.parametrize("opcode", sorted(INFO), ids=lambda code: INFO[code].name)
def test_every_opcode_round_trips(opcode: int) -> None:
    """Whatever is built parses to the same fields, with right lengths, checksums, pad and ICRC."""

    @settings(REPEATABLE, max_examples=60)
    @given(roce_frames(opcode=opcode))
    def check(frame: Frame) -> None:
        data = build(frame)
        parsed = parse(data)
        assert parsed == completed(frame, parsed)
        assert parsed.bth is not None and parsed.bth.pad == -len(frame.payload) % 4
        assert parsed.pad_bytes == bytes(parsed.bth.pad)
        assert build(parsed) == data
        assert build(recompute(parsed)) == data
        assert payload_of(data) == frame.payload
        assert parse(data).udp is not None

    check()


@REPEATABLE
@given(roce_frames(), st.data())
def test_mutated_frames_parse_or_raise_parse_error(frame: Frame, data: st.DataObject) -> None:
    """Cut, extended or altered anywhere: ParseError with a usable partial frame, or an exact round trip."""
    raw = bytearray(build(frame))
    for position in data.draw(st.lists(st.integers(0, len(raw) - 1), max_size=4)):
        raw[position] = data.draw(st.integers(0, 255))
    wire = bytes(raw[: data.draw(st.integers(0, len(raw)))]) + data.draw(st.binary(max_size=3))
    try:
        parsed = parse(wire)
    except ParseError as error:
        assert 0 <= error.offset <= len(wire)
        assert describe(error.partial)
    else:
        assert build(parsed) == wire
        assert describe(parsed)


# Starts that lead random bytes into each branch of the parser.
STARTS = [
    bytes(12) + kind
    for kind in (
        b"",
        b"\x08\x00\x45",
        b"\x86\xdd\x60",
        b"\x81\x00",
        b"\x88\xa8\x00\x01\x81\x00",
        b"\x88\x08\x00\x01",
        b"\x88\x08\x01\x01",
        b"\x88\x08",
        b"\x12\x34",
    )
]


@REPEATABLE
@given(st.sampled_from(STARTS), st.binary(max_size=120))
def test_random_bytes_parse_or_raise_parse_error(start: bytes, rest: bytes) -> None:
    """Bytes of no meaning at all behave like mutated frames."""
    try:
        parsed = parse(start + rest)
    except ParseError as error:
        assert describe(error.partial)
    else:
        assert build(parsed) == start + rest


def test_any_bytes_like_object_is_taken() -> None:
    """A bytearray or memoryview parses like bytes."""
    data = build(sample(0x04))
    assert parse(bytearray(data)) == parse(memoryview(data)) == parse(data)  # type: ignore[arg-type]


def test_recompute_leaves_the_original_alone() -> None:
    """Editing the copy does not reach the parsed frame, and the edited copy is right again."""
    original = parse(build(sample(0x0A, tagged=True)))
    before = build(original)
    edited = recompute(original)
    assert edited.bth and edited.ip and edited.reth
    edited.bth.psn, edited.reth.va, edited.vlans[0].tci = 1, 2, 3
    edited.ip.dst = 4
    edited.payload += b"more"
    assert build(original) == before
    assert parse(build(edited)).icrc_ok and parse(build(edited)).ip_checksum_ok


def test_pfc_layout() -> None:
    """Priority flow control: opcode 0x0101, class vector, timers from priority 0 on, then trailer."""
    quanta = (1, 2, 3, 4, 5, 6, 7, 0xFFFF)
    frame = Frame(
        Ethernet(0x0180C2000001, 0x020000000001, 0x8808), pause=Pfc(0x0081, quanta), trailer=bytes(26)
    )
    data = build(frame)
    assert data.hex() == ("0180c20000010200000000018808010100810001000200030004000500060007ffff") + "00" * 26
    assert len(data) == 60
    assert parse(data) == frame


def test_pause_layout() -> None:
    """802.3 pause: opcode 1 and one timer; tagged or not."""
    for vlans in ((), (Vlan(0xE000),)):
        frame = Frame(
            Ethernet(0x0180C2000001, 2, 0x8808), vlans=vlans, pause=Pause(0x1234), trailer=bytes(42)
        )
        data = build(frame)
        assert b"\x88\x08\x00\x01\x12\x34" in data
        assert parse(data) == frame


def test_other_mac_control_is_opaque() -> None:
    """A MAC control opcode that is neither pause nor PFC stays payload."""
    parsed = parse(bytes(12) + bytes.fromhex("8808000212345678"))
    assert parsed.pause is None and parsed.payload == bytes.fromhex("000212345678")


@pytest.mark.parametrize("ethertype", [0x0806, 0x8915, 0x0040, 0x88B5])
def test_other_ethertypes_are_opaque(ethertype: int) -> None:
    """ARP, RoCEv1, an 802.3 length and local experiments: Ethernet and payload, no error."""
    data = bytes(12) + ethertype.to_bytes(2, "big") + b"payload"
    parsed = parse(data)
    assert (parsed.eth.ethertype, parsed.payload, parsed.ip) == (ethertype, b"payload", None)


def test_other_protocols_and_ports_are_opaque() -> None:
    """TCP, a later fragment and another UDP port end above the last header that is understood."""
    eth = Ethernet(1, 2, 0x0800)
    tcp = Frame(eth, ip=IPv4(1, 2, protocol=6), payload=b"segment")
    fragment = Frame(eth, ip=IPv4(1, 2, frag=0x0010), payload=b"rest of a datagram")
    dns = Frame(eth, ip=IPv4(1, 2), udp=Udp(1000, 53, checksum=None), payload=b"question")
    for frame in (tcp, fragment, dns):
        parsed = parse(build(frame))
        assert parsed.payload == frame.payload and parsed.bth is None
        assert (parsed.udp is None) == (frame.udp is None)
    assert parse(build(dns)).udp_checksum_ok is True


def test_unknown_opcode_has_opaque_payload() -> None:
    """An opcode outside the table is no error: payload, pad and ICRC by the BTH alone."""
    frame = sample(0x04)
    assert frame.bth
    frame.bth.opcode = 0xC3
    parsed = parse(build(frame))
    assert parsed.payload == frame.payload and parsed.icrc_ok and parsed.bth and parsed.bth.pad == 3


def test_headers_against_the_opcode_can_be_built() -> None:
    """Builds what a faulty requester would send: a RETH on a SEND is read back as its payload."""
    frame = sample(0x0A)
    assert frame.bth
    frame.bth.opcode = 0x04
    parsed = parse(build(frame))
    assert parsed.reth is None and parsed.payload[:8] == bytes.fromhex("1122334455667788")


def test_stated_values_are_written_as_given() -> None:
    """Wrong lengths, checksums, pad and ICRC go out unchanged and are reported by the parser."""
    frame = sample(0x04, size=8)
    assert isinstance(frame.ip, IPv4) and frame.udp and frame.bth
    frame.ip.checksum, frame.udp.checksum, frame.icrc = 0x1234, 0x4321, 0x89ABCDEF
    frame.bth.pad, frame.pad_bytes = 2, b"\xaa\xbb"
    data = build(frame)
    parsed = parse(data)
    assert (parsed.icrc_ok, parsed.ip_checksum_ok, parsed.udp_checksum_ok) == (False, False, False)
    assert data.endswith(b"\xaa\xbb\xef\xcd\xab\x89")
    assert parsed.payload == frame.payload and parsed.pad_bytes == b"\xaa\xbb"
