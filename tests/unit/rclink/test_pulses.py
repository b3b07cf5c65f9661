"""Status pulses, MAC credit, idle, reset: each wrong one is told by its rule."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ref_model.events import Event, FrameOut, RegWrite, Reset, SideBand
from ref_model.link import LinkFaults
from ref_model.rclink import RclinkModel, frames, ports
from ref_model.rules import Finding
from ref_model.wire.rclink import build, parse
from tests.unit.rclink.pair import CLK, KNOBS, US, Pair, Setup
from tests.unit.rclink.trace import golden, judge

CLEAN = LinkFaults(delay_ps=500_000)


Words = tuple[int | None, ...] | None


def exchange(port: str, index: int, change: Words) -> list[Finding]:
    """Judge a golden log with one beat of ``port`` changed or (None) dropped."""

    def damaged() -> Iterator[Event]:
        seen = -1
        for event in golden():
            if isinstance(event, SideBand) and event.port == port:
                seen += 1
                if seen == index:
                    if change is None:
                        continue
                    pairs = zip(event.values, change, strict=True)
                    event = replace(event, values=tuple(old if new is None else new for old, new in pairs))
            yield event
        assert seen >= index, "the log has no such beat"

    return judge(damaged())


PULSES = [
    (ports.RECV_ACK, None, "RCL-054/count"),
    (ports.RECV_ACK, (None, 40_000, None, None), "RCL-054/rtt"),
    (ports.RECV_ACK, (None, None, 30, None), "RCL-054/count"),
    (ports.RECV_ACK, (None, None, None, 1), "RCL-054/count"),
    (ports.RECV_ACK, (15, None, None, None), "RCL-054/count"),
    (ports.RECV_CNP, None, "RCL-100"),
    (ports.RECV_CNP, (15,), "RCL-100"),
    (ports.NOCNP, (None, 7), "RCL-103"),
    (ports.NOCNP, (None, 0), "RCL-103"),
    (ports.CC_QP_EN, (1, 1, None), "RCL-071"),
    (ports.TX_S_CRD, (2, None, None), "RCL-041"),
    (ports.OST_FREE, (33,), "RCL-060"),
]


@pytest.mark.parametrize(("port", "change", "rule"), PULSES)
def test_wrong_pulse(port: str, change: Words, rule: str) -> None:
    found = exchange(port, 1, change)
    assert found and found[0].rule == rule, found[:2]


def test_nak_mark_of_a_report() -> None:
    pair = Pair(Setup(qps=(1,), ack_time=True), LinkFaults(drop=0.08, delay_ps=500_000), 5)
    pair.traffic(60)
    assert pair.finish() == []
    log = pair.sides[0].log
    marked = [e for e in log if isinstance(e, SideBand) and e.port == ports.RECV_ACK and e.values[3]]
    assert marked, "NAKs carry a timestamp and are reported"
    plain = replace(marked[0], values=(*marked[0].values[:3], 0))
    found = judge(plain if event is marked[0] else event for event in log)
    assert found and found[0].rule == "RCL-054/count"


def test_missing_report_of_bytes() -> None:
    pair = Pair(Setup(), CLEAN)
    pair.send(0, 1, bytes(64))
    pair.run(300 * US)
    log = pair.sides[0].log
    assert judge(log) == []
    found = judge(event for event in log if not (isinstance(event, SideBand) and event.port == ports.NOCNP))
    assert found and found[0].rule == "RCL-103"


def test_missing_timeout_pulse() -> None:
    pair = Pair(Setup(timeout_us=50), CLEAN)
    pair.links[0].faults = LinkFaults(drop=1.0)
    pair.send(0, 1, bytes(64))
    pair.run(130 * US)
    log = pair.sides[0].log
    told = [e for e in log if isinstance(e, SideBand) and e.port == ports.RETRY_TMO]
    assert len(told) == 2
    found = judge(event for event in log if event is not told[0])
    assert found and found[0].rule == "RCL-048", found[:1]
    found = judge(replace(event, values=(14,)) if event is told[0] else event for event in log)
    assert found and found[0].rule == "RCL-048", found[:1]


def limited() -> Pair:
    """MAC credit comes back slowly."""
    pair = Pair(Setup(timeout_us=500), CLEAN, knobs={"MAC_TX_CRD_INIT": 24})
    for number in range(12):
        pair.send(0, 1 + number % 3, pair.random_packet())
    for number in range(400):
        pair.at(pair.now + (US if number < 20 else 2 * US) + number * 60 * CLK, lambda: credit(pair))
    pair.drain(200 * US)
    return pair


def credit(pair: Pair) -> None:
    pair.side_band(0, ports.MAC_CREDIT)


def test_mac_credit() -> None:
    pair = limited()
    for side in pair.sides:
        side.endpoint.mac_credits = 1000
    assert [finding.rule for finding in pair.sides[0].findings] == []
    assert pair.sides[0].model.rules.evidence["RCL-093"]
    log = pair.sides[0].log
    starved = [e for e in log if not (isinstance(e, SideBand) and e.port == ports.MAC_CREDIT)]
    model = RclinkModel({**KNOBS, "MAC_TX_CRD_INIT": 24}, CLK)
    for event in starved:
        model.observe(event)
    assert model.rules.findings[0].rule == "RCL-093"


@pytest.mark.parametrize(("unit", "frames_out"), [("BEAT", 1), ("PKT", 4)])
def test_unit_of_the_mac_credit(unit: str, frames_out: int) -> None:
    """Four credits are four beats or four frames; a frame of 1344 bytes takes eleven beats."""
    pair = Pair(Setup(timeout_us=500), CLEAN, knobs={"MAC_TX_CRD_INIT": 4, "UNIT": unit})
    for _ in range(6):
        pair.send(0, 1, bytes(1344))
    pair.run(20 * US)
    log = pair.sides[0].log
    assert sum(isinstance(e, FrameOut) and e.port == ports.MAC_TX for e in log) == frames_out
    assert pair.sides[0].findings == []


def test_outputs_in_reset() -> None:
    log = golden()
    frame = next(e for e in log if isinstance(e, FrameOut) and e.port == ports.MAC_TX)
    end = log[-1].begin + US
    later = replace(frame, begin=end + 5 * CLK, settled=end + 9 * CLK)
    found = judge([*log, Reset(end, True), later])
    assert found and found[0].rule == "RCL-128"


BEHIND_RESET = [
    (ports.RC_INTR, 1, 10, "RCL-128"),
    (ports.RC_INTR, 1, 1000, "RCL-119"),
    (ports.NONR_INTR, 1, 10, "RCL-128"),
    (ports.NONR_FAULT_INTR, 1, 10, "RCL-128"),
    (ports.OST_FREE, 31, 10, "RCL-128"),
    (ports.IDLE, 2, 10, "RCL-128"),
    (ports.IDLE, 3, 10, ""),
    (ports.RC_INTR, 0, 10, ""),
]


@pytest.mark.parametrize(("port", "value", "clocks", "rule"), BEHIND_RESET)
def test_level_behind_a_reset(port: str, value: int, clocks: int, rule: str) -> None:
    model = RclinkModel(KNOBS, CLK)
    shown = SideBand(clocks * CLK, clocks * CLK, port, (value,))
    for event in (Reset(0, True), Reset(CLK, False), shown):
        model.observe(event)
    model.advance(5 * US)
    assert [finding.rule for finding in model.rules.findings] == ([rule] if rule else [])


def test_level_with_work_right_behind_a_reset() -> None:
    """A device that is given work at once need not be idle."""
    model = RclinkModel(KNOBS, CLK)
    at = model.values.address("NONR_DMA_CTRL")
    busy = SideBand(20 * CLK, 20 * CLK, ports.IDLE, (1,))
    for event in (Reset(0, True), Reset(CLK, False), RegWrite(9 * CLK, 9 * CLK, at, 1, 0xFF), busy):
        model.observe(event)
    model.advance(5 * US)
    assert model.rules.findings == []


def test_reset_in_traffic() -> None:
    """What was owed before a reset is void, and the device starts with empty slots."""
    pair = Pair(Setup(), CLEAN)
    log = pair.sides[0].log
    bring_up = list(log)
    for _ in range(10):
        pair.send(0, 1, pair.random_packet())
    pair.run(US)
    shift = pair.now + US
    model = RclinkModel(KNOBS, CLK)
    for event in log:
        model.observe(event)
    for event in bring_up:
        model.observe(shifted(event, shift))
    model.quiet(shift + 100 * US)
    model.finish()
    assert model.rules.findings == []


def shifted(event: Event, shift: int) -> Event:
    """The same event ``shift`` ps later."""
    settled = getattr(event, "settled", None)
    event = copy.copy(event)
    object.__setattr__(event, "begin", event.begin + shift)
    if settled is not None:
        object.__setattr__(event, "settled", settled + shift)
    return event


def test_idle_with_work_in_hand() -> None:
    pair = Pair(Setup(), CLEAN)
    pair.links[0].faults = LinkFaults(drop=1.0)
    pair.send(0, 1, bytes(64))
    pair.run(2 * US)
    side = pair.sides[0]
    side.observe(SideBand(pair.now, pair.now, ports.IDLE, (3,)))
    pair.run(5 * US)
    side.model.advance(pair.now)
    assert side.findings[0].rule == "RCL-129"


@pytest.mark.parametrize("delivered", [True, False])
def test_idle_with_a_delivery_in_hand(delivered: bool) -> None:
    """Idle with a packet for the client in hand is wrong; one that was dropped breaks another rule alone."""
    pair = Pair(Setup(), CLEAN)
    pair.send(1, 1, bytes(64))
    pair.drain(20 * US)
    log = list(pair.sides[0].log)
    packet = next(e for e in log if isinstance(e, FrameOut) and e.port == ports.RX_M)
    log.remove(packet)
    idle = packet.begin + CLK
    log.append(SideBand(idle, idle, ports.IDLE, (3,)))
    if delivered:
        log.append(shifted(packet, 2 * US))
    found = judge(sorted(log, key=lambda event: event.begin))
    assert {finding.rule for finding in found} == ({"RCL-129"} if delivered else {"RCL-039"})


@pytest.mark.parametrize(("idle", "late"), [(False, False), (True, False), (True, True)])
def test_idle_with_an_ack_pending(idle: bool, late: bool) -> None:
    """The ACK that leaves at last shows that it was pending, unless a late request may have asked for it."""
    pair = Pair(Setup(fields={("XON_THR_RDMA", "rx_ack_pfc_en"): 1}), CLEAN)
    side = pair.sides[0]
    pair.side_band(0, ports.RX_PFC_REQ, 1 << 4)
    pair.run(US)
    pair.send(1, 1, bytes(64))
    pair.run(2 * US)
    if idle:
        side.observe(SideBand(pair.now, pair.now, ports.IDLE, (3,)))
    pair.run(2 * US)
    if late:
        pair.send(1, 1, bytes(70))
        pair.run(2 * US)
    side.observe(SideBand(pair.now, pair.now, ports.IDLE, (1,)))
    pair.side_band(0, ports.RX_PFC_REQ, 0)
    pair.run(5 * US)
    side.model.advance(pair.now)
    assert [finding.rule for finding in side.findings] == (["RCL-129"] if idle and not late else [])


def test_frame_on_its_way() -> None:
    log = list(golden())
    at = next(
        n
        for n, e in enumerate(log)
        if isinstance(e, FrameOut) and e.port == ports.MAC_TX and e.settled > e.begin + 4 * CLK
    )
    begin = log[at].begin + CLK
    log.insert(at + 1, SideBand(begin, begin, ports.TX_MAC_FREE, (1,)))
    assert judge(log)[0].rule == "RCL-137"


@pytest.mark.parametrize(("knob", "rules"), [("FREE", ["RCL-061"]), ("either", []), ("RESEND", [])])
def test_late_acknowledgement(knob: str, rules: list[str]) -> None:
    """An ACK covers packets that wait to be sent again; the device sends them nevertheless."""
    events = [event for event in late_ack()]
    model = RclinkModel({**KNOBS, "LATE_ACK": knob}, CLK)
    for event in events:
        model.observe(event)
    model.advance(events[-1].begin + 50 * US)
    assert [finding.rule for finding in model.rules.findings][:1] == rules


@pytest.mark.parametrize(("value", "rules"), [(0, []), (2, []), (1, ["RCL-053"])])
def test_last_psn_behind_a_pass_that_never_began(value: int, rules: list[str]) -> None:
    """A retry steps back before its start, or not before it begins; an ACK makes it needless."""
    pair = Pair(Setup(qps=(1,), timeout_us=20, fields=PAUSE), CLEAN)
    pair.links[0].faults = LinkFaults(drop=1.0)
    for _ in range(2):
        pair.send(0, 1, bytes(64))
    pair.run(US)
    peer = pair.sides[1].endpoint
    config = peer.qp_config(1)
    assert config is not None and peer.device.layout is not None
    pair.inject(0, build(frames.answer(peer.device, config, 0, 0x1F, None), peer.device.layout))
    pair.run(US)
    pair.send(0, 1, bytes(64))
    pair.run(US)
    pair.side_band(0, ports.RX_PFC_REQ, 0b0010)
    pair.run(30 * US)
    pair.inject(0, build(frames.answer(peer.device, config, 2, 0x1F, None), peer.device.layout))
    pair.run(US)
    pair.settle()
    pair.write(0, "QP_ID_SET", 1)
    pair.read(0, "TX_LAST_PSN_MEM", value)
    assert [finding.rule for finding in pair.sides[0].findings] == rules


def late_ack() -> list[Event]:
    pair = Pair(Setup(qps=(1,), timeout_us=200, fields=PAUSE), CLEAN)
    pair.links[0].faults = LinkFaults(drop=1.0)
    for _ in range(3):
        pair.send(0, 1, pair.random_packet())
    pair.run(US)
    pair.side_band(0, ports.RX_PFC_REQ, 0b0010)
    pair.run(US)
    sent = [e for e in pair.sides[0].log if isinstance(e, FrameOut) and e.port == ports.MAC_TX]
    peer = pair.sides[1].endpoint
    config = peer.qp_config(1)
    assert config is not None and peer.device.layout is not None
    pair.inject(0, build(frames.answer(peer.device, config, 0, 0x60, None), peer.device.layout))
    pair.run(US)
    pair.inject(0, build(frames.answer(peer.device, config, 2, 0x1F, None), peer.device.layout))
    pair.run(US)
    log = [e for e in pair.sides[0].log if not (isinstance(e, SideBand) and e.port == ports.TX_S_CRD)]
    at = pair.now + US
    log.append(SideBand(at, at, ports.RX_PFC_REQ, (0,)))
    again = parse(sent[0].data, peer.device.layout)
    assert again.rh is not None
    ticks = (at + CLK - sent[0].begin) // CLK
    again = replace(again, rh=replace(again.rh, timestamp=again.rh.timestamp + ticks & 0xFFFF), icrc=None)
    log.append(replace(sent[0], data=build(again, peer.device.layout), begin=at + CLK, settled=at + US))
    return log


PAUSE = {("XON_THR_RDMA", "rx_type1_req_bank1_pfc_en"): 1}
