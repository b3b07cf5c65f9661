"""Completion reports from acceptance to their status beat: order, refusal, capacity, time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.deadlines import Must
from ref_model.events import SideBand
from ref_model.hermon_cq import ports
from ref_model.hermon_cq.cq import Cq, Fault, Life
from ref_model.hermon_cq.ports import Report, Status
from ref_model.hermon_cq.shared import EVENT_PATH, Context
from ref_model.rules import Scope

CODES = ("CQE written", "overflow", "CQ in error", "CQ not owned", "write failed")


@dataclass(slots=True, eq=False)
class Item:
    """One report under way; ``settled``: its CQE is complete then, None: not written."""

    report: Report
    offered: int
    accepted: int
    duty: Must | None = None
    settled: int | None = None
    life: int = 0  #: which life of its CQ has the CQE
    unreadable: bool = False  #: the MTT entry was read with an error, or is absent
    write_failed: bool = False


class ReportQueue:
    """All reports without a result, in order of acceptance."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.scope = Scope("status stream")
        self.reset()

    def reset(self) -> None:
        """Nothing under way, nothing counted."""
        self._open: deque[Item] = deque()
        self.accepted = self.written = self.refused = self.resizes = 0

    def __len__(self) -> int:
        """Reports without a result."""
        return len(self._open)

    def oldest(self) -> Item | None:
        """The oldest one without a result."""
        return self._open[0] if self._open else None

    def waiting(self) -> list[Cq]:
        """CQs with a report whose CQE has not been written, in the order of their oldest one."""
        found: dict[int, Cq] = {}
        for item in self._open:
            cq = self._ctx.cqs.get(item.report.cqn) if item.settled is None else None
            if cq is not None:
                found[cq.number] = cq
                if item not in cq.reports:
                    cq.reports.append(item)  # offered before the CQ was created
        return list(found.values())

    def homeless(self) -> list[Item]:
        """Reports without a result for a CQ that software owns or that does not exist."""
        return [item for item in self._open if item.report.cqn not in self._ctx.cqs]

    def offer(self, event: SideBand) -> None:
        """A report was offered; the handshake follows."""
        ctx = self._ctx
        report = Report.of(event.values[0])
        item = Item(report, event.begin, event.settled)
        self.accepted += 1
        self._open.append(item)
        cq = ctx.cqs.get(report.cqn)
        if cq is not None:
            cq.reports.append(item)
            if cq.rung >= event.begin:
                cq.marks["HCQ-058"] = None  # it meets the doorbell
            cq.scope.note(event.begin, "in", report)
        else:
            ctx.rules.tempt("HCQ-118/silent", EVENT_PATH)
        deadline = event.settled + ctx.config.report
        if ctx.config.status_stream:
            rule = "HCQ-117" if self._others_blocked(report.cqn) else "HCQ-119/reports"
            what, why = f"a status beat with tag {report.tag:#x}", "accepted reports have a result"
            item.duty = ctx.deadlines.must(rule, what, why, self.scope, deadline)
        else:
            ctx.deadlines.call_at(deadline, lambda: self._silent(item, deadline))

    def _others_blocked(self, number: int) -> bool:
        return bool(self._ctx.blocked - {number})

    # -- without a status stream --------------------------------------------------------------------

    def _silent(self, item: Item, deadline: int, excused: int = 0) -> None:
        """Time is over for a report of a build without status stream."""
        ctx = self._ctx
        now_excused = ctx.held.total(ctx.rules.now)
        if excused != now_excused and now_excused:
            again = max(deadline, ctx.rules.now) + now_excused - excused
            ctx.deadlines.call_at(again, lambda: self._silent(item, again, now_excused))
            return
        if item in self._open:
            self._open.remove(item)
            if item.settled is None:
                self.refused += 1
                cq = self._life_of(item, None, ctx.rules.now)
                if cq is not None:
                    self._refuse(cq, item, self._silent_code(cq, item), ctx.rules.now)
            else:
                self.written += 1
            self._close(item)

    def _silent_code(self, cq: Cq, item: Item) -> int:
        for code in (ports.IN_ERROR, ports.WRITE_FAILED, ports.OVERFLOWED, ports.NOT_OWNED):
            if self._legal(cq, item, code, self._ctx.rules.now):
                return code
        return ports.WRITTEN

    # -- status beats -------------------------------------------------------------------------------

    def status(self, event: SideBand) -> None:
        """A status beat: the result of the oldest report."""
        ctx, rules = self._ctx, self._ctx.rules
        in_stall = self._open[0] if self._open and ctx.in_stall(self._open[0].accepted) else None
        ctx.stalled(event.begin, event.settled)
        status = Status.of(event.values[0])
        item = self._match(status, event.begin, in_stall)
        if item is None:
            return
        ctx.deadlines.meet(item.duty)
        cq = self._life_of(item, status.code, event.begin)
        scope = cq.scope if cq is not None else self.scope
        if status.code == ports.WRITTEN:
            self.written += 1
            self._said_written(item, cq, event.begin, scope)
        elif item.settled is not None and not item.write_failed:
            self.written += 1
            seen = CODES[min(status.code, 4)]
            rule = "HCQ-072" if status.code == ports.OVERFLOWED else "HCQ-076"
            rules.fail(rule, "code 0", seen, "the CQE was written", scope)
        else:
            self.refused += 1
            self._refuse(cq, item, status.code, event.begin)
        self._close(item)
        if status.code == ports.WRITTEN:
            rules.alive("sts")
            ctx.hurt = False
        if event.settled > event.begin:
            rules.met("HCQ-108", "a status beat that had to wait", self.scope)

    def _match(self, status: Status, begin: int, in_stall: Item | None) -> Item | None:
        """The report ``status`` is about; ``in_stall``: the oldest, taken while the beat before waited."""
        rules = self._ctx.rules
        for item in self._open:
            if (item.report.cqn, item.report.tag) == (status.cqn, status.tag) and item.accepted <= begin:
                if item is not self._open[0]:
                    first = self._open[0].report
                    what, why = f"tag {first.tag:#x} of CQ {first.cqn:#x}", "order of acceptance"
                    rule = "HCQ-124/order"
                    if in_stall is not None:
                        rule, why = "HCQ-108", "a report accepted while m_axis_sts was stalled"
                    rules.fail(rule, what, f"tag {status.tag:#x}", why, self.scope)
                else:
                    rules.met("HCQ-124/order", "order of acceptance", self.scope)
                self._open.remove(item)
                return item
        if not self._open:
            rules.fail("HCQ-124/order", "no status beat", status, "no report without a result", self.scope)
            return None
        first = self._open[0].report
        why = "number and tag of the report come back"
        rule = "HCQ-124/order"
        if status.cqn == first.cqn and status.code in (ports.OVERFLOWED, ports.IN_ERROR, ports.WRITE_FAILED):
            rule = "HCQ-076"
        rules.fail(rule, f"CQ {first.cqn:#x} tag {first.tag:#x}", status, why, self.scope)
        return self._open.popleft()

    def _said_written(self, item: Item, cq: Cq | None, begin: int, scope: Scope) -> None:
        rules = self._ctx.rules
        if item.settled is not None and item.settled <= begin:
            if item.write_failed:
                rules.fail("HCQ-078", "code 4", "code 0", "the write of the CQE had an error", scope)
            else:
                rules.met("HCQ-124/after", "CQE written before code 0", scope)
                rules.met("HCQ-036", "one CQE for the report", scope)
                if self._others_blocked(item.report.cqn):
                    rules.met("HCQ-117", "served while another CQ is blocked", scope)
            return
        if item.settled is not None:
            why = "the write response comes first"
            rules.fail("HCQ-124/after", "code 0 behind the CQE", "before its response", why, scope)
        elif cq is None or cq.life is Life.GONE:
            rules.fail("HCQ-118/told", "code 3", "code 0", "software owns the CQ", scope)
        elif cq.fault:
            rules.fail("HCQ-076", "code 2", "code 0", "the CQ is in error and nothing was written", scope)
        elif item.unreadable or cq.ring.place(cq.pi, self._ctx.memory) is None:
            rule = "HCQ-084" if cq.oi == {True} else "HCQ-077/event"
            rules.fail(rule, "code 4", "code 0", "the MTT entry is absent or unreadable", scope)
        else:
            why = "each report that is not refused has its CQE"
            over = cq.oi == {True} and cq.outstanding(cq.published[-1][1]) >= cq.ring.size - 1
            rules.fail("HCQ-081" if over else "HCQ-036", "a CQE", "code 0 without one", why, scope)

    # -- refusals -----------------------------------------------------------------------------------

    def _refuse(self, cq: Cq | None, item: Item, code: int, now: int) -> None:
        """The DUT refused ``item`` with ``code``: was that right, and what follows."""
        rules, ctx = self._ctx.rules, self._ctx
        stream = ctx.config.status_stream
        if cq is None:
            if stream:
                why = "software owns the CQ or it does not exist"
                rules.eq("HCQ-118/told", ports.NOT_OWNED, code, why, self.scope)
            return
        if not self._legal(cq, item, code, now):
            self._wrong(cq, item, code)
            return
        if code == ports.OVERFLOWED:
            self.overflowed(cq)
            cq.fault_certain, cq.refused = True, item
            rules.tempt("HCQ-072", EVENT_PATH)
            rules.met("HCQ-071/not_after", "the report that does not fit is refused", cq.scope)
        elif code == ports.WRITE_FAILED:
            cq.fail(Fault.FAILURE)
            cq.fault_certain = True
            cq.error_answer = cq.error_answer or item.unreadable
            rules.met("HCQ-078" if item.write_failed else "HCQ-077/nothing", "refused", cq.scope)
        elif code == ports.IN_ERROR:
            rules.met("HCQ-075", "nothing written to a CQ in error", cq.scope)
        if stream and code != ports.NOT_OWNED:
            rules.met("HCQ-076", f"refused: {CODES[code]}", cq.scope)

    def _legal(self, cq: Cq, item: Item, code: int, now: int) -> bool:
        if code == ports.OVERFLOWED:
            return cq.fault in (None, Fault.OVERFLOW) and not cq.fault_certain and self.may_overflow(cq, item)
        if code == ports.IN_ERROR:
            return cq.fault is not None
        if code == ports.NOT_OWNED:
            return cq.life is not Life.LIVE or item.offered <= cq.live_since
        if code == ports.WRITE_FAILED:
            failing = item.write_failed or item.unreadable or cq.ring.place(cq.pi, self._ctx.memory) is None
            return failing and cq.fault in (None, Fault.FAILURE) and not cq.fault_certain
        return False

    def _wrong(self, cq: Cq, item: Item, code: int) -> None:
        rules, scope = self._ctx.rules, cq.scope
        seen = f"code {code} ({CODES[code] if code < len(CODES) else 'unknown'})"
        if cq.fault is not None:
            rules.fail("HCQ-076", "code 2", seen, "the CQ is in error", scope)
        elif code == ports.OVERFLOWED:
            consumer = cq.published[-1][1]
            out = cq.outstanding(consumer)
            rule = self._early_rule(cq, consumer, out)
            why = f"{out} of {cq.ring.size} CQEs outstanding at consumer counter {consumer:#x}"
            rules.fail(rule, "the CQE", seen, why, scope)
            cq.fail(Fault.OVERFLOW)
        elif code == ports.WRITE_FAILED:
            rule, why = "HCQ-077/nothing", "the page is there and nothing failed"
            if cq.oi == {True} and cq.record_error:
                rule, why = "HCQ-082", "only the DB record could not be read, which nobody needs with oi = 1"
            rules.fail(rule, "the CQE", seen, why, scope)
            cq.fail(Fault.FAILURE)
        elif code == ports.NOT_OWNED:
            rules.fail("HCQ-013", "the CQE", seen, "hardware owns the CQ", scope)
        else:
            rules.fail(self._foreign_rule(cq, code), "the CQE", seen, "nothing was wrong with the CQ", scope)

    def _foreign_rule(self, cq: Cq, code: int) -> str:
        """Rule of a refusal without cause: the error may be that of another life or of another CQ."""
        former = self._ctx.former.get(cq.number)
        if code == ports.IN_ERROR and former is not None and former.fault is not None:
            return "HCQ-079"
        others = (*self._ctx.cqs.values(), *self._ctx.former.values())
        if code == ports.IN_ERROR and any(other.fault for other in others):
            return "HCQ-115"
        return "HCQ-076"

    @staticmethod
    def _early_rule(cq: Cq, consumer: int, out: int) -> str:
        if cq.oi == {True}:
            return "HCQ-083" if not cq.created_oi else "HCQ-080"
        if out < 0:
            return "HCQ-044"
        if cq.resized_at is not None:
            return "HCQ-096"
        if out < cq.ring.size - 1 <= max(cq.outstanding(ci) for _, ci in cq.published):
            if cq.record_read < cq.published[-1][0]:
                return "HCQ-043"
            # The newest counter was read: it was misread, or the capacity is another.
            return "HCQ-042" if out < cq.ring.size - 2 else "HCQ-071/not_before"
        if cq.collapsed:
            return "HCQ-087"
        return "HCQ-071/not_before"

    # -- capacity -----------------------------------------------------------------------------------

    def tested(self, cq: Cq) -> bool:
        """Whether the capacity of ``cq`` may be tested at all."""
        return False in cq.oi and (not cq.collapsed or self._ctx.choices.may("CC_CAP", 1))

    def may_overflow(self, cq: Cq, item: Item) -> bool:
        """Whether ``item`` may be refused for want of room (HCQ-043, HCQ-044, HCQ-071)."""
        if not self.tested(cq):
            return False
        if cq.capacity_free or cq.record_error:
            return True  # what an error response to the record does is only recorded
        since = max((time for time, _ in cq.published if time < item.offered), default=0)
        counts = [cq.outstanding(ci) for time, ci in cq.published if time >= since]
        limit = cq.ring.size - (1 if self._ctx.choices.may("CAP_MODE", "N-1") else 0)
        return max(counts) >= limit

    def fits(self, cq: Cq) -> tuple[bool, int]:
        """Whether the next CQE may be written, and the outstanding CQEs by the newest counter."""
        counts = [cq.outstanding(ci) for _, ci in cq.published]
        least = min(counts)
        if True in cq.oi or cq.capacity_free or (cq.collapsed and not self._ctx.choices.sure("CC_CAP", 1)):
            return True, least
        limit = cq.ring.size - (0 if self._ctx.choices.may("CAP_MODE", "N") else 1)
        return least < limit, least

    def overflowed(self, cq: Cq) -> None:
        """``cq`` showed that it overflowed: status beat or EQE."""
        if cq.fault is None and not cq.capacity_free:
            counts = {cq.outstanding(ci) for _, ci in cq.published}
            if max(counts) == cq.ring.size - 1:
                self._ctx.choices.fix("CAP_MODE", "N-1")
        cq.fail(Fault.OVERFLOW)

    # -- inside -------------------------------------------------------------------------------------

    def _life_of(self, item: Item, code: int | None, now: int) -> Cq | None:
        """The life of the CQ that ``item`` was put to: several may overlap with it, ``code`` tells which."""
        number = item.report.cqn
        cq, former = self._ctx.cqs.get(number), self._ctx.former.get(number)
        if former is not None and former.gone_since < item.offered:
            former = None
        lives = [life for life in (cq, former) if life is not None]
        for life in lives:
            if item in life.reports and item.settled is not None and item.life == life.number_of_life:
                return life
        for life in lives:
            if code is not None and self._legal(life, item, code, now):
                return life
        return lives[0] if lives else None

    def _close(self, item: Item) -> None:
        for lives in (self._ctx.cqs, self._ctx.former):
            cq = lives.get(item.report.cqn)
            if cq is not None and item in cq.reports:
                cq.reports.remove(item)
