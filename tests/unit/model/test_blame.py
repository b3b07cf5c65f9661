"""A deviation is told by the rule it breaks, and what looks like it but is legal by none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ref_model.ernic import ErnicModel
from ref_model.ernic.answer_order import AnswerOrder
from ref_model.ernic.context import Context
from ref_model.ernic.interrupts import RACE_CLKS, Interrupts
from ref_model.ernic.order import begins
from ref_model.ernic.troubles import Troubles
from ref_model.ernic.validation import CUT, IHL, IP_VERSION, LENGTHS, parse_faults
from ref_model.events import FrameIn, RegRead, RegWrite, Reset
from ref_model.registers import layout
from ref_model.rocev2.endpoint import acknowledge
from ref_model.rocev2.segment import Verb
from ref_model.rules import Rules, Scope, specification
from ref_model.wire import Bth, Ethernet, Frame, IPv4, ParseError, Udp, build, opcodes, parse
from tb.bench._soft_ernic import OWN
from tb.host.bringup import QpMemory, qp_writes
from tb.host.wqe import build_wqe
from tests.unit.model.managed import CQ, RX, Managed
from tests.unit.model.trace import golden, judge

SPEC = specification("ernic")
LAYOUT = layout("ernic")
CLOCK = 4000


def context() -> Context:
    """A context with the knobs of the software ERNIC."""
    knobs = SPEC.knobs(OWN)
    return Context.build(Rules(SPEC, knobs), knobs, CLOCK, 16, 64)


class Registers:
    """Register accesses one after the other, judged by a model."""

    def __init__(self) -> None:
        """Out of reset."""
        self.model = ErnicModel(OWN)
        self.now = 0
        self.model.observe(Reset(0, True))
        self.model.observe(Reset(self._tick(), False))

    def _tick(self) -> int:
        self.now += 100 * CLOCK
        return self.now

    def write(self, addr: int, data: int) -> None:
        """Software writes."""
        self.model.observe(RegWrite(self._tick(), self.now + CLOCK, addr, data))

    def read(self, addr: int, data: int) -> None:
        """The DUT answers a read with ``data``."""
        self.model.observe(RegRead(self._tick(), self.now + CLOCK, addr, data))

    @property
    def told(self) -> list[str]:
        """Rules of the findings."""
        return [finding.rule for finding in self.model.rules.findings]


def test_lost_first_write_is_the_reset_s_fault() -> None:
    bench, addr = Registers(), LAYOUT.block("GLOBAL").address("MACXADDLSB")
    bench.write(addr, 0x12345678)
    bench.read(addr, 0)
    assert bench.told == ["ERN-219"]
    bench.write(addr, 0x99)
    bench.read(addr, 0x12345678)
    assert bench.told[1:] == ["ERN-001"]


def test_value_of_a_hole_shows_in_a_register() -> None:
    bench, addr = Registers(), LAYOUT.block("GLOBAL").address("ERRBUFBA")
    bench.write(addr, 0x1111)
    bench.write(0x10_00E0, 0x7777_0000)
    bench.read(addr, 0x7777_0000)
    assert bench.told == ["ERN-009"]


def test_value_of_another_row_shows() -> None:
    block = LAYOUT.block("MR")
    first, other = block.address("VIRTADDRLSB", 0), block.address("VIRTADDRLSB", 3)
    bench = Registers()
    bench.write(first, 0x1111)
    bench.write(other, 0x3333)
    bench.read(first, 0x3333)
    assert bench.told == ["ERN-010"]
    bench.read(other, 0x3333)
    assert len(bench.told) == 1


@pytest.mark.parametrize(("value", "rules"), [(0, []), (5, ["ERN-221"])])
def test_status_after_another_reset(value: int, rules: list[str]) -> None:
    log = list(golden())
    end = log[-1].begin + 1000 * CLOCK
    addr = LAYOUT.block("QP").address("CQHEAD", 1)
    log += [
        Reset(end, True),
        Reset(end + CLOCK, False),
        RegRead(end + 9 * CLOCK, end + 10 * CLOCK, addr, value),
    ]
    assert [finding.rule for finding in judge(log)] == rules


def test_bit_in_another_bank() -> None:
    ctx = context()
    interrupts = Interrupts(ctx)
    interrupts.bank("RQ", 5)
    interrupts.quiet()
    interrupts.read_bank("RQ", 0, 1 << 5)
    assert not ctx.rules.findings
    interrupts.read_bank("RQ", 32, 1 << 5)
    assert ctx.rules.findings[0].rule == "ERN-018"


@pytest.mark.parametrize(("distance", "rule"), [(1, "ERN-184"), (RACE_CLKS + 1, "ERN-182")])
def test_event_behind_a_clear(distance: int, rule: str) -> None:
    """Only an event close behind the clear may have been lost to it."""
    ctx = context()
    interrupts = Interrupts(ctx)
    interrupts.clear_bank("RQ", 0, 1 << 5)
    ctx.now += distance * CLOCK
    interrupts.bank("RQ", 5)
    interrupts.quiet()
    interrupts.read_bank("RQ", 0, 0)
    assert ctx.rules.findings[0].rule == rule


def test_event_behind_a_clear_that_shows_is_evidence() -> None:
    ctx = context()
    interrupts = Interrupts(ctx)
    interrupts.clear_bank("RQ", 0, 1 << 5)
    interrupts.bank("RQ", 5)
    interrupts.quiet()
    interrupts.read_bank("RQ", 0, 1 << 5)
    assert not ctx.rules.findings and ctx.rules.evidence["ERN-184"] == 1


def test_answers_step_back_only_between_acks() -> None:
    rules, order, scope = Rules(SPEC, SPEC.knobs(OWN)), AnswerOrder(), Scope("QP 2")
    for psn, positive in ((0xFFFFFF, True), (0, False), (0, True), (5, False)):
        order.answer(rules, scope, psn, positive)
    assert not rules.findings and rules.evidence["ERN-126"] == 3
    order.answer(rules, scope, 4, True)
    assert [finding.rule for finding in rules.findings] == ["ERN-126"]


def test_troubles_of_others_only() -> None:
    troubles = Troubles()
    assert troubles.rule_since(0, 2) == ""
    troubles.died(3)
    before = troubles.count
    assert troubles.rule_since(0, 2) == "ERN-236" and troubles.rule_since(0, 3) == ""
    for _ in range(5):
        troubles.waits(2)
    assert troubles.rule_since(before, 2) == "" and troubles.rule_since(0, 2) == "ERN-236"
    assert troubles.rule_since(before, 4) == "ERN-237"
    assert len(troubles._last) == 2


def frame_of(payload: bytes, opcode: int) -> Frame:
    """A parsed frame with ``payload``."""
    frame = Frame(Ethernet(1, 2, 0x0800), ip=IPv4(src=1, dst=2), udp=Udp(1, 4791), bth=Bth(opcode, 2, 0))
    frame.payload = payload
    return parse(build(frame))


def test_first_packet_of_a_later_message() -> None:
    ctx, payload = context(), bytes(number * number % 251 for number in range(320))
    ctx.memory.write(0x5000, payload)
    wqe = build_wqe(1, Verb.SEND.wqe_opcode, 0x5000, len(payload), 0, 0, b"", 0)
    assert begins(ctx, frame_of(payload[:256], opcodes.SEND_FIRST), wqe, 256)
    assert not begins(ctx, frame_of(payload[64:], opcodes.SEND_FIRST), wqe, 256)
    assert not begins(ctx, frame_of(payload[:256], opcodes.SEND_ONLY), wqe, 256)


def test_cut_frame_and_wrong_length() -> None:
    whole = build(frame_of(bytes(40), 4))
    for size in (30, 50, len(whole) - 4, len(whole) - 1):
        with pytest.raises(ParseError) as cut:
            parse(whole[:size])
        assert parse_faults(cut.value) == [CUT], size
    for at, value in ((16, 10), (38, 60)):  # IP length below its header, UDP length apart from it
        with pytest.raises(ParseError) as wrong:
            parse(whole[:at] + value.to_bytes(2, "big") + whole[at + 2 :])
        assert parse_faults(wrong.value) == [LENGTHS], at


def test_wrong_ip_header_and_wrong_lengths() -> None:
    """What else is wrong with such a frame counts too: the order in which a DUT looks is open."""
    whole = build(frame_of(bytes(40), 4))
    for first, fault in ((0x05, IP_VERSION), (0x43, IHL)):
        for frame, expected in ((whole, [fault]), (whole[:-1], [fault, LENGTHS])):
            with pytest.raises(ParseError) as wrong:
                parse(frame[:14] + bytes((first,)) + frame[15:])
            assert parse_faults(wrong.value) == expected
            assert wrong.value.partial.ip_checksum_ok is False


def cut(dut: Managed) -> None:
    """A frame that ends inside its headers comes in."""
    time = dut._tick()
    dut._emit(FrameIn(time, time + CLOCK, "roce_rx", build(dut.mad())[:50]))


def test_silence_behind_a_malformed_frame_is_a_hang() -> None:
    dut = Managed()
    cut(dut)
    dut.arrive(dut.mad())
    assert dut.verdict()[0] == "ERN-234"


def test_sign_of_life_behind_a_malformed_frame() -> None:
    """What the DUT shows behind the frame tells that it goes on: what is missing later has another cause."""
    dut = Managed()
    cut(dut)
    dut.store(dut.arrive(dut.mad()))
    dut.arrive(dut.mad(1))
    assert dut.verdict()[0] == "ERN-195"


def test_silence_before_a_malformed_frame() -> None:
    dut = Managed()
    dut.arrive(dut.mad())
    cut(dut)
    assert dut.verdict()[0] == "ERN-195"


@pytest.mark.parametrize(("malformed", "rule"), [(True, "ERN-234"), (False, "ERN-215")])
def test_stray_write_behind_a_malformed_frame(malformed: bool, rule: str) -> None:
    dut = Managed()
    if malformed:
        cut(dut)
    dut.write(RX, 0x7777_0000, bytes(range(64)))
    assert dut.verdict() == [rule]


@pytest.mark.parametrize(("asked", "rule"), [(2, "ERN-019"), (4, "ERN-122")])
def test_ack_from_the_slot_of_the_other_mode(asked: int, rule: str) -> None:
    """QP 3 acknowledges what only QP 2 was asked: its slot is that of QP 2 in the other QP_BASE_MODE."""
    dut = Managed()
    for number in (3, 4):
        memory = QpMemory(*(0x2200_0000 + 0x100_0000 * number + 0x10_0000 * part for part in range(5)))
        for entry in qp_writes(replace(dut.config, number=number, peer_qp=number), memory):
            dut.register(entry.name, entry.value, entry.index)
    frame = dut.request(dut.config.expected_psn)
    assert frame.bth is not None
    frame.bth.dest_qp = asked
    dut.arrive(frame)
    answer = acknowledge(replace(dut.endpoint.config, peer_qp=3), dut.config.expected_psn, 0x1F, 1)
    dut.leave(build(answer))
    assert dut.verdict()[0] == rule


def test_completion_behind_the_ring() -> None:
    dut = Managed()
    for psn in range(dut.one.sq_depth):
        dut.transmit(dut.mad(psn))
    stored = dut.outgoing(dut.mad(16))
    dut.fetch_payload(stored, dut.one.sq_depth)
    dut.write(CQ, dut.memory_one.cq + 4 * dut.one.sq_depth, bytes((16, 0, Verb.SEND.wqe_opcode, 0)))
    assert dut.verdict()[0] == "ERN-075"
