"""Golden event logs of a software ERNIC, and ways to damage them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

from ref_model.ernic import ErnicModel
from ref_model.events import Event, FrameIn, FrameOut, MemWrite
from ref_model.link import LinkFaults
from ref_model.rules import Finding
from ref_model.wire import Frame, build, opcodes, parse, recompute
from tb.bench._soft_ernic import OWN, Pair

#: Short enough that a missing output becomes overdue within the log.
LIVENESS = {"LIVENESS_CLKS": 5_000}

Trace = list[Event]
Damage = Callable[[Trace], Iterator[Event]]
Select = Callable[[Event], bool]
Change = Callable[[Event], Event | None]


@cache
def golden(seed: int = 1, ip_version: int = 4, lossy: bool = False) -> tuple[Event, ...]:
    """Return the events of one side of a traffic exchange, all legal."""
    faults = LinkFaults(drop=0.03, duplicate=0.03) if lossy else LinkFaults()
    pair = Pair(seed, faults, 1024, ip_version, (1, 3000))
    side = pair.sides[0]
    log: list[Event] = []
    observe = side.model.observe

    def record(event: Event) -> None:
        log.append(event)
        observe(event)

    side.model.observe = record  # type: ignore[method-assign]
    side.bring_up()
    pair.run(40)
    return tuple(log)


def judge(events: Iterable[Event | None]) -> list[Finding]:
    """Feed ``events`` to a fresh model and return what it found, end-of-test checks included."""
    model = ErnicModel({**OWN, **LIVENESS})
    for event in events:
        assert event is not None
        model.observe(event)
    model.finish()
    return model.rules.findings


def info(event: Event) -> opcodes.OpInfo | None:
    """Return the opcode traits of a frame event, None for anything else."""
    if not isinstance(event, FrameIn | FrameOut):
        return None
    bth = parse(event.data).bth
    return None if bth is None else opcodes.INFO.get(bth.opcode)


def out(kind: str, *, first: bool | None = None, last: bool | None = None) -> Select:
    """Select frames the DUT sent by kind and position."""

    def matches(event: Event) -> bool:
        traits = info(event) if isinstance(event, FrameOut) else None
        return (
            traits is not None
            and traits.kind == kind
            and first in (None, traits.first)
            and last in (None, traits.last)
        )

    return matches


def wrote(port: str, low: int, high: int) -> Select:
    """Select memory writes of ``port`` into low .. high."""
    return lambda event: isinstance(event, MemWrite) and event.port == port and low <= event.addr < high


def edit(select: Select, change: Change, nth: int = 5) -> Damage:
    """Change (or drop, with None) the ``nth`` selected event; -1: the last one."""

    def damage(events: Trace) -> Iterator[Event]:
        total = sum(map(select, events))
        wanted = nth if nth > 0 else total + 1 + nth
        assert 0 < wanted <= total, "the log has too few such events"
        count = 0
        for event in events:
            if select(event):
                count += 1
                if count == wanted:
                    changed = change(event)
                    if changed is not None:
                        yield changed
                    continue
            yield event

    return damage


def drop(_: Event) -> None:
    """Remove the event."""


def frame(change: Callable[[Frame], None], fresh: bool = True) -> Change:
    """Edit the frame of an event; ``fresh``: with new lengths, checksums and ICRC."""

    def apply(event: Event) -> Event:
        assert isinstance(event, FrameIn | FrameOut)
        parsed = parse(event.data)
        edited = recompute(parsed) if fresh else parsed
        change(edited)
        return replace(event, data=build(edited))

    return apply


def payload(change: Callable[[bytearray], None]) -> Change:
    """Edit the strobed bytes of a memory write."""

    def apply(event: Event) -> Event:
        assert isinstance(event, MemWrite)
        data = bytearray(event.data)
        change(data)
        return replace(event, data=bytes(data))

    return apply
