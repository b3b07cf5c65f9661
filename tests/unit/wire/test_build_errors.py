"""Values that do not fit their field are named, not cut."""

from __future__ import annotations

from typing import Any

import pytest

from ref_model.errors import UserError
from ref_model.wire import Ethernet, Frame, IPv4, Pause, Pfc, Udp, Vlan, build
from tests.unit.wire.samples import sample

TOO_WIDE = [
    ("eth.dst", 48, 0x04),
    ("eth.src", 48, 0x04),
    ("eth.ethertype", 16, 0x04),
    ("ip.src", 32, 0x04),
    ("ip.tos", 8, 0x04),
    ("ip.ihl", 4, 0x04),
    ("ip.version", 4, 0x04),
    ("ip.total_length", 16, 0x04),
    ("ip.checksum", 16, 0x04),
    ("udp.src", 16, 0x04),
    ("udp.checksum", 16, 0x04),
    ("bth.opcode", 8, 0x04),
    ("bth.dest_qp", 24, 0x04),
    ("bth.psn", 24, 0x04),
    ("bth.pkey", 16, 0x04),
    ("bth.pad", 2, 0x04),
    ("bth.tver", 4, 0x04),
    ("bth.resv6", 6, 0x04),
    ("bth.resv7", 7, 0x04),
    ("deth.qkey", 32, 0x64),
    ("deth.src_qp", 24, 0x64),
    ("deth.resv", 8, 0x64),
    ("reth.va", 64, 0x0A),
    ("reth.rkey", 32, 0x0A),
    ("reth.length", 32, 0x0A),
    ("atomic.compare", 64, 0x13),
    ("aeth.syndrome", 8, 0x11),
    ("aeth.msn", 24, 0x11),
    ("atomic_ack.original", 64, 0x12),
]


def set_field(frame: Frame, path: str, value: int) -> None:
    """Set a field by its dotted name."""
    *layers, name = path.split(".")
    target: Any = frame
    for layer in layers:
        target = getattr(target, layer)
    setattr(target, name, value)


@pytest.mark.parametrize(("path", "width", "opcode"), TOO_WIDE, ids=[row[0] for row in TOO_WIDE])
@pytest.mark.parametrize("below", [False, True], ids=["above", "negative"])
def test_field_out_of_range(path: str, width: int, opcode: int, below: bool) -> None:
    """One above the range and one below it: the field, its value and its width are named."""
    frame = sample(opcode)
    set_field(frame, path, -1 if below else 1 << width)
    with pytest.raises(UserError, match=rf"frame field {path} = .* does not fit {width} bits"):
        build(frame)


@pytest.mark.parametrize(
    ("path", "width"),
    [
        ("ip.src", 128),
        ("ip.dst", 128),
        ("ip.traffic_class", 8),
        ("ip.flow_label", 20),
        ("ip.hop_limit", 8),
        ("ip.payload_length", 16),
    ],
)
def test_ipv6_field_out_of_range(path: str, width: int) -> None:
    """The same for IPv6."""
    frame = sample(0x04, v6=True)
    set_field(frame, path, 1 << width)
    with pytest.raises(UserError, match=rf"frame field {path} = .* does not fit {width} bits"):
        build(frame)


@pytest.mark.parametrize("path", ["immdt", "ieth", "icrc"])
def test_word_out_of_range(path: str) -> None:
    """Immediate data, invalidate key and ICRC are 32 bits."""
    frame = sample(0x04)
    set_field(frame, path, 1 << 32)
    with pytest.raises(UserError, match=f"frame field {path} = 0x100000000 does not fit 32 bits"):
        build(frame)


def test_tags_and_quanta_out_of_range() -> None:
    """Tags by number, quanta one by one."""
    tagged = Frame(Ethernet(1, 2, 0x0800), vlans=(Vlan(1), Vlan(0x10000)))
    with pytest.raises(UserError, match=r"vlan1\.tci = 0x10000"):
        build(tagged)
    for control in (Pause(0x10000), Pfc(0, (0, 0, 0, 0x10000, 0, 0, 0, 0)), Pfc(0x10000, (0,) * 8)):
        with pytest.raises(UserError, match=r"pause\.(quanta|enable) = 0x10000 does not fit 16 bits"):
            build(Frame(Ethernet(1, 2, 0x8808), pause=control))


def test_payload_too_long_for_ip() -> None:
    """No field is wrong, but the sum does not fit."""
    frame = sample(0x04)
    frame.payload = bytes(70000)
    with pytest.raises(UserError, match="payload of 70000 bytes does not fit"):
        build(frame)


def test_headers_without_the_one_below() -> None:
    """A BTH needs UDP, UDP needs IP."""
    frame = sample(0x04)
    frame.udp = None
    with pytest.raises(UserError, match="no udp header"):
        build(frame)
    with pytest.raises(UserError, match="no ip header"):
        build(Frame(Ethernet(1, 2, 0x0800), udp=Udp(1)))


def test_ip_without_transport() -> None:
    """IP alone is allowed."""
    assert len(build(Frame(Ethernet(1, 2, 0x0800), ip=IPv4(1, 2, protocol=1), payload=b"ping"))) == 38
