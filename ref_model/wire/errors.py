"""The one exception of the parser."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ref_model.wire.malformed import MalformedFrame

if TYPE_CHECKING:
    from ref_model.wire.frame import Frame


class Reason(str, Enum):
    """Why a frame cannot be parsed; compares equal to its text."""

    TRUNCATED = "header truncated"
    IP_VERSION = "IP version does not match the EtherType"
    IHL = "IPv4 header length below 5 words"
    IP_LENGTH = "IP length beyond the frame or below its headers"
    UDP_LENGTH = "UDP length inconsistent with the IP length"
    ROCE_LENGTH = "shorter than transport headers, pad and ICRC"


class ParseError(MalformedFrame):
    """A frame malformed at `layer` (eth, vlan, ip, udp, bth, reth ..., pad, icrc), `offset` bytes in.

    `partial` holds what could be read: layers before the fault, and behind it as far as bytes and lengths
    allow (so that a judge can name QP and opcode); bytes not understood are its payload.
    """

    reason: Reason
    partial: Frame
