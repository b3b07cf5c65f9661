"""Declared misbehaviour of the link partner.

A ``Fault`` says which frames it hits and what happens to them. The engine looks at each frame once and
applies the first fault that matches; a frame without a matching fault passes unchanged. Rules are evaluated
in the order they were added, random ones draw from their own stream per frame. What a frame is and how its
fields are changed is the affair of a codec, :class:`RoceCodec` unless told otherwise.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ref_model.errors import UserError
from ref_model.wire import IPv4, IPv6, ParseError, build, parse, recompute


class Action(Enum):
    """What a fault does. NAK and RNR only make sense on frames from the DUT."""

    DROP = "drop"
    DUPLICATE = "duplicate"
    REORDER = "reorder"
    CORRUPT = "corrupt"
    DELAY = "delay"
    MARK_ECN = "mark_ecn"
    NAK = "nak"
    RNR = "rnr"
    HOLD = "hold"


class Direction(Enum):
    """Which way the frame travels."""

    TO_DUT = "to_dut"
    FROM_DUT = "from_dut"


@dataclass(slots=True, eq=False)
class Fault:
    """One rule.

    A frame matches when all given conditions hold: ``qp`` (queue pair number of the DUT), ``psn`` (24 bits),
    ``opcode`` (BTH), after ``skip`` earlier matches, at most ``count`` times, with ``probability``.
    ``repeats`` decides for resent packets: False lets a PSN that was hit before pass, so that a retry gets
    through.

    CORRUPT sets ``field`` (path like ``bth.pkey``, ``icrc``, ``payload``) to ``value`` and corrects all
    check sums, or flips one random bit of the frame without correcting them when no field is given. NAK
    answers with syndrome ``value``, RNR with timer code ``value``. DELAY waits ``delay_ps``; REORDER lets
    the next frame of the same queue pair overtake (or goes on after ``delay_ps``); HOLD keeps frames until
    ``LinkPartner.release``.

    Raises UserError for a combination that means nothing.
    """

    action: Action
    direction: Direction = Direction.FROM_DUT
    qp: int | None = None
    psn: int | None = None
    opcode: int | None = None
    probability: float = 1.0
    count: int | None = None
    skip: int = 0
    repeats: bool = True
    field: str | None = None
    value: int | bytes | None = None
    delay_ps: int = 1_000_000
    hits: int = dataclasses.field(default=0, init=False)
    seen: int = dataclasses.field(default=0, init=False)
    hit_psns: list[tuple[int, int]] = dataclasses.field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        """Reject rules that cannot act."""
        if not 0.0 <= self.probability <= 1.0:
            raise UserError(f"fault {self.action.value}: probability {self.probability}; allowed is 0 to 1")
        if self.action in (Action.NAK, Action.RNR) and self.direction is Direction.TO_DUT:
            raise UserError(
                f"fault {self.action.value}: only frames from the DUT can be answered; use from_dut"
            )
        if self.action in (Action.NAK, Action.RNR) and not isinstance(self.value, int):
            raise UserError(f"fault {self.action.value}: value (syndrome or timer code) is missing")
        if self.action is Action.CORRUPT and (self.field is None) != (self.value is None):
            raise UserError("fault corrupt: field and value go together")

    def matches(self, psn: int, opcode: int, qp: int, rng: random.Random) -> bool:
        """Decide for one frame and count the hit."""
        if self.qp is not None and qp != self.qp:
            return False
        if self.psn is not None and psn != self.psn:
            return False
        if self.opcode is not None and opcode != self.opcode:
            return False
        if self.count is not None and self.hits >= self.count:
            return False
        if not self.repeats and (qp, psn) in self.hit_psns:
            return False
        self.seen += 1
        if self.seen <= self.skip:
            return False
        if self.probability < 1.0 and rng.random() >= self.probability:
            return False
        self.hits += 1
        if not self.repeats:
            self.hit_psns.append((qp, psn))
        return True


@dataclass(frozen=True, slots=True)
class Passed:
    """A frame to hand on, after a delay in picoseconds."""

    data: bytes
    delay_ps: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a frame: frames to hand on, and the NAK syndrome to answer with (or None)."""

    frames: tuple[Passed, ...]
    syndrome: int | None = None
    fault: Fault | None = None


class Codec(Protocol):
    """What the engine has to know of frames."""

    def facts(self, data: bytes) -> tuple[int, int] | None:
        """PSN and opcode of a frame; None for frames no fault applies to."""

    def marked(self, data: bytes) -> bytes:
        """The frame with a congestion mark."""

    def changed(self, data: bytes, path: str, value: int | bytes) -> bytes:
        """The frame with one field replaced and all check sums right; UserError if it has no such field."""


class RoceCodec:
    """RoCEv2 frames."""

    def facts(self, data: bytes) -> tuple[int, int] | None:
        """PSN and opcode of the BTH."""
        try:
            bth = parse(data).bth
        except ParseError:
            return None
        return None if bth is None else (bth.psn, bth.opcode)

    def marked(self, data: bytes) -> bytes:
        """ECN set to "congestion experienced" (both low bits of TOS or traffic class)."""
        changed = recompute(parse(data))
        if isinstance(changed.ip, IPv4):
            changed.ip.tos |= 3
        elif isinstance(changed.ip, IPv6):
            changed.ip.traffic_class |= 3
        return build(changed)

    def changed(self, data: bytes, path: str, value: int | bytes) -> bytes:
        """``path`` is ``header.field`` or a field of the frame itself (``icrc``, ``payload``, ``immdt``)."""
        frame = recompute(parse(data))
        replace_field(frame, path, value)
        return build(frame)


class FaultEngine:
    """Applies a list of faults to the frames of both directions."""

    def __init__(self, rng: random.Random, codec: Codec | None = None) -> None:
        """``rng`` decides probabilities and flipped bits; ``codec`` reads the frames (default: RoCEv2)."""
        self.rules: list[Fault] = []
        self._codec = codec or RoceCodec()
        self._rng = rng
        self._overtaken: dict[tuple[Direction, int], bytes] = {}
        self._held: list[tuple[Fault, Direction, int, bytes]] = []

    def add(self, *faults: Fault) -> None:
        """Append rules; earlier ones go first."""
        self.rules.extend(faults)

    @property
    def silent(self) -> bool:
        """Whether every frame passes as it is: no rule, no frame that waits to be overtaken."""
        return not self.rules and not self._overtaken

    def remove(self, fault: Fault) -> None:
        """Withdraw a rule (held frames stay held)."""
        self.rules.remove(fault)

    def release(self, fault: Fault | None = None) -> list[tuple[Direction, int, bytes]]:
        """Frames kept by ``fault`` (or by any HOLD), oldest first; the caller hands them on."""
        free = [entry for entry in self._held if fault is None or entry[0] is fault]
        self._held = [entry for entry in self._held if entry not in free]
        return [(direction, qp, data) for _, direction, qp, data in free]

    def overdue(self, direction: Direction, qp: int) -> bytes | None:
        """The frame waiting to be overtaken, taken out because nothing came to overtake it."""
        return self._overtaken.pop((direction, qp), None)

    def apply(self, direction: Direction, qp: int, data: bytes) -> Outcome:
        """Decide the fate of one whole frame of DUT queue pair ``qp``."""
        outcome = self._decide(direction, qp, data)
        if outcome.frames and (outcome.fault is None or outcome.fault.action is not Action.REORDER):
            late = self._overtaken.pop((direction, qp), None)
            if late is not None:
                return Outcome((*outcome.frames, Passed(late)), outcome.syndrome, outcome.fault)
        return outcome

    def _decide(self, direction: Direction, qp: int, data: bytes) -> Outcome:
        rules = [rule for rule in self.rules if rule.direction is direction]
        if not rules:
            return Outcome((Passed(data),))
        facts = self._codec.facts(data)
        if facts is None:
            return Outcome((Passed(data),))
        fault = next((rule for rule in rules if rule.matches(*facts, qp, self._rng)), None)
        if fault is None:
            return Outcome((Passed(data),))
        action = fault.action
        if action is Action.DROP:
            return Outcome((), None, fault)
        if action is Action.NAK:
            assert isinstance(fault.value, int)
            return Outcome((), fault.value, fault)
        if action is Action.RNR:
            assert isinstance(fault.value, int)
            return Outcome((), 0x20 | fault.value & 0x1F, fault)
        if action is Action.HOLD:
            self._held.append((fault, direction, qp, data))
            return Outcome((), None, fault)
        if action is Action.DUPLICATE:
            return Outcome((Passed(data), Passed(data, fault.delay_ps)), None, fault)
        if action is Action.DELAY:
            return Outcome((Passed(data, fault.delay_ps),), None, fault)
        if action is Action.MARK_ECN:
            return Outcome((Passed(self._codec.marked(data)),), None, fault)
        if action is Action.CORRUPT:
            return Outcome((Passed(self._corrupt(fault, data)),), None, fault)
        return self._reorder(fault, direction, qp, data)

    def _reorder(self, fault: Fault, direction: Direction, qp: int, data: bytes) -> Outcome:
        key = (direction, qp)
        earlier = self._overtaken.pop(key, None)
        if earlier is not None:
            return Outcome((Passed(data), Passed(earlier)), None, fault)
        self._overtaken[key] = data
        return Outcome((), None, fault)

    def _corrupt(self, fault: Fault, data: bytes) -> bytes:
        if fault.field is None:
            bit = self._rng.randrange(len(data) * 8)
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            return bytes(changed)
        assert fault.value is not None
        return self._codec.changed(data, fault.field, fault.value)


def replace_field(frame: object, path: str, value: int | bytes) -> None:
    """Set ``header.field``, or a field of the frame itself; raises UserError for a path it does not have."""
    *headers, name = path.split(".")
    target: object = frame
    for header in headers:
        target = getattr(target, header, None)
    if target is None or not hasattr(target, name):
        raise UserError(f"fault corrupt: the frame has no field {path!r}")
    setattr(target, name, value)
