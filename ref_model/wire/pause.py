"""MAC control frames: 802.3 pause (IEEE 802.3 annex 31B) and priority-based flow control (IEEE 802.1Qbb)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

OPCODE_PAUSE = 0x0001
OPCODE_PFC = 0x0101
MULTICAST = 0x0180C2000001
"""Destination address of both kinds."""

PAUSE = struct.Struct(">HH")
PFC = struct.Struct(">HH8H")
OPCODE = struct.Struct(">H")


@dataclass(slots=True)
class Pause:
    """Pause of the whole link for `quanta` (16 bits) times 512 bit times; 0 resumes."""

    quanta: int


@dataclass(slots=True)
class Pfc:
    """Pause by priority: `enable` is the 16-bit class vector (bit n = priority n), `quanta` eight timers."""

    enable: int
    quanta: tuple[int, int, int, int, int, int, int, int]


def pack(control: Pause | Pfc) -> bytes:
    """Opcode and parameters, without the zeros that fill the frame."""
    if isinstance(control, Pause):
        return PAUSE.pack(OPCODE_PAUSE, control.quanta)
    return PFC.pack(OPCODE_PFC, control.enable, *control.quanta)
