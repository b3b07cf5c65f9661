"""Golden logs of one side of an exchange, and ways to damage them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

from ref_model.events import Event, FrameOut
from ref_model.link import LinkFaults
from ref_model.rclink import RclinkModel, ports
from ref_model.rules import Finding
from ref_model.wire.rclink import Format, Frame, Kind, Opcode, build, parse
from tests.unit.rclink.pair import CLK, KNOBS, US, Pair, Setup

Change = Callable[[Frame], Frame | None]


@cache
def golden(form: Format = Format.STANDARD, vlan: bool = False) -> tuple[Event, ...]:
    """Return the events of side 0 of an exchange of TYPE1 and TYPE2 packets, all legal."""
    fields = {("TRAFFIC_CLASS", f"type1_req_tc_bank{bank}"): tc for bank, tc in enumerate((7, 11, 15, 19))}
    setup = Setup(form, vlan=vlan, fields=fields, timeout_us=100)
    pair = Pair(setup, LinkFaults(delay_ps=500_000), seed=3)
    for group in range(4):
        pair.multicast(0, group, pair.rng.randbytes(64 + group))
        pair.multicast(1, group, pair.rng.randbytes(90 + group))
    pair.traffic(30)
    assert pair.finish() == []
    return tuple(pair.sides[0].log)


def judge(events: Iterable[Event]) -> list[Finding]:
    """Feed ``events`` to a fresh model and return what it found, the end of the test included."""
    model = RclinkModel(KNOBS, CLK)
    last = 0
    for event in events:
        model.observe(event)
        last = max(last, event.begin)
    model.quiet(last + 1000 * US)
    model.finish()
    return model.rules.findings


def layout_of(log: Iterable[Event]) -> RclinkModel:
    """Return a model that has seen ``log``: it knows the layout of its frames."""
    model = RclinkModel(KNOBS, CLK)
    for event in log:
        model.observe(event)
    return model


def change_frame(
    log: tuple[Event, ...], wanted: Callable[[Frame], bool], change: Change, nth: int = 2
) -> Iterator[Event]:
    """Change the ``nth`` sent frame that is ``wanted``; a change that returns None drops it."""
    layout = layout_of(log).ctx.device.layout
    assert layout is not None
    for event in log:
        if isinstance(event, FrameOut) and event.port == ports.MAC_TX:
            frame = parse(event.data, layout)
            if wanted(frame):
                nth -= 1
                if nth == 0:
                    changed = change(frame)
                    if changed is None:
                        continue
                    event = replace(event, data=build(changed, layout))
        yield event
    assert nth <= 0, "the log has no such frame"


def change_bytes(
    log: tuple[Event, ...], wanted: Callable[[Frame], bool], change: Callable[[bytes], bytes]
) -> Iterator[Event]:
    """Change the bytes of the second sent frame that is ``wanted``."""
    layout = layout_of(log).ctx.device.layout
    assert layout is not None
    left = 2
    for event in log:
        if isinstance(event, FrameOut) and event.port == ports.MAC_TX and wanted(parse(event.data, layout)):
            left -= 1
            if left == 0:
                event = replace(event, data=change(event.data))
        yield event
    assert left <= 0, "the log has no such frame"


def without_frames(log: tuple[Event, ...], wanted: Callable[[Frame], bool]) -> Iterator[Event]:
    """Drop all sent frames that are ``wanted``."""
    layout = layout_of(log).ctx.device.layout
    assert layout is not None
    for event in log:
        if isinstance(event, FrameOut) and event.port == ports.MAC_TX and wanted(parse(event.data, layout)):
            continue
        yield event


def is_request(frame: Frame) -> bool:
    """A TYPE1 request, LITE included."""
    return frame.kind is Kind.TYPE1 and (frame.rh is None or frame.rh.opcode == Opcode.REQUEST)


def is_ack(frame: Frame) -> bool:
    """A positive acknowledgement."""
    return frame.rh is not None and frame.rh.is_ack


def is_cnp(frame: Frame) -> bool:
    """A congestion notification."""
    return frame.rh is not None and frame.rh.opcode == Opcode.CNP


def is_type2(frame: Frame) -> bool:
    """A multicast frame."""
    return frame.kind is Kind.TYPE2
