"""The HERMON_CQ observer: takes what the pins showed, in merged order, and judges it.

``observe`` is fed with events ordered by their begin (register reads by their end, since the value depends on
everything that began before it). Nothing here looks inside the DUT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ref_model.events import (
    Event,
    HostWrite,
    MemRead,
    MemWrite,
    ProtocolViolation,
    RegRead,
    RegWrite,
    Reset,
    SideBand,
)
from ref_model.hermon_cq import ports
from ref_model.hermon_cq.clocks import Ticks
from ref_model.hermon_cq.command_watch import CommandWatch
from ref_model.hermon_cq.commands import Commands
from ref_model.hermon_cq.config import Choices, Config
from ref_model.hermon_cq.cq import Life
from ref_model.hermon_cq.cqes import Cqes
from ref_model.hermon_cq.doorbells import Doorbells
from ref_model.hermon_cq.event_queues import EventQueues
from ref_model.hermon_cq.reads import RECORD, Reads
from ref_model.hermon_cq.register_access import RegisterAccess
from ref_model.hermon_cq.registers import RegisterFile
from ref_model.hermon_cq.report_queue import ReportQueue
from ref_model.hermon_cq.shared import Context
from ref_model.hermon_cq.writes import Writes
from ref_model.rules import Rules, specification
from ref_model.timing import Timing

#: Host writes up to this size are looked up record by record.
_SMALL = 256


class HermonModel:
    """Judges one CQ engine; ``knobs`` are the parameters of spec/hermon_cq/parameters.json."""

    def __init__(
        self, knobs: Mapping[str, Any], period_ps: int = 4000, settle_clks: int = 16, pipe_out_clks: int = 64
    ) -> None:
        """``period_ps``: clock period; ``settle_clks``, ``pipe_out_clks``: windows of the binding."""
        spec = specification("hermon_cq")
        self.knobs = values = spec.knobs(knobs)
        config = Config.of(values, period_ps)
        liveness = int(values["LIVENESS_CLKS"]) * period_ps
        timing = Timing(period_ps, settle_clks * period_ps, pipe_out_clks * period_ps, liveness, config.event)
        ticks = Ticks(int(values["CLK_PER_US"]) * period_ps)
        rules = Rules(spec, values)
        self.ctx = ctx = Context(rules, timing, values)
        ctx.config, ctx.choices, ctx.ticks = config, Choices(spec, values), ticks
        self.rules = rules
        self.liveness = liveness
        self.values = RegisterFile(config, values)
        self.reports = ReportQueue(ctx)
        self.queues = EventQueues(ctx, self.reports)
        self.doorbells = Doorbells(ctx, self.queues)
        watch = CommandWatch(ctx, self.reports)
        self.commands = Commands(ctx, self.values, self.queues, watch, self.doorbells.adopt)
        self.registers = RegisterAccess(ctx, self.values, self.commands, watch, self.reports, self.queues)
        cqes = Cqes(ctx, self.reports, self.queues.owe_error)
        self._writes = Writes(ctx, self.reports, cqes, self.queues, watch)
        self._reads = Reads(ctx, self.reports, watch)
        self.in_reset = True
        self._handlers: dict[type, Callable[[Any], None]] = {
            RegWrite: self._reg_write,
            RegRead: self._reg_read,
            HostWrite: self._host_write,
            MemWrite: self._writes.write,
            MemRead: self._reads.read,
            SideBand: self._side_band,
            Reset: self._reset,
            ProtocolViolation: self._violation,
        }
        self._streams: dict[str, Callable[[SideBand], None]] = {
            ports.CPL: self.reports.offer,
            ports.STS: self._status,
            ports.IRQ: lambda event: self.queues.interrupts.changed(event, self.queues.queues),
            ports.TICK: self._tick,
        }

    # -- interface --------------------------------------------------------------------------------

    def observe(self, event: Event) -> None:
        """Judge one event."""
        ctx = self.ctx
        ctx.advance(max(event.settled if isinstance(event, RegRead) else event.begin, ctx.now))
        if ctx.quiet and not isinstance(event, RegRead):
            ctx.quiet = False
        self._handlers[type(event)](event)

    def advance(self, now: int) -> None:
        """No event can come any more before ``now``: obligations due until then are decided."""
        if now > self.ctx.now:
            self.ctx.advance(now)

    def busy(self) -> str:
        """Return why the DUT still owes something, or an empty string."""
        if self.commands.busy:
            return "a command runs"
        if len(self.reports):
            return f"{len(self.reports)} reports without a result"
        return f"{self.ctx.deadlines.open} obligations open" if self.ctx.deadlines.open else ""

    def quiet(self, now: int) -> None:
        """The bench found the DUT quiet: everything that happened has taken effect."""
        self.advance(now)
        self.doorbells.quiet()
        self.queues.quiet()
        self.ctx.quiet = True

    def subjects(self) -> list[int]:
        """Numbers of the CQs that hardware owns."""
        return sorted(number for number, cq in self.ctx.cqs.items() if cq.life is Life.LIVE)

    def finish(self) -> None:
        """End of test: open obligations become findings."""
        self.ctx.deadlines.finish()

    # -- events -----------------------------------------------------------------------------------

    def _reg_write(self, event: RegWrite) -> None:
        (self.doorbells if event.port == ports.UAR else self.registers).write(event)

    def _reg_read(self, event: RegRead) -> None:
        (self.doorbells if event.port == ports.UAR else self.registers).read(event)

    def _host_write(self, event: HostWrite) -> None:
        ctx, stop = self.ctx, event.addr + len(event.data)
        touched = [
            cq
            for cq in (
                map(ctx.records.get, range(event.addr & -RECORD, stop, RECORD))
                if len(event.data) <= _SMALL
                else ctx.records.values()
            )
            if cq is not None and cq.record < stop and event.addr < cq.record + RECORD
        ]
        ctx.memory.write(event.addr, event.data)
        for cq in touched:
            self.commands.published(event.begin, cq)
            if stop > cq.record + 4:
                self.doorbells.record_written(cq)

    def _side_band(self, event: SideBand) -> None:
        self._streams[event.port](event)

    def _status(self, event: SideBand) -> None:
        self.reports.status(event)
        for number in sorted(self.ctx.blocked):
            self.queues.owe_error(self.ctx.cqs[number])

    def _tick(self, event: SideBand) -> None:
        if int(self.knobs["CLK_PER_US"]):
            return  # the build makes its own microseconds
        self.ctx.ticks.change(event.begin, event.values[0])
        for cq in self.ctx.cqs.values():
            if cq.arm.counted.waiting_tick is not None:
                cq.weigh("time")

    def _violation(self, event: ProtocolViolation) -> None:
        self.rules.fail(event.rule, "the protocol of the port", event.text, event.where)

    def _reset(self, event: Reset) -> None:
        self.in_reset = event.asserted
        if not event.asserted:
            self.rules.tempt("HCQ-110/outputs", "sts")
            return
        self.ctx.reset()
        for part in (self.values, self.reports, self.queues, self.doorbells, self.commands, self.registers):
            part.reset()
