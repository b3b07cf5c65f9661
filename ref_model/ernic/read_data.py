"""What the DUT does with the responses to its own READ requests (requirements sections 6 to 8).

A response counts when it is the next one of the oldest READ that misses some; its payload is then owed to
host memory once. After a READ was asked again, a late response of the first request may be taken or not:
``maybe`` runs ahead of ``received`` until an output tells.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ref_model.deadlines import Must
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import READ_PORT, Context
from ref_model.ernic.headers import REQUEST, check_headers, packet_diff
from ref_model.grants import Payload
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import response_count, response_segment
from ref_model.rules import Scope
from ref_model.wire import Bth, Frame, Reth, opcodes


@dataclass(slots=True, eq=False)
class Fetch:
    """A READ on its way: ``span`` responses (and PSNs), how many came, what of their data is written."""

    laddr: int
    length: int
    pmtu: int
    va: int
    rkey: int
    span: int
    received: int = 0
    maybe: int = 0
    starts: list[int] = field(default_factory=lambda: [0])  # first response of each request, latest last
    bad: bool = False  # a malformed response came
    settled: int = 0  # when (ps) the last data was in memory
    duties: dict[int, Must] = field(default_factory=dict)  # by response: data that is not written yet
    owed: set[int] = field(default_factory=set)  # responses whose data is or was owed
    landed: set[int] = field(default_factory=set)  # responses with a copy of their data in memory

    @classmethod
    def of(cls, laddr: int, length: int, pmtu: int, va: int, rkey: int) -> Fetch:
        """Make the record of a READ of ``length`` bytes from ``va`` under ``rkey`` to address ``laddr``."""
        return cls(laddr, length, pmtu, va, rkey, response_count(length, pmtu))

    @property
    def complete(self) -> bool:
        """Return whether every response has come for certain."""
        return self.received == self.span

    def request(self, index: int) -> Reth:
        """Return the RETH of a request for the responses from number ``index`` on."""
        done = index * self.pmtu
        return Reth(self.va + done & (1 << 64) - 1, self.rkey, self.length - done)

    def fits(self, index: int, frame: Frame, start: int) -> bool:
        """Return whether ``frame`` is well formed as response ``index`` to the request from ``start`` on."""
        if index < start:
            return False
        part = response_segment(self.length, self.pmtu, index, start)
        bth = frame.bth
        assert bth is not None
        positive = frame.aeth is None or frame.aeth.syndrome >> 5 == 0
        return bth.opcode == part.opcode and len(frame.payload) == part.length and positive


def judge_request(
    ctx: Context, scope: Scope, conn: QpConfig, frame: Frame, fetch: Fetch, index: int, again: bool
) -> None:
    """Judge a READ request that asks from response ``index`` on; ``again``: the READ was asked before."""
    rules, bth = ctx.rules, frame.bth
    assert bth is not None
    before = rules.findings_total
    expected = fetch.request(index)
    same = bth.opcode == opcodes.READ_REQUEST and not frame.payload and frame.reth == expected
    if again:
        rule = "ERN-094" if index else "ERN-082"
        why = "a READ asked again, for the rest" if index else "a READ asked again as a whole"
        rules.eq(rule, True, same, why, scope)
    elif same:
        met = ("ERN-047", "ERN-051", "ERN-058", "ERN-059")
        rules.passed(met if fetch.length else (*met, "ERN-060"), scope)
    else:
        name = opcodes.name_of(bth.opcode)
        rules.eq("ERN-047", opcodes.name_of(opcodes.READ_REQUEST), name, "packet of a READ", scope)
        rules.eq("ERN-039", b"", frame.payload, "a READ request has no payload", scope)
        rules.eq("ERN-051", expected, frame.reth, "RETH on the READ request", scope)
    rules.eq("ERN-053", True, frame.icrc_ok, "ICRC over the frame", scope)
    check_headers(rules, conn, frame, REQUEST, scope, 0)
    if rules.findings_total != before:
        head = Bth(opcodes.READ_REQUEST, conn.dest_qp, bth.psn, conn.pkey)
        rules.explain(before, packet_diff(conn, rules.knobs, frame, head, reth=expected))


class DataWrites:
    """Permissions to write the data of READ responses to host memory, of one QP."""

    def __init__(self, ctx: Context, scope: Scope) -> None:
        """Start without any."""
        self._ctx = ctx
        self._scope = scope

    def owe(self, fetch: Fetch, index: int, data: bytes) -> None:
        """The data of response ``index`` has to be written.

        Where an earlier copy of the response may have been taken in its place, the write of either serves.
        """
        if not data or index in fetch.owed:
            return
        fetch.owed.add(index)
        why = f"data of READ response {index + 1} of {fetch.span}"
        if index not in fetch.landed:
            expected = f"{len(data)} bytes at {fetch.laddr + index * fetch.pmtu:#x}"
            deadline = self._ctx.liveness()
            fetch.duties[index] = self._ctx.deadlines.must("ERN-093", expected, why, self._scope, deadline)
        if index < fetch.maybe:
            self.permit(fetch, index, data)
        else:
            self._ctx.grant(self._grant(fetch, index, data, why))

    def permit(self, fetch: Fetch, index: int, data: bytes) -> None:
        """The data of response ``index`` may be written: nobody can tell whether the DUT takes it."""
        if data:
            why = "data of a READ response that may be taken"
            self._ctx.permit(self._grant(fetch, index, data, why, optional=True))

    def _grant(self, fetch: Fetch, index: int, data: bytes, why: str, optional: bool = False) -> Payload:
        def done(now: int) -> None:
            if index in fetch.landed:
                return
            fetch.landed.add(index)
            fetch.settled = max(fetch.settled, now)
            duty = fetch.duties.pop(index, None)
            if duty is not None:
                self._ctx.deadlines.meet(duty)

        address = fetch.laddr + index * fetch.pmtu
        return Payload(address, data, "ERN-093", why, done, "ERN-093", READ_PORT, optional, self._scope)

    def scribble(self, fetch: Fetch, index: int) -> None:
        """A malformed response came for ``index``: anything may be in the rest of the buffer for now."""
        start = index * fetch.pmtu
        fetch.bad = True
        self._ctx.scratch.append((fetch.laddr + start, fetch.length - start))

    def give_up(self, fetch: Fetch) -> None:
        """The QP died: data that was taken may still be written, but is not owed."""
        for duty in fetch.duties.values():
            self._ctx.deadlines.void(duty)
        for grant in self._ctx.payloads.inside(fetch.laddr, fetch.length, READ_PORT):
            self._ctx.payloads.remove(grant)
            grant.optional = True
            grant.on_done = lambda now: None
            self._ctx.permit(grant)


def packets_of(frame: Frame, pmtu: int) -> int:
    """Return how many PSNs a request packet takes."""
    bth = frame.bth
    assert bth is not None
    if bth.opcode != opcodes.READ_REQUEST or frame.reth is None:
        return 1
    return response_count(frame.reth.length, pmtu)


def end_of(frame: Frame, pmtu: int) -> int:
    """Return the PSN behind a request packet."""
    bth = frame.bth
    assert bth is not None
    return psn_add(bth.psn, packets_of(frame, pmtu))
