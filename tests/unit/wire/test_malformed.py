"""What the parser refuses, where it says so, and what it still reads."""

from __future__ import annotations

import pytest

from ref_model.wire import INFO, Frame, IPv4, IPv6, ParseError, Reason, build, parse
from tests.unit.wire.samples import sample


def refused(data: bytes) -> ParseError:
    """The error that parsing must raise."""
    with pytest.raises(ParseError) as info:
        parse(data)
    return info.value


@pytest.mark.parametrize("opcode", sorted(INFO), ids=lambda code: INFO[code].name)
@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("tagged", [False, True], ids=["untagged", "tagged"])
def test_cut_at_every_byte(opcode: int, v6: bool, tagged: bool) -> None:
    """A frame that lost its end is refused, whatever remains."""
    data = build(sample(opcode, v6=v6, tagged=tagged))
    network = 14 + 4 * tagged
    header = 40 if v6 else 20
    for size in range(len(data)):
        error = refused(data[:size])
        if size < 14:
            assert (error.layer, error.reason) == ("eth", Reason.TRUNCATED)
        elif size < network:
            assert (error.layer, error.reason) == ("vlan", Reason.TRUNCATED)
        elif size < network + header:
            assert (error.layer, error.reason) == ("ip", Reason.TRUNCATED)
        else:
            assert (error.layer, error.reason) == ("ip", Reason.IP_LENGTH)
            partial = error.partial
            assert partial.ip is not None
            assert (partial.udp is not None) == (size >= network + header + 8)
            assert (partial.bth is not None) == (size >= network + header + 20)


def test_partial_frame_names_queue_pair_and_opcode() -> None:
    """The judge learns whom a cut frame was for, down to the extension header."""
    partial = refused(build(sample(0x0A))[:-1]).partial
    assert partial.bth and partial.reth
    assert (partial.bth.opcode, partial.bth.dest_qp, partial.reth.length) == (0x0A, 0x00AB0B, 0x00010203)


@pytest.mark.parametrize("opcode", sorted(INFO), ids=lambda code: INFO[code].name)
@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
def test_consistent_lengths_below_the_headers(opcode: int, v6: bool) -> None:
    """UDP lengths from 8 up, IP length agreeing: accepted from the exact sum of headers, pad and ICRC on."""
    info = INFO[opcode]
    for pad in range(4):
        need = 8 + 12 + info.extension_bytes + pad + 4
        for length in range(8, need + 5):
            frame = sample(opcode, v6=v6)
            assert frame.bth and frame.udp
            frame.bth.pad = pad
            frame.udp.length = length
            if isinstance(frame.ip, IPv6):
                frame.ip.payload_length = length
            elif isinstance(frame.ip, IPv4):
                frame.ip.total_length = 20 + length
            data = build(frame) + bytes(16)
            if length >= need:
                assert len(parse(data).payload) == length - need
                continue
            error = refused(data)
            expected = Reason.TRUNCATED if length < 20 else Reason.ROCE_LENGTH
            assert error.reason is expected, f"pad {pad}, UDP length {length}: {error}"


@pytest.mark.parametrize(
    ("opcode", "layer"), [(0x0A, "reth"), (0x11, "aeth"), (0x64, "deth"), (0x81, "cnp_reserved")]
)
def test_extension_header_does_not_reach_into_the_icrc(opcode: int, layer: str) -> None:
    """A header one byte short is named and left out, although the ICRC bytes would complete it."""
    frame = sample(opcode, size=0)
    assert frame.udp and isinstance(frame.ip, IPv4)
    frame.udp.length = 8 + 12 + INFO[opcode].extension_bytes - 1 + 4
    frame.ip.total_length = 20 + frame.udp.length
    error = refused(build(frame))
    assert (error.layer, error.reason) == (layer, Reason.ROCE_LENGTH)
    assert getattr(error.partial, layer) is None and error.partial.bth is not None


def ipv4_frame(**fields: object) -> bytes:
    """A SEND over IPv4 with fields of its IP header replaced."""
    frame = sample(0x04)
    for name, value in fields.items():
        setattr(frame.ip, name, value)
    return build(frame)


@pytest.mark.parametrize("ihl", range(5))
def test_short_ipv4_header(ihl: int) -> None:
    """IHL below 5 is refused; the partial frame is read as if it were 5."""
    error = refused(ipv4_frame(ihl=ihl))
    assert (error.reason, error.layer, error.offset) == (Reason.IHL, "ip", 14)
    assert isinstance(error.partial.ip, IPv4) and error.partial.ip.ihl == ihl
    assert error.partial.bth is not None


@pytest.mark.parametrize("ihl", range(6, 16))
def test_long_ipv4_header(ihl: int) -> None:
    """IHL above 5 with its option bytes parses and keeps them."""
    options = bytes(range(4 * (ihl - 5)))
    parsed = parse(ipv4_frame(ihl=ihl, options=options))
    assert isinstance(parsed.ip, IPv4) and parsed.ip.options == options and parsed.icrc_ok


@pytest.mark.parametrize("ihl", range(6, 16))
def test_ipv4_header_length_without_the_options(ihl: int) -> None:
    """IHL above 5 that swallows what follows: refused or no longer RoCEv2; the IHL is seen either way."""
    try:
        seen = parse(ipv4_frame(ihl=ihl))
        assert seen.bth is None
    except ParseError as error:
        seen = error.partial
    assert isinstance(seen.ip, IPv4) and seen.ip.ihl == ihl


@pytest.mark.parametrize("version", [0, 5, 6, 15])
def test_ipv4_version(version: int) -> None:
    """EtherType 0x0800 with another version number."""
    assert refused(ipv4_frame(version=version)).reason is Reason.IP_VERSION


def test_what_lies_behind_a_wrong_ipv4_header() -> None:
    """Check sum, ICRC and lengths of a frame whose version or IHL is wrong are those of a 20-byte header."""
    for field in ({"version": 0}, {"ihl": 3}):
        whole = ipv4_frame(**field)
        partial = refused(whole).partial
        assert partial.ip_checksum_ok and partial.icrc_ok, field
        bent = refused(whole[:24] + bytes((whole[24] ^ 1,)) + whole[25:]).partial
        assert bent.ip_checksum_ok is False and bent.icrc_ok, field
        cut = refused(whole[:-1]).partial
        assert cut.icrc_ok is None and cut.bth is not None, field


@pytest.mark.parametrize("version", [0, 4, 15])
def test_ipv6_version(version: int) -> None:
    """EtherType 0x86DD with another version number."""
    frame = sample(0x04, v6=True)
    assert frame.ip
    frame.ip.version = version
    error = refused(build(frame))
    assert error.reason is Reason.IP_VERSION and error.partial.bth is not None


@pytest.mark.parametrize("total", [0, 19])
def test_ipv4_length_below_its_header(total: int) -> None:
    """Total length below the IP header."""
    assert refused(ipv4_frame(total_length=total)).reason is Reason.IP_LENGTH


@pytest.mark.parametrize("total", [20, 27])
def test_ipv4_length_below_udp_header(total: int) -> None:
    """Total length that leaves no room for the UDP header."""
    error = refused(ipv4_frame(total_length=total))
    assert (error.reason, error.layer) == (Reason.TRUNCATED, "udp")


@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("delta", [-9, -4, -1, 1, 4, 100])
def test_udp_length_against_ip_length(v6: bool, delta: int) -> None:
    """UDP length that disagrees with the IP length, in either direction; the BTH is still read."""
    frame = sample(0x04, v6=v6)
    assert frame.udp
    frame.udp.length = 8 + 12 + 8 + 4 + delta
    error = refused(build(frame))
    assert (error.reason, error.layer) == (Reason.UDP_LENGTH, "udp")
    assert error.partial.bth is not None and error.partial.bth.opcode == 0x04


@pytest.mark.parametrize("tail", [1, 2, 4, 6, 46])
@pytest.mark.parametrize("opcode", [0x04, 0x11, 0x0C])
def test_ethernet_padding_is_trailer(opcode: int, tail: int) -> None:
    """Bytes behind the IP length are neither payload nor pad nor ICRC."""
    frame = sample(opcode, size=0)
    parsed = parse(build(frame) + b"\x5a" * tail)
    assert (parsed.trailer, parsed.payload, parsed.icrc_ok) == (b"\x5a" * tail, b"", True)


@pytest.mark.parametrize("text", ["880800", "88080001", "8808000112", "8808", "88080101000100020003"])
def test_truncated_mac_control(text: str) -> None:
    """Pause and PFC frames without all their parameters."""
    error = refused(bytes(12) + bytes.fromhex(text))
    assert (error.layer, error.reason) == ("pause", Reason.TRUNCATED)


def test_message_says_where() -> None:
    """The text of the error names layer, byte and reason."""
    assert str(refused(b"short")) == "eth at byte 0: header truncated"
    assert refused(b"short").partial == Frame(refused(b"short").partial.eth, payload=b"short")
