"""RCLINK frames in words: field lists for logs and reports, differences for findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields

from ref_model.wire import ipv4
from ref_model.wire.rclink.afh import COMPACT
from ref_model.wire.rclink.builder import build
from ref_model.wire.rclink.errors import ParseError
from ref_model.wire.rclink.frame import Frame, name_of
from ref_model.wire.rclink.layout import FrameLayout
from ref_model.wire.rclink.parser import parse
from ref_model.wire.rclink.rh import Opcode, syndrome_text
from ref_model.wire.words import bytes_text, differences, hex_text

_LAYERS = ("addresses", "vlan", "ethertype", "ip", "udp", "rh")
_BYTES = ("addresses.spare", "payload", "pad_bytes", "trailer")

_FORMATS: dict[str, Callable[[int], str]] = {
    "addresses.tc": hex_text(2),
    "addresses.key_words": hex_text(2),
    "vlan.tpid": hex_text(4),
    "vlan.tci": hex_text(4),
    "ethertype": hex_text(4),
    "ip.src": ipv4.address_text,
    "ip.dst": ipv4.address_text,
    "ip.tos": hex_text(2),
    "ip.ident": hex_text(4),
    "ip.frag": hex_text(4),
    "ip.checksum": hex_text(4),
    "udp.checksum": hex_text(4),
    "rh.dest_qp": hex_text(4),
    "rh.psn": hex_text(3),
    "rh.pkey": hex_text(2),
    "rh.timestamp": hex_text(4),
    "icrc": hex_text(8),
}
"""Fields that read better in hex; all others are decimal."""


def _items(frame: Frame) -> Iterator[tuple[str, object]]:
    """Every field that is there, in wire order, raw."""
    yield "kind", frame.kind.value
    for layer in _LAYERS:
        header = getattr(frame, layer)
        if isinstance(header, int):
            yield layer, header
        elif header is not None:
            for field in fields(header):
                value = getattr(header, field.name)
                if layer != "addresses" or value is not None:
                    yield f"{layer}.{field.name}", value
    for name in ("payload", "pad_bytes", "icrc", "trailer"):
        value = getattr(frame, name)
        if value is not None and value != b"":
            yield name, value


def _text(name: str, value: object, frame: Frame) -> str:
    if value is None:
        return "computed"
    if isinstance(value, bytes):
        return bytes_text(value) if name in _BYTES else value.hex() or "none"
    if isinstance(value, bool) or not isinstance(value, int):
        return str(int(value)) if isinstance(value, bool) else str(value)
    if name in ("addresses.dst", "addresses.src"):
        return ":".join(f"{byte:02x}" for byte in value.to_bytes(2 if frame.format in COMPACT else 6, "big"))
    rh = frame.rh
    if rh is not None and name == "rh.opcode":
        return f"{value} {'ACK' if value == Opcode.ACK else name_of(rh)}"
    if rh is not None and name == "rh.code" and rh.opcode == Opcode.ACK:
        return f"0x{value:02x} {syndrome_text(value)}"
    return _FORMATS[name](value) if name in _FORMATS else str(value)


def describe(frame: Frame) -> list[tuple[str, str]]:
    """Fields in wire order as (``layer.field``, text); byte strings by length and first bytes.

    The names are the attribute paths of `Frame`; ``rh.code`` is Pkt_len or the syndrome.
    """
    lines = [(name, _text(name, value, frame)) for name, value in _items(frame)]
    for name in ("icrc_ok", "ip_checksum_ok"):
        verdict = getattr(frame, name)
        if verdict is not None:
            lines.append((name, "yes" if verdict else "no"))
    return lines


def _completed(frame: Frame, layout: FrameLayout) -> Frame:
    """The frame with everything filled in that build computes."""
    try:
        return parse(build(frame, layout), layout)
    except ParseError as error:
        return error.partial


def diff(
    expected: Frame, observed: Frame, layout: FrameLayout, mask: frozenset[str] = frozenset()
) -> list[tuple[str, str, str]]:
    """Fields in which two frames differ as (``layer.field``, expected, observed); "absent": one lacks it.

    `mask` names fields (``rh.timestamp``) or whole layers (``ip``) to leave out. What `expected` leaves to
    build is computed before the comparison; a free field that the ICRC covers, such as ``rh.timestamp``,
    therefore calls for masking ``icrc`` and looking at ``observed.icrc_ok`` instead.
    """
    expected = _completed(expected, layout)
    return differences(
        dict(_items(expected)),
        dict(_items(observed)),
        mask,
        _BYTES,
        lambda name, value: _text(name, value, expected),
        lambda name, value: _text(name, value, observed),
    )
