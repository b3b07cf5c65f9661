"""What one QP of the ERNIC does with requests from the wire (requirements sections 2 and 9 to 14).

The judge follows the requests that reached the pins and derives what each calls for; answers and
memory writes are then matched with what is owed or allowed.
"""

from __future__ import annotations

from collections.abc import Callable

from ref_model.deadlines import Must
from ref_model.ernic.acceptance import Acceptance
from ref_model.ernic.acknowledgements import ACK_ON_TIMEOUT, Acknowledgements
from ref_model.ernic.answers import NAK_INVALID, NAK_SEQUENCE, Answer, Answers
from ref_model.ernic.beyond_table import BeyondTable
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.errors import BadFrame
from ref_model.ernic.interrupts import RNR_SENT
from ref_model.ernic.payload_requests import PayloadRequests
from ref_model.ernic.read_answers import ReadAnswers
from ref_model.ernic.read_requests import ReadRequests
from ref_model.ernic.receive_queue import ReceiveQueue
from ref_model.ernic.receive_side import ReceiveSide
from ref_model.ernic.received import Progress, Received
from ref_model.ernic.refusals import Refusals
from ref_model.ernic.regions import ACCESS_READ
from ref_model.ernic.request_form import SUPPORTED, in_sequence, length_defect
from ref_model.ernic.shared import Shared
from ref_model.rocev2.psn import PSN_MASK, psn_add, psn_diff
from ref_model.rules import Scope
from ref_model.wire import INFO, Frame, OpInfo, opcodes

CODE_SEQUENCE, CODE_UNSUPPORTED = 1, 2


class Responder:
    """Judge of the receive side of one QP."""

    def __init__(
        self,
        shared: Shared,
        scope: Scope,
        number: int,
        queue: ReceiveQueue,
        on_fatal: Callable[[int | None, str, Frame | None], None],
    ) -> None:
        """``on_fatal(code, why, frame)``: a request has to turn the QP fatal (``frame`` None: it may)."""
        self._shared = shared
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self._scope = scope
        self._number = number
        self._rq = queue
        self.received = received = Received()
        self.reads = reads = ReadAnswers(shared.ctx, scope, shared.counters)
        self.acks = acks = Acknowledgements(shared.ctx, scope)
        side = ReceiveSide(shared, scope, number, queue, received, acks, reads)
        self.answers = answers = Answers(side)
        self._refusals = refusals = Refusals(side, answers, on_fatal)
        acceptance = Acceptance(side)
        self._beyond = beyond = BeyondTable(side, answers, refusals)
        self._payloads = PayloadRequests(side, refusals, acceptance, beyond)
        self._reading = ReadRequests(side, answers, refusals, acceptance, beyond)
        self._held: list[tuple[Frame, QpConfig, Device, int]] = []
        self._freed = False
        self._room_duty: Must | None = None

    # -- software ---------------------------------------------------------------------------------

    def preset(self, lstrqreq: int) -> None:
        """LSTRQREQ was written on an idle QP: expected PSN = [23:0] + 1, [31:24] the previous opcode."""
        received, last = self.received, lstrqreq & PSN_MASK
        received.begin(psn_add(last, 1), self._rq.received)
        received.last_accepted = received.last_plain = last
        received.last_opcode = lstrqreq >> 24
        self.acks.begin()
        self.answers.begin()
        self.reads.clear()
        info = INFO.get(lstrqreq >> 24)
        if info is not None and info.kind in SUPPORTED and not info.last:
            received.progress = Progress(info.kind, 0, 0, None, 0)

    # -- a hidden choice: was an element free when the DUT looked? ----------------------------------

    def freed(self, by_side_band: bool = False) -> None:
        """RQCI was written: a SEND that found the ring full may have been looked at only afterwards."""
        self._freed = True
        self._rq.by_side_band = by_side_band

    @property
    def owes(self) -> bool:
        """Whether the DUT owes an answer of this QP now."""
        return self.acks.owed or self.answers.due or self.reads.due

    def settle_room(self, psn: int | None = None, syndrome: int = 0) -> bool:
        """An output shows how the DUT decided about the held SEND; returns whether something was held.

        ``psn`` and ``syndrome`` of an answer, or None for a memory write that only an accepted SEND causes.
        """
        if not self._held or (psn is None and not self._freed):
            return False
        first = self._held[0][0].bth
        assert first is not None
        if psn is not None and psn_diff(psn, first.psn) < 0:
            return False
        refused = psn == first.psn and syndrome >> 5 == 1
        self._decide(accepted=self._freed and not refused)
        return True

    def _hold(self, frame: Frame, conn: QpConfig, device: Device, begin: int) -> None:
        bth = frame.bth
        assert bth is not None
        self._held.append((frame, conn, device, begin))
        self._shared.errors.expect(BadFrame("ERN-151", "no free RQ element"))
        self._freed = False
        self._refusals.would_write(frame, conn, "ERN-145", "no free RQ element")
        self._shared.interrupts.raise_bit(RNR_SENT, sure=False)
        self._shared.counters.add("in_send", 0, 1)
        self._room_duty = self._ctx.deadlines.must(
            "ERN-145",
            f"RNR NAK with PSN {bth.psn:#x}",
            "no free RQ element",
            self._scope,
            self._ctx.liveness(),
        )

    def _decide(self, accepted: bool) -> None:
        held, self._held = self._held, []
        self._ctx.deadlines.void(self._room_duty)
        self._shared.counters.add("in_send", 0, -1)
        if not accepted:
            frame, conn, _, _ = held.pop(0)
            self._refusals.not_ready(frame, conn)
        for frame, conn, device, begin in held:
            self.request(frame, conn, device, begin)

    # -- requests ---------------------------------------------------------------------------------

    def request(self, frame: Frame, conn: QpConfig, device: Device, begin: int) -> None:
        """Judge the reaction that an undamaged request frame for this QP calls for."""
        bth = frame.bth
        assert bth is not None
        if self._held:
            self._held.append((frame, conn, device, begin))
            self._shared.errors.expect(BadFrame("ERN-151", "it follows a SEND that may find no RQ element"))
            return
        received = self.received
        if received.open:
            self._beyond.behind(frame)
            return
        distance = psn_diff(bth.psn, received.expected)
        if distance > 0:
            self._ahead(frame, bth.psn, conn)
        elif distance < 0:
            self._duplicate(frame, conn, device)
        else:
            self._in_order(frame, conn, device, begin)

    def _ahead(self, frame: Frame, psn: int, conn: QpConfig) -> None:
        received = self.received
        row = "ERN-242" if received.after_rnr else "ERN-114"
        why = f"PSN {psn:#x} while {received.expected:#x} is expected"
        path = (self._scope.name, "rx")
        self._rules.tempt(f"{row}/noexec", path)
        self._refusals.would_write(frame, conn, f"{row}/noexec", why)
        received.refuse(psn, f"{row}/noexec")
        self._refusals.may_count(why)
        self._far(psn)
        if received.gap_reported:
            if received.after_rnr:
                self._rules.tempt("ERN-242/count", path, "M_RULES")
            return
        received.gap_reported = True
        optional = received.after_rnr
        self.answers.owe(Answer(NAK_SEQUENCE, received.expected, f"{row}/count", why, optional))

    def _far(self, psn: int) -> None:
        """A PSN far from the expected one tells the half window from a plain comparison."""
        if self.received.look(psn):
            self._rules.tempt("ERN-118", (self._scope.name, "rx"))

    def _duplicate(self, frame: Frame, conn: QpConfig, device: Device) -> None:
        bth = frame.bth
        assert bth is not None
        self._shared.counters.add("duplicate")
        self._refusals.may_count("duplicate")
        info = INFO.get(bth.opcode)
        reading = info is not None and info.kind == "read_req" and frame.reth is not None
        if info is None or not (reading or info.kind in SUPPORTED):
            return
        path, received = (self._scope.name, "rx"), self.received
        if received.progress is not None:
            self._rules.tempt("ERN-117", path)
        self._far(bth.psn)
        if reading and frame.reth is not None:
            self._reading.again(frame, frame.reth, conn)
            return
        why = f"PSN {bth.psn:#x} was received before"
        self._rules.tempt("ERN-115/noeffect", path)
        self._refusals.would_write(frame, conn, "ERN-115/noeffect", why)
        if info.kind == "send" and self._ring_full(conn):
            self._rules.tempt("ERN-243/noeffect", path)
        self.acks.repeated(bth.psn, received.last_plain)
        if bth.ack_req and device.ack_mode != ACK_ON_TIMEOUT:
            rule, knob = "ERN-115/ack", None
            if self._would_be_refused(frame, info, conn):
                rule, knob = "ERN-243/answer", "M_RULES"
            self.acks.owe(bth.psn, rule, "another ACK", why, knob)

    def _would_be_refused(self, frame: Frame, info: OpInfo, conn: QpConfig) -> bool:
        """Return whether the request of a duplicate could not be executed now: ring full, region gone."""
        if info.kind == "send":
            return self._ring_full(conn)
        return frame.reth is not None and self._shared.regions.denies(frame.reth, conn.pd)

    def _ring_full(self, conn: QpConfig) -> bool:
        return self.received.elements - self._rq.consumer.count >= max(conn.rq_depth, 1)

    def _in_order(self, frame: Frame, conn: QpConfig, device: Device, begin: int) -> None:
        bth = frame.bth
        assert bth is not None
        received = self.received
        info = INFO.get(bth.opcode)
        progress = received.progress
        if not in_sequence(info, progress):
            # an unsupported opcode inside a message may be told either way
            code = CODE_SEQUENCE if info is not None and info.kind in SUPPORTED | {"read_req"} else None
            why = f"{opcodes.name_of(bth.opcode)} out of sequence"
            self._refusals.would_write(frame, conn, "ERN-128", why)
            if info is not None and info.kind == "read_req" and frame.reth is not None:
                for first, length in self._shared.regions.check(frame.reth, conn.pd, ACCESS_READ).would_be:
                    self._ctx.reads.refuse(first, length, "ERN-128", why, self._scope)
            self._refusals.refuse(frame, NAK_INVALID, "ERN-128", why, code)
            return
        if info is None or info.kind not in SUPPORTED:
            if info is not None and info.kind == "read_req" and frame.reth is not None:
                self._reading.request(frame, frame.reth, info, conn, device)
                return
            why = f"unsupported {opcodes.name_of(bth.opcode)}"
            if bth.opcode >> 5 == 0:
                self._refusals.refuse(frame, NAK_INVALID, "ERN-129", why, CODE_UNSUPPORTED)
            else:  # another transport service: refused like it, or dropped
                self.answers.owe(Answer(NAK_INVALID, bth.psn, "ERN-129", why, optional=True))
                self._refusals.may_count(why)
                self._refusals.may_turn_fatal(why)
            return
        defect = length_defect(frame, info, progress, conn)
        if defect:
            self._refusals.contain(frame, conn, progress, defect)
            self._refusals.refuse(frame, NAK_INVALID, "ERN-130/nak", defect, None)
            return
        judge = self._payloads.send if info.kind == "send" else self._payloads.write
        if not judge(frame, info, conn, device):
            self._hold(frame, conn, device, begin)

    def dropped(self, frame: Frame, conn: QpConfig, rule: str, why: str) -> None:
        """A frame for this QP was dropped: nothing of it may show."""
        bth = frame.bth
        assert bth is not None
        self.received.refuse(bth.psn, rule)
        if bth.psn == self.received.expected:
            self.answers.stands("ERN-110")
        self._ctx.refused_psns.append((bth.psn, rule))
        self._refusals.would_write(frame, conn, rule, why)

    # -- answers from the DUT ---------------------------------------------------------------------

    def response(self, frame: Frame, conn: QpConfig, device: Device) -> None:
        """Judge an ACK or NAK of this QP."""
        bth, aeth = frame.bth, frame.aeth
        assert bth is not None and aeth is not None
        self.settle_room(bth.psn, aeth.syndrome)
        self.answers.judge(frame, conn, device)

    def read_response(self, frame: Frame, conn: QpConfig) -> None:
        """Judge a READ response of this QP."""
        bth, received = frame.bth, self.received
        assert bth is not None
        self.settle_room(bth.psn)
        entry = self.reads.match(bth.psn)
        if entry is None:
            self.reads.unasked(frame, received.refusal(bth.psn))
            return
        self._shared.errors.answered(self._number, entry.psn)
        self.reads.judge(entry, frame, conn)
        if frame.aeth is not None:
            self.answers.message_count(bth.psn, frame.aeth)
        if received.open and not entry.again:
            self.answers.taken_after_all()
        if not entry.again:
            self.acks.no_longer_owed(before=bth.psn)  # READ responses acknowledge what came before
            self.answers.revived = ""
        self.reads.advance(entry)

    def died(self) -> None:
        """The QP is fatal: what it refused comes behind its READ data, else the data is no longer owed."""
        if not self.received.fatal:
            self.reads.no_longer_owed()
        self.acks.stopped()
