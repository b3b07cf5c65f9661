"""Wireshark's dissector reads what the codec builds, field by field."""

from __future__ import annotations

from pathlib import Path

import pytest

from ref_model.wire import INFO, Ethernet, Frame, Pause, Pfc, build, parse
from tb.pcap import PcapngWriter
from tests.unit.wire.samples import sample
from tests.unit.wire.tools import tshark


def dissect(path: Path, frames: list[bytes], names: list[str]) -> list[dict[str, str]]:
    """The first occurrence of each field in each frame, as tshark prints it; absent fields are empty."""
    with PcapngWriter(path) as writer:
        for number, data in enumerate(frames):
            writer.write(number * 4000, data)
    # RPC over RDMA is guessed from SEND payloads and would hide the ICRC.
    arguments: list[str | Path] = ["-r", path, "--disable-protocol", "rpcordma", "-T", "fields"]
    arguments += ["-E", "occurrence=f", "-E", "separator=|"]
    for name in names:
        arguments += ["-e", name]
    lines = tshark(*arguments).splitlines()
    assert len(lines) == len(frames)
    return [dict(zip(names, line.split("|"), strict=True)) for line in lines]


def expected_fields(frame: Frame) -> dict[str, int]:
    """Numbers that the dissector has to show for a frame."""
    assert frame.bth and frame.udp and frame.icrc is not None
    bth = frame.bth
    fields: dict[str, int] = {
        "udp.length": frame.udp.length or 0,
        "infiniband.bth.opcode": bth.opcode,
        "infiniband.bth.se": bth.se,
        "infiniband.bth.m": bth.mig,
        "infiniband.bth.padcnt": bth.pad or 0,
        "infiniband.bth.tver": bth.tver,
        "infiniband.bth.p_key": bth.pkey,
        "infiniband.bth.destqp": bth.dest_qp,
        "infiniband.bth.a": bth.ack_req,
        "infiniband.bth.psn": bth.psn,
    }
    if frame.deth:
        fields["infiniband.deth.q_key"] = frame.deth.qkey
        fields["infiniband.deth.srcqp"] = frame.deth.src_qp
    if frame.reth:
        fields["infiniband.reth.va"] = frame.reth.va
        fields["infiniband.reth.r_key"] = frame.reth.rkey
        fields["infiniband.reth.dmalen"] = frame.reth.length
    if frame.atomic:
        # The dissector has one field for the address and key of RETH and AtomicETH.
        fields["infiniband.reth.va"] = frame.atomic.va
        fields["infiniband.reth.r_key"] = frame.atomic.rkey
        fields["infiniband.atomiceth.swapdt"] = frame.atomic.swap
        fields["infiniband.atomiceth.cmpdt"] = frame.atomic.compare
    if frame.aeth:
        fields["infiniband.aeth.syndrome"] = frame.aeth.syndrome
        fields["infiniband.aeth.msn"] = frame.aeth.msn
    if frame.atomic_ack:
        fields["infiniband.atomicacketh.origremdt"] = frame.atomic_ack.original
    if frame.immdt is not None:
        fields["infiniband.immdt"] = frame.immdt
    if frame.ieth is not None:
        fields["infiniband.ieth"] = frame.ieth
    if INFO[bth.opcode].kind != "cnp":  # tshark 4.0 stops at the reserved bytes of a CNP
        fields["infiniband.invariant.crc"] = frame.icrc
    return fields


BYTE_FIELDS = {"infiniband.immdt", "infiniband.ieth"}
FIELDS = sorted(set().union(*(expected_fields(parse(build(sample(opcode)))) for opcode in INFO)))
NUMBERED = [
    (opcode, v6, tagged) for opcode in sorted(INFO) for v6 in (False, True) for tagged in (False, True)
]


def number(name: str, text: str) -> int:
    """A printed field as a number: bytes are hex without prefix, the ICRC is shown in wire order."""
    if name in BYTE_FIELDS:
        return int(text.replace(":", ""), 16)
    value = int(text, 0)
    if name == "infiniband.invariant.crc":
        return int.from_bytes(value.to_bytes(4, "big"), "little")
    return value


def test_transport_headers(tmp_path: Path) -> None:
    """Every opcode over IPv4 and IPv6, tagged or not: all header fields, none too many, nothing malformed."""
    frames = [build(sample(opcode, v6=v6, tagged=tagged)) for opcode, v6, tagged in NUMBERED]
    rows = dissect(tmp_path / "frames.pcapng", frames, [*FIELDS, "_ws.malformed"])
    for data, row in zip(frames, rows, strict=True):
        expected = expected_fields(parse(data))
        assert row.pop("_ws.malformed") == ""
        shown = {name: number(name, text) for name, text in row.items() if text}
        if parse(data).icrc is not None and "infiniband.invariant.crc" not in expected:
            shown.pop("infiniband.invariant.crc", None)
        assert shown == expected, INFO[expected["infiniband.bth.opcode"]].name


def test_ip_headers(tmp_path: Path) -> None:
    """Wireshark finds IP and UDP checksums right, and reads class, TTL and flow label."""
    frames = []
    for v6 in (False, True):
        frame = sample(0x04, v6=v6, tagged=True)
        assert frame.udp
        frame.udp.checksum = None
        frames.append(build(frame))
    path = tmp_path / "ip.pcapng"
    names = ["ip.checksum.status", "udp.checksum.status", "ip.dsfield", "ip.ttl", "ip.id", "vlan.id"]
    names += ["ipv6.tclass", "ipv6.hlim", "ipv6.flow"]
    with PcapngWriter(path) as writer:
        for data in frames:
            writer.write(0, data)
    arguments = [
        "-r",
        str(path),
        "-o",
        "ip.check_checksum:TRUE",
        "-o",
        "udp.check_checksum:TRUE",
        "-T",
        "fields",
    ]
    arguments += ["-E", "separator=|"]
    for name in names:
        arguments += ["-e", name]
    v4, v6_row = (line.split("|") for line in tshark(*arguments).splitlines())
    assert [int(text, 0) for text in v4[:6]] == [1, 1, 0x68, 61, 0x1357, 0x064]
    assert [int(text, 0) for text in [v6_row[1], *v6_row[6:]]] == [1, 0x68, 61, 0x12345]


@pytest.mark.parametrize("tail", [bytes(26), b""], ids=["filled", "bare"])
def test_flow_control(tmp_path: Path, tail: bytes) -> None:
    """Pause and PFC parameters."""
    eth = Ethernet(0x0180C2000001, 0x020000000001, 0x8808)
    quanta = (0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0xFFFF)
    frames = [
        build(Frame(eth, pause=Pfc(0x0081, quanta), trailer=tail)),
        build(Frame(eth, pause=Pause(0xABCD), trailer=tail)),
    ]
    names = ["macc.opcode", "macc.pause_time", "macc.cbfc.enbv"]
    names += [f"macc.cbfc.pause_time.c{priority}" for priority in range(8)]
    pfc, pause = dissect(tmp_path / "pfc.pcapng", frames, names)
    assert int(pfc["macc.opcode"], 0) == 0x0101 and int(pfc["macc.cbfc.enbv"], 0) == 0x0081
    assert tuple(int(pfc[f"macc.cbfc.pause_time.c{priority}"], 0) for priority in range(8)) == quanta
    assert (int(pause["macc.opcode"], 0), int(pause["macc.pause_time"], 0)) == (0x0001, 0xABCD)
