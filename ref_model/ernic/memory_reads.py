"""Reads of the DUT from host memory: work queue entries, payload, data for READ responses."""

from __future__ import annotations

from ref_model.ernic.lifecycle import WQE_BYTES
from ref_model.ernic.management_traffic import ManagementTraffic
from ref_model.ernic.memory_areas import MemoryAreas
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.released import MemoryErrors
from ref_model.ernic.shared import Shared
from ref_model.events import MemRead
from ref_model.rules import Scope

SQ_PORT, PAYLOAD_PORT = "qp_mgr", "wqe_proc_top"


class MemoryReads:
    """Judges what the DUT reads, and tells the queue pairs."""

    def __init__(
        self,
        shared: Shared,
        qps: QueuePairs,
        management: ManagementTraffic,
        areas: MemoryAreas,
        errors: MemoryErrors,
        scope: Scope,
    ) -> None:
        """``scope`` is that of memory."""
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self._qps = qps
        self._management = management
        self._areas = areas
        self._errors = errors
        self._scope = scope

    def read(self, event: MemRead) -> None:
        """Judge a burst."""
        if event.resp:
            sending = event.port == PAYLOAD_PORT
            self._qps.hit(self._errors.read(event, self._areas.of(event.addr), sending))
            return
        self._errors.answered(event)
        if event.port == PAYLOAD_PORT:
            self._ctx.fetching(event.addr, event.begin)
            self._management.payload_read(event)
            self._payload_read(event)
        elif event.port == SQ_PORT:
            self._entries_read(event)

    def _entries_read(self, event: MemRead) -> None:
        """ERN-216: the master of the send queues reads nothing but their entries."""
        rules, seen = self._rules, f"{event.addr:#x}"
        area = self._areas.of(event.addr)
        if area is None or area[2][0] != "sq" or event.addr + len(event.data) > area[0] + area[1]:
            behind = self._areas.of(event.addr - WQE_BYTES)
            if behind is not None and behind[2][0] == "sq":
                why = "the ring goes on at slot 0"
                rules.fail("ERN-057", f"{behind[0]:#x}", seen, why, self._scope)
                return
            rules.fail("ERN-216", "a send queue ring", seen, "qp_mgr reads WQEs only", self._scope)
            return
        rules.met("ERN-216", "qp_mgr reads inside a send queue", self._scope)
        qp = area[2][1]
        assert qp is not None
        if self._qps.recorded(qp.number):
            return
        conn, device = qp.refresh()
        if not device.enabled:
            rules.fail("ERN-247", "no fetch", seen, "XRNICCONF[0] = 0", qp.scope, knob="M_RULES")
        for offset in range(0, len(event.data), WQE_BYTES):
            slot = (event.addr + offset - conn.sq_base) // WQE_BYTES
            qp.life.fetched(slot, qp.requester.window.started, conn.sq_depth)
            qp.requester.window.entries.fetched(slot, event.data[offset : offset + WQE_BYTES])
        qp.check_next_entry()

    def _payload_read(self, event: MemRead) -> None:
        """ERN-136: beside payload to send, the DUT reads only what READ requests may have."""
        reads = self._ctx.reads
        stop = event.addr + len(event.data)
        if not reads.known or reads.allows(event.addr, stop) or self._ctx.sources.cover(event.addr, stop):
            return
        area = self._areas.of(event.addr)
        if area is not None and area[2][0] == "retry":
            return
        if self._qps.released.covers(event.addr, stop):
            return
        rule, why, scope = reads.blame(event.addr, stop, self._scope)
        self._rules.fail(rule, "no read here", f"{event.addr:#x} .. {stop:#x}", why, scope)
