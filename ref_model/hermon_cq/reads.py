"""What the DUT reads from memory: MTT entries, DB records, mailboxes."""

from __future__ import annotations

from ref_model.events import MemRead
from ref_model.hermon_cq.command_watch import MAILBOX, CommandWatch
from ref_model.hermon_cq.cq import Cq
from ref_model.hermon_cq.report_queue import ReportQueue
from ref_model.hermon_cq.ring import MTT_BYTES
from ref_model.hermon_cq.shared import Context
from ref_model.hermon_cq.writes import burst

RECORD = 8


class Reads:
    """Judges every read burst."""

    def __init__(self, ctx: Context, reports: ReportQueue, watch: CommandWatch) -> None:
        self._ctx = ctx
        self._reports = reports
        self._watch = watch

    def read(self, event: MemRead) -> None:
        """Judge a burst."""
        ctx = self._ctx
        ctx.access(event.begin, event.settled)
        first, stop = event.addr, event.addr + len(event.data)
        burst(ctx, first, len(event.data), event.port)
        if event.resp:
            ctx.rules.tempt("HCQ-109/survives", "sts")
            ctx.hurt = True
            self._watch.bad_access(first)
        known = self._of_command(first, stop) or self._entry(event, first, stop)
        if known or self._record(first, stop, event.resp):
            ctx.rules.met("HCQ-106/reads", "a read of what is the DUT's", ctx.port)
            return
        rule, expected, why = self._blame(first, stop)
        ctx.rules.fail(rule, expected, f"a read of {first:#x} .. {stop:#x}", why, ctx.port)

    def _of_command(self, first: int, stop: int) -> bool:
        running = self._watch.running
        if running is None:
            return False
        inbox = running.request.inbox
        if inbox <= first and stop <= inbox + MAILBOX:
            running.given = True
            return True
        if running.ring is None:
            return False
        low, high = running.ring.mtt_span
        return low <= first and stop <= high

    def _entry(self, event: MemRead, first: int, stop: int) -> bool:
        """An MTT entry: the one that is needed, or another of a CQ that hardware owns."""
        ctx = self._ctx
        for cq in self._reports.waiting():
            needed = cq.ring.entry_address(cq.pi)
            if first <= needed and needed + MTT_BYTES <= stop:
                low, high = cq.ring.mtt_span
                if low <= first and stop <= high:
                    ctx.rules.met("HCQ-027", "the MTT entry of the next CQE", cq.scope)
                    item = next(item for item in cq.reports if item.settled is None)
                    item.unreadable = bool(event.resp)
                    return True
        for cq in ctx.cqs.values():
            for ring in (cq.ring, *cq.old_rings):
                low, high = ring.mtt_span
                if low <= first and stop <= high:
                    return True
        return False

    def _record(self, first: int, stop: int, resp: int) -> bool:
        """A DB record, set_ci in one piece."""
        cq = self._ctx.records.get(first & -RECORD)
        if cq is None or first != cq.record or stop > cq.record + RECORD or stop < cq.record + 4:
            return False
        cq.record_error = bool(resp)
        self._ctx.rules.met("HCQ-041", "a read of the DB record", cq.scope)
        self._ctx.rules.met("HCQ-006", "address of the DB record", cq.scope)
        if not resp:
            cq.record_read = self._ctx.now
        return True

    def _blame(self, first: int, stop: int) -> tuple[str, str, str]:
        of_command = self._watch.stray_read(first)
        if of_command is not None:
            return of_command
        for cq in self._ctx.records.values():
            if first % RECORD and abs(first - cq.record) < RECORD:
                return "HCQ-006", f"{cq.record:#x}", "the DB record is aligned to 8 bytes"
            if first == cq.record + RECORD and "reserved17" in cq.reserved:
                return "HCQ-006", f"{cq.record:#x}", "bits 2 to 0 of its address are used as zero"
            if first <= cq.record < stop:
                return "HCQ-041", f"{cq.record:#x} .. {cq.record + RECORD:#x}", "the DB record alone is read"
            if abs(first - cq.record) <= 8 * RECORD and not self._reports.waiting():
                return "HCQ-041", f"{cq.record:#x}", "beside the DB record"
        waiting = self._reports.waiting()
        if waiting:
            return self._of_report(waiting[0], first)
        running = self._watch.running
        if running is not None and running.request.resizes and running.ring is not None:
            return "HCQ-092", f"{running.ring.mtt:#x} and so on", "MTT entries of the new ring"
        for former in self._ctx.former.values():
            low, high = former.ring.mtt_span
            if low <= first < high or first == former.record:
                return "HCQ-111", "no access for a CQ that is gone", f"CQ {former.number:#x}"
        return "HCQ-106/reads", "no read here", "nothing that the DUT may read lies here"

    def _of_report(self, cq: Cq, first: int) -> tuple[str, str, str]:
        former = self._ctx.former.get(cq.number)
        if former is not None:
            low, high = former.ring.mtt_span
            if low <= first < high:
                return "HCQ-031", f"{cq.ring.entry_address(cq.pi):#x}", "an MTT entry of the former life"
        if any(cq.outstanding(ci) >= cq.ring.size - 1 for _, ci in cq.published):
            return "HCQ-041", f"{cq.record:#x}", "the ring looks full: the DB record is read"
        return "HCQ-027", f"{cq.ring.entry_address(cq.pi):#x}", "the MTT entry of the next CQE"
