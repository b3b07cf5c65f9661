"""Side bands: a golden exchange in handshake mode is clean, each deviation is found by its own rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from ref_model.ernic import ErnicModel
from ref_model.events import Event, MemWrite, RegRead, RegWrite, SideBand
from ref_model.registers import layout
from ref_model.rules import Finding
from tb.bench._soft_ernic import OWN
from tests.unit.model.trace import LIVENESS, Trace, golden, wrote

QP_BLOCK = layout("ernic").block("QP")
GLOBAL = layout("ernic").block("GLOBAL")
SLOT = 1
QPCONF, SQPI, RQCI = (QP_BLOCK.address(name, SLOT) for name in ("QPCONF", "SQPI", "RQCI"))
CQ_BELL = wrote("resp_hndler", 0x2030_0000, 0x2030_0040)
RQ_BELL = wrote("rx_pkt_hndler_ddr", 0x2030_0040, 0x2030_0080)
CQ_LOW, RQ_LOW = 0x0000, 0x0040
DEPTH = 32

Fields = Callable[[tuple[int, int]], tuple[int, int] | None]
"""Change of a pulse; None drops it."""


def word(event: MemWrite) -> int:
    """The value of a doorbell word."""
    return int.from_bytes(event.data[-4:], "little")


def handshake(
    memory: bool = True,
    value: str = "index",
    cq: Fields = lambda values: values,
    rq: Fields = lambda values: values,
    base: int = 0,
) -> Iterator[Event]:
    """The golden exchange with its doorbells on the side bands, all of them changed by ``cq`` and ``rq``.

    ``memory``: the doorbell words are written, too; ``value``: meaning of the RQ value; ``base`` is added to
    inbound addresses.
    """
    for event in golden():
        if isinstance(event, RegWrite) and event.addr == QPCONF:
            yield replace(event, data=event.data & ~0x10)
        elif isinstance(event, RegWrite) and event.addr in (SQPI, RQCI) and event.data:
            port = "sq_pidb" if event.addr == SQPI else "rq_cidb"
            yield SideBand(event.begin, event.settled, port, (event.addr + base, event.data))
        elif isinstance(event, MemWrite) and (CQ_BELL(event) or RQ_BELL(event)):
            if memory:
                yield event
            if CQ_BELL(event):
                port, values = "send_cq_db", cq((CQ_LOW, 1))
            else:
                port, values = "rq_db", rq((RQ_LOW, 1 if value == "delta" else word(event)))
            if values is not None:
                yield SideBand(event.settled + 1, event.settled + 2, port, values)
        else:
            yield event


def judge(events: Iterator[Event] | Trace, **knobs: object) -> tuple[ErnicModel, list[Finding]]:
    """Feed a fresh model; returns it and what it found."""
    model = ErnicModel({**OWN, **LIVENESS, "RQ_SB_VALUE": "index", "DB_MEM_IN_HNDSHK": "written", **knobs})
    for event in events:
        model.observe(event)
    model.finish()
    return model, model.rules.findings


@pytest.mark.parametrize("base", [0, 0x4400_0000])
@pytest.mark.parametrize("memory", ["written", "silent", "any"])
@pytest.mark.parametrize("value", ["index", "delta", "any"])
@pytest.mark.parametrize("width", [13, 10])
def test_golden_is_clean(base: int, memory: str, value: str, width: int) -> None:
    log = handshake(memory != "silent", value, base=base)
    model, found = judge(log, DB_MEM_IN_HNDSHK=memory, RQ_SB_VALUE=value, SB_ADDR_W=width)
    assert not found
    evidence = model.rules.evidence
    for rule in ("ERN-224", "ERN-226/count", "ERN-226/addr", "ERN-228/pulse"):
        assert evidence[rule], rule
    assert bool(evidence["ERN-228/value"]) == (value != "any")
    assert bool(evidence["ERN-078"]) == (memory != "any")


def nth(number: int, change: Fields) -> Fields:
    """Apply ``change`` to pulse ``number`` only."""
    count = 0

    def apply(values: tuple[int, int]) -> tuple[int, int] | None:
        nonlocal count
        count += 1
        return change(values) if count == number else values

    return apply


def gathered(every: int) -> Fields:
    """Offer completions in groups; 40 pulses are a multiple of ``every``."""
    count = 0

    def apply(values: tuple[int, int]) -> tuple[int, int] | None:
        nonlocal count
        count += 1
        return None if count % every else (values[0], every)

    return apply


def test_grouping_is_free() -> None:
    assert not judge(handshake(cq=gathered(4)))[1]
    seen = 0

    def some(values: tuple[int, int]) -> tuple[int, int] | None:
        nonlocal seen
        seen += 1
        return None if seen % 2 and seen < 20 else values

    assert not judge(handshake(rq=some))[1]


MUTANTS: dict[str, tuple[dict[str, Any], str]] = {
    "count too high": ({"cq": nth(5, lambda values: (values[0], 2))}, "ERN-226/count"),
    "count of 0": ({"cq": nth(5, lambda values: (values[0], 0))}, "ERN-226/count"),
    "last count missing": ({"cq": lambda values: None}, "ERN-226/count"),
    "foreign address": ({"cq": nth(5, lambda values: (values[0] | 0x1000, 1))}, "ERN-226/addr"),
    "index behind": ({"rq": nth(5, lambda values: (values[0], values[1] - 1))}, "ERN-228/value"),
    "index ahead": ({"rq": nth(5, lambda values: (values[0], values[1] + 1))}, "ERN-228/value"),
    "index beyond 16 bits": ({"rq": nth(5, lambda values: (values[0], values[1] | 65536))}, "ERN-228/value"),
    "announcements missing": ({"rq": lambda values: None}, "ERN-228/pulse"),
    "unknown announcement": ({"rq": nth(5, lambda values: (0x777, values[1]))}, "ERN-228/pulse"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant(name: str) -> None:
    changes, rule = MUTANTS[name]
    found = judge(handshake(**changes))[1]
    assert found and found[0].rule == rule, [f"{f.rule} {f.why}" for f in found[:3]]


def twice(events: Iterator[Event], port: str) -> Iterator[Event]:
    """Repeat the fifth pulse of ``port``."""
    count = 0
    for event in events:
        yield event
        if isinstance(event, SideBand) and event.port == port:
            count += 1
            if count == 5:
                yield replace(event, begin=event.begin + 1, settled=event.settled + 1)


@pytest.mark.parametrize(("port", "rule"), [("send_cq_db", "ERN-226/count"), ("rq_db", "ERN-228/pulse")])
def test_pulse_repeated(port: str, rule: str) -> None:
    found = judge(twice(handshake(), port))[1]
    assert found and found[0].rule == rule


def test_pulses_of_a_queue_pair_in_memory_mode() -> None:
    events = [event for event in golden()]
    end = events[-1].begin
    for port, low in (("send_cq_db", CQ_LOW), ("rq_db", RQ_LOW)):
        found = judge([*events, SideBand(end + 1, end + 2, port, (low, 1))])[1]
        assert [entry.rule for entry in found] == ["ERN-246"]


def test_memory_doorbells_follow_the_parameter() -> None:
    assert judge(handshake(memory=False))[1][0].rule == "ERN-078"
    assert judge(handshake(), DB_MEM_IN_HNDSHK="silent")[1][0].rule == "ERN-078"


def test_index_of_a_side_band_write_reads_back() -> None:
    events = list(handshake())
    end, last = (
        events[-1].begin,
        next(e for e in reversed(events) if isinstance(e, SideBand) and e.port == "sq_pidb"),
    )
    for offset, rules in ((0, []), (1, ["ERN-224"])):
        read = RegRead(end + 8000, end + 12000, SQPI, last.values[1] + offset)
        assert [entry.rule for entry in judge([*events, read])[1]] == rules


def test_wqes_sent_without_a_doorbell() -> None:
    """A DUT that takes more than the side band wrote."""
    found: list[Finding] = []
    events = list(handshake())
    third = [event for event in events if isinstance(event, SideBand) and event.port == "sq_pidb"][2]
    found = judge([event for event in events if event is not third])[1]
    assert found and found[0].rule == "ERN-224"


def test_stalled_pulse_holds_nothing_against_the_dut() -> None:
    """A pulse that waits for longer than LIVENESS_CLKS excuses what the DUT owes meanwhile."""
    events = list(handshake())
    number = next(
        n for n, event in enumerate(events) if isinstance(event, SideBand) and event.port == "rq_db"
    )
    pulse = events[number]
    assert isinstance(pulse, SideBand)
    stall = 50_000_000
    later = [shifted(event, stall) for event in events[number + 1 :]]
    model, found = judge([*events[:number], replace(pulse, settled=pulse.settled + stall), *later])
    assert not found and model.rules.evidence["ERN-227"]
    assert judge([*events[:number], pulse, *later])[1], "without the stall all that was owed is late"


def shifted(event: Event, by: int) -> Event:
    """The event ``by`` ps later."""
    times: dict[str, Any] = {
        name: getattr(event, name) + by for name in ("begin", "settled") if hasattr(event, name)
    }
    return replace(event, **times)


def connect_io(*reads: tuple[int, int]) -> list[str]:
    """Rules found when CON_IO_CONF is written and then read: (ps after the write, value)."""
    address = GLOBAL.address("CON_IO_CONF")
    events = list(golden())
    end = events[-1].begin + 8000
    events.append(RegWrite(end, end + 4000, address, 2 << 16))
    events += [RegRead(end + after, end + after + 4000, address, value) for after, value in reads]
    return [entry.rule for entry in judge(events)[1]]


def test_connect_io_gets_ready_in_time() -> None:
    ready = 1 << 31
    assert not connect_io((8000, 0), (1_000_000, 0), (10_000_000, ready))
    assert connect_io((8000, 0), (30_000_000, 0)) == ["ERN-230"]
