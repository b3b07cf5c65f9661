"""What software tells a queue pair by writing its registers: work, free elements, life and end."""

from __future__ import annotations

from ref_model.ernic.config import QpConfig
from ref_model.ernic.overrides import Overrides
from ref_model.ernic.qp import Qp
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.shared import Shared


class QpRegisters:
    """Takes the writes of per-QP configuration registers and doorbells to their queue pairs."""

    def __init__(self, shared: Shared, qps: QueuePairs, overrides: Overrides) -> None:
        """Share the queue pairs of the model."""
        self._shared = shared
        self._ctx = shared.ctx
        self._qps = qps
        self._overrides = overrides

    def write(self, name: str, slot: int, word: int, settled: int, by_side_band: bool = False) -> None:
        """Register ``name`` of ``slot`` now holds ``word``."""
        qp = self._qps.at(slot + self._qps.first_slot)
        if qp is None:
            return
        conn, device = qp.refresh()
        override = self._overrides.on(qp.number) is not False
        if qp.released and self._stays_released(qp, name, override):
            return
        if name == "SQPI" and override:
            qp.requester.window.sq.preset(word & 0xFFFF)
        elif name == "RQCI" and override:
            qp.rq.consumer.preset(word & 0xFFFF)
            qp.rq.credited = False
        elif name == "SQPI":
            self._overrides.forget(qp)
            if conn.enabled and device.enabled and self._shared.unprogrammed():
                return
            qp.requester.post(word & 0xFFFF, conn, device, by_side_band)
        elif name == "RQCI":
            qp.responder.freed(by_side_band)
            if qp.management is not None:
                qp.management.freed(conn, settled)
            qp.rq.free(word & 0xFFFF, max(conn.rq_depth, 1))
        elif name == "SQPSN":
            qp.requester.window.preset_psn(word & 0xFFFFFF)
        elif name == "LSTRQREQ":
            qp.responder.preset(word)
        elif name == "QPCONF":
            self._qps.handshake.configured(qp, override)
            if qp.life.moved(conn, qp.fatal) and qp.requester.window.sq.count + qp.rq.received:
                self._qps.release(qp, "ERN-222")  # a bring-up without reset: what survives is open
                return
            self._configured(qp, conn)
        elif name == "QDEPTH":
            self._configured(qp, conn)

    def _configured(self, qp: Qp, conn: QpConfig) -> None:
        """QPCONF or QDEPTH was written: the QP may begin anew, or have to stop."""
        window = qp.requester.window
        at_rest = window.idle and qp.cq.done == window.sq.count
        if qp.life.configured(conn, qp.fatal, at_rest, window.sq.count, self._ctx.now):
            qp.revive()
        if conn.recovery or not conn.enabled:
            qp.responder.acks.stopped()
        if conn.recovery:
            for _ in range(qp.cq.recovery()):
                self._shared.counters.flushed()  # fetched to be flushed, whenever that was
        qp.requester.duty.arm(*qp.refresh())

    def _stays_released(self, qp: Qp, name: str, override: bool) -> bool:
        """Software writes ``name`` of a released QP; returns whether that means nothing yet.

        Setting QPCONF[6] ends its life; enabling it afterwards begins a new one.
        """
        conn, _ = qp.refresh()
        if name in ("SQPI", "RQCI"):
            return not override
        if name in ("QPCONF", "QDEPTH"):
            qp.life.deleted = qp.life.deleted or conn.recovery
            if conn.recovery or not conn.enabled or not qp.life.deleted:
                return True
            qp.released = ""
            self._qps.released.remove(qp)
        return False
