"""Doorbell pages of s_axil_uar and requests in DB records."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.events import RegRead, RegWrite
from ref_model.hermon_cq import ports
from ref_model.hermon_cq.arm_states import Doorbell
from ref_model.hermon_cq.cq import Cq, Life
from ref_model.hermon_cq.event_queues import EventQueues
from ref_model.hermon_cq.shared import Context

#: CQEs before the wrap of the counters from which on a request may be answered behind it.
_NEAR = 16
_COMMANDS = (ports.SOLICITED, ports.ANY, ports.ARM_N)
_LOW, _HIGH = 0x0F, 0xF0
_MASK = 0xFFFFFF


@dataclass(slots=True)
class Latch:
    """First dword of a doorbell in two halves; ``mixed``: something else came between."""

    word: int
    mixed: bool = False


class Doorbells:
    """Judges nothing itself: it tells CQs and EQs what was rung, and notes what must have no effect."""

    def __init__(self, ctx: Context, queues: EventQueues) -> None:
        self._ctx = ctx
        self._queues = queues
        self.reset()

    def reset(self) -> None:
        """No half is latched."""
        self._latches: dict[int, Latch] = {}
        #: The latest doorbells of CQs that software owned: end of the write, CQ, page, dwords.
        self._homeless: deque[tuple[int, int, int, int, int]] = deque(maxlen=8)

    # -- accesses -----------------------------------------------------------------------------------

    def write(self, event: RegWrite) -> None:
        """A write of 64 bits with strobes."""
        self._ctx.rules.eq("HCQ-122/okay", 0, event.resp, "answer on s_axil_uar", self._ctx.registers)
        page, offset = event.addr >> ports.PAGE_BITS, event.addr & (1 << ports.PAGE_BITS) - 1 & -8
        low, high = event.data & 0xFFFFFFFF, event.data >> 32
        if offset == ports.CQ_DB0:
            whole = event.strb & _LOW == _LOW and event.strb & _HIGH == _HIGH
            if event.strb & _LOW == _LOW:
                self._mix(page)
                self._latch(page, low)
            if event.strb & _HIGH == _HIGH:
                self._second(page, high, event, not whole)
            elif event.strb & _HIGH:
                self._partial(page)
            return
        self._mix(None)
        number, rest = divmod(offset - ports.EQ_DB, ports.EQ_DB_STEP)
        if 0 <= number < ports.EQS_PER_PAGE and not rest and event.strb & _LOW == _LOW:
            eqn = page * ports.EQS_PER_PAGE + number
            self._queues.doorbell(eqn, low & _MASK, bool(low >> 31), event.begin)

    def _latch(self, page: int, word: int) -> None:
        """The first dword, in place of one that waits on the same page."""
        former = self._latches.pop(page, None)
        self._wait(former, False)
        self._latches[page] = Latch(word)
        self._wait(self._latches[page], True)

    def _wait(self, latch: Latch | None, on: bool) -> None:
        cq = self._ctx.cqs.get(latch.word & _MASK) if latch is not None else None
        if cq is not None:
            cq.half = on

    def read(self, event: RegRead) -> None:
        """Pages read as 0."""
        rules, scope = self._ctx.rules, self._ctx.registers
        rules.eq("HCQ-122/okay", 0, event.resp, "answer on s_axil_uar", scope)
        rules.eq("HCQ-122/access", 0, event.data, "doorbell pages read as 0", scope)
        self._mix(None)

    def _mix(self, page: int | None) -> None:
        """Something happens while halves are latched, on ``page`` or elsewhere."""
        for number, latch in self._latches.items():
            if number != page:
                latch.mixed = True

    def _partial(self, page: int) -> None:
        """A second dword with part of its strobes: nothing acts."""
        latch = self._latches.get(page)
        cq = self._ctx.cqs.get(latch.word & _MASK) if latch is not None else None
        if cq is not None:
            self._ignore(cq, "HCQ-122/strobes")

    def _second(self, page: int, word: int, event: RegWrite, halves: bool) -> None:
        """The second dword: the doorbell acts."""
        latch = self._latches.pop(page, None)
        self._wait(latch, False)
        if latch is None:
            self._ctx.rules.observe("HCQ-050")
            return
        self._mix(page)
        first = latch.word
        cqn = first & _MASK
        cq = self._ctx.cqs.get(cqn)
        if cq is None:
            self._nobody(cqn, page, first, word, event)
            return
        certain = cq.life is Life.LIVE and cq.oi == {False}
        self._ring(cq, page, first, word, event.settled, certain, halves)
        if halves and _COMMANDS.count(first >> 24 & 7):
            self._evidence(cq, "HCQ-121" if latch.mixed else "HCQ-055")

    @staticmethod
    def _evidence(cq: Cq, rule: str) -> None:
        """A form of doorbell that is proven by the event, and blamed only until it was."""
        if not cq.ctx.rules.evidence[rule]:
            cq.mark(rule)
            cq.rename_duty(rule)
        elif cq.arm.waits:
            cq.marks.setdefault(rule, None)
            cq.marks = {rule: None, **cq.marks}

    def _nobody(self, cqn: int, page: int, first: int, word: int, event: RegWrite) -> None:
        """A doorbell for a CQ that software owns or that does not exist."""
        ctx = self._ctx
        alias = ctx.cqs.get(cqn % ctx.config.cqs)
        if alias is not None and cqn >= ctx.config.cqs:
            # Upper bits of the number: ignored or masked, nothing says which.
            ctx.rules.observe("HCQ-050")
            self._ring(alias, page, first, word, event.settled, False, False)
            return
        self._homeless.append((event.settled, cqn, page, first, word))

    def adopt(self, cq: Cq) -> None:
        """``cq`` is being created: doorbells that were under way may count."""
        for settled, cqn, page, first, word in self._homeless:
            if cqn == cq.number and settled >= self._ctx.now:
                self._ring(cq, page, first, word, settled, False, False)

    # -- requests -----------------------------------------------------------------------------------

    def _ring(
        self, cq: Cq, page: int, first: int, word: int, settled: int, certain: bool, halves: bool
    ) -> None:
        ctx = self._ctx
        kind, sn, param = first >> 24 & 7, first >> 28 & 3, word & _MASK
        cq.scope.note(ctx.now, "db", f"command {kind} sn {sn} param {param:#x} page {page}")
        if kind not in _COMMANDS:
            self._ignore(cq, "HCQ-050")
            return
        if page != cq.values["usr_page"]:
            mode = ctx.knobs["BAD_UAR_MODE"]
            if mode != "accept":
                self._queues.bad_page_events += 1
                self._ignore(cq, "HCQ-056")
                return
        bell = Doorbell(kind, sn, param, certain, halves)
        self._special(cq, bell)
        cq.rung = settled
        self._count(cq, bell, settled)

    def _ignore(self, cq: Cq, rule: str) -> None:
        """A doorbell that must have no effect."""
        self._ctx.rules.tempt(rule, cq.path)
        if cq.arm.waits:
            cq.mark(rule)
        else:
            cq.ignored = rule

    def _special(self, cq: Cq, bell: Doorbell) -> None:
        """What the event of this request will show."""
        arm, counted = cq.arm, cq.arm.counted
        waiting = [state.armed for state in arm.states if state.armed is not None]
        done = {state.done for state in arm.states}
        gate = self._ctx.choices.sure("SN_MODE", "gate")
        if done == {bell.sn} and not waiting and gate and cq.events:
            self._ignore(cq, "HCQ-054")
            return
        cq.ignored = ""
        cq.asked = bell.kind
        index = counted.pi - ((counted.pi - bell.param + 0x800000) % 0x1000000 - 0x800000)
        if waiting and waiting[0].sn == bell.sn:
            if waiting[0].kind != bell.kind:
                cq.mark("HCQ-051")
            if waiting[0].target != index:
                cq.mark("HCQ-052")
        if bell.sn == 0 and cq.events:
            proven = self._ctx.rules.evidence["HCQ-053"]
            cq.marks = {"HCQ-053": None, **cq.marks} if proven else {**cq.marks, "HCQ-053": None}
        illegal = bell.kind != ports.ARM_N and not counted.pi - counted.size <= index <= counted.pi
        if illegal:
            cq.illegal = True
        elif cq.illegal:
            cq.illegal = False
            cq.marks["HCQ-057"] = None
        elif counted.pi + _NEAR >> 24 > counted.start >> 24:
            cq.marks["HCQ-038"] = None
        elif cq.reports:
            cq.marks["HCQ-058"] = None  # it meets a CQE on its way
        if bell.kind == ports.ANY and index == counted.pi:
            self._ctx.rules.tempt("HCQ-045/waits", cq.path)
        covered = cq.events and arm.covered() and index < counted.pi and not counted.pi < cq.pi
        if covered and bell.kind != ports.ARM_N and self._ctx.choices.sure("ARM_RULE", "R3"):
            self._ctx.rules.tempt("HCQ-063", cq.path)
        if bell.kind == ports.SOLICITED and index < counted.pi:
            newest = counted.solicited
            if newest is None or newest < index:
                self._ctx.rules.tempt("HCQ-048/plain", cq.path)

    def _count(self, cq: Cq, bell: Doorbell, settled: int) -> None:
        """The doorbell may take effect from now on, and has to a time after ``settled``."""
        ctx = self._ctx
        number = cq.arm.ring(bell)
        cq.weigh("doorbell")
        excused = ctx.held.total(ctx.now)
        deadline = settled + ctx.config.doorbell
        ctx.deadlines.call_at(deadline, lambda: self._taken(cq, number, deadline, excused))

    def _taken(self, cq: Cq, number: int, deadline: int, excused: int) -> None:
        """The bound of a doorbell is over, but for time that does not count."""
        ctx = self._ctx
        if cq.life is Life.GONE:
            return
        now = ctx.held.total(ctx.rules.now)
        if now > excused:
            later = deadline + now - excused
            ctx.deadlines.call_at(later, lambda: self._taken(cq, number, later, now))
            return
        cq.arm.spread()
        cq.arm.finished(number)
        ctx.rules.met("HCQ-119/doorbells", "a doorbell has its bound", cq.scope, sure=cq.duty is None)
        cq.weigh("doorbell")

    def record_written(self, cq: Cq) -> None:
        """Software wrote the request word of the DB record of ``cq``: the DUT may honour it."""
        ctx = self._ctx
        if not ctx.choices.may("DBREC_ARM", 1):
            return
        word = int.from_bytes(ctx.memory.read(cq.record + 4, 4), "big")
        kind = word >> 24 & 7
        if kind in _COMMANDS:
            cq.arm.ring(Doorbell(kind, word >> 28 & 3, word & _MASK, certain=False))
            cq.weigh("doorbell")

    def quiet(self) -> None:
        """The DUT is quiet: every doorbell has taken effect."""
        for cq in self._ctx.cqs.values():
            cq.arm.spread()
            number = cq.arm.forgotten + len(cq.arm.queue) - 1
            if cq.arm.queue and all(bell.certain for bell in cq.arm.queue):
                cq.arm.finished(number)
                cq.weigh("doorbell")
