"""Widths of the header fields, and the error text when a value does not fit."""

from __future__ import annotations

from typing import NoReturn

from ref_model.errors import UserError
from ref_model.wire.frame import Frame
from ref_model.wire.ipv4 import IPv4

IPV4 = {
    "src": 32,
    "dst": 32,
    "tos": 8,
    "ttl": 8,
    "ident": 16,
    "frag": 16,
    "protocol": 8,
    "total_length": 16,
    "checksum": 16,
    "ihl": 4,
    "version": 4,
}
_IPV6 = {
    "src": 128,
    "dst": 128,
    "traffic_class": 8,
    "flow_label": 20,
    "hop_limit": 8,
    "next_header": 8,
    "payload_length": 16,
    "version": 4,
}
UDP = {"src": 16, "dst": 16, "length": 16, "checksum": 16}
_LAYERS = {
    "eth": {"dst": 48, "src": 48, "ethertype": 16},
    "udp": UDP,
    "bth": {
        "opcode": 8,
        "dest_qp": 24,
        "psn": 24,
        "pkey": 16,
        "ack_req": 1,
        "se": 1,
        "mig": 1,
        "pad": 2,
        "tver": 4,
        "fecn": 1,
        "becn": 1,
        "resv6": 6,
        "resv7": 7,
    },
    "reth": {"va": 64, "rkey": 32, "length": 32},
    "aeth": {"syndrome": 8, "msn": 24},
    "atomic": {"va": 64, "rkey": 32, "swap": 64, "compare": 64},
    "atomic_ack": {"original": 64},
    "deth": {"qkey": 32, "src_qp": 24, "resv": 8},
    "pause": {"quanta": 16, "enable": 16},
}
_WORDS = ("immdt", "ieth", "icrc")


def check(where: str, value: object, bits: int) -> None:
    """Raise UserError if `value` is an integer that does not fit `bits` bits."""
    if isinstance(value, int) and not 0 <= value < 1 << bits:
        allowed = f"allowed 0..{(1 << bits) - 1:#x}"
        raise UserError(f"frame field {where} = {value:#x} does not fit {bits} bits ({allowed})")


def explain(frame: Frame) -> NoReturn:
    """Raise UserError: the first field that does not fit its width, or else the length that does not."""
    for number, tag in enumerate(frame.vlans):
        check(f"vlan{number}.tci", tag.tci, 16)
        check(f"vlan{number}.tpid", tag.tpid, 16)
    layers = {**_LAYERS, "ip": IPV4 if isinstance(frame.ip, IPv4) else _IPV6}
    for layer, widths in layers.items():
        header = getattr(frame, layer)
        for name, bits in widths.items():
            value = getattr(header, name, None)
            for item in value if isinstance(value, tuple) else (value,):
                check(f"{layer}.{name}", item, bits)
    for name in _WORDS:
        check(name, getattr(frame, name), 32)
    raise UserError(f"frame too long: payload of {len(frame.payload)} bytes does not fit a 16-bit IP length")
