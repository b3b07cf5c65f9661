"""SEND and WRITE requests of the peer that are in order and well formed (sections 10, 13, 14)."""

from __future__ import annotations

from ref_model.ernic.acceptance import Acceptance
from ref_model.ernic.answers import NAK_ACCESS
from ref_model.ernic.beyond_table import BeyondTable
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import OUTPUT
from ref_model.ernic.receive_side import ReceiveSide
from ref_model.ernic.received import Progress
from ref_model.ernic.refusals import Refusals
from ref_model.ernic.regions import Verdict
from ref_model.rules import OPEN_VALUES
from ref_model.wire import Frame, OpInfo, Reth


class PayloadRequests:
    """Judge of the SENDs and WRITEs of one QP."""

    def __init__(
        self, side: ReceiveSide, refusals: Refusals, acceptance: Acceptance, beyond: BeyondTable
    ) -> None:
        """Share what the judges of the receive side know."""
        self._shared = side.shared
        self._ctx = side.shared.ctx
        self._rules = side.shared.ctx.rules
        self._scope = side.scope
        self._rq = side.queue
        self._received = side.received
        self._refusals = refusals
        self._acceptance = acceptance
        self._beyond = beyond

    def send(self, frame: Frame, info: OpInfo, conn: QpConfig, device: Device) -> bool:
        """Judge a SEND packet; returns False if no element of the receive queue is free for certain."""
        progress = self._received.progress
        if info.first:
            if self._full(conn):
                return False
            if not self._may_send(frame, conn):
                return True
            progress = self._next_element(conn)
        assert progress is not None
        end = progress.offset + len(frame.payload)
        if end > conn.element:
            why = "message longer than the RQ element"
            self._rules.tempt("ERN-133", OUTPUT)
            self._refusals.would_write(frame, conn, "ERN-133", why)
            self._refusals.refuse(frame, None, "ERN-133", why, None)
            return True
        if frame.payload and end == conn.element:
            self._rules.tempt("ERN-140", OUTPUT)
        address, interrupt = progress.address + progress.offset, conn.rq_irq
        self._acceptance.grant(address, frame.payload, "ERN-139", info, progress.element, interrupt)
        self._go_on(frame, info, progress)
        self._acceptance.element_used(frame, info, conn)
        self._shared.counters.add("in_send")
        self._acceptance.accept(frame, info, device)
        return True

    def write(self, frame: Frame, info: OpInfo, conn: QpConfig, device: Device) -> bool:
        """Judge a WRITE packet; returns False if its immediate finds no free element for certain."""
        progress = self._received.progress
        if info.first:
            reth = frame.reth
            assert reth is not None
            verdict = self._shared.regions.check_write(reth, conn.pd)
            if verdict.beyond:
                self._beyond.write(frame, info, reth, verdict)
                return True
            if verdict.denied:
                self._denied(frame, info, conn, verdict)
                return True
            progress = Progress("write", verdict.address, 0, reth.length, 0)
        assert progress is not None
        element, interrupt = None, False
        if info.immdt and self._ctx.knobs["WRITE_IMM_USES_RQ"] == 1:
            if self._full(conn):
                return False
            element, interrupt = self._received.elements, conn.rq_irq
            self._received.elements += 1
        address = progress.address + progress.offset
        self._acceptance.grant(address, frame.payload, "ERN-148", info, element, interrupt)
        self._go_on(frame, info, progress)
        if element is not None:
            self._acceptance.element_used(frame, info, conn)
        self._shared.counters.add("in_send", 0, 1)
        self._acceptance.accept(frame, info, device)
        return True

    def _full(self, conn: QpConfig) -> bool:
        return self._received.elements - self._rq.consumer.count >= self._rq.room(conn)

    def _go_on(self, frame: Frame, info: OpInfo, progress: Progress) -> None:
        """The message in ``progress`` got the payload of ``frame``."""
        progress.offset += len(frame.payload)
        self._received.progress = None if info.last else progress

    def _may_send(self, frame: Frame, conn: QpConfig) -> bool:
        """Judge whether the regions let a SEND pass: by default they are not asked."""
        if self._ctx.knobs["SEND_CHECKS_MR"] == "on" and not self._shared.regions.writable(conn.pd):
            why = "no region of the QP's PD may be written"
            self._rules.tempt("ERN-037", OUTPUT, "SEND_CHECKS_MR")
            self._refusals.would_write(frame, conn, "ERN-037", why)
            self._refusals.refuse(frame, None, "ERN-037", why, None)
            return False
        why = "a SEND where the region check lets it pass"
        self._rules.met("ERN-037", why, self._scope, knob="SEND_CHECKS_MR")
        return True

    def _next_element(self, conn: QpConfig) -> Progress:
        """A SEND takes the next element of the receive queue."""
        received, rules, depth = self._received, self._rules, max(conn.rq_depth, 1)
        place = (received.elements + self._rq.shift) % depth
        progress = Progress("send", conn.rq_base + conn.element * place, 0, None, received.elements)
        if self._rq.by_side_band and received.elements >= depth:
            rules.met("ERN-225", "an element freed through the side band is used", self._scope)
        received.elements += 1
        if self._rq.consumer.count == 0:
            why = "a fresh ring takes SENDs by its credit mode"
            rules.met("ERN-147", why, self._scope, knob="RQ_CREDIT_MODE")
        if received.after_rnr:
            rules.met("ERN-146", "the resent SEND goes where the refused one belonged", self._scope)
        return progress

    def _denied(self, frame: Frame, info: OpInfo, conn: QpConfig, verdict: Verdict) -> None:
        """The regions do not let a WRITE pass."""
        rule = "ERN-034" if self._beginning_fits(frame, info, conn) else verdict.rule
        self._rules.tempt(rule, OUTPUT)
        for first, length in verdict.would_be:
            self._ctx.refuse(first, length, rule, verdict.why, self._scope, frame.payload)
        self._refusals.refuse(frame, NAK_ACCESS, "ERN-132", verdict.why, None, rule)

    def _beginning_fits(self, frame: Frame, info: OpInfo, conn: QpConfig) -> bool:
        """Return whether a refused WRITE would be allowed by what its first packet alone carries."""
        reth = frame.reth
        if reth is None or info.last or self._ctx.knobs["M_RULES"] in OPEN_VALUES:
            return False
        return not self._shared.regions.denies(Reth(reth.va, reth.rkey, len(frame.payload)), conn.pd)
