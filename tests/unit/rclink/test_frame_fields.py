"""Every field of a sent frame is judged: a wrong one is told by the rule it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ref_model.events import Event, FrameOut
from ref_model.rclink import ports
from ref_model.wire.rclink import Format, Frame, build, parse, recompute
from tests.unit.rclink.trace import (
    change_bytes,
    change_frame,
    golden,
    is_ack,
    is_cnp,
    is_request,
    is_type2,
    judge,
    layout_of,
    without_frames,
)

Edit = Callable[[Frame], None]


def edit(what: Callable[[Frame], object]) -> Callable[[Frame], Frame]:
    """Apply ``what`` to a copy of the frame whose lengths and checksums are computed anew."""

    def change(frame: Frame) -> Frame:
        copy = recompute(frame)
        what(copy)
        return copy

    return change


def put(path: str, step: Callable[[int], int]) -> Callable[[Frame], Frame]:
    """Change the integer at ``path`` (``layer.field``)."""
    layer, _, name = path.rpartition(".")

    def what(frame: Frame) -> None:
        owner = getattr(frame, layer) if layer else frame
        setattr(owner, name, step(getattr(owner, name)))

    return edit(what)


def flip(path: str, mask: int = 1) -> Callable[[Frame], Frame]:
    """Invert bits of the integer at ``path``."""
    return put(path, lambda value: value ^ mask)


def payload(change: Callable[[bytes], bytes]) -> Callable[[Frame], Frame]:
    return edit(lambda frame: setattr(frame, "payload", change(frame.payload)))


def raw(path: str, value: Callable[[Frame], object]) -> Callable[[Frame], Frame]:
    """Set a computed field to a wrong value and leave all others."""
    layer, _, name = path.rpartition(".")

    def change(frame: Frame) -> Frame:
        copy = replace(frame)
        owner = replace(getattr(copy, layer)) if layer else copy
        if layer:
            setattr(copy, layer, owner)
        setattr(owner, name, value(frame))
        return copy

    return change


S, G1, G2, LITE = Format.STANDARD, Format.GEN1, Format.GEN2, Format.LITE
FIELDS = [
    (S, True, is_request, flip("vlan.tci", 0x001), "RCL-002"),
    (S, True, is_request, flip("vlan.tci", 0x2000), "RCL-003"),
    (S, True, is_request, flip("vlan.tpid", 0x100), "RCL-002"),
    (S, False, is_request, flip("addresses.dst"), "RCL-008"),
    (S, False, is_ack, flip("addresses.src", 1 << 41), "RCL-008"),
    (S, False, is_type2, flip("addresses.dst"), "RCL-009"),
    (S, False, is_request, flip("ip.src"), "RCL-130"),
    (S, False, is_type2, flip("ip.dst"), "RCL-130"),
    (S, False, is_request, flip("ip.tos", 4), "RCL-011"),
    (S, False, is_type2, flip("ip.tos", 4), "RCL-011"),
    (S, False, is_request, flip("ip.ttl"), "RCL-010"),
    (S, False, is_request, flip("ip.frag", 0x4000), "RCL-010"),
    (S, False, is_request, flip("ip.ident"), "RCL-010"),
    (S, False, is_request, raw("ip.checksum", lambda frame: frame.ip.checksum ^ 1), "RCL-010"),  # type: ignore[union-attr, operator]
    (S, False, is_request, flip("udp.src"), "RCL-013"),
    (S, False, is_type2, flip("udp.src"), "RCL-013"),
    (S, False, is_request, put("udp.checksum", lambda _: 0xFFFF), "RCL-014/tx"),
    (S, False, is_request, flip("rh.dest_qp", 0x1000), "RCL-131"),
    (S, False, is_ack, flip("rh.pkey"), "RCL-131"),
    (S, False, is_request, flip("rh.rsv"), "RCL-015"),
    (S, False, is_request, put("rh.psn", lambda psn: psn + 3), "RCL-037"),
    (S, False, is_request, raw("rh.pad", lambda frame: 3), "RCL-017/count"),
    (S, False, is_cnp, flip("rh.psn"), "RCL-015"),
    (S, False, is_cnp, flip("addresses.dst"), "RCL-008"),
    (S, False, is_request, flip("rh.fack"), "RCL-020"),
    (S, False, is_ack, flip("rh.fack"), "RCL-020"),
    (S, False, is_request, put("rh.ts_en", lambda _: False), "RCL-018"),
    (S, False, is_request, put("rh.timestamp", lambda ticks: (ticks - 2000) & 0xFFFF), "RCL-018"),
    (S, False, is_request, put("rh.timestamp", lambda ticks: (ticks + 2000) & 0xFFFF), "RCL-018"),
    (S, False, is_request, raw("icrc", lambda frame: frame.icrc ^ 1), "RCL-021/value"),  # type: ignore[operator]
    (S, False, is_request, payload(lambda data: data[:9] + b"\xff\x00" + data[11:]), "RCL-023"),
    (G1, False, is_request, flip("addresses.tc", 4), "RCL-005"),
    (G1, False, is_request, flip("addresses.src", 1 << 39), "RCL-005"),
    (G1, False, is_request, flip("rh.code"), "RCL-016"),
    (G1, False, is_ack, flip("ethertype", 0x88B5 ^ 0x88B6), "RCL-132"),
    (G2, False, is_request, flip("addresses.key_words"), "RCL-006"),
    (G2, False, is_type2, flip("addresses.key_words"), "RCL-006"),
    (G2, False, is_request, flip("addresses.tc", 4), "RCL-133"),
    (G2, False, is_request, payload(lambda data: data[::-1]), "RCL-007"),
    (G2, False, is_request, payload(lambda data: data[:6] + data[:-6]), "RCL-007"),
    (G2, False, is_request, payload(lambda data: data[:6] + b"\xff" + data[7:]), "RCL-023"),
    (G2, True, is_ack, flip("vlan.tci", 0x2000), "RCL-003"),
    (LITE, False, is_request, flip("addresses.tc", 2), "RCL-133"),
    (LITE, False, is_request, payload(lambda data: data[:6] + bytes(8) + data[6:]), "RCL-004"),
    (LITE, False, is_request, payload(lambda data: data + bytes(4)), "RCL-004"),
    (LITE, False, is_request, payload(lambda data: data[:-1] + b"\xff"), "RCL-023"),
    (LITE, False, is_type2, flip("addresses.dst"), "RCL-009"),
    (S, False, is_type2, payload(lambda data: bytes(8) + data), "RCL-015"),
    (G1, False, is_type2, payload(lambda data: bytes(8) + data), "RCL-015"),
    (G2, False, is_type2, payload(lambda data: data[:6] + bytes(8) + data[6:]), "RCL-015"),
    (G1, False, is_type2, payload(lambda data: data + bytes(8)), "RCL-023"),
]


@pytest.mark.parametrize(("form", "vlan", "wanted", "change", "rule"), FIELDS)
def test_wrong_field(
    form: Format,
    vlan: bool,
    wanted: Callable[[Frame], bool],
    change: Callable[[Frame], Frame],
    rule: str,
) -> None:
    log = golden(form, vlan)
    if rule == "RCL-016":
        found = judge(change_frame(log, lambda f: wanted(f) and (f.rh.code or 0) > 0, _shorter, 1))  # type: ignore[union-attr]
    else:
        found = judge(change_frame(log, wanted, change))
    assert found and found[0].rule == rule, found[:2]


def _shorter(frame: Frame) -> Frame:
    """Pkt_len of a short request is 0, as if it were a long one."""
    copy = recompute(frame)
    assert copy.rh is not None
    copy.rh.code = 0
    return copy


@pytest.mark.parametrize(
    ("word", "rule"),
    [(0, "RCL-022"), (1, "RCL-022"), (2, "RCL-022"), (3, "RCL-022"), (4, "RCL-002"), (5, "RCL-022")],
)
def test_wrong_word_beside_a_frame(word: int, rule: str) -> None:
    def damaged() -> list[Event]:
        events = list(golden())
        for number, event in enumerate(events):
            if isinstance(event, FrameOut) and event.port == ports.MAC_TX:
                user = list(event.user)
                user[word] ^= 1
                events[number] = replace(event, user=tuple(user))
                break
        return events

    found = judge(damaged())
    assert found and found[0].rule == rule, found[:2]


def cut(data: bytes) -> bytes:
    """Without the ICRC, and the lengths as they were."""
    return data[:-4]


def without_icrc(form: Format) -> Callable[[bytes], bytes]:
    """No ICRC, and all lengths right."""

    def change(data: bytes) -> bytes:
        layout = layout_of(golden(form)).ctx.device.layout
        assert layout is not None
        return build(recompute(parse(data, layout)), replace(layout, icrc=False))

    return change


def other_type(data: bytes) -> bytes:
    return data[:12] + b"\x88\x99" + data[14:]


ENDS = {"RCL-021/present", "RCL-021/value", "RCL-023", "RCL-017/count"}
RAW = [
    (S, is_request, other_type, {"RCL-001"}),
    (G1, is_request, other_type, {"RCL-132"}),
    (G2, is_type2, other_type, {"RCL-132"}),
    (G1, is_request, cut, ENDS),
    (S, is_cnp, without_icrc(S), {"RCL-021/present"}),
    *((form, is_ack, without_icrc(form), {"RCL-021/present"}) for form in (S, G1, G2)),
    (G1, is_request, lambda data: data + b"\0", ENDS),
    (S, is_type2, lambda data: data[:17] + bytes([data[17] ^ 1]) + data[18:], {"RCL-012", "RCL-010"}),
    (S, is_type2, lambda data: data[:39] + bytes([data[39] ^ 1]) + data[40:], {"RCL-012"}),
    (LITE, is_request, lambda data: data[:12] + b"\x88\xb5" + data[12:], {"RCL-004"}),
]


@pytest.mark.parametrize(("form", "wanted", "change", "rules"), RAW)
def test_wrong_bytes(
    form: Format, wanted: Callable[[Frame], bool], change: Callable[[bytes], bytes], rules: set[str]
) -> None:
    found = judge(change_bytes(golden(form), wanted, change))
    assert found and found[0].rule in rules, found[:2]


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("vlan", [False, True])
def test_nothing_wrong(form: Format, vlan: bool) -> None:
    assert judge(golden(form, vlan)) == []


def test_missing_cnp() -> None:
    found = judge(without_frames(golden(), is_cnp))
    assert found and found[0].rule == "RCL-099", found[:2]


def test_missing_acks() -> None:
    found = judge(without_frames(golden(), is_ack))
    assert found and found[0].rule in ("RCL-094", "RCL-097"), found[:2]


def test_pad_bytes_are_recorded_only() -> None:
    """No value of the pad bytes is wrong; that there were some is noted."""

    def change(frame: Frame) -> Frame:
        assert frame.pad_bytes
        return replace(recompute(frame), pad_bytes=b"\xa5" * len(frame.pad_bytes))

    log = golden()
    assert judge(change_frame(log, lambda frame: is_request(frame) and bool(frame.pad_bytes), change)) == []
    assert layout_of(log).rules.observed["RCL-017/value"]
