"""Byte-exact frames of RCLINK-Stream: Standard, AFH_GEN1, AFH_GEN2_16b and AFH_Lite, VLAN or not.

`parse` turns bytes into a `Frame` (or raises `ParseError`), `build` turns a `Frame` into bytes, `classify`
says what a receiver takes a frame for; all of them by a `FrameLayout`, which holds the enabled format and
every reading of the source that is disputed. Offsets and sizes are bytes, integers big-endian on the wire
unless RH_ORDER says otherwise.
"""

from ref_model.wire.rclink.afh import Addresses, lite_qpid, lite_source
from ref_model.wire.rclink.builder import build
from ref_model.wire.rclink.classify import Class, Kind, Leaf, classify
from ref_model.wire.rclink.errors import ParseError, Reason
from ref_model.wire.rclink.frame import Frame, congestion_marked, recompute
from ref_model.wire.rclink.layout import Format, FrameLayout, IcrcMode, LiteSource, RhOrder
from ref_model.wire.rclink.parser import parse, shared_parser
from ref_model.wire.rclink.rh import ACK_SYNDROME, NAK_PSN_SEQUENCE, Opcode, Rh
from ref_model.wire.rclink.text import describe, diff

__all__ = [
    "ACK_SYNDROME",
    "NAK_PSN_SEQUENCE",
    "Addresses",
    "Class",
    "Format",
    "Frame",
    "FrameLayout",
    "IcrcMode",
    "Kind",
    "Leaf",
    "LiteSource",
    "Opcode",
    "ParseError",
    "Reason",
    "Rh",
    "RhOrder",
    "build",
    "classify",
    "congestion_marked",
    "describe",
    "diff",
    "lite_qpid",
    "lite_source",
    "parse",
    "recompute",
    "shared_parser",
]
