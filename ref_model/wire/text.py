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

_LAYERS = ("eth", "ip", "udp", "bth", "deth", "reth", "atomic", "aeth", "atomic_ack", "pause")
_WORDS = ("immdt", "ieth", "icrc")
_BYTES = ("cnp_reserved", "payload", "pad_bytes", "trailer")
_SHOWN_BYTES = 16


def _hex(digits: int) -> Callable[[int], str]:
    return lambda value: f"0x{value:0{digits}x}"


# Fields that read better in hex or in words; all others are decimal.
_FORMATS: dict[str, Callable[[int], str]] = {
    "eth.dst": mac_text,
    "eth.src": mac_text,
    "eth.ethertype": _hex(4),
    "ip.tos": _hex(2),
    "ip.ident": _hex(4),
    "ip.frag": _hex(4),
    "ip.checksum": _hex(4),
    "ip.traffic_class": _hex(2),
    "ip.flow_label": _hex(5),
    "udp.checksum": _hex(4),
    "bth.opcode": lambda value: f"0x{value:02x} {name_of(value)}",
    "bth.pkey": _hex(4),
    "bth.dest_qp": _hex(6),
    "bth.psn": _hex(6),
    "bth.resv6": _hex(2),
    "bth.resv7": _hex(2),
    "deth.qkey": _hex(8),
    "deth.src_qp": _hex(6),
    "deth.resv": _hex(2),
    "reth.va": _hex(16),
    "reth.rkey": _hex(8),
    "atomic.va": _hex(16),
    "atomic.rkey": _hex(8),
    "atomic.swap": _hex(16),
    "atomic.compare": _hex(16),
    "atomic_ack.original": _hex(16),
    "aeth.syndrome": lambda value: f"0x{value:02x} {syndrome_text(value)}",
    "aeth.msn": _hex(6),
    "pause.enable": _hex(4),
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


def _bytes_text(value: bytes, start: int = 0) -> str:
    """Length and up to 16 bytes from `start` on."""
    if not value:
        return "0 bytes"
    piece = value[start : start + _SHOWN_BYTES]
    before = "..." if start else ""
    after = "..." if start + len(piece) < len(value) else ""
    return f"{len(value)} bytes: {before}{piece.hex()}{after}"


def _common_prefix(one: bytes, two: bytes) -> int:
    """Bytes up to the first difference."""
    shorter = min(len(one), len(two))
    return next((i for i in range(shorter) if one[i] != two[i]), shorter)


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
        return _bytes_text(value)
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
    left, right = dict(_items(expected)), dict(_items(observed))
    result: list[tuple[str, str, str]] = []
    for name in [*left, *(name for name in right if name not in left)]:
        one, two = left.get(name), right.get(name)
        if one == two or name in mask or name.split(".")[0] in mask:
            continue
        if name in _BYTES and isinstance(one, bytes) and isinstance(two, bytes):
            same = _common_prefix(one, two)
            at = f" from byte {same}" if same else ""
            result.append((f"{name}{at}", _bytes_text(one, same), _bytes_text(two, same)))
            continue
        result.append(
            (
                name,
                _text(name, one, expected) if name in left else "absent",
                _text(name, two, observed) if name in right else "absent",
            )
        )
    return result
