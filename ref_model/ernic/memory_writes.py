"""Writes of the DUT to host memory: payload, rings, doorbells, buffers, and writes nothing calls for."""

from __future__ import annotations

from ref_model.ernic.context import BUS_BYTES, GRANTED, READ_PORT
from ref_model.ernic.memory_areas import MemoryAreas
from ref_model.ernic.qp import Qp
from ref_model.ernic.queue_pairs import QueuePairs
from ref_model.ernic.released import MemoryErrors
from ref_model.ernic.shared import Shared
from ref_model.ernic.validation import LENGTHS
from ref_model.events import MemWrite
from ref_model.grants import Payload
from ref_model.memory import runs
from ref_model.rules import Scope

CQ_PORT, RX_PORT, RETRY_PORT = "resp_hndler", "rx_pkt_hndler_ddr", "wqe_proc_wr_ddr"

#: Master of the areas that one alone may write.
MASTERS = {"cq": CQ_PORT, "cq_doorbell": CQ_PORT, "retry": RETRY_PORT}
#: Rules of areas the DUT has to leave alone, unless something else allows it.
FORBIDDEN = {"rq": "ERN-140", "sq": "ERN-216"}


class MemoryWrites:
    """Judges each written byte by what allows it."""

    def __init__(
        self, shared: Shared, qps: QueuePairs, areas: MemoryAreas, errors: MemoryErrors, scope: Scope
    ) -> None:
        """``scope`` is that of memory."""
        self._shared = shared
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self._qps = qps
        self._areas = areas
        self._errors = errors
        self._scope = scope

    def write(self, event: MemWrite) -> None:
        """Judge a burst, and let memory take it."""
        self._rules.passed(("ERN-212", "ERN-213"), self._scope)
        self._rules.now = event.settled  # the content is known when the burst is complete
        if event.resp:
            self._refused(event)
        else:
            self._errors.answered(event)
        for start, stop in runs(event.mask):
            addr, data = event.addr + start, event.data[start:stop]
            while data:
                used = self._written(event, addr, data)
                addr += used
                data = data[used:]
            if not event.resp:
                self._ctx.store(event.addr + start, event.data[start:stop])

    def _refused(self, event: MemWrite) -> None:
        """Memory refused a write: it is as it was, and what the QP that wrote does now is open."""
        area = self._areas.of(event.addr + event.mask.index(1)) if 1 in event.mask else None
        self._qps.hit(self._errors.written(event, area))
        if area is not None and area[2][0] == "errbuf":
            self._shared.errors.let_go(adrift=True)
        elif area is not None and area[2][0] == "fatal":
            self._shared.fatal_queue.adrift = True

    def _written(self, event: MemWrite, addr: int, data: bytes) -> int:
        """Judge the head of one run of strobed bytes; returns how many bytes that settled."""
        grant = self._ctx.covering(addr, data)
        released = self._qps.released
        free = released.reached(addr) if released else None
        if free is not None and (grant is None or not grant.fits(addr, data)):
            self._rules.observe(free[0].released)
            return min(free[1], len(data))
        if grant is not None:
            return self._payload_written(grant, event, addr, data)
        spoiled = self._ctx.scratched(addr) if self._ctx.scratch and event.port == READ_PORT else 0
        if spoiled > 0:
            return min(spoiled, len(data))
        area = self._areas.of(addr)
        if area is None:
            if addr or not self._qps.handshake.doorbell_at_zero(data, event.port == CQ_PORT):
                self._stray(event, addr, data, "ERN-215")
            return len(data)
        first, length, (kind, qp) = area
        part = data[: first + length - addr]
        if qp is None:
            return self._shared_written(event, kind, addr, part)
        return self._own_written(event, kind, qp, addr, part)

    def _own_written(self, event: MemWrite, kind: str, qp: Qp, addr: int, part: bytes) -> int:
        """Judge a write to the area ``kind`` of ``qp``; returns 0 if it has to be looked at once more."""
        conn = qp.refresh()[0]
        if kind == "cq":
            qp.cq.write_ring(conn, addr, part, event.begin, event.settled)
        elif kind == "cq_doorbell":
            qp.cq.write_doorbell(conn, addr, part)
        elif kind == "rq" and qp.responder.settle_room():
            return 0
        elif kind == "rq" and qp.management is not None:
            found = qp.management.element_written(conn, addr, part)
            if found == "again":
                return 0
            if not found:
                self._stray(event, addr, part, FORBIDDEN[kind])
                return len(part)
        elif kind == "rq_doorbell":
            if not qp.rq.announces(conn, part) and qp.responder.settle_room():
                return 0
            while qp.management is not None and not qp.rq.announces(conn, part):
                if not qp.management.announced(conn):
                    break
            qp.rq.write_doorbell(conn, addr, part)
        else:
            self._stray(event, addr, part, FORBIDDEN[kind])
            return len(part)
        self._job(event, kind, MASTERS.get(kind))
        return len(part)

    def _shared_written(self, event: MemWrite, kind: str, addr: int, part: bytes) -> int:
        """Judge a write to a buffer that all queue pairs share."""
        if kind == "errbuf":
            self._shared.errors.write(addr, part)
        elif kind == "fatal":
            self._fatal_entry(addr, part)
        elif kind == "retry":
            self._ctx.retries.write(addr, part)
        elif kind == "resperr":
            self._shared.response_errors.write(part)
        else:
            self._shared.outgoing_errors.write()
        self._job(event, kind, MASTERS.get(kind))
        return len(part)

    def _payload_written(self, grant: Payload, event: MemWrite, addr: int, data: bytes) -> int:
        offset = addr - grant.addr
        size = min(len(data), len(grant.data) - offset)
        expected = grant.data[offset : offset + size]
        again = any(grant.written[offset : offset + size])
        refusal = self._ctx.refusal_with(data[:size]) if data[:size] != expected else None
        if refusal is not None:
            self._rules.fail(refusal.rule, expected, data[:size], refusal.why, refusal.scope)
            self._ctx.drop(grant)
        elif not self._rules.eq(grant.rule, expected, data[:size], grant.why, self._scope):
            self._ctx.drop(grant)
        elif again:
            self._rules.fail(grant.rule, "each byte once", "a second write", grant.why, self._scope)
        grant.written[offset : offset + size] = b"\1" * size
        grant.left -= size
        self._job(event, "payload", grant.port or RX_PORT)
        if not grant.port:
            self._rules.eq(
                "ERN-214",
                0,
                event.addr % BUS_BYTES,
                "payload bursts start on 64 bytes",
                self._scope,
            )
        if grant.left <= 0:
            self._ctx.payload_done(grant, event.settled)
            if not grant.port:
                self._rules.alive(GRANTED)
            if len(self._qps.by_number) > 1:
                self._rules.passed(("ERN-238",), self._scope)
            self._rules.met("ERN-215", "only intended bytes are strobed", self._scope)
        return size

    def _job(self, event: MemWrite, kind: str, port: str | None) -> None:
        """ERN-216: each master writes its own areas only (doorbells and error queues are free)."""
        if kind != "errbuf":
            self._ctx.mangled = None
        if port is not None:
            self._rules.eq("ERN-216", port, event.port, f"master that writes {kind}", self._scope)

    def _stray(self, event: MemWrite, addr: int, data: bytes, rule: str) -> None:
        """Judge a write outside every grant: refused data, misplaced data, or just stray."""
        what = f"{len(data)} bytes at {addr:#x} by {event.port}"
        if self._shared.errors.behind(addr):
            rule = "ERN-153"
        refusal = self._ctx.refusal_at(addr, data)
        if refusal is not None:
            blamed = refusal.rule
            if blamed == LENGTHS.rule and not 0 <= addr - refusal.first < refusal.length:
                blamed = "ERN-232/containment"  # not even where the frame would have gone
            self._rules.fail(blamed, "no write", what, refusal.why, refusal.scope)
            return
        grant = self._ctx.payloads.misplaced(data)
        if grant is None and event.port == READ_PORT:
            grant = self._ctx.payloads.owed_by(READ_PORT)
        if grant is not None:
            self._rules.fail(grant.place_rule, f"at {grant.addr:#x}", what, grant.why, self._scope)
            return
        if event.port == RETRY_PORT:
            rule = "ERN-090"
        elif self._shared.outgoing_errors.blames(addr):
            rule = "ERN-250"
        elif self._shared.response_errors.blames(addr):
            rule = "ERN-157"
        for qp in self._qps.all():
            if qp.life.owned(addr):
                rule = qp.life.rule
            conn = qp.refresh()[0]
            if event.port == CQ_PORT and qp.cq.behind_ring(conn, addr):
                rule = "ERN-075"
            for name, doorbell in (("ERN-077", conn.cq_doorbell), ("ERN-143", conn.rq_doorbell)):
                if doorbell >> 32 and addr == doorbell & 0xFFFFFFFF:
                    rule = name
        if rule == "ERN-215" and self._ctx.mangled is not None:
            rule = "ERN-234"
        self._rules.fail(rule, "no write here", what, "outside every grant", self._scope)

    def _fatal_entry(self, addr: int, data: bytes) -> None:
        entry = self._shared.fatal_queue.write(addr, data)
        if entry is None:
            return
        number, code = entry
        qp = self._qps.get(number)
        if qp is None:
            self._rules.fail(
                "ERN-155", "a QP in use", number, "QP number of a fatal entry", self._shared.fatal_queue.scope
            )
        elif not self._qps.recorded(number):
            qp.fatal_entry(code)
