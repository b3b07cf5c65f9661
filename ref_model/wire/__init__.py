"""Byte-exact frames: Ethernet, VLAN, IPv4, IPv6, UDP, RoCEv2 transport headers, ICRC, pause frames.

`parse` turns bytes into a `Frame` (or raises `ParseError`), `build` turns a `Frame` into bytes; a parsed
frame builds back to the same bytes. Integers are most significant byte first on the wire, sizes are bytes.
"""

from ref_model.wire import opcodes
from ref_model.wire.bth import Bth
from ref_model.wire.builder import build
from ref_model.wire.errors import ParseError, Reason
from ref_model.wire.ethernet import Ethernet
from ref_model.wire.extended import Aeth, AtomicAckEth, AtomicEth, Deth, Reth
from ref_model.wire.frame import Frame, recompute
from ref_model.wire.ipv4 import IPv4
from ref_model.wire.ipv6 import IPv6
from ref_model.wire.opcodes import INFO, Opcode, OpInfo
from ref_model.wire.parser import icrc_of, parse, parse_shared, payload_of
from ref_model.wire.pause import Pause, Pfc
from ref_model.wire.text import describe, diff
from ref_model.wire.udp import Udp
from ref_model.wire.vlan import Vlan

__all__ = [
    "INFO",
    "Aeth",
    "AtomicAckEth",
    "AtomicEth",
    "Bth",
    "Deth",
    "Ethernet",
    "Frame",
    "IPv4",
    "IPv6",
    "OpInfo",
    "Opcode",
    "ParseError",
    "Pause",
    "Pfc",
    "Reason",
    "Reth",
    "Udp",
    "Vlan",
    "build",
    "describe",
    "diff",
    "icrc_of",
    "opcodes",
    "parse",
    "parse_shared",
    "payload_of",
    "recompute",
]
