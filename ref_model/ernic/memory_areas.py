"""Where in host memory the DUT has something to write, by the registers: rings, doorbells, buffers."""

from __future__ import annotations

from ref_model.ernic.lifecycle import WQE_BYTES
from ref_model.ernic.qp import Qp
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.released import Area
from ref_model.ernic.shared import Shared
from ref_model.grants import Areas


class MemoryAreas:
    """The areas of all queue pairs and of what they share."""

    def __init__(self, shared: Shared, qps: QueuePairs) -> None:
        """Follow the registers."""
        self._shared = shared
        self._qps = qps
        self._areas: Areas[tuple[str, Qp | None]] = Areas()
        self._version = -1  # of the configuration they were built for

    def of(self, addr: int) -> Area | None:
        """Return the area that holds ``addr``."""
        if self._version != self._qps.version:
            self._version = self._qps.version
            self._areas.set(self._current())
        return self._areas.find(addr)

    def _current(self) -> list[Area]:
        entries: list[Area] = []
        for qp in self._qps.all():
            conn, _ = qp.refresh()
            if not conn.sq_depth and not conn.rq_depth:
                continue
            entries.append((conn.sq_base, WQE_BYTES * conn.sq_depth, ("sq", qp)))
            entries.append((conn.cq_base, 4 * conn.sq_depth, ("cq", qp)))
            entries.append((conn.rq_base, conn.element * conn.rq_depth, ("rq", qp)))
            for kind, address in (("cq_doorbell", conn.cq_doorbell), ("rq_doorbell", conn.rq_doorbell)):
                if address:
                    entries.append((address, 4, (kind, qp)))
        shared = self._shared
        entries.append((*shared.errors.area(), ("errbuf", None)))
        entries.append((*shared.fatal_queue.area(), ("fatal", None)))
        entries.append((*shared.ctx.retries.area(), ("retry", None)))
        entries.append((*shared.response_errors.area(), ("resperr", None)))
        entries.append((*shared.outgoing_errors.area(), ("outerr", None)))
        return entries
