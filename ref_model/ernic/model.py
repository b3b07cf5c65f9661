"""The ERNIC observer: takes what the pins showed, in merged order, and has it judged.

``observe`` is fed with events ordered by their begin (register reads by their end, since the value
depends on everything that began before it). Nothing here looks inside the DUT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import OUTPUT, Context
from ref_model.ernic.frames_in import FramesIn
from ref_model.ernic.frames_out import FramesOut
from ref_model.ernic.handshake import CQ_OUT, RQ_OUT
from ref_model.ernic.interrupts import FATAL
from ref_model.ernic.management_traffic import ManagementTraffic
from ref_model.ernic.memory_areas import MemoryAreas
from ref_model.ernic.memory_reads import MemoryReads
from ref_model.ernic.memory_writes import MemoryWrites
from ref_model.ernic.overrides import Overrides
from ref_model.ernic.pass_through import PassThrough
from ref_model.ernic.pause import Class, FlowControl
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.register_accesses import RegisterAccesses
from ref_model.ernic.released import MemoryErrors
from ref_model.ernic.shared import Shared
from ref_model.events import (
    Event,
    FrameIn,
    FrameOut,
    HostWrite,
    Irq,
    MemRead,
    MemWrite,
    PauseIn,
    PauseOut,
    ProtocolViolation,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.registers import layout
from ref_model.rules import Rules, Scope, specification


class ErnicModel:
    """Judges one ERNIC; ``knobs`` are the parameters of spec/ernic/parameters.json.

    This class is the life of a run: it hands each event to the judge of its kind.
    """

    def __init__(
        self,
        knobs: Mapping[str, Any],
        period_ps: int = 4000,
        settle_clks: int = 16,
        pipe_out_clks: int = 64,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        """``period_ps``: clock period; ``settle_clks``, ``pipe_out_clks``: windows of the binding.

        ``reading``: what open parameters are taken to mean, while checks of them stay open.
        """
        spec = specification("ernic")
        own = spec.knobs(knobs)
        self.rules = Rules(spec, own)
        ctx = Context.build(self.rules, {**own, **(reading or {})}, period_ps, settle_clks, pipe_out_clks)
        self.ctx = ctx
        self.knobs = ctx.knobs
        self.liveness = ctx.timing.liveness
        self._stream = Scope("frames")
        memory = Scope("memory")
        values = RegisterValues(layout("ernic"))
        self._shared = shared = Shared(ctx, values)
        self._qps = qps = QueuePairs(shared, self._stream)
        self._flow = flow = FlowControl(ctx, values, self._loaded)
        self._passing = PassThrough(ctx, flow, self._stream)
        overrides, areas = Overrides(shared, qps), MemoryAreas(shared, qps)
        self._memory_errors = MemoryErrors(ctx, qps.by_number)
        self._management = ManagementTraffic(shared, qps)
        self._registers = RegisterAccesses(shared, qps, overrides, flow)
        frames_in = FramesIn(shared, qps, overrides, flow, self._passing)
        frames_out = FramesOut(shared, qps, self._management, flow, self._passing, self._stream)
        writes = MemoryWrites(shared, qps, areas, self._memory_errors, memory)
        reads = MemoryReads(shared, qps, self._management, areas, self._memory_errors, memory)
        self._immediates = 0
        self.in_reset = True
        self._handlers: dict[type, Callable[[Any], None]] = {
            RegWrite: self._registers.write,
            RegRead: self._registers.read,
            FrameIn: frames_in.frame,
            FrameOut: frames_out.frame,
            MemWrite: writes.write,
            MemRead: reads.read,
            HostWrite: lambda event: ctx.store(event.addr, event.data),
            Irq: self._irq,
            Reset: self._reset,
            SideBand: self._side_band,
            PauseIn: flow.requested,
            PauseOut: lambda event: flow.shown(event, self.in_reset),
            ProtocolViolation: self._violation,
        }

    # -- interface --------------------------------------------------------------------------------

    def observe(self, event: Event) -> None:
        """Judge one event."""
        now = event.settled if isinstance(event, RegRead) else event.begin
        ctx = self.ctx
        if now > ctx.now:
            ctx.deadlines.advance(now)
            ctx.now = now
        self.rules.now = now
        if ctx.quiet and not isinstance(event, RegRead):
            ctx.quiet = False
        if ctx.unjudged and not isinstance(event, Reset | HostWrite):
            self.rules.observe(ctx.unjudged)
            return
        self._handlers[type(event)](event)
        if self._flow.foreign:
            self._flow.watch()

    def advance(self, now: int) -> None:
        """No event can come any more before ``now``: obligations due until then are decided."""
        if now > self.ctx.now:
            self.ctx.deadlines.advance(now)
            self.ctx.now = self.rules.now = now

    def busy(self) -> str:
        """Return why the DUT still owes something, or an empty string."""
        if self.ctx.deadlines.open:
            return f"{self.ctx.deadlines.open} obligations open"
        if self.ctx.payloads.open:
            return f"{self.ctx.payloads.open} payload writes open"
        return self._passing.busy()

    def quiet(self, now: int) -> None:
        """The bench found the DUT quiet: everything that happened has taken effect."""
        self.advance(now)
        if self.ctx.unjudged:
            return
        self._shared.counters.quiet()
        self._shared.interrupts.quiet()
        self._management.quiet()
        self._flow.quiet()
        self.ctx.quiet = True

    def subjects(self) -> list[int]:
        """Numbers of the queue pairs the run has set up."""
        return sorted(self._qps.by_number)

    def finish(self) -> None:
        """End of test: open obligations and left-overs become findings."""
        self.ctx.deadlines.finish()
        if self.ctx.unjudged:
            return
        for qp in self._qps.all():
            left = qp.cq.finished()
            if left:
                rule, knob = qp.cq.owed_by("ERN-073")
                self.rules.fail(
                    rule, "no completion left", f"{left} CQEs missing", "end of test", qp.scope, knob
                )
        owed = self.ctx.immediates_owed
        if self._immediates < owed and not self.ctx.immediates_free:
            seen = f"{self._immediates} of {owed}"
            self.rules.fail("ERN-150", "an entry per message", seen, "end of test", self._stream)
        self._passing.finish()

    def _loaded(self, kind: Class) -> bool:
        """Return whether the DUT owes a frame of this class."""
        return bool(self._passing.host) if kind is Class.OTHER else self._qps.owe_frames()

    # -- events of several judges -------------------------------------------------------------------

    def _irq(self, event: Irq) -> None:
        interrupts = self._shared.interrupts
        if self.in_reset and event.level:
            self.rules.fail("ERN-220", 0, 1, "rnic_intr stays low in reset", interrupts.scope)
            return
        if event.level and interrupts.enable >> FATAL & 1 and interrupts.only(FATAL):
            self._qps.fatal_shown()
        interrupts.edge(event.level)

    def _side_band(self, event: SideBand) -> None:
        if event.port == "ieth_immdt":
            self._immediate(event)
        elif event.port in (CQ_OUT, RQ_OUT):
            self._qps.handshake.observe(event)
        else:
            self._registers.side_band_write(event)

    def _immediate(self, event: SideBand) -> None:
        self._immediates += 1
        if self.ctx.immediates_free:
            self.rules.observe("ERN-150")
            return
        why = "one entry per message with immediate or key"
        self.rules.in_range("ERN-150", 1, self.ctx.immediates_owed, self._immediates, why, self._stream)

    def _violation(self, event: ProtocolViolation) -> None:
        rule = self._memory_errors.rule_of(event.where, event.rule)
        self.rules.fail(rule, "the bus protocol", event.text, event.where, Scope(event.where))

    def _reset(self, event: Reset) -> None:
        """A reset starts a new life: obligations are void, permissions dropped, memory stays."""
        if event.domain:  # only a reset of all domains makes the state of the DUT known again
            self.ctx.stop_judging("ERN-222")
            self._passing.reset()
            return
        self.in_reset = event.asserted
        if event.asserted and self.ctx.spoken:
            self._registers.restarted = True
            self.rules.tempt("ERN-221", OUTPUT)
        elif not event.asserted:
            self.rules.met("ERN-220", "outputs stay low in reset")
        self.ctx.unjudged = ""
        self.ctx.reset()
        self._shared.reset()
        self._qps.reset()
        self._registers.reset()
        self._memory_errors.clear()
        self._flow.reset()
        self._passing.reset()
        self._immediates = 0
