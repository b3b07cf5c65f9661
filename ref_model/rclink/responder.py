"""TYPE1 responder of one queue pair: what to deliver, what to answer (sections 2, 6, 7 and 14.4).

Whether a request is taken may be open for a while: its bank was stopped or released at about that time, or
its IP checksum is wrong. Such a request, and all behind it, is held undecided until an output tells.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.rclink.config import Flow
from ref_model.rclink.context import CLIENT_PATH
from ref_model.wire.rclink.rh import ACK_SYNDROME, KIND_BITS, NAK, RNR_NAK

if TYPE_CHECKING:
    from ref_model.rclink.qp import Qp

PSN_MASK = 4095
HALF = 2048
#: Time stamps of requests remembered, and delivered payloads to tell a second delivery.
STAMPS = 128
DELIVERED = 32


@dataclass(slots=True)
class Request:
    """One request that passed all checks before the PSN."""

    psn: int
    payload: bytes
    fack: bool
    timestamp: int
    source: int  #: MAC_SA[9:0]
    clock: int  #: tx clock by which the DUT has seen it
    sure: bool = True  #: it certainly passed the checks
    rule: str = "RCL-039"  #: rule that demands to take it
    stop: bool | None = False  #: its bank is stopped with RNR NAKs enabled; None: perhaps


@dataclass(slots=True)
class Cause:
    """A request that asks for an acknowledgement."""

    request: Request
    duplicate: bool
    optional: bool = False


@dataclass(slots=True, eq=False)
class Delivery:
    """A payload the client has to get."""

    payload: bytes
    source: int
    duty: Must
    psn: int
    rule: str


class Responder:
    """What one queue pair has to deliver and to answer."""

    def __init__(self, qp: Qp) -> None:
        self.qp = qp
        self.ctx = qp.ctx
        self.preset(0)

    def preset(self, psn: int) -> None:
        """Software wrote the expected PSN."""
        self.first = self.expected = psn & PSN_MASK
        self.nak_sent = False
        self.rnr_sent = False
        self.gaps = 0
        self._naks: deque[int] = deque()  # expected PSN when a NAK became due
        self._rnrs: deque[int] = deque()
        self._nak_duty: Must | None = None
        self._rnr_duty: Must | None = None
        self._ack_duty: Must | None = None
        self._causes: deque[Cause] = deque()
        self._merged = 0
        self._stamps: dict[int, int] = {}
        self._history: deque[tuple[int, int]] = deque()
        self.doubts: deque[Request] = deque()
        self.deliveries: deque[Delivery] = deque()
        self._delivered: deque[bytes] = deque(maxlen=DELIVERED)

    def forget(self) -> None:
        """Void what is owed (software starts the queue pair anew)."""
        duties = [self._nak_duty, self._rnr_duty, self._ack_duty]
        self.qp.shared.urgent.pop(self.qp.number, None)
        self.qp.shared.turns.end(self.qp.number)
        for duty in (*duties, *(entry.duty for entry in self.deliveries)):
            self.ctx.deadlines.void(duty)

    @property
    def owes(self) -> bool:
        """An answer is pending."""
        return bool(self._causes or self._naks or self._rnrs)

    # -- requests ---------------------------------------------------------------------------------

    def take(self, request: Request) -> None:
        """A request came that passed the checks before its PSN."""
        if self.doubts:
            self.doubts.append(request)
            return
        ctx = self.ctx
        distance = (request.psn - self.expected) & PSN_MASK
        if distance == 0:
            if not request.sure or request.stop is None:
                self.doubts.append(request)
                self.qp.doubtful()
            elif request.stop:
                self._refuse_stopped(request)
            else:
                self._accept(request)
        elif distance < HALF:
            ctx.refuse(request.payload, "RCL-042", "a request before it is missing")
            self._gap(request)
        else:
            ctx.refuse(request.payload, "RCL-044", "a duplicate")
            self._cause(request, duplicate=True)

    def _accept(self, request: Request) -> None:
        ctx = self.ctx
        why = "a request in order"
        what = f"{len(request.payload)} bytes for QP {self.qp.number}"
        duty = ctx.deadlines.must(request.rule, what, why, self.qp.scope, ctx.liveness())
        delivery = Delivery(request.payload, request.source, duty, request.psn, request.rule)
        self.deliveries.append(delivery)
        self.qp.incoming(delivery)
        self._stamps[request.psn] = request.timestamp
        if len(self._stamps) > STAMPS:
            del self._stamps[next(iter(self._stamps))]
        self.expected = (self.expected + 1) & PSN_MASK
        self._history.append((request.clock, self.expected))
        if len(self._history) > 1 and ctx.late(self._history[1][0]):
            self._lowest()
        self.nak_sent = self.rnr_sent = False
        self._cause(request, duplicate=False)

    def _cause(self, request: Request, duplicate: bool) -> None:
        ctx = self.ctx
        self._causes.append(Cause(request, duplicate))
        self.qp.shared.turns.asked(self.qp.number, request.clock, self.qp.scope)
        self.qp.gates.tempt(Flow.ACK)
        if self._ack_duty is None:
            rule = "RCL-044" if duplicate else "RCL-094"
            what = f"an ACK of QP {self.qp.number}"
            self._ack_duty = ctx.must_answer(rule, what, "a request that was taken", self.qp.scope)
        if request.fack and not duplicate:
            self.qp.shared.urgent.setdefault(self.qp.number, request.clock)

    def _gap(self, request: Request) -> None:
        ctx = self.ctx
        if self.nak_sent:
            ctx.rules.tempt("RCL-042", ("nak", self.qp.number))
            return
        self.nak_sent = True
        self.gaps += 1
        self._naks.append(self.expected)
        if self._nak_duty is None:
            rule = "RCL-042" if self.gaps == 1 else "RCL-043"
            what = f"a NAK with PSN {self.expected:#x}"
            self._nak_duty = ctx.must_answer(rule, what, "a gap", self.qp.scope)

    def _refuse_stopped(self, request: Request) -> None:
        ctx = self.ctx
        ctx.refuse(request.payload, "RCL-052", "its bank is stopped")
        if self.rnr_sent:
            return
        self.rnr_sent = True
        self._rnrs.append(self.expected)
        what, why = f"an RNR NAK with PSN {self.expected:#x}", "the bank is stopped"
        if self._rnr_duty is None:
            self._rnr_duty = ctx.must_answer("RCL-052", what, why, self.qp.scope)

    # -- undecided requests -----------------------------------------------------------------------

    def settle(self, taken: bool) -> None:
        """An output told whether the first undecided request was taken; those behind it follow."""
        waiting, self.doubts = self.doubts, deque()
        first = waiting.popleft()
        if taken:
            self._accept(first)
        elif first.stop is None:
            first.stop, first.sure = True, True
            self._refuse_stopped(first)
        else:
            self.ctx.refuse(first.payload, "RCL-039", "it was dropped before")
        for request in waiting:
            self.take(request)

    # -- answers ----------------------------------------------------------------------------------

    def _lowest(self) -> int:
        """Expected PSN that an answer which leaves now has to know at least."""
        history, late = self._history, self.ctx.late
        while len(history) > 1 and late(history[1][0]):
            history.popleft()
        if history and late(history[0][0]):
            return history[0][1]
        return (history[0][1] - 1) & PSN_MASK if history else self.expected

    def _known(self, expected: int) -> bool:
        """Return whether ``expected`` is a value the expected PSN may have for an answer of now."""
        low = self._lowest()
        return (expected - low) & PSN_MASK <= (self.expected - low) & PSN_MASK

    def answer(self, psn: int, syndrome: int, ts_en: bool, timestamp: int) -> None:
        """Judge an ACK or NAK that leaves now, but for the fields any answer has."""
        kind = syndrome & KIND_BITS
        reserved = kind not in (ACK_SYNDROME & KIND_BITS, NAK, RNR_NAK)
        if kind == NAK or (reserved and self._naks and psn == self._naks[0]):
            self._nak(psn, syndrome)
        elif kind == RNR_NAK:
            self._rnr(psn)
        else:
            self._ack(psn, syndrome, ts_en, timestamp)

    def _ack(self, psn: int, syndrome: int, ts_en: bool, timestamp: int) -> None:
        rules, scope = self.ctx.rules, self.qp.scope
        rules.eq("RCL-094", ACK_SYNDROME & KIND_BITS, syndrome & KIND_BITS, "syndrome of an ACK", scope)
        last = self.ctx.knobs["ACK_PSN_MODE"] == "LAST"
        expected = (psn + 1) & PSN_MASK if last else psn
        if self.doubts and (expected - self.expected - 1) & PSN_MASK < HALF:
            while self.doubts and (expected - self.expected - 1) & PSN_MASK < HALF:
                self.settle(taken=True)
        if not self._causes:
            self._unasked(psn)
            return
        if not self._known(expected):
            low, high = (self._lowest() - last) & PSN_MASK, (self.expected - last) & PSN_MASK
            wrapped = min(expected, self.expected) < 8 and self.expected != self.first
            rule = "RCL-038" if wrapped else "RCL-094"
            why = "the latest PSN in order"
            rules.fail(rule, f"PSN {low:#x} .. {high:#x}", f"PSN {psn:#x}", why, scope)
        elif self.expected < 8 and self.expected != self.first:
            rules.met("RCL-038", "numbers wrap", scope)
        self._urgency()
        self._in_turn()
        self._timestamp(psn, last, ts_en, timestamp)
        self._cleared(expected)
        rules.alive(("nak", self.qp.number))

    def _unasked(self, psn: int) -> None:
        """An ACK that nothing asks for: told by what was refused, or merged, before."""
        refused = self.qp.refused_rule
        rule = refused or ("RCL-095" if self._merged > 1 else "RCL-094")
        why = "nothing to acknowledge"
        self.ctx.rules.fail(rule, "no ACK", f"ACK with PSN {psn:#x}", why, self.qp.scope)

    def _timestamp(self, psn: int, last: bool, ts_en: bool, timestamp: int) -> None:
        rules, scope, causes = self.ctx.rules, self.qp.scope, self._causes
        facks = [cause for cause in causes if cause.request.fack and not cause.duplicate]
        if self.ctx.device.ack_time:
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
        ctx, urgent = self.ctx, self.qp.shared.urgent
        if not urgent:
            return
        number, clock = next(iter(urgent.items()))
        if self.qp.number in urgent:
            others = len(self.qp.shared.turns.waiting) > 1
            ctx.rules.met("RCL-097", "a request with Fack", self.qp.scope, sure=others)
        elif self._causes[0].request.clock > clock and ctx.late(clock):
            what, seen = f"the ACK of QP {number} first", f"ACK of QP {self.qp.number}"
            ctx.rules.fail("RCL-097", what, seen, "a request with Fack", self.qp.scope)

    def _in_turn(self) -> None:
        """No queue pair is answered again and again while another one waits; a Fack has precedence."""
        self.qp.shared.turns.answered(self.qp.number)
        asked = next((cause.request for cause in self._causes if not cause.optional), None)
        if asked is not None and not asked.fack:
            self.qp.shared.turns.served(self.qp.number, asked.clock)

    def _cleared(self, expected: int) -> None:
        """An answer that knows ``expected`` left: requests that asked before it are served."""
        ctx, causes = self.ctx, self._causes
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
            ctx.rules.met("RCL-095", "one ACK for several requests", self.qp.scope)
        urgent = self.qp.shared.urgent
        if not any(cause.request.fack and not cause.optional for cause in causes):
            urgent.pop(self.qp.number, None)
        if self._ack_duty is not None:
            owing = any(not cause.optional for cause in causes)
            ctx.deadlines.meet(self._ack_duty)
            ctx.rules.met("RCL-094", "a request that was taken", self.qp.scope)
            self._ack_duty = None
            self.qp.shared.turns.end(self.qp.number)
            if owing:
                what = f"an ACK of QP {self.qp.number}"
                why = "a request behind the last ACK"
                self._ack_duty = ctx.must_answer("RCL-096", what, why, self.qp.scope)
            else:
                ctx.rules.met("RCL-096", "nothing left to acknowledge", self.qp.scope)

    def _nak(self, psn: int, syndrome: int) -> None:
        rules, scope = self.ctx.rules, self.qp.scope
        while self.doubts and not self._naks and (psn - self.expected) & PSN_MASK < HALF:
            self.settle(taken=psn != self.expected)
        if not self._naks:
            missed = next((entry.rule for entry in self.deliveries if entry.psn == psn), "RCL-039")
            rule = self.qp.refused_rule or ("RCL-042" if missed == "RCL-039" else missed)
            if any(cause.duplicate and cause.request.psn > self.expected for cause in self._causes):
                rule = "RCL-038"  # a duplicate from before the wrap was taken for a request ahead
            rules.fail(rule, "no NAK", f"NAK with PSN {psn:#x}", "one NAK for each gap", scope)
            return
        rules.observe("RCL-019/nak")
        due = self._naks.popleft()
        rules.eq("RCL-042", NAK, syndrome, "syndrome of a sequence NAK", scope)
        good = (psn - due) & PSN_MASK <= (self.expected - due) & PSN_MASK
        if not good:
            seen = f"PSN {psn:#x}"
            rules.fail("RCL-042", f"PSN {due:#x}", seen, "a NAK names the expected PSN", scope)
        elif psn < 8 and self.first != psn:
            rules.met("RCL-038", "numbers wrap", scope)
        self.ctx.deadlines.meet(self._nak_duty)
        self._nak_duty = None
        self._optional(psn)

    def _rnr(self, psn: int) -> None:
        rules, scope = self.ctx.rules, self.qp.scope
        if not self._rnrs and self.doubts and self.doubts[0].stop is None:
            self.settle(taken=False)
        if not self._rnrs:
            rules.fail("RCL-052", "no RNR NAK", f"PSN {psn:#x}", "the bank is not stopped", scope)
            return
        due = self._rnrs.popleft()
        good = (psn - due) & PSN_MASK <= (self.expected - due) & PSN_MASK
        if not good:
            why = "an RNR NAK names the expected PSN"
            rules.fail("RCL-052", f"PSN {due:#x}", f"PSN {psn:#x}", why, scope)
        self.ctx.deadlines.meet(self._rnr_duty)
        self._rnr_duty = None
        self._optional(psn)

    def _optional(self, psn: int) -> None:
        """A NAK acknowledges what lies before its PSN: an ACK for that may still come, but is not owed.

        The request with that PSN, where it was taken before the NAK left, is owed its ACK.
        """
        kept = []
        for cause in self._causes:
            told = cause.duplicate or (cause.request.psn - psn) & PSN_MASK >= HALF
            if told and self.ctx.late(cause.request.clock):
                continue
            cause.optional = cause.optional or told
            kept.append(cause)
        self._causes.clear()
        self._causes.extend(kept)
        if any(not cause.optional for cause in kept):
            return
        self.ctx.deadlines.meet(self._ack_duty)
        self._ack_duty = None
        self.qp.shared.turns.end(self.qp.number)
        self.qp.shared.urgent.pop(self.qp.number, None)

    # -- deliveries -------------------------------------------------------------------------------

    def deliver(self, payload: bytes, length: int, source: int) -> bool:
        """Judge that the client gets ``payload`` as this queue pair's; returns whether it is the next one."""
        ctx, rules, scope = self.ctx, self.ctx.rules, self.qp.scope
        while not self.deliveries and self.doubts and self.doubts[0].payload == payload:
            self.settle(taken=True)
        if not self.deliveries or self.deliveries[0].payload != payload:
            self._wrong(payload, length)
            return False
        delivery = self.deliveries.popleft()
        self._delivered.append(payload)
        ctx.handed_over(delivery.duty)
        self.qp.outgoing(delivery)
        if delivery.rule != "RCL-039":
            rules.met("RCL-039", "a request in order", scope)
        rules.eq("RCL-034", len(payload), length, "TYPE1_2_RX_M_LEN_O", scope)
        rules.eq("RCL-034", delivery.source, source, "TYPE1_2_RX_M_SA_O", scope)
        rules.met("RCL-138", "payload and its words", scope)
        rules.alive(CLIENT_PATH)
        return True

    def _wrong(self, payload: bytes, length: int) -> None:
        """Tell a delivery that is not the next one."""
        ctx, rules, scope = self.ctx, self.ctx.rules, self.qp.scope
        seen = payload
        if payload in self._delivered and not any(entry.payload == payload for entry in self.deliveries):
            refused = ctx.refused_with(payload)
            rule = refused.rule if refused is not None else "RCL-039"
            rules.fail(rule, "each request once", seen, "it was delivered before", scope)
            return
        refused = ctx.refused_with(payload)
        if refused is not None:
            rules.fail(refused.rule, "a dropped frame", seen, refused.why, scope)
            return
        for number, entry in enumerate(self.deliveries):
            if entry.payload == payload:
                rules.fail("RCL-039", self.deliveries[0].payload, seen, "requests in order", scope)
                for _ in range(number + 1):
                    dropped = self.deliveries.popleft()
                    ctx.deadlines.void(dropped.duty)
                    self.qp.outgoing(dropped)
                return
        if not self.deliveries:
            rules.fail("RCL-138", "no packet", seen, "nothing to deliver", scope)
            return
        delivery = self.deliveries.popleft()
        ctx.deadlines.void(delivery.duty)
        self.qp.outgoing(delivery)
        rule = "RCL-138"
        told = len(delivery.payload) == length  # the length beside the bytes is right
        if not told and (delivery.payload.startswith(payload) or payload.startswith(delivery.payload)):
            rule = "RCL-034" if abs(len(payload) - len(delivery.payload)) < 4 else rule
        rules.fail(rule, delivery.payload, seen, "payload bytes", scope)

    def quiet(self) -> None:
        """Nothing is under way: undecided requests that did not show were dropped."""
        while self.doubts:
            self.settle(taken=False)
        self._causes.clear()
        self._naks.clear()
        self._rnrs.clear()
