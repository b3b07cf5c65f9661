"""CQE writes: the right bytes, for the right report, at the right place."""

from __future__ import annotations

from collections.abc import Callable

from ref_model.events import MemWrite
from ref_model.hermon_cq import ports
from ref_model.hermon_cq.cq import Cq, Fault, Life
from ref_model.hermon_cq.report_queue import Item, ReportQueue
from ref_model.hermon_cq.ring import CQE_BYTES
from ref_model.hermon_cq.shared import Context

_OWNER_BYTE, _OWNER = 31, 0x80
_OPCODE = 0x1F
#: Bytes of an error CQE that mean something: queue pair, wqe_counter and syndromes, flags and opcode.
_ERROR_BYTES = (1, 2, 3, 24, 25, 26, 27, 31)


class Cqes:
    """Judges what is written into rings for reports."""

    def __init__(self, ctx: Context, reports: ReportQueue, owe_error: Callable[[Cq], None]) -> None:
        """``owe_error`` opens the duty to report a CQ error."""
        self._ctx = ctx
        self._owe_error = owe_error
        self._reports = reports

    def expected_at(self, cq: Cq) -> int | None:
        """Address of the next CQE of ``cq``; None: its page is absent."""
        return cq.ring.place(cq.pi, self._ctx.memory)

    def find(self, first: int, stop: int) -> Cq | None:
        """The CQ with a report under way whose next CQE lies in [first, stop)."""
        for cq in self._reports.waiting():
            place = self.expected_at(cq)
            if place is not None and first <= place and place + CQE_BYTES <= stop:
                return cq
        return None

    def written(self, cq: Cq, event: MemWrite, data: bytes) -> None:
        """``data``, 32 bytes, is written to the next slot of ``cq``."""
        rules = self._ctx.rules
        cq.scope.note(event.begin, "cqe", data)
        item = self._item(cq, data)
        if item is None:
            rules.fail("HCQ-036", "no CQE", data, f"no report of CQ {cq.number:#x} is open", cq.scope)
            return
        if cq.fault_certain:
            rule = "HCQ-072" if self.refused(data) is cq else "HCQ-075"
            rules.fail(rule, "no CQE", data, "the CQ is in error", cq.scope)
            return
        self._room(cq)
        if item.unreadable and event.resp == 0:
            rules.fail("HCQ-078", "no CQE", data, "its MTT entry was read with an error", cq.scope)
        self._image(cq, item, data)
        self._place_met(cq)
        cq.pages.add(event.addr & -(1 << cq.ring.page_shift))
        item.settled = event.settled
        item.life = cq.number_of_life
        if event.resp:
            item.write_failed = cq.error_answer = True
            cq.fail(Fault.FAILURE)
            rules.tempt("HCQ-078", cq.path)
            self._owe_error(cq)
            return
        report = item.report
        solicited = report.solicited or report.error
        self._tempt(cq, solicited)
        cq.wrote(event.settled, solicited)

    def _item(self, cq: Cq, data: bytes) -> Item | None:
        """The report that ``data`` is for: the oldest open one, or one behind those refused meanwhile."""
        open_items = [item for item in cq.reports if item.settled is None]
        for item in open_items:
            if self._same(self._expected(cq, item), data, item.report.error):
                if item is not open_items[0] and open_items[0].offered > cq.live_since:
                    why = "CQEs come in the order of the reports"
                    what = self._expected(cq, open_items[0])
                    rule = "HCQ-108" if self._ctx.in_stall(open_items[0].accepted) else "HCQ-036"
                    self._ctx.rules.fail(rule, what, data, why, cq.scope)
                return item
        return open_items[0] if open_items else None

    def _expected(self, cq: Cq, item: Item) -> bytes:
        body = bytearray(item.report.body)
        last = body[_OWNER_BYTE] & ~_OWNER & 0xFF
        if item.report.error:
            last = last & ~_OPCODE & 0xFF | ports.OPCODE_ERROR
        body[_OWNER_BYTE] = last | self._owner(cq) << 7
        return bytes(body)

    def _owner(self, cq: Cq) -> int:
        if cq.collapsed and not self._ctx.choices.may("CC_OWNER", "lap"):
            return 0
        return cq.ring.owner(cq.pi)

    @staticmethod
    def _same(expected: bytes, data: bytes, error: bool) -> bool:
        """Equal but for the owner bit and what an error CQE leaves open."""
        mine, other = bytearray(expected), bytearray(data)
        mine[_OWNER_BYTE] &= ~_OWNER
        other[_OWNER_BYTE] &= ~_OWNER
        if error:
            return all(mine[at] == other[at] for at in _ERROR_BYTES)
        return mine == other

    def _image(self, cq: Cq, item: Item, data: bytes) -> None:
        rules, expected = self._ctx.rules, self._expected(cq, item)
        error = item.report.error
        self._owner_bit(cq, expected, data)
        if error:
            opcode = data[_OWNER_BYTE] & _OPCODE
            rules.eq("HCQ-035/opcode", ports.OPCODE_ERROR, opcode, "opcode of an error CQE", cq.scope)
            wanted = bytes(expected[at] for at in _ERROR_BYTES[:-1])
            seen = bytes(data[at] for at in _ERROR_BYTES[:-1])
            flags = (expected[_OWNER_BYTE] ^ data[_OWNER_BYTE]) & 0x60
            why = "queue pair, counter, syndromes of an error CQE"
            rules.eq("HCQ-035/fields", wanted, seen, why, cq.scope)
            if flags:
                rules.fail("HCQ-035/fields", expected, data, "s_r of an error CQE", cq.scope)
            return
        if self._same(expected, data, False):
            rules.met("HCQ-032", "the CQE is the report", cq.scope)
            if len(self._ctx.cqs) > 1:
                rules.met("HCQ-116", "the CQE of its own CQ", cq.scope)
            return
        other = self._other_cq(cq, data)
        if other is not None:
            why = f"the report was for CQ {other.number:#x}"
            rules.fail("HCQ-116", expected, data, why, cq.scope)
        elif data[_OWNER_BYTE] & _OPCODE == ports.OPCODE_RESIZE:
            rules.fail("HCQ-088", expected, data, "no resize is under way", cq.scope)
        elif any(self._is_body(cq, item, data) for item in self._reports.homeless()):
            why = "the report is for no CQ of hardware"
            rules.fail("HCQ-118/silent", expected, data, why, cq.scope)
        else:
            rules.fail("HCQ-032", expected, data, "the CQE is the report", cq.scope)

    def _other_cq(self, cq: Cq, data: bytes) -> Cq | None:
        return next((other for other in self.owners(data) if other is not cq), None)

    def owners(self, data: bytes) -> list[Cq]:
        """The CQs with an open report that ``data`` is the CQE of."""
        return [
            cq
            for cq in self._ctx.cqs.values()
            if any(item.settled is None and self._is_body(cq, item, data) for item in cq.reports)
        ]

    def refused(self, data: bytes) -> Cq | None:
        """The CQ whose overflow refused the report that ``data`` is the CQE of."""
        for cq in self._ctx.cqs.values():
            if cq.refused is not None and len(data) == CQE_BYTES and self._is_body(cq, cq.refused, data):
                return cq
        return None

    def _is_body(self, cq: Cq, item: Item, data: bytes) -> bool:
        return self._same(self._expected(cq, item), data, item.report.error)

    def _owner_bit(self, cq: Cq, expected: bytes, data: bytes) -> None:
        rules = self._ctx.rules
        seen = data[_OWNER_BYTE] >> 7
        if cq.collapsed:
            self._collapsed_owner(cq, seen)
            return
        why = f"owner bit of index {cq.pi:#x}, {cq.ring.size} entries"
        rule = "HCQ-033"
        if cq.resized_at is not None:
            rule = "HCQ-089"
        elif True in cq.oi and cq.pi - cq.start >= cq.ring.size:
            rule = "HCQ-081"
        good = rules.eq(rule, expected[_OWNER_BYTE] >> 7, seen, why, cq.scope)
        if good and rule != "HCQ-033":
            rules.met("HCQ-033", why, cq.scope)
        if good and cq.pi >> 24 > cq.start >> 24:
            rules.met("HCQ-038", "owner behind the wrap of the counters", cq.scope)

    def _collapsed_owner(self, cq: Cq, seen: int) -> None:
        choices, rules = self._ctx.choices, self._ctx.rules
        lap = cq.ring.owner(cq.pi)
        allowed = {lap} if choices.may("CC_OWNER", "lap") else set()
        if choices.may("CC_OWNER", "zero"):
            allowed.add(0)
        sure = len(allowed) == 1
        good = rules.one_of("HCQ-087", allowed, seen, "owner bit with cc = 1", cq.scope, sure=sure)
        if good and lap:
            choices.fix("CC_OWNER", "lap" if seen else "zero")

    def _room(self, cq: Cq) -> None:
        rules = self._ctx.rules
        fits, out = self._reports.fits(cq)
        size = cq.ring.size
        if not fits:
            rule = "HCQ-096" if cq.resized_at is not None else "HCQ-071/not_after"
            rule = "HCQ-087" if cq.collapsed else rule
            why = f"{out} of {size} CQEs are outstanding"
            rules.fail(rule, "no CQE", "a CQE", why, cq.scope)
            rules.fail("HCQ-072", "unread CQEs kept", "overwritten", why, cq.scope)
            cq.capacity_free = True
        elif False in cq.oi and len(cq.oi) == 1:
            sure = 0 <= out <= size - 1
            if out == size - 1 and size > 1 and not cq.collapsed:
                self._ctx.choices.fix("CAP_MODE", "N")
            rules.met("HCQ-071/not_before", "a CQE that fits is written", cq.scope, sure=sure)
            if out < 0:
                rules.met("HCQ-044", "consumer counter ahead: no overflow", cq.scope)
            elif cq.resized_at is not None:
                rules.met("HCQ-096", "capacity of the new ring", cq.scope)
            if len(cq.published) > 1 and cq.outstanding(cq.published[-2][1]) >= size - 1:
                rules.met("HCQ-043", "room by the newest consumer counter", cq.scope)
        elif cq.oi == {True} and out >= size:
            rules.met("HCQ-081", "over an unread CQE", cq.scope)
            rules.tempt("HCQ-080", cq.path)
            rules.met("HCQ-082", "whatever the record says", cq.scope)
            if not cq.created_oi:
                rules.met("HCQ-083", "overrun ignored behind opmod 3", cq.scope)

    def _place_met(self, cq: Cq) -> None:
        """The place was right: what that shows."""
        rules, ring, ctx = self._ctx.rules, cq.ring, self._ctx
        met = ["HCQ-026", "HCQ-027", "HCQ-028", "HCQ-034", "HCQ-106/writes", "HCQ-111"]
        if ring.stride != CQE_BYTES:
            met.append("HCQ-029")
        if ring.offset + ring.slots * ring.stride > 1 << ring.page_shift:
            met.append("HCQ-030")
        if cq.collapsed:
            met.append("HCQ-085")
        if cq.resized_at is not None:
            met.append("HCQ-089")
        if cq.number in ctx.former:
            met.append("HCQ-031")
            met.append("HCQ-114")
        if cq.pi >> 24 > cq.start >> 24:
            met.append("HCQ-038")
        if not ring.aligned:
            rules.observe("HCQ-026")
            met.remove("HCQ-026")
        rules.passed(met, cq.scope)
        if cq.life is Life.LIVE and cq.pi == cq.start:
            rules.met("HCQ-013", "the new CQ is served", cq.scope)
        cq.turns.setdefault("HCQ-037", None)

    def _tempt(self, cq: Cq, solicited: bool) -> None:
        """Requests that must not fire for this CQE."""
        if not solicited and any(state.armed and state.armed.kind == 1 for state in cq.arm.states):
            self._ctx.rules.tempt("HCQ-047/plain", cq.path)
        if any(state.armed and state.armed.kind == 3 for state in cq.arm.states):
            self._ctx.rules.tempt("HCQ-049/waits", cq.path)
