"""What the DUT writes into memory: which area each write belongs to, and which rule a stray one breaks."""

from __future__ import annotations

from ref_model.events import MemWrite
from ref_model.hermon_cq.command_watch import CommandWatch
from ref_model.hermon_cq.cq import Cq, Life
from ref_model.hermon_cq.cqes import Cqes
from ref_model.hermon_cq.event_queues import EventQueues
from ref_model.hermon_cq.report_queue import ReportQueue
from ref_model.hermon_cq.ring import CQE_BYTES
from ref_model.hermon_cq.shared import Context
from ref_model.memory import runs

#: Longest burst of the DUT in bytes, and the border that none crosses.
MOST_BYTES, BORDER = 64, 4096


def burst(ctx: Context, addr: int, length: int, port: str) -> None:
    """Judge the shape of a burst of the DUT (HCQ-107)."""
    crosses = addr // BORDER != (addr + length - 1) // BORDER
    if length > MOST_BYTES or crosses:
        want, why = f"at most {MOST_BYTES} bytes inside 4 KiB", f"shape of a burst on {port}"
        ctx.rules.fail("HCQ-107", want, f"{length} bytes from {addr:#x}", why, ctx.port)
    else:
        ctx.rules.met("HCQ-107", "shape of a burst", ctx.port)


class Writes:
    """Judges every write burst."""

    def __init__(
        self, ctx: Context, reports: ReportQueue, cqes: Cqes, queues: EventQueues, watch: CommandWatch
    ) -> None:
        self._ctx = ctx
        self._reports = reports
        self._cqes = cqes
        self._queues = queues
        self._watch = watch

    def write(self, event: MemWrite) -> None:
        """Judge a burst and take it into the memory image."""
        ctx = self._ctx
        ctx.access(event.begin, event.settled)
        if event.resp:
            ctx.rules.tempt("HCQ-109/survives", "sts")
            ctx.hurt = True
        burst(ctx, event.addr, len(event.data), event.port)
        found = runs(event.mask)
        if found:
            first, stop = event.addr + found[0][0], event.addr + found[-1][1]
            self._judge(event, first, stop, len(found) == 1)
        if not event.resp:
            ctx.memory.write_masked(event.addr, event.data, event.mask)

    def _judge(self, event: MemWrite, first: int, stop: int, whole: bool) -> None:
        queue = self._queues.at(first)
        if queue is not None:
            self._queues.written(queue, event, first, stop)
            return
        if self._watch.written(event, first, stop):
            return
        cq = self._cqes.find(first, stop) if whole else None
        if cq is not None:
            place = self._cqes.expected_at(cq)
            assert place is not None
            at = place - event.addr
            self._cqes.written(cq, event, event.data[at : at + CQE_BYTES])
            return
        self._stray(event, first, stop)

    # -- blame --------------------------------------------------------------------------------------

    def _stray(self, event: MemWrite, first: int, stop: int) -> None:
        rule, expected, why, cq = self._blame(first, stop, event)
        scope = cq.scope if cq is not None else self._ctx.port
        self._ctx.rules.fail(rule, expected, f"a write of {first:#x} .. {stop:#x}", why, scope)
        if cq is not None and stop - first == CQE_BYTES:
            self._misplaced(cq, event)

    def _misplaced(self, cq: Cq, event: MemWrite) -> None:
        """Go on as if the CQE had been written to its place: one finding per fault."""
        item = next((item for item in cq.reports if item.settled is None), None)
        if item is not None:
            item.settled = event.settled
            cq.wrote(event.settled, item.report.solicited or item.report.error)

    def _blame(self, first: int, stop: int, event: MemWrite) -> tuple[str, str, str, Cq | None]:
        ctx = self._ctx
        filling = self._watch.blame(first, stop)
        if filling is not None:
            return *filling, None
        late = self._cqes.refused(self._data(event, first, stop))
        if late is not None:
            return "HCQ-072", "no write", "the CQE of a report that was refused", late
        waiting = self._reports.waiting()
        for cq in waiting:
            found = self._near(cq, first, stop)
            if found is not None:
                return *found, cq
        for cq in [*ctx.cqs.values(), *ctx.former.values()]:
            for ring in (cq.ring, *cq.old_rings):
                slot = ring.slot_at(first, ctx.memory)
                owner = (
                    self._owner(event, first, stop) if slot is not None and cq.life is not Life.GONE else None
                )
                if owner is not None and owner is not cq:
                    return (
                        "HCQ-116",
                        f"a place of CQ {owner.number:#x}",
                        f"the ring of CQ {cq.number:#x}",
                        owner,
                    )
                if slot is not None:
                    return *self._inside(cq, ring is cq.ring, slot), cq
        if waiting and stop - first == CQE_BYTES:
            cq = waiting[0]
            return *self._outside(cq, first), cq
        for cq in ctx.cqs.values():
            if cq.record <= first < cq.record + 8:
                return "HCQ-041", "no write", "the DB record belongs to software", cq
        return "HCQ-106/writes", "no write here", "nothing of the DUT lies here", None

    @staticmethod
    def _data(event: MemWrite, first: int, stop: int) -> bytes:
        return event.data[first - event.addr : stop - event.addr]

    def _owner(self, event: MemWrite, first: int, stop: int) -> Cq | None:
        """The only CQ whose next CQE a stray write of 32 bytes is."""
        data = self._data(event, first, stop)
        owners = self._cqes.owners(data) if len(data) == CQE_BYTES else []
        return owners[0] if len(owners) == 1 else None

    def _near(self, cq: Cq, first: int, stop: int) -> tuple[str, str, str] | None:
        """A write that touches the next CQE of ``cq``, or its slot, but is not this CQE."""
        place = self._cqes.expected_at(cq)
        if place is None:
            return None
        want = f"{place:#x} .. {place + CQE_BYTES:#x}"
        if cq.ring.stride == 2 * CQE_BYTES and place - CQE_BYTES <= first < place:
            return "HCQ-029", want, "a 64-byte stride has its CQE in the upper half"
        if cq.ring.stride > CQE_BYTES and place + CQE_BYTES <= first < place + cq.ring.stride - CQE_BYTES:
            return "HCQ-029", want, "the CQE lies in the first bytes of the slot"
        if first == place and stop == place + CQE_BYTES:
            return "HCQ-032", want, "all 32 bytes of a CQE are written"
        if first < place + CQE_BYTES and stop > place and stop - first < CQE_BYTES:
            return "HCQ-034", want, "the 32 bytes of a CQE come in one piece, byte 31 last"
        return None

    def _inside(self, cq: Cq, present: bool, slot: int) -> tuple[str, str, str]:
        """A write into a ring of ``cq``, not to its next slot."""
        if cq.life is Life.GONE:
            live = self._ctx.cqs.get(cq.number)
            if live is not None and live.reports:
                return "HCQ-031", "the ring of the present life", "a place of the former life of the CQ"
            return "HCQ-111", "no write", "HW2SW_CQ has ended"
        expected = f"slot {cq.pi % cq.ring.size}" if cq.reports else "no write"
        if not present:
            return "HCQ-089", expected, "the ring before the resize is software's"
        if cq.fault:
            return "HCQ-075", "no write", "the CQ is in error"
        if self._cqes.expected_at(cq) is None:
            return "HCQ-077/nothing", "no write", "the page of the next CQE is absent"
        if all(item.settled is not None for item in cq.reports):
            if self._reports.homeless():
                return "HCQ-118/silent", "no write", "the report is for no CQ of hardware"
            return "HCQ-036", "no write", "no report is open"
        if cq.collapsed:
            return "HCQ-085", "slot 0", f"slot {slot} with cc = 1"
        if cq.odd:
            bits = ", ".join(cq.reserved)
            return "HCQ-011", expected, f"slot {slot}: {bits} not 0 at creation, without it slots are right"
        if cq.resized_at is not None:
            return "HCQ-089", expected, f"slot {slot}: places behind a resize follow the new size"
        if cq.pi >> 24 > cq.start >> 24 and (cq.pi & 0xFFFFFF) < 2 * cq.ring.size:
            return "HCQ-038", expected, f"slot {slot} behind the wrap of the counters"
        page = 1 << cq.ring.page_shift
        if cq.ring.byte_offset(cq.pi) % page == cq.ring.byte_offset(slot) % page:
            return "HCQ-030", expected, f"slot {slot}: another page of the ring"
        return "HCQ-026", expected, f"slot {slot} of the ring"

    def _outside(self, cq: Cq, first: int) -> tuple[str, str, str]:
        """A CQE outside every ring, taken for one of ``cq``."""
        place = self._cqes.expected_at(cq)
        if place is None:
            return "HCQ-077/nothing", "no write", "the page is absent"
        inside = (1 << cq.ring.page_shift) - 1
        want = f"{place:#x}"
        former = self._ctx.former.get(cq.number)
        if former is not None and first & -(1 << former.ring.page_shift) in former.pages:
            return "HCQ-031", want, "a page of the former life of the CQ"
        pages = cq.ring.pages(self._ctx.memory).values()
        if first & inside == place & inside and first & ~inside not in pages:
            return "HCQ-028", want, "page address by the MTT entry"
        if first & ~inside == place & ~inside:
            return "HCQ-026", want, "offset in the page"
        if first & ~inside in pages:
            return "HCQ-030", want, "another page of the ring"
        if first & 0xFFF == place & 0xFFF:
            return "HCQ-028", want, "page size of the context"
        return "HCQ-106/writes", want, "neither page nor offset are right"
