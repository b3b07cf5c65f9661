"""READ requests of the peer, new and repeated: executed, refused, or left to the DUT (section 13)."""

from __future__ import annotations

from ref_model.ernic.acceptance import Acceptance
from ref_model.ernic.answers import NAK_ACCESS, NAK_INVALID, Answer, Answers
from ref_model.ernic.beyond_table import BeyondTable
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import OUTPUT
from ref_model.ernic.receive_side import ReceiveSide
from ref_model.ernic.refusals import Refusals
from ref_model.ernic.regions import ACCESS_READ
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rocev2.segment import response_count
from ref_model.wire import Frame, OpInfo, Reth


class ReadRequests:
    """Judge of the READ requests of one QP."""

    def __init__(
        self,
        side: ReceiveSide,
        answers: Answers,
        refusals: Refusals,
        acceptance: Acceptance,
        beyond: BeyondTable,
    ) -> None:
        """Share what the judges of the receive side know."""
        self._shared = side.shared
        self._ctx = side.shared.ctx
        self._rules = side.shared.ctx.rules
        self._scope = side.scope
        self._received = side.received
        self._answers = answers
        self._reads = side.reads
        self._refusals = refusals
        self._acceptance = acceptance
        self._beyond = beyond

    def request(self, frame: Frame, reth: Reth, info: OpInfo, conn: QpConfig, device: Device) -> None:
        """A READ request in order: responses, a refusal by its region, or one because the queue is full."""
        bth, rules = frame.bth, self._rules
        assert bth is not None
        if frame.payload:
            self._refusals.refuse(frame, NAK_INVALID, "ERN-130/nak", "a READ request with payload", None)
            return
        verdict = self._shared.regions.check(reth, conn.pd, ACCESS_READ)
        room = self._reads.room()
        full = "more READs than the responder can hold"
        if verdict.beyond:
            self._beyond.read(frame, reth, verdict, conn)
            return
        if verdict.denied:
            rules.tempt(verdict.rule, OUTPUT)
            for first, length in verdict.would_be:
                self._ctx.reads.refuse(first, length, verdict.rule, verdict.why, self._scope)
            if not room:
                self._answers.owe(Answer(NAK_INVALID, bth.psn, "ERN-131", full, optional=True))
            self._refusals.refuse(frame, NAK_ACCESS, "ERN-132", verdict.why, None, verdict.rule)
            return
        if room is False:
            self._refusals.refuse(frame, NAK_INVALID, "ERN-131", full, None)
            return
        if room is None:
            self._answers.owe(Answer(NAK_INVALID, bth.psn, "ERN-131", full, optional=True))
            self._refusals.may_count(full)
            self._refusals.may_turn_fatal(full)
        if room and len(self._reads.pending) + 1 == int(self._ctx.knobs["RESP_RESOURCES"]):
            rules.tempt("ERN-131", (self._scope.name, "rx"))
        if reth.length == 0:
            why = "a zero-length READ skips the region check"
            rules.met("ERN-035", why, self._scope, knob="ZERO_LEN")
        span = response_count(reth.length, conn.pmtu)
        self._reads.accept(bth.psn, reth, verdict.address, conn.pmtu, room is None)
        self._acceptance.accept(frame, info, device, span)

    def again(self, frame: Frame, reth: Reth, conn: QpConfig) -> None:
        """A READ asked again: current data after a fresh check of its key, no other effect."""
        bth, rules = frame.bth, self._rules
        assert bth is not None
        why = f"READ with PSN {bth.psn:#x} was received before"
        self._shared.counters.last_in_known = False  # whether a repeated READ counts as accepted is open
        span = response_count(reth.length, conn.pmtu)
        verdict = self._shared.regions.check(reth, conn.pd, ACCESS_READ)
        if verdict.denied:
            rules.tempt("ERN-116", OUTPUT)
            self._received.refuse(bth.psn, "ERN-116")
            for first, length in verdict.would_be:
                self._ctx.reads.refuse(first, length, "ERN-116", verdict.why, self._scope)
            self._answers.owe(Answer(NAK_ACCESS, bth.psn, "ERN-116", why, optional=True))
            self._refusals.may_turn_fatal(why)
        elif psn_diff(psn_add(bth.psn, span), self._received.expected) <= 0:
            self._reads.repeat(bth.psn, reth, verdict.address, conn.pmtu)
