"""Accesses of s_axil_cmd: storage, build registers, status and counts (HCQ-122, HCQ-120)."""

from __future__ import annotations

from dataclasses import dataclass

from ref_model.events import RegRead, RegWrite
from ref_model.hermon_cq.command_watch import CommandWatch
from ref_model.hermon_cq.commands import Commands
from ref_model.hermon_cq.event_queues import EventQueues
from ref_model.hermon_cq.registers import EQ_LOCKED, EQ_VALID, HCR, RegisterFile
from ref_model.hermon_cq.report_queue import Item, ReportQueue
from ref_model.hermon_cq.shared import Context
from ref_model.registers import Location, Register

_GO = 1 << 23
_ALL = 0xF
_LIVE = ("EQ_PI", "EQ_CI", "EQ_ST")
_COUNTS = ("CNT_CPL", "CNT_CQE", "CNT_EQE", "CNT_REF")
_MASK = 0xFFFFFF


@dataclass(slots=True)
class Written:
    """The latest write of one register: what was there before, and what its reads show."""

    settled: int
    before: int
    rule: str


class RegisterAccess:
    """Judges reads, takes writes."""

    def __init__(
        self,
        ctx: Context,
        values: RegisterFile,
        commands: Commands,
        watch: CommandWatch,
        reports: ReportQueue,
        queues: EventQueues,
    ) -> None:
        self._ctx = ctx
        self._values = values
        self._commands = commands
        self._watch = watch
        self._reports = reports
        self._queues = queues
        self.reset()

    def reset(self) -> None:
        """Nothing was written yet."""
        self._written: dict[tuple[str, int], Written] = {}
        self._ignored: dict[str, tuple[int, int]] = {}  #: HCR writes during a command: end, data

    # -- writes -------------------------------------------------------------------------------------

    def write(self, event: RegWrite) -> None:
        """Take a write; its answer has to be OKAY."""
        place = self._values.locate(event.addr)
        busy = place is not None and self._commands.busy and place.register.name in HCR
        if busy and event.resp:
            self._ctx.rules.observe("HCQ-012/ignored")  # a write that is ignored may be answered so
        else:
            self._ctx.rules.eq("HCQ-122/okay", 0, event.resp, "answer on s_axil_cmd", self._ctx.registers)
        if place is None:
            return
        register, index = place.register, self._index(place)
        key = register.name, index
        before = self._values.word(*key)
        if event.strb & _ALL != _ALL:
            self._written[key] = Written(event.settled, before, "HCQ-122/strobes")
            return
        if busy:
            self._ignored[register.name] = event.settled, event.data
            return
        self._ignored.pop(register.name, None)
        rule = self._rule(register, index, event.data)
        word = self._values.write(register, index, event.data)
        self._written[key] = Written(event.settled, before, rule)
        self._act(register.name, index, event, word)

    @staticmethod
    def _index(place: Location) -> int:
        return place.index if place.block.name == "EQ" else 0

    def _rule(self, register: Register, index: int, data: int) -> str:
        """What a read back will show: plain access, or that a lock held."""
        name, word = register.name, self._values.word(register.name, index)
        if self._values.get("CFG", "init_done"):
            locked = sum(entry.mask for entry in register.fields if entry.locked)
            if (data ^ word) & locked:
                return "HCQ-122/lock"
        valid = self._values.word("EQ_CFG", index) & EQ_VALID
        if valid and (name in EQ_LOCKED or (name == "EQ_CFG" and (data ^ word) & ~EQ_VALID)):
            return "HCQ-122/lock"
        return "HCQ-122/access"

    def _act(self, name: str, index: int, event: RegWrite, word: int) -> None:
        if name == "HCR_CMD" and word & _GO:
            self._commands.start(event.begin)
        elif name == "EQ_CFG":
            values = self._values
            self._queues.set_up(
                index,
                bool(word & EQ_VALID),
                values.get("EQ_CFG", "log_size", index),
                values.eq_base(index),
                values.get("EQ_CFG", "arm_init", index),
                event.begin,
            )
        elif name == "ASYNC_EQ":
            enabled = self._values.get("ASYNC_EQ", "en")
            self._queues.async_eqn = self._values.get("ASYNC_EQ", "eqn") if enabled else None
            for cq in self._ctx.cqs.values():
                self._ctx.deadlines.void(cq.error_duty)
                cq.error_duty = None
                self._queues.owe_error(cq)

    # -- reads --------------------------------------------------------------------------------------

    def read(self, event: RegRead) -> None:
        """Judge a read."""
        ctx, rules = self._ctx, self._ctx.rules
        rules.eq("HCQ-122/okay", 0, event.resp, "answer on s_axil_cmd", ctx.registers)
        place = self._values.locate(event.addr)
        if place is None:
            rules.eq("HCQ-122/access", 0, event.data, f"unlisted offset {event.addr:#x}", ctx.registers)
            return
        register, index = place.register, self._index(place)
        name = register.name
        if name == "HCR_CMD":
            self._command(event)
        elif name == "STAT":
            self._stat(event)
        elif name in _COUNTS:
            self._count(name, event.data)
        elif name in _LIVE:
            self._live(name, index, event.data)
        elif name in self._values.build:
            value, mask = self._values.build[name]
            rules.eq("HCQ-122/reset", value, event.data & mask, f"{name} shows the build", ctx.registers)
        else:
            self._stored(register, index, event)

    def _command(self, event: RegRead) -> None:
        running = self._watch.running
        if running is not None and event.data & _GO:
            for settled, _ in self._ignored.values():
                if settled < event.begin:
                    self._ctx.rules.tempt("HCQ-012/ignored", "hcr")
        elif running is None and event.data & _GO:
            what, why = "go = 0", "no command was started"
            self._ctx.rules.fail("HCQ-122/access", what, "go = 1", why, self._ctx.registers)
        self._commands.polled(event)
        if running is not None and not event.data & _GO:
            mask = 0xFFFF
            word = self._values.word("HCR_CMD") & mask
            if "HCR_CMD" not in self._ignored:
                self._ctx.rules.alive("hcr")
                what = "opcode and opmod read back"
                self._ctx.rules.eq("HCQ-122/access", word, event.data & mask, what, self._ctx.registers)
            elif event.data & mask != word:
                why = "a write while go = 1"
                self._ctx.rules.fail("HCQ-012/ignored", word, event.data & mask, why, self._ctx.registers)
            else:
                self._ctx.rules.met("HCQ-012/ignored", "a write while go = 1", self._ctx.registers)

    def _stored(self, register: Register, index: int, event: RegRead) -> None:
        ctx, name = self._ctx, register.name
        if name in ("HCR_OUT_H", "HCR_OUT_L") and (name, index) in self._written and ctx.lives:
            return  # may hold the result of a command
        word, key = self._values.word(name, index), (name, index)
        written = self._written.get(key)
        allowed = {word & register.defined}
        rule = "HCQ-122/reset"
        if written is not None:
            rule = written.rule
            if written.settled >= event.begin:
                allowed.add(written.before & register.defined)
        if name in self._ignored:
            settled, data = self._ignored[name]
            rule = "HCQ-012/ignored"
            if settled >= event.begin:
                allowed.add(data & register.defined)
        why = f"{name}{f' of EQ {index}' if register.name.startswith('EQ_') else ''} reads back"
        ctx.rules.one_of(rule, allowed, event.data, why, ctx.registers)

    def _stat(self, event: RegRead) -> None:
        ctx, rules = self._ctx, self._ctx.rules
        idle = event.data & 1
        if ctx.quiet:
            held = self._queues.held()
            if held is not None:
                rules.eq("HCQ-120/idle", int(not held), idle, "STAT.idle at rest", ctx.registers)
                rules.eq(
                    "HCQ-120/idle", int(held), event.data >> 1 & 1, "STAT.evt_held at rest", ctx.registers
                )
            return
        oldest = self._reports.oldest()
        if not ctx.config.status_stream or oldest is None:
            return
        if idle and oldest.accepted + ctx.timing.settle < event.begin:
            stalled = ctx.slow.total(event.settled)
            # Its result may wait in the output stage.
            ctx.deadlines.call_at(
                event.settled + ctx.timing.pipe_out, lambda: self._not_idle(oldest, event.settled, stalled)
            )

    def _not_idle(self, item: Item, read: int, stalled: int) -> None:
        """``item`` had no result when STAT.idle = 1 was ``read``: by now it has one, unless held up."""
        ctx = self._ctx
        if self._reports.oldest() is item and ctx.slow.total(ctx.rules.now) == stalled:
            clocks = (ctx.rules.now - read) // ctx.timing.period
            why = f"a report has no result {clocks} clocks later"
            ctx.rules.fail("HCQ-120/idle", 0, 1, why, ctx.registers)

    def _count(self, name: str, seen: int) -> None:
        reports, ctx = self._reports, self._ctx
        if not ctx.quiet:
            return
        value = {
            "CNT_CPL": reports.accepted,
            "CNT_CQE": reports.written + reports.resizes,
            "CNT_EQE": self._queues.total,
            "CNT_REF": reports.refused,
        }[name]
        ctx.rules.eq("HCQ-120/reports", value & 0xFFFFFFFF, seen, f"{name} at rest", ctx.registers)

    def _live(self, name: str, index: int, seen: int) -> None:
        queue, ctx = self._queues.queues[index], self._ctx
        if not ctx.quiet or not queue.valid:
            return
        if name == "EQ_PI":
            ctx.rules.eq("HCQ-101/place", queue.pi & _MASK, seen, "EQ_PI at rest", queue.scope)
        elif name == "EQ_CI":
            rule = "HCQ-103/index" if queue.rung else "HCQ-122/access"
            ctx.rules.eq(rule, queue.ci, seen, "EQ_CI at rest", queue.scope)
        else:
            ctx.rules.one_of("HCQ-122/access", queue.states(), seen & 0xF, "EQ_ST.st at rest", queue.scope)
