"""Management datagrams (MADs) that come in for QP1 (requirements section 19, behaviour section 14).

What must be taken is owed; what the specification leaves open (Q_Key, P_Key, other opcodes, a frame longer
than an element, a free element that software gave back just now) may be taken. A memory write then tells
how the DUT decided, since each element holds a whole frame.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.deadlines import Must
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import OUTPUT, Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.errors import BadFrame, ErrorBuffer, Suspicion
from ref_model.ernic.interrupts import MAD, VALIDATION, Interrupts
from ref_model.ernic.receive_queue import ReceiveQueue
from ref_model.grants import Payload
from ref_model.rocev2.psn import psn_add
from ref_model.rules import Scope
from ref_model.wire import Frame, opcodes

#: Number of the queue pair that management datagrams are addressed to.
QP1 = 1
#: Q_Key and P_Key (without its membership bit) of management datagrams (IBTA).
GENERAL_QKEY, DEFAULT_PKEY = 0x8001_0000, 0x7FFF
ICRC_BYTES = 4

#: Registers the table does not give to QP1: whatever they do is recorded (ERN-026).
LACKING = frozenset(
    {"QPADVCONF", "SQPSN", "LSTRQREQ", "TIMEOUTCONF", "STATSSN", "STATMSN", "STATRESPSN", "PDNUM"}
)
#: Status registers whose rows begin at QP2 although QP1 has the queue: recorded under the rule of the queue.
RECORDED = {
    "STATRQPIDB": "ERN-195",
    "STATRQBUFCA": "ERN-195",
    "STATRQBUFCAMSB": "ERN-195",
    "STATCURSQPTR": "ERN-066",
    "STATWQE": "ERN-066",
}


@dataclass(slots=True, eq=False)
class Arrived:
    """A QP1 frame: bytes for its element, ``sure`` if it has to be taken, number of its coming."""

    data: bytes
    sure: bool
    number: int
    psn: int
    jumped: bool
    begin: int
    duty: Must | None


class ManagementReceiver:
    """Judge of the receive side of QP1: elements, interrupt, counter, and that nothing is answered."""

    def __init__(
        self,
        ctx: Context,
        scope: Scope,
        queue: ReceiveQueue,
        counters: Counters,
        interrupts: Interrupts,
        errors: ErrorBuffer,
    ) -> None:
        """Start with an empty ring."""
        self._ctx = ctx
        self._scope = scope
        self._rq = queue
        self._rq.rule = "ERN-195"
        self._counters = counters
        self._interrupts = interrupts
        self._errors = errors
        self._waiting: deque[Arrived] = deque()
        self._refused: deque[Arrived] = deque(maxlen=16)
        self._ends: dict[int, int] = {}  # element slot -> first byte behind the frame it holds
        self._numbers = 0
        self._last_psn: int | None = None
        self._freed: int | None = None
        self._room_before = 0
        self.peers: set[int] = {QP1}

    # -- stimulus ---------------------------------------------------------------------------------

    def freed(self, conn: QpConfig, settled: int) -> None:
        """RQCI is about to move: the DUT may look at the ring before or after that.

        A frame that found the ring full and may not have been looked at yet may now be taken.
        """
        self._freed = settled
        self._room_before = self._rq.consumer.count
        while self._refused:
            entry = self._refused.popleft()
            if not self._ctx.reacted(entry.begin, self._ctx.now):
                self._waiting.append(entry)
        self._waiting = deque(sorted(self._waiting, key=lambda entry: entry.number))

    def receive(self, frame: Frame, data: bytes, conn: QpConfig, begin: int) -> None:
        """A frame without a fault that drops it for certain came for QP1.

        ``data``: the whole Ethernet frame as received, ``begin``: first beat (ps).
        """
        bth = frame.bth
        assert bth is not None
        self._numbers += 1
        if frame.deth is not None:
            self.peers.add(frame.deth.src_qp)
        jumped = self._last_psn is not None and bth.psn != psn_add(self._last_psn, 1)
        self._last_psn = bth.psn
        self._ctx.rules.tempt("ERN-197", OUTPUT)
        stored = data[: len(data) - len(frame.trailer) - ICRC_BYTES]
        entry = Arrived(stored, False, self._numbers, bth.psn, jumped, begin, None)
        full, free = self._room(conn)
        if full and not self._lately_freed():
            self._refuse(entry, conn, "no free element of the QP1 ring: dropped")
            return
        open_point = self._open_point(frame, stored, conn)
        if open_point or not free:
            self._possible(entry, conn, open_point or "an element may just have become free")
            return
        self._certain(entry, bth.opcode)
        self._grant_certain(conn)

    def dropped(self, data: bytes, conn: QpConfig, rule: str, why: str) -> None:
        """A frame for QP1 failed validation by ``rule``: nothing of it may show."""
        size = conn.element * max(conn.rq_depth, 1)
        self._ctx.refuse(conn.rq_base, size, rule, why, self._scope, data)

    def quiet(self, conn: QpConfig) -> None:
        """Everything that came has been looked at: what was not taken has been dropped."""
        self._waiting = deque(entry for entry in self._waiting if entry.sure)
        self._refused.clear()
        self._freed = None
        self._grant_certain(conn)

    # -- hidden choices ---------------------------------------------------------------------------

    def _room(self, conn: QpConfig) -> tuple[bool, bool]:
        """Return whether the ring is full for certain and whether it has room for certain."""
        depth = max(conn.rq_depth, 1)
        sure = sum(entry.sure for entry in self._waiting)
        used = self._rq.received - self._rq.consumer.count
        before = self._rq.received - self._room_before if self._lately_freed() else used
        return used + sure >= depth, max(used, before) + len(self._waiting) < depth

    def _lately_freed(self) -> bool:
        """Return whether the DUT may not know yet that software freed elements."""
        return self._freed is not None and self._ctx.now <= self._freed + self._ctx.timing.reaction

    @staticmethod
    def _open_point(frame: Frame, stored: bytes, conn: QpConfig) -> str:
        """Return why taking the frame is left open, or an empty string."""
        bth = frame.bth
        assert bth is not None
        if bth.opcode != opcodes.UD_SEND_ONLY or frame.deth is None:
            return f"{opcodes.name_of(bth.opcode)} on QP1"
        if frame.deth.qkey != GENERAL_QKEY:
            return "Q_Key check is open"
        if bth.pkey & DEFAULT_PKEY != DEFAULT_PKEY:
            return "QP1 has no P_Key of its own"
        if len(stored) + ICRC_BYTES > conn.element:
            return "longer than the element"
        return ""

    def _certain(self, entry: Arrived, opcode: int) -> None:
        """The frame is a MAD that has to be taken."""
        entry.sure = True
        expected = f"{len(entry.data)} bytes in the next QP1 element"
        deadline = self._ctx.liveness()
        entry.duty = self._ctx.deadlines.must(
            "ERN-195", expected, "a MAD was received", self._scope, deadline
        )
        self._counters.add("in_mad")
        self._counters.add("in_send", 0, 1)
        self._counters.last_in = (opcode, entry.psn & 0xFFF, QP1)
        self._counters.last_in_known = True
        self._interrupts.raise_bit(MAD)
        self._errors.accepted(Suspicion(QP1, entry.number, "ERN-197", "ERN-197", "ERN-197"))
        self._waiting.append(entry)

    def _possible(self, entry: Arrived, conn: QpConfig, why: str) -> None:
        """The frame may be taken or dropped."""
        self._scope.note(self._ctx.now, "in", f"QP1 frame that may be dropped: {why}")
        self._counters.add("in_mad", 0, 1)
        self._counters.add("in_cnp", 0, 1)
        self._loosely_dropped(conn, why)
        self._waiting.append(entry)

    def _refuse(self, entry: Arrived, conn: QpConfig, why: str) -> None:
        """The ring is full: the frame must not be stored; how that shows elsewhere is open."""
        self._counters.add("in_mad", 0, 1)
        self._loosely_dropped(conn, why)
        self.dropped(entry.data, conn, "ERN-197", why)
        self._refused.append(entry)

    def _loosely_dropped(self, conn: QpConfig, why: str) -> None:
        self._counters.add("in_send", 0, 1)
        self._counters.add("invalid", 0, 1)
        self._counters.add("dropped", 0, 1)
        self._counters.last_in_known = False
        self._interrupts.raise_bit(MAD, sure=False)
        if conn.rq_irq:
            self._interrupts.bank("RQ", QP1, sure=False)
        self._interrupts.raise_bit(VALIDATION, sure=False)
        self._errors.expect(BadFrame("ERN-151", why))

    # -- outputs ----------------------------------------------------------------------------------

    def _grant_certain(self, conn: QpConfig) -> None:
        """Give elements to the frames at the head whose turn is certain."""
        while self._waiting and self._waiting[0].sure:
            self._grant(self._waiting.popleft(), conn)

    def _grant(self, entry: Arrived, conn: QpConfig) -> None:
        slot = self._rq.received % max(conn.rq_depth, 1)
        address = conn.rq_base + conn.element * slot
        self._ends[slot] = address + len(entry.data)
        self._rq.message(conn)
        if conn.rq_irq:
            self._interrupts.announce("RQ", QP1)
        why = f"QP1 frame {entry.number} from its Ethernet header"
        length = min(len(entry.data), conn.element)

        def done(settled: int) -> None:
            self._stored(entry, conn, settled)

        self._ctx.grant(
            Payload(address, entry.data[:length], "ERN-195", why, done, "ERN-195", scope=self._scope)
        )

    def _stored(self, entry: Arrived, conn: QpConfig, settled: int) -> None:
        """The element is complete in memory: only now may an interrupt announce it."""
        rules = self._ctx.rules
        self._ctx.deadlines.meet(entry.duty)
        self._rq.placed += 1
        rules.alive((self._scope.name, "rx"))
        self._errors.answered(QP1, entry.number)
        if entry.jumped:
            rules.met("ERN-197", "stored whatever its PSN", self._scope)
        if conn.rq_irq:
            self._ctx.deadlines.call_at(settled - 1, lambda: self._interrupts.bank("RQ", QP1))

    def element_written(self, conn: QpConfig, addr: int, data: bytes) -> str:
        """Look at a write into the ring that no open payload covers.

        Returns "again" when it decided which frame the element holds (the write is then judged as payload),
        "tail" for bytes behind a frame inside its element (whether the ICRC is stored is open), else "".
        """
        slot, offset = divmod(addr - conn.rq_base, conn.element)
        end = self._ends.get(slot)
        if self._waiting and slot == self._rq.received % max(conn.rq_depth, 1):
            chosen = self._chosen(offset, data)
            if chosen is not None:
                while self._waiting[0] is not chosen:
                    self._waiting.popleft()
                self._waiting.popleft()
                if not chosen.sure:
                    self._counters.last_in_known = False
                self._grant(chosen, conn)
                self._grant_certain(conn)
                return "again"
        if end is not None and addr >= end and offset + len(data) <= conn.element:
            self._ctx.rules.observe("ERN-195")
            return "tail"
        return ""

    def _chosen(self, offset: int, data: bytes) -> Arrived | None:
        """Return the waiting frame that ``data`` at ``offset`` belongs to; a sure one is not skipped."""
        for entry in self._waiting:
            part = entry.data[offset : offset + len(data)]
            if part and data.startswith(part):
                return entry
            if entry.sure:
                return entry
        return None

    def announced(self, conn: QpConfig) -> bool:
        """A doorbell counts more frames than known: returns whether one more may have been taken."""
        if not self._waiting:
            return False
        self._grant(self._waiting.popleft(), conn)
        self._grant_certain(conn)
        return True

    def answers(self, frame: Frame, conn: QpConfig) -> bool:
        """Return whether a response packet of the DUT answers a QP1 frame (nothing may)."""
        bth = frame.bth
        assert bth is not None
        return bool(self._numbers) and bth.dest_qp in self.peers | {conn.dest_qp}
