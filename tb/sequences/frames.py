"""Changes that make a legal frame wrong in one point, by name."""

from __future__ import annotations

from ref_model.wire import Frame, IPv4, IPv6, build, parse
from tb.sequences.raw import Change


def wrong_mac(bit: int) -> Change:
    """Destination MAC with one bit inverted."""

    def change(frame: Frame) -> None:
        frame.eth.dst ^= 1 << bit

    return change


def wrong_ip(frame: Frame) -> None:
    """Destination IP address of a neighbour."""
    assert frame.ip is not None
    frame.ip.dst ^= 1


def other_ip_version(frame: Frame) -> None:
    """The same request in the other IP version."""
    if isinstance(frame.ip, IPv4):
        frame.eth.ethertype = 0x86DD
        frame.ip = IPv6(src=frame.ip.src, dst=frame.ip.dst)
    else:
        assert frame.ip is not None
        frame.eth.ethertype = 0x0800
        frame.ip = IPv4(src=frame.ip.src & 0xFFFFFFFF, dst=frame.ip.dst & 0xFFFFFFFF)


def long_ip_header(words: int) -> Change:
    """IPv4 header of ``words`` 32-bit words (more than 5) with no-operation options."""

    def change(frame: Frame) -> None:
        assert isinstance(frame.ip, IPv4)
        frame.ip.ihl = words
        frame.ip.options = b"\x01" * (4 * (words - 5))

    return change


def other_udp_port(frame: Frame) -> None:
    """UDP destination port next to the RoCE one."""
    assert frame.udp is not None
    frame.udp.dst ^= 1


def wrong_version(frame: Frame) -> None:
    """Transport version 1 in the BTH."""
    assert frame.bth is not None
    frame.bth.tver = 1


def wrong_icrc(frame: Frame) -> None:
    """ICRC with a random-looking value."""
    frame.icrc = 0x1BADC0DE


def wrong_checksum(frame: Frame) -> None:
    """IPv4 header check sum off by one; the ICRC leaves it out."""
    good = parse(build(frame)).ip
    assert isinstance(frame.ip, IPv4) and isinstance(good, IPv4) and good.checksum is not None
    frame.ip.checksum = good.checksum ^ 1


def wrong_pkey(bit: int) -> Change:
    """P_Key with one bit inverted."""

    def change(frame: Frame) -> None:
        assert frame.bth is not None
        frame.bth.pkey ^= 1 << bit

    return change


def to_qp(number: int) -> Change:
    """Another destination queue pair."""

    def change(frame: Frame) -> None:
        assert frame.bth is not None
        frame.bth.dest_qp = number

    return change
