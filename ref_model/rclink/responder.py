"""TYPE1 responder of one queue pair: what it takes and has to deliver (sections 2, 6, 7 and 14.4).

Whether a request is taken may be open for a while: its bank was stopped or released at about that time, or
its IP checksum is wrong. Such a request, and all behind it, is held undecided until an output tells.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.rclink.answers import Answers
from ref_model.rclink.context import CLIENT_PATH
from ref_model.rclink.incoming import ExpectedPsn, Request
from ref_model.rclink.sending import HALF, PSN_MASK
from ref_model.wire.rclink.rh import ACK_SYNDROME, KIND_BITS, NAK, RNR_NAK

if TYPE_CHECKING:
    from ref_model.rclink.qp import Qp

#: Delivered payloads remembered to tell a second delivery.
DELIVERED = 32


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
        self._qp = qp
        self._ctx = qp.ctx
        self.preset(0)

    def preset(self, psn: int) -> None:
        """Software wrote the expected PSN."""
        self.expected = ExpectedPsn(self._ctx, psn)
        self.answers = Answers(self._qp, self.expected)
        self.doubts: deque[Request] = deque()
        self.deliveries: deque[Delivery] = deque()
        self._delivered: deque[bytes] = deque(maxlen=DELIVERED)

    def forget(self) -> None:
        """Void what is owed (software starts the queue pair anew)."""
        self.answers.forget()
        for delivery in self.deliveries:
            self._ctx.deadlines.void(delivery.duty)

    # -- requests ---------------------------------------------------------------------------------

    def take(self, request: Request) -> None:
        """A request came that passed the checks before its PSN."""
        if self.doubts:
            self.doubts.append(request)
            return
        ctx = self._ctx
        distance = (request.psn - self.expected.value) & PSN_MASK
        if distance == 0:
            if not request.sure or request.stop is None:
                self.doubts.append(request)
                self._qp.doubtful()
            elif request.stop:
                self._refuse_stopped(request)
            else:
                self._accept(request)
        elif distance < HALF:
            ctx.refuse(request.payload, "RCL-042", "a request before it is missing")
            self.answers.gap()
        else:
            ctx.refuse(request.payload, "RCL-044", "a duplicate")
            self.answers.ask(request, duplicate=True)

    def _accept(self, request: Request) -> None:
        ctx = self._ctx
        why = "a request in order"
        what = f"{len(request.payload)} bytes for QP {self._qp.number}"
        duty = ctx.deadlines.must(request.rule, what, why, self._qp.scope, ctx.liveness())
        delivery = Delivery(request.payload, request.source, duty, request.psn, request.rule)
        self.deliveries.append(delivery)
        self._qp.incoming(delivery)
        self.expected.advance(request.clock)
        self.answers.taken(request)

    def _refuse_stopped(self, request: Request) -> None:
        self._ctx.refuse(request.payload, "RCL-052", "its bank is stopped")
        self.answers.stopped()

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
            self._ctx.refuse(first.payload, "RCL-039", "it was dropped before")
        for request in waiting:
            self.take(request)

    # -- answers ----------------------------------------------------------------------------------

    def answer(self, psn: int, syndrome: int, ts_en: bool, timestamp: int) -> None:
        """Judge an ACK or NAK that leaves now, but for the fields any answer has."""
        kind = syndrome & KIND_BITS
        reserved = kind not in (ACK_SYNDROME & KIND_BITS, NAK, RNR_NAK)
        if kind == NAK or (reserved and psn == self.answers.nak_due):
            self._nak(psn, syndrome)
        elif kind == RNR_NAK:
            self._rnr(psn)
        else:
            self._ack(psn, syndrome, ts_en, timestamp)

    def _ack(self, psn: int, syndrome: int, ts_en: bool, timestamp: int) -> None:
        kind, scope = syndrome & KIND_BITS, self._qp.scope
        self._ctx.rules.eq("RCL-094", ACK_SYNDROME & KIND_BITS, kind, "syndrome of an ACK", scope)
        expected = (psn + (self._ctx.knobs["ACK_PSN_MODE"] == "LAST")) & PSN_MASK
        while self.doubts and (expected - self.expected.value - 1) & PSN_MASK < HALF:
            self.settle(taken=True)
        self.answers.ack(psn, ts_en, timestamp)

    def _nak(self, psn: int, syndrome: int) -> None:
        while self.doubts and self.answers.nak_due is None and (psn - self.expected.value) & PSN_MASK < HALF:
            self.settle(taken=psn != self.expected.value)
        missed = next((entry.rule for entry in self.deliveries if entry.psn == psn), "RCL-039")
        self.answers.nak(psn, syndrome, missed)

    def _rnr(self, psn: int) -> None:
        if self.answers.rnr_due is None and self.doubts and self.doubts[0].stop is None:
            self.settle(taken=False)
        self.answers.rnr(psn)

    # -- deliveries -------------------------------------------------------------------------------

    def deliver(self, payload: bytes, length: int, source: int) -> bool:
        """Judge that the client gets ``payload`` as this queue pair's; returns whether it is the next one."""
        ctx, rules, scope = self._ctx, self._ctx.rules, self._qp.scope
        while not self.deliveries and self.doubts and self.doubts[0].payload == payload:
            self.settle(taken=True)
        if not self.deliveries or self.deliveries[0].payload != payload:
            self._wrong(payload, length)
            return False
        delivery = self.deliveries.popleft()
        self._delivered.append(payload)
        ctx.handed_over(delivery.duty)
        self._qp.outgoing(delivery)
        if delivery.rule != "RCL-039":
            rules.met("RCL-039", "a request in order", scope)
        rules.eq("RCL-034", len(payload), length, "TYPE1_2_RX_M_LEN_O", scope)
        rules.eq("RCL-034", delivery.source, source, "TYPE1_2_RX_M_SA_O", scope)
        rules.met("RCL-138", "payload and its words", scope)
        rules.alive(CLIENT_PATH)
        return True

    def _wrong(self, payload: bytes, length: int) -> None:
        """Tell a delivery that is not the next one."""
        ctx, rules, scope = self._ctx, self._ctx.rules, self._qp.scope
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
                    self._qp.outgoing(dropped)
                return
        if not self.deliveries:
            rules.fail("RCL-138", "no packet", seen, "nothing to deliver", scope)
            return
        delivery = self.deliveries.popleft()
        ctx.deadlines.void(delivery.duty)
        self._qp.outgoing(delivery)
        rule = "RCL-138"
        told = len(delivery.payload) == length  # the length beside the bytes is right
        if not told and (delivery.payload.startswith(payload) or payload.startswith(delivery.payload)):
            rule = "RCL-034" if abs(len(payload) - len(delivery.payload)) < 4 else rule
        rules.fail(rule, delivery.payload, seen, "payload bytes", scope)

    def quiet(self) -> None:
        """Nothing is under way: undecided requests that did not show were dropped."""
        while self.doubts:
            self.settle(taken=False)
        self.answers.quiet()
