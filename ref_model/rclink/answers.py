"""What one queue pair has to answer: ACK, NAK and RNR NAK (sections 2, 6 and 7)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.rclink.config import Flow
from ref_model.rclink.sending import HALF, PSN_MASK
from ref_model.wire.rclink.rh import NAK

if TYPE_CHECKING:
    from ref_model.deadlines import Must
    from ref_model.rclink.incoming import ExpectedPsn, Request
    from ref_model.rclink.qp import Qp

#: Time stamps of requests remembered.
STAMPS = 128


@dataclass(slots=True)
class Cause:
    """A request that asks for an acknowledgement."""

    request: Request
    duplicate: bool
    optional: bool = False


class Answers:
    """Answers owed, and the judgement of those that leave."""

    def __init__(self, qp: Qp, psn: ExpectedPsn) -> None:
        self._qp = qp
        self._ctx = qp.ctx
        self._psn = psn
        self._nak_sent = False
        self._rnr_sent = False
        self._gaps = 0
        self._naks: deque[int] = deque()  # expected PSN when a NAK became due
        self._rnrs: deque[int] = deque()
        self._nak_duty: Must | None = None
        self._rnr_duty: Must | None = None
        self._ack_duty: Must | None = None
        self._causes: deque[Cause] = deque()
        self._merged = 0
        self._stamps: dict[int, int] = {}

    def forget(self) -> None:
        """Void what is owed."""
        self._qp.shared.urgent.pop(self._qp.number, None)
        self._qp.shared.turns.end(self._qp.number)
        for duty in (self._nak_duty, self._rnr_duty, self._ack_duty):
            self._ctx.deadlines.void(duty)

    def quiet(self) -> None:
        """Nothing is under way."""
        self._causes.clear()
        self._naks.clear()
        self._rnrs.clear()

    @property
    def owes(self) -> bool:
        """An answer is pending."""
        return bool(self._causes or self._naks or self._rnrs)

    @property
    def nak_due(self) -> int | None:
        """PSN of the sequence NAK that is due next."""
        return self._naks[0] if self._naks else None

    @property
    def rnr_due(self) -> int | None:
        """PSN of the RNR NAK that is due next."""
        return self._rnrs[0] if self._rnrs else None

    # -- what asks for them -----------------------------------------------------------------------

    def taken(self, request: Request) -> None:
        """A request in order was taken: what is missing behind it is a gap of its own."""
        self._stamps[request.psn] = request.timestamp
        if len(self._stamps) > STAMPS:
            del self._stamps[next(iter(self._stamps))]
        self._nak_sent = self._rnr_sent = False
        self.ask(request, duplicate=False)

    def ask(self, request: Request, duplicate: bool) -> None:
        """A request asks for an ACK."""
        ctx = self._ctx
        self._causes.append(Cause(request, duplicate))
        self._qp.shared.turns.asked(self._qp.number, request.clock, self._qp.scope)
        self._qp.gates.tempt(Flow.ACK)
        if self._ack_duty is None:
            rule = "RCL-044" if duplicate else "RCL-094"
            what = f"an ACK of QP {self._qp.number}"
            self._ack_duty = ctx.must_answer(rule, what, "a request that was taken", self._qp.scope)
        if request.fack and not duplicate:
            self._qp.shared.urgent.setdefault(self._qp.number, request.clock)

    def gap(self) -> None:
        """A request before the one that came is missing."""
        ctx = self._ctx
        if self._nak_sent:
            ctx.rules.tempt("RCL-042", ("nak", self._qp.number))
            return
        self._nak_sent = True
        self._gaps += 1
        self._naks.append(self._psn.value)
        if self._nak_duty is None:
            rule = "RCL-042" if self._gaps == 1 else "RCL-043"
            what = f"a NAK with PSN {self._psn.value:#x}"
            self._nak_duty = ctx.must_answer(rule, what, "a gap", self._qp.scope)

    def stopped(self) -> None:
        """The request in order was refused since its bank is stopped."""
        if self._rnr_sent:
            return
        self._rnr_sent = True
        self._rnrs.append(self._psn.value)
        what, why = f"an RNR NAK with PSN {self._psn.value:#x}", "the bank is stopped"
        if self._rnr_duty is None:
            self._rnr_duty = self._ctx.must_answer("RCL-052", what, why, self._qp.scope)

    # -- answers that leave -----------------------------------------------------------------------

    def ack(self, psn: int, ts_en: bool, timestamp: int) -> None:
        """Judge an ACK."""
        rules, scope = self._ctx.rules, self._qp.scope
        last = self._ctx.knobs["ACK_PSN_MODE"] == "LAST"
        expected = (psn + 1) & PSN_MASK if last else psn
        if not self._causes:
            self._unasked(psn)
            return
        if not self._psn.known(expected):
            low, high = (self._psn.lowest() - last) & PSN_MASK, (self._psn.value - last) & PSN_MASK
            wrapped = min(expected, self._psn.value) < 8 and self._psn.value != self._psn.first
            rule = "RCL-038" if wrapped else "RCL-094"
            why = "the latest PSN in order"
            rules.fail(rule, f"PSN {low:#x} .. {high:#x}", f"PSN {psn:#x}", why, scope)
        elif self._psn.value < 8 and self._psn.value != self._psn.first:
            rules.met("RCL-038", "numbers wrap", scope)
        self._urgency()
        self._in_turn()
        self._timestamp(psn, last, ts_en, timestamp)
        self._cleared(expected)
        rules.alive(("nak", self._qp.number))

    def _unasked(self, psn: int) -> None:
        """An ACK that nothing asks for: told by what was refused, or merged, before."""
        refused = self._qp.refused_rule
        rule = refused or ("RCL-095" if self._merged > 1 else "RCL-094")
        why = "nothing to acknowledge"
        self._ctx.rules.fail(rule, "no ACK", f"ACK with PSN {psn:#x}", why, self._qp.scope)

    def _timestamp(self, psn: int, last: bool, ts_en: bool, timestamp: int) -> None:
        rules, scope, causes = self._ctx.rules, self._qp.scope, self._causes
        facks = [cause for cause in causes if cause.request.fack and not cause.duplicate]
        if self._ctx.device.ack_time:
            if not rules.eq("RCL-019/ack", True, ts_en, "every ACK carries a timestamp", scope):
                return
        elif not facks:
            rules.eq("RCL-019/ack", False, ts_en, "no request with Fack", scope)
            return
        elif len(facks) == len(causes) and not rules.eq(
            "RCL-019/ack", True, ts_en, "a request with Fack", scope
        ):
            return
        if not ts_en:
            return
        echoes = {cause.request.timestamp for cause in causes if cause.duplicate or cause.request.fack}
        newest = self._stamps.get(psn if last else (psn - 1) & PSN_MASK)
        if newest is not None:
            echoes.add(newest)
        if echoes:
            rules.one_of(
                "RCL-019/ack", echoes, timestamp, "timestamp of the newest request acknowledged", scope
            )

    def _urgency(self) -> None:
        """No ACK that became due later goes before one that a Fack demands."""
        ctx, urgent = self._ctx, self._qp.shared.urgent
        if not urgent:
            return
        number, clock = next(iter(urgent.items()))
        if self._qp.number in urgent:
            others = len(self._qp.shared.turns.waiting) > 1
            ctx.rules.met("RCL-097", "a request with Fack", self._qp.scope, sure=others)
        elif self._causes[0].request.clock > clock and ctx.late(clock):
            what, seen = f"the ACK of QP {number} first", f"ACK of QP {self._qp.number}"
            ctx.rules.fail("RCL-097", what, seen, "a request with Fack", self._qp.scope)

    def _in_turn(self) -> None:
        """No queue pair is answered again and again while another one waits; a Fack has precedence."""
        self._qp.shared.turns.answered(self._qp.number)
        asked = next((cause.request for cause in self._causes if not cause.optional), None)
        if asked is not None and not asked.fack:
            self._qp.shared.turns.served(self._qp.number, asked.clock)

    def _cleared(self, expected: int) -> None:
        """An answer that knows ``expected`` left: requests that asked before it are served."""
        ctx, causes = self._ctx, self._causes
        served = 0
        while causes and ctx.late(causes[0].request.clock):
            causes.popleft()
            served += 1
        if not served and causes:
            causes.popleft()
            served = 1
        for cause in causes:
            if cause.duplicate or (cause.request.psn - expected) & PSN_MASK >= HALF:
                cause.optional = True
                served += 1
        self._merged = served
        if served > 1:
            ctx.rules.met("RCL-095", "one ACK for several requests", self._qp.scope)
        urgent = self._qp.shared.urgent
        if not any(cause.request.fack and not cause.optional for cause in causes):
            urgent.pop(self._qp.number, None)
        if self._ack_duty is not None:
            owing = any(not cause.optional for cause in causes)
            ctx.deadlines.meet(self._ack_duty)
            ctx.rules.met("RCL-094", "a request that was taken", self._qp.scope)
            self._ack_duty = None
            self._qp.shared.turns.end(self._qp.number)
            if owing:
                what = f"an ACK of QP {self._qp.number}"
                why = "a request behind the last ACK"
                self._ack_duty = ctx.must_answer("RCL-096", what, why, self._qp.scope)
            else:
                ctx.rules.met("RCL-096", "nothing left to acknowledge", self._qp.scope)

    def nak(self, psn: int, syndrome: int, missed: str) -> None:
        """Judge a NAK; ``missed``: rule that demands to take the request it names."""
        rules, scope = self._ctx.rules, self._qp.scope
        if not self._naks:
            rule = self._qp.refused_rule or ("RCL-042" if missed == "RCL-039" else missed)
            if any(cause.duplicate and cause.request.psn > self._psn.value for cause in self._causes):
                rule = "RCL-038"  # a duplicate from before the wrap was taken for a request ahead
            rules.fail(rule, "no NAK", f"NAK with PSN {psn:#x}", "one NAK for each gap", scope)
            return
        rules.observe("RCL-019/nak")
        due = self._naks.popleft()
        rules.eq("RCL-042", NAK, syndrome, "syndrome of a sequence NAK", scope)
        good = (psn - due) & PSN_MASK <= (self._psn.value - due) & PSN_MASK
        if not good:
            seen = f"PSN {psn:#x}"
            rules.fail("RCL-042", f"PSN {due:#x}", seen, "a NAK names the expected PSN", scope)
        elif psn < 8 and self._psn.first != psn:
            rules.met("RCL-038", "numbers wrap", scope)
        self._ctx.deadlines.meet(self._nak_duty)
        self._nak_duty = None
        self._optional(psn)

    def rnr(self, psn: int) -> None:
        """Judge an RNR NAK."""
        rules, scope = self._ctx.rules, self._qp.scope
        if not self._rnrs:
            rules.fail("RCL-052", "no RNR NAK", f"PSN {psn:#x}", "the bank is not stopped", scope)
            return
        due = self._rnrs.popleft()
        good = (psn - due) & PSN_MASK <= (self._psn.value - due) & PSN_MASK
        if not good:
            why = "an RNR NAK names the expected PSN"
            rules.fail("RCL-052", f"PSN {due:#x}", f"PSN {psn:#x}", why, scope)
        self._ctx.deadlines.meet(self._rnr_duty)
        self._rnr_duty = None
        self._optional(psn)

    def _optional(self, psn: int) -> None:
        """A NAK acknowledges what lies before its PSN: an ACK for that may still come, but is not owed.

        The request with that PSN, where it was taken before the NAK left, is owed its ACK.
        """
        kept = []
        for cause in self._causes:
            told = cause.duplicate or (cause.request.psn - psn) & PSN_MASK >= HALF
            if told and self._ctx.late(cause.request.clock):
                continue
            cause.optional = cause.optional or told
            kept.append(cause)
        self._causes.clear()
        self._causes.extend(kept)
        if any(not cause.optional for cause in kept):
            return
        self._ctx.deadlines.meet(self._ack_duty)
        self._ack_duty = None
        self._qp.shared.turns.end(self._qp.number)
        self._qp.shared.urgent.pop(self._qp.number, None)
