"""Frames in words: field lists for logs and reports, differences for findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields

from ref_model.wire import ipv4, ipv6
from ref_model.wire.builder import build
from ref_model.wire.errors import ParseError
from ref_model.wire.ethernet import mac_text
from ref_model.wire.extended import syndrome_text
from ref_model.wire.frame import Frame
from ref_model.wire.opcodes import name_of
from ref_model.wire.parser import parse
from ref_model.wire.words import bytes_text, differences, hex_text

_LAYERS = ("eth", "ip", "udp", "bth", "deth", "reth", "atomic", "aeth", "atomic_ack", "pause")
_WORDS = ("immdt", "ieth", "icrc")
_BYTES = ("cnp_reserved", "payload", "pad_bytes", "trailer")

# Fields that read better in hex or in words; all others are decimal.
_FORMATS: dict[str, Callable[[int], str]] = {
    "eth.dst": mac_text,
    "eth.src": mac_text,
    "eth.ethertype": hex_text(4),
    "ip.tos": hex_text(2),
    "ip.ident": hex_text(4),
    "ip.frag": hex_text(4),
    "ip.checksum": hex_text(4),
    "ip.traffic_class": hex_text(2),
    "ip.flow_label": hex_text(5),
    "udp.checksum": hex_text(4),
    "bth.opcode": lambda value: f"0x{value:02x} {name_of(value)}",
    "bth.pkey": hex_text(4),
    "bth.dest_qp": hex_text(6),
    "bth.psn": hex_text(6),
    "bth.resv6": hex_text(2),
    "bth.resv7": hex_text(2),
    "deth.qkey": hex_text(8),
    "deth.src_qp": hex_text(6),
    "deth.resv": hex_text(2),
    "reth.va": hex_text(16),
    "reth.rkey": hex_text(8),
    "atomic.va": hex_text(16),
    "atomic.rkey": hex_text(8),
    "atomic.swap": hex_text(16),
    "atomic.compare": hex_text(16),
    "atomic_ack.original": hex_text(16),
    "aeth.syndrome": lambda value: f"0x{value:02x} {syndrome_text(value)}",
    "aeth.msn": hex_text(6),
    "pause.enable": hex_text(4),
}


def _value_text(name: str, value: object, frame: Frame) -> str:
    if isinstance(value, bytes):
        return value.hex() or "none"
    if isinstance(value, tuple):
        return " ".join(str(item) for item in value)
    if value is None:
        return "computed"
    if name in ("ip.src", "ip.dst") and isinstance(value, int):
        return ipv4.address_text(value) if isinstance(frame.ip, ipv4.IPv4) else ipv6.address_text(value)
    if isinstance(value, int) and name in _FORMATS:
        return _FORMATS[name](value)
    return str(int(value)) if isinstance(value, bool) else str(value)


def _items(frame: Frame) -> Iterator[tuple[str, object]]:
    """Every field that is there, in wire order, raw."""
    for layer in _LAYERS:
        header = getattr(frame, layer)
        if header is not None:
            for field in fields(header):
                yield f"{layer}.{field.name}", getattr(header, field.name)
        if layer == "eth":
            for number, tag in enumerate(frame.vlans):
                yield f"vlan{number}.tpid", tag.tpid
                yield f"vlan{number}.tci", tag.tci
    for name in _BYTES[:1] + _WORDS[:2] + _BYTES[1:3] + _WORDS[2:] + _BYTES[3:]:
        value = getattr(frame, name)
        if value is not None and value != b"":
            yield name, value


def _text(name: str, value: object, frame: Frame) -> str:
    if name.startswith("vlan") and isinstance(value, int):
        return f"0x{value:04x}"
    if name in _WORDS and isinstance(value, int):
        return f"0x{value:08x}"
    if name in _BYTES and isinstance(value, bytes):
        return bytes_text(value)
    return _value_text(name, value, frame)


def describe(frame: Frame) -> list[tuple[str, str]]:
    """Fields in wire order as (``layer.field``, text); byte strings by length and first bytes.

    The names are the attribute paths of `Frame` ("ip" for either version), tags are vlan0, vlan1, ...
    """
    lines = [(name, _text(name, value, frame)) for name, value in _items(frame)]
    for name in ("icrc_ok", "ip_checksum_ok", "udp_checksum_ok"):
        verdict = getattr(frame, name)
        if verdict is not None:
            lines.append((name, "yes" if verdict else "no"))
    return lines


def _completed(frame: Frame) -> Frame:
    """The frame with everything filled in that build computes."""
    try:
        return parse(build(frame))
    except ParseError as error:
        return error.partial


def diff(expected: Frame, observed: Frame, mask: frozenset[str] = frozenset()) -> list[tuple[str, str, str]]:
    """Fields in which two frames differ as (``layer.field``, expected, observed); "absent": one lacks it.

    `mask` names fields (``ip.ident``) or whole layers (``ip``) to leave out. What `expected` leaves to build
    (lengths, checksums, pad, ICRC) is computed before the comparison; a free field that the ICRC covers, such
    as ``ip.ident``, therefore calls for masking ``icrc`` and looking at ``observed.icrc_ok`` instead.
    Byte strings are shown from the first differing byte on.
    """
    expected = _completed(expected)
    return differences(
        dict(_items(expected)),
        dict(_items(observed)),
        mask,
        _BYTES,
        lambda name, value: _text(name, value, expected),
        lambda name, value: _text(name, value, observed),
    )
