"""CQ engines with one fault each."""

from __future__ import annotations

from typing import Any

from ref_model.hermon_cq import context, ports
from ref_model.hermon_cq.endpoint import CommandEngine, EngineCq, EngineEq
from ref_model.hermon_cq.endpoint.state import MASK
from ref_model.hermon_cq.ports import Report, Status
from tests.unit.hermon_cq.bench import ANY, ARM_N


class Owner(CommandEngine):
    def owner(self, cq: EngineCq, index: int) -> int:
        return super().owner(cq, index + 1)


class Slot(CommandEngine):
    def slot(self, cq: EngineCq, index: int) -> int:
        return super().slot(cq, index ^ 1)


class Half(CommandEngine):
    def offset(self, cq: EngineCq, index: int) -> int:
        return super().offset(cq, index) - 32


class PageOffset(CommandEngine):
    def offset(self, cq: EngineCq, index: int) -> int:
        return super().offset(cq, index) - cq.values["page_offset"] * 32


class FirstPage(CommandEngine):
    def entry(self, cq: EngineCq, offset: int) -> int:
        return super().entry(cq, 0)


class Entry(CommandEngine):
    def entry(self, cq: EngineCq, offset: int) -> int:
        return super().entry(cq, offset) + 0x1000


class Page(CommandEngine):
    def place(self, cq: EngineCq, index: int) -> int:
        return super().place(cq, index) ^ 1 << 20


class Body(CommandEngine):
    def image(self, cq: EngineCq, report: Report) -> bytes:
        data = bytearray(super().image(cq, report))
        data[21] ^= 1
        return bytes(data)


class Opcode(CommandEngine):
    def image(self, cq: EngineCq, report: Report) -> bytes:
        data = bytearray(super().image(cq, report))
        data[31] &= ~0x10
        return bytes(data)


class InPieces(CommandEngine):
    def write_cqe(self, place: int, data: bytes) -> None:
        self.write(place + 16, data[16:])
        self.write(place, data[:16])


class Twice(CommandEngine):
    def write_cqe(self, place: int, data: bytes) -> None:
        self.write(place, data)
        self.write(place, data)


class Dropped(CommandEngine):
    def execute(self, report: Report) -> int:
        return ports.WRITTEN if report.tag == 3 else super().execute(report)


class Counter(CommandEngine):
    def context_image(self, cq: EngineCq) -> bytes:
        return context.encode({**context.decode(super().context_image(cq)), "producer_counter": cq.pi ^ 4})


class Little(CommandEngine):
    def context_image(self, cq: EngineCq) -> bytes:
        data = super().context_image(cq)
        return b"".join(data[at : at + 4][::-1] for at in range(0, 64, 4))


class Wrapped(CommandEngine):
    def slot(self, cq: EngineCq, index: int) -> int:
        return super().slot(cq, index + (1 if index < 0x800000 else 0))


class Silent(CommandEngine):
    def fire(self, cq: EngineCq) -> None:
        super().fire(cq)
        cq.event = False


class OnlyNew(CommandEngine):
    def arm(self, cq: EngineCq, kind: int, sn: int, param: int) -> None:
        super().arm(cq, kind, sn, cq.pi if kind != ARM_N else param)


class AnyCqe(CommandEngine):
    def met(self, cq: EngineCq) -> bool:
        request = cq.request
        return request is not None and (cq.pi - request.param & MASK) in range(1, 1 << 23)


class ErrorIsPlain(CommandEngine):
    def advance(self, cq: EngineCq, solicited: bool) -> None:
        super().advance(cq, False)


class TooEarly(CommandEngine):
    def met(self, cq: EngineCq) -> bool:
        return cq.request is not None


class Again(CommandEngine):
    def evaluate(self, cq: EngineCq) -> None:
        if cq.request is None and cq.st == 0xA and not cq.event:
            cq.event = True
            cq.st = 0
        super().evaluate(cq)


class NoGate(CommandEngine):
    def accepts(self, cq: EngineCq, sn: int) -> bool:
        return True


class AnyCommand(CommandEngine):
    def cq_doorbell(self, page: int, first: int, second: int) -> None:
        super().cq_doorbell(page, first & ~(7 << 24) | ANY << 24, second)


class AnyPage(CommandEngine):
    def cq_doorbell(self, page: int, first: int, second: int) -> None:
        super().cq_doorbell(1, first, second)


class KeepsType(CommandEngine):
    def arm(self, cq: EngineCq, kind: int, sn: int, param: int) -> None:
        if cq.request is None or cq.request.sn != sn:
            super().arm(cq, kind, sn, param)


class StickyNumber(CommandEngine):
    def accepts(self, cq: EngineCq, sn: int) -> bool:
        return sn != 0 and super().accepts(cq, sn)


class CountsLess(CommandEngine):
    def opened(self, cq: EngineCq) -> bool:
        return cq.count + 1 >= cq.values["cq_max_count"]


class NeverOpens(CommandEngine):
    def opened(self, cq: EngineCq) -> bool:
        return not cq.values["cq_max_count"]


class HalfTime(CommandEngine):
    def opened(self, cq: EngineCq) -> bool:
        return self.ticks.count(self.time) - cq.last_tick >= cq.values["cq_period"] // 4


class CounterFires(CommandEngine):
    def advance(self, cq: EngineCq, solicited: bool) -> None:
        super().advance(cq, solicited)
        if cq.request is None and cq.count == 4:
            cq.event = True


class Small(CommandEngine):
    def capacity(self, cq: EngineCq) -> int:
        return cq.size - 2


class Endless(CommandEngine):
    def overflows(self, cq: EngineCq) -> bool:
        return False


class NoErrorEvent(CommandEngine):
    def events(self) -> None:
        for cq in self.cqs.values():
            cq.error = 0
        super().events()


class ErrorTwice(CommandEngine):
    def execute(self, report: Report) -> int:
        code = super().execute(report)
        if code == ports.IN_ERROR:
            self.cqs[report.cqn].error = 1
        return code


class StatusLost(CommandEngine):
    def context_image(self, cq: EngineCq) -> bytes:
        return context.encode({**context.decode(super().context_image(cq)), "status": 0})


class Recovers(CommandEngine):
    def execute(self, report: Report) -> int:
        for cq in self.cqs.values():
            self.refresh(cq)
            if cq.status and not (cq.pi - cq.ci & MASK):
                cq.status = 0
        return super().execute(report)


class OldIndex(CommandEngine):
    def refresh(self, cq: EngineCq) -> None:
        if not cq.ci:
            super().refresh(cq)


class ByteOrder(CommandEngine):
    def consumer(self, record: bytes) -> int:
        return int.from_bytes(record[:3], "little")


class Checks(CommandEngine):
    def overflows(self, cq: EngineCq) -> bool:
        return (cq.pi - cq.ci & MASK) >= self.capacity(cq)


class Spreads(CommandEngine):
    def slot(self, cq: EngineCq, index: int) -> int:
        return index % cq.size


class WritesAnyway(CommandEngine):
    def entry(self, cq: EngineCq, offset: int) -> int:
        return super().entry(cq, offset & 0xFFF)


class NoResizeCqe(CommandEngine):
    def resize_cqe(self, cq: EngineCq) -> None:
        pass


class OldRing(CommandEngine):
    def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
        values = cq.values
        status = super().resize(cq, fields)
        cq.values = values
        return status


class ResizeForgets(CommandEngine):
    def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
        status = super().resize(cq, fields)
        cq.event, cq.request = False, None
        return status


class ConstantFill(CommandEngine):
    def empty_owner(self, cq: EngineCq, index: int) -> int:
        return 0


class Fits(CommandEngine):
    def refresh(self, cq: EngineCq) -> None:
        cq.ci = cq.pi


class WrongQueue(CommandEngine):
    def send(self, number: int | None, data: bytes) -> bool:
        return super().send(0 if data[1] == 0 else number, data)


class ErrorToCq(CommandEngine):
    def send(self, number: int | None, data: bytes) -> bool:
        return super().send(0, data)


class OldQueue(CommandEngine):
    def modify(self, cq: EngineCq, opmod: int, fields: dict[str, int]) -> int:
        return 0 if opmod == 2 else super().modify(cq, opmod, fields)


class Overwrites(CommandEngine):
    def send(self, number: int | None, data: bytes) -> bool:
        assert number is not None
        eq = self.eqs[number]
        eq.ci = eq.pi
        return super().send(number, data)


class Forgets(CommandEngine):
    def send(self, number: int | None, data: bytes) -> bool:
        super().send(number, data)
        return True


class EqOwner(CommandEngine):
    def put_eqe(self, eq: EngineEq, data: bytes) -> None:
        self.write(eq.base + 32 * (eq.pi % (1 << eq.log_size)), data[:31] + b"\x80")


class EqPieces(CommandEngine):
    def put_eqe(self, eq: EngineEq, data: bytes) -> None:
        place = eq.base + 32 * (eq.pi % (1 << eq.log_size))
        self.write(place + 16, data[16:31] + bytes(1))
        self.write(place, data[:16])


class EqPlace(CommandEngine):
    def put_eqe(self, eq: EngineEq, data: bytes) -> None:
        self.write(eq.base + 32 * (eq.pi + 1), data[:31] + bytes(1))


class EarlyLine(CommandEngine):
    def put_eqe(self, eq: EngineEq, data: bytes) -> None:
        self.raise_line(self.eqs.index(eq))
        super().put_eqe(eq, data)


class AlwaysRaises(CommandEngine):
    def put_eqe(self, eq: EngineEq, data: bytes) -> None:
        super().put_eqe(eq, data)
        self.lower(self.eqs.index(eq))
        if eq.st != 9:
            self.raise_line(self.eqs.index(eq))


class NoLine(CommandEngine):
    def raise_line(self, number: int) -> None:
        pass


class NoSecondLine(CommandEngine):
    def eq_doorbell(self, number: int, ci: int, arm: bool) -> None:
        super().eq_doorbell(number, self.eqs[number].pi, arm)
        self.eqs[number].ci = ci


class EventFirst(CommandEngine):
    def advance(self, cq: EngineCq, solicited: bool) -> None:
        """The EQE leaves while the CQE waits for its response."""
        now = self.time
        self.time -= 4 * self.clock
        super().advance(cq, solicited)
        self.events()
        self.time = max(self.time, now)


class WrongNumber(CommandEngine):
    def eqe(self, kind: int, number: int, code: int) -> bytes:
        return super().eqe(kind, number ^ 2, code)


class WrongSyndrome(CommandEngine):
    def eqe(self, kind: int, number: int, code: int) -> bytes:
        return super().eqe(kind, number, 3 - code if code else 0)


class KeepsWriting(CommandEngine):
    def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
        super().destroy(cq, opmod, outbox)
        self.cqs[cq.number] = cq
        return 0


class LateEvent(CommandEngine):
    def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
        status = super().destroy(cq, opmod, outbox)
        self.put(self.time + 700 * self.clock, lambda: self._send(cq))
        return status

    def _send(self, cq: EngineCq) -> None:
        self.send(0, self.eqe(0, cq.number, 0))


class KeepsArm(CommandEngine):
    last: Any = None

    def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
        self.last = cq.request
        return super().destroy(cq, opmod, outbox)

    def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
        status = super().create(number, opmod, fields)
        self.cqs[number].request = self.last
        return status


class Accepts(CommandEngine):
    def run_command(self) -> int:
        status = super().run_command()
        return status

    def command(self) -> None:
        super().command()
        if self.status == self.hidden:
            self.status = 0

    hidden = 9


class AcceptsIndex(Accepts):
    hidden = 0xA


class AcceptsOpcode(Accepts):
    hidden = 2


class QueryDisarms(CommandEngine):
    def context_image(self, cq: EngineCq) -> bytes:
        data = super().context_image(cq)
        cq.request = None
        return data


class Reorders(CommandEngine):
    held: Any = None

    def result(self, status: Status) -> None:
        if status.tag == 2:
            self.held = status
            return
        super().result(status)
        if self.held is not None:
            status, self.held = self.held, None
            super().result(status)


class EarlyResult(CommandEngine):
    def result(self, status: Status) -> None:
        self.time -= 4 * self.clock
        super().result(status)
        self.time += 4 * self.clock


class Fill(CommandEngine):
    def fill(self, cq: EngineCq, first: int) -> None:
        cq.values = {**cq.values, "log_cq_size": 1}
        super().fill(cq, first)


class Stray(CommandEngine):
    def advance(self, cq: EngineCq, solicited: bool) -> None:
        super().advance(cq, solicited)
        self.write(0x7000_0000, bytes(8))


class StrayRead(CommandEngine):
    def advance(self, cq: EngineCq, solicited: bool) -> None:
        super().advance(cq, solicited)
        self.read(0x7000_0000, 8)


class Record(CommandEngine):
    def refresh(self, cq: EngineCq) -> None:
        self.read(context.db_record_address(cq.values) + 4, 8)


class Slow(CommandEngine):
    def events(self) -> None:
        if any(cq.event for cq in self.cqs.values()):
            self.time += 400 * self.clock
        super().events()


class Drops(CommandEngine):
    def result(self, status: Status) -> None:
        if status.tag != 2:
            super().result(status)


class Pairs(CommandEngine):
    def context_image(self, cq: EngineCq) -> bytes:
        data = super().context_image(cq)
        return b"".join(data[at + 4 : at + 8] + data[at : at + 4] for at in range(0, 64, 8))


class Narrow(CommandEngine):
    field = "last_notified_indx"

    def context_image(self, cq: EngineCq) -> bytes:
        values = context.decode(super().context_image(cq))
        return context.encode({**values, self.field: values[self.field] & 0xFFFF})


class NarrowSolicited(Narrow):
    field = "solicit_producer_indx"


class RefusalDisarms(CommandEngine):
    def command(self) -> None:
        super().command()
        if self.status:
            for cq in self.cqs.values():
                cq.request = None


class RoundedUp(CommandEngine):
    def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
        up = 1 if fields["reserved17"] else 0
        return super().create(number, opmod, {**fields, "db_record_addr_l": fields["db_record_addr_l"] + up})


class Line(CommandEngine):
    def refresh(self, cq: EngineCq) -> None:
        place = context.db_record_address(cq.values)
        line = self.read(place & -64, 64)
        cq.ci = self.consumer(line[place % 64 :][:8])


class ReservedCollapses(CommandEngine):
    def slot(self, cq: EngineCq, index: int) -> int:
        return 0 if cq.values["reserved2"] else super().slot(cq, index)


class FarEntry(CommandEngine):
    def entry(self, cq: EngineCq, offset: int) -> int:
        return super().entry(cq, offset) + (1 << 39)


class OffsetForgotten(CommandEngine):
    def entry(self, cq: EngineCq, offset: int) -> int:
        return super().entry(cq, offset - cq.values["page_offset"] * 32)


class Holes(CommandEngine):
    def write_cqe(self, place: int, data: bytes) -> None:
        self.write(place, data, bytes([1]) * 8 + bytes(8) + bytes([1]) * 16)


class OldEntry(CommandEngine):
    known: dict[int, bytes] | None = None

    def read(self, addr: int, length: int) -> bytes:
        data = super().read(addr, length)
        if self.known is None:
            self.known = {}
        return self.known.setdefault(addr, data) if addr >> 36 == 1 else data


class AcceptsQuery(CommandEngine):
    def run_command(self) -> int:
        if self.values.get("HCR_CMD", "opcode") == 0x118:
            self.write(self.values.word("HCR_OUT_L"), bytes(64))
        return super().run_command()


class TwoRules(CommandEngine):
    """Covered CQEs cause an event at once, but not that of an even index."""

    def met(self, cq: EngineCq) -> bool:
        return super().met(cq) and (cq.pi != cq.notified or bool(cq.pi % 2))
