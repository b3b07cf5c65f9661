"""Pause: each check bites, and what the specification allows passes."""

from __future__ import annotations

import pytest

from ref_model.events import Event, FrameOut, PauseIn, PauseOut, RegWrite
from ref_model.registers import layout
from tests.unit.model.pins import CLOCK, US, Pins
from tests.unit.model.trace import golden, judge

OTHER_5 = 2 | 8 << 4 | 5 << 8
"""XRNIC_PAUSE_CONF: non-RoCE enabled with priority 5."""

ANY = 1 << 13


def paused(conf: int = OTHER_5, *lines: int, **knobs: object) -> tuple[Pins, list[bytes]]:
    """A DUT with five host frames to send, under the requests ``lines``."""
    pins = Pins(**knobs)
    pins.write("XRNIC_PAUSE_CONF", conf)
    pins.pause(*lines)
    pins.wait(1)
    return pins, [pins.host_frame() for _ in range(5)]


def test_class_that_goes_on_is_found() -> None:
    pins, frames = paused(OTHER_5, 5)
    for data in frames[:2]:
        pins.leaves(data)
    assert not pins.rules(finish=False), "frames in the output stage are free"
    pins.leaves(frames[2])
    assert pins.rules(finish=False) == ["ERN-203"]


def test_stopped_class_passes_and_is_evidence() -> None:
    pins, frames = paused(OTHER_5, 5)
    pins.wait(200)  # far beyond LIVENESS_CLKS
    pins.pause()
    for data in frames:
        pins.leaves(data)
    assert not pins.rules()
    assert pins.evidence("ERN-203") and pins.evidence("ERN-208") == 5


def test_frames_missing_after_the_pause_are_found() -> None:
    pins, frames = paused(OTHER_5, 5)
    pins.wait(50)
    pins.pause()
    pins.leaves(frames[0])
    pins.wait(30)
    assert set(pins.rules()) == {"ERN-210", "ERN-208"}


def test_frame_cut_by_the_pause_is_found() -> None:
    pins = Pins()
    pins.write("XRNIC_PAUSE_CONF", OTHER_5)
    data = pins.host_frame()
    begin = pins.now + CLOCK
    pins.see(FrameOut(begin, begin + 50 * US + 2 * CLOCK, "tx", data))
    pins.see(PauseIn(begin + CLOCK, 1 << 5))
    pins.see(PauseIn(begin + 50 * US, 0))
    assert pins.rules() == ["ERN-203"]


def test_slow_frame_under_way_is_no_cut() -> None:
    pins = Pins()
    pins.write("XRNIC_PAUSE_CONF", OTHER_5)
    data = pins.host_frame()
    begin = pins.now + CLOCK
    pins.see(FrameOut(begin, begin + 20 * CLOCK, "tx", data))
    pins.see(PauseIn(begin + CLOCK, 1 << 5))
    pins.see(PauseIn(begin + 50 * US, 0))
    assert not pins.rules() and pins.evidence("ERN-203") == 1


@pytest.mark.parametrize(("conf", "line"), [(OTHER_5, 4), (OTHER_5 & ~2, 5), (2 | 12 << 8, 4)])
def test_foreign_request_must_not_stop(conf: int, line: int) -> None:
    """Other priority, disabled class, a priority without a line."""
    pins, frames = paused(conf, line)
    for data in frames:
        pins.leaves(data)
    assert pins.evidence("ERN-204") == 5 and not pins.rules()
    pins, frames = paused(conf, line)
    pins.wait(25)
    assert pins.rules(finish=False) == ["ERN-204"], "and no other rule before"


def test_any_priority() -> None:
    pins, frames = paused(OTHER_5 | ANY, 3)
    for data in frames:
        pins.leaves(data)
    assert set(pins.rules(finish=False)) == {"ERN-205"}
    pins, frames = paused(OTHER_5 | ANY, 3)
    pins.wait(50)
    pins.pause()
    for data in frames:
        pins.leaves(data)
    assert not pins.rules() and pins.evidence("ERN-205")


def test_any_priority_left_open() -> None:
    """With M_RULES = report both stopping and going on are legal."""
    for goes_on in (True, False):
        pins, frames = paused(OTHER_5 | ANY, 3, M_RULES="report")
        if not goes_on:
            pins.wait(50)
            pins.pause()
        for data in frames:
            pins.leaves(data)
        assert not pins.rules() and not pins.evidence("ERN-205") and not pins.evidence("ERN-204")


def test_enable_taken_away_frees_the_class() -> None:
    pins, frames = paused(OTHER_5, 5)
    pins.write("XRNIC_PAUSE_CONF", 0)
    for data in frames:
        pins.leaves(data)
    assert not pins.rules()


def insert(events: list[Event], conf: int, value: int) -> list[Event]:
    """Put pause settings and a request of the peer into the middle of a log, for ever."""
    address = layout("ernic").block("GLOBAL").address("XRNIC_PAUSE_CONF")
    middle = len(events) // 2
    time = events[middle].begin
    extra: list[Event] = [RegWrite(time, time + 1, address, conf), PauseIn(time + 2, value)]
    return [*events[:middle], *extra, *events[middle:]]


def test_roce_class_of_a_whole_exchange() -> None:
    log = list(golden())
    assert judge(insert(log, 1 | 3 << 4, 1 << 3))[0].rule == "ERN-203"
    assert judge(insert(log, 1 | 3 << 4 | ANY, 1))[0].rule == "ERN-205"
    assert not judge(insert(log, 1 | 3 << 4, 0x1F7))
    assert not judge(insert(log, 3 << 4, 0x1FF))


# -- requests of the DUT --------------------------------------------------------------------------


def filling(conf: int = OTHER_5, levels: int | None = None) -> tuple[Pins, list[bytes]]:
    """A DUT with frames for a host that takes nothing."""
    pins = Pins()
    if levels is not None:
        pins.write("XRNIC_BUF_THRESHOLD_NON_ROCE", levels)
    pins.write("XRNIC_PAUSE_CONF", conf)
    frames = [bytes([number]) * 60 for number in range(20)]
    for data in frames:
        pins.arrives(data)
    return pins, frames


@pytest.mark.parametrize("any_priority", [False, True])
def test_one_request_per_filling(any_priority: bool) -> None:
    rule = "ERN-249" if any_priority else "ERN-206"
    pins, frames = filling(OTHER_5 | any_priority << 13)
    pins.asks(5)
    for data in frames:
        pins.to_host(data)
    pins.asks()
    pins.model.quiet(pins.now + 10 * US)
    assert not pins.rules() and pins.evidence(rule) == 2


@pytest.mark.parametrize("line", [0, 4, 8])
def test_request_of_another_priority(line: int) -> None:
    pins, _ = filling()
    pins.asks(5, line)
    assert pins.rules(finish=False) == ["ERN-206"]


def test_request_of_a_disabled_class() -> None:
    pins, _ = filling(OTHER_5 & ~2)
    pins.asks(5)
    assert pins.rules(finish=False) == ["ERN-206"]


def test_request_with_nothing_buffered() -> None:
    pins = Pins()
    pins.write("XRNIC_PAUSE_CONF", OTHER_5)
    pins.wait(10)
    pins.asks(5)
    assert pins.rules() == ["ERN-206"]


def test_request_that_ends_although_nothing_left() -> None:
    pins, _ = filling()
    pins.asks(5)
    pins.wait(2)
    pins.asks()
    assert pins.rules(finish=False) == ["ERN-206"]


def test_request_that_never_ends() -> None:
    pins, frames = filling()
    pins.asks(5)
    for data in frames:
        pins.to_host(data)
    pins.model.quiet(pins.now + 10 * US)
    assert pins.rules() == ["ERN-206"]


def test_levels_out_of_reach() -> None:
    pins, frames = filling(levels=0xFFFF_FFFF)
    pins.wait(25)
    assert pins.rules(finish=False) == ["ERN-206"], "the request is certain"
    pins, frames = filling(levels=0xFFFF_FFFF)
    pins.asks(5)
    for data in frames:
        pins.to_host(data)
    pins.wait(25)
    pins.model.quiet(pins.now)
    assert not pins.rules(finish=False), "it may stay"
    pins.asks()
    assert pins.rules(finish=False) == ["ERN-206"], "and must"


def test_refresh_is_only_recorded() -> None:
    pins = Pins()
    pins.see(PauseOut(pins.now + CLOCK, "ctl_tx_resend_pause", 1))
    assert not pins.rules() and pins.model.rules.observed["ERN-206"] == 1


# -- frames to the host ---------------------------------------------------------------------------


def test_whole_frames_may_be_lost_when_the_host_holds_up() -> None:
    pins, frames = filling(0)
    pins.wait(5)
    late = [bytes([0x80 + number]) * 60 for number in range(3)]
    for data in late:
        pins.arrives(data)
    for data in (*frames, late[1]):
        pins.to_host(data)
    pins.wait(10)
    assert not pins.model.busy() and not pins.rules()


def test_lost_frame_without_a_reason() -> None:
    pins = Pins()
    first, second = bytes(60), b"\1" * 60
    pins.arrives(first)
    pins.arrives(second)
    pins.to_host(second)
    assert pins.rules(finish=False) == ["ERN-207"]


def test_lost_frame_without_a_request() -> None:
    pins, frames = filling()
    pins.wait(5)
    pins.arrives(b"\xee" * 60)
    pins.arrives(b"\xef" * 60)
    for data in (*frames, b"\xef" * 60):
        pins.to_host(data)
    assert pins.rules() == ["ERN-206"]


def test_part_of_a_frame() -> None:
    pins, frames = filling(0)
    pins.wait(5)
    pins.to_host(frames[0][:32] + frames[1])
    assert pins.rules(finish=False) == ["ERN-207"]


def test_disabled_device_may_drop() -> None:
    pins = Pins()
    pins.write("XRNICCONF", 0)
    pins.arrives(bytes(60))
    pins.wait(30)
    assert not pins.rules()
