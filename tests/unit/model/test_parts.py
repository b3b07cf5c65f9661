"""Rows of several parts: each part is decided, and told, on its own."""

from __future__ import annotations

import pytest

from ref_model.ernic.context import Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.interrupts import Interrupts
from ref_model.events import FrameIn, FrameOut, RegRead
from ref_model.rocev2.endpoint import EndpointConfig, envelope
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from ref_model.rules import Rules, specification
from ref_model.wire import Aeth, Bth, Frame, Reth, build, opcodes
from tb.bench._soft_ernic import OWN, QP, REGION, ROW, SoftErnic
from tb.host.bringup import Write
from tb.host.settings import ResponseMode

SPEC = specification("ernic")
RX = "rx_pkt_hndler_ddr"
REACHED = REGION + (1 << 32)
"""Where the region lies in memory."""
PSN = 0xFFFFF0
"""First packet number of either direction."""
SEQUENCE_NAK, RNR_NAK = 0x60, 0x21
US = 1_000_000


class Hand(SoftErnic):
    """An ERNIC with one QP whose frames and memory writes are up to the test, like those of its peer."""

    def __init__(
        self,
        ack_mode: ResponseMode = ResponseMode.REQUEST,
        rnr_retry: int = 7,
        forever: bool = False,
        rq_depth: int = 32,
        **knobs: object,
    ) -> None:
        super().__init__(0, pmtu=256, knobs={"LIVENESS_CLKS": 5_000, "ACK_TIMEOUT": 256, **knobs})
        self.device.ack_mode, self.device.retry_fatal_disable = ack_mode, forever
        self.config.rnr_retry, self.config.rq_depth, self.config.timeout = rnr_retry, rq_depth, 0
        self.peer = SoftErnic(1, pmtu=256).endpoint.config
        self.bring_up()

    @property
    def told(self) -> list[str]:
        """Rules of the findings."""
        return [finding.rule for finding in self.model.rules.findings]

    def evidence(self, rule: str) -> int:
        """Decided checks of ``rule``."""
        return self.model.rules.evidence[rule]

    def wait(self, us: float) -> None:
        """Let time pass."""
        self.now += round(us * US)
        self.model.advance(self.now)

    def frame(self, sender: EndpointConfig, opcode: int, number: int, payload: bytes = b"") -> Frame:
        """Frame number ``number`` of either side; the last packet of a message asks for an ACK."""
        info = opcodes.INFO[opcode]
        asks = info.last and info.kind != "ack"
        frame = envelope(sender, Bth(opcode, QP, psn_add(PSN, number), sender.pkey, ack_req=asks))
        frame.payload = payload
        return frame

    def arrive(self, frame: Frame) -> None:
        """``frame`` comes in."""
        time = self._tick()
        self._emit(FrameIn(time, time + 4000, "roce_rx", build(frame)))

    def leave(self, frame: Frame) -> None:
        """The DUT sends ``frame``."""
        time = self._tick()
        self._emit(FrameOut(time, time + 4000, "tx", build(frame)))

    def answer(self, number: int, syndrome: int = 0x1F, messages: int = 0) -> None:
        """The DUT sends an ACK or NAK."""
        frame = self.frame(self.endpoint.config, opcodes.ACKNOWLEDGE, number)
        frame.aeth = Aeth(syndrome, messages)
        self.leave(frame)

    def nak(self, number: int, syndrome: int) -> None:
        """The peer sends a NAK."""
        frame = self.frame(self.peer, opcodes.ACKNOWLEDGE, number)
        frame.aeth = Aeth(syndrome, 0)
        self.arrive(frame)

    def receive(self, number: int, asks: bool = True, payload: bytes = b"") -> None:
        """The peer sends a SEND."""
        frame = self.frame(self.peer, opcodes.SEND_ONLY, number, payload)
        assert frame.bth is not None
        frame.bth.ack_req = asks
        self.arrive(frame)

    def write(self, opcode: int, number: int, payload: bytes, total: int = 600) -> None:
        """The peer sends a packet of a WRITE of ``total`` bytes."""
        frame = self.frame(self.peer, opcode, number, payload)
        if opcodes.INFO[opcode].first:
            frame.reth = Reth(REGION, ROW << 8 | 0x5A, total)
        self.arrive(frame)

    def stored(self, addr: int, data: bytes) -> None:
        """The DUT writes payload to memory."""
        self._write(RX, addr, data)

    def taken(self, number: int) -> None:
        """The peer sends a SEND without data that asks for no ACK, the DUT announces it."""
        self.receive(number, asks=False)
        self._write(RX, self.rings.rq_doorbell, (number + 1).to_bytes(4, "little"))

    def retried(self, rounds: int) -> None:
        """A SEND that the peer is not ready for, resent ``rounds`` times."""
        self.post(Verb.SEND, bytes(40))
        packet = self.frame(self.endpoint.config, opcodes.SEND_ONLY, 0, bytes(40))
        self.leave(packet)
        for _ in range(rounds):
            self.nak(0, RNR_NAK)
            self.wait(15)
            self.leave(packet)

    def status(self, fatal: int) -> None:
        """STATQP of the QP is read: resent, all entries taken."""
        time = self._tick()
        value = 1 << 11 | 1 << 9 | fatal
        self._emit(RegRead(time, time + 4000, self._names.address("STATQP", QP), value))


# -- retries after RNR NAKs (ERN-087, ERN-089) ---------------------------------------------------------


@pytest.mark.parametrize(("limit", "rounds", "told"), [(0, 1, []), (0, 2, ["ERN-089/count"]), (6, 7, [])])
def test_rnr_retries_end(limit: int, rounds: int, told: list[str]) -> None:
    """One retry more than the limit is tolerated, two are not."""
    bench = Hand(rnr_retry=limit)
    bench.retried(rounds)
    assert bench.told == told and not bench.evidence("ERN-089/count")


def test_rnr_limit_must_end_the_qp() -> None:
    bench = Hand(rnr_retry=1)
    bench.retried(1)
    bench.nak(0, RNR_NAK)
    bench.wait(100)
    assert bench.told == ["ERN-089/count"]


@pytest.mark.parametrize(
    ("meaning", "told", "decided", "seen"),
    [("infinite", [], 2, 0), ("count", ["ERN-089/infinite"], 0, 0), ("report", [], 0, 2)],
)
def test_rnr_limit_7(meaning: str, told: list[str], decided: int, seen: int) -> None:
    """Ten retries in a row tell a limit from none."""
    bench = Hand(RNR_INFINITE_7=meaning)
    bench.retried(10)
    assert bench.told[:1] == told
    assert bench.evidence("ERN-089/infinite") == decided
    assert bench.model.rules.observed["ERN-089/infinite"] == seen


@pytest.mark.parametrize("fatal", [0, 1])
def test_alive_beyond_the_limit(fatal: int) -> None:
    bench = Hand(rnr_retry=1, forever=True)
    bench.retried(2)
    bench.status(0)
    assert not bench.evidence("ERN-087/alive"), "a QP with a limit might have come as far"
    bench.nak(0, RNR_NAK)
    bench.wait(15)
    bench.leave(bench.frame(bench.endpoint.config, opcodes.SEND_ONLY, 0, bytes(40)))
    bench.status(fatal)
    assert bench.told == ["ERN-087/alive"] * fatal
    assert bench.evidence("ERN-087/alive") == 1 - fatal and bench.evidence("ERN-087/resend") == 1


# -- ACK mode 00 (ERN-120) -----------------------------------------------------------------------------


def test_rest_is_acknowledged_in_the_end() -> None:
    bench = Hand(ResponseMode.REQUEST_OR_TIMEOUT)
    bench.taken(0)
    bench.answer(0, messages=1)
    assert not bench.told and bench.evidence("ERN-120/rest") == 1
    bench.taken(1)
    bench.wait(30)
    assert bench.told == ["ERN-120/rest"]


def test_rest_covered_by_a_requested_ack_proves_nothing() -> None:
    bench = Hand(ResponseMode.REQUEST_OR_TIMEOUT)
    bench.receive(0, asks=False)
    bench.receive(1)
    bench.answer(1, messages=2)
    assert not bench.told
    assert (bench.evidence("ERN-120/rest"), bench.evidence("ERN-120/requested")) == (0, 1)


def test_ack_timer_need_not_outlive_the_qp() -> None:
    bench = Hand(ResponseMode.REQUEST_OR_TIMEOUT)
    bench.taken(0)
    bench._register(Write("QPCONF", 0, QP))
    bench.wait(30)
    assert not bench.told


def test_open_ack_timeout() -> None:
    bench = Hand(ResponseMode.REQUEST_OR_TIMEOUT, ACK_TIMEOUT="any")
    bench.taken(0)
    bench.wait(30)
    assert not bench.told and bench.model.rules.observed["ERN-120/rest"] == 1


# -- wrong sizes (ERN-130, ERN-232) --------------------------------------------------------------------


def test_wrong_size_is_contained() -> None:
    """Evidence once payload that may be written came behind a packet that may not."""
    bench = Hand()
    bench.write(opcodes.WRITE_FIRST, 0, b"\x11" * 256)
    bench.write(opcodes.WRITE_MIDDLE, 1, b"\x22" * 252)
    assert not bench.evidence("ERN-130/containment")
    bench.stored(REACHED, b"\x11" * 256)
    assert not bench.told and bench.evidence("ERN-130/containment") == 1
    bench.answer(1, 0x61)
    assert not bench.told and bench.evidence("ERN-130/nak") == 1


@pytest.mark.parametrize("data", [b"\x22" * 252, b"\x33" * 4])
def test_wrong_size_is_written_where_the_message_goes_on(data: bytes) -> None:
    bench = Hand()
    bench.write(opcodes.WRITE_FIRST, 0, b"\x11" * 256)
    bench.write(opcodes.WRITE_MIDDLE, 1, b"\x22" * 252)
    bench.stored(REACHED, b"\x11" * 256)
    bench.stored(REACHED + 256, data)
    assert bench.told == ["ERN-130/containment"]


def wrong_udp_length(bench: Hand) -> None:
    """A SEND with 40 bytes whose UDP length is 4 too small comes in."""
    frame = bench.frame(bench.peer, opcodes.SEND_ONLY, 0, b"\x44" * 40)
    assert frame.udp is not None
    frame.udp.length = 8 + 12 + 40
    bench.arrive(frame)


def test_wrong_length_is_contained() -> None:
    bench = Hand()
    wrong_udp_length(bench)
    bench.receive(0, payload=b"\x55" * 40)
    assert not bench.evidence("ERN-232/containment")
    bench.stored(bench.rings.rq, b"\x55" * 40)
    assert not bench.told and bench.evidence("ERN-232/containment") == 1


@pytest.mark.parametrize(("element", "rule"), [(0, "ERN-232/drop"), (32, "ERN-232/containment")])
def test_wrong_length_is_written(element: int, rule: str) -> None:
    """Inside the ring the frame was not dropped; behind it, it spoils what is not the DUT's."""
    bench = Hand()
    wrong_udp_length(bench)
    bench.stored(bench.rings.rq + element * bench.config.element, b"\x44" * 40)
    assert bench.told == [rule]


# -- behind an RNR NAK (ERN-242) -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "naks", "told", "decided", "seen"),
    [
        ("enforce", 0, [], 1, 0),
        ("enforce", 1, [], 1, 0),
        ("enforce", 2, ["ERN-242/count"], 1, 0),
        ("report", 2, [], 0, 2),
    ],
)
def test_sequence_naks_behind_an_rnr_nak(
    rules: str, naks: int, told: list[str], decided: int, seen: int
) -> None:
    bench = Hand(rq_depth=16, M_RULES=rules)
    for number in range(17):
        bench.receive(number, asks=False)
    bench.answer(16, RNR_NAK, 16)
    for number in (17, 18):
        bench.receive(number, asks=False)
    for _ in range(naks):
        bench.answer(16, SEQUENCE_NAK, 16)
    assert bench.told == told and not bench.evidence("ERN-242/count")
    bench._register(Write("RQCI", 8, QP))
    bench.wait(1)
    bench.receive(16, asks=False)
    assert (bench.evidence("ERN-242/count"), bench.model.rules.observed["ERN-242/count"]) == (decided, seen)
    assert bench.evidence("ERN-242/noexec") == 1


# -- counters (ERN-176) --------------------------------------------------------------------------------


def counters(**knobs: object) -> tuple[Counters, Context]:
    """Counters past the end of the lower half of ININVDUPCNT, one event in the upper half."""
    values = SPEC.knobs({**OWN, **knobs})
    ctx = Context.build(Rules(SPEC, values), values, 4000, 16, 64)
    one = Counters(ctx, Interrupts(ctx))
    one.add("invalid", 0x1_0003, 0x1_0003)
    one.add("duplicate")
    one.quiet()
    return one, ctx


@pytest.mark.parametrize(
    ("at_end", "value", "told"),
    [
        ("wrap", 1 << 16 | 3, []),
        ("wrap", 2 << 16 | 3, ["ERN-176/isolation"]),
        ("wrap", 1 << 16 | 0xFFFF, ["ERN-176/wrap"]),
        ("saturate", 1 << 16 | 0xFFFF, []),
        ("saturate", 1 << 16 | 3, ["ERN-176/wrap"]),
        ("report", 1 << 16 | 3, []),
    ],
)
def test_counter_half_at_its_end(at_end: str, value: int, told: list[str]) -> None:
    one, ctx = counters(COUNTER_WRAP=at_end)
    one.judge("ININVDUPCNT", value, 10, 20)
    assert [finding.rule for finding in ctx.rules.findings] == told
    assert ctx.rules.evidence["ERN-176/isolation"] == (told != ["ERN-176/isolation"])
    assert ctx.rules.evidence["ERN-176/wrap"] == (at_end != "report" and told != ["ERN-176/wrap"])
    assert ctx.rules.observed["ERN-176/wrap"] == (at_end == "report")


def test_counter_cleared_by_an_access() -> None:
    values = SPEC.knobs(OWN)
    ctx = Context.build(Rules(SPEC, values), values, 4000, 16, 64)
    one = Counters(ctx, Interrupts(ctx))
    one.add("in_nak", 3, 3)
    one.quiet()
    one.judge("INNAKPKTCNT", 3, 10, 20)
    assert not ctx.rules.evidence["ERN-176/isolation"], "nobody had read it before"
    one.judge("INNAKPKTCNT", 3, 30, 40)
    assert ctx.rules.evidence["ERN-176/isolation"] == 1
    one.judge("INNAKPKTCNT", 0, 50, 60)
    assert [finding.rule for finding in ctx.rules.findings] == ["ERN-176/isolation"]


# -- immediate words (ERN-052) -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "seen", "told", "order", "value"),
    [
        ("enforce", 0x01020304, [], 1, 1),
        ("enforce", 0x04030201, ["ERN-052/order"], 0, 0),
        ("enforce", 0x01020305, ["ERN-052/value"], 0, 0),
        ("report", 0x04030201, [], 0, 1),
    ],
)
def test_immediate(rules: str, seen: int, told: list[str], order: int, value: int) -> None:
    bench = Hand(M_RULES=rules)
    bench.post(Verb.SEND_IMM, bytes(40), value=0x01020304)
    frame = bench.frame(bench.endpoint.config, opcodes.SEND_ONLY_IMM, 0, bytes(40))
    frame.immdt = seen
    bench.leave(frame)
    assert bench.told == told
    assert (bench.evidence("ERN-052/order"), bench.evidence("ERN-052/value")) == (order, value)
    assert bench.model.rules.observed["ERN-052/order"] == (rules == "report")


def test_immediate_that_tells_no_order() -> None:
    bench = Hand()
    bench.post(Verb.SEND_IMM, bytes(40), value=0x12121212)
    frame = bench.frame(bench.endpoint.config, opcodes.SEND_ONLY_IMM, 0, bytes(40))
    frame.immdt = 0x12121212
    bench.leave(frame)
    assert (bench.evidence("ERN-052/order"), bench.evidence("ERN-052/value")) == (0, 1)
