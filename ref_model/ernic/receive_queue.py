"""Receive queue ring of one QP: elements, credit, producer index, doorbell (requirements section 14)."""

from __future__ import annotations

from collections.abc import Callable

from ref_model.deadlines import Must
from ref_model.ernic import doorbells
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import OUTPUT, Context
from ref_model.ernic.rings import RingIndex, Shown, match_position
from ref_model.rules import Scope


class ReceiveQueue:
    """What the DUT has announced of the received messages, and what software has given back."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """Start empty."""
        self._ctx = ctx
        self._scope = scope
        self.rule = "ERN-143"  #: what the doorbell is demanded by
        self.consumer = RingIndex()
        self.base = 0
        self.shift = 0  # places by which the ring runs ahead of the numbering
        self.reopened = False  # by the enabling sequence of the handshake, nothing placed since
        self.by_side_band = False  # RQCI was written through its side band last
        #: Called for each SEND received in handshake mode.
        self.on_handshake: Callable[[], None] = lambda: None
        self.received = 0  # messages complete on the wire
        self.placed = 0  # messages whose payload is complete in memory
        self.rung = 0
        self._shown = Shown()
        self.index_low = 0
        self.no_element = ""  # rule of the last request, if it takes no element
        self.credited = False
        self._bell_duty: Must | None = None

    @property
    def unrung(self) -> bool:
        """Whether SENDs were received that no doorbell word has told."""
        return self.rung < self.received

    def preset(self, raw: int) -> None:
        """Software rewrote STATRQPIDB under override on an idle QP."""
        self.base = self.received = self.placed = self.rung = self.index_low = raw
        self.shift = 0
        self._shown.preset(raw)

    def message(self, conn: QpConfig) -> None:
        """A SEND message was accepted whole: its doorbell is owed."""
        self.received += 1
        self.no_element = ""
        if conn.memory_doorbells:
            self._ctx.rules.tempt("ERN-246", OUTPUT)
        else:
            self.on_handshake()
        rule = doorbells.owed(self._ctx, conn, conn.rq_doorbell, self.rule)
        if rule is not None and (self._bell_duty is None or not self._bell_duty.open):
            knob = doorbells.KNOB if rule == doorbells.RULE else None
            self._bell_duty = self._ctx.deadlines.must(
                rule, "RQ doorbell word", "a SEND was received", self._scope, self._ctx.liveness(), knob
            )
        elif not doorbells.allowed(self._ctx, conn, conn.rq_doorbell):
            self._ctx.rules.tempt(doorbells.RULE, (self._scope.name, "doorbell"))

    def room(self, conn: QpConfig) -> int:
        """Return how many elements may be filled beyond those software has given back.

        RQ_CREDIT_MODE: the whole ring from the start (lap), or nothing before the first credit, an RQCI of at
        least the depth (absolute).
        """
        if self._ctx.knobs["RQ_CREDIT_MODE"] == "absolute" and not self.credited:
            return 0
        return max(conn.rq_depth, 1)

    def free(self, raw: int, depth: int) -> None:
        """RQCI was written."""
        if self._ctx.knobs["RQ_CREDIT_MODE"] == "absolute" and not self.credited and raw >= depth:
            self.credited = True
            self.consumer.raw = raw
            return
        self.consumer.advance_to(raw, depth, self.received - self.consumer.count)

    def announces(self, conn: QpConfig, data: bytes) -> bool:
        """Return whether a doorbell word stands for messages known to be received."""
        value, depth = int.from_bytes(data, "little"), max(conn.rq_depth, 1)
        return match_position(value, depth, self.rung, self.received) is not None

    def write_doorbell(self, conn: QpConfig, addr: int, data: bytes) -> None:
        """Judge a write of the RQ doorbell word."""
        rules, scope = self._ctx.rules, self._scope
        if not rules.eq(
            self.rule, (conn.rq_doorbell, 4), (addr, len(data)), "the 32-bit word at RQWPTRDBADD", scope
        ):
            return
        if not doorbells.allowed(self._ctx, conn, conn.rq_doorbell):
            rules.fail(doorbells.RULE, "no RQ doorbell word", data, "only the side band tells", scope)
            return
        value = int.from_bytes(data, "little")
        depth = max(conn.rq_depth, 1)
        count = match_position(value, depth, self.rung, self.received)
        if count is None:
            expected = f"ring position {self.rung % depth} .. {self.received % depth}"
            rule = self.no_element if value % depth == (self.received + 1) % depth else ""
            rules.fail(rule or self.rule, expected, value, "index of received SENDs", scope)
            return
        rules.met(self.rule, "doorbell follows the received SENDs", scope)
        rules.in_range(
            "ERN-144",
            0,
            self.placed,
            count,
            "payload is in memory before its doorbell",
            scope,
            knob="M_RULES",
        )
        self.rung = count
        self._shown.show(count, self._ctx.now)
        if count == self.received:
            self._ctx.deadlines.meet(self._bell_duty)
        elif self._bell_duty is not None and self._bell_duty.open:
            self._bell_duty.deadline = self._ctx.liveness()

    def read_index(self, conn: QpConfig, value: int, begin: int) -> None:
        """Judge a read of STATRQPIDB that began at ``begin``: the producer index, modulo the depth."""
        rules, scope = self._ctx.rules, self._scope
        depth = max(conn.rq_depth, 1)
        low = self.received if self._ctx.quiet else max(self.index_low, self._shown.before(begin))
        count = match_position(value, depth, low, self.received)
        if count is None:
            expected = f"ring position {low % depth} .. {self.received % depth}"
            rules.fail("ERN-141", expected, value, f"{self.received} SENDs received", scope)
            return
        rules.met("ERN-141", "producer index", scope, sure=low == self.received and self.received > self.base)
        rules.in_range(
            "ERN-144", 0, self.placed, count, "payload is in memory before the index", scope, knob="M_RULES"
        )
        self.index_low = count

    def read_address(self, conn: QpConfig, word: int, shift: int) -> None:
        """Judge STATRQBUFCA (``shift`` 0) or STATRQBUFCAMSB (32) at quiet: last used or next element."""
        depth = max(conn.rq_depth, 1)
        counts = (self.received + self.shift, max(self.received - 1, 0) + self.shift)
        allowed = {conn.rq_base + conn.element * (count % depth) >> shift & 0xFFFFFFFF for count in counts}
        why = "address of the current or next RQ element"
        self._ctx.rules.one_of("ERN-142", allowed, word, why, self._scope)
