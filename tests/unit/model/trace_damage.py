"""Deviations for a golden event log, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ref_model.events import Event, FrameOut, MemWrite
from ref_model.wire import Frame, Vlan, parse
from tests.unit.model.trace import Change, Damage, Select, Trace, drop, edit, frame, out, payload, wrote

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


#: Damage by the name in spec/ernic/trace_mutants.json, which says what rule has to find it first.
DAMAGE: dict[str, Damage] = {
    "wrong destination MAC": edit(SEND, flip("eth.dst")),
    "wrong source MAC": edit(WRITE, flip("eth.src", 1 << 40)),
    "VLAN tag": edit(SEND, put("vlans", (Vlan(5),))),
    "bad IP checksum": edit(SEND, put("ip.checksum", 0x1234, fresh=False)),
    "wrong source IP": edit(SEND, flip("ip.src")),
    "wrong destination IP": edit(WRITE, flip("ip.dst", 1 << 31)),
    "source IP of the other version": edit(SEND, put("ip.src", 0xFD00_0000)),
    "wrong TTL": edit(SEND, flip("ip.ttl")),
    "wrong class": edit(SEND, flip("ip.tos", 4)),
    "wrong UDP source port": edit(SEND, flip("udp.src")),
    "UDP checksum on IPv4": edit(SEND, put("udp.checksum", None)),
    "wrong opcode kind": edit(out("send", first=False, last=False), flip("bth.opcode", 7)),
    "wrong position": edit(out("send", first=True, last=False), flip("bth.opcode", 1)),
    "wrong P_Key": edit(SEND, flip("bth.pkey", 0x4000)),
    "wrong DestQP": edit(SEND, flip("bth.dest_qp", 1 << 23)),
    "TVer": edit(SEND, put("bth.tver", 1)),
    "payload byte": edit(out("send", first=False), frame(spoil)),
    "short payload": edit(out("send", last=True), frame(cut)),
    "RETH address": edit(FIRST_WRITE, flip("reth.va", 1 << 33)),
    "RETH key": edit(FIRST_WRITE, flip("reth.rkey", 1 << 8)),
    "RETH length": edit(FIRST_WRITE, flip("reth.length")),
    "immediate": edit(carries("immdt"), flip("immdt", 1 << 31), 1),
    "invalidate key": edit(carries("ieth"), flip("ieth"), 1),
    "ICRC": edit(SEND, put("icrc", 0x12345678, fresh=False)),
    "trailing bytes": edit(SEND, put("trailer", b"\0\0")),
    "PSN skipped": edit(SEND, flip("bth.psn", 2)),
    "packet missing": edit(SEND, drop),
    "packet repeated": twice(SEND),
    "A bit missing": edit(out("send", last=True), put("bth.ack_req", False)),
    "ACK missing": edit(ACK, drop, -1),
    "ACK beyond": edit(ACK, flip("bth.psn", 1 << 8)),
    "ACK repeated": twice(ACK),
    "ACK becomes NAK": edit(ACK, flip("aeth.syndrome", 0x60)),
    "reserved syndrome": edit(ACK, flip("aeth.syndrome", 0x40)),
    "MSN too high": edit(ACK, flip("aeth.msn", 1 << 20)),
    "ACK with wrong MAC": edit(ACK, flip("eth.dst")),
    "ACK with wrong ICRC": edit(ACK, put("icrc", 1, fresh=False)),
    "CQE content": edit(CQ, payload(invert)),
    "CQE place": edit(CQ, moved(64)),
    "CQE missing": edit(CQ, drop, -1),
    "CQE repeated": twice(CQ),
    "CQ doorbell missing": edit(CQ_BELL, drop, -1),
    "CQ doorbell value": edit(CQ_BELL, payload(invert)),
    "CQ doorbell before CQE": late(CQ, 1),
    "RQ payload byte": edit(RQ, payload(invert)),
    "RQ payload missing": edit(RQ, drop),
    "RQ element": edit(RQ, moved(8192)),
    "RQ doorbell missing": edit(RQ_BELL, drop, -1),
    "RQ doorbell value": edit(RQ_BELL, payload(lambda data: invert_at(data, -4))),
    "RQ doorbell before payload": late(RQ, 1),
    "region payload byte": edit(REGION, payload(invert), 2),
    "region payload missing": edit(REGION, drop, 2),
    "region payload moved": edit(REGION, moved(1 << 24), 2),
    "payload by the wrong master": edit(RQ, other_port),
    "burst not aligned": edit(RQ, headless),
    "stray write": stray("rx_pkt_hndler_ddr", 0x7777_0000),
    "write into a send queue": stray("resp_hndler", 0x2000_0010),
    "write into a free RQ element": stray("rx_pkt_hndler_ddr", 0x2020_0000 + 31 * 8192),
    "fatal entry without cause": stray("rx_pkt_hndler_ddr", 0x1010_0000, b"\6\0\2\0\0\0\0\0"),
    "error entry without cause": stray("rx_pkt_hndler_ddr", 0x1000_0000, bytes(64)),
}  # fmt: skip
