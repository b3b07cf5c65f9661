"""Trace mutants of READ: a golden log with one deviation in a READ is found by the rule that owns it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from ref_model.events import Event, FrameIn, FrameOut, MemRead, MemWrite
from ref_model.link import LinkFaults
from ref_model.wire import Frame, parse
from tb.bench._soft_ernic import READ_VERBS, Pair
from tests.unit.model.trace import Damage, Trace, drop, edit, frame, info, judge, out, payload, wrote
from tests.unit.model.trace_damage import cut, flip, invert, moved, put, spoil, twice


@cache
def reads(lossy: bool = False) -> tuple[Event, ...]:
    """Events of one side of an exchange with READs both ways, all legal."""
    faults = LinkFaults(drop=0.05, duplicate=0.02) if lossy else LinkFaults()
    pair = Pair(5, faults, 256, 4, (1, 1500), verbs=READ_VERBS)
    pair.run(50)
    log = pair.sides[0].log
    assert log is not None
    return tuple(log)


REQUEST = out("read_req")
FIRST, MIDDLE, LAST = (
    out("read_resp", first=True, last=False),
    out("read_resp", first=False, last=False),
    out("read_resp", first=False, last=True),
)
RESPONSE = out("read_resp")
DATA = wrote("rx_pkt_hndler_rdrsp", 0, 1 << 64)
CQ = wrote("resp_hndler", 0x2010_0000, 0x2010_1000)


def fetch(event: Event) -> bool:
    """Select reads of payload."""
    return isinstance(event, MemRead) and event.port == "wqe_proc_top"


def farther(event: Event) -> Event:
    """Read a beat more."""
    assert isinstance(event, MemRead)
    return replace(event, data=event.data + bytes(64))


def other_port(event: Event) -> Event:
    """Write by another master."""
    assert isinstance(event, MemWrite)
    return replace(event, port="rx_pkt_hndler_ddr")


def longer(target: Frame) -> None:
    """Four bytes more in front, as an AETH would be."""
    target.payload = bytes(4) + target.payload


def swapped(events: Trace) -> Iterator[Event]:
    """Exchange the fourth middle response with the frame that follows it."""
    held: Event | None = None
    count = 0
    for event in events:
        if held is None and MIDDLE(event):
            count += 1
            if count == 4:
                held = event
                continue
        if held is not None and count == 4 and isinstance(event, FrameOut):
            yield replace(event, begin=held.begin, settled=held.begin + 1)
            yield replace(held, begin=event.begin, settled=event.begin + 1)  # type: ignore[arg-type]
            count = 5
            continue
        yield event


def read_completion(event: Event) -> bool:
    """Select CQEs of READs."""
    return CQ(event) and isinstance(event, MemWrite) and event.data[-2:] == b"\x04\0"


def hasty(events: Trace) -> Iterator[Event]:
    """Show the completion of the fourth READ of several responses before its last data is written."""
    log = list(events)
    done = [number for number, event in enumerate(log) if read_completion(event)][3]
    data = max(number for number in range(done) if DATA(log[number]))
    log.insert(data, replace(log.pop(done), begin=log[data].begin - 1, settled=log[data].begin))  # type: ignore[arg-type]
    yield from log


def untimely(events: Trace) -> Iterator[Event]:
    """Show the completion of a READ before its last response has come."""
    log = list(events)
    done = [number for number, event in enumerate(log) if read_completion(event)][3]
    answer = max(
        number
        for number in range(done)
        if isinstance(log[number], FrameIn)
        and (traits := info(log[number])) is not None
        and traits.kind == "read_resp"
    )
    log.insert(answer, replace(log.pop(done), begin=log[answer].begin - 1, settled=log[answer].begin))  # type: ignore[arg-type]
    yield from log


MUTANTS: dict[str, tuple[Damage, set[str]]] = {
    "RETH address": (edit(REQUEST, flip("reth.va", 1 << 40)), {"ERN-051"}),
    "RETH key": (edit(REQUEST, flip("reth.rkey", 1 << 20)), {"ERN-051"}),
    "RETH length": (edit(REQUEST, flip("reth.length", 1)), {"ERN-051"}),
    "request PSN": (edit(REQUEST, flip("bth.psn", 1 << 8)), {"ERN-062", "ERN-063", "ERN-081"}),
    "response opcode": (edit(MIDDLE, put("bth.opcode", 0x0F)), {"ERN-135"}),
    "response PSN": (edit(MIDDLE, flip("bth.psn", 1 << 10)), {"ERN-135"}),
    "response missing": (edit(MIDDLE, drop), {"ERN-135", "ERN-138"}),
    "response twice": (twice(RESPONSE), {"ERN-135", "ERN-138"}),
    "responses swapped": (swapped, {"ERN-135", "ERN-138", "ERN-126"}),
    "response data": (edit(MIDDLE, frame(spoil)), {"ERN-136"}),
    "response short": (edit(LAST, frame(cut)), {"ERN-135", "ERN-137"}),
    "AETH in a middle response": (edit(MIDDLE, frame(longer)), {"ERN-137"}),
    "response syndrome": (edit(FIRST, put("aeth.syndrome", 0x60)), {"ERN-124/kind"}),
    "response MSN": (edit(FIRST, flip("aeth.msn", 1 << 12)), {"ERN-123"}),
    "response address": (edit(FIRST, flip("ip.dst")), {"ERN-125"}),
    "response ICRC": (edit(LAST, put("icrc", 1, fresh=False)), {"ERN-053"}),
    "data written wrong": (edit(DATA, payload(invert)), {"ERN-093"}),
    "data not written": (edit(DATA, drop), {"ERN-093", "ERN-072/order"}),
    "data elsewhere": (edit(DATA, moved(1 << 20)), {"ERN-093"}),
    "data twice": (twice(DATA), {"ERN-093", "ERN-215", "ERN-244/once"}),
    "data by the wrong master": (edit(DATA, other_port), {"ERN-216"}),
    "read beyond the range": (edit(fetch, farther), {"ERN-136"}),
    "completion before the data": (hasty, {"ERN-072/order"}),
    "completion before the response": (untimely, {"ERN-072/arrival", "ERN-095"}),
}  # fmt: skip


@pytest.mark.parametrize("lossy", [False, True])
def test_golden_is_clean(lossy: bool) -> None:
    assert judge(list(reads(lossy))) == []


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant(name: str) -> None:
    damage, rules = MUTANTS[name]
    findings = judge(damage(list(reads())))
    assert findings, "survived"
    assert findings[0].rule in rules, [f"{f.rule} {f.why}: {f.expected} / {f.observed}" for f in findings[:3]]


def test_asked_again_wrongly() -> None:
    """A READ asked again for its rest must name the rest."""
    starts: set[int] = set()

    def again(event: Event) -> bool:
        if not (isinstance(event, FrameOut) and REQUEST(event)):
            return False
        bth, reth = parse(event.data).bth, parse(event.data).reth
        assert bth is not None and reth is not None
        known = bth.psn in starts
        starts.update(bth.psn + step & 0xFFFFFF for step in range(-(-reth.length // 256)))
        return known

    log = list(reads(True))
    assert sum(map(again, log))
    starts.clear()
    moved_on = flip("reth.va", 1 << 12)
    findings = judge(moved_on(event) if again(event) else event for event in log)
    assert findings and findings[0].rule in ("ERN-094", "ERN-082")
