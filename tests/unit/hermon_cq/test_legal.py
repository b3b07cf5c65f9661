"""Legal behaviour of every kind gives no finding, and evidence for the rules it exercises."""

from __future__ import annotations

from typing import Any

import pytest

from ref_model.events import Reset
from ref_model.hermon_cq import context
from ref_model.hermon_cq.endpoint import CommandEngine, EngineCq
from tests.unit.hermon_cq.bench import (
    ANY,
    ARM_N,
    CLK,
    HW2SW,
    MODIFY,
    MTT_BASE,
    QUERY,
    SOL,
    SW2HW,
    US,
    Bench,
)


def done(bench: Bench, *rules: str) -> None:
    """No finding at all, and evidence for ``rules``."""
    assert bench.finish() == []
    assert bench.model.rules.undecided == []
    assert set(rules) <= bench.evidence, sorted(set(rules) - bench.evidence)


@pytest.mark.parametrize("stride", [32, 64, 128, 256])
@pytest.mark.parametrize("fields", [{}, {"page_offset": 127 & ~7}, {"log2_page_size": 1}], ids=str)
def test_three_laps(stride: int, fields: dict[str, Any]) -> None:
    bench = Bench({"STRIDE": stride})
    bench.create(1, 6, **fields)
    for _ in range(7):
        bench.reports(1, 31)
        bench.publish(1)
    bench.query(1)
    bench.destroy(1)
    done(bench, "HCQ-026", "HCQ-033", "HCQ-037", "HCQ-113", *(["HCQ-029"] if stride > 32 else []))


def test_ring_over_many_pages() -> None:
    bench = Bench({"STRIDE": 256})
    bench.create(1, 7, page_offset=120)
    for _ in range(5):
        bench.reports(1, 60)
        bench.publish(1)
    done(bench, "HCQ-030")


def test_error_cqes() -> None:
    bench = Bench()
    bench.create(1)
    for error in (False, True, True, False):
        bench.reports(1, 1, error=error)
    done(bench, "HCQ-035/opcode", "HCQ-035/fields")


def test_wrap_of_the_counters() -> None:
    bench = Bench()
    bench.create(1, 2, start=0xFFFFFD)
    for _ in range(5):
        bench.arm(1)
        bench.reports(1, 2)
        assert bench.take_events() == [(0, 1)]
        bench.publish(1)
    bench.query(1)
    done(bench, "HCQ-038", "HCQ-053")


def test_requests() -> None:
    bench = Bench()
    cq = bench.create(1, 4)
    bench.arm(1)
    bench.reports(1, 1)
    assert len(bench.take_events()) == 1
    bench.publish(1)
    bench.reports(1, 1)
    bench.arm(1)  # an unread CQE: at once
    assert len(bench.take_events()) == 1
    bench.publish(1)
    bench.arm(1, SOL)
    bench.wait(400)
    bench.reports(1, 2)
    assert bench.query(1)["st"] == 6
    bench.reports(1, 1, solicited=True)
    assert len(bench.take_events()) == 1
    bench.publish(1)
    bench.reports(1, 1)
    bench.reports(1, 1, error=True)
    bench.arm(1, SOL)
    assert len(bench.take_events()) == 1
    bench.publish(1)
    bench.wait(400)
    assert bench.query(1)["st"] == 0xA
    for kind in (ANY, ARM_N):
        bench.arm(1, kind, cq.ci + 3 if kind == ARM_N else None)
        bench.reports(1, 4)
        assert len(bench.take_events()) == 1
        bench.publish(1)
    bench.arm(1)
    bench.wait(400)
    assert bench.query(1)["st"] == 9
    done(
        bench,
        *("HCQ-045/fires", "HCQ-045/waits", "HCQ-046", "HCQ-047/fires", "HCQ-047/plain", "HCQ-048/fires"),
        *("HCQ-049/fires", "HCQ-049/waits", "HCQ-053", "HCQ-007/armed", "HCQ-007/fired", "HCQ-039"),
    )


@pytest.mark.parametrize("passed", ["fire", "wait"])
@pytest.mark.parametrize("known", [True, False])
def test_arm_n_behind_its_target(passed: str, known: bool) -> None:
    bench = Bench({"ARMN_PASSED": passed}, judged={} if known else {"ARMN_PASSED": "either"})
    bench.create(1)
    bench.reports(1, 2)
    bench.arm(1, ARM_N, 1)
    bench.wait(1000)
    assert len(bench.take_events()) == (passed == "fire")
    done(bench)


def test_doorbells_that_have_no_effect() -> None:
    bench = Bench()
    cq = bench.create(1)
    bench.arm(1)
    bench.arm(1, 0)
    bench.arm(1, 5)
    bench.arm(1, page=2)
    bench.sync()
    bench.reports(1, 1)
    assert len(bench.take_events()) == 1
    bench.publish(1)
    bench.arm(1, sn=cq.sn - 1 & 3)  # stale
    bench.arm(1, 7)
    bench.arm(1, page=3)
    bench.wait(400)
    bench.reports(1, 1)
    bench.publish(1)
    bench.arm(1)
    bench.reports(1, 1)
    assert len(bench.take_events()) == 1
    done(bench, "HCQ-050", "HCQ-054", "HCQ-056", "HCQ-061", "HCQ-060")


def test_halves_of_doorbells() -> None:
    bench = Bench()
    bench.create(1)
    bench.create(2, usr_page=2)
    for _ in range(2):
        bench.arm(1, halves=True)
        bench.reports(1, 1)
        bench.take_events()
        bench.publish(1)
    first, second = (2, 1 << 28 | ANY << 24), (1, 3 << 28 | ANY << 24)
    for page, word in (first, second):
        bench.uar(page << 12 | 0x20, word | page, 0x0F)
    bench.uar(2 << 12 | 0x20, 0, 0xF0)
    bench.engine.put(bench.now, lambda: bench.engine.cq_doorbell(2, first[1] | 2, 0))
    bench.uar(1 << 12 | 0x20, 2 << 32, 0xF0)
    bench.engine.put(bench.now, lambda: bench.engine.cq_doorbell(1, second[1] | 1, 2))
    bench.reports(1, 1)
    bench.reports(2, 1)
    assert sorted(bench.take_events()) == [(0, 1), (0, 2)]
    done(bench, "HCQ-055", "HCQ-121")


@pytest.mark.parametrize("rule", ["R1", "R3"])
@pytest.mark.parametrize("known", [True, False])
def test_request_on_covered_cqes(rule: str, known: bool) -> None:
    bench = Bench({"ARM_RULE": rule}, judged={} if known else {"ARM_RULE": "either"})
    bench.create(1)
    bench.arm(1)
    bench.reports(1, 1)
    bench.take_events()
    bench.arm(1, param=0)
    bench.wait(2000)
    assert len(bench.take_events()) == (rule == "R1")
    bench.arm(1, param=0)
    bench.reports(1, 1)
    bench.take_events()
    done(bench)


@pytest.mark.parametrize("offset", range(-12, 13))
@pytest.mark.parametrize("kind", [ANY, SOL, ARM_N])
def test_race_of_doorbell_and_cqe(offset: int, kind: int) -> None:
    bench = Bench()
    bench.create(1)
    start = bench.now
    steps = [(max(offset, 0), True), (max(-offset, 0), False)]
    for at, report in sorted(steps, key=lambda step: step[0]):
        bench.now = start + at * CLK
        if report:
            bench.report(1, solicited=True)
        else:
            bench.arm(1, kind)
    assert bench.take_events() == [(0, 1)]
    done(bench)


@pytest.mark.parametrize(("count", "period"), [(0, 0), (3, 0), (0, 5), (3, 5), (50, 4)])
def test_moderation(count: int, period: int) -> None:
    bench = Bench({"NUM_CQ_LOG": 1})
    bench.pace(US)
    bench.create(1, 6, cq_max_count=count, cq_period=period)
    for _ in range(3):
        bench.arm(1)
        bench.reports(1, 2)
        bench.wait(10 * (period + 2) if period else 0)
        bench.reports(1, max(count - 2, 0) if not period else 0)
        assert len(bench.take_events()) == 1
        bench.publish(1)
    bench.reports(1, 5)
    bench.wait(200)
    done(bench)


def test_moderation_changes_while_a_request_waits() -> None:
    bench = Bench()
    bench.pace(US)
    bench.create(1, 5, cq_max_count=10)
    bench.arm(1)
    bench.reports(1, 2)
    values = context.encode({"cq_max_count": 4})
    assert bench.command(MODIFY, 1, 1, values) == 0
    bench.reports(1, 2)
    assert len(bench.take_events()) == 1
    assert bench.query(1)["cq_max_count"] == 4
    bench.publish(1)
    for _ in range(2):
        bench.arm(1)
        bench.reports(1, 4)
        assert len(bench.take_events()) == 1
        bench.publish(1)
    done(bench, "HCQ-021", "HCQ-070")


def test_old_count_until_the_next_event() -> None:
    """A period that takes the place of a count is over, and the event still waits for the count."""

    class Keeps(CommandEngine):
        def modify(self, cq: EngineCq, opmod: int, fields: dict[str, int]) -> int:
            return 0

        def context_image(self, cq: EngineCq) -> bytes:
            values = context.decode(super().context_image(cq))
            return context.encode({**values, "cq_max_count": 0, "cq_period": 60})

    bench = Bench({}, Keeps)
    bench.pace(US)
    bench.create(1, 5, cq_max_count=6)
    bench.arm(1)
    bench.wait(400)
    bench.reports(1, 3)
    bench.command(MODIFY, 1, 1, context.encode({"cq_period": 60}))
    bench.wait(3000)
    bench.reports(1, 4)
    bench.query(1)
    done(bench)


@pytest.mark.parametrize("mode", ["N-1", "N"])
@pytest.mark.parametrize("known", [True, False])
def test_overflow(mode: str, known: bool) -> None:
    bench = Bench({"CAP_MODE": mode}, judged={} if known else {"CAP_MODE": "either"})
    for number in (1, 2):
        bench.create(number, 2)
        bench.arm(number)
        for _ in range(2):
            bench.reports(number, 3)
            bench.publish(number)
        bench.reports(number, 7)
        bench.arm(number)
        assert bench.query(number)["status"] == 9
        assert bench.destroy(number) == 0
    bench.take_events(3)
    bench.take_events()
    bench.create(1, 2)
    bench.reports(1, 2)
    done(bench, "HCQ-071/not_before", "HCQ-071/not_after", "HCQ-074/sent", "HCQ-073/status", "HCQ-079")


def test_consumer_counter_ahead() -> None:
    bench = Bench()
    bench.create(1, 2)
    bench.publish(1, 0x10000)
    bench.reports(1, 3)
    done(bench)


@pytest.mark.parametrize("by_command", [True, False])
def test_overrun_ignored(by_command: bool) -> None:
    bench = Bench()
    bench.create(1, 2, oi=int(not by_command))
    bench.reports(1, 2)
    if by_command:
        bench.arm(1, param=2)
        assert bench.command(MODIFY, 3, 1, context.encode({"oi": 1})) == 0
    bench.reports(1, 12)
    assert bench.query(1)["status"] == 0
    if by_command:
        assert len(bench.take_events()) == 1
    done(bench, "HCQ-081", "HCQ-082", "HCQ-080", *(["HCQ-083"] if by_command else []))


def test_collapsed() -> None:
    bench = Bench()
    bench.create(1, 3, cc=1, oi=1)
    bench.reports(1, 30)
    bench.query(1)
    bench.create(2, 3, cc=1)
    bench.arm(2)
    bench.reports(2, 5)
    assert len(bench.take_events()) == 1
    done(bench, "HCQ-085", "HCQ-086/counter", "HCQ-086/events")


def test_missing_page() -> None:
    bench = Bench()
    bench.create(1, 8, opmod=1, present=lambda page: page == 0)
    for _ in range(4):
        bench.reports(1, 30)
        bench.publish(1)
    bench.reports(1, 12)
    assert bench.query(1)["status"] == 0xA
    assert bench.take_events(3) == [(4, 1)]
    bench.destroy(1)
    done(bench, "HCQ-077/nothing", "HCQ-077/event", "HCQ-077/status", "HCQ-015")


@pytest.mark.parametrize("which", ["mtt", "cqe"])
def test_bus_errors(which: str) -> None:
    bench = Bench()
    bench.create(1, 3)
    bench.reports(1, 2)
    writes = which == "cqe"
    bench.engine.errors = lambda addr, write: 2 if write is writes and addr >= MTT_BASE else 0
    bench.report(1)
    bench.engine.run(bench.now)
    bench.engine.errors = lambda addr, write: 0
    bench.sync()
    bench.reports(1, 2)
    assert bench.query(1)["status"] == 0xA
    assert bench.take_events(3) == [(4, 1)]
    done(bench)


@pytest.mark.parametrize(("old", "new"), [(2, 4), (4, 2), (3, 5)])
@pytest.mark.parametrize("armed", [None, ANY, SOL])
@pytest.mark.parametrize("start", [0, 5, 0xFFFFFE])
def test_resize(old: int, new: int, armed: int | None, start: int) -> None:
    bench = Bench()
    cq = bench.create(1, old, start=start)
    bench.reports(1, 2)
    bench.publish(1)
    if armed:
        bench.arm(1, armed)
    bench.reports(1, 1)
    assert bench.resize(1, new) == 0
    for _ in range(6):
        bench.reports(1, 1, solicited=True)
        bench.publish(1)
    assert len(bench.take_events()) == (armed is not None)
    assert bench.query(1)["log_cq_size"] == new
    assert cq.ci == start + 10 & 0xFFFFFF
    rules = ["HCQ-088", "HCQ-089", "HCQ-090", "HCQ-092", "HCQ-093", "HCQ-095"]
    done(bench, *rules)


def test_resize_refused() -> None:
    bench = Bench()
    bench.create(1, 4)
    bench.arm(1)
    bench.reports(1, 7)
    assert bench.resize(1, 2) == 0x40
    bench.reports(1, 1)
    assert bench.resize(1, 23) == 8
    assert bench.resize(1, 5, present=lambda page: False) != 0
    assert len(bench.take_events()) == 1
    bench.query(1)
    bench.reports(1, 3)
    done(bench, "HCQ-091/refuses", "HCQ-025", "HCQ-023")


def test_refusals() -> None:
    bench = Bench({"RSVD_CQS": 1})
    legal = context.encode({"log_cq_size": 2})
    cases: list[tuple[int, int, int]] = [(opcode, 0, 8) for opcode in (SW2HW, HW2SW, QUERY, MODIFY)]
    cases += [(SW2HW, 0, 0), (HW2SW, 0, 1), (QUERY, 0, 1), (MODIFY, 1, 1), (0x19, 0, 1), (QUERY, 3, 1)]
    for opcode, opmod, number in cases:
        assert bench.command(opcode, opmod, number, legal) != 0
    bench.create(1, 2)
    bench.arm(1)
    assert bench.command(SW2HW, 0, 1, legal) == 9
    bench.reports(1, 1)
    assert len(bench.take_events()) == 1
    bench.query(1)
    done(bench, "HCQ-016/fails", "HCQ-016/kept", "HCQ-018", "HCQ-019", "HCQ-022", "HCQ-025")


def test_before_init() -> None:
    bench = Bench(set_up=False)
    assert bench.command(QUERY, 0, 1) == 4
    done(bench, "HCQ-024")


def test_routing_and_a_full_queue() -> None:
    bench = Bench(set_up=False)
    bench.bring_up(eq_log=1)
    for number in range(1, 6):
        bench.create(number, 3, c_eqn=0)
        bench.arm(number)
        bench.sync()
    for number in range(1, 6):
        bench.reports(number, 2)
    bench.wait(500)
    taken = []
    for _ in range(4):
        taken += bench.take_events()
    assert sorted(taken) == [(0, number) for number in range(1, 6)]
    assert bench.command(MODIFY, 2, 1, context.encode({"c_eqn": 2})) == 0
    bench.publish(1)
    bench.arm(1)
    bench.reports(1, 1)
    assert bench.take_events(2) == [(0, 1)]
    done(bench, "HCQ-098", "HCQ-099", "HCQ-104/overwrite", "HCQ-104/kept", "HCQ-115", "HCQ-116")


@pytest.mark.parametrize("offset", range(-60, 61, 3))
def test_event_while_its_cq_moves(offset: int) -> None:
    """The event of a CQE about the time of MODIFY_CQ goes to either EQ, the next one to the new EQ."""
    bench = Bench()
    bench.create(1)
    bench.arm(1)
    bench.sync()
    image = context.encode({"c_eqn": 2})
    if offset < 0:
        bench.report(1)
        bench.now += -offset * CLK
    bench.start_command(MODIFY, 2, 1, image)
    if offset >= 0:
        bench.now += offset * CLK
        bench.report(1)
    bench.end_command()
    assert len(bench.take_events(0) + bench.take_events(2)) == 1
    bench.arm(1)
    bench.reports(1, 1)
    assert bench.take_events(2) == [(0, 1)]
    done(bench, "HCQ-099")


def test_event_queue_that_is_none() -> None:
    bench = Bench()
    bench.create(1, 3, c_eqn=0x1FF)
    bench.create(2)
    bench.arm(1)
    bench.reports(1, 3)
    bench.arm(2)
    bench.reports(2, 1)
    assert bench.take_events() == [(0, 2)]
    done(bench, "HCQ-064")


def test_destroy_and_create_anew() -> None:
    bench = Bench()
    lives: list[dict[str, Any]] = [{}, {"c_eqn": 1}, {"cq_max_count": 9}, {}]
    for fields in lives:
        bench.create(1, 3, **fields)
        bench.arm(1, sn=1)
        bench.sync()
        bench.reports(1, 3)
        bench.take_events()
        bench.arm(1)
        assert bench.destroy(1, opmod=len(fields)) == 0
        bench.report(1)
        bench.sync()
    bench.take_events(1)
    done(bench, "HCQ-031", "HCQ-113", "HCQ-118/told", "HCQ-017/image", "HCQ-114")


@pytest.mark.parametrize("offset", range(-8, 9, 2))
def test_destroy_with_reports_in_flight(offset: int) -> None:
    bench = Bench()
    bench.create(1)
    bench.arm(1)
    bench.sync()
    if offset < 0:
        bench.report(1)
        bench.now += -offset * CLK
    bench.start_command(HW2SW, 0, 1)
    if offset >= 0:
        bench.now += offset * CLK
        bench.report(1)
    bench.end_command()
    bench.take_events()
    done(bench)


def reset_bench(bench: Bench, keep: bool = False) -> None:
    """Reset the DUT and bring it up again; ``keep``: it wrongly remembers its CQs."""
    bench.sync()
    engine = bench.engine
    bench.events.append(Reset(bench.now, True))
    bench.events.append(Reset(bench.now + 20 * CLK, False))
    bench.now += 21 * CLK
    bench.registers.reset()
    engine.restart(keep)
    bench.tags = 0
    bench.eq_ci = [0] * 4
    bench.bring_up()


def test_reset_at_any_time() -> None:
    bench = Bench()
    bench.create(1)
    bench.reports(1, 2)
    reset_bench(bench)
    assert bench.command(QUERY, 0, 1) == 9
    bench.create(1)
    bench.reports(1, 2)
    done(bench, "HCQ-110/state", "HCQ-110/outputs")


@pytest.mark.parametrize("seed", range(12))
def test_random(seed: int) -> None:
    """Many CQs, all of it mixed, one CQ in each corner of the parameters."""
    bench = Bench({"STRIDE": (32, 64, 128, 256)[seed % 4]}, judged={} if seed % 2 else OPEN)
    bench.rng.seed(seed)
    rng = bench.rng
    bench.pace(US)
    for number in range(6):
        fields: dict[str, Any] = {"c_eqn": rng.randrange(3), "cc": int(number == 5), "oi": int(number == 4)}
        if number == 3:
            fields |= {"cq_max_count": rng.randrange(4), "cq_period": rng.randrange(6)}
        start = rng.choice((0, 0xFFFFF0))
        bench.create(number, rng.randrange(2, 6), start=start, **fields)
    for _ in range(250):
        number = rng.randrange(6)
        match rng.randrange(9):
            case 0 | 1 | 2:
                bench.report(number, rng.random() < 0.3, rng.random() < 0.2)
            case 3 | 4:
                bench.sync()
                if number in bench.engine.cqs:
                    bench.publish(number)
            case 5 | 6:
                bench.sync()
                if number in bench.engine.cqs:
                    bench.arm(number, rng.choice((ANY, SOL)))
            case 7:
                for eqn in range(4):
                    bench.take_events(eqn)
            case _:
                bench.query(number)
    done(bench)


OPEN: dict[str, Any] = {
    name: "either"
    for name in ("CAP_MODE", "ARM_RULE", "SN_MODE", "ARMN_PASSED", "SOL_BREAKS_MOD", "RSZ_EVENT", "CC_CAP")
}
