"""Each seeded fault of the software engine is found, first of all by the rule it breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ref_model.hermon_cq.endpoint import CommandEngine
from tests.unit.hermon_cq import faulty_engines as faulty
from tests.unit.hermon_cq import scenarios
from tests.unit.hermon_cq.bench import Bench


@dataclass(frozen=True)
class Fault:
    """An engine with a fault, what shows it, and the rule it breaks."""

    engine: type[CommandEngine]
    scenario: Callable[[Bench], None]
    rule: str
    knobs: tuple[tuple[str, Any], ...] = ()


FAULTS = {
    "owner": Fault(faulty.Owner, scenarios.laps, "HCQ-033"),
    "slot": Fault(faulty.Slot, scenarios.laps, "HCQ-026"),
    "half": Fault(faulty.Half, scenarios.laps, "HCQ-029", (("STRIDE", 64),)),
    "page_offset": Fault(faulty.PageOffset, scenarios.pages, "HCQ-026"),
    "first_page": Fault(faulty.FirstPage, scenarios.pages, "HCQ-030"),
    "entry": Fault(faulty.Entry, scenarios.laps, "HCQ-027"),
    "page": Fault(faulty.Page, scenarios.laps, "HCQ-028"),
    "body": Fault(faulty.Body, scenarios.laps, "HCQ-032"),
    "opcode": Fault(faulty.Opcode, scenarios.errors, "HCQ-035/opcode"),
    "in_pieces": Fault(faulty.InPieces, scenarios.laps, "HCQ-034"),
    "twice": Fault(faulty.Twice, scenarios.laps, "HCQ-036"),
    "dropped": Fault(faulty.Dropped, scenarios.laps, "HCQ-036"),
    "counter": Fault(faulty.Counter, scenarios.laps, "HCQ-037"),
    "little": Fault(faulty.Little, scenarios.laps, "HCQ-001"),
    "wrapped": Fault(faulty.Wrapped, scenarios.wrap, "HCQ-038"),
    "silent_any": Fault(faulty.Silent, scenarios.once, "HCQ-045/fires"),
    "silent_present": Fault(faulty.Silent, scenarios.present, "HCQ-046"),
    "only_new": Fault(faulty.OnlyNew, scenarios.present, "HCQ-046"),
    "silent_solicited": Fault(faulty.Silent, scenarios.solicited, "HCQ-047/fires"),
    "any_cqe": Fault(faulty.AnyCqe, scenarios.solicited, "HCQ-047/plain"),
    "any_cqe_present": Fault(faulty.AnyCqe, scenarios.solicited_present, "HCQ-048/plain"),
    "error_is_plain": Fault(faulty.ErrorIsPlain, scenarios.by_error, "HCQ-047/fires"),
    "too_early": Fault(faulty.TooEarly, scenarios.rounds, "HCQ-045/waits"),
    "too_early_n": Fault(faulty.TooEarly, scenarios.arm_n, "HCQ-049/waits"),
    "silent_n": Fault(faulty.Silent, scenarios.arm_n, "HCQ-049/fires"),
    "again": Fault(faulty.Again, scenarios.once, "HCQ-060"),
    "no_gate": Fault(faulty.NoGate, scenarios.stale, "HCQ-054"),
    "any_command": Fault(faulty.AnyCommand, scenarios.bad_command, "HCQ-050"),
    "any_page": Fault(faulty.AnyPage, scenarios.bad_page, "HCQ-056"),
    "keeps_type": Fault(faulty.KeepsType, scenarios.upgraded, "HCQ-051"),
    "sticky_number": Fault(faulty.StickyNumber, scenarios.rounds, "HCQ-053"),
    "silent_halves": Fault(faulty.Silent, scenarios.in_halves, "HCQ-055"),
    "counts_less": Fault(faulty.CountsLess, scenarios.counted, "HCQ-066/early"),
    "never_opens": Fault(faulty.NeverOpens, scenarios.counted, "HCQ-066/fires"),
    "never_opens_timed": Fault(faulty.NeverOpens, scenarios.timed, "HCQ-067"),
    "half_time": Fault(faulty.HalfTime, scenarios.timed, "HCQ-068"),
    "counter_fires": Fault(faulty.CounterFires, scenarios.counted, "HCQ-069"),
    "small": Fault(faulty.Small, scenarios.overflow, "HCQ-071/not_before"),
    "endless": Fault(faulty.Endless, scenarios.overflow, "HCQ-071/not_after"),
    "no_error_event": Fault(faulty.NoErrorEvent, scenarios.overflow, "HCQ-074/sent"),
    "error_twice": Fault(faulty.ErrorTwice, scenarios.overflow, "HCQ-074/once"),
    "status_lost": Fault(faulty.StatusLost, scenarios.overflow, "HCQ-008"),
    "recovers": Fault(faulty.Recovers, scenarios.after_overflow, "HCQ-075"),
    "old_index": Fault(faulty.OldIndex, scenarios.published, "HCQ-043"),
    "byte_order": Fault(faulty.ByteOrder, scenarios.published, "HCQ-042"),
    "checks": Fault(faulty.Checks, scenarios.ignoring, "HCQ-080"),
    "spreads": Fault(faulty.Spreads, scenarios.collapsed, "HCQ-085"),
    "writes_anyway": Fault(faulty.WritesAnyway, scenarios.absent, "HCQ-077/nothing"),
    "no_resize_cqe": Fault(faulty.NoResizeCqe, scenarios.resized, "HCQ-088"),
    "old_ring": Fault(faulty.OldRing, scenarios.resized, "HCQ-089"),
    "resize_forgets": Fault(faulty.ResizeForgets, scenarios.resized_while_armed, "HCQ-093"),
    "constant_fill": Fault(faulty.ConstantFill, scenarios.filled, "HCQ-014"),
    "constant_fill_resize": Fault(faulty.ConstantFill, scenarios.resized, "HCQ-014"),
    "fits": Fault(faulty.Fits, scenarios.too_small, "HCQ-091/refuses"),
    "wrong_queue": Fault(faulty.WrongQueue, scenarios.routed, "HCQ-098"),
    "old_queue": Fault(faulty.OldQueue, scenarios.routed, "HCQ-099"),
    "error_to_cq": Fault(faulty.ErrorToCq, scenarios.overflow, "HCQ-100"),
    "overwrites": Fault(faulty.Overwrites, scenarios.full, "HCQ-104/overwrite"),
    "forgets": Fault(faulty.Forgets, scenarios.full, "HCQ-104/kept"),
    "eq_owner": Fault(faulty.EqOwner, scenarios.rounds, "HCQ-101/owner"),
    "eq_pieces": Fault(faulty.EqPieces, scenarios.rounds, "HCQ-101/last"),
    "eq_place": Fault(faulty.EqPlace, scenarios.rounds, "HCQ-101/place"),
    "early_line": Fault(faulty.EarlyLine, scenarios.rounds, "HCQ-102/order"),
    "always_raises": Fault(faulty.AlwaysRaises, scenarios.unread_at_arm, "HCQ-102/unarmed"),
    "no_line": Fault(faulty.NoLine, scenarios.rounds, "HCQ-102/raised"),
    "no_second_line": Fault(faulty.NoSecondLine, scenarios.unread_at_arm, "HCQ-103/again"),
    "event_first": Fault(faulty.EventFirst, scenarios.rounds, "HCQ-105"),
    "wrong_number": Fault(faulty.WrongNumber, scenarios.rounds, "HCQ-059"),
    "wrong_syndrome": Fault(faulty.WrongSyndrome, scenarios.overflow, "HCQ-074/sent"),
    "keeps_writing": Fault(faulty.KeepsWriting, scenarios.destroyed, "HCQ-111"),
    "late_event": Fault(faulty.LateEvent, scenarios.destroyed, "HCQ-112"),
    "keeps_arm": Fault(faulty.KeepsArm, scenarios.anew, "HCQ-114"),
    "accepts": Fault(faulty.Accepts, scenarios.refused, "HCQ-016/fails"),
    "accepts_index": Fault(faulty.AcceptsIndex, scenarios.refused, "HCQ-019"),
    "accepts_opcode": Fault(faulty.AcceptsOpcode, scenarios.refused, "HCQ-022"),
    "query_disarms": Fault(faulty.QueryDisarms, scenarios.queried, "HCQ-020"),
    "reorders": Fault(faulty.Reorders, scenarios.laps, "HCQ-124/order"),
    "early_result": Fault(faulty.EarlyResult, scenarios.laps, "HCQ-124/after"),
    "fill": Fault(faulty.Fill, scenarios.filled, "HCQ-014"),
    "stray": Fault(faulty.Stray, scenarios.laps, "HCQ-106/writes"),
    "stray_read": Fault(faulty.StrayRead, scenarios.laps, "HCQ-106/reads"),
    "record": Fault(faulty.Record, scenarios.published, "HCQ-006"),
    "slow": Fault(faulty.Slow, scenarios.rounds, "HCQ-062"),
    "drops": Fault(faulty.Drops, scenarios.laps, "HCQ-124/order"),
    "pairs": Fault(faulty.Pairs, scenarios.laps, "HCQ-001"),
    "narrow": Fault(faulty.Narrow, scenarios.far_counters, "HCQ-009"),
    "narrow_solicited": Fault(faulty.NarrowSolicited, scenarios.far_counters, "HCQ-009"),
    "refusal_disarms": Fault(faulty.RefusalDisarms, scenarios.refused_while_armed, "HCQ-016/kept"),
    "query_disarms_shown": Fault(faulty.QueryDisarms, scenarios.queried_twice, "HCQ-020"),
    "rounded_up": Fault(faulty.RoundedUp, scenarios.low_record_bits, "HCQ-006"),
    "line": Fault(faulty.Line, scenarios.published, "HCQ-041"),
    "reserved_collapses": Fault(faulty.ReservedCollapses, scenarios.reserved_bits, "HCQ-011"),
    "far_entry": Fault(faulty.FarEntry, scenarios.filled, "HCQ-027"),
    "offset_forgotten": Fault(faulty.OffsetForgotten, scenarios.offset_pages, "HCQ-030"),
    "holes": Fault(faulty.Holes, scenarios.laps, "HCQ-032"),
    "old_entry": Fault(faulty.OldEntry, scenarios.other_pages, "HCQ-031"),
    "accepts_query": Fault(faulty.AcceptsQuery, scenarios.unknown_query, "HCQ-022"),
    "any_cqe_just_before": Fault(faulty.AnyCqe, scenarios.just_before, "HCQ-047/plain"),
    "two_rules": Fault(faulty.TwoRules, scenarios.covered, "HCQ-063"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str) -> None:
    fault = FAULTS[name]
    bench = Bench(dict(fault.knobs), fault.engine)
    fault.scenario(bench)
    bench.quiet()
    bench.model.finish()
    findings = bench.model.rules.findings
    assert findings, "nothing was found"
    first = findings[0]
    assert first.rule == fault.rule, f"{first.rule}: {first.expected} / {first.observed} / {first.why}"


@pytest.mark.parametrize("name", FAULTS)
def test_scenario_is_legal(name: str) -> None:
    """The same scenario with the engine as it is: no finding."""
    fault = FAULTS[name]
    bench = Bench(dict(fault.knobs))
    fault.scenario(bench)
    assert bench.finish() == []
