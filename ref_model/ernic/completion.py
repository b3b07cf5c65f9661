"""Completion queue of one QP: CQEs, CQHEAD, the doorbell word (section 6 of the requirements)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from ref_model.deadlines import Must
from ref_model.ernic import doorbells
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import OUTPUT, Context
from ref_model.ernic.read_data import Fetch
from ref_model.ernic.rings import Shown, match_position
from ref_model.rules import Scope

CQE_BYTES = 4


@dataclass(frozen=True, slots=True)
class Completion:
    """A WQE that has ended: what its CQE has to say.

    ``open``: its acknowledgement and the fatal state met on the way, so ERRFLAG may be 0, too. ``fetch``: the
    READ whose data has to be in memory first. ``implied``: a READ response acknowledged it.
    """

    wrid: int
    opcode: int
    error: bool
    open: bool = False
    fetch: Fetch | None = None
    implied: bool = False

    @property
    def word(self) -> int:
        """CQE: WRID [15:0], OPCODE [23:16], ERRFLAG [31:24]."""
        return self.wrid | self.opcode << 16 | int(self.error) << 24

    @property
    def words(self) -> tuple[int, ...]:
        """Every CQE that is right."""
        return (self.word, self.word & 0xFFFFFF) if self.open else (self.word,)


class CompletionQueue:
    """Counts ended WQEs (``done``) against what the DUT has announced of them."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """Start empty."""
        self._ctx = ctx
        self._scope = scope
        self.base = 0  # count at which numbering started (software preset)
        self.done = 0
        self.cqes = 0
        self.rung = 0
        self.together = 0  # up to here one acknowledgement ended several WQEs
        self._shown = Shown()
        self.head_low = 0
        self._owed: deque[Completion] = deque()
        self._settled: deque[tuple[int, int]] = deque(maxlen=64)
        #: WQEs of a fatal QP that need not be announced before its recovery, with the settings they ended in.
        self._flushed: list[tuple[Completion, QpConfig]] = []
        self._cqe_duty: Must | None = None
        self._bell_duty: Must | None = None
        #: Rule for the moment of completion if no acknowledgement decides it (rests on M_RULES then).
        self.unacknowledged = ""
        #: Called before a deviation is judged: ends the WQEs of a QP whose fatal state is due, if so.
        self.settle_fatal: Callable[[], None] = lambda: None
        #: Called for each WQE that ends in handshake mode.
        self.on_handshake: Callable[[], None] = lambda: None
        #: Rule of an error completion that nothing allows.
        self.fatal_too_early: Callable[[], str] = lambda: "ERN-155"
        #: Rule of a completion that came before its acknowledgement or data.
        self.too_early: Callable[[], str] = lambda: "ERN-071"
        self._reads: deque[tuple[int, Fetch]] = deque()

    @property
    def unrung(self) -> bool:
        """Whether WQEs have ended that no doorbell word has told."""
        return self.rung < self.done

    def preset(self, raw: int) -> None:
        """Software rewrote CQHEAD under override on an idle QP."""
        self.base = self.done = self.cqes = self.rung = self.head_low = raw
        self._shown.preset(raw)
        self._reads.clear()

    def abandon(self) -> None:
        """The QP is not judged any more: nothing it owes is owed elsewhere."""
        self._ctx.cqes_owed.subtract(completion.word for completion in self._owed)

    def complete(self, completion: Completion, conn: QpConfig) -> None:
        """A WQE ended: its CQE (if enabled) and the doorbell are permitted and owed from now on."""
        if completion.error and not conn.recovery and self._ctx.knobs["FLUSH_MOMENT"] != "at_fatal":
            self._flushed.append((completion, conn))
            return
        self.done += 1
        if completion.fetch is not None:
            self._reads.append((self.done, completion.fetch))
        if conn.memory_doorbells:
            self._ctx.rules.tempt("ERN-246", OUTPUT)
        deadline = self._ctx.liveness()
        deadlines = self._ctx.deadlines
        if conn.cqe:
            self._owed.append(completion)
            self._ctx.cqes_owed[completion.word] += 1
            if self._cqe_duty is None or not self._cqe_duty.open:
                rule, knob = ("ERN-241", "M_RULES") if completion.implied else self.owed_by("ERN-073")
                why = "a WQE of this QP has ended"
                self._cqe_duty = deadlines.must(
                    rule, f"CQE number {self.cqes}", why, self._scope, deadline, knob
                )
        else:
            self.cqes = self.done
        if not conn.memory_doorbells:
            self.on_handshake()
        bell = doorbells.owed(self._ctx, conn, conn.cq_doorbell, "ERN-077")
        if bell is not None and (self._bell_duty is None or not self._bell_duty.open):
            rule, knob = self.owed_by(bell) if bell != doorbells.RULE else (bell, doorbells.KNOB)
            self._bell_duty = deadlines.must(
                rule, "CQ doorbell word", "a WQE of this QP has ended", self._scope, deadline, knob
            )
        elif not doorbells.allowed(self._ctx, conn, conn.cq_doorbell):
            self._ctx.rules.tempt(doorbells.RULE, (self._scope.name, "doorbell"))

    def owed_by(self, rule: str) -> tuple[str, str | None]:
        """Return the rule that demands the end of a WQE to show (``rule`` after an ACK) and its parameter."""
        return (self.unacknowledged, "M_RULES") if self.unacknowledged else (rule, None)

    def recovery(self) -> int:
        """QPCONF[6] was set: the latest moment at which flushed WQEs begin to be announced (FLUSH_MOMENT).

        Returns how many they are.
        """
        waiting, self._flushed = self._flushed, []
        for completion, conn in waiting:
            self.complete(completion, replace(conn, recovery=True))
        return len(waiting)

    def _settle(self) -> None:
        """Before a deviation is judged: what may have ended has ended."""
        self.settle_fatal()
        if self._ctx.knobs["FLUSH_MOMENT"] == "any":
            self.recovery()

    def write_ring(self, conn: QpConfig, addr: int, data: bytes, begin: int, settled: int) -> None:
        """Judge a write into the CQ ring: whole CQEs, in order, each for a WQE that has ended."""
        rules, scope = self._ctx.rules, self._scope
        depth = max(conn.sq_depth, 1)
        if not conn.cqe:
            elsewhere = self._ctx.cqes_owed[int.from_bytes(data[:CQE_BYTES], "little")] > 0
            rules.fail("ERN-238" if elsewhere else "ERN-073", "no CQE", data, "QPCONF[5] = 0", scope)
            return
        first = addr
        while data:
            if addr != first and not self._owed:
                rules.fail("ERN-215", "no more bytes", data, "strobes of CQEs only", scope)
                return
            expected = conn.cq_base + CQE_BYTES * (self.cqes % depth)
            why = f"CQE {self.cqes} of a ring of {depth} at {conn.cq_base:#x}"
            if not rules.eq("ERN-075", (expected, True), (addr, len(data) >= CQE_BYTES), why, scope):
                return
            if not self._cqe(int.from_bytes(data[:CQE_BYTES], "little")):
                return
            if self.cqes == depth:
                rules.observe("ERN-192")  # whether software has read the CQEs does not show on the pins
            self.cqes += 1
            self._announced(self.cqes)
            self._settled.append((self.cqes, settled))
            addr += CQE_BYTES
            data = data[CQE_BYTES:]
        deadlines = self._ctx.deadlines
        deadlines.meet(self._cqe_duty)
        if self._owed:
            owed, knob = self.owed_by("ERN-073")
            self._cqe_duty = deadlines.must(
                "ERN-080" if self.cqes < self.together else owed,
                f"CQE number {self.cqes}",
                "a WQE of this QP has ended",
                scope,
                self._ctx.liveness(),
                knob,
            )

    def _cqe(self, word: int) -> bool:
        """Judge the content of the next CQE; returns whether one is due."""
        rules, scope = self._ctx.rules, self._scope
        if not self._owed:
            self._settle()
        if not self._owed and word >> 24:
            rules.fail(self.fatal_too_early(), "no error CQE", word, "nothing makes this QP fatal", scope)
            return False
        if not self._owed:
            elsewhere = self._ctx.cqes_owed[word] > 0
            why = "this CQE is owed elsewhere" if elsewhere else "no further WQE has been acknowledged"
            rule, knob = self.owed_by(self.too_early())
            if elsewhere:
                rule, knob = "ERN-238", None
            rules.fail(rule, "no CQE yet", word, why, scope, knob)
            return False
        completion = self._owed.popleft()
        self._ctx.cqes_owed[completion.word] -= 1
        if not self._ctx.cqes_owed[completion.word]:
            del self._ctx.cqes_owed[completion.word]
        rule = "ERN-187" if completion.error else "ERN-074"
        why = "{ERRFLAG, opcode, WRID} of the WQE that ended"
        if completion.open:
            rules.one_of(rule, completion.words, word, why, scope)
        else:
            rules.eq(rule, completion.word, word, why, scope)
        rules.met("ERN-215", "only the bytes of the CQE are strobed", scope)
        if not completion.error:
            ended, knob = self.owed_by("ERN-071" if completion.fetch is None else "ERN-072/arrival")
            rules.met(ended, "the CQE follows the acknowledgement (QP1: the frame)", scope, knob)
        if not self._owed:
            rules.alive((scope.name, "cq"))
        return True

    def behind_ring(self, conn: QpConfig, addr: int) -> bool:
        """Return whether the next CQE would be at ``addr`` if the ring had no end."""
        return self.cqes >= conn.sq_depth and addr == conn.cq_base + CQE_BYTES * self.cqes

    def write_doorbell(self, conn: QpConfig, addr: int, data: bytes) -> None:
        """Judge a write of the CQ doorbell word."""
        rules, scope = self._ctx.rules, self._scope
        if not rules.eq(
            "ERN-077", (conn.cq_doorbell, 4), (addr, len(data)), "the 32-bit word at CQDBADD", scope
        ):
            return
        if not doorbells.allowed(self._ctx, conn, conn.cq_doorbell):
            rules.fail(doorbells.RULE, "no CQ doorbell word", data, "only the side band tells", scope)
            return
        value = int.from_bytes(data, "little")
        count = match_position(value, conn.sq_depth, self.rung, self.done)
        if count is None:
            self._settle()
            count = match_position(value, conn.sq_depth, self.rung, self.done)
        if count is None or value > 0xFFFF:
            low, high = self.rung % conn.sq_depth, self.done % conn.sq_depth
            rules.fail(
                "ERN-077", f"ring position {low} .. {high}", value, "CQHEAD never ahead of ended WQEs", scope
            )
            return
        rules.met("ERN-077", "doorbell follows CQHEAD", scope)
        flushed = count > self.cqes and bool(self._owed) and self._owed[0].error
        order = "ERN-187" if flushed else "ERN-079"
        why = "the CQE comes before its doorbell"
        rules.in_range(order, 0, self.cqes, count, why, scope, knob=None if flushed else "M_RULES")
        self._announced(count)
        self.rung = count
        self._shown.show(count, self._ctx.now)
        if self.rung == self.done:
            self._ctx.deadlines.meet(self._bell_duty)
        elif self._bell_duty is not None and self._bell_duty.open:
            self._bell_duty.deadline = self._ctx.liveness()
            if self.rung < self.together:
                self._bell_duty.rule = "ERN-080"

    def read_head(
        self, conn: QpConfig, value: int, begin: int, settled: int, quiet: bool, all_done: int | None
    ) -> None:
        """Judge a read of CQHEAD over [begin, settled]; ``all_done``: raw SQPI if no WQE is left."""
        rules, scope = self._ctx.rules, self._scope
        low = max(self.head_low, self._shown.before(begin))
        count = match_position(value, max(conn.sq_depth, 1), low, self.done)
        if count is None:
            self._settle()
            count = match_position(value, max(conn.sq_depth, 1), low, self.done)
        if quiet:
            low = self.done
        if count is None or count < low or value > 0xFFFF:
            depth = max(conn.sq_depth, 1)
            expected = f"ring position {low % depth} .. {self.done % depth}"
            rules.fail("ERN-076", expected, value, f"{self.done} WQEs have ended", scope)
            return
        if conn.cqe and count > self.base:
            ended = next((time for number, time in self._settled if number == count), None)
            order = count <= self.cqes and (ended is None or ended <= settled)
            rules.eq(
                "ERN-079", True, order, "the CQE is visible before CQHEAD shows it", scope, knob="M_RULES"
            )
        self._announced(count)
        self.head_low = count
        if quiet and self.done > self.base and all_done is not None and not self._flushed:
            rules.eq("ERN-076", all_done, value, "CQHEAD equals SQPI when all WQEs have ended", scope)

    def _announced(self, count: int) -> None:
        """The DUT has shown the end of ``count`` WQEs: the data of the READs among them is in memory."""
        while self._reads and self._reads[0][0] <= count:
            fetch = self._reads.popleft()[1]
            there = not fetch.duties and fetch.settled <= self._ctx.now
            why = "READ data is in memory before its completion shows"
            self._ctx.rules.eq("ERN-072/order", True, there, why, self._scope, knob="M_RULES")

    def finished(self) -> int:
        """Return how many ended WQEs the DUT has not announced yet (leak check)."""
        return len(self._owed)
