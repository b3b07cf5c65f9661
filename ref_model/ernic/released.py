"""Queue pairs the model has let go of, and the ones an error response of memory may have hit (ERN-217).

A queue pair whose reaction is nowhere specified is released: whatever it does is recorded, nothing of it is
owed, the others are judged as before. It is judged again once software has set QPCONF[6] and made it anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import BUS_BYTES, Context
from ref_model.ernic.lifecycle import DOORBELL_BYTES, WQE_BYTES, Span, spans_of
from ref_model.ernic.qp import Qp
from ref_model.ernic.regions import Regions
from ref_model.ernic.work_entries import WorkEntry
from ref_model.events import MemRead, MemWrite
from ref_model.memory import runs
from ref_model.rules import BENCH

PROTOCOL, OTHERS, REACTION = "ERN-217/protocol", "ERN-217/others", "ERN-217/reaction"

Area = tuple[int, int, tuple[str, Qp | None]]
"""First address, bytes, (kind, owner) of an area the DUT may write."""


class Released:
    """Which queue pairs are released, and the memory they may touch."""

    def __init__(self, ctx: Context, regions: Regions) -> None:
        """None at first."""
        self._ctx = ctx
        self._regions = regions
        self._qps: dict[int, Qp] = {}
        self._former: dict[int, list[Span]] = {}  # payload under way when the queue pair was let go

    def __bool__(self) -> bool:
        """Whether any queue pair is released."""
        return bool(self._qps)

    def add(self, qp: Qp, former: list[Span]) -> None:
        """``qp`` is released; ``former``: what it may still write for its former life."""
        self._qps[qp.number] = qp
        self._former[qp.number] = former

    def remove(self, qp: Qp) -> None:
        """``qp`` begins anew."""
        del self._qps[qp.number]

    def clear(self) -> None:
        """Reset: nothing is left of anything."""
        self._qps.clear()
        self._former.clear()

    def reached(self, addr: int) -> tuple[Qp, int] | None:
        """Return a released queue pair that may touch the byte at ``addr``, and how many bytes from there."""
        for qp in self._qps.values():
            for first, length in self._reach(qp):
                if first <= addr < first + length:
                    return qp, first + length - addr
        return None

    def covers(self, addr: int, stop: int) -> bool:
        """Return whether ``addr`` to ``stop`` lie in the bus words around memory of a released queue pair."""
        return any(
            first & -BUS_BYTES <= addr and stop <= -(-(first + length) // BUS_BYTES) * BUS_BYTES
            for qp in self._qps.values()
            for first, length in self._reach(qp)
        )

    def _reach(self, qp: Qp) -> Iterator[Span]:
        """Rings, doorbells, regions of the domain, local buffers of all entries in the send queue."""
        conn, _ = qp.refresh()
        yield from self._former[qp.number]
        yield from spans_of(conn)
        if not (conn.cq_doorbell and conn.rq_doorbell):
            yield 0, DOORBELL_BYTES
        yield from self._regions.spans(conn.pd)
        for slot in range(conn.sq_depth):
            entry = WorkEntry(self._ctx.memory.read(conn.sq_base + WQE_BYTES * slot, WQE_BYTES))
            yield entry.laddr, entry.length


class MemoryErrors:
    """Tells which queue pairs an access belonged to that memory answered with SLVERR or DECERR.

    An empty answer means that it belonged to none, None that it may have belonged to any.
    """

    def __init__(self, ctx: Context, qps: Mapping[int, Qp]) -> None:
        """``qps``: the queue pairs of the model by number."""
        self._ctx = ctx
        self._qps = qps
        self._ports: set[str] = set()  # masters that saw an error response

    def clear(self) -> None:
        """Reset."""
        self._ports.clear()

    def rule_of(self, checker: str, rule: str) -> str:
        """Return what a violation of ``rule`` breaks that the bus checker named ``checker`` saw."""
        behind = any(checker.startswith(port) for port in self._ports)
        return PROTOCOL if behind and rule != BENCH else rule

    def answered(self, event: MemRead | MemWrite) -> None:
        """``event`` went well: its master keeps to the protocol behind an error."""
        if event.port in self._ports:
            self._ctx.rules.met(PROTOCOL, "a burst behind an error response", sure=True)

    def written(self, event: MemWrite, area: Area | None) -> list[Qp] | None:
        """A write burst failed that goes to ``area``."""
        self._ports.add(event.port)
        owners = self._receivers(event)
        if owners or area is None:
            return owners
        kind, owner = area[2]
        if owner is not None:
            return [owner]
        if kind == "fatal":
            named = self._qps.get(int.from_bytes(event.data[event.mask.index(1) :][:4], "little") >> 16)
            return None if named is None else [named]
        return self._sending_writes() or None if kind == "retry" else None

    def read(self, event: MemRead, area: Area | None, sending: bool) -> list[Qp] | None:
        """A read burst failed; ``sending``: of payload, else of send queue entries in ``area``."""
        self._ports.add(event.port)
        if not sending:
            return [] if area is None or area[2][1] is None else [area[2][1]]
        if area is not None and area[2][0] == "retry":
            return self._sending_writes() or None
        stop = event.addr + len(event.data)
        return [qp for qp in self._qps.values() if self._reads(qp, event.addr, stop)] or None

    def _receivers(self, event: MemWrite) -> list[Qp]:
        """Queue pairs that received payload for the place of ``event``."""
        scopes = {
            id(grant.scope)
            for start, stop in runs(event.mask)
            for place in (start, stop - 1)
            for grants in (self._ctx.payloads, self._ctx.optional)
            if (grant := grants.covering(event.addr + place)) is not None
        }
        return [qp for qp in self._qps.values() if id(qp.scope) in scopes]

    def _sending_writes(self) -> list[Qp]:
        """Queue pairs with a WRITE on its way."""
        return [
            qp
            for qp in self._qps.values()
            if any(message.verb.is_write for message in qp.requester.window.messages)
            or any(entry.opcode in WRITE_OPCODES for entry in _open_entries(qp))
        ]

    @staticmethod
    def _reads(qp: Qp, addr: int, stop: int) -> bool:
        """Whether ``qp`` may read from ``addr`` to ``stop``: payload to send, data for READs of its peer."""
        sources = [(entry.laddr, entry.length) for entry in _open_entries(qp)]
        answers = (*qp.responder.reads.pending, *qp.responder.reads.repeats)
        sources += [(entry.address, entry.length) for entry in answers]
        return any(first < stop and addr < first + length for first, length in sources)


WRITE_OPCODES = (0x00, 0x01)


def _open_entries(qp: Qp) -> list[WorkEntry]:
    """Fetched send queue entries that have not ended."""
    conn: QpConfig = qp.refresh()[0]
    window = qp.requester.window
    numbers = range(window.started - len(window.messages), window.sq.count)
    slots = {number % max(conn.sq_depth, 1) for number in numbers}
    return [entry for slot in sorted(slots) if (entry := window.entries.get(slot)) is not None]
