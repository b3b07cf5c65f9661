"""Fault rules one by one, on a partner without a simulator; the legality checker bites."""

from __future__ import annotations

import pytest

from ref_model.errors import UserError
from ref_model.rocev2.endpoint import Endpoint, EndpointConfig, Status
from ref_model.streams import stream
from ref_model.wire import Aeth, build, parse, recompute
from tb.partner import Action, Direction, Fault, LegalityChecker, PartnerCore
from tb.partner.faults import RoceCodec
from tests.unit.endpoint.pair import aeth_of, bth_of

TO_DUT, FROM_DUT = Direction.TO_DUT, Direction.FROM_DUT


class Bench:
    """A partner whose DUT is another endpoint (queue pair 2), run by hand."""

    def __init__(self, seed: int = 1) -> None:
        self.time = 0
        self.wake: int | None = None
        self.sent: list[bytes] = []
        self.checker = LegalityChecker()
        self.partner = PartnerCore(
            self.transmit, lambda: self.time, self.wake_at, stream(seed, "faults"), self.checker
        )
        addresses = {"mac": 1, "peer_mac": 2, "ip": 1, "peer_ip": 2}
        mirrored = {"mac": 2, "peer_mac": 1, "ip": 2, "peer_ip": 1}
        psns = {"first_psn": 50, "expected_psn": 70}
        self.dut = Endpoint(EndpointConfig(qp=2, peer_qp=0x99, pmtu=256, **addresses, **psns))  # type: ignore[arg-type]
        psns = {"first_psn": 70, "expected_psn": 50}
        config = EndpointConfig(qp=0x99, peer_qp=2, pmtu=256, **mirrored, **psns)  # type: ignore[arg-type]
        self.peer = self.partner.connect(2, config)

    def transmit(self, data: bytes, good: bool) -> None:
        self.sent.append(data)
        self.dut.receive(self.time, data)

    def wake_at(self, time: int) -> None:
        self.wake = time if self.wake is None else min(self.wake, time)

    def run(self, limit: int = 10**12) -> None:
        """Exchange frames until both sides are at rest."""
        while True:
            for data in self.dut.poll(self.time):
                self.partner.from_dut(data)
            self.partner.service()
            if self.dut.responder.next_deadline() is not None:
                continue
            times = [t for t in (self.wake, self.dut.next_deadline()) if t is not None]
            if not times or self.time > limit:
                return
            self.time, self.wake = max(self.time, *[min(times)]), None
            self.partner.tick()


def psns(frames: list[bytes]) -> list[int]:
    return [bth_of(frame).psn for frame in frames]


def test_clean_exchange_is_legal() -> None:
    """No fault, no illegal frame, everything delivered both ways."""
    bench = Bench()
    bench.dut.post_send(bytes(700))
    bench.peer.post_write(16, 3, bytes(600))
    bench.run()
    assert len(bench.dut.received) == len(bench.peer.received) == 1
    assert bench.checker.problems == []
    assert bench.partner.idle


@pytest.mark.parametrize("action", [Action.DROP, Action.DUPLICATE, Action.REORDER, Action.DELAY,
Action.CORRUPT,
                                    Action.MARK_ECN])  # fmt: skip
@pytest.mark.parametrize("direction", [TO_DUT, FROM_DUT])
def test_every_action_is_survived(action: Action, direction: Direction) -> None:
    """Each kind of fault, on one frame in four, leaves both sides with the right messages and no bench
    error.
    """
    bench = Bench()
    bench.partner.add_faults(Fault(action, direction, probability=0.25))
    for size in range(0, 900, 60):
        bench.dut.post_send(bytes([size & 0xFF]) * size)
        bench.peer.post_send(bytes([size & 0xFF]) * size)
    bench.run()
    wanted = [bytes([size & 0xFF]) * size for size in range(0, 900, 60)]
    assert [m.payload for m in bench.dut.received] == wanted
    assert [m.payload for m in bench.peer.received] == wanted
    assert bench.checker.problems == []
    assert bench.partner.faults.rules[0].hits


def test_nak_rule_answers_and_forces_a_resend() -> None:
    """A sequence NAK for one PSN makes the DUT resend from there."""
    bench = Bench()
    bench.partner.add_faults(Fault(Action.NAK, psn=51, count=1, value=0x60))
    bench.dut.post_send(bytes(256 * 4))
    bench.run()
    assert len(bench.peer.received) == 1
    assert bench.dut.requester.resent == 3
    assert aeth_of(bench.sent[0]).syndrome == 0x60
    assert bench.checker.problems == []


def test_rnr_and_fatal_rules() -> None:
    """RNR answers 0x20 + code; NAK 0x62 ends the connection."""
    bench = Bench()
    bench.partner.add_faults(
        Fault(Action.RNR, psn=50, count=2, value=3), Fault(Action.NAK, psn=51, value=0x62)
    )
    bench.dut.post_send(b"one")
    bench.dut.post_send(b"two")
    bench.run()
    assert [aeth_of(f).syndrome for f in bench.sent][:2] == [0x23, 0x23]
    assert [c.status for c in bench.dut.completions] == [Status.OK, Status.REMOTE_ACCESS]


def test_hold_keeps_until_release() -> None:
    """Held ACKs go out in order when released."""
    bench = Bench()
    hold = Fault(Action.HOLD, TO_DUT, opcode=0x11)
    bench.partner.add_faults(hold)
    for _ in range(3):
        bench.dut.post_send(b"x")
    for data in bench.dut.poll(0):
        bench.partner.from_dut(data)
    assert bench.sent == [] and hold.hits == 3
    bench.partner.release(hold)
    assert psns(bench.sent) == [50, 51, 52]
    assert len(bench.dut.completions) == 3


def test_skip_count_and_repeats() -> None:
    """skip and count choose a frame; repeats False lets the resent one through."""
    bench = Bench()
    bench.partner.add_faults(Fault(Action.DROP, TO_DUT, opcode=0x04, skip=1, count=1))
    for _ in range(3):
        bench.peer.post_send(b"x")
    bench.partner.service()
    assert psns(bench.sent) == [70, 72]
    rule = Fault(Action.DROP, repeats=False)
    facts = RoceCodec().facts(bench.sent[0])
    assert facts is not None
    assert [rule.matches(*facts, 2, stream(1, "x")) for _ in range(2)] == [
        True,
        False,
    ]


def test_corrupt_field_recomputes_check_sums() -> None:
    """A changed field arrives with a correct ICRC, a flipped bit without one."""
    bench = Bench()
    bench.partner.add_faults(Fault(Action.CORRUPT, TO_DUT, count=1, field="bth.pkey", value=0x1234))
    bench.partner.add_faults(Fault(Action.CORRUPT, TO_DUT, count=1, field="icrc", value=5))
    bench.peer.post_send(b"x")
    bench.peer.post_send(b"y")
    bench.partner.service()
    first, second = (parse(frame) for frame in bench.sent)
    assert bth_of(bench.sent[0]).pkey == 0x1234 and first.icrc_ok
    assert second.icrc == 5 and not second.icrc_ok


def test_inject_is_sent_as_it_is() -> None:
    """Raw frames pass the checker by."""
    bench = Bench()
    bench.partner.inject(b"\x00" * 70)
    assert bench.sent == [b"\x00" * 70] and bench.checker.problems == []


def _gap(frame):
    frame.bth.psn += 1


def _middle(frame):
    frame.bth.opcode = 0x01


def _ghost(frame):
    frame.bth.opcode = 0x11
    frame.aeth, frame.payload = Aeth(0, 0), b""


@pytest.mark.parametrize(("change", "text"), [(_gap, "gap"), (_middle, "outside"), (_ghost, "has not sent")])
def test_legality_checker_bites(change, text: str) -> None:
    """A frame the endpoint should never have sent becomes a bench error."""
    bench = Bench()
    bench.peer.post_send(b"x")
    frame = recompute(parse(bench.peer.poll(0)[0]))
    change(frame)
    bench.checker.sending(2, build(frame))
    assert len(bench.checker.problems) == 1 and text in bench.checker.problems[0]


def test_legality_checker_compares_resends_and_icrc() -> None:
    """A resend with other content and a stale ICRC are bench errors."""
    bench = Bench()
    bench.peer.post_send(b"x")
    data = bench.peer.poll(0)[0]
    bench.checker.sending(2, data)
    other = recompute(parse(data))
    other.payload = b"y"
    bench.checker.sending(2, build(other))
    bench.checker.sending(2, data[:-1] + b"\x00")
    assert ["differs" in p or "check sum" in p for p in bench.checker.problems] == [True, True]


def test_legality_checker_knows_reads() -> None:
    """A READ takes a PSN per response; repeats ask for the rest; responses fit a READ of the DUT."""
    bench = Bench()
    checker, pmtu = bench.checker, bench.peer.config.pmtu
    bench.peer.post_read(0x1000, 7, 3 * pmtu)
    bench.peer.post_send(b"behind")
    for data in bench.peer.poll(0):
        checker.sending(2, data)
    assert checker.problems == []
    rest = recompute(parse(bench.peer.requester._ask(bench.peer.requester._flight[1])))
    checker.sending(2, build(rest))
    assert checker.problems == []
    assert rest.reth is not None
    rest.reth.va += 4
    checker.sending(2, build(rest))
    assert len(checker.problems) == 1 and "rest" in checker.problems[0]
    other = Bench()
    answer = recompute(rest)
    assert answer.bth is not None
    answer.bth.opcode, answer.reth, answer.aeth = 0x0D, None, Aeth(0x1F, 1)
    answer.bth.psn, answer.payload = 0x55, bytes(pmtu)
    other.checker.sending(2, build(answer))
    assert "fits no READ" in other.checker.problems[0]
    other.checker.heard(2, 0x0C, 0x55, pmtu + 1)
    other.checker.sending(2, build(answer))
    assert len(other.checker.problems) == 1


@pytest.mark.parametrize("wrong", [
    {"action": Action.NAK, "direction": TO_DUT, "value": 0x60},
    {"action": Action.RNR},
    {"action": Action.DROP, "probability": 2.0},
    {"action": Action.CORRUPT, "field": "bth.psn"},
])  # fmt: skip
def test_fault_rejects(wrong: dict) -> None:
    """A rule that cannot act is one clear error."""
    with pytest.raises(UserError, match="fault"):
        Fault(**wrong)


def test_unknown_field_and_taken_number() -> None:
    """A field the frame does not have, and a peer number used twice."""
    bench = Bench()
    bench.partner.add_faults(Fault(Action.CORRUPT, TO_DUT, field="reth.va", value=1))
    bench.peer.post_send(b"x")
    with pytest.raises(UserError, match=r"reth\.va"):
        bench.partner.service()
    with pytest.raises(UserError, match="0x99"):
        bench.partner.connect(3, bench.peer.config)
