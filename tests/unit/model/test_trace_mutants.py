"""Trace mutants: a golden log with one deviation is found by the rule that owns it.

Each row is a negative test of a check of the model: without the damage the same log is clean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from ref_model.events import Event, FrameIn, FrameOut, MemWrite, RegRead
from ref_model.registers import layout
from ref_model.wire import Frame, Vlan, parse
from tb.bench._soft_ernic import QP
from tests.unit.model.trace import (
    Change,
    Damage,
    Select,
    Trace,
    drop,
    edit,
    frame,
    golden,
    judge,
    out,
    payload,
    wrote,
)

SEND, WRITE, ACK = out("send"), out("write"), out("ack")
FIRST_WRITE = out("write", first=True)
CQ = wrote("resp_hndler", 0x2010_0000, 0x2010_1000)
CQ_BELL = wrote("resp_hndler", 0x2030_0000, 0x2030_0040)
RQ = wrote("rx_pkt_hndler_ddr", 0x2020_0000, 0x2024_0000)
RQ_BELL = wrote("rx_pkt_hndler_ddr", 0x2030_0040, 0x2030_0080)
REGION = wrote("rx_pkt_hndler_ddr", 0x1_6000_0000, 0x1_7000_0000)


def put(path: str, value: object, fresh: bool = True) -> Change:
    """Set a header field of a frame."""
    layer, _, name = path.partition(".")

    def change(target: Frame) -> None:
        owner = getattr(target, layer) if name else target
        setattr(owner, name or layer, value)

    return frame(change, fresh)


def carries(name: str) -> Select:
    """Select frames of the DUT with an extension header."""
    return lambda event: isinstance(event, FrameOut) and getattr(parse(event.data), name) is not None


def flip(path: str, mask: int = 1) -> Change:
    """Invert bits of an integer header field."""
    layer, _, name = path.partition(".")

    def change(target: Frame) -> None:
        owner = getattr(target, layer) if name else target
        setattr(owner, name or layer, getattr(owner, name or layer) ^ mask)

    return frame(change)


def cut(target: Frame) -> None:
    """Remove a payload byte."""
    target.payload = target.payload[:-1]


def spoil(target: Frame) -> None:
    """Invert a payload byte."""
    data = bytearray(target.payload)
    data[len(data) // 2] ^= 0x55
    target.payload = bytes(data)


def invert(data: bytearray) -> None:
    """Invert the last byte of a memory write."""
    data[-1] ^= 0xFF


def invert_at(data: bytearray, index: int) -> None:
    """Invert one byte of a memory write."""
    data[index] ^= 0xFF


def moved(offset: int) -> Change:
    """Shift a memory write."""
    return memory_write(lambda event: replace(event, addr=event.addr + offset))


def memory_write(change: Callable[[MemWrite], MemWrite]) -> Change:
    """Edit a memory write as a whole."""

    def apply(event: Event) -> Event:
        assert isinstance(event, MemWrite)
        return change(event)

    return apply


other_port = memory_write(lambda event: replace(event, port="resp_hndler"))
headless = memory_write(
    lambda event: replace(event, addr=event.addr + 1, data=event.data[1:], mask=event.mask[1:])
)


def late(select: Select, by: int) -> Damage:
    """Move the fifth selected event behind the ``by`` events that follow it."""

    def damage(events: Trace) -> Iterator[Event]:
        held: Event | None = None
        count = left = 0
        for event in events:
            if held is None and select(event):
                count += 1
                if count == 5:
                    held, left = event, by
                    continue
            yield event
            if held is not None and left:
                left -= 1
                if not left:
                    assert isinstance(held, MemWrite)
                    yield replace(held, begin=event.begin + 1, settled=event.begin + 2)
                    held = event  # never again: count is past 5

    return damage


def twice(select: Select) -> Damage:
    """Repeat the fifth selected event right away."""

    def damage(events: Trace) -> Iterator[Event]:
        count = 0
        for event in events:
            yield event
            if select(event):
                count += 1
                if count == 5:
                    yield replace(event, begin=event.begin + 1)

    return damage


def stray(port: str, addr: int, data: bytes = b"\xee" * 4) -> Damage:
    """Add a memory write nobody asked for after the bring-up."""

    def damage(events: Trace) -> Iterator[Event]:
        for number, event in enumerate(events):
            yield event
            if number == 200:
                time = event.begin + 1
                lead = addr % 64
                mask = bytes(lead) + b"\1" * len(data)
                yield MemWrite(time, time + 10, port, addr - lead, bytes(lead) + data, mask)

    return damage


MUTANTS: dict[str, tuple[Damage, set[str]]] = {
    # name: (damage, rules that may tell it)
    "wrong destination MAC": (edit(SEND, flip("eth.dst")), {"ERN-040"}),
    "wrong source MAC": (edit(WRITE, flip("eth.src", 1 << 40)), {"ERN-040"}),
    "VLAN tag": (edit(SEND, put("vlans", (Vlan(5),))), {"ERN-041"}),
    "bad IP checksum": (edit(SEND, put("ip.checksum", 0x1234, fresh=False)), {"ERN-041"}),
    "wrong source IP": (edit(SEND, flip("ip.src")), {"ERN-042"}),
    "wrong destination IP": (edit(WRITE, flip("ip.dst", 1 << 31)), {"ERN-042"}),
    "wrong TTL": (edit(SEND, flip("ip.ttl")), {"ERN-043/ttl"}),
    "wrong class": (edit(SEND, flip("ip.tos", 4)), {"ERN-044"}),
    "wrong UDP source port": (edit(SEND, flip("udp.src")), {"ERN-046/ports"}),
    "UDP checksum on IPv4": (edit(SEND, put("udp.checksum", None)), {"ERN-046/checksum"}),
    "wrong opcode kind": (edit(out("send", first=False, last=False), flip("bth.opcode", 7)), {"ERN-047"}),
    "wrong position": (edit(out("send", first=True, last=False), flip("bth.opcode", 1)), {"ERN-047"}),
    "wrong P_Key": (edit(SEND, flip("bth.pkey", 0x4000)), {"ERN-048"}),
    "wrong DestQP": (edit(SEND, flip("bth.dest_qp", 1 << 23)), {"ERN-048"}),
    "TVer": (edit(SEND, put("bth.tver", 1)), {"ERN-048"}),
    "payload byte": (edit(out("send", first=False), frame(spoil)), {"ERN-054"}),
    "short payload": (edit(out("send", last=True), frame(cut)), {"ERN-059", "ERN-049"}),
    "RETH address": (edit(FIRST_WRITE, flip("reth.va", 1 << 33)), {"ERN-051"}),
    "RETH key": (edit(FIRST_WRITE, flip("reth.rkey", 1 << 8)), {"ERN-051"}),
    "RETH length": (edit(FIRST_WRITE, flip("reth.length")), {"ERN-051"}),
    "immediate": (edit(carries("immdt"), flip("immdt", 1 << 31), 1), {"ERN-052/value"}),
    "invalidate key": (edit(carries("ieth"), flip("ieth"), 1), {"ERN-052/value"}),
    "ICRC": (edit(SEND, put("icrc", 0x12345678, fresh=False)), {"ERN-053"}),
    "trailing bytes": (edit(SEND, put("trailer", b"\0\0")), {"ERN-039"}),
    "PSN skipped": (edit(SEND, flip("bth.psn", 2)), {"ERN-062", "ERN-081", "ERN-083", "ERN-084"}),
    "packet missing": (edit(SEND, drop), {"ERN-062"}),
    "packet repeated": (twice(SEND), {"ERN-084"}),
    "A bit missing": (edit(out("send", last=True), put("bth.ack_req", False)), {"ERN-070"}),
    "ACK missing": (edit(ACK, drop, -1), {"ERN-119"}),
    "ACK beyond": (edit(ACK, flip("bth.psn", 1 << 8)), {"ERN-122"}),
    "ACK repeated": (twice(ACK), {"ERN-122"}),
    "ACK becomes NAK": (edit(ACK, flip("aeth.syndrome", 0x60)), {"ERN-127"}),
    "reserved syndrome": (edit(ACK, flip("aeth.syndrome", 0x40)), {"ERN-124/kind"}),
    "MSN too high": (edit(ACK, flip("aeth.msn", 1 << 20)), {"ERN-123"}),
    "ACK with wrong MAC": (edit(ACK, flip("eth.dst")), {"ERN-125"}),
    "ACK with wrong ICRC": (edit(ACK, put("icrc", 1, fresh=False)), {"ERN-053"}),
    "CQE content": (edit(CQ, payload(invert)), {"ERN-074", "ERN-187"}),
    "CQE place": (edit(CQ, moved(64)), {"ERN-075"}),
    "CQE missing": (edit(CQ, drop, -1), {"ERN-073", "ERN-079"}),
    "CQE repeated": (twice(CQ), {"ERN-071", "ERN-075"}),
    "CQ doorbell missing": (edit(CQ_BELL, drop, -1), {"ERN-077"}),
    "CQ doorbell value": (edit(CQ_BELL, payload(invert)), {"ERN-077"}),
    "CQ doorbell before CQE": (late(CQ, 1), {"ERN-079"}),
    "RQ payload byte": (edit(RQ, payload(invert)), {"ERN-139"}),
    "RQ payload missing": (edit(RQ, drop), {"ERN-139", "ERN-144"}),
    "RQ element": (edit(RQ, moved(8192)), {"ERN-140"}),
    "RQ doorbell missing": (edit(RQ_BELL, drop, -1), {"ERN-143"}),
    "RQ doorbell value": (edit(RQ_BELL, payload(lambda data: invert_at(data, -4))), {"ERN-143"}),
    "RQ doorbell before payload": (late(RQ, 1), {"ERN-144"}),
    "region payload byte": (edit(REGION, payload(invert), 2), {"ERN-148"}),
    "region payload missing": (edit(REGION, drop, 2), {"ERN-148"}),
    "region payload moved": (edit(REGION, moved(1 << 24), 2), {"ERN-215"}),
    "payload by the wrong master": (edit(RQ, other_port), {"ERN-216"}),
    "burst not aligned": (edit(RQ, headless), {"ERN-214", "ERN-139"}),
    "stray write": (stray("rx_pkt_hndler_ddr", 0x7777_0000), {"ERN-215"}),
    "write into a send queue": (stray("resp_hndler", 0x2000_0010), {"ERN-216"}),
    "write into a free RQ element": (stray("rx_pkt_hndler_ddr", 0x2020_0000 + 31 * 8192), {"ERN-140"}),
    "fatal entry without cause": (stray("rx_pkt_hndler_ddr", 0x1010_0000, b"\6\0\2\0\0\0\0\0"), {"ERN-155"}),
    "error entry without cause": (stray("rx_pkt_hndler_ddr", 0x1000_0000, bytes(64)), {"ERN-152"}),
}  # fmt: skip


def test_golden_is_clean() -> None:
    assert judge(list(golden())) == []
    assert judge(list(golden(2, lossy=True))) == []


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant(name: str) -> None:
    damage, rules = MUTANTS[name]
    findings = judge(damage(list(golden())))
    assert findings, "survived"
    assert findings[0].rule in rules, [f"{f.rule} {f.why}: {f.expected} / {f.observed}" for f in findings[:3]]


def test_hop_limit() -> None:
    findings = judge(edit(SEND, flip("ip.hop_limit"))(list(golden(1, 6))))
    assert findings and findings[0].rule == "ERN-043/hop_limit"


def test_finding_is_complete() -> None:
    """A finding names rule, time, reason, the differing fields and the packets before."""
    finding = judge(edit(SEND, flip("ip.ttl"))(list(golden())))[0]
    assert isinstance(golden()[0].begin, int) and finding.time_ps > 0
    assert ("ip.ttl", "64", "65") in finding.packet_diff
    assert finding.history and finding.scope == f"QP {QP}" and "TTL" in finding.why


def test_input_frames_are_only_stimulus() -> None:
    """Damage on the way in is legal stimulus: the model derives what is right for the frame as it came."""
    select = lambda event: isinstance(event, FrameIn)  # noqa: E731
    findings = judge(edit(select, put("icrc", 7, fresh=False))(list(golden())))
    assert findings, "the golden DUT behaves as if the frame had been good"
    assert findings[0].rule in ("ERN-107", "ERN-083", "ERN-062", "ERN-071", "ERN-077", "ERN-122", "ERN-150")


def test_register_value() -> None:
    """A read that does not return what was written names the register's rule."""
    addr = layout("ernic").block("GLOBAL").address("MACXADDLSB")
    log = list(golden())
    end = log[-1].begin
    read = RegRead(end + 4000, end + 8000, addr, 0x1234)
    findings = judge([*log, read])
    assert [finding.rule for finding in findings] == ["ERN-013"]
