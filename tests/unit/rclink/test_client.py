"""The client side: dropped packets, tokens, interrupts, deliveries, recovery, LITE, TYPE2."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeGuard

import pytest

from ref_model.events import Event, FrameOut, SideBand
from ref_model.link import LinkFaults
from ref_model.rclink import RclinkModel, ports
from ref_model.rclink.config import Flow
from ref_model.rclink.endpoint import Receiver, Regulator, Sender
from ref_model.rules import Finding
from ref_model.wire.rclink import Format, Frame, recompute
from tests.unit.rclink.pair import CLK, KNOBS, US, Pair, Setup
from tests.unit.rclink.test_seeded_faults import patient
from tests.unit.rclink.trace import change_frame, golden, is_request, judge

CLEAN = LinkFaults(delay_ps=500_000)


def drops() -> Pair:
    """An oversize packet, one for a disabled queue pair, and more than there are slots."""
    pair = Pair(Setup(), CLEAN)
    pair.send(0, 1, bytes(64))
    pair.send(0, 1, b"\x01" * 1345)
    pair.run(US)
    pair.send(0, 9, b"\x02" * 64)
    pair.run(5 * US)
    pair.write(0, "INTR_STATUS", 1 << 14)
    pair.links[0].faults = LinkFaults(drop=1.0)
    pair.run(5 * US)
    for number in range(33):
        pair.send(0, 2, b"\x03" + bytes([number]) * 64)
    pair.run(5 * US)
    pair.links[0].faults = CLEAN
    pair.drain(500 * US)
    pair.send(0, 2, bytes(70))
    pair.drain(500 * US)
    return pair


def test_dropped_packets() -> None:
    pair = drops()
    assert pair.finish() == []
    evidence = pair.sides[0].model.rules.evidence
    assert evidence.keys() >= {"RCL-118", "RCL-119", "RCL-120", "RCL-122", "RCL-123", "RCL-124"}


def damage(log: list[Event], port: str, index: int, *words: int | None) -> Iterator[Event]:
    """Replace words of beat ``index`` of ``port``; none: drop it."""
    seen = -1
    for event in log:
        if isinstance(event, SideBand) and event.port == port:
            seen += 1
            if seen == index:
                if not words:
                    continue
                new = tuple(
                    old if word is None else word for old, word in zip(event.values, words, strict=True)
                )
                event = replace(event, values=new)
        yield event


MESSAGES = [
    ((0,), (), {"RCL-119"}),
    ((1,), (), {"RCL-120"}),
    ((2,), (), {"RCL-118"}),
    ((1,), (1 << 31 | 8 << 5 | 4,), {"RCL-122"}),
    ((0,), (1 << 40 | 1 << 31 | 1 << 5 | 1,), {"RCL-122"}),
    ((0,), (1 << 31 | 1 << 5 | 5,), {"RCL-033", "RCL-119"}),
    ((0,), (1 << 31 | 1 << 5 | 9,), {"RCL-122"}),
    ((0,), (1 << 31 | 1 << 5 | 3,), {"RCL-119"}),
]


@pytest.mark.parametrize(("index", "words", "rules"), MESSAGES)
def test_wrong_message(index: tuple[int], words: tuple[int, ...], rules: set[str]) -> None:
    found = judge(damage(drops().sides[0].log, ports.MSI, index[0], *words))
    assert found and found[0].rule in rules, found[:2]


def test_no_slot_where_there_is_one() -> None:
    pair = Pair(Setup(), CLEAN)
    pair.send(0, 1, bytes(64))
    pair.drain(20 * US)
    side = pair.sides[0]
    side.model.observe(SideBand(pair.now, pair.now, ports.MSI, (1 << 31 | 1 << 5 | 3,)))
    side.model.advance(pair.now + CLK)
    assert [finding.rule for finding in side.findings] == ["RCL-060"]


def test_wrong_level() -> None:
    log = drops().sides[0].log
    never = judge(event for event in log if not (_is(event, ports.RC_INTR)))
    assert never and never[0].rule in ("RCL-119", "RCL-118", "RCL-120")
    falls = []
    for event in log:
        falls.append(event)
        if _is(event, ports.RC_INTR) and isinstance(event, SideBand) and event.values[0]:
            falls.append(SideBand(event.begin + 5 * CLK, event.begin + 5 * CLK, ports.RC_INTR, (0,)))
            break
    found = judge(falls)
    assert found and found[0].rule == "RCL-123"
    other = judge(damage(log, ports.RC_INTR, 0, 1 << 9))
    assert other and other[0].rule == "RCL-119", "in place of the bit of an oversize packet"
    last = max(event.begin for event in golden())
    rises = judge([*golden(), SideBand(last, last, ports.RC_INTR, (1 << 9,))])
    assert rises and rises[0].rule == "RCL-118"


def _is(event: Event, port: str) -> bool:
    return isinstance(event, SideBand) and event.port == port


def test_missing_token_of_an_oversize_packet() -> None:
    log = drops().sides[0].log
    anonymous = [e for e in log if isinstance(e, SideBand) and e.port == ports.TX_S_CRD and not e.values[2]]
    assert len(anonymous) == 2
    found = judge(event for event in log if event is not anonymous[0])
    assert found and found[0].rule in ("RCL-119", "RCL-120")
    named = judge(replace(event, values=(1, 1, 1)) if event is anonymous[0] else event for event in log)
    assert named and named[0].rule in ("RCL-119", "RCL-120")


def test_token_of_a_packet_without_a_slot() -> None:
    log = drops().sides[0].log
    at = next(
        n
        for n, e in enumerate(log)
        if _is(e, ports.MSI) and isinstance(e, SideBand) and e.values[0] & 0xF == 3
    )
    now = log[at].begin
    token = SideBand(now, now, ports.TX_S_CRD, (1, 2, 0))
    assert judge([*log[: at + 1], token, *log[at + 1 :]])[0].rule == "RCL-118"


def test_number_used_by_a_dropped_packet() -> None:
    pair = Pair(Setup(), CLEAN)
    pair.send(0, 1, bytes(64))
    pair.send(0, 1, b"\x01" * 1345)
    pair.drain(100 * US)
    pair.sides[0].endpoint.sender.line(1).psn += 1
    pair.send(0, 1, bytes(70))
    pair.run(5 * US)
    assert pair.sides[0].findings[0].rule == "RCL-124"


def longer(event: FrameOut) -> FrameOut:
    """A delivery with a byte more, which its length counts."""
    user = (*event.user[:2], event.user[2] + 1, event.user[3])
    return replace(event, data=event.data + b"\0", user=user)


def test_dropped_packet_that_is_sent() -> None:
    log = drops().sides[0].log
    frame = next(e for e in log if isinstance(e, FrameOut) and e.port == ports.MAC_TX)
    sent = frame.data.replace(bytes(64), b"\x02" * 64)
    at = next(
        n for n, e in enumerate(log) if _is(e, ports.MSI) and isinstance(e, SideBand) and e.values[0] & 4
    )
    now = log[at].begin
    found = judge([*log[: at + 1], replace(frame, begin=now, settled=now, data=sent), *log[at + 1 :]])
    assert found and found[0].rule == "RCL-120", found[:1]


@pytest.mark.parametrize(("length", "rule"), [(1345, "RCL-119"), (1344, "RCL-037")])
def test_request_nobody_gave(length: int, rule: str) -> None:
    def invented(frame: Frame) -> Frame:
        assert frame.rh is not None
        rh = replace(frame.rh, psn=(frame.rh.psn + 500) & 4095)
        return recompute(replace(frame, rh=rh, payload=b"\xa5" * length))

    found = judge(change_frame(golden(), is_request, invented))
    assert found and found[0].rule == rule, found[:1]


DELIVERIES = [
    (lambda event: replace(event, data=event.data + b"\x55"), "RCL-138"),
    (longer, "RCL-034"),
    (lambda event: replace(event, data=event.data[:-1] + b"\x55"), "RCL-138"),
    (lambda event: replace(event, user=(event.user[0] ^ 1, *event.user[1:])), "RCL-138"),
    (lambda event: replace(event, user=(*event.user[:2], event.user[2] + 1, event.user[3])), "RCL-034"),
    (lambda event: replace(event, user=(*event.user[:3], event.user[3] ^ 1)), "RCL-034"),
    (lambda event: None, "RCL-039"),
]


@pytest.mark.parametrize(("change", "rule"), DELIVERIES)
def test_wrong_delivery(change, rule: str) -> None:  # type: ignore[no-untyped-def]
    def damaged() -> Iterator[Event]:
        left = 3
        for event in golden():
            if isinstance(event, FrameOut) and event.port == ports.RX_M and event.user[1] == 0:
                left -= 1
                if left == 0:
                    event = change(event)
                    if event is None:
                        continue
            yield event

    found = judge(damaged())
    assert found and found[0].rule == rule, found[:2]


def test_two_deliveries_exchanged() -> None:
    log = list(golden())
    places = [
        number
        for number, event in enumerate(log)
        if isinstance(event, FrameOut) and event.port == ports.RX_M and event.user[:2] == (1, 0)
    ]
    first, second = places[1], places[2]
    one, two = log[first], log[second]
    assert isinstance(one, FrameOut) and isinstance(two, FrameOut)
    log[first] = replace(one, data=two.data, user=two.user)
    log[second] = replace(two, data=one.data, user=one.user)
    found = judge(log)
    assert found and found[0].rule in ("RCL-039", "RCL-138"), found[:1]


def recovered() -> Pair:
    """A queue pair that was fatal, freed, and numbered anew."""
    pair = Pair(Setup(retry_limit=2, timeout_us=20), CLEAN)
    pair.links[0].faults = LinkFaults(drop=1.0)
    for number in range(4):
        pair.send(0, 1, bytes([number]) * 80)
    pair.run(200 * US)
    pair.links[0].faults = CLEAN
    pair.send(0, 2, bytes(64))
    pair.run(50 * US)
    pair.write(0, "QP_ID_SET", 1)
    pair.set(0, "QP_CONTROL_STATUS", qp_en=0)
    pair.write(0, "TX_SPEED_MEM", 0)
    pair.run(US)
    pair.set(0, "QP_CONTROL_STATUS", free_buf_set=1)
    pair.run(10 * US)
    pair.settle()
    pair.read(0, "QP_CONTROL_STATUS", 0)
    pair.read(0, "TX_EPSN_MEM", 4)
    pair.set(0, "QP_CONTROL_STATUS", free_buf_set=0)
    pair.bring_up_qp(0, 1, 5, 0)
    pair.write(1, "QP_ID_SET", 1)
    pair.write(1, "REQ_CHK_SN_MEM", 5)
    pair.run(US)
    return pair


def test_freed_packet_that_is_sent() -> None:
    pair = recovered()
    side = pair.sides[0]
    assert side.findings == []
    frame = next(e for e in side.log if isinstance(e, FrameOut) and e.port == ports.MAC_TX)
    side.model.observe(replace(frame, begin=pair.now, settled=pair.now + CLK))
    side.model.advance(pair.now + CLK)
    assert [finding.rule for finding in side.findings] == ["RCL-055"]


def test_recovery_of_a_fatal_queue_pair() -> None:
    pair = recovered()
    pair.write(0, "INTR_STATUS", 8)
    pair.send(0, 1, bytes(90))
    pair.drain(500 * US)
    assert pair.finish() == []
    evidence = pair.sides[0].model.rules.evidence
    assert evidence.keys() >= {"RCL-050", "RCL-051", "RCL-053", "RCL-055"}


def is_retry_over(event: Event) -> TypeGuard[SideBand]:
    return isinstance(event, SideBand) and event.port == ports.MSI and event.values[0] & 0x1F == 2


def is_line(event: Event) -> bool:
    return isinstance(event, SideBand) and event.port == ports.RC_INTR


@pytest.mark.parametrize("missing", [(is_retry_over,), (is_line,), (is_retry_over, is_line)])
def test_fatal_queue_pair_that_is_not_reported(missing: tuple[Callable[[Event], bool], ...]) -> None:
    """Message and line report together that retries are exhausted; neither means that the DUT hangs."""
    log = recovered().sides[0].log
    assert judge(log) == []
    found = judge(event for event in log if not any(kind(event) for kind in missing))
    assert found and found[0].rule == "RCL-051", found[:2]


def test_message_of_another_fatal_queue_pair() -> None:
    log = recovered().sides[0].log
    found = judge(
        replace(event, values=(event.values[0] ^ 1 << 5,)) if is_retry_over(event) else event for event in log
    )
    assert found and found[0].rule == "RCL-051", found[:2]


@pytest.mark.parametrize("pause", [False, True])
def test_one_repetition_more_at_the_threshold(pause: bool) -> None:
    """The DUT may send again once more: nothing is to be reported then, however long a pause delays it."""
    fields = {("XON_THR_RDMA", "rx_type1_req_bank1_pfc_en"): 1}
    setup = Setup(qps=(1,), retry_limit=2, timeout_us=20, fields=fields)
    pair = Pair(setup, CLEAN, parts=(type("Patient", (Sender,), {"retry": patient(1)}), Receiver, Regulator))
    pair.links[0].faults = LinkFaults(drop=1.0)
    pair.send(0, 1, bytes(64))
    pair.run(30 * US)
    if pause:
        pair.side_band(0, ports.RX_PFC_REQ, 0b0010)
    pair.run(100 * US if pause else 5 * US)
    pair.links[0].faults = CLEAN
    if pause:
        pair.side_band(0, ports.RX_PFC_REQ, 0)
    pair.drain(200 * US)
    assert pair.finish() == []


def none_if_fatal(self: Sender) -> object:
    return None if any(line.fatal for line in self.lines.values()) else Sender.choose(self)


@pytest.mark.parametrize("choose", [Sender.choose, none_if_fatal])
def test_fatal_queue_pair_beside_another(choose: Callable[[Sender], object]) -> None:
    parts = (type("Sending", (Sender,), {"choose": choose}), Receiver, Regulator)
    pair = Pair(Setup(retry_limit=2, timeout_us=20), CLEAN, parts=parts)
    pair.links[0].faults = LinkFaults(drop=1.0)
    pair.send(0, 1, bytes(80))
    pair.run(200 * US)
    pair.links[0].faults = CLEAN
    pair.send(0, 2, bytes(64))
    pair.run(100 * US)
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    assert found[:1] == ([] if choose is Sender.choose else ["RCL-051"])


def wrong_epsn() -> Pair:
    pair = Pair(Setup(), CLEAN)
    for _ in range(3):
        pair.send(0, 1, pair.random_packet())
        pair.send(1, 1, pair.random_packet())
    pair.drain(100 * US)
    pair.write(0, "QP_ID_SET", 1)
    pair.settle()
    return pair


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TX_EPSN_MEM", 3),
        ("EXPECT_RESP_PSN_MEM", 3),
        ("TX_LAST_PSN_MEM", 2),
        ("TX_MAX_FW_PSN_MEM", 2),
        ("REQ_CHK_SN_MEM", 3),
        ("TX_ACK_SN_MEM", 3),
    ],
)
def test_psn_registers(name: str, value: int) -> None:
    pair = wrong_epsn()
    pair.read(0, name, value)
    assert pair.sides[0].findings == []
    pair.read(0, name, value + 1)
    assert pair.sides[0].findings[0].rule == "RCL-053"


@pytest.mark.parametrize(
    ("name", "rule"),
    [("MAC_ADDR", "RCL-125/printed"), ("X_MISC_CFG", "RCL-125/provisional"), ("DEST_MAC_MEM", "RCL-126")],
)
def test_register_read_back(name: str, rule: str) -> None:
    pair = wrong_epsn()
    values = pair.sides[0].endpoint.values
    good = values.word(name, 1)
    pair.read(0, name, good)
    assert pair.sides[0].findings == []
    pair.read(0, name, good ^ 1)
    assert pair.sides[0].findings[0].rule == rule


def test_other_queue_pair_behind_the_window() -> None:
    pair = wrong_epsn()
    pair.write(0, "DEST_MAC_MEM", 0x0A0B0C0D0E0F)
    pair.write(0, "QP_ID_SET", 2)
    pair.read(0, "DEST_MAC_MEM", 0x020000000022)
    assert pair.sides[0].findings == []
    pair.read(0, "DEST_MAC_MEM", 0x0A0B0C0D0E0F)
    assert pair.sides[0].findings[0].rule == "RCL-126"


# -- TYPE2 and LITE -------------------------------------------------------------------------------


def multicasts(parts: tuple[type[Sender], type[Receiver], type[Regulator]], rate: int | None) -> Pair:
    fields = {("X_MISC_CFG", "x_multi_credit_ctrl_en"): 1}
    pair = Pair(Setup(fields=fields), CLEAN, parts=parts, knobs={"TYPE2_CRD_RST_NUM": 40})
    if rate is not None:
        pair.side_band(0, ports.SET_TYPE2_RATE, rate)
        pair.run(US)
    for number in range(5):
        pair.multicast(0, number, pair.rng.randbytes(1000 + number))
    pair.run(30 * US)
    pair.side_band(0, ports.TYPE2_CRD, 36)
    pair.drain(100 * US)
    return pair


class NoCells(Regulator):
    """Does not look at the multicast credit."""

    def __init__(self, endpoint) -> None:  # type: ignore[no-untyped-def]
        super().__init__(endpoint)
        self.cells = 1000


class NoRate(Regulator):
    """Never masks."""

    def exceeded(self, count: int, rate: int) -> bool:
        return False


def test_multicast_credit_and_rate() -> None:
    pair = multicasts((Sender, Receiver, Regulator), 2000)
    assert pair.finish() == []
    assert pair.sides[0].model.rules.evidence.keys() >= {"RCL-062", "RCL-072", "RCL-086"}
    pair = multicasts((Sender, Receiver, NoCells), None)
    assert [finding.rule for finding in pair.sides[0].findings][:1] == ["RCL-086"]
    pair = multicasts((Sender, Receiver, NoRate), 900)
    assert [finding.rule for finding in pair.sides[0].findings][:1] == ["RCL-072"]


def test_type2_token_lost_and_invented() -> None:
    log = golden()
    tokens = [e for e in log if isinstance(e, SideBand) and e.port == ports.TX_S_CRD and e.values[0] & 8]
    found = judge(event for event in log if event is not tokens[1])
    assert found and found[0].rule == "RCL-062"
    twice: list[Event] = []
    for event in log:
        twice += [event] * (2 if event is tokens[-1] else 1)
    found = judge(twice)
    assert found and found[0].rule == "RCL-062"


def test_lite() -> None:
    log = golden(Format.LITE)
    model = RclinkModel(KNOBS, CLK)
    for event in log:
        model.observe(event)
    model.finish()
    assert model.rules.findings == []
    assert model.rules.evidence.keys() >= {"RCL-004", "RCL-104", "RCL-105", "RCL-106", "RCL-133"}
    tokens = [e for e in log if isinstance(e, SideBand) and e.port == ports.TX_S_CRD and e.values[0] & 1]
    found = judge(event for event in log if event is not tokens[3])
    assert found and found[0].rule == "RCL-104", found[:1]

    def wrong_bank() -> Iterator[Event]:
        for event in log:
            if isinstance(event, FrameOut) and event.port == ports.RX_M and event.user[1] == 0:
                event = replace(event, user=(event.user[0] ^ 1, *event.user[1:]))
            yield event

    found = judge(wrong_bank())
    assert found and found[0].rule == "RCL-105"


def test_lite_class_with_other_low_bits() -> None:
    pair = Pair(Setup(Format.LITE), CLEAN)
    tc = pair.sides[0].endpoint.values.get("TRAFFIC_CLASS", "type1_req_tc_bank1")
    pair.set(0, "TRAFFIC_CLASS", type1_req_tc_bank1=tc ^ 3)
    pair.settle(100)
    pair.send(1, 1, bytes(64))
    pair.drain(100 * US)
    assert pair.finish() == []
    log = pair.sides[0].log
    assert judge(event for event in log if not _is_delivery(event))[0].rule == "RCL-106"


def _is_delivery(event: Event) -> bool:
    return isinstance(event, FrameOut) and event.port == ports.RX_M


def test_lite_sends_no_answer() -> None:
    log = list(golden(Format.LITE))
    frame = next(e for e in log if isinstance(e, FrameOut) and e.port == ports.MAC_TX and not e.user[3])
    log.append(SideBand(log[-1].begin + US, log[-1].begin + US, ports.RETRY_TMO, (1,)))
    found = judge(log)
    assert found and found[0].rule == "RCL-107"
    again = [*golden(Format.LITE), replace(frame, begin=log[-1].begin, settled=log[-1].begin)]
    found = judge(again)
    assert found and found[0].rule == "RCL-107", found[:1]


def test_lite_answer_or_second_copy() -> None:
    """Both are told, even while another packet waits."""
    pair = Pair(Setup(Format.LITE, fields=PAUSABLE), CLEAN)
    pair.send(0, 1, b"\x01" * 64)
    pair.run(2 * US)
    pair.side_band(0, ports.RX_PFC_REQ, 0b0100)
    pair.send(0, 2, b"\x02" * 64)
    pair.run(2 * US)
    log = list(pair.sides[0].log)
    frame = next(e for e in log if isinstance(e, FrameOut) and e.port == ports.MAC_TX)
    again = replace(frame, begin=pair.now, settled=pair.now)
    answer = replace(again, data=b"\x30" + frame.data[1:12], user=(4, 1 << 4, *frame.user[2:]))
    model = RclinkModel(KNOBS, CLK)
    for event in log:
        model.observe(event)
    model.advance(pair.now + CLK)
    assert model.rules.findings == []
    for wrong in (again, answer):
        assert judge([*log, wrong])[0].rule == "RCL-107"


PAUSABLE = {("XON_THR_RDMA", "rx_type1_req_bank2_pfc_en"): 1}


# -- pause of the peer ----------------------------------------------------------------------------


STOPS = (("tx_type1_req_bank1_pfc_en", 1), ("flow_stop_en", 0xF))


def test_pause_requests() -> None:
    fields = {("XON_THR_RDMA", "tx_type1_req_bank1_pfc_en"): 1, ("XON_THR_RDMA", "xoff_thr_rdma"): 50}

    def events(*levels: tuple[int, int], enabled: int = 0xF) -> list[Finding]:
        pair = Pair(Setup(fields={**fields, ("XON_THR_RDMA", "flow_stop_en"): enabled}), CLEAN)
        pair.side_band(0, ports.FLOW_STOP, 0b0010)
        start = pair.now
        for delay, level in levels:
            pair.run(start + delay * CLK - pair.now)
            pair.sides[0].observe(SideBand(pair.now, pair.now, ports.TX_PFC_REQ, (level,)))
        pair.run(60 * US)
        pair.sides[0].model.finish()
        return pair.sides[0].findings

    assert events((20, 0b0010)) == []
    assert events()[0].rule == "RCL-090"
    assert events((20, 0b0100))[0].rule == "RCL-092"
    assert events((1000, 0b0010), enabled=0b1101)[0].rule == "RCL-090"
    assert events(enabled=0b1101) == []


def test_pause_request_behind_a_short_stop() -> None:
    pair = Pair(Setup(fields={("XON_THR_RDMA", f): v for f, v in STOPS}), CLEAN)
    pair.side_band(0, ports.FLOW_STOP, 0b0010)
    pair.run(10 * CLK)
    pair.side_band(0, ports.FLOW_STOP, 0)
    for level in (0b0010, 0):
        pair.sides[0].observe(SideBand(pair.now, pair.now, ports.TX_PFC_REQ, (level,)))
        pair.run(10 * CLK)
    pair.drain(200 * US)
    assert pair.finish() == []


def congested(*levels: tuple[int, int]) -> list[str]:
    """Requests of bank 1 fill the receive buffer of side 0; ``levels`` of TX_PFC_REQ_O by time (us)."""
    marks = {
        ("XON_THR_RDMA", "tx_type1_req_bank1_pfc_en"): 1,
        ("XON_THR_RDMA", "xon_thr_rdma"): 4,
        ("XON_THR_RDMA", "xoff_thr_rdma"): 20,
    }
    pair = Pair(Setup(fields=marks, timeout_us=2000), CLEAN, knobs={"LIVENESS_CLKS": 100_000})
    side = pair.sides[0]
    start = pair.now
    side.endpoint._client_free = start + 50 * US  # the client takes nothing
    for time, level in levels:
        at = start + time * US
        pair.at(at, lambda at=at, level=level: side.observe(SideBand(at, at, ports.TX_PFC_REQ, (level,))))  # type: ignore[misc]
    for _ in range(6):
        pair.send(1, 1, pair.rng.randbytes(1344))
    pair.run(300 * US)
    side.model.advance(pair.now)
    return [finding.rule for finding in side.findings]


def test_pause_by_fill_level() -> None:
    assert congested((1, 2), (51, 0)) == []
    assert congested()[0] == "RCL-089"
    assert congested((1, 2))[0] == "RCL-089"


@pytest.mark.parametrize("falls", [False, True])
def test_pause_between_the_marks(falls: bool) -> None:
    """The request stays until the lower mark, however long the level rests above it."""
    marks = {("XON_THR_RDMA", "xon_thr_rdma"): 4, ("XON_THR_RDMA", "xoff_thr_rdma"): 60}
    setup = Setup(fields={**marks, ("XON_THR_RDMA", STOPS[0][0]): 1}, timeout_us=2000)
    pair = Pair(setup, CLEAN, knobs={"LIVENESS_CLKS": 100_000})
    side = pair.sides[0]
    side.endpoint._client_free = pair.now + 20 * US
    for _ in range(4):
        pair.send(1, 1, pair.rng.randbytes(1344))
    pair.run(US)
    side.observe(SideBand(pair.now, pair.now, ports.TX_PFC_REQ, (2,)))
    pair.run(19 * US + 30 * CLK)  # two packets leave
    side.endpoint._client_free = pair.now + 20 * US
    if falls:
        side.observe(SideBand(pair.now, pair.now, ports.TX_PFC_REQ, (0,)))
    pair.run(15 * US)
    assert 20 < side.model.shared.buffers.entries(Flow.BANK1) < 60
    side.observe(SideBand(pair.now, pair.now, ports.TX_PFC_REQ, (2,)))
    pair.run(5 * US + 500 * CLK)
    side.observe(SideBand(pair.now, pair.now, ports.TX_PFC_REQ, (0,)))
    pair.drain(100 * US)
    found = [finding.rule for finding in side.findings]
    assert found[:1] == (["RCL-089"] if falls else []), found
