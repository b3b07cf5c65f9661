"""Requests that are not executed: no byte may be written, and some are answered, counted or fatal."""

from __future__ import annotations

from collections.abc import Callable

from ref_model.ernic.answers import Answer, Answers
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import GRANTED
from ref_model.ernic.errors import BadFrame
from ref_model.ernic.interrupts import RNR_SENT, VALIDATION
from ref_model.ernic.receive_side import ReceiveSide
from ref_model.ernic.received import Progress
from ref_model.wire import INFO, Frame


class Refusals:
    """What refusing a request of one QP entails."""

    def __init__(
        self, side: ReceiveSide, answers: Answers, on_fatal: Callable[[int | None, str, Frame | None], None]
    ) -> None:
        """``on_fatal(code, why, frame)``: a request has to turn the QP fatal (``frame`` None: it may)."""
        self._shared = side.shared
        self._ctx = side.shared.ctx
        self._rules = side.shared.ctx.rules
        self._scope = side.scope
        self._received = side.received
        self._acks = side.acks
        self._answers = answers
        self._on_fatal = on_fatal

    def refuse(
        self, frame: Frame, syndrome: int | None, rule: str, why: str, code: int | None, denied_by: str = ""
    ) -> None:
        """A request that turns the QP fatal; ``syndrome`` None: the NAK code is open.

        ``rule`` owns the answer, ``denied_by`` (if another one) the refusal itself.
        """
        bth = frame.bth
        assert bth is not None
        received = self._received
        received.fatal = True
        received.refuse(bth.psn, denied_by or rule)
        self._shared.counters.last_in_known = False
        self._acks.no_longer_owed()
        knob = "M_RULES" if rule == "ERN-130/nak" else None
        self._answers.owe(
            Answer(-1 if syndrome is None else syndrome, bth.psn, rule, why, optional=syndrome is None), knob
        )
        self._on_fatal(code, why, frame)

    def may_turn_fatal(self, why: str) -> None:
        """The DUT is free to refuse a request and turn the QP fatal."""
        self._on_fatal(None, why, None)

    def not_ready(self, frame: Frame, conn: QpConfig) -> None:
        """A SEND finds no free element of the receive queue."""
        bth = frame.bth
        assert bth is not None
        received = self._received
        why = "no free RQ element"
        received.after_rnr = True
        received.gap_reported = False
        received.rnr_active = True
        self.would_write(frame, conn, "ERN-145", why)
        received.refuse(bth.psn, "ERN-145")
        self._shared.interrupts.raise_bit(RNR_SENT)
        self.may_count(why)
        self._shared.counters.last_in_known = False
        self._answers.owe(Answer(0x20 | conn.rnr_code, bth.psn, "ERN-145", why))

    def may_count(self, why: str) -> None:
        """Whether PSN gaps, duplicates and RNR count as validation errors is open: both are allowed."""
        self._shared.counters.add("invalid", 0, 1)
        self._shared.counters.add("dropped", 0, 1)
        self._shared.interrupts.raise_bit(VALIDATION, sure=False)
        self._shared.errors.expect(BadFrame("ERN-151", why))

    def would_write(self, frame: Frame, conn: QpConfig, rule: str, why: str) -> None:
        """Remember where the refused request would have written, for a stray write to be blamed on it."""
        bth = frame.bth
        assert bth is not None
        info = INFO.get(bth.opcode)
        if info is None or not frame.payload:
            return
        if info.kind == "send":
            size = conn.element * max(conn.rq_depth, 1)
            self._ctx.refuse(conn.rq_base, size, rule, why, self._scope, frame.payload)
        elif frame.reth is not None:
            for first, length in self._shared.regions.check_write(frame.reth, conn.pd).would_be:
                self._ctx.refuse(first, length, rule, why, self._scope, frame.payload)

    def contain(self, frame: Frame, conn: QpConfig, progress: Progress | None, defect: str) -> None:
        """Nothing of a packet with a wrong size is written, be it where its message goes on."""
        rule = "ERN-130/containment"
        if frame.payload:
            self._rules.tempt(rule, GRANTED)
        self.would_write(frame, conn, rule, defect)
        if progress is not None:
            place = progress.address + progress.offset
            self._ctx.refuse(place, len(frame.payload), rule, defect, self._scope, frame.payload)
