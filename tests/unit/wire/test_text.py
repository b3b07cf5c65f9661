"""Field lists and differences in words."""

from __future__ import annotations

import pytest

from ref_model.wire import INFO, Aeth, Ethernet, Frame, Pfc, build, describe, diff, parse
from ref_model.wire.extended import syndrome_text
from ref_model.wire.opcodes import name_of
from tests.unit.wire.samples import sample


@pytest.mark.parametrize("opcode", sorted(INFO), ids=lambda code: INFO[code].name)
def test_describe_names_every_header(opcode: int) -> None:
    """All headers of the opcode appear, in wire order, with the opcode's name."""
    info = INFO[opcode]
    lines = describe(parse(build(sample(opcode, tagged=True))))
    names = [name for name, _ in lines]
    layers = list(dict.fromkeys(name.split(".")[0] for name in names))
    order = [
        "eth",
        "vlan0",
        "ip",
        "udp",
        "bth",
        "deth",
        "reth",
        "atomic",
        "aeth",
        "atomic_ack",
        "cnp_reserved",
    ]
    order += ["immdt", "ieth", "payload", "pad_bytes", "icrc", "icrc_ok", "ip_checksum_ok"]
    assert layers == [layer for layer in order if layer in layers]
    for header in ("deth", "reth", "atomic", "aeth", "atomic_ack", "immdt", "ieth"):
        assert (header in layers) == getattr(info, header)
    assert dict(lines)["bth.opcode"] == f"0x{opcode:02x} {info.name}"


def test_describe_values() -> None:
    """Addresses, keys and flags read as an engineer writes them."""
    lines = dict(describe(parse(build(sample(0x0A, tagged=True)))))
    assert lines["eth.dst"] == "02:aa:bb:cc:dd:01"
    assert (lines["ip.src"], lines["ip.ttl"], lines["vlan0.tci"]) == ("192.168.0.1", "61", "0x6064")
    assert (lines["reth.va"], lines["reth.length"]) == ("0x1122334455667788", "66051")
    assert (lines["bth.ack_req"], lines["bth.psn"], lines["icrc_ok"]) == ("1", "0xfedc0a", "yes")
    assert lines["payload"] == "5 bytes: 0102030405"
    v6 = dict(describe(parse(build(sample(0x04, v6=True, size=40)))))
    assert v6["ip.src"] == "2001:0db8:0000:0000:0000:0000:0000:0001"
    assert v6["payload"] == "40 bytes: 0102030405060708090a0b0c0d0e0f10..."
    pfc = Frame(Ethernet(1, 2, 0x8808), pause=Pfc(0x81, (9, 0, 0, 0, 0, 0, 0, 5)))
    assert dict(describe(pfc))["pause.quanta"] == "9 0 0 0 0 0 0 5"
    assert dict(describe(sample(0x04)))["udp.length"] == "computed"


def test_equal_frames_do_not_differ() -> None:
    """What the expectation leaves to build is completed before the comparison."""
    for opcode in INFO:
        assert diff(sample(opcode), parse(build(sample(opcode)))) == []


def test_diff_names_fields() -> None:
    """One edited field and the ICRC that follows from it; the mask removes either, or a whole layer."""
    other = sample(0x0A)
    assert other.bth and other.reth
    other.bth.psn, other.reth.rkey = 1, 2
    observed = parse(build(other))
    found = diff(sample(0x0A), observed)
    assert found[:2] == [("bth.psn", "0xfedc0a", "0x000001"), ("reth.rkey", "0x99aabbcc", "0x00000002")]
    assert [name for name, _, _ in found[2:]] == ["icrc"]
    assert diff(sample(0x0A), observed, frozenset({"bth.psn", "reth", "icrc"})) == []


def test_diff_of_payload_starts_at_the_difference() -> None:
    """Long payloads are shown where they part."""
    expected, other = sample(0x04, size=60), sample(0x04, size=60)
    other.payload = other.payload[:50] + b"\xff" * 10
    found = diff(expected, parse(build(other)), frozenset({"icrc"}))
    assert found == [
        (
            "payload from byte 50",
            "60 bytes: ...333435363738393a3b3c",
            "60 bytes: ...ffffffffffffffffffff",
        )
    ]


def test_diff_of_missing_headers() -> None:
    """A header that one side lacks is "absent" there, for each of its fields."""
    found = dict((name, (one, two)) for name, one, two in diff(sample(0x0A), parse(build(sample(0x04)))))
    assert found["reth.length"] == ("66051", "absent")
    assert found["bth.opcode"] == ("0x0a WRITE_ONLY", "0x04 SEND_ONLY")
    found = dict((name, (one, two)) for name, one, two in diff(sample(0x04), parse(build(sample(0x05)))))
    assert found["immdt"] == ("absent", "0x01020304")


def test_diff_of_a_malformed_expectation() -> None:
    """An expected frame that cannot be parsed back is compared as far as it reads."""
    broken = sample(0x04)
    assert broken.udp
    broken.udp.length = 9
    found = dict((name, (one, two)) for name, one, two in diff(broken, parse(build(sample(0x04)))))
    assert found["udp.length"] == ("9", "32")


@pytest.mark.parametrize(
    ("syndrome", "text"),
    [
        (0x1F, "ACK, credits 0x1f"),
        (0x2E, "RNR NAK, timer code 14"),
        (0x60, "NAK, PSN sequence error"),
        (0x62, "NAK, remote access error"),
        (0x7F, "NAK, reserved code 31"),
        (0x40, "reserved"),
        (0x9F, "reserved"),
    ],
)
def test_syndromes(syndrome: int, text: str) -> None:
    """AETH syndromes in words, those with the reserved top bit included."""
    assert syndrome_text(syndrome) == text


def test_syndrome_kinds() -> None:
    """Exactly one kind per valid syndrome, and its low five bits."""
    kinds = [(a.is_ack, a.is_rnr, a.is_nak, a.value) for a in (Aeth(0x1F, 0), Aeth(0x2E, 0), Aeth(0x63, 0))]
    assert kinds == [(True, False, False, 31), (False, True, False, 14), (False, False, True, 3)]


def test_unknown_opcode_name() -> None:
    """An opcode outside the table is shown by number."""
    assert name_of(0x2A) == "opcode 0x2A"
