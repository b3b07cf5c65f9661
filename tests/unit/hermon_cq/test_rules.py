"""Rules that need a special turn: contested points, registers, stalls, error answers."""

from __future__ import annotations

from typing import Any

import pytest

from ref_model.events import RegRead, RegWrite, SideBand
from ref_model.hermon_cq import context, ports
from ref_model.hermon_cq.endpoint import CommandEngine
from ref_model.hermon_cq.ports import Status
from tests.unit.hermon_cq.bench import CLK, PAGES, QUERY, SW2HW, US, Bench
from tests.unit.hermon_cq.test_legal import done


def first(bench: Bench) -> str:
    """Rule of the first finding."""
    bench.quiet()
    bench.model.finish()
    findings = bench.model.rules.findings
    return findings[0].rule if findings else "none"


# -- contested points ---------------------------------------------------------------------------------------


def covered(bench: Bench) -> None:
    """A new request although nothing was consumed, then one CQE."""
    bench.create(1)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 1)
    bench.take_events()
    bench.wait(400)
    bench.arm(1, param=0)
    bench.wait(2000)
    bench.take_events()
    bench.reports(1, 1)
    bench.wait(2000)
    bench.take_events()


@pytest.mark.parametrize("rule", ["R1", "R3"])
def test_covered_cqes(rule: str) -> None:
    bench = Bench({"ARM_RULE": rule})
    covered(bench)
    done(bench, "HCQ-063")


@pytest.mark.parametrize(("rule", "other"), [("R1", "R3"), ("R3", "R1")])
def test_covered_cqes_by_the_other_rule(rule: str, other: str) -> None:
    bench = Bench({"ARM_RULE": rule}, judged={"ARM_RULE": other})
    covered(bench)
    assert first(bench) == "HCQ-063"


def test_one_rule_about_covered_cqes_throughout() -> None:
    """Open at first; what showed once has to stay."""

    class Moody(CommandEngine):
        events_sent = 0

        def met(self, cq: Any) -> bool:
            self.knobs = {**self.knobs, "ARM_RULE": "R1" if cq.number == 1 else "R3"}
            return super().met(cq)

    bench = Bench({}, Moody, {"ARM_RULE": "either"})
    covered(bench)
    bench.create(2)
    bench.arm(2)
    bench.wait(400)
    bench.reports(2, 1)
    bench.take_events()
    bench.wait(400)
    bench.arm(2, param=0)
    assert first(bench) == "HCQ-063"


def capacity_of_two(bench: Bench) -> None:
    for number in (1, 2):
        bench.create(number, 2)
        bench.reports(number, 4)


def test_one_capacity_throughout() -> None:
    class Moody(CommandEngine):
        def capacity(self, cq: Any) -> int:
            return cq.size - (cq.number == 2)

    bench = Bench({}, Moody, {"CAP_MODE": "either"})
    capacity_of_two(bench)
    assert first(bench) == "HCQ-071/not_before"


@pytest.mark.parametrize(("mode", "other"), [("N-1", "N"), ("N", "N-1")])
def test_capacity_by_the_other_rule(mode: str, other: str) -> None:
    bench = Bench({"CAP_MODE": mode}, judged={"CAP_MODE": other})
    capacity_of_two(bench)
    assert first(bench).startswith("HCQ-071/")


def armed_resize(bench: Bench) -> None:
    bench.create(1, 3)
    bench.arm(1)
    bench.wait(400)
    assert bench.resize(1, 4) == 0
    bench.wait(2000)
    bench.reports(1, 1)
    bench.wait(2000)
    bench.take_events()


@pytest.mark.parametrize("value", [0, 1])
def test_resize_cqe_and_events(value: int) -> None:
    bench = Bench({"RSZ_EVENT": value})
    armed_resize(bench)
    done(bench, "HCQ-094")


@pytest.mark.parametrize("value", [0, 1])
def test_resize_cqe_by_the_other_rule(value: int) -> None:
    bench = Bench({"RSZ_EVENT": value}, judged={"RSZ_EVENT": 1 - value})
    armed_resize(bench)
    assert first(bench) == "HCQ-094"


@pytest.mark.parametrize("value", [0, 1])
def test_resize_cqe_left_open(value: int) -> None:
    bench = Bench({"RSZ_EVENT": value}, judged={"RSZ_EVENT": "either"})
    armed_resize(bench)
    done(bench)


@pytest.mark.parametrize("rule", ["lap", "zero"])
def test_owner_of_a_collapsed_cq(rule: str) -> None:
    class Zero(CommandEngine):
        def owner(self, cq: Any, index: int) -> int:
            return super().owner(cq, index) if rule == "lap" else 0

    for judged, good in ((rule, True), ("either", True), ("zero" if rule == "lap" else "lap", False)):
        bench = Bench({"CC_OWNER": rule}, Zero, {"CC_OWNER": judged})
        bench.create(1, 2, opmod=1, cc=1, oi=1)
        bench.reports(1, 9)
        assert first(bench) == ("none" if good else "HCQ-087")


# -- moderation ---------------------------------------------------------------------------------------------


def test_counted_rounds() -> None:
    bench = Bench()
    bench.create(1, 5, cq_max_count=4)
    for _ in range(3):
        bench.arm(1)
        bench.wait(400)
        bench.reports(1, 4)
        assert len(bench.take_events()) == 1
        bench.publish(1)
    done(bench, "HCQ-066/fires", "HCQ-066/early")


def test_timed_rounds() -> None:
    bench = Bench()
    bench.pace(US)
    bench.create(1, 5, cq_max_count=9, cq_period=80)
    for _ in range(4):
        bench.arm(1)
        bench.wait(320)
        bench.reports(1, 2)
        while not bench.take_events():
            bench.wait(50)
        bench.publish(1)
    done(bench, "HCQ-067", "HCQ-068")


# -- commands -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["ignore", "refuse"])
def test_reserved_bits(mode: str) -> None:
    class Strict(CommandEngine):
        def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
            if any(fields[name] for name in context.names("reserved")) and mode == "refuse":
                return 3
            return super().create(number, opmod, fields)

    for judged, good in ((mode, True), ("either", True), ("refuse" if mode == "ignore" else "ignore", False)):
        bench = Bench({"RSVD_MODE": mode}, Strict, {"RSVD_MODE": judged})
        bench.create(1, reserved7=5)
        assert first(bench) == ("none" if good else "HCQ-011")


def test_st_at_creation() -> None:
    bench = Bench()
    bench.create(1, st=0xA)
    bench.reports(1, 1)
    done(bench, "HCQ-010/given")


def test_st_at_creation_refused() -> None:
    class Strict(CommandEngine):
        def create(self, number: int, opmod: int, fields: dict[str, int]) -> int:
            return 3 if fields["st"] else super().create(number, opmod, fields)

    bench = Bench({}, Strict)
    bench.create(1, st=0xA)
    assert first(bench) == "HCQ-010/given"


@pytest.mark.parametrize("keeps", [True, False])
def test_writes_while_a_command_runs(keeps: bool) -> None:
    bench = Bench()
    values = bench.buffer({"log_cq_size": 6}, 32, lambda page: True)
    bench.start_command(SW2HW, 0, 1, context.encode(context.with_addresses(values, 0x1000, 0x3000_0008)))
    bench.write("HCR_TOKEN", 0x12340000)
    bench.write("HCR_MOD", 5)
    bench.engine.run(bench.now)
    word = bench.registers.word("HCR_CMD")
    bench.now += 50 * CLK
    bench.read("HCR_CMD", word | 1 << 23)
    bench.end_command()
    bench.read("HCR_TOKEN", 0 if keeps else 0x12340000)
    bench.read("HCR_MOD", 1)
    if keeps:
        done(bench, "HCQ-012/ignored")
    else:
        assert first(bench) == "HCQ-012/ignored"


@pytest.mark.parametrize("honest", [True, False])
@pytest.mark.parametrize("opcode", [SW2HW, QUERY])
def test_mailbox_that_cannot_be_reached(opcode: int, honest: bool) -> None:
    class Dishonest(CommandEngine):
        def command(self) -> None:
            super().command()
            self.status = 0

    bench = Bench({}, CommandEngine if honest else Dishonest)
    bench.create(2)
    bench.engine.errors = lambda addr, write: 2 if addr < 0x6000_0000 else 0
    number = 1 if opcode == SW2HW else 2
    bench.command(opcode, 0, number, context.encode({"log_cq_size": 2}))
    bench.engine.errors = lambda addr, write: 0
    bench.reports(2, 1)
    if honest:
        done(bench, "HCQ-109/status", "HCQ-109/survives")
    else:
        assert first(bench) == "HCQ-109/status"


def test_resize_with_absent_pages() -> None:
    bench = Bench()
    bench.create(1, 3)
    bench.reports(1, 2)
    bench.engine.errors = lambda addr, write: 3 if addr >= PAGES and write else 0
    assert bench.resize(1, 4) != 0
    bench.engine.errors = lambda addr, write: 0
    bench.reports(1, 2)
    done(bench, "HCQ-097")


def test_command_that_lasts_too_long() -> None:
    bench = Bench()
    bench.create(1)
    bench.start_command(QUERY, 0, 1)
    bench.now += 2000 * CLK
    bench.read("HCR_CMD", bench.registers.word("HCR_CMD") | 1 << 23)
    bench.end_command()
    assert first(bench) == "HCQ-119/commands"


# -- errors -------------------------------------------------------------------------------------------------


def test_failed_write_with_overrun_ignored() -> None:
    bench = Bench()
    bench.create(1, 3, oi=1)
    bench.engine.errors = lambda addr, write: 2 if addr >= PAGES else 0
    bench.reports(1, 1)
    bench.engine.errors = lambda addr, write: 0
    bench.reports(1, 2)
    assert bench.take_events(3) == [(4, 1)]
    bench.query(1)
    done(bench, "HCQ-075", "HCQ-076")


def test_overflow_leaves_the_ring_alone() -> None:
    bench = Bench()
    bench.create(1, 2)
    bench.reports(1, 6)
    bench.take_events(3)
    done(bench, "HCQ-072", "HCQ-075")


# -- stalls -------------------------------------------------------------------------------------------------


class Stalling(CommandEngine):
    """Its status beat of tag 1 waits 10000 clocks, and nothing else does."""

    def result(self, status: Status) -> None:
        settled = self.time + (10_000 * self.clock if status.tag == 1 else 0)
        self.emit(SideBand(self.time, settled, ports.STS, (status.word,)))
        self.time += self.clock


class Blocked(Stalling):
    """Commands and doorbells wait for the status stream."""

    def command(self) -> None:
        self.time += 9000 * self.clock
        super().command()


def stalled(bench: Bench) -> None:
    bench.create(1)
    bench.create(2)
    bench.reports(1, 1)
    bench.start_command(QUERY, 0, 2)
    for _ in range(3):
        bench.now += 500 * CLK
        bench.engine.run(bench.now)
        going = bench.engine.go_until > bench.now
        bench.read("HCR_CMD", bench.registers.word("HCR_CMD") | going << 23)
        if not going:
            break
    if going:
        bench.end_command()
    bench.arm(1, param=0)
    bench.wait(1000)
    bench.wait(12_000)


def test_commands_and_doorbells_during_a_stall() -> None:
    bench = Bench({}, Stalling)
    stalled(bench)
    done(bench, "HCQ-123", "HCQ-108")


def test_command_that_waits_for_the_status_stream() -> None:
    bench = Bench({}, Blocked)
    stalled(bench)
    assert first(bench) == "HCQ-123"


def test_doorbell_that_waits_for_the_status_stream() -> None:
    class Waits(Stalling):
        def cq_doorbell(self, page: int, first: int, second: int) -> None:
            self.time += 5000 * self.clock
            super().cq_doorbell(page, first, second)

    bench = Bench({}, Waits)
    stalled(bench)
    assert first(bench) == "HCQ-123"


# -- registers ----------------------------------------------------------------------------------------------


def test_registers() -> None:
    bench = Bench(set_up=False)
    bench.read("ID", 0x48435131)
    bench.read("CAP0", 3 | 22 << 8 | 4 << 16 | 4 << 24)
    bench.write("HCR_IN_H", 0x12345678)
    bench.read("HCR_IN_H", 0x12345678)
    bench.write("HCR_IN_H", 0xFFFFFFFF, strb=3)
    bench.read("HCR_IN_H", 0x12345678)
    bench.bring_up()
    base = bench.registers.word("MTT_BASE_H")
    bench.write("MTT_BASE_H", 0x55)
    bench.read("MTT_BASE_H", base)
    bench.write("EQ_BASE_H", 0x77, 1)
    bench.read("EQ_BASE_H", 0, 1)
    done(bench, *(f"HCQ-122/{part}" for part in ("access", "reset", "lock", "strobes", "okay")))


@pytest.mark.parametrize(
    ("part", "name", "strb", "data", "seen"),
    [
        ("access", "HCR_TOKEN", 0xF, 0x55550000, 0),
        ("strobes", "HCR_TOKEN", 0x7, 0x55550000, 0x550000),
        ("lock", "MTT_BASE_H", 0xF, 0x5, 0x5),
        ("lock", "CFG", 0xF, 0x7, 0x7),
    ],
)
def test_register_faults(part: str, name: str, strb: int, data: int, seen: int) -> None:
    bench = Bench()
    bench.write(name, data, strb=strb)
    bench.sync()
    bench.read(name, seen)
    assert first(bench) == f"HCQ-122/{part}"


def test_other_register_faults() -> None:
    for event, rule in (
        (RegRead(0, 0, 0x020, 0x48435132, 0, ports.CMD), "HCQ-122/reset"),
        (RegRead(0, 0, 0x3F0, 1, 0, ports.CMD), "HCQ-122/access"),
        (RegRead(0, 0, 0x020, 0x48435131, 2, ports.CMD), "HCQ-122/okay"),
        (RegWrite(0, 0, 0x3F0, 1, 0xF, 3, ports.CMD), "HCQ-122/okay"),
        (RegRead(0, 0, 0x1020, 1, 0, ports.UAR), "HCQ-122/access"),
    ):
        bench = Bench()
        bench.sync()
        bench.model.observe(event)
        assert bench.model.rules.findings[0].rule == rule


@pytest.mark.parametrize("name", ["CNT_CPL", "CNT_CQE", "CNT_EQE", "CNT_REF"])
def test_counts_at_rest(name: str) -> None:
    bench = Bench()
    bench.create(1, 2)
    bench.reports(1, 5)
    bench.quiet()
    values = {"CNT_CPL": 5, "CNT_CQE": 3, "CNT_EQE": 1, "CNT_REF": 2}
    bench.read(name, values[name])
    bench.sync()
    assert not bench.found
    bench.read(name, values[name] + 1)
    assert first(bench) == "HCQ-120/reports"


def test_idle_with_a_report_under_way() -> None:
    bench = Bench()
    bench.create(1)
    bench.report(1)
    bench.now += 30 * CLK
    event = RegRead(bench.now, bench.now + CLK, bench.address("STAT"), 1, 0, ports.CMD)
    bench.events.append(event)
    bench.engine.inputs.clear()
    bench.sync()
    bench.model.advance(bench.now + 100 * CLK)
    assert bench.found == {"HCQ-120/idle"}
