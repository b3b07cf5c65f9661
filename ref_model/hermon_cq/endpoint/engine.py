"""Sequential CQ engine: takes reports, doorbells and commands in turn and shows its bus cycles as events.

Each step is a method of its own, so that a test can plant a fault by overriding it. Times are ps.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping
from typing import Any

from ref_model.events import Event, MemRead, MemWrite, SideBand
from ref_model.hermon_cq import context, ports
from ref_model.hermon_cq.clocks import Ticks
from ref_model.hermon_cq.endpoint.state import MASK, EngineCq, EngineEq, Request, signed
from ref_model.hermon_cq.ports import Report, Status
from ref_model.hermon_cq.registers import RegisterFile
from ref_model.memory import SparseMemory

OK, INTERNAL, BAD_OP, BAD_PARAM, BAD_SYS, BAD_RESOURCE, EXCEED = 0, 1, 2, 3, 4, 5, 8
BAD_STATE, BAD_INDEX, ICM_ERROR, BAD_SIZE = 9, 0xA, 0xC, 0x40
OVERFLOW, FAILURE = 0x9, 0xA


class Refused(Exception):
    """A command ends with ``status``."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status:#x}")
        self.status = status


class BusError(Exception):
    """Memory answered an access with an error, or an MTT entry is absent."""


class Engine:
    """One engine; ``emit`` gets its events, not always in the order of their begin."""

    def __init__(
        self,
        knobs: Mapping[str, Any],
        values: RegisterFile,
        memory: SparseMemory,
        emit: Callable[[Event], None],
        clock: int = 4000,
    ) -> None:
        """``values``: the registers as software wrote them; ``clock``: ps."""
        self.knobs, self.values, self.memory, self.emit, self.clock = knobs, values, memory, emit, clock
        self.latency = 6  #: clocks of a memory access
        self.time = 0
        self.cqs: dict[int, EngineCq] = {}
        self.eqs = [EngineEq() for _ in range(int(knobs["NUM_EQ"]))]
        self.async_eqn: int | None = None
        self.ticks = Ticks()
        self.latches: dict[int, int] = {}
        self.errors: Callable[[int, bool], int] = lambda addr, write: 0  #: response of memory
        self.go_until = 0
        self.status = 0
        self.inputs: list[tuple[int, Callable[[], None]]] = []
        self._lines = 0

    def restart(self, keep: bool = False) -> None:
        """Reset; ``keep``: the CQs stay."""
        if not keep:
            self.cqs.clear()
        self.eqs = [EngineEq() for _ in self.eqs]
        self.async_eqn, self._lines = None, 0
        self.inputs.clear()

    # -- time and inputs ----------------------------------------------------------------------------

    def put(self, at: int, action: Callable[[], None]) -> None:
        """``action`` is due from ``at`` on, behind those before."""
        insort(self.inputs, (at, action), key=lambda item: item[0])

    def run(self, until: int) -> None:
        """Work until ``until``, or longer if a step lasts."""
        while self.inputs and self.inputs[0][0] < until:
            at, action = self.inputs.pop(0)
            self._idle_until(at)
            self.time = max(self.time, at) + 2 * self.clock
            action()
            self.events()
        self._idle_until(until)

    def _idle_until(self, until: int) -> None:
        """Let moderation timers run while nothing else is to be done."""
        while self.ticks.pace:
            due = [self._opens(cq) for cq in self.cqs.values() if cq.request and self.met(cq)]
            first = min((time for time in due if time is not None), default=until)
            if first >= until:
                break
            self.time = max(self.time, first)
            waiting = [cq.request for cq in self.cqs.values()]
            self.events()
            if waiting == [cq.request for cq in self.cqs.values()]:
                break

    def _opens(self, cq: EngineCq) -> int | None:
        period = cq.values["cq_period"]
        return self.ticks.when(cq.last_tick + period) if period else None

    # -- memory -------------------------------------------------------------------------------------

    def read(self, addr: int, length: int) -> bytes:
        """One read burst."""
        begin, settled = self.time, self.time + self.latency * self.clock
        resp = self.errors(addr, False)
        data = bytes(length) if resp else self.memory.read(addr, length)
        self.emit(MemRead(begin, settled, ports.MEM, addr, data, resp))
        self.time = settled + self.clock
        if resp:
            raise BusError
        return data

    def write(self, addr: int, data: bytes, mask: bytes | None = None) -> None:
        """One write burst."""
        begin, settled = self.time, self.time + self.latency * self.clock
        resp = self.errors(addr, True)
        mask = mask or bytes([1]) * len(data)
        if not resp:
            self.memory.write_masked(addr, data, mask)
        self.emit(MemWrite(begin, settled, ports.MEM, addr, data, mask, resp, begin))
        self.time = settled + self.clock
        if resp:
            raise BusError

    # -- places -------------------------------------------------------------------------------------

    def owner(self, cq: EngineCq, index: int) -> int:
        """Owner bit of a CQE."""
        return index >> cq.values["log_cq_size"] & 1

    def slot(self, cq: EngineCq, index: int) -> int:
        """Slot of a CQE."""
        return 0 if cq.values["cc"] else index % cq.size

    def offset(self, cq: EngineCq, index: int) -> int:
        """Byte offset of a CQE in the mapped buffer."""
        half = 32 if cq.stride == 64 else 0
        return cq.values["page_offset"] * 32 + self.slot(cq, index) * cq.stride + half

    def entry(self, cq: EngineCq, offset: int) -> int:
        """Address of the MTT entry of a byte offset."""
        shift = 12 + cq.values["log2_page_size"]
        return cq.mtt_base + context.mtt_address(cq.values) + 8 * (offset >> shift)

    def place(self, cq: EngineCq, index: int) -> int:
        """Bus address of a CQE; BusError if its page is absent."""
        offset = self.offset(cq, index)
        entry = int.from_bytes(self.read(self.entry(cq, offset), 8), "big")
        if not entry & 1:
            raise BusError
        shift = 12 + cq.values["log2_page_size"]
        return (entry >> shift << shift) | offset & (1 << shift) - 1

    # -- reports ------------------------------------------------------------------------------------

    def report(self, report: Report) -> None:
        """Execute a report and tell its result."""
        self.result(Status(report.cqn, self.execute(report), report.tag))

    def result(self, status: Status) -> None:
        """One beat of the status stream."""
        self.emit(SideBand(self.time, self.time, ports.STS, (status.word,)))
        self.time += self.clock

    def execute(self, report: Report) -> int:
        """Code of the status stream."""
        cq = self.cqs.get(report.cqn)
        if cq is None:
            return ports.NOT_OWNED
        if cq.status:
            return ports.IN_ERROR
        if self.overflows(cq):
            cq.status, cq.error = OVERFLOW, 1
            return ports.OVERFLOWED
        try:
            place = self.place(cq, cq.pi)
            self.write_cqe(place, self.image(cq, report))
        except BusError:
            cq.status, cq.error = FAILURE, 2
            return ports.WRITE_FAILED
        self.advance(cq, report.solicited or report.error)
        return ports.WRITTEN

    def write_cqe(self, place: int, data: bytes) -> None:
        """Write the 32 bytes of a CQE."""
        self.write(place, data)

    def advance(self, cq: EngineCq, solicited: bool) -> None:
        """A CQE was written."""
        cq.pi = cq.pi + 1 & MASK
        cq.count = min(cq.count + 1, 0xFFFF)
        if solicited:
            cq.solicited = cq.pi
        cq.asleep = False
        self.evaluate(cq)

    def capacity(self, cq: EngineCq) -> int:
        """CQEs that may be outstanding."""
        return cq.size - (1 if self.knobs["CAP_MODE"] == "N-1" else 0)

    def overflows(self, cq: EngineCq) -> bool:
        """Whether there is no room for the next CQE."""
        if cq.values["oi"] or (cq.values["cc"] and not self.knobs["CC_CAP"]):
            return False
        if signed(cq.pi, cq.ci) >= self.capacity(cq):
            self.refresh(cq)
        return signed(cq.pi, cq.ci) >= self.capacity(cq)

    def refresh(self, cq: EngineCq) -> None:
        """Read the DB record."""
        try:
            record = self.read(context.db_record_address(cq.values), 8)
        except BusError:
            return
        cq.ci = self.consumer(record)

    def consumer(self, record: bytes) -> int:
        """Consumer counter of a DB record."""
        return int.from_bytes(record[1:4], "big")

    def image(self, cq: EngineCq, report: Report) -> bytes:
        """Bytes of the CQE of a report."""
        body = bytearray(report.body)
        opcode = ports.OPCODE_ERROR if report.error else body[31] & 0x1F
        body[31] = body[31] & 0x60 | opcode | self.owner(cq, cq.pi) << 7
        return bytes(body)

    # -- doorbells ----------------------------------------------------------------------------------

    def cq_doorbell(self, page: int, first: int, second: int) -> None:
        """A CQ doorbell."""
        cq = self.cqs.get(first & MASK)
        kind, sn = first >> 24 & 7, first >> 28 & 3
        if cq is None or cq.status or kind not in (1, 2, 3) or page != cq.values["usr_page"]:
            return
        if not self.accepts(cq, sn):
            return
        self.arm(cq, kind, sn, second & MASK)
        cq.asleep = False
        self.evaluate(cq)

    def accepts(self, cq: EngineCq, sn: int) -> bool:
        """Whether the sequence number is a new one."""
        return self.knobs["SN_MODE"] != "gate" or sn != cq.sn_done

    def arm(self, cq: EngineCq, kind: int, sn: int, param: int) -> None:
        """Take a request."""
        old = cq.request
        if old is not None and old.sn == sn and (old.kind, kind) == (2, 1):
            kind = 2
        passed = kind == 3 and signed(cq.pi, param) > 0
        cq.request = Request(kind, sn, param, passed and self.knobs["ARMN_PASSED"] == "fire")
        if passed and self.knobs["ARMN_PASSED"] != "fire":
            cq.request = Request(kind, sn, param + 1 - (1 << 23))

    def eq_doorbell(self, number: int, ci: int, arm: bool) -> None:
        """An EQ doorbell."""
        eq = self.eqs[number]
        if not eq.valid:
            return
        eq.ci = ci
        if arm and eq.st != 0xB:
            self.lower(number)
            eq.st = 0x9
            if (eq.pi - eq.ci) & MASK:
                eq.st = 0xA
                self.raise_line(number)
        if eq.st == 0xB and eq.ci == eq.pi & MASK:
            self.lower(number)

    # -- requests and events ------------------------------------------------------------------------

    def met(self, cq: EngineCq) -> bool:
        """Fire condition."""
        request = cq.request
        if request is None:
            return False
        newest: int | None = cq.pi
        if request.kind == 1:
            newest = cq.solicited
        if newest is None:
            return False
        if request.kind == 3:
            return request.fires_at_once or signed(cq.pi, request.param) > 0
        if self.knobs["ARM_RULE"] == "R3" and signed(newest, cq.notified) <= 0:
            return False
        return signed(newest, request.param) > 0

    def opened(self, cq: EngineCq) -> bool:
        """Moderation lets the event go."""
        count, period = cq.values["cq_max_count"], cq.values["cq_period"]
        if not count and not period:
            return True
        ticks = self.ticks.count(self.time) - cq.last_tick
        return bool((count and cq.count >= count) or (period and ticks >= period))

    def evaluate(self, cq: EngineCq) -> None:
        """Fire if condition and moderation hold."""
        if not cq.asleep and self.met(cq) and self.opened(cq):
            self.fire(cq)

    def fire(self, cq: EngineCq) -> None:
        """The request becomes an event."""
        assert cq.request is not None
        cq.sn_done, cq.request, cq.st = cq.request.sn, None, 0xA
        cq.notified, cq.count, cq.last_tick = cq.pi, 0, self.ticks.count(self.time)
        cq.event = True

    def events(self) -> None:
        """Write what has fired."""
        for cq in list(self.cqs.values()):
            self.evaluate(cq)
            if cq.event and self.send(cq.values["c_eqn"], self.eqe(0, cq.number, 0)):
                cq.event = False
            if cq.error and self.send(self.async_eqn, self.eqe(4, cq.number, cq.error)):
                cq.error = 0

    def eqe(self, kind: int, number: int, code: int) -> bytes:
        """Bytes of an EQE but for its owner bit."""
        data = bytearray(32)
        data[1], data[5:8], data[15] = kind, number.to_bytes(3, "big"), code
        return bytes(data)

    def send(self, number: int | None, data: bytes) -> bool:
        """Write an EQE; returns whether it is done with."""
        if number is None or number >= len(self.eqs) or not self.eqs[number].valid:
            return True
        eq = self.eqs[number]
        if eq.full:
            return False
        self.put_eqe(eq, data)
        eq.pi += 1
        if eq.st in (0x9, 0xB):
            eq.st = 0xA if eq.st == 0x9 else 0xB
            self.raise_line(number)
        return True

    def put_eqe(self, eq: EngineEq, data: bytes) -> None:
        """Write an EQE to the next entry."""
        place = eq.base + 32 * (eq.pi % (1 << eq.log_size))
        owner = eq.pi >> eq.log_size & 1
        try:
            self.write(place, data[:31] + bytes([owner << 7]))
        except BusError:
            pass

    def raise_line(self, number: int) -> None:
        """Interrupt."""
        self._line(number, 1)

    def lower(self, number: int) -> None:
        """End of an interrupt."""
        self._line(number, 0)

    def _line(self, number: int, level: int) -> None:
        lines = self._lines & ~(1 << number) | level << number
        if lines != self._lines:
            self._lines = lines
            self.emit(SideBand(self.time, self.time, ports.IRQ, (lines,)))
            self.time += self.clock
