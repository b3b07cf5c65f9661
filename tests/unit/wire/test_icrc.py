"""The ICRC against captured frames, a bitwise second opinion, and its mask bit by bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from ref_model.wire import INFO, Frame, IPv4, ParseError, Udp, build, icrc_of, parse
from ref_model.wire.ipv4 import internet_checksum
from tests.unit.wire.samples import sample
from tests.unit.wire.slow_icrc import crc32_bitwise, icrc_bitwise
from tests.unit.wire.strategies import REPEATABLE, roce_frames

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_published_frames(vector: dict[str, str]) -> None:
    """Frames published elsewhere: ICRC, IP and UDP checksums are found right and computed alike."""
    data = bytes.fromhex(vector["hex"])
    parsed = parse(data)
    assert parsed.icrc_ok and parsed.ip_checksum_ok and parsed.udp_checksum_ok is not False
    assert parsed.icrc == int.from_bytes(bytes.fromhex(vector["icrc_bytes_on_wire"]), "little")
    assert icrc_of(data) == parsed.icrc == icrc_bitwise(data)
    parsed.icrc = None
    assert build(parsed) == data


def test_bitwise_crc_check_value() -> None:
    """The second opinion itself: the published check value of CRC-32 for the digits 1 to 9."""
    assert crc32_bitwise(b"123456789") == 0xCBF43926


@REPEATABLE
@given(roce_frames(max_payload=20))
def test_bitwise_second_opinion(frame: Frame) -> None:
    """Every opcode, IP version, tag, option, pad: the fast ICRC equals the bitwise one."""
    data = build(frame)
    assert parse(data).icrc == icrc_bitwise(data) == icrc_of(data)


def variant_bits(v6: bool, tagged: bool) -> set[int]:
    """Bit numbers (byte x 8 + bit from the left) of a sample frame that the ICRC must not cover."""
    network = 14 + 4 * tagged
    transport = network + (40 if v6 else 20)
    whole = [*range(network), transport + 6, transport + 7, transport + 12]
    whole += [network + 7] if v6 else [network + 1, network + 8, network + 10, network + 11]
    result = {8 * byte + bit for byte in whole for bit in range(8)}
    if v6:
        result |= set(range(8 * network + 4, 8 * network + 32))
    return result


@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("tagged", [False, True], ids=["untagged", "tagged"])
def test_mask_bit_by_bit(v6: bool, tagged: bool) -> None:
    """A flip of any single bit spoils the ICRC, except in the fields that may change on the way."""
    data = build(sample(0x0B, v6=v6, tagged=tagged))
    exempt = variant_bits(v6, tagged)
    network = 14 + 4 * tagged
    # Flips in version, lengths, protocol or port lead the parser elsewhere; none of these may be exempt.
    for bit in range(8 * network, 8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 0x80 >> bit % 8
        try:
            parsed = parse(bytes(flipped))
        except ParseError:
            assert bit not in exempt
            continue
        if parsed.bth is None:
            assert bit not in exempt
            continue
        assert parsed.icrc_ok == (bit in exempt), f"byte {bit // 8}, bit {bit % 8}"


@pytest.mark.parametrize("opcode", sorted(INFO), ids=lambda code: INFO[code].name)
@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
def test_icrc_of_a_frame_that_waits_for_it(opcode: int, v6: bool) -> None:
    """Without its last four bytes a frame has the same right ICRC; with wrong ones and a trailer too."""
    data = build(sample(opcode, v6=v6))
    right = int.from_bytes(data[-4:], "little")
    assert icrc_of(data[:-4]) == icrc_of(data) == right
    assert icrc_of(data[:-4] + b"\0\0\0\0" + b"pad") == right


def test_icrc_of_other_frames_is_a_parse_error() -> None:
    """No RoCEv2, or more than the ICRC missing."""
    with pytest.raises(ParseError):
        icrc_of(bytes(12) + b"\x08\x06" + bytes(46))
    with pytest.raises(ParseError):
        icrc_of(build(sample(0x04))[:-5])


@pytest.mark.parametrize(
    ("data", "checksum"),
    [
        (bytes.fromhex("0001f203f4f5f6f7"), 0x220D),  # worked example of RFC 1071
        (b"", 0xFFFF),
        (b"\0\0", 0xFFFF),
        (b"\xff\xff", 0x0000),
        (b"\x12", 0xEDFF),
    ],
)
def test_internet_checksum(data: bytes, checksum: int) -> None:
    """Worked values, both zeros of one's complement, and an odd length."""
    assert internet_checksum(data) == checksum


def test_udp_checksum_zero_is_sent_as_ones() -> None:
    """A computed checksum never reads as "absent"."""
    frame = Frame(sample(0x04).eth, ip=IPv4(0, 0), udp=Udp(0, 53, checksum=None), payload=b"\0\0")
    # Pseudo header and UDP header sum to 17 + 2 x length + port; this payload completes that to all ones.
    frame.payload = (0xFFFF - (17 + 2 * 10 + 53)).to_bytes(2, "big")
    parsed = parse(build(frame))
    assert parsed.udp is not None and parsed.udp.checksum == 0xFFFF and parsed.udp_checksum_ok
