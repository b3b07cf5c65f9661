"""Received frames that must be dropped, and what a device that takes them is found guilty of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ref_model.events import Event, FrameOut, SideBand
from ref_model.link import LinkFaults
from ref_model.rclink import frames, ports
from ref_model.rclink.config import QpConfig
from ref_model.rclink.endpoint import Receiver, Regulator, Sender
from ref_model.wire.rclink import Format, Frame, Rh, build
from tests.unit.rclink.pair import CLK, GOOD, US, Pair, Parts, Setup
from tests.unit.rclink.trace import judge

Edit = Callable[[Frame], None]
CLEAN = LinkFaults(delay_ps=500_000)


def device(**methods: Any) -> Parts:
    """A device whose receiver has some parts replaced."""
    return (Sender, type("Faulty", (Receiver,), methods), Regulator)


def peer_request(pair: Pair, qp: int, psn: int, payload: bytes, edit: Edit | None = None) -> bytes:
    """A request as the peer of side 0 would send it, with one thing changed."""
    peer = pair.sides[1].endpoint
    config: QpConfig | None = peer.qp_config(qp)
    assert config is not None and peer.device.layout is not None
    frame = frames.request(peer.device, config, qp, psn, False, 0x1111, payload)
    if edit is not None:
        edit(frame)
    return build(frame, peer.device.layout)


def rh(frame: Frame) -> Rh:
    """Transport header, which a request has."""
    assert frame.rh is not None
    return frame.rh


def other_address(frame: Frame) -> None:
    assert frame.addresses is not None
    frame.addresses.dst ^= 1 << 47 if frame.format is not Format.GEN2 else 1


def other_key(frame: Frame) -> None:
    rh(frame).pkey ^= 0x80


def wrong_crc(frame: Frame) -> None:
    frame.icrc = 0x12345678


def reserved(frame: Frame) -> None:
    rh(frame).opcode = 3


def disabled(frame: Frame) -> None:
    rh(frame).dest_qp = 7


def absent(frame: Frame) -> None:
    rh(frame).dest_qp = 0x1003


def yes(*_: Any) -> bool:
    return True


def no(*_: Any) -> bool:
    return False


def silent(*_: Any) -> None:
    """Report nothing."""


BAD = [
    ("address", other_address, 0, device(for_us=yes), "RCL-028"),
    ("key", other_key, 0, device(key_right=yes), "RCL-030"),
    ("ICRC", wrong_crc, 0, device(checked=yes), "RCL-032"),
    ("damage", None, 1, device(damaged=no), "RCL-029"),
    ("length error", None, 2, device(damaged=no), "RCL-029"),
    ("disabled queue pair", disabled, 0, device(not_enabled=silent), "RCL-033"),
    ("absent queue pair", absent, 0, device(not_enabled=silent), "RCL-033"),
    ("reserved opcode", reserved, 0, GOOD, ""),
]


@pytest.mark.parametrize(("name", "edit", "error", "parts", "rule"), BAD, ids=[row[0] for row in BAD])
@pytest.mark.parametrize("form", [Format.STANDARD, Format.GEN1, Format.GEN2])
def test_bad_frame(form: Format, name: str, edit: Edit | None, error: int, parts: Parts, rule: str) -> None:
    for faulty in (False, True):
        pair = Pair(Setup(form), CLEAN, parts=parts if faulty else GOOD)
        pair.inject(0, peer_request(pair, 1, 0, bytes(range(70)), edit), error)
        pair.run(US)
        pair.inject(0, peer_request(pair, 1, 0, bytes(range(1, 80))))
        pair.drain(10 * US)
        pair.sides[0].model.finish()
        found = [finding.rule for finding in pair.sides[0].findings]
        if faulty and rule:
            assert found and found[0] == rule, found
        else:
            assert found == []


def test_reserved_opcode_taken_for_a_notification() -> None:
    pair = Pair(Setup(), CLEAN)
    pair.inject(0, peer_request(pair, 1, 0, bytes(64), reserved))
    pair.run(US)
    side = pair.sides[0]
    assert side.findings == []
    side.model.observe(SideBand(pair.now, pair.now, ports.RECV_CNP, (1,)))
    side.model.advance(pair.now + CLK)
    assert [finding.rule for finding in side.findings] == ["RCL-031"]


def test_oversize_type2_frame() -> None:
    pair = Pair(Setup(Format.GEN1), CLEAN)
    peer = pair.sides[1].endpoint
    assert peer.device.layout is not None
    pair.inject(0, build(frames.multicast(peer.device, 0, bytes(1345)), peer.device.layout))
    pair.inject(0, build(frames.multicast(peer.device, 0, bytes(1344)), peer.device.layout))
    pair.run(20 * US)
    log = list(pair.sides[0].log)
    assert pair.finish() == []
    assert pair.sides[0].model.rules.evidence["RCL-121"]
    quiet = [event for event in log if not (isinstance(event, SideBand) and event.port == ports.MSI)]
    assert judge(quiet)[0].rule == "RCL-121"


def padded(frame: Frame) -> None:
    frame.trailer = b"\xa5" * 6


def summed(frame: Frame) -> None:
    assert frame.udp is not None
    frame.udp.checksum = 0xBEEF


def rerouted(frame: Frame) -> None:
    assert frame.ip is not None
    frame.ip.tos, frame.ip.ttl = 0xFC, 3


@pytest.mark.parametrize(
    ("edit", "rule"), [(padded, "RCL-136"), (summed, "RCL-014/rx"), (rerouted, "RCL-032")]
)
def test_frame_that_must_be_taken(edit: Edit, rule: str) -> None:
    pair = Pair(Setup(), CLEAN)
    pair.inject(0, peer_request(pair, 1, 0, bytes(64), edit))
    pair.drain(10 * US)
    log = list(pair.sides[0].log)
    assert pair.finish() == []
    assert pair.sides[0].model.rules.evidence[rule]
    deaf = [event for event in log if not (isinstance(event, FrameOut) and event.begin > 100 * CLK)]
    assert rule in {finding.rule for finding in judge(deaf)}


def answered(pair: Pair, edit: Edit) -> list[Event]:
    """Log of side 0 with a packet whose ACK, and a CNP behind it, are changed by ``edit``."""
    pair.links[0].faults = LinkFaults(drop=1.0)
    peer = pair.sides[1].endpoint
    config, layout = peer.qp_config(1), peer.device.layout
    assert config is not None and layout is not None
    pair.send(0, 1, bytes(64))
    pair.run(2 * US)
    answers = (frames.answer(peer.device, config, 0, 0x1F, None), frames.notification(peer.device, config))
    for frame in answers:
        edit(frame)
        pair.inject(0, build(frame, layout))
        pair.run(US)
    pair.drain(10 * US)
    return list(pair.sides[0].log)


@pytest.mark.parametrize(("edit", "rule"), [(padded, "RCL-136"), (summed, "RCL-014/rx")])
def test_answer_that_must_be_taken(edit: Edit, rule: str) -> None:
    pair = Pair(Setup(), CLEAN)
    log = answered(pair, edit)
    assert [finding.rule for finding in pair.sides[0].findings] == []
    assert pair.sides[0].model.rules.evidence[rule] == 2
    for port in (ports.TX_S_CRD, ports.RECV_CNP):
        deaf = [event for event in log if not (isinstance(event, SideBand) and event.port == port)]
        assert judge(deaf)[0].rule == rule
        if port == ports.TX_S_CRD:
            late = SideBand(pair.now, pair.now, ports.RETRY_TMO, (1,))
            assert judge([*deaf, late])[0].rule == rule


@pytest.mark.parametrize("form", [Format.STANDARD, Format.GEN1])
def test_multicast_with_another_checksum(form: Format) -> None:
    pair = Pair(Setup(form), CLEAN)
    peer = pair.sides[1].endpoint
    frame = frames.multicast(peer.device, 0, bytes(64))
    if frame.udp is not None:
        summed(frame)
    assert peer.device.layout is not None
    pair.inject(0, build(frame, peer.device.layout))
    pair.drain(10 * US)
    log = list(pair.sides[0].log)
    assert pair.finish() == []
    deaf = [event for event in log if not isinstance(event, FrameOut)]
    assert judge(deaf)[0].rule == ("RCL-014/rx" if form is Format.STANDARD else "RCL-025")


def test_frame_behind_a_gap_is_taken_once_repeated() -> None:
    pair = Pair(Setup(), CLEAN)
    second = peer_request(pair, 1, 1, bytes(64))
    for data in (second, second, peer_request(pair, 1, 0, bytes(65)), second, second):
        pair.inject(0, data)
        pair.run(US)
    pair.drain(10 * US)
    assert pair.finish() == []
    evidence = pair.sides[0].model.rules.evidence
    assert evidence["RCL-039"] == 2 and evidence["RCL-042"] and evidence["RCL-044"]


STOPS = {
    ("XON_THR_RDMA", "flow_stop_en"): 0xF,
    ("AFH_CFG_EN", "type1_flow_stop_send_rnr_en"): 0xF,
}


def stopped(self: Receiver, qp: int) -> bool:
    return False


@pytest.mark.parametrize("parts", [GOOD, device(_stopped=stopped)], ids=["golden", "stop ignored"])
def test_stopped_bank(parts: Parts) -> None:
    pair = Pair(Setup(fields=STOPS), CLEAN, parts=parts)
    pair.side_band(0, ports.FLOW_STOP, 0b0010)
    pair.run(US)
    for number in range(3):
        pair.send(1, 1, bytes([number]) * 64)
        pair.send(1, 2, bytes([number]) * 65)
    pair.run(20 * US)
    pair.side_band(0, ports.FLOW_STOP, 0)
    pair.drain(500 * US)
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    if parts is GOOD:
        assert found == [] and pair.finish() == []
        assert pair.sides[0].model.rules.evidence["RCL-052"]
        assert pair.sides[1].model.rules.evidence["RCL-052"]
    else:
        assert found and found[0] == "RCL-052"


def test_stop_at_the_moment_of_a_request_is_not_told_apart() -> None:
    for shift in range(-20, 40, 7):
        pair = Pair(Setup(fields=STOPS), CLEAN)
        pair.send(1, 1, bytes(64))
        pair.run(512 * CLK + shift * CLK)
        pair.side_band(0, ports.FLOW_STOP, 0b0010)
        pair.send(1, 1, bytes(65))
        pair.run(3 * US)
        pair.side_band(0, ports.FLOW_STOP, 0)
        pair.drain(500 * US)
        assert pair.finish() == []


def test_soft_checksum_errors_may_be_taken_or_dropped() -> None:
    pair = Pair(Setup(), CLEAN)

    def wrong(frame: Frame) -> None:
        assert frame.ip is not None
        frame.ip.checksum = 0x1234

    pair.inject(0, peer_request(pair, 1, 0, bytes(64), wrong))
    pair.inject(0, peer_request(pair, 1, 1, bytes(66)))
    pair.drain(10 * US)
    assert pair.finish() == []


MERGE = {("X_MISC_CFG", "x_cnp_merge_en"): 1, ("X_MISC_CFG", "x_cnp_timer_thr"): 2000}
MANY = tuple(range(1, 11))


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        (GOOD, ""),
        (device(passes=yes), "RCL-101"),
        (device(remembered=7), "RCL-102"),
        (device(passes=no), "RCL-100"),
    ],
    ids=["golden", "no filter", "seven entries", "nothing passes"],
)
def test_filter_of_cnps(parts: Parts, rule: str) -> None:
    pair = Pair(Setup(qps=MANY, fields=MERGE), CLEAN, parts=parts)
    peer = pair.sides[1].endpoint

    def notify(qp: int) -> None:
        config = peer.qp_config(qp)
        assert config is not None and peer.device.layout is not None
        pair.inject(0, build(frames.notification(peer.device, config), peer.device.layout))
        pair.run(20 * CLK)

    order = (1, 1, 2) if rule == "RCL-101" else (*MANY[:8], *MANY[:8], 9, 10, 1)
    for qp in order:
        notify(qp)
    pair.run(4 * US)
    for qp in (1, 2):
        notify(qp)
    pair.run(100 * US)
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    assert found[:1] == ([rule] if rule else []), found
    if not rule:
        assert pair.sides[0].model.rules.evidence.keys() >= {"RCL-100", "RCL-101", "RCL-102"}


def merged_first(self: Receiver) -> tuple[int, int, int, int | None] | None:
    """Answers of the merge walk go before those that a Fack demands."""
    if self.merged:
        kept, self.answers = self.answers, type(self.answers)()
        found = Receiver.next_answer(self)
        self.answers = kept
        return found
    return Receiver.next_answer(self)


@pytest.mark.parametrize("parts", [GOOD, device(next_answer=merged_first)], ids=["golden", "merge first"])
def test_fack_goes_first(parts: Parts) -> None:
    pair = Pair(Setup(fields={("XON_THR_RDMA", "rx_ack_pfc_en"): 1}), CLEAN, parts=parts)
    pair.side_band(0, ports.RX_PFC_REQ, 1 << 4)
    pair.run(US)
    pair.send(1, 1, bytes(64), fack=True)
    pair.run(US)
    pair.send(1, 2, bytes(64))
    pair.send(1, 3, bytes(64))
    pair.run(2 * US)
    pair.side_band(0, ports.RX_PFC_REQ, 0)
    pair.drain(50 * US)
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    assert found[:1] == ([] if parts is GOOD else ["RCL-097"])
    assert parts is not GOOD or pair.sides[0].model.rules.evidence["RCL-097"]


def nak_of_the_gap(self: Receiver) -> tuple[int, int, int, int | None] | None:
    """A NAK names what was expected when the gap showed; what came since is acknowledged behind it."""
    found = Receiver.next_answer(self)
    if found is None or found[2] != 0x60:
        return found
    self.merged[found[0]] = None
    return found[0], (found[1] - 1) & 4095, *found[2:]


def nak_alone(self: Receiver) -> tuple[int, int, int, int | None] | None:
    """The same, and what came since is forgotten."""
    found = nak_of_the_gap(self)
    self.merged.clear()
    return found


@pytest.mark.parametrize(
    ("parts", "rules"),
    [
        (GOOD, []),
        (device(next_answer=nak_of_the_gap), []),
        (device(next_answer=nak_alone), ["RCL-094"]),
    ],
    ids=["NAK last", "ACK behind", "no ACK"],
)
def test_request_between_a_gap_and_its_nak(parts: Parts, rules: list[str]) -> None:
    pair = Pair(Setup(fields={("XON_THR_RDMA", "rx_ack_pfc_en"): 1}), CLEAN, parts=parts)
    pair.side_band(0, ports.RX_PFC_REQ, 1 << 4)
    for psn in (0, 2, 1):
        pair.inject(0, peer_request(pair, 1, psn, bytes([psn]) * 64))
        pair.run(US)
    pair.side_band(0, ports.RX_PFC_REQ, 0)
    pair.drain(100 * US)
    pair.sides[0].model.finish()
    assert [finding.rule for finding in pair.sides[0].findings] == rules
    assert pair.sides[0].model.rules.evidence["RCL-042"] or rules


def unanswered(self: Receiver, frame: Frame, source: int) -> None:
    """A request is taken and never acknowledged."""
    Receiver.request(self, frame, source)
    self.merged.clear()


@pytest.mark.parametrize("answers", [True, False], ids=["answers", "silent"])
def test_answer_held_back_for_long(answers: bool) -> None:
    """The deadline of an acknowledge stands still while the flow may not send, and no longer."""
    parts = GOOD if answers else device(request=unanswered)
    pair = Pair(Setup(fields={("XON_THR_RDMA", "rx_ack_pfc_en"): 1}), CLEAN, parts=parts)
    pair.side_band(0, ports.RX_PFC_REQ, 1 << 4)
    pair.inject(0, peer_request(pair, 1, 0, bytes(64)))
    model, liveness = pair.sides[0].model, pair.knobs["LIVENESS_CLKS"] * CLK
    pair.run(3 * liveness)
    model.advance(pair.now)
    assert not pair.sides[0].findings
    pair.side_band(0, ports.RX_PFC_REQ, 0)
    pair.run(2 * liveness)
    model.advance(pair.now)
    assert [finding.rule for finding in pair.sides[0].findings] == ([] if answers else ["RCL-094"])


def lowest_first(self: Receiver) -> tuple[int, int, int, int | None] | None:
    """The walk begins at the first queue pair after each answer."""
    self.merged = dict.fromkeys(sorted(self.merged))
    return Receiver.next_answer(self)


@pytest.mark.parametrize("parts", [GOOD, device(next_answer=lowest_first)], ids=["golden", "lowest first"])
def test_queue_pairs_are_served_in_turn(parts: Parts) -> None:
    pair = Pair(Setup(qps=MANY, fields={("XON_THR_RDMA", "rx_ack_pfc_en"): 1}), CLEAN, parts=parts)
    for turn in range(16):
        pair.side_band(0, ports.RX_PFC_REQ, 1 << 4)
        for qp in (*MANY[:5], *MANY[5 : 6 if turn == 2 else 5]):
            pair.send(1, qp, bytes(64))
        pair.run(US)
        pair.side_band(0, ports.RX_PFC_REQ, 0)
        pair.at(pair.now + CLK, lambda: None)
        pair.run(2 * CLK)
    pair.drain(50 * US)
    pair.sides[0].model.finish()
    found = [finding.rule for finding in pair.sides[0].findings]
    assert found[:1] == ([] if parts is GOOD else ["RCL-098"])
    assert parts is not GOOD or pair.sides[0].model.rules.evidence["RCL-098"]
