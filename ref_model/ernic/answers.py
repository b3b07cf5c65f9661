"""ACKs and NAKs of one QP: which are owed or allowed, and what those that leave show (sections 11, 12)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ref_model.deadlines import Must
from ref_model.ernic.acknowledgements import ACK_ON_REQUEST, ACK_ON_TIMEOUT
from ref_model.ernic.answer_order import AnswerOrder
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.headers import RESPONSE, check_headers, packet_diff
from ref_model.ernic.receive_side import ReceiveSide
from ref_model.rocev2.psn import PSN_MASK, psn_add, psn_diff
from ref_model.wire import INFO, Aeth, Bth, Frame, opcodes

NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS = 0x60, 0x61, 0x62


@dataclass(frozen=True, slots=True)
class Answer:
    """A NAK that is owed or allowed; ``syndrome`` -1: any."""

    syndrome: int
    psn: int
    rule: str
    why: str
    optional: bool = False


class Answers:
    """Judge of the ACKs and NAKs of one QP."""

    def __init__(self, side: ReceiveSide) -> None:
        """Nothing is owed."""
        self._shared = side.shared
        self._ctx = side.shared.ctx
        self._rules = side.shared.ctx.rules
        self._scope = side.scope
        self._number = side.number
        self._rq = side.queue
        self._received = side.received
        self._acks = side.acks
        self._reads = side.reads
        #: Whether the QP that has this slot in the other QP_BASE_MODE owes the ACK with a PSN.
        self.owed_by_other_slot: Callable[[int], bool] = lambda psn: False
        self.revived = ""  #: rule of a new life in which nothing was acknowledged yet
        self._stands: dict[int, str] = {}  # PSN that something must not have used up: its rule
        self.begin()

    def begin(self) -> None:
        """Start anew: nothing is owed."""
        self.owed: deque[tuple[Answer, Must | None]] = deque()
        self._turn = AnswerOrder()

    # -- what is owed -----------------------------------------------------------------------------

    def owe(self, answer: Answer, knob: str | None = None) -> None:
        """``answer`` has to follow, or may."""
        duty = None
        if not answer.optional:
            expected = f"NAK {answer.syndrome:#x} with PSN {answer.psn:#x}"
            deadline = self._ctx.liveness()
            duty = self._ctx.deadlines.must(answer.rule, expected, answer.why, self._scope, deadline, knob)
        self.owed.append((answer, duty))

    @property
    def due(self) -> bool:
        """Whether a NAK is owed now."""
        return any(duty is not None and duty.open for _, duty in self.owed)

    def stands(self, rule: str) -> None:
        """A frame came that must not move the expected PSN, by ``rule``."""
        self._stands[self._received.expected] = rule

    def taken_after_all(self) -> None:
        """An answer shows that the request whose key is beyond the table was executed."""
        self._received.open = False
        self.owed = deque(entry for entry in self.owed if entry[0].rule != "ERN-028")

    # -- what leaves ------------------------------------------------------------------------------

    def judge(self, frame: Frame, conn: QpConfig, device: Device) -> None:
        """Judge an ACK or NAK of this QP."""
        rules, scope = self._rules, self._scope
        bth, aeth = frame.bth, frame.aeth
        assert bth is not None and aeth is not None
        before = rules.findings_total
        if bth.psn not in self._acks.repeats:
            self._turn.answer(rules, scope, bth.psn, aeth.syndrome >> 5 == 0)
        rules.eq(
            "ERN-125", (b"", 0), (frame.payload, len(frame.trailer)), "ACK and NAK carry no payload", scope
        )
        rules.eq("ERN-053", True, frame.icrc_ok, "ICRC over the frame", scope)
        check_headers(rules, conn, frame, RESPONSE, scope, 0)
        if aeth.syndrome >> 5 == 0:
            self._ack(bth.psn, aeth, device)
        else:
            self._nak(bth.psn, aeth, conn)
        self.message_count(bth.psn, aeth)
        if rules.findings_total != before:
            expected = Bth(opcodes.ACKNOWLEDGE, conn.dest_qp, bth.psn, conn.pkey)
            rows = packet_diff(conn, rules.knobs, frame, expected, aeth=Aeth(aeth.syndrome, aeth.msn))
            rules.explain(before, rows)
        rules.alive((scope.name, "ack"))

    def _ack(self, psn: int, aeth: Aeth, device: Device) -> None:
        rules, scope, received = self._rules, self._scope, self._received
        self._shared.errors.answered(self._number, psn)
        self.revived = ""
        credit = rules.knobs["AETH_CREDIT"]
        self._shared.counters.add("out_ack")
        rules.met("ERN-124/kind", "syndrome[7:5] = 000", scope)
        if credit != "mask":
            rules.eq(
                "ERN-124/credit", credit, aeth.syndrome & 0x1F, "credit field", scope, knob="AETH_CREDIT"
            )
        accepted = received.last_accepted
        if psn in self._acks.repeats:
            rules.met("ERN-115/ack", "a duplicate is acknowledged again", scope)
            rules.met("ERN-243/answer", "with an ACK, whatever the ring or its row are by now", scope)
            self._acks.covered(psn)
            self._acks.advance(psn)
            return
        if not self._in_order_of_reads(psn, "an ACK with PSN"):
            return
        refused = received.refusal(psn)
        if refused is None and not received.counts:
            refused = received.last_refusal()
        if refused is None and accepted is None:
            refused = next((rule for number, rule in reversed(self._ctx.refused_psns) if number == psn), None)
        if refused is not None and (accepted is None or not received.counts or psn_diff(psn, accepted) > 0):
            rules.fail(refused, "no ACK", psn, "this request must not be executed", scope)
            return
        slot = "what is addressed to a QP is answered with the settings of its slot"
        first = self._acks.sent_to is None and not received.counts
        if accepted is None or psn_diff(psn, accepted) > 0 or first:
            if self.owed_by_other_slot(psn):
                expected = "the ACK from the slot of QP_BASE_MODE"
                rules.fail("ERN-019", expected, f"PSN {psn:#x} from another", slot, scope, "QP_BASE_MODE")
                return
            rules.fail("ERN-122", "PSN of an accepted request", psn, "ACK beyond what was accepted", scope)
            return
        if self._acks.sent_to is not None and psn_diff(psn, self._acks.sent_to) <= 0:
            rules.fail(
                "ERN-122", f"beyond {self._acks.sent_to:#x}", psn, "ACKs do not step back or repeat", scope
            )
            return
        rules.met("ERN-122", "PSN of an accepted request, moving forward", scope)
        if received.open and psn == accepted:
            self.taken_after_all()
        rules.met("ERN-019", slot, scope, knob="QP_BASE_MODE")
        if device.ack_mode == ACK_ON_REQUEST:
            asked = self._acks.asked_for(psn)
            rules.eq("ERN-119", True, asked, "ACK only for requests with the A bit", scope)
        elif device.ack_mode == ACK_ON_TIMEOUT:
            self._acks.not_before_timeout(psn)
        self._acks.covered(psn, by_ack=True)
        self._acks.advance(psn)

    def _nak(self, psn: int, aeth: Aeth, conn: QpConfig) -> None:
        rules, scope, received = self._rules, self._scope, self._received
        self._shared.counters.add("out_nak", int(aeth.syndrome >> 5 == 3), 1)
        self._shared.counters.add("out_ack", 0, 1)
        if aeth.syndrome >> 5 not in (1, 3) and not self.owed:
            rules.fail("ERN-124/kind", 0, aeth.syndrome >> 5, "syndrome[7:5] of an ACK", scope)
            return
        legal = (NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS, 0x63, *range(0x20, 0x40))
        if not rules.one_of("ERN-127", legal, aeth.syndrome, "NAK codes of RC", scope):
            return
        if aeth.syndrome == NAK_SEQUENCE and self._reads.inside_last(psn, conn.pmtu):
            expected = f"PSN {received.expected:#x}"
            rules.fail("ERN-245", expected, psn, "the PSN behind the responses of a READ is next", scope)
            return
        repeated = any(answer.rule == "ERN-116" and answer.psn == psn for answer, _ in self.owed)
        if not repeated and not self._in_order_of_reads(psn_add(psn, -1), "a NAK behind PSN"):
            return
        for position, (answer, duty) in enumerate(self.owed):
            if answer.psn == psn and answer.syndrome in (aeth.syndrome, -1):
                for skipped, _ in list(self.owed)[:position]:
                    if not skipped.optional:
                        rules.fail(
                            skipped.rule,
                            f"NAK {skipped.syndrome:#x} first",
                            aeth.syndrome,
                            skipped.why,
                            scope,
                        )
                del self.owed[position]
                self._ctx.deadlines.meet(duty)
                self._acks.covered(psn_add(psn, -1))
                if answer.rule == "ERN-131":
                    self._overflowed(psn)
                return
        self._unowed_nak(psn, aeth, conn)

    def _unowed_nak(self, psn: int, aeth: Aeth, conn: QpConfig) -> None:
        """A NAK that is not owed: tell which rule it breaks."""
        rules, scope, received = self._rules, self._scope, self._received
        pending = next((answer for answer, _ in self.owed if answer.psn == psn), None)
        if pending is not None:
            rules.fail(pending.rule, pending.syndrome, aeth.syndrome, pending.why, scope)
        elif self.owed:
            answer = self.owed[0][0]
            rules.fail(answer.rule, f"PSN {answer.psn:#x}", psn, answer.why, scope)
        elif self._acks.repeats and aeth.syndrome == NAK_INVALID:
            rules.fail("ERN-117", "no NAK", aeth.syndrome, "a duplicate disturbs nothing", scope)
        elif psn in self._acks.repeats:
            rules.fail("ERN-243/noeffect", "an ACK", aeth.syndrome, "a duplicate draws no NAK", scope)
        elif aeth.syndrome == NAK_SEQUENCE and received.gap_reported:
            rule = "ERN-242/count" if received.after_rnr else "ERN-114/count"
            why = "the gap was reported before"
            rules.fail(rule, "one NAK per gap", aeth.syndrome, why, scope, knob="M_RULES")
        elif received.fatal:
            rules.fail("ERN-134", "silence", aeth.syndrome, "one fatal NAK per QP", scope, knob="M_RULES")
        elif aeth.syndrome == NAK_SEQUENCE:
            lost = self._shared.errors.suspect_lost(self._number, psn)
            row = "ERN-112" if received.last_read is None else "ERN-245"
            rule = self.revived or lost or ("ERN-118" if received.far_off else row)
            rules.fail(rule, "no sequence NAK", psn, f"PSN {received.expected:#x} is expected", scope)
        elif aeth.syndrome >> 5 == 1:
            rule = self.revived or ("ERN-146" if self._rq.consumer.count else "ERN-147")
            if self._rq.by_side_band:
                rule = "ERN-225"
            rules.fail(rule, "no RNR NAK", psn, "an element is free", scope)
        else:
            rule = self._shared.errors.suspect_nak(self._number, psn, aeth.syndrome)
            if rule == "ERN-127" and self._is_send_without_region(psn, conn):
                rule = "ERN-037"
            rules.fail(rule, "no NAK", aeth.syndrome, "nothing was refused", scope)

    def _is_send_without_region(self, psn: int, conn: QpConfig) -> bool:
        """Return whether the request with ``psn`` is a SEND on a QP that has no writable region."""
        info = INFO.get(self._received.last_opcode or 0)
        sent = info is not None and info.kind == "send" and psn == self._received.last_plain
        return sent and not self._shared.regions.writable(conn.pd)

    def _in_order_of_reads(self, psn: int, what: str) -> bool:
        """ERN-126: an ACK or NAK with ``psn`` leaves behind the responses of older READs."""
        earlier = self._reads.ahead_of(psn)
        rules, sent_to = self._rules, self._reads.sent_to
        if earlier is not None:
            expected = f"READ response with PSN {earlier.next_psn:#x} first"
            return rules.fail(
                "ERN-126", expected, f"{what} {psn:#x}", "PSN order", self._scope, knob="M_RULES"
            )
        if sent_to is not None and psn_diff(psn, sent_to) < 0:
            expected = f"nothing before PSN {sent_to:#x}"
            return rules.fail(
                "ERN-126", expected, f"{what} {psn:#x}", "PSN order", self._scope, knob="M_RULES"
            )
        if sent_to is not None:
            rules.met("ERN-126", "ACKs, NAKs and READ responses in PSN order", self._scope, knob="M_RULES")
        return True

    def _overflowed(self, psn: int) -> None:
        """The DUT refused the READ with ``psn`` because its queue was full: those before it are kept."""
        if self._received.after_doubt:
            self._rules.inconclusive("requests behind a READ that the DUT was free to refuse")
        for other in [entry for entry in self.owed if entry[0].rule == "ERN-131"]:
            self.owed.remove(other)
            self._ctx.deadlines.meet(other[1])
        self._reads.drop_from(psn)

    def message_count(self, psn: int, aeth: Aeth) -> None:
        """AETH MSN: from the count at the PSN of the frame to the count at its sending."""
        received = self._received
        low = None
        beyond = 0 if aeth.syndrome >> 5 == 0 else -1  # a NAK may have been made before its PSN was accepted
        for number, count in received.counts:
            if psn_diff(number, psn) > beyond:
                break
            low = count
        while (
            len(received.counts) > 1
            and self._acks.sent_to is not None
            and psn_diff(received.counts[1][0], self._acks.sent_to) <= 0
        ):
            received.counts.popleft()
        if low is None:
            low = 0 if received.counts else received.messages
        low = low - self._reads.uncounted(psn) & PSN_MASK
        span = received.messages - low & PSN_MASK
        good = (aeth.msn - low & PSN_MASK) <= span
        expected = f"{low:#x} .. {received.messages:#x}"
        if good:
            if self._stands:
                self._stands = {key: rule for key, rule in self._stands.items() if psn_diff(key, psn) > 0}
            self._rules.met(
                "ERN-123",
                "count of completed messages",
                self._scope,
                sure=span <= 4 and bool(received.counts),
            )
        else:
            rule = self._stands.get(psn, "ERN-123")
            self._rules.fail(rule, expected, aeth.msn, "count of completed messages", self._scope)
