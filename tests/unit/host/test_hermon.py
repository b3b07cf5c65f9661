"""Host side of the Hermon CQ engine without a device: rings, sweep, resize copies, doorbells, producers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from ref_model.hermon_cq.context import decode
from ref_model.hermon_cq.ports import OPCODE_RESIZE, Report
from ref_model.link import LinkFaults
from ref_model.rules import specification
from ref_model.streams import stream
from tb.host.hermon import HermonHost, HermonSettings, Result
from tb.host.hermon_cq import Cq, CqSettings, Habit, Style
from tb.host.hermon_eq import Event
from tb.host.hermon_producer import Producer
from tb.host.hermon_ring import Ring
from tb.host.hermon_roce import LOSSY, Connection
from tests.unit.host.fake import FakeMemory

KNOBS = specification("hermon_cq").knobs({"CAP_MODE": "N-1"})


class Port:
    """Takes every access; commands end at once."""

    def __init__(self) -> None:
        self.writes: list[tuple[int, int, int | None]] = []

    async def write(self, addr: int, data: int, strb: int | None = None) -> None:
        self.writes.append((addr, data, strb))

    async def read(self, addr: int) -> int:
        return 0


async def _sleep(ps: int) -> None:
    return None


def host(stride: int = 32) -> HermonHost:
    made = HermonHost(Port(), Port(), FakeMemory(), KNOBS, stream(1, "host"), _sleep)
    asyncio.run(made.open(HermonSettings(stride=stride)))
    return made


def queue(made: HermonHost, **settings: Any) -> Cq:
    return made.prepare(CqSettings(3, **settings))


def entry(qpn: int, code: int = 0x0A) -> bytes:
    return qpn.to_bytes(4, "big") + bytes(27) + bytes([code])


def produce(ring: Ring, index: int, qpn: int, code: int = 0x0A) -> None:
    """Write a CQE as a device does."""
    ring.write(index, entry(qpn, code), ring.lap_owner(index))


@pytest.mark.parametrize("stride", [32, 64, 128, 256])
def test_slots_are_a_stride_apart_over_pages_in_no_order(stride: int) -> None:
    ring = host(stride).rings.make(8, offset=4096 - stride)
    places = [ring.slot(index) for index in range(256)]
    assert len(set(places)) == 256 and places[0] % 4096 == 4096 - stride
    assert places[1] == ring.pages[1] and ring.address(5) - ring.slot(5) == (32 if stride == 64 else 0)
    assert ring.slot(256 + 7) == places[7] and ring.lap_owner(255) == 0 and ring.lap_owner(256) == 1


def test_mtt_entries_are_big_endian_and_present() -> None:
    made = host()
    ring = made.rings.make(9)
    for number, page in enumerate(ring.pages):
        word = int.from_bytes(made.memory.read(made.mtt.base + ring.mtt + 8 * number, 8), "big")
        assert word & ~7 == page and word & 1


def test_fill_leaves_what_lies_around() -> None:
    made = host(64)
    ring = made.rings.make(7, offset=4096 - 64)
    before = [made.memory.read(page, 64) for page in ring.pages]
    ring.fill(b"\x5a" * 64)
    assert made.memory.read(ring.pages[0], 64) == before[0]
    assert all(made.memory.read(ring.slot(index), 64) == b"\x5a" * 64 for index in range(128))


def test_poll_stops_at_the_entry_of_the_lap_before() -> None:
    made = host()
    cq = queue(made, log_size=2, opmod=1)
    for index in range(3):
        produce(cq.ring, index, index)
    assert [taken[3] for taken in cq.poll(2)] == [0, 1] and cq.ci == 2
    assert len(cq.drain()) == 1 and not cq.poll()
    assert int.from_bytes(made.memory.read(cq.record, 4), "big") == 3


@pytest.mark.parametrize("first", [0, 3, 0xFFFFFE])
def test_sweep_keeps_the_owner_bit_of_the_place(first: int) -> None:
    """HB3, HB4, HB6: entries that stay move up across the end of a lap and of the counters."""
    made = host()
    made.start_index = first
    cq = queue(made, log_size=2, opmod=1)
    for step, qpn in enumerate((7, 8, 7)):
        produce(cq.ring, first + step, qpn)
    assert cq.sweep(7) == 2
    assert [taken[3] for taken in cq.poll()] == [8]
    assert cq.ci == (first + 3) & 0xFFFFFF


class Accepts(HermonHost):
    """Ends a resize as a device does: the resize entry in the old ring, then more CQEs in the new one."""

    async def resize_command(self, cqn: int, ring: Ring, extra: Mapping[str, int] | None = None) -> Result:
        old = self.cqs[cqn].ring
        for index in range(1 << ring.log_size):
            at = 6 + index
            ring.write(at, bytes(32), 1 ^ ring.lap_owner(at))
        produce(old, 5, 0, OPCODE_RESIZE)
        produce(ring, 6, 6)
        return Result(0)


@pytest.mark.parametrize("style", list(Style))
@pytest.mark.parametrize("log_size", [2, 3, 4])
def test_resize_in_both_styles(style: Style, log_size: int) -> None:
    """HB9: unread entries survive with the owner bits of the new ring."""
    made = Accepts(Port(), Port(), FakeMemory(), KNOBS, stream(1, "host"), _sleep)
    asyncio.run(made.open())
    cq = queue(made, log_size=3, opmod=1)
    made.cqs[3] = cq
    for index in range(5):
        produce(cq.ring, index, index)
    cq.poll(3)
    asyncio.run(cq.resize(log_size, style))
    assert [taken[3] for taken in cq.poll()] == [3, 4, 6]
    assert cq.ci == 7 and cq.ring.log_size == log_size


def test_habits() -> None:
    made = host()
    cq = queue(made, log_size=3, opmod=1)
    produce(cq.ring, 0, 1)
    cq.habits = {Habit.STALE_CI, Habit.CONSTANT_SN, Habit.AHEAD}
    cq.drain()
    cq.notified(Event(0, 3, 0))
    asyncio.run(cq.arm(2))
    request = int.from_bytes(made.memory.read(cq.record + 4, 4), "big")
    assert request == 1 << 28 | 2 << 24 | 0 and int.from_bytes(made.memory.read(cq.record, 4), "big") == 2
    cq.habits = {Habit.UNPUBLISHED}
    cq.publish(9)
    assert int.from_bytes(made.memory.read(cq.record, 4), "big") == 2


def test_context_of_a_queue() -> None:
    made = host()
    cq = queue(made, log_size=5, eqn=3, uar_page=2, offset=2048, log2_page_size=1)
    fields = made.context(cq.settings, cq.ring, cq.record)
    assert fields["page_offset"] == 64 and fields["mtt_base_addr_h"] == 0x81
    assert decode(Result(0, 0, bytes(64)).image)["st"] == 0
    assert fields["db_record_addr_h"] << 32 | fields["db_record_addr_l"] << 3 == cq.record


def test_room_counts_resizes_and_what_was_published() -> None:
    cq = queue(host(), log_size=3, opmod=1)
    assert cq.room(0) == 6 and cq.room(4) == 2
    cq.publish(4)
    assert cq.room(4) == 6


def reports(faults: LinkFaults, cut: bool = False) -> list[Report]:
    producer = Producer(lambda beats: _sleep(0), stream(1, "producer"))
    rng = stream(5, "roce")
    link = Connection.between(1, (1, 2), rng, faults)
    made: list[Report] = []
    for turn in range(12):
        if cut and turn == 6:
            link.cut()
            link.post(rng)
            link.post(rng)
        link.post(rng)
        made += link.run(producer)
    return made


@pytest.mark.parametrize("faults", [LinkFaults(), LOSSY])
def test_roce_completes_every_request_once(faults: LinkFaults) -> None:
    sends = [report for report in reports(faults) if report.cqn == 1]
    counters = [int.from_bytes(report.body[24:26], "big") for report in sends]
    assert len(counters) == 12 and counters == sorted(set(counters))
    assert not any(report.error for report in sends)


def test_roce_gives_up_in_error() -> None:
    sends = [report for report in reports(LinkFaults(), cut=True) if report.cqn == 1]
    assert [report.error for report in sends] == [False] * 6 + [True] * 3
    assert [report.body[27] for report in sends[6:]] == [0x15, 0x05, 0x05]
