"""What the DUT does with memory while a command runs: mailboxes, owner bits of rings, the resize CQE."""

from __future__ import annotations

from dataclasses import dataclass, field

from ref_model.events import MemWrite
from ref_model.hermon_cq import context, ports
from ref_model.hermon_cq.command_checks import HW2SW, QUERY, SW2HW, Answer, Expected, Request
from ref_model.hermon_cq.cq import Cq
from ref_model.hermon_cq.images import Before
from ref_model.hermon_cq.report_queue import ReportQueue
from ref_model.hermon_cq.ring import CQE_BYTES, Ring
from ref_model.hermon_cq.shared import Context

MAILBOX = context.BYTES
OWNER_BYTE = 31


@dataclass(slots=True)
class Running:
    """The command under way."""

    request: Request
    started: int
    expected: Expected
    fields: dict[str, int]
    cq: Cq | None
    ring: Ring | None = None  #: ring that is created or resized to
    refused: Ring | None = None  #: ring of a creation that has to be refused
    start: Before | None = None
    numbers: dict[int, int] = field(default_factory=dict)  #: pages of ``ring`` by their address
    mailbox: set[int] = field(default_factory=set)  #: bytes of the output mailbox that were written
    answered: int = 0  #: when the last of these writes had its answer
    given: bool = False  #: the input mailbox was read
    failed: bool = False  #: an access to a mailbox had an error
    faulty: bool = False  #: an access to MTT or ring had an error, or a page is absent
    resize_seen: bool = False
    slow: int = 0
    bus: int = 0


class CommandWatch:
    """Judges the accesses of the command under way, ``running``."""

    def __init__(self, ctx: Context, reports: ReportQueue) -> None:
        self._ctx = ctx
        self._reports = reports
        self.running: Running | None = None

    def written(self, event: MemWrite, first: int, stop: int) -> bool:
        """Whether a write belongs to the running command; if so, judge it."""
        running = self.running
        if running is None:
            return False
        request = running.request
        box = request.outbox
        if box <= first and stop <= box + MAILBOX and request.opcode in (HW2SW, QUERY):
            self._mailbox(running, event, first, stop)
            return True
        # What a refused resize has filled before it was refused is not judged.
        if running.ring is not None and self._fills(running, event, first, stop):
            return True
        if running.expected.answer is Answer.REFUSE:
            return False
        return request.resizes and self._resize_cqe(running, event, first, stop)

    def blame(self, first: int, stop: int) -> tuple[str, str, str] | None:
        """Rule, expectation and reason if a stray access comes from the running command.

        Owner bits that went astray are short; a whole CQE is that of a resize that had to be refused.
        """
        running = self.running
        if running is None:
            return None
        box, must_refuse = running.request.outbox, running.expected.answer is Answer.REFUSE
        if must_refuse and box <= first and stop <= box + MAILBOX:
            return running.expected.rule, "no memory write", running.expected.why
        if running.ring is None:
            return self.refused(first)
        if stop - first >= CQE_BYTES:
            return self._stray_resize_cqe(running, first) if running.request.resizes else None
        ring, memory = running.ring, self._ctx.memory
        start = running.cq.start if running.cq is not None else 0
        place = ring.place(start, memory)
        if place is None:
            return None
        if self._on_another_page(ring, first):
            return "HCQ-030", f"{place:#x} and so on", "initial owner bits, page of the entry"
        inside = (1 << ring.page_shift) - 1
        page = ring.numbers(memory).get(first & ~inside)
        end = ring.byte_offset(ring.size - 1) + CQE_BYTES
        if page is not None and (page << ring.page_shift | first & inside) >= end:
            return "HCQ-106/writes", f"{ring.slots} owner bits", "behind the end of the ring"
        if page is not None:
            return "HCQ-026", f"{place:#x} and so on", "initial owner bits, offset in the page"
        return "HCQ-028", f"{place:#x} and so on", "initial owner bits, page address"

    def _stray_resize_cqe(self, running: Running, first: int) -> tuple[str, str, str] | None:
        """A whole CQE that is not where that of the resize has to be."""
        cq, expected = running.cq, running.expected
        if expected.answer is Answer.REFUSE:
            return expected.rule, "no resize CQE", expected.why
        if cq is None or running.resize_seen or any(item.settled is None for item in cq.reports):
            return None
        slot = cq.ring.slot_at(first, self._ctx.memory)
        if slot is None:
            return None
        unread = range(cq.pi - max(0, cq.outstanding(cq.published[-1][1])), cq.pi)
        over = any(index % cq.ring.size == slot for index in unread)
        why = f"slot {slot} has an unread CQE" if over else "the resize CQE goes to the producer index"
        return "HCQ-095" if over else "HCQ-088", f"slot {cq.pi % cq.ring.size}", why

    def _mailbox(self, running: Running, event: MemWrite, first: int, stop: int) -> None:
        rules, request = self._ctx.rules, running.request
        if running.expected.answer is Answer.REFUSE:
            rule = running.expected.rule
            rules.fail(rule, "no memory write", f"{first:#x} .. {stop:#x}", running.expected.why)
            return
        if request.opcode == HW2SW and request.opmod == 1:
            rules.fail("HCQ-017/image", "no mailbox", f"{first:#x} .. {stop:#x}", "opmod 1 has no output")
            return
        running.failed = running.failed or bool(event.resp)
        running.mailbox.update(range(first - request.outbox, stop - request.outbox))
        running.answered = max(running.answered, event.settled)

    def _fills(self, running: Running, event: MemWrite, first: int, stop: int) -> bool:
        """Initial owner bits of a ring that is created or resized to."""
        ring, request = running.ring, running.request
        assert ring is not None
        if stop - first >= CQE_BYTES and running.cq is not None and running.cq.reports:
            return False
        if not running.numbers:
            running.numbers = ring.numbers(self._ctx.memory)
        if stop - first >= CQE_BYTES or ring.slot_in(first, running.numbers) is None:
            return False
        if request.opcode == SW2HW and request.opmod == 1:
            why = "opmod 1: software has prepared the ring"
            self._ctx.rules.fail("HCQ-015", "no write into the ring", f"{first:#x} .. {stop:#x}", why)
        running.faulty = running.faulty or bool(event.resp)
        return True

    def _resize_cqe(self, running: Running, event: MemWrite, first: int, stop: int) -> bool:
        cq = running.cq
        assert cq is not None and running.ring is not None
        place = cq.ring.place(cq.pi, self._ctx.memory)
        if place is None or running.resize_seen or first > place or stop < place + CQE_BYTES:
            return False
        data = event.data[place - event.addr :][:CQE_BYTES]
        opcode = data[OWNER_BYTE] & 0x1F
        if opcode != ports.OPCODE_RESIZE and any(item.settled is None for item in cq.reports):
            return False
        running.resize_seen = True
        rules = self._ctx.rules
        rules.eq("HCQ-088", ports.OPCODE_RESIZE, opcode, "opcode of the resize CQE", cq.scope)
        if event.resp:
            running.faulty = True
            return True
        rules.met("HCQ-088", "resize CQE at the producer index of the old ring", cq.scope)
        if not cq.collapsed:
            why = "owner bit of the resize CQE by the old ring"
            rules.eq("HCQ-088", cq.ring.owner(cq.pi), data[OWNER_BYTE] >> 7, why, cq.scope)
        outs = [cq.outstanding(ci) for _, ci in cq.published]
        tested = True not in cq.oi and not cq.collapsed and not cq.capacity_free
        if tested and min(outs) >= cq.ring.size:
            why = f"{min(outs)} CQEs are unread"
            rules.fail("HCQ-095", "no resize CQE", "an unread CQE overwritten", why, cq.scope)
        elif tested:
            rules.met("HCQ-095", "resize CQE over nothing unread", cq.scope)
        cq.old_rings = [cq.ring]
        cq.ring = running.ring
        cq.resized_at = cq.pi
        cq.arm.counted.size = max(cq.ring.size, cq.old_rings[0].size)
        self._reports.resizes += 1
        choices = self._ctx.choices
        sure, may = choices.sure("RSZ_EVENT", 1), choices.may("RSZ_EVENT", 1)
        ready = cq.arm.counted.waiting_tick is not None  # it waits for moderation, not for this CQE
        if not ready and any(state.armed and state.armed.kind == ports.ANY for state in cq.arm.states):
            if sure:
                cq.mark("HCQ-094")
            elif not may:
                rules.tempt("HCQ-094", cq.path)
        cq.wrote(event.settled, False, True if sure else None if may else False)
        return True

    def _on_another_page(self, ring: Ring, address: int) -> bool:
        """Whether an owner bit would be right but for the page, which is one of the ring."""
        inside = (1 << ring.page_shift) - 1
        behind = address - OWNER_BYTE - ring.byte_offset(0) & inside
        entry = behind % ring.stride == 0 and behind < ring.slots * ring.stride
        return entry and address & ~inside in ring.pages(self._ctx.memory).values()

    def stray_read(self, address: int) -> tuple[str, str, str] | None:
        """Rule, expectation and reason if a stray read comes from the running command."""
        running = self.running
        if running is None or running.ring is None or self._reports.waiting():
            return self.refused(address)
        beside = abs(address - running.request.inbox) <= MAILBOX
        if running.request.opcode != SW2HW or not running.given or beside:
            return None
        low, high = running.ring.mtt_span
        return "HCQ-027", f"{low:#x} .. {high:#x}", "the MTT entries of the ring that is created"

    def refused(self, address: int) -> tuple[str, str, str] | None:
        """The same for an access to the ring of a creation that has to be refused."""
        running = self.running
        if running is None or running.refused is None:
            return None
        low, high = running.refused.mtt_span
        if low <= address < high or running.refused.slot_at(address, self._ctx.memory) is not None:
            return running.expected.rule, "no access to the ring", running.expected.why
        return None

    def bad_access(self, address: int) -> None:
        """A read at ``address`` had an error."""
        running = self.running
        if running is None:
            return
        if running.request.inbox <= address < running.request.inbox + MAILBOX:
            running.failed = True
        else:
            running.faulty = True
