"""Frames in words and their differences."""

from __future__ import annotations

import pytest

from ref_model.wire.rclink import Format, Kind, build, congestion_marked, describe, diff, parse
from tests.unit.wire.rclink.samples import kinds_of, layout_of, sample


def test_describe_standard() -> None:
    """A parsed frame, field by field."""
    layout = layout_of(Format.STANDARD)
    words = dict(describe(parse(build(sample(Format.STANDARD, "nak", tagged=True), layout), layout)))
    assert words["addresses.dst"] == "02:00:00:00:00:22"
    assert (words["vlan.tpid"], words["vlan.tci"]) == ("0x8100", "0x8123")
    assert (words["ip.src"], words["udp.dst"]) == ("192.168.0.1", "4791")
    assert words["rh.code"] == "0x60 NAK, PSN sequence error"
    assert (words["rh.opcode"], words["rh.psn"], words["rh.pkey"]) == ("1 ACK", "0xabc", "0x5a")
    assert (words["icrc_ok"], words["ip_checksum_ok"]) == ("yes", "yes")


def test_describe_compact() -> None:
    """Short addresses, Key_words, reserved bytes."""
    layout = layout_of(Format.GEN2)
    words = dict(describe(parse(build(sample(Format.GEN2, "ack"), layout), layout)))
    assert (words["addresses.dst"], words["addresses.key_words"]) == ("00:22", "0x82")
    assert words["addresses.spare"] == "6 bytes: 000000000000"
    assert "ip.src" not in words and "payload" not in words
    words = dict(describe(sample(Format.GEN2, "request")))
    assert (words["rh.code"], words["rh.opcode"]) == ("computed", "0 REQUEST")
    assert words["payload"] == "64 bytes: 000102030405060708090a0b0c0d0e0f..."


@pytest.mark.parametrize("form", Format)
def test_equal_frames_do_not_differ(form: Format) -> None:
    layout = layout_of(form)
    for kind in kinds_of(form):
        frame = sample(form, kind, tagged=form is not Format.LITE)
        assert diff(frame, parse(build(frame, layout), layout), layout) == []


def test_diff_names_fields() -> None:
    """An edited field and the ICRC that follows; masks by field and by layer."""
    layout = layout_of(Format.GEN1)
    other = sample(Format.GEN1, "request")
    assert other.rh and other.addresses
    other.rh.psn, other.addresses.tc = 1, 0x2C
    observed = parse(build(other, layout), layout)
    expected = sample(Format.GEN1, "request")
    assert diff(expected, observed, layout)[:2] == [
        ("addresses.tc", "0x28", "0x2c"),
        ("rh.psn", "0xabc", "0x001"),
    ]
    assert diff(expected, observed, layout, frozenset({"rh", "addresses.tc", "icrc"})) == []


def test_diff_of_payload_and_missing_parts() -> None:
    layout = layout_of(Format.GEN2)
    other = sample(Format.GEN2, "request", payload=bytes(range(50)) + b"\xff" * 14)
    found = diff(sample(Format.GEN2, "request"), parse(build(other, layout), layout), layout)
    assert found[0][0] == "payload from byte 50"
    assert [name for name, _, _ in found[1:]] == ["icrc"]
    tagged = parse(build(sample(Format.GEN2, "ack", tagged=True), layout), layout)
    assert ("vlan.tci", "absent", "0x8123") in diff(sample(Format.GEN2, "ack"), tagged, layout)


def test_diff_of_a_malformed_expectation() -> None:
    """Compared as far as it reads."""
    layout = layout_of(Format.GEN1)
    broken = sample(Format.GEN1, "request")
    assert broken.rh
    broken.rh.code = 3
    observed = parse(build(sample(Format.GEN1, "request"), layout), layout)
    assert ("rh.code", "3", "72") in diff(broken, observed, layout)


def test_one_line() -> None:
    assert str(sample(Format.GEN1, "request")) == (
        "GEN1 TYPE1 REQUEST qp 0x155 psn 0xabc time 0x1234 64 bytes Fack"
    )
    assert str(sample(Format.GEN1, "nak")) == (
        "GEN1 TYPE1 NAK, PSN sequence error qp 0x155 psn 0xabc 0 bytes"
    )
    assert str(sample(Format.LITE, "type2")) == "LITE TYPE2 64 bytes"
    assert str(parse(b"raw", layout_of(Format.GEN1))) == "TYPE3 3 bytes"


@pytest.mark.parametrize("ecn", range(4))
def test_congestion_mark(ecn: int) -> None:
    """Only 11, in the ToS of Standard frames; in AFH frames only by ECN_ON_AFH, and not without a class."""
    for form in Format:
        frame = sample(form, "request")
        assert frame.addresses
        if frame.ip:
            frame.ip.tos |= ecn
        else:
            frame.addresses.tc = 0x28 | ecn
        layout = layout_of(form)
        marked = ecn == 3
        assert congestion_marked(frame, layout) == (marked and form is Format.STANDARD)
        assert congestion_marked(frame, layout.with_knobs({"ECN_ON_AFH": 1})) == marked
    frame = parse(b"raw", layout_of(Format.GEN1))
    assert frame.kind is Kind.TYPE3 and not congestion_marked(frame, layout_of(Format.GEN1))
