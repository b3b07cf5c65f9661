"""Time held up: sums, the moment an output may have been ready, deadlines that move."""

from __future__ import annotations

from ref_model.deadlines import Deadlines
from ref_model.held_up import SPANS, HeldUp
from ref_model.rules import Rules, specification


def test_overlapping_spans_count_once() -> None:
    clock = HeldUp()
    clock.begin("a", 100)
    clock.add(150, 300)
    clock.add(400, 400)
    clock.end("a", 200)
    clock.end("never begun", 900)
    assert [clock.total(now) for now in (100, 120, 250, 1000)] == [0, 20, 150, 200]
    assert clock.between(120, 250) == 130 and clock.between(250, 120) == 0


def test_span_that_joins_others() -> None:
    """Spans are told in any order; one may lie over several that are known, and before others."""
    clock = HeldUp()
    for begin in (100, 200, 300, 400):
        clock.add(begin, begin + 10)
    clock.add(150, 305)
    assert [clock.total(now) for now in (120, 160, 306, 1000)] == [10, 20, 166, 180]
    clock.begin("open", 405)
    assert clock.total(500) == 270 and clock.free(500) == 230


def test_open_span_and_forgotten_ones() -> None:
    clock = HeldUp()
    for number in range(SPANS + 10):
        clock.add(10 * number, 10 * number + 5)
    clock.begin("open", 100_000)
    clock.begin("open", 200_000)
    assert clock.total(100_100) == 5 * (SPANS + 10) + 100


def test_ready_since_goes_back_over_spans_that_follow_closely() -> None:
    clock = HeldUp()
    assert clock.ready_since(77, 10) == 77
    clock.add(100, 200)
    clock.add(205, 300)
    assert clock.ready_since(308, 10) == 100
    assert clock.ready_since(311, 10) == 311
    assert clock.ready_since(250, 0) == 205
    clock.clear()
    assert clock.ready_since(308, 10) == 308


def deadlines(clock: HeldUp) -> tuple[Rules, Deadlines]:
    """Rules and deadlines that move by ``clock``."""
    spec = specification("ernic")
    rules = Rules(spec, spec.knobs({}))
    return rules, Deadlines(rules, clock.total)


def test_deadline_moves_by_what_was_held_up_since() -> None:
    clock = HeldUp()
    clock.add(0, 50)
    rules, must = deadlines(clock)
    rules.now = 100
    must.must("ERN-069", "a packet", "work", rules.dut, 1000)
    strict = must.must("ERN-204", "a packet", "work", rules.dut, 1100, excusable=False)
    clock.begin("pause", 200)
    must.advance(1050)
    assert not rules.findings
    clock.end("pause", 1060)
    must.advance(1500)
    assert [entry.rule for entry in rules.findings] == ["ERN-204"] and not strict.open
    must.advance(1859)
    assert len(rules.findings) == 1
    must.advance(2000)
    assert rules.findings[1].rule == "ERN-069" and rules.findings[1].time_ps == 1860


def test_deadline_set_anew_counts() -> None:
    rules, must = deadlines(HeldUp())
    duty = must.must("ERN-077", "a doorbell", "work", rules.dut, 100)
    duty.deadline = 300
    must.advance(250)
    assert not rules.findings
    must.advance(301)
    assert len(rules.findings) == 1
