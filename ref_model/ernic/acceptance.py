"""Requests that are executed: payload to memory, messages counted, ACKs owed, interrupts announced."""

from __future__ import annotations

from ref_model.ernic.acknowledgements import (
    ACK_ON_REQUEST,
    ACK_ON_REQUEST_OR_TIMEOUT,
    ACK_ON_TIMEOUT,
)
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.receive_side import ReceiveSide
from ref_model.grants import Payload
from ref_model.rocev2.psn import PSN_MASK
from ref_model.wire import Bth, Frame, OpInfo


class Acceptance:
    """What executing a request of one QP entails."""

    def __init__(self, side: ReceiveSide) -> None:
        """Share what the judges of the receive side know."""
        self._shared = side.shared
        self._ctx = side.shared.ctx
        self._rules = side.shared.ctx.rules
        self._scope = side.scope
        self._number = side.number
        self._rq = side.queue
        self._received = side.received
        self._acks = side.acks
        self._reads = side.reads

    # -- memory -----------------------------------------------------------------------------------

    def grant(
        self, address: int, data: bytes, rule: str, info: OpInfo, element: int | None, interrupt: bool = False
    ) -> None:
        """``data`` has to be written at ``address``; ``element``: of the receive queue, if one is used."""
        if not data:
            return
        scope, rules = self._scope, self._rules
        why = "payload of an accepted request"
        place = "ERN-033" if info.kind == "write" and info.first else rule
        if element is not None and self._rq.reopened:
            place = "ERN-229"
        duty = self._ctx.deadlines.must(
            rule,
            f"{len(data)} bytes at {address:#x}",
            why,
            scope,
            self._ctx.liveness(),
        )

        def done(now: int) -> None:
            self._ctx.deadlines.meet(duty)
            if info.kind == "write":
                rules.met("ERN-033", "physical address of the region plus offset", scope)
            if element is not None and info.last:
                self._placed(now, interrupt)

        self._ctx.grant(Payload(address, data, rule, why, done, place, scope=scope))

    def element_used(self, frame: Frame, info: OpInfo, conn: QpConfig) -> None:
        """A packet of a message that takes an element of the receive queue was accepted."""
        if not info.last:
            if conn.rq_irq:
                self._shared.interrupts.bank("RQ", self._number, sure=False)
            return
        self._rq.message(conn)
        if conn.rq_irq:
            self._shared.interrupts.announce("RQ", self._number)
        if not frame.payload:
            self._placed(self._ctx.now, conn.rq_irq)

    def _placed(self, settled: int, interrupt: bool) -> None:
        """The payload of a SEND is in memory since ``settled``: only now may an interrupt announce it."""
        self._rq.placed += 1
        if self._rq.reopened:
            self._rq.reopened = False
            self._rules.met("ERN-229", "the receive queue goes on behind what is pending", self._scope)
        if interrupt:
            self._ctx.deadlines.call_at(settled - 1, lambda: self._shared.interrupts.bank("RQ", self._number))

    # -- the request itself -----------------------------------------------------------------------

    def accept(self, frame: Frame, info: OpInfo, device: Device, span: int = 1) -> None:
        """The request is executed; ``span``: PSNs it takes."""
        bth = frame.bth
        assert bth is not None
        received, rules = self._received, self._rules
        if received.last_read is not None:
            rules.met("ERN-245", "the request behind the PSNs of a READ is the next one", self._scope)
        reading = info.kind == "read_req"
        received.take(bth.psn, bth.opcode, span, reading)
        if not reading:
            received.after_doubt = any(entry.doubtful for entry in self._reads.pending)
        received.gap_reported = received.after_rnr = received.rnr_active = False
        if info.last:
            received.messages = received.messages + 1 & PSN_MASK
            if info.immdt or info.ieth:
                self._ctx.immediates_owed += 1
        received.counts.append((bth.psn, received.messages))
        self._shared.counters.last_in = (bth.opcode, bth.psn & 0xFFF, self._number)
        self._shared.counters.last_in_known = True
        rules.alive((self._scope.name, "rx"))
        rules.passed(("ERN-112",), self._scope)
        if frame.ieth is not None:
            self._shared.regions.invalidated.add(frame.ieth >> 8)
        if info.kind == "write" and info.last:
            self._rq.no_element = "ERN-149" if info.immdt else "ERN-148"
        if info.kind == "write" and info.immdt:
            rules.met("ERN-149", "a WRITE with immediate", self._scope, knob="WRITE_IMM_USES_RQ")
        if frame.reth is not None and not frame.reth.length and not reading:
            rules.met("ERN-035", "a zero-length WRITE skips the region check", self._scope, knob="ZERO_LEN")
        if not reading:  # a READ is answered by its responses
            self._owe_ack(bth, device.ack_mode)

    def _owe_ack(self, bth: Bth, mode: int) -> None:
        """A SEND or WRITE packet is acknowledged by the ACK mode."""
        if mode == ACK_ON_TIMEOUT:
            self._acks.owe_by_timeout(bth.psn, "ERN-121")
        elif mode == ACK_ON_REQUEST_OR_TIMEOUT and not bth.ack_req:
            self._acks.owe_by_timeout(bth.psn, "ERN-120/rest")
        elif bth.ack_req:
            rule = "ERN-120/requested" if mode == ACK_ON_REQUEST_OR_TIMEOUT else "ERN-119"
            self._acks.owe(bth.psn, rule, f"ACK of PSN {bth.psn:#x}", "the request has the A bit")
        elif mode == ACK_ON_REQUEST:
            self._rules.tempt("ERN-119", (self._scope.name, "ack"))
