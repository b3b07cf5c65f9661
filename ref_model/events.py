"""What the pins of a DUT showed, as time-stamped facts.

All times are integer picoseconds. ``begin`` is the earliest moment an event can have had an effect,
``settled`` the latest; the pair is what lets the model tell "before" from "overlapping"
(docs/JUDGING.md, section "Moments and order").
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RegWrite:
    """AXI4-Lite write: begin = later of the AW and W handshakes, settled = first edge with BVALID.

    ``data`` and ``strb`` have the width of the target's bus (32 bits and 4 strobes, or 64 and 8). ``port``:
    name of the port where a target has several.
    """

    begin: int
    settled: int
    addr: int
    data: int
    strb: int = 0xF
    resp: int = 0
    port: str = ""


@dataclass(frozen=True, slots=True)
class RegRead:
    """AXI4-Lite read: begin = AR handshake, settled = first edge with RVALID; ``port`` as in RegWrite."""

    begin: int
    settled: int
    addr: int
    data: int
    resp: int = 0
    port: str = ""


@dataclass(frozen=True, slots=True)
class FrameIn:
    """Whole frame into the DUT, first beat to last beat; ``good`` is tuser on the last beat.

    ``user``: words beside the frame, in the order the target's list of ports gives them.
    """

    begin: int
    settled: int
    port: str
    data: bytes
    good: bool = True
    user: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameOut:
    """Whole frame out of the DUT, first VALID to last handshake; ``user`` as in :class:`FrameIn`."""

    begin: int
    settled: int
    port: str
    data: bytes
    user: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MemWrite:
    """One AXI write burst of the DUT: first AWVALID or WVALID to the B handshake.

    ``addr`` is the address of ``data[0]``; ``mask[i]`` is 1 where byte i was strobed. ``issued``: first
    AWVALID, 0 where it is not told (then ``begin`` counts).
    """

    begin: int
    settled: int
    port: str
    addr: int
    data: bytes
    mask: bytes
    resp: int = 0
    issued: int = 0


@dataclass(frozen=True, slots=True)
class MemRead:
    """One AXI read burst of the DUT: first ARVALID to the last R handshake."""

    begin: int
    settled: int
    port: str
    addr: int
    data: bytes
    resp: int = 0


@dataclass(frozen=True, slots=True)
class HostWrite:
    """The bench wrote host memory (no bus cycle of the DUT)."""

    begin: int
    addr: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Irq:
    """New level of the interrupt line."""

    begin: int
    level: int


@dataclass(frozen=True, slots=True)
class SideBand:
    """One beat of a narrow port, or the new value of a level (immediate stream, doorbells, pulses).

    ``values`` are its words in the order the target's list of ports gives them. Without READY, begin and
    settled are the same edge.
    """

    begin: int
    settled: int
    port: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PauseIn:
    """New value of the pause request vector into the DUT (bit n: priority n, bit 8: whole link)."""

    begin: int
    value: int


@dataclass(frozen=True, slots=True)
class PauseOut:
    """New value of a pause output of the DUT: ``port`` is the request vector or the refresh line."""

    begin: int
    port: str
    value: int


@dataclass(frozen=True, slots=True)
class Reset:
    """Edge of the reset of all domains, or of the one whose pin is ``domain``."""

    begin: int
    asserted: bool
    domain: str = ""


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """A per-cycle protocol checker saw a broken bus rule; ``rule`` is the requirement id."""

    begin: int
    rule: str
    where: str
    text: str


Event = (
    RegWrite
    | RegRead
    | FrameIn
    | FrameOut
    | MemWrite
    | MemRead
    | HostWrite
    | Irq
    | SideBand
    | PauseIn
    | PauseOut
    | Reset
    | ProtocolViolation
)
