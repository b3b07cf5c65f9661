"""Scapy as an oracle for what it knows, and the layers of tb.wire_scapy that add the rest."""

from __future__ import annotations

from typing import Any

import pytest
from scapy.contrib.roce import BTH, CNPPadding, cnp
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6 as ScapyIPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw

from ref_model.wire import INFO, Frame, IPv4, Pause, Pfc, build, parse
from tb.wire_scapy import (
    AETH,
    DETH,
    IETH,
    RETH,
    AtomicAckETH,
    AtomicETH,
    ImmDt,
    MACControlClassBasedFlowControl,
    MACControlPause,
    fresh,
    with_payload,
)
from tests.unit.wire.samples import sample

OPCODES = sorted(INFO)


def name(opcode: int) -> str:
    """Test id."""
    return INFO[opcode].name


def craft(frame: Frame) -> Packet:
    """The same frame made of scapy layers, from the field values alone."""
    assert frame.ip and frame.udp and frame.bth
    packet: Any = Ether(dst=frame.eth.dst.to_bytes(6, "big"), src=frame.eth.src.to_bytes(6, "big"))
    for tag in frame.vlans:
        packet /= Dot1Q(prio=tag.priority, vlan=tag.vid)
    if isinstance(frame.ip, IPv4):
        packet /= IP(
            src=".".join(map(str, frame.ip.src.to_bytes(4, "big"))),
            dst=".".join(map(str, frame.ip.dst.to_bytes(4, "big"))),
            tos=frame.ip.tos,
            ttl=frame.ip.ttl,
            id=frame.ip.ident,
            flags="DF",
        )
    else:
        packet /= ScapyIPv6(
            src=f"2001:db8::{frame.ip.src & 0xFFFF:x}",
            dst=f"2001:db8::{frame.ip.dst & 0xFFFF:x}",
            tc=frame.ip.traffic_class,
            fl=frame.ip.flow_label,
            hlim=frame.ip.hop_limit,
        )
    packet /= UDP(sport=frame.udp.src, dport=4791, chksum=0)
    bth = frame.bth
    packet /= BTH(
        opcode=bth.opcode,
        solicited=bth.se,
        migreq=bth.mig,
        pkey=bth.pkey,
        dqpn=bth.dest_qp,
        ackreq=bth.ack_req,
        psn=bth.psn,
    )
    if frame.deth:
        packet /= DETH(qkey=frame.deth.qkey, sqp=frame.deth.src_qp)
    if frame.reth:
        packet /= RETH(va=frame.reth.va, rkey=frame.reth.rkey, length=frame.reth.length)
    if frame.atomic:
        atomic = frame.atomic
        packet /= AtomicETH(va=atomic.va, rkey=atomic.rkey, swap=atomic.swap, compare=atomic.compare)
    if frame.aeth:
        packet /= AETH(syndrome=frame.aeth.syndrome, msn=frame.aeth.msn)
    if frame.atomic_ack:
        packet /= AtomicAckETH(original=frame.atomic_ack.original)
    if frame.immdt is not None:
        packet /= ImmDt(immdt=frame.immdt)
    if frame.ieth is not None:
        packet /= IETH(rkey=frame.ieth)
    if INFO[bth.opcode].kind == "cnp":
        packet /= CNPPadding()
    return with_payload(packet, frame.payload)


@pytest.mark.parametrize("opcode", OPCODES, ids=name)
@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("tagged", [False, True], ids=["untagged", "tagged"])
def test_scapy_builds_the_same_bytes(opcode: int, v6: bool, tagged: bool) -> None:
    """Lengths, header bytes, pad, IP checksum and ICRC agree for every opcode and all pad counts."""
    for size in range(4, 8):
        frame = sample(opcode, v6=v6, tagged=tagged, size=size)
        assert bytes(craft(frame)) == build(frame)


@pytest.mark.parametrize("opcode", OPCODES, ids=name)
def test_scapy_dissects_the_extension_headers(opcode: int) -> None:
    """By opcode alone scapy finds the layers in order, with the values put in, and the payload behind."""
    frame = sample(opcode)
    packet: Any = Ether(build(frame))
    info = INFO[opcode]
    layers = {DETH: info.deth, RETH: info.reth, AtomicETH: info.atomic, AETH: info.aeth}
    layers |= {
        AtomicAckETH: info.atomic_ack,
        ImmDt: info.immdt,
        IETH: info.ieth,
        CNPPadding: info.kind == "cnp",
    }
    found = [layer for layer in packet.layers() if layer in layers]
    assert found == [layer for layer, there in layers.items() if there]
    if frame.reth:
        assert (packet[RETH].va, packet[RETH].rkey, packet[RETH].length) == (
            frame.reth.va,
            frame.reth.rkey,
            frame.reth.length,
        )
    if frame.deth:
        assert (packet[DETH].qkey, packet[DETH].sqp) == (frame.deth.qkey, frame.deth.src_qp)
    if frame.aeth:
        assert (packet[AETH].syndrome, packet[AETH].msn) == (frame.aeth.syndrome, frame.aeth.msn)
    if frame.immdt is not None:
        assert packet[ImmDt].immdt == frame.immdt
    if frame.ieth is not None:
        assert packet[IETH].rkey == frame.ieth
    if frame.payload:
        assert packet[Raw].load == frame.payload + bytes(-len(frame.payload) % 4)
    assert "0x" in str(packet.show(dump=True))


@pytest.mark.parametrize(("opcode", "shown"), [(0x16, "RC_SEND_LAST_INV"), (0x17, "RC_SEND_ONLY_INV")])
def test_opcode_names_are_added(opcode: int, shown: str) -> None:
    """SEND with invalidate can be written and shown by name."""
    assert BTH(opcode=shown).opcode == opcode
    assert shown in str(BTH(opcode=opcode).show(dump=True))


def test_own_names_of_scapy_stay() -> None:
    """Names that scapy has are not replaced."""
    assert BTH(opcode="RC_SEND_ONLY").opcode == 0x04 and cnp(1).opcode == 0x81


@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
def test_stale_icrc_after_an_edit(v6: bool) -> None:
    """The trap: an edited packet goes out with its old ICRC; `fresh` gives it a right one."""
    frame = sample(0x0A, v6=v6)
    assert frame.udp
    frame.udp.checksum = None
    packet: Any = Ether(build(frame))
    packet[BTH].psn = 1
    stale, right = parse(bytes(packet)), parse(bytes(fresh(packet)))
    assert stale.icrc_ok is False and stale.udp_checksum_ok is False
    assert right.icrc_ok and right.udp_checksum_ok and right.bth and right.bth.psn == 1
    assert packet[BTH].icrc == int.from_bytes(build(frame)[-4:], "big"), "the argument of fresh has changed"


def test_fresh_keeps_an_absent_udp_checksum() -> None:
    """RoCEv2 over IPv4 usually has none; it is not invented."""
    parsed = parse(bytes(fresh(Ether(build(sample(0x04))))))
    assert parsed.udp and parsed.udp.checksum == 0 and parsed.icrc_ok


def test_fresh_follows_a_longer_payload() -> None:
    """After appending bytes all lengths are right again."""
    packet: Any = Ether(build(sample(0x04, size=4)))
    packet[Raw].load += b"more"
    parsed = parse(bytes(fresh(packet)))
    assert parsed.payload == bytes((1, 2, 3, 4)) + b"more" and parsed.icrc_ok and parsed.ip_checksum_ok


def test_extension_outside_roce_has_raw_payload() -> None:
    """A header dissected by itself has nothing below to tell what follows."""
    assert RETH(bytes(16) + b"rest")[Raw].load == b"rest"


def test_flow_control() -> None:
    """Pause and PFC frames in both directions."""
    link = Ether(dst="01:80:c2:00:00:01", src="02:00:00:00:00:01", type=0x8808)
    pause = parse(bytes(link / MACControlPause(pause_time=0x1234)))
    assert pause.pause == Pause(0x1234) and len(build(pause)) == 60
    crafted = link / MACControlClassBasedFlowControl(
        c0_enabled=1, c7_enabled=1, c0_pause_time=9, c7_pause_time=5
    )
    pfc = parse(bytes(crafted))
    assert pfc.pause == Pfc(0x81, (9, 0, 0, 0, 0, 0, 0, 5))
    shown: Any = Ether(build(pfc))
    assert shown[MACControlClassBasedFlowControl].c7_pause_time == 5
