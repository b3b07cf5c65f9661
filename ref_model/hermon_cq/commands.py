"""Commands of the HCR: from go = 1 to the read that shows go = 0."""

from __future__ import annotations

from collections.abc import Callable

from ref_model.events import RegRead
from ref_model.hermon_cq import context
from ref_model.hermon_cq.command_checks import (
    BAD_SIZE,
    FLAGS,
    HW2SW,
    MODERATE,
    QUERY,
    ROUTE,
    SW2HW,
    Answer,
    Checks,
    Request,
)
from ref_model.hermon_cq.command_watch import MAILBOX, OWNER_BYTE, CommandWatch, Running
from ref_model.hermon_cq.cq import Cq, Life
from ref_model.hermon_cq.event_queues import EventQueues
from ref_model.hermon_cq.images import Images, before
from ref_model.hermon_cq.registers import RegisterFile
from ref_model.hermon_cq.ring import Ring
from ref_model.hermon_cq.shared import EVENT_PATH, Context


class Commands:
    """Starts, watches and ends commands."""

    def __init__(
        self,
        ctx: Context,
        registers: RegisterFile,
        queues: EventQueues,
        watch: CommandWatch,
        adopt: Callable[[Cq], None],
    ) -> None:
        """``adopt`` tells a new CQ the doorbells that were under way."""
        self._ctx = ctx
        self._adopt = adopt
        self._registers = registers
        self._queues = queues
        self._checks = Checks(ctx)
        self._images = Images(ctx.rules)
        self._watch = watch

    def reset(self) -> None:
        """No command runs."""
        self._watch.running = None

    # -- start --------------------------------------------------------------------------------------

    def start(self, begin: int) -> None:
        """HCR_CMD was written with go = 1 and takes effect from ``begin`` (ps) on."""
        ctx, registers = self._ctx, self._registers
        request = Request(
            registers.get("HCR_CMD", "opcode"),
            registers.get("HCR_CMD", "opmod"),
            registers.get("HCR_MOD", "cqn"),
            (registers.word("HCR_IN_H") << 32 | registers.word("HCR_IN_L")) & -MAILBOX,
            (registers.word("HCR_OUT_H") << 32 | registers.word("HCR_OUT_L")) & -MAILBOX,
        )
        fields = context.decode(ctx.memory.read(request.inbox, MAILBOX))
        cq = ctx.cqs.get(request.cqn)
        done = bool(registers.get("CFG", "init_done"))
        expected = self._checks.expect(request, done, cq, fields)
        running = self._watch.running = Running(request, begin, expected, fields, cq)
        running.slow, running.bus = ctx.slow.total(begin), ctx.bus.total(begin)
        if expected.answer is not Answer.REFUSE:
            self._may_act(running)
        elif cq is not None:
            cq.mark("HCQ-025")
            if request.resizes:
                running.ring = self._new_ring(cq, fields)
        if request.opcode == SW2HW and expected.answer is Answer.REFUSE:
            running.refused = Ring.of(fields, registers.mtt_base, registers.stride, bool(fields["cc"]))
        ctx.held.hold(begin)
        ctx.command.hold(begin)

    def _may_act(self, running: Running) -> None:
        """The command may take effect from now on."""
        ctx, request, fields = self._ctx, running.request, running.fields
        if request.opcode == SW2HW:
            self._create(running)
            return
        cq = running.cq
        assert cq is not None
        running.start = before(cq)
        if request.opcode == QUERY:
            cq.mark("HCQ-020")
        elif request.opcode == HW2SW:
            cq.life = Life.CLOSING
            self._mark_neighbours(cq)
            if cq.arm.waits or cq.reports or cq.pi != cq.start:
                ctx.rules.tempt("HCQ-112", EVENT_PATH)
            cq.void_event()
            ctx.deadlines.void(cq.error_duty)
        elif request.resizes:
            running.ring = self._new_ring(cq, fields)
            cq.mark("HCQ-093")
        elif request.opmod == MODERATE:
            cq.arm.moderation.change(fields["cq_max_count"], fields["cq_period"])
            cq.mark("HCQ-070")
            cq.weigh("change")
        elif request.opmod == ROUTE:
            cq.eqns.append(fields["c_eqn"])
            cq.moving = True
            cq.weigh("change")
        elif request.opmod == FLAGS and fields["oi"]:
            cq.oi = {*cq.oi, True}
            cq.mark("HCQ-083")

    def _mark_neighbours(self, cq: Cq) -> None:
        """Requests of CQs whose numbers differ in one bit have to survive the end of ``cq``."""
        for other in self._ctx.cqs.values():
            if (other.number ^ cq.number).bit_count() == 1:
                other.mark("HCQ-115")

    def _new_ring(self, cq: Cq, fields: dict[str, int]) -> Ring:
        return Ring.of(fields, self._registers.mtt_base, cq.ring.stride, cq.collapsed)

    def _create(self, running: Running) -> None:
        ctx, fields, number = self._ctx, running.fields, running.request.cqn
        values = {name: fields[name] for name in context.names("sw")}
        ring = Ring.of(values, self._registers.mtt_base, self._registers.stride, bool(values["cc"]))
        start = self._registers.get("DBG_INIT_IDX", "index") if ctx.knobs["TEST_HOOKS"] else 0
        cq = Cq(ctx, number, values, ring, start, ctx.now)
        cq.arm.dropped = lambda: self._queues.dropping(cq)
        cq.blocked = lambda: self._queues.full_for(cq)
        cq.reserved = {name: fields[name] for name in context.names("reserved") if fields[name]}
        cq.odd = bool(cq.reserved) and ctx.rules.evidence["HCQ-026"] > 0
        running.cq, running.ring = cq, ring
        ctx.cqs[number] = cq
        ctx.records[cq.record] = cq
        self.published(ctx.now, cq)
        self._adopt(cq)

    def published(self, begin: int, cq: Cq) -> None:
        """Memory holds a DB record of ``cq`` that software has written at ``begin``."""
        consumer = int.from_bytes(self._ctx.memory.read(cq.record, 4), "big") & 0xFFFFFF
        newest = cq.published[-1][1]
        if consumer != newest:
            backwards = 0 <= cq.outstanding(newest) < cq.outstanding(consumer)
            cq.capacity_free = cq.capacity_free or backwards
            cq.published.append((begin, consumer))

    # -- end ----------------------------------------------------------------------------------------

    def polled(self, event: RegRead) -> None:
        """HCR_CMD was read."""
        running, ctx = self._watch.running, self._ctx
        if running is None:
            return
        if event.data >> 23 & 1:
            self._overdue(running, event)
            return
        self._watch.running = None
        ctx.held.release(event.settled)
        ctx.command.release(event.settled)
        self._registers.clear_bits("HCR_CMD", 1 << 23)
        self._end(running, event.data >> 24, event.settled)

    def _limit(self, running: Running) -> int:
        config = self._ctx.config
        limit = config.command
        if running.ring is not None:
            limit += config.slot * self._checks.filled(running.request, running.ring)
        return limit

    def _overdue(self, running: Running, event: RegRead) -> None:
        ctx = self._ctx
        taken, limit = event.begin - running.started, self._limit(running)
        slow = taken - (ctx.slow.total(event.begin) - running.slow)
        bus = taken - (ctx.bus.total(event.begin) - running.bus)
        clocks = f"go = 1 after {bus // ctx.config.period} clocks"
        if slow > limit:
            rule, why = "HCQ-109/survives" if ctx.hurt else "HCQ-119/commands", "time of a command"
        elif bus > limit:
            rule, why = "HCQ-123", "time of a command while m_axis_sts is stalled"
        else:
            return
        ctx.rules.fail(rule, f"go = 0 within {limit // ctx.config.period} clocks", clocks, why)

    def _end(self, running: Running, status: int, now: int) -> None:
        ctx, rules, expected = self._ctx, self._ctx.rules, running.expected
        cq = running.cq
        scope = cq.scope if cq is not None else ctx.registers
        rules.met("HCQ-119/commands", "time of a command", scope)
        if ctx.status_stalled[0] <= running.started and now < ctx.status_stalled[1]:
            rules.met("HCQ-123", "a command while m_axis_sts is stalled", scope)
        rule, want = expected.rule, expected.answer
        if running.failed:
            rule, want = "HCQ-109/status", Answer.REFUSE
        elif want is Answer.OK and (running.faulty or self._absent(running)):
            want = Answer.OPEN
        seen = f"status {status:#x}"
        if want is Answer.OK and status:
            rules.fail(rule, "status 0", seen, expected.why, scope)
        elif want is Answer.REFUSE and not status:
            rules.fail(rule, "a status that is not 0", seen, expected.why, scope)
        elif want is Answer.REFUSE and rule == "HCQ-091/refuses" and status != BAD_SIZE:
            rules.fail(rule, f"status {BAD_SIZE:#x}", seen, expected.why, scope)
        elif want is Answer.OPEN:
            rules.observe(rule)
            if running.faulty and running.request.resizes:
                rules.met("HCQ-097", "an answer to a resize that cannot be read", scope, sure=bool(status))
        else:
            rules.met(rule, seen, scope)
            if want is Answer.REFUSE and cq is not None:
                cq.turns.setdefault("HCQ-025", None)
                if rule == "HCQ-016/fails":
                    cq.turns.setdefault("HCQ-016/kept", None)
                    cq.mark("HCQ-016/kept")
        if expected.answer is not Answer.REFUSE:
            (self._done if not status else self._undone)(running, now)

    def _absent(self, running: Running) -> bool:
        """Whether a page that the command has to write is absent."""
        ring = running.ring
        if ring is None or not self._checks.filled(running.request, ring):
            return False
        first, stop = ring.mtt_span
        return len(ring.pages(self._ctx.memory)) < (stop - first) // 8

    def _done(self, running: Running, now: int) -> None:
        """The command succeeded."""
        request, cq = running.request, running.cq
        assert cq is not None
        cq.unreleased = False
        if request.opcode == SW2HW:
            self._created(running, cq, now)
        elif request.opcode == HW2SW:
            self._destroyed(running, cq, now)
        elif request.opcode == QUERY:
            self._image(running, cq, False)
            cq.turns.setdefault("HCQ-020", None)
        else:
            self._modified(running, cq)
        cq.weigh("change")

    def _created(self, running: Running, cq: Cq, now: int) -> None:
        ctx = self._ctx
        cq.life, cq.live_since = Life.LIVE, now
        ctx.lives[cq.number] = cq.number_of_life
        ctx.rules.met("HCQ-012/ready", "status with go = 0", cq.scope)
        self._owner_bits(running, cq)
        if running.request.opmod == 1:
            ctx.rules.met("HCQ-015", "ring left alone", cq.scope)

    def _owner_bits(self, running: Running, cq: Cq) -> None:
        """HCQ-014, HCQ-090: each entry is hardware's for the next index that lands there."""
        ctx, ring, resize = self._ctx, running.ring, running.request.opcode != SW2HW
        if running.request.opmod != 0 or not ctx.choices.sure("INIT_BY_FW", 1) or ring is None:
            return
        if not ring.aligned or self._absent(running):
            return
        rule = "HCQ-090" if resize else "HCQ-014"
        first = cq.resized_at + 1 if resize and cq.resized_at is not None else cq.start
        for index in range(max(first, cq.pi), first + ring.slots):
            place = ring.place(index, ctx.memory)
            assert place is not None
            owner = ctx.memory.read(place + OWNER_BYTE, 1)[0] >> 7
            if owner != 1 ^ ring.owner(index):
                why = f"slot {index % ring.size} has to read as hardware's for index {index:#x}"
                ctx.rules.fail(rule, 1 ^ ring.owner(index), owner, why, cq.scope)
                return
        ctx.rules.met(rule, "owner bits of an empty ring", cq.scope)

    def _destroyed(self, running: Running, cq: Cq, now: int) -> None:
        ctx = self._ctx
        if running.request.opmod == 0:
            self._image(running, cq, True)
        else:
            ctx.rules.met("HCQ-017/image", "no output with opmod 1", cq.scope)
        cq.life, cq.gone_since, cq.gone_excused = Life.GONE, now, ctx.held.total(now)
        cq.void_event()
        self._forget(cq)
        ctx.former[cq.number] = cq
        ctx.rules.tempt("HCQ-111", EVENT_PATH)

    def _image(self, running: Running, cq: Cq, final: bool) -> None:
        ctx, request = self._ctx, running.request
        if len(running.mailbox) < MAILBOX:
            rule = "HCQ-017/image" if final else "HCQ-012/ready"
            seen = f"{len(running.mailbox)} bytes before go = 0"
            ctx.rules.fail(rule, f"{MAILBOX} bytes", seen, "output mailbox", cq.scope)
            return
        if running.answered > ctx.now:
            why = "the write of the output mailbox has its answer before"
            ctx.rules.fail("HCQ-012/ready", "go = 1", "go = 0", why, cq.scope)
            return
        ctx.rules.met("HCQ-012/ready", "mailbox before go = 0", cq.scope)
        if final:
            ctx.rules.met("HCQ-017/image", "final image", cq.scope)
        assert running.start is not None
        self._images.judge(cq, ctx.memory.read(request.outbox, MAILBOX), running.start, final)

    def _modified(self, running: Running, cq: Cq) -> None:
        request, fields, rules = running.request, running.fields, self._ctx.rules
        if request.resizes:
            if not running.resize_seen:
                what = "a CQE with opcode 0x16 in the old ring"
                rules.fail("HCQ-088", what, "none", "the resize succeeded", cq.scope)
                assert running.ring is not None
                cq.old_rings, cq.ring, cq.resized_at = [cq.ring], running.ring, cq.pi
            names: tuple[str, ...] = ("log_cq_size", "page_offset", "log2_page_size")
            names += ("mtt_base_addr_h", "mtt_base_addr_l")
            cq.turns.setdefault("HCQ-093", None)
            cq.turns.setdefault("HCQ-092", None)
            self._owner_bits(running, cq)
        elif request.opmod == MODERATE:
            names = ("cq_max_count", "cq_period")
            if cq.arm.moderation.limits[-1] != (fields["cq_max_count"], fields["cq_period"]):
                cq.arm.moderation.limits.append((fields["cq_max_count"], fields["cq_period"]))
            if not cq.arm.waits:
                del cq.arm.moderation.limits[:-1]
            moderated = cq.values["cq_max_count"] or cq.values["cq_period"]
            cq.freed = bool(moderated or cq.freed) and not (fields["cq_max_count"] or fields["cq_period"])
        elif request.opmod == ROUTE:
            names = ("c_eqn",)
            cq.moving = False
            if not any(state.due or (state.armed and state.armed.ripe >= 0) for state in cq.arm.states):
                cq.eqns = cq.eqns[-1:]
            cq.turns.setdefault("HCQ-099", None)
            cq.mark("HCQ-099")
        else:
            names = ("oi",) if fields["oi"] else ()
            if fields["oi"]:
                cq.oi = {True}
        for name in names:
            cq.values[name] = fields[name]
        cq.turns.setdefault("HCQ-021", None)

    def _undone(self, running: Running, now: int) -> None:
        """The command was refused although it might have been accepted: nothing has changed."""
        request, cq, ctx = running.request, running.cq, self._ctx
        if cq is None:
            return
        if request.opcode == SW2HW:
            cq.life = Life.GONE
            self._forget(cq)
            return
        if request.opcode == HW2SW:
            cq.life, cq.unreleased = Life.LIVE, True
        elif request.resizes and running.resize_seen and not running.faulty:
            ctx.rules.fail("HCQ-091/refuses", "no resize CQE", "one", "the resize was refused", cq.scope)
        elif request.opmod == MODERATE:
            old = cq.values["cq_max_count"], cq.values["cq_period"]
            cq.arm.moderation.limits = [old]
        elif request.opmod == ROUTE:
            cq.eqns = [cq.values["c_eqn"]]
            cq.moving = False
        elif request.opmod == FLAGS:
            cq.oi = {bool(cq.values["oi"])}
        unreadable = request.resizes and (running.faulty or running.failed or self._absent(running))
        cq.turns.setdefault("HCQ-097" if unreadable else "HCQ-025", None)
        cq.weigh("change")

    def _forget(self, cq: Cq) -> None:
        """Hardware owns ``cq`` no more."""
        self._ctx.cqs.pop(cq.number, None)
        self._ctx.blocked.discard(cq.number)
        if self._ctx.records.get(cq.record) is cq:
            del self._ctx.records[cq.record]

    @property
    def busy(self) -> bool:
        """Whether a command runs."""
        return self._watch.running is not None
