"""Pause in both directions, per class of frames (requirements ERN-203 to ERN-206 and ERN-249).

A class is stopped, free or open (nobody can tell). What the pins show of pause requests changes the state at
once where it permits, and SETTLE later where it forbids.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from ref_model.deadlines import Must
from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import Context
from ref_model.events import PauseIn, PauseOut
from ref_model.rules import OPEN_VALUES, Scope

#: Request lines: priorities 0 to 7, and 8 for the whole link. Priority codes above have no line.
LINES = 9

#: Reset value of the XOFF level. A buffer of at least that size is what the reset values presuppose.
RESET_XOFF = 0x96

#: XON level that the remaining space can never exceed, whatever its unit (64 bytes or more).
ALWAYS = 0xFFFF

#: Clocks per beat that a transmit MAC may need at the outside, to tell a frame that was stopped midway.
SLOWEST_BEAT = 16
BEAT = 64


class Class(Enum):
    """The two kinds of frames that pause separately, and the names of their registers."""

    ROCE = "RoCE"
    OTHER = "non-RoCE"


@dataclass(frozen=True, slots=True)
class PauseConfig:
    """XRNIC_PAUSE_CONF and both thresholds, for one class."""

    enabled: bool
    priority: int
    any_priority: bool
    xon: int
    xoff: int

    def line(self) -> int:
        """Request vector of the class: one bit, or 0 for a priority without a line."""
        return 1 << self.priority if self.priority < LINES else 0


@dataclass(slots=True)
class _Class:
    """What is known of one class."""

    path: tuple[str, str]
    stop: str = ""  # rule that stops it now, or ""
    stop_begin: int = 0
    forbidden_from: int = 0  # no frame may start after this (ps) while it is stopped
    started: int = 0  # frames that started all the same
    foreign_from: int | None = None  # since when requests that do not concern it must have no effect
    duty: Must | None = None  # frames go on under foreign requests
    last_frame: tuple[int, int, int] | None = None  # begin, end, beats
    last_in: int = -(1 << 62)  # end of the last inbound frame
    last_in_beats: int = 0
    over: int = (
        0  # beats that came in since the DUT's request stands, the frame under way at its rise included
    )
    last_moved: int = -(1 << 62)  # end of the last frame that left its buffer
    leaving: deque[tuple[int, int, int]] = field(default_factory=lambda: deque(maxlen=64))
    raised: int | None = None  # begin of the request the DUT keeps up
    rise: Must | None = None  # the level is certain, a request is owed
    confs: list[tuple[int, PauseConfig]] = field(default_factory=list)  # older ones with their last moment


class FlowControl:
    """Judges which class may send, and what the DUT asks the peer to stop."""

    def __init__(self, ctx: Context, values: RegisterValues, loaded: Callable[[Class], bool]) -> None:
        """``loaded(kind)``: the DUT owes a frame of that class now."""
        self._ctx = ctx
        self._values = values
        self._loaded = loaded
        self.scope = Scope("pause")
        self._asked = 0
        #: Whether non-RoCE frames are on their way to the host (set by the pass-through judge).
        self.waiting: Callable[[], bool] = lambda: False
        self.reset()

    def reset(self) -> None:
        """As after a reset of the DUT; the bench may keep its requests up."""
        self.scope.tainted = False
        self._shown = 0
        self._classes = {kind: _Class(("pause", kind.value)) for kind in Class}
        self.foreign = False
        if self._asked:
            self._decide(self._ctx.now, self._ctx.now)

    def config(self, kind: Class) -> PauseConfig:
        """Return the settings of ``kind`` as programmed now."""
        conf = self._values.get("GLOBAL", "XRNIC_PAUSE_CONF")
        roce = kind is Class.ROCE
        name = "XRNIC_BUF_THRESHOLD_ROCE" if roce else "XRNIC_BUF_THRESHOLD_NON_ROCE"
        levels = self._values.get("GLOBAL", name)
        return PauseConfig(
            enabled=bool(conf & (1 if roce else 2)),
            priority=conf >> (4 if roce else 8) & 0xF,
            any_priority=bool(conf >> 13 & 1),
            xon=levels & 0xFFFF,
            xoff=levels >> 16,
        )

    # -- requests of the peer -----------------------------------------------------------------------

    def requested(self, event: PauseIn) -> None:
        """The request vector into the DUT changed."""
        self._asked = event.value
        self._decide(event.begin, event.begin)

    def configured(self, before: dict[Class, PauseConfig], begin: int, settled: int) -> None:
        """A pause register was written; ``before``: the settings until then (``config``)."""
        for kind, state in self._classes.items():
            if before[kind] != self.config(kind):
                recent = [entry for entry in state.confs if entry[0] >= begin]
                state.confs = [*recent, (settled + self._ctx.timing.settle, before[kind])]
                self._ctx.deadlines.void(state.rise)
        self._decide(begin, settled)

    def _decide(self, begin: int, settled: int) -> None:
        """Find the state of each class anew; the cause took effect between ``begin`` and ``settled``."""
        for kind, state in self._classes.items():
            conf = self.config(kind)
            stop, undecided = "", False
            if conf.enabled and self._asked & conf.line():
                stop = "ERN-203"
            elif conf.enabled and conf.any_priority and self._asked:
                undecided = self._ctx.knobs["M_RULES"] in OPEN_VALUES
                stop = "" if undecided else "ERN-205"
            self._set_stop(kind, state, stop, begin, settled)
            foreign = bool(self._asked) and not stop and not undecided
            self._ctx.hold(("open", kind), begin, undecided)
            self._set_foreign(kind, state, foreign, begin, settled)
        self.foreign = any(state.foreign_from is not None for state in self._classes.values())

    def _set_stop(self, kind: Class, state: _Class, stop: str, begin: int, settled: int) -> None:
        if stop == state.stop:
            return
        ctx = self._ctx
        if state.stop:
            self._released(kind, state, begin)
        state.stop = stop
        ctx.hold(kind, begin, bool(stop))
        if stop:
            state.stop_begin, state.started = begin, 0
            state.forbidden_from = settled + ctx.timing.settle

    def _released(self, kind: Class, state: _Class, now: int) -> None:
        """The stop of a class ends: it was kept if frames waited, and the frame under way ended in time."""
        if now > state.forbidden_from and self._loaded(kind):
            self._ctx.rules.tempt(state.stop, state.path)
        last, timing = state.last_frame, self._ctx.timing
        if last is None or not last[0] < state.stop_begin < last[1]:
            return
        patience = last[2] * SLOWEST_BEAT * timing.period + timing.reaction
        cut = now <= last[1] <= now + timing.reaction and now - state.stop_begin > patience
        why = "a frame under way when the pause began ends"
        self._ctx.rules.eq(state.stop, False, cut, why, self.scope, knob=self._knob(state.stop))

    def _knob(self, rule: str) -> str | None:
        return "M_RULES" if rule == "ERN-205" else None

    def _set_foreign(self, kind: Class, state: _Class, foreign: bool, begin: int, settled: int) -> None:
        ctx = self._ctx
        if foreign == (state.foreign_from is not None):
            return
        (ctx.excused.begin if foreign else ctx.excused.end)(("foreign", kind), begin)
        ctx.deadlines.void(state.duty)
        state.duty = None
        state.foreign_from = settled + ctx.timing.settle if foreign else None

    def watch(self) -> None:
        """Something happened while foreign requests are up: who has frames to send must send them."""
        for kind, state in self._classes.items():
            if state.foreign_from is None:
                continue
            loaded = self._loaded(kind)
            if loaded and (state.duty is None or not state.duty.open):
                expected = f"{kind.value} frames go on"
                why = f"request {self._asked:#b} does not stop this class"
                state.duty = self._ctx.deadlines.must(
                    "ERN-204", expected, why, self.scope, self._ctx.liveness(), excusable=False
                )
            elif not loaded:
                self._ctx.deadlines.void(state.duty)

    # -- frames -------------------------------------------------------------------------------------

    def sent(self, kind: Class, begin: int, settled: int, size: int) -> None:
        """A frame of ``kind`` left the MAC output."""
        state, rules = self._classes[kind], self._ctx.rules
        state.last_frame = (begin, settled, -(-size // BEAT))
        if kind is Class.ROCE:
            state.last_moved = settled
        if state.stop and begin > state.forbidden_from:
            state.started += 1
            slack = int(self._ctx.knobs["PAUSE_SLACK"])
            why = f"{kind.value} frames started since the request stands"
            knob = self._knob(state.stop)
            rules.in_range(state.stop, 0, slack, state.started, why, self.scope, knob=knob, sure=False)
        elif not state.stop:
            if not self.scope.tainted:
                rules.alive(state.path)
            if state.foreign_from is not None and begin > state.foreign_from:
                if state.duty is not None and state.duty.open:
                    self._ctx.deadlines.meet(state.duty)
                else:
                    rules.met("ERN-204", "frames go on under requests for others", self.scope)

    def arrived(self, kind: Class, settled: int, size: int) -> bool:
        """A frame of ``kind`` and ``size`` bytes came in whole at ``settled``.

        Returns False if it may be lost whole: the DUT has asked for a pause, and more came since than the
        space it had left then.
        """
        state, beats = self._classes[kind], -(-size // BEAT)
        state.last_in, state.last_in_beats = settled, beats
        conf = self.config(kind)
        self._expect_rise(state, conf)
        if state.raised is None:
            return True
        state.over += beats
        return state.over <= conf.xon

    def _expect_rise(self, state: _Class, conf: PauseConfig) -> None:
        certain = conf.enabled and conf.xon == ALWAYS and conf.line() and not self._shown & conf.line()
        if certain and (state.rise is None or not state.rise.open):
            rule = "ERN-249" if conf.any_priority else "ERN-206"
            expected = f"pause request {conf.line():#b}"
            why = "the remaining space is below the XON level for certain"
            state.rise = self._ctx.deadlines.must(rule, expected, why, self.scope, self._ctx.liveness())

    def passed_on(self, begin: int, settled: int, size: int) -> None:
        """A non-RoCE frame has left towards the host over [begin, settled]."""
        state = self._classes[Class.OTHER]
        state.last_moved = settled
        state.leaving.append((begin, settled, -(-size // BEAT)))

    # -- requests of the DUT ------------------------------------------------------------------------

    def lossless(self, kind: Class) -> bool:
        """Return whether the DUT must have asked for a pause before it lost a frame of ``kind`` now."""
        state, conf = self._classes[kind], self.config(kind)
        certain = all(until < self._ctx.now for until, _ in state.confs)
        return bool(certain and conf.enabled and conf.line() and not self._shown & conf.line())

    def lost(self, kind: Class) -> None:
        """A frame for which ``lossless`` held was lost: the buffer was full, and nothing was requested."""
        rule = "ERN-249" if self.config(kind).any_priority else "ERN-206"
        why = f"a {kind.value} frame was lost for want of room"
        self._ctx.rules.fail(rule, "a pause request first", "none", why, self.scope)

    def shown(self, event: PauseOut, in_reset: bool) -> None:
        """A pause output changed."""
        if event.port != "ctl_tx_pause_req":
            self._ctx.rules.observe("ERN-206")
            return
        before, self._shown = self._shown, event.value
        for line in range(LINES):
            bit = 1 << line
            if event.value & bit and not before & bit:
                self._rise(bit, event.begin, in_reset)
            elif before & bit and not event.value & bit:
                self._fall(bit, event.begin)

    def _settings(self, kind: Class, begin: int) -> list[PauseConfig]:
        """Return all settings that may be in force for an output that began at ``begin``."""
        old = [conf for until, conf in self._classes[kind].confs if begin <= until]
        return [self.config(kind), *old]

    def _rise(self, bit: int, begin: int, in_reset: bool) -> None:
        rules = self._ctx.rules
        causes = [
            (kind, conf)
            for kind in Class
            for conf in self._settings(kind, begin)
            if conf.enabled and conf.line() == bit
        ]
        any_priority = self.config(Class.ROCE).any_priority
        rule = "ERN-249" if any_priority else "ERN-206"
        if in_reset or not causes:
            expected = {self.config(kind).line() for kind in Class if self.config(kind).enabled} or "none"
            why = "only enabled classes ask, by their own priority"
            rules.fail(rule, expected, bit, why, self.scope)
            return
        full = [kind for kind, conf in causes if conf.xon >= RESET_XOFF or self._occupied(kind, begin)]
        if not full:
            why = "nothing is buffered, so more than the XON level remains"
            rules.fail(rule, "no pause request", bit, why, self.scope)
            return
        for kind in full:
            state = self._classes[kind]
            state.raised = begin
            state.over = state.last_in_beats if state.last_in + self._ctx.timing.settle >= begin else 0
            self._ctx.deadlines.meet(state.rise)
        rules.met(rule, "the request is that of a class with frames in its buffer", self.scope)

    def _occupied(self, kind: Class, begin: int) -> bool:
        """Return whether frames of ``kind`` may be in the DUT at ``begin``."""
        state, ctx = self._classes[kind], self._ctx
        if max(state.last_in, state.last_moved) + ctx.timing.reaction >= begin:
            return True
        return bool(ctx.payloads.open) or self._loaded(kind) if kind is Class.ROCE else self.waiting()

    def _fall(self, bit: int, begin: int) -> None:
        rules = self._ctx.rules
        for kind, state in self._classes.items():
            raised, conf = state.raised, self.config(kind)
            if raised is None or all(entry.line() != bit for entry in self._settings(kind, begin)):
                continue
            state.raised = None
            if len(self._settings(kind, begin)) > 1:  # new settings may end a request
                continue
            rule = "ERN-249" if conf.any_priority else "ERN-206"
            if conf.enabled and conf.xoff == ALWAYS:
                why = "the remaining space never reaches this XOFF level"
                rules.fail(rule, "the request stays", 0, why, self.scope)
            elif kind is Class.OTHER and conf.enabled and conf.xon < conf.xoff:
                moved = any(
                    raised <= end <= begin or (first < begin < end and beats > 1)
                    for first, end, beats in state.leaving
                )
                why = "room appears only when frames have left: one rise and one fall per filling"
                rules.eq(rule, True, moved, why, self.scope)
            else:
                rules.met(rule, "the request ends", self.scope)

    def quiet(self) -> None:
        """Everything has left the DUT: a request that still stands has no reason."""
        for kind in Class:
            conf = self.config(kind)
            bit = conf.line()
            others = [self.config(other) for other in Class if other is not kind]
            shared = any(other.enabled and other.line() == bit for other in others)
            if not bit or not self._shown & bit or shared:
                continue
            if conf.enabled and conf.xoff > RESET_XOFF:
                self._ctx.rules.observe("ERN-206")
                continue
            rule = "ERN-249" if conf.any_priority else "ERN-206"
            why = "at quiet the whole buffer is free, which is above the XOFF level"
            self._ctx.rules.fail(rule, 0, bit, why, self.scope)
