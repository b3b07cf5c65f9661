"""Malformed frames are named; frames that cannot be built say why."""

from __future__ import annotations

from typing import Any

import pytest

from ref_model.errors import UserError
from ref_model.wire import Udp, Vlan
from ref_model.wire.rclink import Addresses, Format, ParseError, Reason, build, parse
from tests.unit.wire.rclink.samples import WITH_TRANSPORT, layout_of, sample, without_icrc


def complaint(wire: bytes, form: Format, **knobs: Any) -> ParseError:
    """The exception that the frame raises."""
    with pytest.raises(ParseError) as caught:
        parse(wire, layout_of(form).with_knobs(knobs))
    return caught.value


@pytest.mark.parametrize("form", [Format.GEN1, Format.GEN2])
@pytest.mark.parametrize("told", range(1, 8))
def test_pkt_len_below_the_rh(form: Format, told: int) -> None:
    frame = sample(form, "request")
    assert frame.rh
    frame.rh.code = told
    error = complaint(build(frame, layout_of(form)), form)
    assert (error.reason, error.layer, error.offset) == (Reason.PKT_LEN, "rh", 14)
    assert error.partial.rh and error.partial.rh.dest_qp == 0x155
    assert str(error) == "rh at byte 14: Pkt_len below the RH or beyond the frame"


def test_pkt_len_of_standard_frames() -> None:
    """Below the RH is malformed there too; any other value is redundant and left to the judge."""
    for told, malformed in ((7, True), (8, False), (127, False)):
        frame = sample(Format.STANDARD, "request")
        assert frame.rh
        frame.rh.code = told
        wire = build(frame, layout_of(Format.STANDARD))
        if malformed:
            assert complaint(wire, Format.STANDARD).reason is Reason.PKT_LEN
        else:
            assert parse(wire, layout_of(Format.STANDARD)).payload == frame.payload


@pytest.mark.parametrize("form", [Format.GEN1, Format.GEN2])
def test_pkt_len_beyond_the_frame(form: Format) -> None:
    frame = sample(form, "request")
    assert frame.rh
    frame.rh.code = 76
    error = complaint(build(frame, layout_of(form)), form)
    assert error.reason is Reason.PKT_LEN and error.partial.payload.startswith(frame.payload)


@pytest.mark.parametrize("form", WITH_TRANSPORT)
def test_cut_at_every_byte(form: Format) -> None:
    """What is left is TYPE3 as long as its class is unknown, then an error that names the layer."""
    layout = layout_of(form)
    wire = build(sample(form, "request"), layout)
    layers = set()
    for size in range(len(wire)):
        try:
            assert parse(wire[:size], layout).kind.value == "TYPE3", size
        except ParseError as error:
            layers.add((error.layer, error.reason))
            assert error.offset <= size
    # Pkt_len is told in this frame, so that whatever is missing behind the RH is missed.
    assert layers == (
        {("udp", Reason.TRUNCATED), ("ip", Reason.IP_LENGTH)}
        if form is Format.STANDARD
        else {("rh", Reason.TRUNCATED), ("rh", Reason.PKT_LEN)}
    )


@pytest.mark.parametrize("form", [Format.GEN1, Format.GEN2])
@pytest.mark.parametrize("kind", ["ack", "cnp"])
def test_response_without_room_for_the_icrc(form: Format, kind: str) -> None:
    wire = build(sample(form, kind), without_icrc(layout_of(form)))
    error = complaint(wire + b"abc", form)
    assert (error.reason, error.layer) == (Reason.ICRC, "icrc")


def test_standard_lengths() -> None:
    """IP length against frame and headers, UDP length against IP length."""
    frame = sample(Format.STANDARD, "ack")
    assert frame.ip and frame.udp
    layout = layout_of(Format.STANDARD)
    for total, reason, layer in (
        (41, Reason.IP_LENGTH, "ip"),
        (27, Reason.IP_LENGTH, "ip"),
        (35, Reason.TRUNCATED, "rh"),
        (39, Reason.ICRC, "icrc"),
        (38, Reason.ICRC, "icrc"),
    ):
        frame.ip.total_length = total
        error = complaint(build(frame, layout), Format.STANDARD)
        assert (error.reason, error.layer) == (reason, layer), total
        assert error.partial.ip and error.partial.udp
    frame.ip.total_length = None
    frame.udp.length = 21
    error = complaint(build(frame, layout), Format.STANDARD)
    assert (error.reason, error.layer, error.offset) == (Reason.UDP_LENGTH, "udp", 38)
    assert error.partial.icrc_ok is True and error.partial.rh and error.partial.rh.psn == 0xABC


@pytest.mark.parametrize("form", WITH_TRANSPORT)
def test_pad_beyond_the_payload(form: Format) -> None:
    """Three pad bytes of a body of two: only small payloads can show it."""
    size = 8 if form is Format.GEN2 else 2
    frame = sample(form, "request", payload=bytes(size))
    assert frame.rh
    frame.rh.pad, frame.pad_bytes, frame.rh.code = 3, b"", 8 + size
    error = complaint(build(frame, layout_of(form)), form)
    assert (error.reason, error.layer) == (Reason.PAD, "pad")


WIDE = [
    ("addresses.dst", 1 << 48, Format.STANDARD, 48),
    ("addresses.dst", 1 << 16, Format.GEN2, 16),
    ("addresses.src", 1 << 16, Format.LITE, 16),
    ("addresses.tc", 256, Format.GEN2, 8),
    ("addresses.key_words", 256, Format.GEN2, 8),
    ("vlan.tci", 1 << 16, Format.GEN1, 16),
    ("ip.ttl", 256, Format.STANDARD, 8),
    ("udp.src", -1, Format.STANDARD, 16),
    ("rh.psn", 4096, Format.GEN1, 12),
    ("rh.dest_qp", 8192, Format.GEN1, 13),
    ("rh.code", 128, Format.GEN1, 7),
    ("rh.pad", 4, Format.GEN1, 2),
    ("ethertype", 1 << 16, Format.GEN1, 16),
    ("icrc", 1 << 32, Format.GEN1, 32),
]


@pytest.mark.parametrize(("path", "value", "form", "width"), WIDE, ids=lambda item: str(item))
def test_field_out_of_range(path: str, value: int, form: Format, width: int) -> None:
    frame: Any = sample(form, "request", tagged=form is Format.GEN1)
    *layers, name = path.split(".")
    target = frame
    for layer in layers:
        target = getattr(target, layer)
    setattr(target, name, value)
    with pytest.raises(UserError, match=rf"frame field {path} = .* does not fit {width} bits"):
        build(frame, layout_of(form))


def test_source_beside_the_traffic_class() -> None:
    frame = sample(Format.GEN1, "request")
    frame.addresses = Addresses(1, 1 << 40, 0x28)
    with pytest.raises(UserError, match="48-bit source beside a traffic class"):
        build(frame, layout_of(Format.GEN1))


def test_parts_a_format_does_not_have() -> None:
    """Each header belongs to some formats and no other."""
    cases: list[tuple[Format, str, dict[str, Any], str]] = [
        (Format.STANDARD, "request", {"ip": None}, "STANDARD TYPE1 frame needs an ip header"),
        (Format.STANDARD, "request", {"udp": None}, "needs an udp header"),
        (Format.GEN1, "request", {"udp": Udp(1)}, "GEN1 TYPE1 frame has no udp header"),
        (Format.GEN1, "request", {"rh": None}, "needs an RH"),
        (Format.GEN1, "type2", {"rh": sample(Format.GEN1, "ack").rh}, "GEN1 TYPE2 frame has no RH"),
        (Format.LITE, "request", {"rh": sample(Format.GEN1, "ack").rh}, "LITE TYPE1 frame has no RH"),
        (Format.LITE, "request", {"vlan": Vlan(1)}, "neither a VLAN tag nor an EtherType"),
        (Format.LITE, "request", {"ethertype": 1}, "neither a VLAN tag nor an EtherType"),
        (Format.GEN2, "type2", {"icrc": 1}, "GEN2 TYPE2 frame has no ICRC"),
        (Format.LITE, "request", {"icrc": 1}, "LITE TYPE1 frame has no ICRC"),
        (Format.GEN1, "request", {"addresses": None}, "needs an address block"),
        (Format.GEN2, "request", {"payload": b"12345"}, "payload of 5 bytes does not fill the 6"),
        (Format.GEN2, "request", {"addresses": Addresses(1, 2, 3, spare=bytes(6))}, "payload rides there"),
        (Format.GEN2, "ack", {"addresses": Addresses(1, 2, 3, spare=bytes(5))}, "5 spare address bytes"),
    ]
    for form, kind, changes, text in cases:
        frame = sample(form, kind)
        for name, value in changes.items():
            setattr(frame, name, value)
        with pytest.raises(UserError, match=text):
            build(frame, layout_of(form))


def test_unknown_value_of_a_knob() -> None:
    with pytest.raises(ValueError, match="BE32"):
        layout_of(Format.GEN1).with_knobs({"RH_ORDER": "BE32"})
