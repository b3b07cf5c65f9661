"""Congestion notifications of one queue pair, and its report of bytes sent without one (8, 11.7)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ref_model.deadlines import Must

if TYPE_CHECKING:
    from ref_model.rclink.context import Context
    from ref_model.rclink.qp import Qp

#: Queue pairs the filter of received CNPs remembers.
FILTER_ENTRIES = 8
US = 1_000_000


class Notices:
    """CNPs to send for one queue pair, and its byte count."""

    def __init__(self, qp: Qp) -> None:
        self.qp = qp
        self.ctx = qp.ctx
        self._marks: deque[int] = deque()  # tx clocks of marked requests
        self._duty: Must | None = None
        self._sent: deque[tuple[int, int]] = deque()  # (tx clock, bytes) since the last report
        self._debt = 0  # reported, and not seen on the wire yet
        self._debt_duty: Must | None = None
        self._clearing: int | None = None  # tx clock by which the DUT knows of the last CNP
        self._perhaps: list[int] = []  # bytes of frames that left about when a CNP cleared the count
        self._armed = False
        self._reported: int | None = None

    # -- sending ----------------------------------------------------------------------------------

    def marked(self, clock: int) -> None:
        """A request with a congestion mark passed the checks; the DUT knows at tx ``clock``."""
        self._marks.append(clock)
        if self._duty is None:
            ctx = self.ctx
            what, why = f"a CNP of QP {self.qp.number}", "a congestion mark"
            self._duty = ctx.must_answer("RCL-099", what, why, self.qp.scope)

    @property
    def owed(self) -> bool:
        """A CNP may leave."""
        return bool(self._marks)

    def notified(self) -> None:
        """Judge that a CNP leaves."""
        ctx = self.ctx
        if not self._marks:
            ctx.rules.fail("RCL-099", "no CNP", "a CNP", "no request was marked", self.qp.scope)
            return
        served = 0
        while self._marks and ctx.late(self._marks[0]):
            self._marks.popleft()
            served += 1
        if not served:
            self._marks.popleft()
        ctx.deadlines.meet(self._duty)
        self._duty = None

    def quiet(self) -> None:
        """Nothing is under way."""
        self._marks.clear()

    # -- bytes without a CNP ----------------------------------------------------------------------

    def counted(self, length: int) -> None:
        """``length`` bytes left."""
        ctx = self.ctx
        if self._debt:
            used = min(self._debt, length)
            self._debt -= used
            length -= used
            if not self._debt:
                ctx.deadlines.meet(self._debt_duty)
                self._debt_duty = None
        if not length:
            return
        if self._clearing is not None and not ctx.late(self._clearing):
            self._perhaps.append(length)  # granted before the count was cleared, or after
            return
        self._sent.append((ctx.clock(), length))
        if not self._armed:
            self._armed = True
            self._due = ctx.now + self._limit()
            ctx.deadlines.call_at(self._due, self._late)

    def _limit(self) -> int:
        """Time (ps) within which a count has to be reported."""
        ctx = self.ctx
        sweep = int(ctx.knobs["QP_NUM"]) * ctx.timing.period
        return 2 * ctx.device.nocnp_us * US + sweep + ctx.timing.liveness

    def _late(self) -> None:
        self._armed = False
        if self._sent:
            now = self.ctx.rules.now
            if now < self._due:
                self._armed = True
                self.ctx.deadlines.call_at(self._due, self._late)
                return
            total = sum(length for _, length in self._sent)
            what, why = f"{total} bytes reported", "bytes left without a CNP"
            self.ctx.rules.fail("RCL-103", what, "no report", why, self.qp.scope)
            self._sent.clear()

    def reported(self, count: int) -> None:
        """Judge a report of ``count`` bytes."""
        ctx, rules, scope = self.ctx, self.ctx.rules, self.qp.scope
        if not count:
            rules.fail("RCL-103", "no report", "0 bytes", "a count of zero", scope)
            return
        last, self._reported = self._reported, ctx.now
        interval = ctx.device.nocnp_us * US
        sweep = int(ctx.knobs["QP_NUM"]) * ctx.timing.period
        if last is not None and ctx.now - last < interval - sweep - ctx.timing.reaction:
            rules.fail("RCL-103", f"every {ctx.device.nocnp_us} us", "earlier", "interval of reports", scope)
            return
        self._due = ctx.now + self._limit()
        total = sum(length for _, length in self._sent)
        splits = [self._split(count - sum(self._perhaps[first:])) for first in range(len(self._perhaps) + 1)]
        legal = sorted((split for split in splits if split is not None), key=lambda split: split[1])
        self._perhaps.clear()
        if not legal:
            rules.fail("RCL-103", total, count, "bytes since the last report", scope)
            self._sent.clear()
            return
        used, self._debt = legal[0]
        for _ in range(used):
            self._sent.popleft()
        if self._debt:
            what, why = f"{self._debt} bytes more of QP {self.qp.number}", "they were reported"
            deadline = ctx.now + ctx.timing.reaction + self.qp.frame_time
            self._debt_duty = ctx.deadlines.must("RCL-103", what, why, scope, deadline)
        else:
            rules.met("RCL-103", "bytes since the last report", scope)

    def _split(self, count: int) -> tuple[int, int] | None:
        """How many frames ``count`` bytes cover, and bytes of frames still to come; None: impossible."""
        used, left = 0, count
        while used < len(self._sent) and left >= self._sent[used][1]:
            left -= self._sent[used][1]
            used += 1
        if left < 0 or (used < len(self._sent) and (left or self.ctx.late(self._sent[used][0]))):
            return None
        return used, left

    def cleared(self, settled: int) -> None:
        """A CNP came for the queue pair: the count starts anew."""
        self._perhaps = [length for clock, length in self._sent if not self.ctx.late(clock)]
        self._sent.clear()
        self._clearing = self.ctx.clock_at(settled)


class CnpFilter:
    """Filter of received CNPs in front of RECV_CNP: when each of the last queue pairs was told."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.reset()

    def reset(self) -> None:
        """Nothing remembered."""
        self._told: dict[int, tuple[int, int]] = {}  # oldest first: (earliest, latest) time
        self._evicted: set[int] = set()
        self._duties: dict[int, deque[Must]] = {}
        self._perhaps: dict[int, deque[tuple[int, int]]] = {}
        self._silent: dict[int, str] = {}

    def received(self, qp: Qp, begin: int, settled: int, taken: str = "") -> None:
        """A CNP for ``qp`` came over [begin, settled] (ps) and passed the checks.

        ``taken``: rule by which it has to be taken, where that is a special one.
        """
        ctx, number = self._ctx, qp.number
        settled += ctx.timing.settle
        rule = taken or "RCL-100"
        if ctx.device.cnp_merge:
            known = self._told.get(number)
            if known is not None:
                limit = ctx.device.cnp_timer * ctx.timing.period
                if settled - known[0] <= limit:
                    others = sum(1 for time, _ in self._told.values() if time > known[0])
                    self._silent[number] = "RCL-102" if others else "RCL-101"
                    ctx.rules.tempt(self._silent[number], "recv_cnp")
                    return
                if begin - known[1] <= limit:
                    self._perhaps.setdefault(number, deque(maxlen=4)).append((begin, settled))
                    return
                rule = "RCL-101"
            elif number in self._evicted:
                rule = "RCL-102"
            self._store(number, begin, settled)
        what, why = f"RECV_CNP of QP {number}", "a CNP came"
        duty = ctx.deadlines.must(rule, what, why, qp.scope, ctx.liveness())
        self._duties.setdefault(number, deque()).append(duty)

    def _store(self, number: int, begin: int, settled: int) -> None:
        self._told.pop(number, None)
        self._evicted.discard(number)
        if len(self._told) >= FILTER_ENTRIES:
            oldest = next(iter(self._told))
            del self._told[oldest]
            self._evicted.add(oldest)
        self._told[number] = (begin, settled)

    def told(self, qp: Qp) -> None:
        """Judge a RECV_CNP pulse."""
        rules, number = self._ctx.rules, qp.number
        owed = self._duties.get(number)
        if owed:
            self._ctx.deadlines.meet(owed.popleft())
            rules.alive("recv_cnp")
            if not owed:
                del self._duties[number]
            return
        perhaps = self._perhaps.get(number)
        if perhaps:
            self._store(number, *perhaps.popleft())
            return
        rule = self._silent.get(number) or qp.refused_rule or "RCL-100"
        why = "a CNP of this queue pair was told lately" if rule != "RCL-100" else "no CNP came"
        rules.fail(rule, "no RECV_CNP", f"RECV_CNP of QP {number}", why, qp.scope)
