"""Scapy layers for the RoCEv2 headers that scapy's own ``contrib.roce`` lacks, to craft and `show()` frames.

Importing this module makes scapy dissect RETH, AtomicETH, AtomicAckETH, ImmDt, IETH and DETH by opcode, the
AETH of READ responses and atomic acknowledges, the SEND-with-invalidate opcodes, and pause and PFC frames
(scapy's ``contrib.mac_control``: `MACControlPause`, `MACControlClassBasedFlowControl`).

Two traps. A dissected packet keeps its lengths, checksums and ICRC when it is edited: pass it through
`fresh`. Scapy does not count pad bytes: append a payload with `with_payload`.

Scapy is licensed GPL-2.0-only and an optional extra (``pip install rdma-dv[test]``); nothing but this module,
its RCLINK neighbour, the codec benchmark and the tests imports it, and neither model nor testbench needs it.
"""

from __future__ import annotations

from typing import Any

from scapy.contrib.mac_control import MACControlClassBasedFlowControl, MACControlPause
from scapy.contrib.roce import AETH, BTH, CNPPadding
from scapy.fields import XBitField, XByteField, XIntField, XLongField
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Packet, Raw, bind_layers

from ref_model.wire.opcodes import INFO

__all__ = [
    "AETH",
    "BTH",
    "DETH",
    "IETH",
    "RETH",
    "AtomicAckETH",
    "AtomicETH",
    "CNPPadding",
    "ImmDt",
    "MACControlClassBasedFlowControl",
    "MACControlPause",
    "fresh",
    "with_payload",
]


def _next_layer(self: Packet, payload: bytes) -> type[Packet]:
    """Layer behind an extension header: what follows depends on the opcode, two or more layers below."""
    below: Packet | None = self
    while below is not None and not isinstance(below, BTH):
        below = below.underlayer
    if below is None:
        return Raw
    layers = _PLAN.get(below.opcode, [])
    position = layers.index(type(self)) + 1 if type(self) in layers else len(layers)
    return layers[position] if position < len(layers) else Raw


class _Extension(Packet):
    guess_payload_class = _next_layer


class RETH(_Extension):
    """RDMA extended transport header."""

    name = "RETH"
    fields_desc = [XLongField("va", 0), XIntField("rkey", 0), XIntField("length", 0)]


class AtomicETH(_Extension):
    """Atomic extended transport header."""

    name = "AtomicETH"
    fields_desc = [XLongField("va", 0), XIntField("rkey", 0), XLongField("swap", 0), XLongField("compare", 0)]


class AtomicAckETH(_Extension):
    """Atomic acknowledge extended transport header."""

    name = "AtomicAckETH"
    fields_desc = [XLongField("original", 0)]


class ImmDt(_Extension):
    """Immediate data."""

    name = "ImmDt"
    fields_desc = [XIntField("immdt", 0)]


class IETH(_Extension):
    """Invalidate extended transport header."""

    name = "IETH"
    fields_desc = [XIntField("rkey", 0)]


class DETH(_Extension):
    """Datagram extended transport header."""

    name = "DETH"
    fields_desc = [XIntField("qkey", 0), XByteField("reserved", 0), XBitField("sqp", 0, 24)]


# Wire order, by the attribute names of OpInfo.
_LAYERS: dict[str, type[Packet]] = {
    "deth": DETH,
    "reth": RETH,
    "atomic": AtomicETH,
    "aeth": AETH,
    "atomic_ack": AtomicAckETH,
    "immdt": ImmDt,
    "ieth": IETH,
}
_PLAN: dict[int, list[type[Packet]]] = {
    opcode: [layer for name, layer in _LAYERS.items() if getattr(info, name)] for opcode, info in INFO.items()
}


def _install() -> None:
    for opcode, layers in _PLAN.items():
        if layers:
            # ACKNOWLEDGE is bound by scapy already, to the same class: doing it twice changes nothing.
            bind_layers(BTH, layers[0], opcode=opcode)
    # AETH is scapy's class: only so does what follows it depend on the opcode below.
    aeth: Any = AETH
    aeth.guess_payload_class = _next_layer
    names: Any = BTH.fields_desc[0]
    for opcode, info in INFO.items():
        if opcode not in names.i2s:
            names.i2s[opcode] = f"RC_{info.name}"
            names.s2i[f"RC_{info.name}"] = opcode


_install()


def with_payload(packet: Packet, payload: bytes) -> Packet:
    """`packet`, ending in its last header, with payload and pad bytes; sets the pad count of its BTH."""
    packet = packet.copy()
    pad = -len(payload) % 4
    packet[BTH].padcount = pad
    return packet / Raw(payload + bytes(pad)) if payload else packet


def fresh(packet: Packet) -> Packet:
    """Copy of an edited packet whose lengths, checksums and ICRC are computed anew when it is built.

    A UDP checksum of zero stays zero. The pad count is left as it is.
    """
    packet = packet.copy()
    for layer, names in ((IP, ("len", "chksum")), (IPv6, ("plen",)), (UDP, ("len",)), (BTH, ("icrc",))):
        if packet.haslayer(layer):
            for name in names:
                packet[layer].delfieldval(name)
    if packet.haslayer(UDP) and packet[UDP].chksum:
        packet[UDP].delfieldval("chksum")
    return packet
