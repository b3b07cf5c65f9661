"""Recovery, deletion and re-creation of a queue pair as software drives them (requirements 188, 190, 191).

A life ends by the fatal state or by the documented deletion. It begins when QPCONF is written with enable 1
and recovery 0. What an earlier life owned is remembered: whatever the DUT still does for it has a name.
"""

from __future__ import annotations

from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import Context
from ref_model.rules import Scope

REST = 3 << 9
"""STATQP[9], [10]: send queue and outstanding queue empty."""

HANDLER_IDLE = 1 << 16
"""RESPHNDSTS[16]: response handler at rest."""

WQE_BYTES, CQE_BYTES, DOORBELL_BYTES = 64, 4, 4

Span = tuple[int, int]
"""Address, bytes."""


def spans_of(conn: QpConfig) -> list[Span]:
    """Rings and doorbell words of a queue pair."""
    return [
        (conn.sq_base, WQE_BYTES * conn.sq_depth),
        (conn.cq_base, CQE_BYTES * conn.sq_depth),
        (conn.rq_base, conn.element * conn.rq_depth),
        *((address, DOORBELL_BYTES) for address in (conn.cq_doorbell, conn.rq_doorbell) if address),
    ]


class LifeCycle:
    """What software has done to one queue pair so far."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """In its first life, which has not begun."""
        self._ctx = ctx
        self._scope = scope
        self.deleted = False
        self.rule = ""  # that demands a fresh start: of a recovered or of a re-created queue pair
        self._clearing: int | None = None  # since when QPCONF[6] is set on the fatal queue pair, ps
        self._former: list[Span] = []
        self._conn: QpConfig | None = None  # of the present life
        self._rewritten: int | None = None

    # -- writes of QPCONF and QDEPTH ----------------------------------------------------------------

    def configured(self, conn: QpConfig, fatal: bool, at_rest: bool, posted: int, now: int) -> bool:
        """QPCONF or QDEPTH was written; returns whether a new life begins.

        ``posted``: entries ever posted in this life; ``at_rest``: all of them have completed.
        """
        if conn.recovery:
            if fatal and self._clearing is None:
                self._clearing = now
            elif not fatal and not conn.enabled and at_rest and self._conn is not None:
                self.deleted = True
            return False
        if not conn.enabled:
            return False
        begins = fatal or self.deleted
        if begins:
            self.rule = "ERN-189" if fatal else "ERN-190"
            self.deleted, self._clearing, self._rewritten = False, None, None
            self._former = spans_of(self._conn) if self._conn is not None else []
        elif at_rest and posted and self._conn == conn:
            self._rewritten = posted  # same values again on an idle queue pair: its position stays
        self._conn = conn
        return begins

    def moved(self, conn: QpConfig, fatal: bool) -> bool:
        """Whether QPCONF enables a queue pair in the middle of its life with other rings or doorbells."""
        starts = conn.enabled and not conn.recovery and not (fatal or self.deleted)
        return starts and self._conn is not None and spans_of(conn) != spans_of(self._conn)

    def owned(self, addr: int) -> bool:
        """Whether ``addr`` belonged to a former life."""
        return any(start <= addr < start + size for start, size in self._former)

    # -- what shows it ------------------------------------------------------------------------------

    def status(self, value: int, begin: int) -> None:
        """STATQP was read while the traffic of the fatal queue pair is being cleared."""
        self._reached("STATQP[9] and [10]", REST, value & REST, begin)

    def handler(self, value: int, begin: int) -> None:
        """RESPHNDSTS was read."""
        self._reached("RESPHNDSTS[16]", HANDLER_IDLE, value & HANDLER_IDLE, begin)

    def head(self, value: int, sqpi: int, begin: int) -> None:
        """CQHEAD was read; ``sqpi`` is the last value software wrote there."""
        self._reached("CQHEAD = SQPI", sqpi, value & 0xFFFF, begin)

    def _reached(self, what: str, wanted: int, seen: int, begin: int) -> None:
        if self._clearing is None:
            return
        late = begin > self._clearing + self._ctx.timing.liveness
        if seen == wanted or late:
            why = f"{what} after QPCONF[6] was set on the fatal queue pair"
            self._ctx.rules.eq("ERN-188", wanted, seen, why, self._scope)

    def fetched(self, slot: int, started: int, depth: int) -> None:
        """The WQE of ring slot ``slot`` was fetched; ``started`` entries were handed on before."""
        if self._rewritten is None or not depth or started != self._rewritten:
            return
        self._rewritten = None
        why = "QPCONF or QDEPTH rewritten on an idle queue pair moves no position"
        self._ctx.rules.eq("ERN-191", started % depth, slot, why, self._scope)
