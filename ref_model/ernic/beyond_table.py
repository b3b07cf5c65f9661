"""Requests with a key beyond the region table (ERN-028): no byte outside the regions, all else is open.

From such a request on nobody can tell whether it was executed, until an answer shows it. What comes behind
it meanwhile can be followed as long as it belongs to the same WRITE; at anything else the QP is let go of.
"""

from __future__ import annotations

from ref_model.ernic.answers import Answer, Answers
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import OUTPUT
from ref_model.ernic.receive_side import ReceiveSide
from ref_model.ernic.received import Progress
from ref_model.ernic.refusals import Refusals
from ref_model.ernic.regions import Verdict
from ref_model.grants import Payload
from ref_model.rocev2.psn import PSN_MASK
from ref_model.rocev2.segment import response_count
from ref_model.wire import INFO, Bth, Frame, OpInfo, Reth, opcodes


class BeyondTable:
    """Judge of the requests of one QP that may or may not be executed."""

    def __init__(self, side: ReceiveSide, answers: Answers, refusals: Refusals) -> None:
        """Share what the judges of the receive side know."""
        self._shared = side.shared
        self._ctx = side.shared.ctx
        self._rules = side.shared.ctx.rules
        self._scope = side.scope
        self._received = side.received
        self._acks = side.acks
        self._answers = answers
        self._reads = side.reads
        self._refusals = refusals

    def write(self, frame: Frame, info: OpInfo, reth: Reth, verdict: Verdict) -> None:
        """A WRITE with a key beyond the region table: right if its row modulo the table allows it."""
        self._begin(frame, verdict)
        if info.immdt:
            self._received.lost = True  # whether the immediate is told
        for first, length in verdict.would_be:
            self._ctx.refuse(first, length, verdict.rule, verdict.why, self._scope, frame.payload)
        if verdict.denied:
            return
        progress = Progress("write", verdict.address, 0, reth.length, 0)
        self._may_write(frame, progress)
        self._received.progress = None if info.last else progress

    def read(self, frame: Frame, reth: Reth, verdict: Verdict, conn: QpConfig) -> None:
        """A READ with a key beyond the region table: answers are right if its row modulo the table allows."""
        bth, reads = frame.bth, self._ctx.reads
        assert bth is not None
        self._begin(frame, verdict, 1 if verdict.denied else response_count(reth.length, conn.pmtu))
        if not verdict.denied:
            self._reads.accept(bth.psn, reth, verdict.address, conn.pmtu, doubtful=True)
        reads.beyond(verdict.rule, verdict.why, self._scope)

    def behind(self, frame: Frame) -> None:
        """A request behind one that may or may not have been executed."""
        bth, received = frame.bth, self._received
        assert bth is not None
        info = INFO.get(bth.opcode)
        going_on = info is not None and info.kind == "write" and not info.first and not info.immdt
        if received.progress is None or not going_on or bth.psn != received.expected:
            received.lost = True
            return
        self._may_write(frame, received.progress)
        self._perhaps_taken(bth)
        if info is not None and info.last:
            received.progress = None

    def _begin(self, frame: Frame, verdict: Verdict, span: int = 1) -> None:
        """A key beyond the region table: no byte outside the regions is touched, all else is open."""
        bth, received = frame.bth, self._received
        assert bth is not None
        self._rules.tempt("ERN-028", OUTPUT)
        received.open = True
        received.counts.append((bth.psn, received.messages))
        received.messages = received.messages + 1 & PSN_MASK
        self._shared.counters.last_in_known = False
        self._shared.counters.add("in_send", 0, 1)
        self._acks.no_longer_owed()
        self._perhaps_taken(bth, span)
        self._answers.owe(Answer(-1, bth.psn, "ERN-028", verdict.why, optional=True))
        self._refusals.may_count(verdict.why)
        self._refusals.may_turn_fatal(verdict.why)

    def _perhaps_taken(self, bth: Bth, span: int = 1) -> None:
        """Nobody can tell whether the request is executed: an ACK is right, and so is none."""
        self._received.take(bth.psn, bth.opcode, span, bth.opcode == opcodes.READ_REQUEST)
        if bth.ack_req:
            self._acks.permit(bth.psn)

    def _may_write(self, frame: Frame, progress: Progress) -> None:
        """The payload of a request that may be executed."""
        if frame.payload:
            address = progress.address + progress.offset
            why = "payload of a WRITE through the row modulo the table"
            grant = Payload(address, frame.payload, "ERN-028", why, lambda now: None, optional=True)
            self._ctx.permit(grant)
        progress.offset += len(frame.payload)
