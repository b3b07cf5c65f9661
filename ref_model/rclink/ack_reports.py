"""RECV_ACK pulses of one queue pair: count, kind and round trip time (sections 9 and 15)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ref_model.deadlines import Must
    from ref_model.rclink.qp import Qp


@dataclass(slots=True)
class Report:
    """RECV_ACK owed for an acknowledgement with a timestamp."""

    num: tuple[int, int]
    nak: bool
    rtt: tuple[int, int] | None
    duty: Must | None


class AckReports:
    """Reports owed for acknowledgements with a timestamp, in order."""

    def __init__(self, qp: Qp) -> None:
        self._qp = qp
        self._ctx = qp.ctx
        self._reports: deque[Report] = deque()

    def owe(self, count: int, vague: bool, nak: bool, echo: int, begin: int, settled: int, rule: str) -> None:
        """``rule`` demands the report; '' where the acknowledgement may be ignored."""
        ctx = self._ctx
        rtt = self._qp.book.round_trip(echo, begin, settled)
        duty = None
        if rule:
            what, why = f"RECV_ACK of QP {self._qp.number}", "an acknowledgement with a timestamp"
            duty = ctx.deadlines.must(rule, what, why, self._qp.scope, ctx.liveness())
        self._reports.append(Report((0 if vague else count, count), nak, rtt, duty))

    def came(self, rtt: int, num: int, nak: int) -> None:
        """Judge a RECV_ACK pulse."""
        rules, scope = self._ctx.rules, self._qp.scope
        while self._reports and self._reports[0].duty is None and self._reports[0].nak != bool(nak):
            self._reports.popleft()  # one that was ignored altogether
        if not self._reports:
            why = "no acknowledgement with a timestamp came"
            rules.fail("RCL-054/count", "no RECV_ACK", f"num {num}", why, scope)
            return
        report = self._reports.popleft()
        rules.eq("RCL-054/count", int(report.nak), nak, "NAK flag of RECV_ACK", scope)
        rules.in_range("RCL-054/count", *report.num, num, "packets newly acknowledged", scope)
        if report.rtt is not None:
            low, high = report.rtt
            if (rtt - low) & 0xFFFF > high - low or rtt >> 16:
                rules.fail("RCL-054/rtt", f"{low & 0xFFFF} .. {high & 0xFFFF}", rtt, "round trip time", scope)
            else:
                rules.met("RCL-054/rtt", "round trip time", scope, sure=high - low < 0xFFFF)
        self._ctx.deadlines.meet(report.duty)

    def forget(self) -> None:
        """The packets are numbered anew: nothing is owed."""
        for report in self._reports:
            self._ctx.deadlines.void(report.duty)
        self._reports.clear()
