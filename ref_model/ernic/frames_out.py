"""Frames out of the DUT: whose they are, and who judges them (requirements sections 3, 12, 19, 20)."""

from __future__ import annotations

from ref_model.ernic.context import OUTPUT
from ref_model.ernic.headers import RESPONSES
from ref_model.ernic.management import QP1
from ref_model.ernic.management_traffic import ManagementTraffic
from ref_model.ernic.pass_through import PassThrough
from ref_model.ernic.pause import Class, FlowControl
from ref_model.ernic.qp import Qp
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.shared import Shared
from ref_model.events import FrameOut
from ref_model.rules import Scope
from ref_model.wire import INFO, Frame, ParseError, parse_shared

OTHER_OUT = "non_roce_host"

#: Bytes of one beat of the frame streams.
BEAT = 64


class FramesOut:
    """Takes each frame to the one who sent it."""

    def __init__(
        self,
        shared: Shared,
        qps: QueuePairs,
        management: ManagementTraffic,
        flow: FlowControl,
        passing: PassThrough,
        scope: Scope,
    ) -> None:
        """``scope`` is that of the frame streams."""
        self._shared = shared
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self._qps = qps
        self._management = management
        self._flow = flow
        self._passing = passing
        self._scope = scope

    def frame(self, event: FrameOut) -> None:
        """Judge ``event``."""
        if event.port == OTHER_OUT:
            self._passing.to_host(event, self._shared.device().enabled)
            return
        if self._passing.host and event.data == self._passing.host[0]:
            self._passing.sent()
            self._flow.sent(Class.OTHER, event.begin, event.settled, len(event.data))
            self._rules.met("ERN-208", "host frame sent unchanged", self._scope)
            self._rules.met("ERN-209", "frames are not interleaved", self._scope)
            return
        self._ctx.mangled = None
        managed = self._management.sender(event.data)
        if managed is not None:
            if not self._sent_released(managed, event):
                self._management.sent(event)
                self._left(event)
            return
        try:
            frame = parse_shared(event.data)
        except ParseError as error:
            self._misshaped(event, error)
            return
        if frame.trailer and self._passing.host:
            why = "a frame is sent as a whole"
            seen = f"{len(frame.trailer)} bytes behind it"
            self._rules.fail("ERN-209", "one frame", seen, why, self._scope)
            return
        if frame.bth is None:
            expected = self._passing.host.popleft() if self._passing.host else "no frame"
            self._rules.fail("ERN-208", expected, event.data, "only RoCE and host frames leave", self._scope)
            return
        if self._management.answered(frame):
            return
        qp = self._sender(frame)
        if qp is None:
            self._rules.fail(
                "ERN-048", "a DestQP in use", frame.bth.dest_qp, "no enabled QP sends to it", self._scope
            )
            return
        if not self._sent_released(qp, event):
            self._judge(qp, frame, event)

    def _misshaped(self, event: FrameOut, error: ParseError) -> None:
        """A frame that cannot be read."""
        likely = self._likely_sender(error.partial)
        if likely is not None and self._sent_released(likely, event):
            return
        rule = "ERN-045" if "length" in error.reason.value else "ERN-039"
        scope = self._scope if likely is None else likely.scope
        self._rules.fail(rule, "a well-formed frame", str(error), "frame on the MAC output", scope)

    def _sent_released(self, qp: Qp, event: FrameOut) -> bool:
        """Record a frame of ``qp`` if it is released; returns whether it is."""
        if not self._qps.recorded(qp.number):
            return False
        self._ctx.spoken = True
        self._roce_sent(event)
        return True

    def _roce_sent(self, event: FrameOut) -> None:
        self._passing.roce_sent()
        self._flow.sent(Class.ROCE, event.begin, event.settled, len(event.data))

    def _left(self, event: FrameOut) -> None:
        """A RoCE frame left.

        It is evidence for what the HDL checkers watched meanwhile (a violation is an event).
        """
        self._roce_sent(event)
        beats = -(-len(event.data) // BEAT)
        if event.settled - event.begin >= beats * self._ctx.timing.period:
            self._rules.passed(("ERN-211",), self._scope)  # VALID had to wait for READY
        if len(event.data) % BEAT:
            self._rules.passed(("ERN-218",), self._scope)
        if not self._ctx.spoken:
            self._ctx.spoken = True
            self._rules.passed(("ERN-223",), self._scope)
        self._rules.alive(OUTPUT)

    def _judge(self, qp: Qp, frame: Frame, event: FrameOut) -> None:
        bth = frame.bth
        assert bth is not None
        rules, scope = self._rules, qp.scope
        scope.note(event.begin, "out", frame)
        conn, device = qp.refresh()
        rules.eq("ERN-039", b"", frame.trailer, "nothing behind the ICRC", scope)
        rules.met("ERN-045", "IP and UDP lengths are the true sizes", scope)
        self._shared.counters.sent(frame, qp.number)
        self._left(event)
        if conn.unused_addresses:
            rules.passed(("ERN-248",), scope)
        info = INFO.get(bth.opcode)
        if info is None or info.kind in ("ud", "atomic"):
            rules.fail(
                "ERN-047", "an RC opcode of a WQE or answer", bth.opcode, "opcode of a sent packet", scope
            )
        elif info.kind == "cnp":
            if not self._qps.recorded(QP1):
                rules.fail("ERN-199", "no CNP", "a CNP", "CNPs are sent by software", scope)
        elif info.kind == "ack":
            qp.responder.response(frame, conn, device)
        elif info.kind == "read_resp":
            qp.responder.read_response(frame, conn)
        else:
            qp.requester.packet(frame, event.begin, conn, device)
            qp.check_next_entry()
            if conn.memory_doorbells and event.begin < self._qps.handshake.stalled_until:
                rules.observe("ERN-240")

    # -- whose a frame is ---------------------------------------------------------------------------

    def _sender(self, frame: Frame) -> Qp | None:
        """Return the QP that sent ``frame``: by DestQP, among several (or none) by what fits best."""
        bth = frame.bth
        assert bth is not None
        candidates = self._qps.peers().get(bth.dest_qp, [])
        if len(candidates) == 1:
            return candidates[0]
        everyone = candidates or [qp for group in self._qps.peers().values() for qp in group]
        return max(everyone, key=lambda qp: self._resemblance(qp, frame), default=None)

    @staticmethod
    def _resemblance(qp: Qp, frame: Frame) -> int:
        conn, _ = qp.refresh()
        bth, ip = frame.bth, frame.ip
        assert bth is not None and ip is not None
        info = INFO.get(bth.opcode)
        responder = qp.responder
        received, answers = responder.received, responder.answers.owed
        if info is not None and info.kind in RESPONSES:
            numbers = {received.last_accepted, received.expected, *(answer.psn for answer, _ in answers)}
            numbers |= responder.reads.next_psns()
            owed = 2 * int(bool(responder.acks.waiting or answers or responder.reads.pending))
        else:
            numbers = {qp.requester.window.cursor, qp.requester.window.una}
            owed = 2 * int(not qp.requester.window.idle)
        score = owed + 2 * int(bth.psn in numbers) + int(bool(qp.released))
        return (
            score
            + int(frame.eth.dst == conn.dst_mac)
            + int(ip.dst == conn.dst_ip)
            + int(bth.pkey == conn.pkey)
        )

    def _likely_sender(self, frame: Frame) -> Qp | None:
        return self._sender(frame) if frame.bth is not None and frame.ip is not None else None
