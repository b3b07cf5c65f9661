"""Wireshark reads the Ethernet, VLAN, IP and UDP headers of Standard frames as the codec wrote them."""

from __future__ import annotations

from pathlib import Path

from ref_model.wire.rclink import Format, build, parse
from tb.pcap import PcapngWriter
from tests.unit.wire.rclink.samples import KINDS, layout_of, sample, without_icrc
from tests.unit.wire.tools import tshark

FIELDS = [
    *("eth.dst", "eth.src", "vlan.priority", "vlan.id", "ip.version", "ip.hdr_len", "ip.dsfield", "ip.len"),
    *("ip.id", "ip.flags.df", "ip.ttl", "ip.proto", "ip.checksum.status", "ip.src", "ip.dst"),
    *("udp.srcport", "udp.dstport", "udp.length", "udp.checksum", "data.data", "_ws.malformed"),
]


def test_standard_frames(tmp_path: Path) -> None:
    """Every kind, tagged or not, with and without ICRC; what is behind UDP is RH, payload, pad and ICRC."""
    cases = [
        (kind, tagged, layout)
        for kind in KINDS
        for tagged in (False, True)
        for layout in (layout_of(Format.STANDARD), without_icrc(layout_of(Format.STANDARD)))
    ]
    frames = [
        build(sample(Format.STANDARD, kind, tagged, bytes(67)), layout) for kind, tagged, layout in cases
    ]
    path = tmp_path / "standard.pcapng"
    with PcapngWriter(path) as writer:
        for data in frames:
            writer.write(0, data)
    # Port 4791 is RoCEv2 to Wireshark; the transport header here is another one.
    arguments = ["-r", str(path), "--disable-protocol", "infiniband", "-o", "ip.check_checksum:TRUE"]
    arguments += ["-T", "fields", "-E", "separator=|"]
    for name in FIELDS:
        arguments += ["-e", name]
    lines = tshark(*arguments).splitlines()
    assert len(lines) == len(frames)
    for (kind, tagged, layout), wire, line in zip(cases, frames, lines, strict=True):
        row = dict(zip(FIELDS, line.split("|"), strict=True))
        read = parse(wire, layout)
        assert read.ip and read.udp and read.addresses
        assert row["_ws.malformed"] == "" and row["ip.checksum.status"] == "1", kind
        assert int(row["eth.dst"].replace(":", ""), 16) == read.addresses.dst
        assert int(row["eth.src"].replace(":", ""), 16) == read.addresses.src
        assert (row["vlan.id"] != "") == tagged
        if read.vlan:
            assert (int(row["vlan.priority"]), int(row["vlan.id"])) == (read.vlan.priority, read.vlan.vid)
        assert (row["ip.version"], row["ip.hdr_len"], row["ip.proto"]) == ("4", "20", "17")
        assert row["ip.flags.df"] in ("1", "True")
        assert int(row["ip.dsfield"], 0) == read.ip.tos and int(row["ip.ttl"]) == read.ip.ttl
        assert int(row["ip.len"]) == read.ip.total_length and int(row["ip.id"], 0) == read.ip.ident
        assert (row["ip.src"], row["ip.dst"]) == ("192.168.0.1", "192.168.0.2")
        assert (int(row["udp.srcport"]), int(row["udp.dstport"])) == (read.udp.src, read.udp.dst)
        assert int(row["udp.length"]) == read.udp.length and int(row["udp.checksum"], 0) == 0
        assert bytes.fromhex(row["data.data"].replace(":", "")) == wire[46 if tagged else 42 :]
