"""Side-band doorbells of queue pairs in handshake mode, QPCONF[4] = 0 (requirements ERN-224 to ERN-230).

In: writes of SQPI and RQCI. Out: counts of completed WQEs and announcements of received SENDs, each with the
low bits of the doorbell address, by which a pulse is told to belong to a queue pair.
"""

from __future__ import annotations

from collections.abc import Mapping

from ref_model.deadlines import Must
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.qp import Qp
from ref_model.ernic.rings import match_position
from ref_model.events import RegRead, SideBand
from ref_model.rules import OPEN_VALUES, Scope

CQ_OUT, RQ_OUT, SQ_IN, RQ_IN = "send_cq_db", "rq_db", "sq_pidb", "rq_cidb"

#: The register each inbound port writes.
WRITES = {SQ_IN: ("SQPI", "ERN-224"), RQ_IN: ("RQCI", "ERN-225")}

#: Bits of an inbound address that decide: the 2 MiB register window, wherever the system has put it.
WINDOW = (1 << 21) - 1

READY = 1 << 31
NOT_TOLD = "WQEs completed and not told yet"


class CompletionCount:
    """Completed WQEs of one queue pair that its side band has to tell, and has told."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """Nothing to tell."""
        self._ctx = ctx
        self._scope = scope
        self.waiting = 0  # WQEs that have ended, flushed ones included as in CQHEAD, and are not told yet
        self._duty: Must | None = None

    def completed(self) -> None:
        """A WQE ended in handshake mode."""
        self.waiting += 1
        if self._duty is None or not self._duty.open:
            self._duty = self._ctx.deadlines.must(
                "ERN-226/count",
                "the count of completed WQEs on the side band",
                "a WQE of a handshake QP has ended",
                self._scope,
                self._ctx.liveness(),
            )

    def told(self, count: int, settled: int) -> None:
        """The DUT offered ``count`` completions, which were taken at ``settled``.

        A wrong count is judged then: one that changed while it waited breaks the stability first.
        """
        if not 1 <= count <= self.waiting:
            wrong = self.waiting
            self._ctx.deadlines.call_at(settled, lambda: self._wrong(count, wrong))
            return
        self._ctx.rules.in_range("ERN-226/count", 1, self.waiting, count, NOT_TOLD, self._scope)
        self.waiting -= count
        if not self.waiting:
            self._ctx.deadlines.meet(self._duty)
        elif self._duty is not None and self._duty.open:
            self._duty.deadline = self._ctx.liveness()

    def _wrong(self, count: int, waiting: int) -> None:
        self._ctx.rules.in_range("ERN-226/count", 1, waiting, count, NOT_TOLD, self._scope)


class Announcements:
    """Received SENDs of one queue pair that its side band has to announce, and has announced."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """Nothing to announce."""
        self._ctx = ctx
        self._scope = scope
        self.waiting = 0  # SENDs not announced; they may share a pulse
        self.unpaired = 0  # SENDs without a pulse of their own
        self.extra = 0  # pulses that CON_IO_CONF may cause
        self._duty: Must | None = None

    def received(self) -> None:
        """A SEND was received whole in handshake mode."""
        self.waiting += 1
        self.unpaired += 1
        if self._duty is None or not self._duty.open:
            self._duty = self._ctx.deadlines.must(
                "ERN-228/pulse",
                "a pulse on the RQ side band",
                "a handshake QP received a SEND",
                self._scope,
                self._ctx.liveness(),
            )

    def pulse(self, qp: Qp, conn: QpConfig, value: int) -> None:
        """The DUT announced SENDs with ``value``, whose meaning is a parameter."""
        rules, form = self._ctx.rules, self._ctx.knobs["RQ_SB_VALUE"]
        if not self.waiting and self.extra:
            self.extra -= 1
            rules.observe("ERN-230")
            return
        if not (self.waiting if form not in OPEN_VALUES else self.unpaired):
            why = "every SEND of this QP is announced"
            rules.fail("ERN-228/pulse", "no pulse", value, why, self._scope)
            return
        if form == "delta":
            good = rules.in_range(
                "ERN-228/value", 1, self.waiting, value, "SENDs since the last", self._scope
            )
            count = value if good else self.waiting
        elif form == "index":
            count = self._by_index(qp, conn, value)
        else:
            rules.observe("ERN-228/value")
            count = self.waiting
        self.waiting -= count
        self.unpaired -= 1
        announced = qp.rq.received - self.waiting
        if form not in OPEN_VALUES:
            why = "payload is in memory before its announcement"
            rules.in_range("ERN-144", 0, qp.rq.placed, announced, why, self._scope, knob="M_RULES")
        if not self.waiting:
            self.unpaired = 0 if form not in OPEN_VALUES else self.unpaired
            self._ctx.deadlines.meet(self._duty)
        elif self._duty is not None and self._duty.open:
            self._duty.deadline = self._ctx.liveness()

    def _by_index(self, qp: Qp, conn: QpConfig, value: int) -> int:
        """Return how many SENDs the producer index ``value`` announces."""
        depth, low = max(conn.rq_depth, 1), qp.rq.received - self.waiting + 1
        count = match_position(value, depth, low, qp.rq.received)
        if count is None or value > 0xFFFF:
            expected = f"ring position {low % depth} .. {qp.rq.received % depth}"
            self._ctx.rules.fail("ERN-228/value", expected, value, "producer index", self._scope)
            return self.waiting
        self._ctx.rules.met("ERN-228/value", "producer index of the announced SENDs", self._scope)
        return count - low + 1


class Handshake:
    """Judge of all side bands of one device."""

    def __init__(self, ctx: Context, qps: Mapping[int, Qp], scope: Scope) -> None:
        """``qps``: the queue pairs of the model by number; ``scope`` for what belongs to none."""
        self._ctx = ctx
        self._qps = qps
        self._scope = scope
        self.reset()

    def reset(self) -> None:
        """As after a reset."""
        self._counts: dict[int, CompletionCount] = {}
        self._sends: dict[int, Announcements] = {}
        self._memory: dict[int, bool] = {}  # mode of each queue pair as last programmed
        self._places: dict[int, int] = {}  # place of the next RQ element before STATRQPIDB was rewritten
        self._busy_since: int | None = None
        self.stalled_until = 0  # end (ps) of the latest pulse that had to wait long to be taken

    def attach(self, qp: Qp) -> None:
        """A queue pair appeared."""
        counts = self._counts[qp.number] = CompletionCount(self._ctx, qp.scope)
        sends = self._sends[qp.number] = Announcements(self._ctx, qp.scope)
        qp.cq.on_handshake = counts.completed
        qp.rq.on_handshake = sends.received

    # -- software -----------------------------------------------------------------------------------

    def before_preset(self, qp: Qp) -> None:
        """STATRQPIDB is about to be rewritten under override."""
        depth = max(qp.refresh()[0].rq_depth, 1)
        self._places[qp.number] = (qp.responder.received.elements + qp.rq.shift) % depth

    def configured(self, qp: Qp, override: bool) -> None:
        """QPCONF was written. Under override, 1 to 0 in bit 4 is the end of the enabling sequence.

        STATRQPIDB then holds the pending entries: numbering restarts with them, the ring goes on where it
        was.
        """
        conn, _ = qp.refresh()
        before = self._memory.get(qp.number, True)
        self._memory[qp.number] = conn.memory_doorbells
        place = self._places.pop(qp.number, None)
        if before and not conn.memory_doorbells and override and place is not None:
            qp.rq.consumer.preset(0)
            qp.rq.shift = (place - qp.responder.received.elements) % max(conn.rq_depth, 1)
            qp.rq.reopened = True
            qp.requester.reopen()

    def connect_io(self, number: int, settled: int) -> None:
        """CON_IO_CONF was written with a QP number: the DUT may ring for what is pending."""
        self._busy_since = settled
        if number in self._sends:
            self._sends[number].extra += 1

    def read_connect_io(self, event: RegRead) -> None:
        """CON_IO_CONF was read: bit 31 is back within LIVENESS_CLKS after the write."""
        rules, since = self._ctx.rules, self._busy_since
        if event.data & READY:
            rules.met("ERN-230", "ready for the next QP number", sure=since is not None)
            self._busy_since = None
        elif since is None or self._ctx.quiet or event.begin > since + self._ctx.timing.liveness:
            rules.fail("ERN-230", READY, event.data & READY, "CON_IO_CONF[31]: ready")

    def doorbell_at_zero(self, data: bytes, completion: bool) -> bool:
        """Judge a write at address 0 as doorbell of a QP without an address; returns whether there is one."""
        for number in self._counts:
            qp = self._qps[number]
            conn, _ = qp.refresh()
            queue = qp.cq if completion else qp.rq
            if conn.sq_depth and not (conn.cq_doorbell if completion else conn.rq_doorbell) and queue.unrung:
                queue.write_doorbell(conn, 0, data)
                return True
        return False

    # -- pulses -------------------------------------------------------------------------------------

    def observe(self, event: SideBand) -> None:
        """Judge a pulse of the DUT."""
        if event.settled - event.begin >= self._ctx.timing.period:  # stability is watched in HDL
            self._ctx.rules.passed(("ERN-227",), self._scope)
        if event.settled - event.begin > self._ctx.timing.pipe_out:
            self._ctx.held_over(event.begin, event.settled)
            self.stalled_until = event.settled
        address, value = event.values
        if event.port == CQ_OUT:
            self._completions(address, value, event.settled)
        else:
            self._announcement(address, value)

    def _candidates(self, address: int, completion: bool) -> list[Qp]:
        """Return the queue pairs whose doorbell address has these low bits."""
        mask = (1 << int(self._ctx.knobs["SB_ADDR_W"])) - 1
        found = []
        for number in self._sends:
            qp = self._qps[number]
            conn, _ = qp.refresh()
            doorbell = conn.cq_doorbell if completion else conn.rq_doorbell
            if conn.sq_depth and doorbell & mask == address:
                found.append(qp)
        return found

    def _completions(self, address: int, count: int, settled: int) -> None:
        rules = self._ctx.rules
        matching = self._candidates(address, True)
        waiting = [qp for qp in matching if self._counts[qp.number].waiting >= count]
        if not waiting and self._released(matching):
            return
        for qp in [] if waiting else matching:
            qp.cq.settle_fatal()
        owing = [qp for qp in matching if self._counts[qp.number].waiting]
        found = next(iter(waiting or owing or [qp for qp in matching if self._is_handshake(qp)]), None)
        if found is not None:
            rules.met("ERN-226/addr", "low bits of CQDBADD", found.scope)
            self._counts[found.number].told(count, settled)
            self._active(found)
            return
        if matching:
            self._wrong_mode(matching[0], count)
            return
        owed = [self._qps[number] for number, entry in self._counts.items() if entry.waiting]
        self._nobody("ERN-226/addr", owed, True, address)

    def _announcement(self, address: int, value: int) -> None:
        matching = self._candidates(address, False)
        for qp in matching:
            if not self._sends[qp.number].waiting:
                qp.responder.settle_room()  # only a SEND that was taken is announced
        waiting = [qp for qp in matching if self._sends[qp.number].waiting or self._sends[qp.number].extra]
        if not waiting and self._released(matching):
            return
        found = next(iter(waiting or [qp for qp in matching if self._is_handshake(qp)]), None)
        if found is not None:
            self._sends[found.number].pulse(found, found.refresh()[0], value)
            self._active(found)
            return
        if matching:
            self._wrong_mode(matching[0], value)
            return
        owed = [self._qps[number] for number, entry in self._sends.items() if entry.waiting]
        self._nobody("ERN-228/pulse", owed, False, address)

    def _released(self, matching: list[Qp]) -> bool:
        """Record a pulse that a released queue pair may have given; returns whether there is one."""
        rules = [qp.released for qp in matching if qp.released]
        for rule in rules[:1]:
            self._ctx.rules.observe(rule)
        return bool(rules)

    def _is_handshake(self, qp: Qp) -> bool:
        return not qp.refresh()[0].memory_doorbells

    def _active(self, qp: Qp) -> None:
        if self._ctx.knobs["DB_MEM_IN_HNDSHK"] == "silent":
            self._ctx.rules.alive((qp.scope.name, "doorbell"))

    def _wrong_mode(self, qp: Qp, value: int) -> None:
        why = "QPCONF[4] = 1: no side band"
        self._ctx.rules.fail("ERN-246", "no doorbell", value, why, qp.scope, knob="M_RULES")

    def _nobody(self, rule: str, owed: list[Qp], completion: bool, address: int) -> None:
        """A pulse whose address belongs to no queue pair."""
        mask = (1 << int(self._ctx.knobs["SB_ADDR_W"])) - 1
        conns = [qp.refresh()[0] for qp in owed]
        expected = {(conn.cq_doorbell if completion else conn.rq_doorbell) & mask for conn in conns}
        if expected:
            scope = owed[0].scope
            self._ctx.rules.fail(rule, expected, address, "address of a doorbell that is due", scope)
        else:
            why = "no QP has anything to tell on the side bands"
            self._ctx.rules.fail("ERN-246", "no doorbell", address, why, self._scope, knob="M_RULES")
