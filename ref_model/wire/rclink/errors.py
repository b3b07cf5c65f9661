"""The one exception of the RCLINK parser."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ref_model.wire.malformed import MalformedFrame

if TYPE_CHECKING:
    from ref_model.wire.rclink.frame import Frame


class Reason(str, Enum):
    """Why a TYPE1 or TYPE2 frame cannot be parsed; compares equal to its text."""

    TRUNCATED = "header truncated"
    IP_LENGTH = "IP length beyond the frame or below its headers"
    UDP_LENGTH = "UDP length inconsistent with the IP length"
    PKT_LEN = "Pkt_len below the RH or beyond the frame"
    PAD = "pad count exceeds the payload"
    ICRC = "no room for the ICRC"


class ParseError(MalformedFrame):
    """A frame malformed at `layer` (ip, udp, rh, pad, icrc), `offset` bytes in.

    `partial` holds what could be read: all headers before the fault, and the bytes behind them as payload.
    """

    reason: Reason
    partial: Frame
