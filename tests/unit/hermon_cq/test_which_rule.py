"""Faults that several rules could name: the first finding names the broken one, legal behaviour none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from ref_model.events import RegWrite, SideBand
from ref_model.hermon_cq import context, ports
from ref_model.hermon_cq.endpoint import CommandEngine, EngineCq
from ref_model.hermon_cq.endpoint.engine import ICM_ERROR, OVERFLOW, BusError, Refused
from ref_model.hermon_cq.endpoint.state import MASK
from ref_model.hermon_cq.ports import Report, Status
from ref_model.rules import specification
from tb.agents.hermon_pins import BREACHES, HANGS
from tests.unit.hermon_cq import scenarios
from tests.unit.hermon_cq.bench import CLK, MODIFY, PAGES, QUERY, RECORDS, SOL, US, Bench
from tests.unit.hermon_cq.test_rules import first

# -- engines ------------------------------------------------------------------------------------------------


class WaitsForTwo(CommandEngine):
    def opened(self, cq: EngineCq) -> bool:
        return super().opened(cq) and (cq.count > 1 or cq.values["cq_max_count"] > 0)


class TwicePeriod(CommandEngine):
    def opened(self, cq: EngineCq) -> bool:
        return self.ticks.count(self.time) - cq.last_tick >= 2 * cq.values["cq_period"]

    def _opens(self, cq: EngineCq) -> int | None:
        return self.ticks.when(cq.last_tick + 2 * cq.values["cq_period"])


class FiresAnyway(CommandEngine):
    def execute(self, report: Report) -> int:
        code = super().execute(report)
        if code == ports.WRITE_FAILED:
            self.fire(self.cqs[report.cqn])
        return code


class KeepsStatus(CommandEngine):
    last = 0

    def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
        self.last = cq.status
        return super().destroy(cq, opmod, outbox)

    def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
        status = super().create(number, opmod, fields)
        self.cqs[number].status = self.last
        return status


class ErrorForAll(CommandEngine):
    def execute(self, report: Report) -> int:
        code = super().execute(report)
        if code == ports.OVERFLOWED:
            for cq in self.cqs.values():
                cq.status = OVERFLOW
        return code


class DisarmsNeighbour(CommandEngine):
    def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
        self.cqs[cq.number ^ 1].request = None
        return super().destroy(cq, opmod, outbox)


class DropsWhenFull(CommandEngine):
    def execute(self, report: Report) -> int:
        cq = self.cqs[report.cqn]
        if cq.pi - cq.ci >= cq.size:
            self.advance(cq, False)
            return ports.WRITTEN
        return super().execute(report)


class NeedsRecord(CommandEngine):
    def place(self, cq: EngineCq, index: int) -> int:
        self.read(context.db_record_address(cq.values), 8)
        return super().place(cq, index)


class HidesFailure(CommandEngine):
    def execute(self, report: Report) -> int:
        code = super().execute(report)
        self.cqs[report.cqn].status = self.cqs[report.cqn].error = 0
        return ports.WRITTEN if code == ports.WRITE_FAILED else code


class ResizeOpcode(CommandEngine):
    def resize_cqe(self, cq: EngineCq) -> None:
        self.write(
            self.place(cq, cq.pi), bytes(31) + bytes([ports.OPCODE_ERROR | self.owner(cq, cq.pi) << 7])
        )


class CutsCounter(CommandEngine):
    def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
        status = super().resize(cq, fields)
        cq.pi &= cq.size - 1
        return status


class StaleField(CommandEngine):
    def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
        return super().resize(cq, {**fields, "mtt_base_addr_l": 0x10_0000})


class ResizeDisarms(CommandEngine):
    def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
        cq.request = None
        return super().resize(cq, fields)


class ResizesFull(CommandEngine):
    def refresh(self, cq: EngineCq) -> None:
        cq.ci = cq.pi

    def resize_cqe(self, cq: EngineCq) -> None:
        self.write(self.place(cq, cq.pi + 1), bytes(31) + bytes([ports.OPCODE_RESIZE]))


class TakesRing(CommandEngine):
    def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
        try:
            return super().resize(cq, fields)
        except Refused:
            cq.values = {**cq.values, "log_cq_size": fields["log_cq_size"]}
            raise


class FillsOneMore(CommandEngine):
    def fill(self, cq: EngineCq, first: int) -> None:
        super().fill(cq, first)
        self.write(self.place(cq, cq.size - 1) + 56, bytes(8), bytes(7) + b"\1")


class EvenRing(CommandEngine):
    def place(self, cq: EngineCq, index: int) -> int:
        return super().place(self.cqs.get(cq.number & ~1, cq), index)


class Aliased(CommandEngine):
    def execute(self, report: Report) -> int:
        return super().execute(replace(report, cqn=report.cqn & 7))


class AlwaysArms(CommandEngine):
    def eq_doorbell(self, number: int, ci: int, arm: bool) -> None:
        super().eq_doorbell(number, ci, True)


class NoTag(CommandEngine):
    def result(self, status: Status) -> None:
        super().result(status if status.code == ports.WRITTEN else replace(status, tag=0))


class TypeFive(CommandEngine):
    def eqe(self, kind: int, number: int, code: int) -> bytes:
        return super().eqe(5 if kind == 4 else kind, number, code)


class WritesRefused(CommandEngine):
    def report(self, report: Report) -> None:
        code = self.execute(report)
        self.result(Status(report.cqn, code, report.tag))
        if code == ports.OVERFLOWED:
            cq = self.cqs[report.cqn]
            self.write_cqe(self.place(cq, cq.pi), self.image(cq, report))


class StopsAtError(CommandEngine):
    stopped = False

    def result(self, status: Status) -> None:
        self.stopped = self.stopped or status.code == ports.WRITE_FAILED
        if not self.stopped:
            super().result(status)


class SlowDoorbells(CommandEngine):
    def arm(self, cq: EngineCq, kind: int, sn: int, param: int) -> None:
        if cq.number == 1:
            self.put(self.time + 1000 * self.clock, lambda: self._late(cq, kind, sn, param))
        else:
            super().arm(cq, kind, sn, param)

    def _late(self, cq: EngineCq, kind: int, sn: int, param: int) -> None:
        super().arm(cq, kind, sn, param)


class SlowEvents(CommandEngine):
    def events(self) -> None:
        if any(cq.event for cq in self.cqs.values()):
            self.time += 1000 * self.clock
        super().events()


class CountsVoid(CommandEngine):
    def execute(self, report: Report) -> int:
        if report.cqn == 9:
            self.cqs[1].pi = self.cqs[1].pi + 1 & MASK
        return super().execute(report)


# -- scenarios ----------------------------------------------------------------------------------------------


def unmoderated(bench: Bench) -> None:
    bench.create(1, cq_max_count=4)
    bench.command(MODIFY, 1, 1, context.encode({}))
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(2000)


def period(bench: Bench) -> None:
    bench.pace(US)
    bench.create(1, cq_period=60)
    bench.arm(1)
    bench.wait(20)
    bench.reports(1, 1)
    bench.wait(3000)


def failed_write(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.engine.errors = lambda addr, write: 2 if addr >= PAGES and write else 0
    bench.reports(1, 1)
    bench.engine.errors = lambda addr, write: 0
    bench.reports(1, 1)
    bench.wait(1000)


def created_behind_error(bench: Bench) -> None:
    scenarios.overflow(bench)
    bench.destroy(1)
    bench.create(1, 2)
    bench.reports(1, 2)


def beside_error(bench: Bench) -> None:
    bench.create(1, 2)
    bench.create(2)
    bench.reports(1, 5)
    bench.reports(2, 1)


def neighbour_destroyed(bench: Bench) -> None:
    bench.create(2)
    bench.create(3)
    bench.arm(2)
    bench.wait(400)
    bench.destroy(3)
    bench.reports(2, 1)
    bench.wait(2000)


def no_record(bench: Bench) -> None:
    bench.create(1, 2, oi=1)
    bench.engine.errors = lambda addr, write: 2 if addr >> 12 == RECORDS >> 12 else 0
    bench.reports(1, 6)
    bench.query(1)


def absent_with_oi(bench: Bench) -> None:
    bench.create(1, 8, opmod=1, oi=1, present=lambda page: False)
    bench.reports(1, 1)


def resized_late(bench: Bench) -> None:
    bench.create(1, 3)
    bench.reports(1, 6)
    bench.publish(1)
    bench.reports(1, 3)
    bench.publish(1)
    bench.resize(1, 2)
    bench.query(1)


def resized_armed(bench: Bench) -> None:
    bench.create(1, 3)
    bench.arm(1, SOL)
    bench.wait(400)
    bench.resize(1, 4)
    bench.query(1)


def resized_full(bench: Bench) -> None:
    bench.create(1, 2)
    bench.reports(1, 3)
    bench.resize(1, 4)


def resized_absent(bench: Bench) -> None:
    bench.create(1, 3)
    bench.reports(1, 2)
    assert bench.resize(1, 4, present=lambda page: False) == ICM_ERROR
    bench.query(1)


def neighbours(bench: Bench) -> None:
    bench.create(2, opmod=1)
    bench.create(3, opmod=1)
    bench.reports(3, 1)


def void_first(bench: Bench) -> None:
    bench.create(1)
    bench.report(9)
    bench.report(1)
    bench.sync()


def unread_without_arm(bench: Bench) -> None:
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(400)
    bench.eq_doorbell(0, arm=False)
    bench.wait(400)


def error_then_more(bench: Bench) -> None:
    failed_write(bench)
    bench.create(2)
    bench.reports(2, 1)
    bench.wait(2000)


def two_requests(bench: Bench) -> None:
    bench.create(1)
    bench.create(2)
    bench.reports(1, 1)
    bench.arm(1)
    bench.arm(2)
    bench.wait(100)
    bench.reports(2, 1)
    bench.wait(3000)


def void_between(bench: Bench) -> None:
    bench.create(1)
    bench.reports(1, 2)
    bench.query(1)
    bench.reports(9, 1)
    bench.query(1)


@dataclass(frozen=True)
class Fault:
    """An engine with a fault, what shows it, and the rule it breaks."""

    engine: type[CommandEngine]
    scenario: Callable[[Bench], None]
    rule: str


FAULTS = (
    Fault(WaitsForTwo, unmoderated, "HCQ-065"),
    Fault(TwicePeriod, period, "HCQ-067"),
    Fault(WritesRefused, scenarios.overflow, "HCQ-072"),
    Fault(TypeFive, scenarios.overflow, "HCQ-074/sent"),
    Fault(NoTag, scenarios.overflow, "HCQ-076"),
    Fault(FiresAnyway, failed_write, "HCQ-078"),
    Fault(KeepsStatus, created_behind_error, "HCQ-079"),
    Fault(DropsWhenFull, scenarios.ignoring, "HCQ-081"),
    Fault(NeedsRecord, no_record, "HCQ-082"),
    Fault(HidesFailure, absent_with_oi, "HCQ-084"),
    Fault(ResizeOpcode, scenarios.resized, "HCQ-088"),
    Fault(CutsCounter, resized_late, "HCQ-089"),
    Fault(StaleField, scenarios.resized, "HCQ-092"),
    Fault(ResizeDisarms, resized_armed, "HCQ-093"),
    Fault(ResizesFull, resized_full, "HCQ-095"),
    Fault(TakesRing, resized_absent, "HCQ-097"),
    Fault(AlwaysArms, unread_without_arm, "HCQ-103/index"),
    Fault(FillsOneMore, scenarios.filled, "HCQ-106/writes"),
    Fault(StopsAtError, error_then_more, "HCQ-109/survives"),
    Fault(ErrorForAll, beside_error, "HCQ-115"),
    Fault(DisarmsNeighbour, neighbour_destroyed, "HCQ-115"),
    Fault(EvenRing, neighbours, "HCQ-116"),
    Fault(Aliased, void_first, "HCQ-118/silent"),
    Fault(SlowDoorbells, two_requests, "HCQ-119/doorbells"),
    Fault(SlowEvents, two_requests, "HCQ-062"),
    Fault(CountsVoid, void_between, "HCQ-120/counter"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.engine.__name__)
def test_fault_is_found(fault: Fault) -> None:
    bench = Bench({}, fault.engine)
    fault.scenario(bench)
    rule = first(bench)
    assert rule == fault.rule, bench.model.rules.findings[:1]


@pytest.mark.parametrize("scenario", {fault.scenario: None for fault in FAULTS}, ids=lambda one: one.__name__)
def test_scenario_is_legal(scenario: Callable[[Bench], None]) -> None:
    bench = Bench()
    scenario(bench)
    assert bench.finish() == []


# -- special turns ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("acts", [True, False])
def test_doorbell_with_part_of_its_strobes(acts: bool) -> None:
    bench = Bench()
    cq = bench.create(1)
    first_word, second = ports.cq_doorbell(1, ports.ANY, 1, 0)
    page = cq.values["usr_page"]
    bench.uar(page << ports.PAGE_BITS | ports.CQ_DB0, second << 32 | first_word, 0x7F)
    if acts:
        bench.engine.put(bench.now - CLK, lambda: bench.engine.cq_doorbell(page, first_word, second))
    bench.wait(400)
    bench.reports(1, 1)
    bench.wait(1000)
    assert first(bench) == ("HCQ-122/strobes" if acts else "none")


@pytest.mark.parametrize("kept", [0, 3])
def test_consumer_index_of_an_event_queue_that_is_new(kept: int) -> None:
    bench = Bench()
    bench.write("EQ_CFG", 0, 1)
    bench.write("EQ_CFG", 1 << 16 | 4 << 8 | 1, 1)
    bench.quiet()
    bench.read("EQ_CI", kept, 1)
    bench.sync()
    assert first(bench) == ("HCQ-122/access" if kept else "none")


@pytest.mark.parametrize("lost", [True, False])
def test_report_that_is_lost_in_a_stall_of_the_status_stream(lost: bool) -> None:
    class Stalls(CommandEngine):
        def report(self, report: Report) -> None:
            if not (lost and report.tag == 2):
                super().report(report)

        def result(self, status: Status) -> None:
            wait = 200 * self.clock if status.tag == 1 else 0
            self.emit(SideBand(self.time, self.time + wait, ports.STS, (status.word,)))
            self.time += wait + self.clock

    bench = Bench({}, Stalls)
    bench.create(1)
    bench.report(1)
    bench.now += 50 * CLK
    bench.report(1)
    bench.report(1)
    bench.sync()
    assert first(bench) == ("HCQ-108" if lost else "none")


@pytest.mark.parametrize("busy", [True, False])
def test_error_answer_to_a_write_of_the_hcr(busy: bool) -> None:
    """A write that is ignored because a command runs may be answered so, no other."""
    bench = Bench()
    bench.create(1)
    if busy:
        bench.start_command(QUERY, 0, 1)
    addr = bench.address("HCR_IN_L")
    bench.events.append(RegWrite(bench.now, bench.now + CLK, addr, 0, 0xF, 2, ports.CMD))
    bench.now += 2 * CLK
    bench.end_command() if busy else bench.sync()
    assert first(bench) == ("none" if busy else "HCQ-122/okay")


@pytest.mark.parametrize("shown", [0b10, 0b01, 0b00, 0b11])
@pytest.mark.parametrize("error", [False, True])
def test_status_while_an_event_waits_for_room(shown: int, error: bool) -> None:
    """A held event is pending: STAT.evt_held is 1 and STAT.idle 0, whichever kind of event it is."""
    bench = Bench(set_up=False)
    bench.bring_up(eq_log=1)
    for number in range(1, 4):
        bench.create(number, 2, c_eqn=3)
        if not error or number < 3:
            bench.arm(number)
        bench.sync()
        bench.reports(number, 1)
    if error:
        bench.reports(3, 4)
    bench.quiet()
    bench.read("STAT", shown)
    bench.sync()
    assert first(bench) == ("none" if shown == 0b10 else "HCQ-120/idle")


@pytest.mark.parametrize("late", [True, False])
def test_event_for_a_queue_that_is_not_valid(late: bool) -> None:
    """It is discarded; what is asked for behind it has its event."""

    class Keeps(CommandEngine):
        def send(self, number: int | None, data: bytes) -> bool:
            return super().send(number, data) and not (late and number == 1 and not self.eqs[1].valid)

    bench = Bench({}, Keeps)
    cq = bench.create(1, c_eqn=1)
    bench.write("EQ_CFG", 0, 1)
    bench.arm(1)
    bench.sync()
    bench.reports(1, 1)
    bench.quiet()
    bench.write("EQ_CFG", 1 << 16 | 4 << 8 | 1, 1)
    bench.engine.put(bench.now, lambda: None)  # the engine looks around
    bench.wait(2000)
    assert first(bench) == ("HCQ-064" if late else "none")
    if not late:
        cq.sn += 1
        bench.publish(1)
        bench.arm(1)
        bench.reports(1, 1)
        assert bench.take_events(1) == [(0, 1)]
        assert bench.finish() == []


@pytest.mark.parametrize("off", [True, False])
def test_error_event_without_an_asynchronous_queue(off: bool) -> None:
    """It is discarded: none is owed when there is a queue later. With one from the start it is."""

    class Silent(CommandEngine):
        def send(self, number: int | None, data: bytes) -> bool:
            return True if data[1] == 4 else super().send(number, data)

    bench = Bench({}, Silent)
    bench.create(1, 2)
    if off:
        bench.write("ASYNC_EQ", 3)
    bench.reports(1, 5)
    bench.quiet()
    if off:
        bench.write("ASYNC_EQ", 1 << 31 | 3)
    bench.wait(2000)
    assert first(bench) == ("none" if off else "HCQ-074/sent")


@pytest.mark.parametrize("keeps", [True, False])
def test_request_that_waits_for_its_period_over_a_resize(keeps: bool) -> None:
    class Forgets(CommandEngine):
        def resize(self, cq: EngineCq, fields: dict[str, int]) -> int:
            if not keeps:
                cq.request = None
            return super().resize(cq, fields)

    bench = Bench({}, Forgets)
    bench.pace(US)
    bench.create(1, 3, cq_period=200)
    bench.arm(1)
    bench.sync()
    bench.reports(1, 1)
    assert bench.resize(1, 4) == 0
    bench.wait(10_000)
    assert first(bench) == ("none" if keeps else "HCQ-093")


@pytest.mark.parametrize("keeps", [True, False])
def test_release_that_fails_on_its_mailbox(keeps: bool) -> None:
    class Releases(CommandEngine):
        def destroy(self, cq: EngineCq, opmod: int, outbox: int) -> int:
            if not keeps:
                del self.cqs[cq.number]
                self.write(outbox, self.context_image(cq))
            return super().destroy(cq, opmod, outbox)

    bench = Bench({}, Releases)
    bench.create(1)
    bench.engine.errors = lambda addr, write: 2 if write else 0
    assert bench.destroy(1) == 1
    bench.engine.errors = lambda addr, write: 0
    bench.command(QUERY, 0, 1)
    assert first(bench) == ("none" if keeps else "HCQ-025")


def test_old_count_that_holds_until_the_next_event() -> None:
    """A period that opmod 1 sets while a request waits need not count yet; the model waits without end."""

    class Keeps(CommandEngine):
        def opened(self, cq: EngineCq) -> bool:
            return cq.count >= 6

    bench = Bench({}, Keeps)
    bench.pace(US)
    bench.create(1, 4, cq_max_count=6)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 2)
    bench.command(MODIFY, 1, 1, context.encode({"cq_period": 20}))
    bench.wait(2000)
    bench.reports(1, 6)
    assert bench.take_events() == [(0, 1)]
    assert bench.finish() == []


def test_overflow_by_a_record_that_cannot_be_read_is_only_recorded() -> None:
    bench = Bench()
    bench.create(1, 2)
    bench.reports(1, 2)
    bench.publish(1)
    bench.engine.errors = lambda addr, write: 2 if addr >> 12 == RECORDS >> 12 else 0
    bench.reports(1, 2)
    bench.engine.errors = lambda addr, write: 0
    assert bench.finish() == []
    assert bench.engine.cqs[1].status == OVERFLOW


def test_bus_error_of_the_engine_is_told() -> None:
    """What the faults above rest on."""
    bench = Bench()
    bench.create(1)
    bench.engine.errors = lambda addr, write: 2
    with pytest.raises(BusError):
        bench.engine.place(bench.engine.cqs[1], 0)


@pytest.mark.parametrize("rule", sorted({*BREACHES.values(), *HANGS.values()}))
def test_rules_of_the_pins_exist(rule: str) -> None:
    assert specification("hermon_cq").requirement(rule).id == rule.partition("/")[0]
