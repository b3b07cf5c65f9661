"""Judging register reads: plain storage by its history, status by what the model knows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ref_model.ernic.choices import effective_strobes
from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import Context
from ref_model.ernic.qp import Qp
from ref_model.registers import Location, apply_strobes

#: Rule that owns the read/write registers of each block; a few registers have their own.
OWNER = {"MR": "ERN-011", "GLOBAL": "ERN-014", "QP": "ERN-022"}
OWN_RULE = {
    **dict.fromkeys(
        (
            "XRNICCONF",
            "XRNICADCONF",
            "XRNIC_BUF_THRESHOLD_ROCE",
            "XRNIC_BUF_THRESHOLD_NON_ROCE",
            "XRNIC_PAUSE_CONF",
        ),
        "ERN-012",
    ),
    **dict.fromkeys(
        (
            "MACXADDLSB",
            "MACXADDMSB",
            "IPv4XADD",
            "IPv6XADD1",
            "IPv6XADD2",
            "IPv6XADD3",
            "IPv6XADD4",
            "XRNIC_CONF_QP_EN",
        ),
        "ERN-013",
    ),
    "INTEN": "ERN-017",
    "QPCONF": "ERN-020",
    "QPADVCONF": "ERN-020",
    **dict.fromkeys(("SQBA", "CQBA", "RQBA", "SQBAMSB", "CQBAMSB", "RQBAMSB"), "ERN-021"),
}
#: Ring bases whose low bits read 0 whatever was written.
BASES = frozenset({"SQBA", "CQBA", "RQBA"})
STATED_RESETS = frozenset({"XRNIC_BUF_THRESHOLD_ROCE", "XRNIC_BUF_THRESHOLD_NON_ROCE", "XRNIC_PAUSE_CONF"})
#: Read/write registers that hardware moves: compared at quiet by the owner of the value, or not at all.
HARDWARE_MOVED = frozenset({"SQPSN", "LSTRQREQ", "RESPERRWRPTR", "OPTERRSTSQQPTRDB", "CON_IO_CONF"})

#: Words written to addresses without a register that are remembered.
HOLES = 256

#: STATQP[30:28] RNR retries left, [26:24] retries left, [22:16] syndrome.
SOFTWARE_FIELDS = 0x777F_0000
#: STATQP[0] fatal, [3] outstanding queue full, [11] resent: 0 on a QP without traffic.
HARDWARE_FIELDS = 0x0000_0809


@dataclass(slots=True)
class Last:
    """Last write of a register: value before and after, when settled, strobes, read back since."""

    before: int
    after: int
    settled: int
    strb: int
    confirmed: bool = False
    other: int | None = None
    """The word if strobes are ignored, while that is open (AXIL_WSTRB = report)."""
    rule: str = ""  # owner of a write that came another way than over the register port


class Storage:
    """Read/write registers as storage."""

    def __init__(self, ctx: Context, values: RegisterValues) -> None:
        """Share ``values`` with the rest of the model."""
        self._ctx = ctx
        self._values = values
        self._last: dict[int, Last] = {}
        self._dirty_ones: set[int] = set()
        self._holes: deque[int] = deque(maxlen=HOLES)
        self._first: int | None = None

    def reset(self) -> None:
        """Forget all writes."""
        self._last.clear()
        self._dirty_ones.clear()
        self._holes.clear()
        self._first = None

    def hole(self, data: int) -> None:
        """Software wrote ``data`` to an address without a register."""
        self._holes.append(data)

    def first_access(self, addr: int) -> None:
        """The first access after the reset goes to ``addr``."""
        self._first = addr & ~3

    def write(self, where: Location, addr: int, data: int, strb: int, settled: int, rule: str = "") -> int:
        """Store a write; returns the new word. ``rule`` owns it if it did not use the register port."""
        register = where.register
        before = self._values.get(where.block.name, register.name, where.index)
        after = apply_strobes(before, data, effective_strobes(self._ctx.knobs, strb)) & register.writable
        after |= before & ~register.writable
        if data & ~register.defined:
            self._dirty_ones.add(addr)
        if addr in self._last and addr == self._first:
            self._first = None  # written again: no longer the first access
        self._last[addr] = Last(before, after, settled, strb, rule=rule)
        if strb != 0xF and self._ctx.knobs["AXIL_WSTRB"] == "report":
            self._last[addr].other = data & register.writable | before & ~register.writable
        self._values.put(where.block.name, register.name, after, where.index)
        return after

    def judge(self, where: Location, addr: int, value: int, begin: int) -> None:
        """Judge a read of a read/write register."""
        rules, register = self._ctx.rules, where.register
        if register.name in HARDWARE_MOVED and where.block.name != "QP":
            return
        expected = self._values.get(where.block.name, register.name, where.index)
        last = self._last.get(addr)
        name = f"{where.block.name}[{where.index}].{register.name}"
        if register.name in BASES:
            rules.eq("ERN-021", 0, value & ~register.defined, f"low bits of {name}")
        elif addr not in self._dirty_ones:
            rules.eq("ERN-002", 0, value & ~register.defined, f"undefined bits of {name}")
        mask = register.defined if last is not None else register.defined & ~register.reset_unknown
        if last is not None and last.other is not None:
            rules.observe("ERN-008")
            if value & mask == last.other & mask:
                expected = last.after = last.other
                self._values.put(where.block.name, register.name, expected, where.index)
            last.other = None
        if last is not None and last.settled >= begin:
            rules.one_of(
                "ERN-001", {last.before & mask, expected & mask}, value & mask, f"{name} being written"
            )
            return
        good = value & mask == expected & mask
        rule = self._blame(where, addr, last, value & mask, good)
        knob = "AXIL_WSTRB" if rule == "ERN-008" else None
        why = f"{name}, {'last write' if last else 'reset value'}"
        rules.eq(rule, expected & mask, value & mask, why, knob=knob)
        if good and last is not None:
            last.confirmed = True
            if last.rule:
                rules.met(last.rule, f"{name} as the side band wrote it")
            rules.met("ERN-001", name, sure=expected & mask != register.reset & mask)
            rules.alive("registers")

    def judge_fields(self, where: Location, addr: int, value: int, begin: int) -> None:
        """Judge the fields of STATQP that software may write, on a QP without traffic."""
        last = self._last.get(addr)
        if last is not None and last.settled < begin:
            written = last.after & SOFTWARE_FIELDS
            if last.other is not None and value & SOFTWARE_FIELDS == last.other & SOFTWARE_FIELDS:
                written = last.other & SOFTWARE_FIELDS
            why = f"{where.block.name}[{where.index}].STATQP: some fields take writes, the others do not"
            seen = value & (SOFTWARE_FIELDS | HARDWARE_FIELDS)
            self._ctx.rules.eq("ERN-023", written, seen, why, sure=written > 0)

    def _blame(self, where: Location, addr: int, last: Last | None, value: int, good: bool) -> str:
        """Choose the rule of a value: reset, lost write, strobes, foreign write (if not ``good``), field."""
        name = where.register.name
        if value and any(data & where.register.defined == value for data in self._holes):
            return "ERN-009"
        if last is not None and not good and self._belongs_elsewhere(addr, where, last, value):
            return "ERN-010"
        if last is None:
            return "ERN-004" if name in STATED_RESETS else "ERN-003"
        if last.confirmed:
            return "ERN-010"
        if last.rule:
            return last.rule
        if last.strb != 0xF:
            return "ERN-008"
        if last.before != last.after and value == last.before:
            return "ERN-219" if addr == self._first else "ERN-001"
        return OWN_RULE.get(name, OWNER[where.block.name])

    def _belongs_elsewhere(self, addr: int, where: Location, last: Last, value: int) -> bool:
        """Return whether ``value`` was written later, to the same register of another row or slot.

        Looks at every register written so far: only for values that are wrong.
        """
        if not value:
            return False
        stride = where.block.stride
        others = (
            entry
            for other, entry in self._last.items()
            if stride and other != addr and not (other - addr) % stride
        )
        return any(entry.after == value and entry.settled > last.settled for entry in others)


class QpStatus:
    """Judges reads of the status registers of a QP, exactly at quiet and within bounds otherwise."""

    def __init__(self, ctx: Context, values: RegisterValues) -> None:
        """Share ``values`` with the rest of the model."""
        self._ctx = ctx
        self._values = values
        self._handlers: dict[str, Callable[[Qp, int, int, int], None]] = {
            "CQHEAD": self._cqhead,
            "SQPSN": self._sqpsn,
            "LSTRQREQ": self._lstrqreq,
            "STATSSN": self._ssn,
            "STATMSN": self._msn,
            "STATQP": self._statqp,
            "STATCURSQPTR": self._pointer,
            "STATRESPSN": self._response_psn,
            "STATRQBUFCA": self._buffer_low,
            "STATRQBUFCAMSB": self._buffer_high,
            "STATWQE": self._wqes,
            "STATRQPIDB": self._rq_index,
        }
        self._offset: dict[int, int] = {}

    def left_over(self, register: str, value: int) -> None:
        """Judge a status register of a QP that nobody has touched since a reset in the middle of traffic."""
        if register != "STATQP":  # its queue bits need not be 0
            self._ctx.rules.eq("ERN-221", 0, value, f"{register} after another reset")

    def handles(self, register: str) -> bool:
        """Return whether ``register`` is judged here."""
        return register in self._handlers

    def judge(self, register: str, qp: Qp, value: int, begin: int, settled: int) -> None:
        """Judge a read of ``register`` of ``qp`` over [begin, settled]."""
        rules, before = self._ctx.rules, self._ctx.rules.findings_total
        self._handlers[register](qp, value, begin, settled)
        untouched = not (qp.requester.window.sent_messages or qp.responder.received.counts)
        if untouched and self._ctx.quiet and rules.findings_total == before:
            rules.passed(("ERN-239",), qp.scope)

    def _cqhead(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        left = qp.requester.window.sq.count - qp.cq.done
        all_done = None if left else self._values.get("QP", "SQPI", qp.slot) & 0xFFFF
        qp.life.head(value, self._values.get("QP", "SQPI", qp.slot) & 0xFFFF, begin)
        qp.cq.read_head(qp.refresh()[0], value, begin, settled, self._ctx.quiet, all_done)

    def _sqpsn(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        if self._ctx.quiet and not qp.dead:
            why = "next packet number"
            self._ctx.rules.eq("ERN-062", qp.requester.window.next_psn, value & 0xFFFFFF, why, qp.scope)

    def _lstrqreq(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        received = qp.responder.received
        if self._ctx.quiet and not qp.dead and received.counts and not received.open:
            opcode, psn = received.last_opcode, received.last_accepted
            first = psn if received.last_read is None else received.last_read
            observed = (value >> 24, value & 0xFFFFFF)
            why = "opcode and PSN of the last accepted request (of a READ, its first or last one)"
            self._ctx.rules.one_of("ERN-113", {(opcode, psn), (opcode, first)}, observed, why, qp.scope)

    def _ssn(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        if qp.lives > 1:  # packets that left while the QP died may or may not count
            self._ctx.rules.observe("ERN-064")
        elif self._ctx.quiet and not qp.dead:
            started = qp.requester.window.sent_messages & 0xFFFFFF
            rule = "ERN-064" if started or qp.responder.received.counts else "ERN-239"
            self._ctx.rules.eq(rule, started, value, "WQEs sent", qp.scope)

    def _msn(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        if not self._ctx.quiet or qp.dead or qp.responder.received.open:
            return
        messages = qp.responder.received.messages
        offset = value - messages & 0xFFFFFF
        allowed = self._offset.setdefault(qp.number, offset if offset in (0, 1) else 0)
        expected = messages + allowed & 0xFFFFFF
        self._ctx.rules.eq(
            "ERN-123", expected, value, "completed messages received", qp.scope, sure=messages > 0
        )

    def _statqp(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        rules, quiet, scope = self._ctx.rules, self._ctx.quiet, qp.scope
        fatal = value & 1
        qp.life.status(value, begin)
        if fatal and not qp.fatal:
            qp.settle()
        if not qp.fatal_due:
            rule = "ERN-087/alive" if qp.requester.resends.lives_on(*qp.refresh()) else "ERN-186"
            rules.eq(rule, int(qp.fatal), fatal, "STATQP[0]: fatal", scope)
        untouched = qp.refresh()[0].enabled or not self._values.get("QP", "SQPI", qp.slot)
        if quiet and not qp.dead and untouched:
            idle = int(qp.requester.window.idle)
            expected = (idle, int(not qp.requester.window.messages))
            observed = (value >> 9 & 1, value >> 10 & 1)
            rules.eq("ERN-066", expected, observed, "STATQP[9], [10]: queue and outstanding empty", scope)
        if not qp.dead and qp.requester.only_waits(*qp.refresh(), begin, settled):
            observed = (value >> 9 & 1, value >> 10 & 1)
            rules.eq("ERN-066", (1, 0), observed, "STATQP[9], [10]: all sent, ACKs missing", scope)
        if qp.responder.received.rnr_active and quiet:
            rules.eq("ERN-145", 1, value >> 1 & 1, "STATQP[1] after an RNR NAK", scope)
        if qp.requester.acknowledged.resent:
            rules.eq("ERN-091", 1, value >> 11 & 1, "STATQP[11] after a resend", scope)
        if qp.nak_syndrome is not None and qp.fatal:
            rules.eq(
                "ERN-096", qp.nak_syndrome & 0x7F, value >> 16 & 0x7F, "syndrome of the fatal NAK", scope
            )

    def _pointer(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        depth = qp.refresh()[0].sq_depth
        if self._ctx.quiet and depth and not qp.dead:
            posted = qp.requester.window.sq.count % depth
            why = "next SQ entry = SQPI at rest"
            self._ctx.rules.eq(
                "ERN-066", posted, value % depth, why, qp.scope, sure=qp.requester.window.started > 0
            )

    def _response_psn(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        if (
            self._ctx.quiet
            and qp.requester.acknowledged.any
            and not qp.requester.window.messages
            and not qp.dead
        ):
            why = "next expected response PSN = SQPSN at quiet"
            self._ctx.rules.eq("ERN-064", qp.requester.window.next_psn, value & 0xFFFFFF, why, qp.scope)

    def _buffer_low(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        self._buffer(qp, value, 0)

    def _buffer_high(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        self._buffer(qp, value, 32)

    def _buffer(self, qp: Qp, value: int, shift: int) -> None:
        conn = qp.refresh()[0]
        if self._ctx.quiet and conn.rq_depth and conn.enabled and qp.rq.received > qp.rq.base:
            qp.rq.read_address(conn, value, shift)

    def _wqes(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        if qp.lives > 1:
            self._ctx.rules.observe("ERN-066")
        elif self._ctx.quiet and not qp.dead and not qp.requester.resent:
            started = qp.requester.window.sent_messages
            why = "WQEs handed on, 16 bits"
            self._ctx.rules.eq("ERN-066", started & 0xFFFF, value, why, qp.scope, sure=started > 0)

    def _rq_index(self, qp: Qp, value: int, begin: int, settled: int) -> None:
        qp.rq.read_index(qp.refresh()[0], value & 0xFFFF, begin)
