"""What software sends through QP1 and how it shows on the pins: frames, payload reads, CNPs by software."""

from __future__ import annotations

from ref_model.ernic.headers import RESPONSES
from ref_model.ernic.management import QP1
from ref_model.ernic.management_send import ManagementRequester
from ref_model.ernic.qp import Qp
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.shared import Shared
from ref_model.events import FrameOut, MemRead
from ref_model.wire import INFO, Frame, opcodes


class ManagementTraffic:
    """Tells the outputs of QP1 from those of the data queue pairs."""

    def __init__(self, shared: Shared, qps: QueuePairs) -> None:
        """QP1 need not be in use."""
        self._shared = shared
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self._qps = qps

    def _requester(self) -> tuple[Qp, ManagementRequester] | None:
        qp = self._qps.get(QP1)
        if qp is None or not isinstance(qp.requester, ManagementRequester):
            return None
        return qp, qp.requester

    def quiet(self) -> None:
        """The bench found the DUT quiet."""
        qp = self._qps.get(QP1)
        if qp is not None and qp.management is not None:
            qp.management.quiet(qp.refresh()[0])

    def sender(self, data: bytes) -> Qp | None:
        """Return QP1 if the frame ``data`` came through it."""
        found = self._requester()
        if found is None or not found[1].claims(data, found[0].refresh()[0]):
            return None
        return found[0]

    def sent(self, event: FrameOut) -> None:
        """Judge a frame that came through QP1."""
        found = self._requester()
        assert found is not None
        qp, requester = found
        frame = requester.sent(event.data, *qp.refresh(), event.begin)
        named, alike = self._notified(frame)
        if named or alike:
            interrupts = self._shared.interrupts
            interrupts.unschedule("cnp_tx", [*named, *alike], begun=True)
            self._ctx.deadlines.call_at(
                event.settled + self._ctx.timing.settle, lambda: interrupts.unschedule("cnp_tx", named)
            )

    def payload_read(self, event: MemRead) -> None:
        """The DUT read payload: a CNP among it may have left its queue soon."""
        found = self._requester()
        if found is not None:
            named, alike = self._notified(found[1].payload_read(event, found[0].refresh()[0]))
            self._shared.interrupts.unschedule("cnp_tx", [*named, *alike], begun=True)

    def _notified(self, frame: Frame | None) -> tuple[list[int], list[int]]:
        """Return the QPs whose peer a CNP is for, and those with the same DestQP at another address."""
        named: list[int] = []
        alike: list[int] = []
        if frame is not None and frame.bth is not None and frame.bth.opcode == opcodes.CNP:
            for qp in self._qps.peers().get(frame.bth.dest_qp, []):
                same = frame.ip is not None and frame.ip.dst == qp.refresh()[0].dst_ip
                (named if same else alike).append(qp.number)
        return named, alike

    def answered(self, frame: Frame) -> bool:
        """Judge ``frame`` if it is a response to a QP1 frame; returns whether it is."""
        bth, qp = frame.bth, self._qps.get(QP1)
        assert bth is not None
        info = INFO.get(bth.opcode)
        if qp is None or qp.management is None or info is None or info.kind not in RESPONSES:
            return False
        if self._qps.peers().get(bth.dest_qp) or not qp.management.answers(frame, qp.refresh()[0]):
            return False
        self._rules.fail("ERN-197", "no answer", frame, "QP1 frames are not acknowledged", qp.scope)
        return True
