"""The active endpoint against itself: delivery once and in order, NAK, RNR, timeout, policies."""

from __future__ import annotations

import time

import pytest

from ref_model.errors import UserError
from ref_model.link import LinkFaults
from ref_model.rocev2.endpoint import AckMode, AckPolicy, AckRequest, EndpointConfig, Status
from ref_model.streams import stream
from ref_model.wire import Reth, build, parse, recompute
from tests.unit.endpoint.pair import Pair, aeth_of, bth_of, make_pair

LOSSY = LinkFaults(drop=0.05, duplicate=0.05, reorder=0.1, corrupt=0.03)


def traffic(pair: Pair, seed: int, count: int) -> tuple[list[tuple], list[tuple]]:
    """Post random messages on both sides; return what each side must receive, in order."""
    rng = stream(seed, "traffic")
    wanted: list[list[tuple]] = [[], []]
    for side, endpoint in enumerate((pair.a, pair.b)):
        for _ in range(count):
            payload = rng.randbytes(rng.choice((0, 1, 17, 255, 256, 257, 700, 2000)))
            verb = rng.randrange(5)
            value = rng.randrange(1 << 32)
            if verb == 0:
                endpoint.post_send(payload)
                wanted[side].append(("send", payload, None, None, 0))
            elif verb == 1:
                endpoint.post_send(payload, imm=value)
                wanted[side].append(("send", payload, value, None, 0))
            elif verb == 2:
                endpoint.post_send(payload, inv=value)
                wanted[side].append(("send", payload, None, value, 0))
            elif verb == 3:
                endpoint.post_write(value << 20, 7, payload)
                wanted[side].append(("write", payload, None, None, value << 20))
            else:
                endpoint.post_write(value << 20, 7, payload, imm=value)
                wanted[side].append(("write", payload, value, None, value << 20))
    return wanted[0], wanted[1]


def got(endpoint) -> list[tuple]:
    """Received messages in the form of ``traffic``."""
    return [(m.kind, m.payload, m.immediate, m.invalidate, m.va) for m in endpoint.received]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("version", [4, 6])
def test_lossy_link_delivers_once_in_order(seed: int, version: int) -> None:
    """Dropped, repeated, overtaken and damaged frames change nothing in what is delivered."""
    policy = AckPolicy(AckMode.COALESCE, 3, 5_000_000) if seed % 2 else AckPolicy()
    pair = make_pair(seed, LOSSY, ip_version=version, ack_policy=policy)
    to_b, to_a = traffic(pair, seed, 60)
    pair.run()
    assert got(pair.b) == to_b
    assert got(pair.a) == to_a
    assert [c.status for c in pair.a.completions] == [Status.OK] * 60
    assert [c.number for c in pair.b.completions] == list(range(60))
    assert pair.ab.dropped and pair.ab.corrupted and pair.a.requester.resent


def test_clean_link_repeats_nothing() -> None:
    """Without faults no packet goes out twice and no NAK appears."""
    pair = make_pair()
    to_b, _ = traffic(pair, 3, 40)
    pair.run()
    assert got(pair.b) == to_b
    assert pair.a.requester.resent == pair.b.responder.naks == pair.b.responder.duplicates == 0


def test_speed() -> None:
    """Two endpoints exchange at least 20 000 packets a second (1024 B payload, data and ACKs)."""
    pair = make_pair(pmtu=1024)
    for _ in range(1500):
        pair.a.post_write(0, 1, bytes(1024))
    start = time.perf_counter()
    pair.run()
    rate = pair.frames / (time.perf_counter() - start)
    assert len(pair.b.received) == 1500
    assert rate > 20_000 / 4, f"{rate:.0f} packets/s"  # a quarter: shared machines


def test_nak_resends_from_the_gap() -> None:
    """A lost packet inside a message draws one NAK and a resend from that packet on."""
    pair = make_pair()
    pair.a.post_send(bytes(range(256)) * 5)
    frames = pair.a.poll(0)
    assert len(frames) == 5
    for index in (0, 1, 3, 4):
        pair.b.receive(1, frames[index])
    answers = pair.b.poll(1)
    assert [(aeth_of(f).syndrome, bth_of(f).psn) for f in answers] == [(0x60, 102)]
    pair.a.receive(2, answers[0])
    assert [bth_of(frame).psn for frame in pair.a.poll(2)] == [102, 103, 104]


def test_rnr_waits_then_resends() -> None:
    """After an RNR NAK nothing leaves until the timer of its code has run."""
    pair = make_pair()
    pair.b.config.rnr_code = 2
    pair.b.responder.receive_available = lambda: False
    pair.a.post_send(b"x")
    pair.b.receive(0, pair.a.poll(0)[0])
    pair.a.receive(0, pair.b.poll(0)[0])
    assert pair.a.poll(19_999_999) == []
    assert pair.a.next_deadline() == 20_000_000
    assert len(pair.a.poll(20_000_000)) == 1


def test_rnr_limit_ends_the_request() -> None:
    """One RNR NAK more than the limit is an error."""
    pair = make_pair(rnr_retry_limit=2)
    pair.b.responder.receive_available = lambda: False
    pair.a.post_send(b"x")
    pair.a.post_send(b"y")
    pair.run()
    assert [c.status for c in pair.a.completions] == [Status.RNR_EXCEEDED, Status.FLUSHED]


def test_timeout_limit_ends_the_request() -> None:
    """A dead peer ends the oldest request, all others are flushed."""
    pair = make_pair(faults=LinkFaults(drop=1.0), retry_limit=3)
    for _ in range(3):
        pair.a.post_send(b"x")
    pair.run()
    assert [c.status for c in pair.a.completions] == [Status.RETRY_EXCEEDED, Status.FLUSHED, Status.FLUSHED]
    assert pair.a.requester.timeouts == 4


@pytest.mark.parametrize(("code", "status"), [(0x61, Status.REMOTE_INVALID), (0x62, Status.REMOTE_ACCESS),
                                              (0x63, Status.REMOTE_OPERATION)])  # fmt: skip
def test_fatal_nak(code: int, status: Status) -> None:
    """A fatal NAK ends the request it names; older ones are good, later ones flushed."""
    pair = make_pair()
    for _ in range(3):
        pair.a.post_send(b"x")
    frames = pair.a.poll(0)
    pair.b.receive(0, frames[0])
    pair.b.poll(0)
    pair.b.refuse(0, code)
    pair.a.receive(0, pair.b.poll(0)[0])
    assert [c.status for c in pair.a.completions] == [Status.OK, status, Status.FLUSHED]
    assert pair.a.failed and pair.b.failed and not pair.a.poll(1)


def test_write_refused_by_hook() -> None:
    """The access hook turns a WRITE into a NAK remote access and nothing is delivered."""
    pair = make_pair()
    pair.b.responder.write_allowed = lambda va, rkey, length: rkey == 5
    pair.a.post_write(0x1000, 5, b"good")
    pair.a.post_write(0x1000, 6, b"bad")
    pair.run()
    assert [m.payload for m in pair.b.received] == [b"good"]
    assert pair.a.completions[-1].status is Status.REMOTE_ACCESS


def test_hold_and_release() -> None:
    """With policy HOLD one release acknowledges everything."""
    pair = make_pair(ack_policy=AckPolicy(AckMode.HOLD), timeout_ps=10**12)
    for _ in range(4):
        pair.a.post_send(b"x")
    pair.step()
    for frame in pair.ab.deliver(pair.now):
        pair.b.receive(pair.now, frame)
    assert pair.b.poll(pair.now) == []
    assert not pair.a.completions and len(pair.b.received) == 4
    pair.b.release_acks(pair.now)
    pair.run()
    assert len(pair.a.completions) == 4
    assert pair.frames == 5


def test_message_longer_than_window_asks_for_an_ack() -> None:
    """The packet that fills the window carries the A bit, otherwise sender and receiver would wait for each
    other.
    """
    pair = make_pair(window=2)
    pair.a.post_send(bytes(256 * 7))
    pair.run()
    assert len(pair.b.received) == 1
    assert pair.a.requester.timeouts == 0


def test_every_packet_policy() -> None:
    """EVERY_PACKET acknowledges packets without A bit too."""
    pair = make_pair(ack_policy=AckPolicy(AckMode.EVERY_PACKET), ack_request=AckRequest.NEVER)
    pair.a.post_send(bytes(256 * 3))
    pair.run()
    assert pair.a.completions[0].status is Status.OK
    assert pair.frames == 6


def break_opcode(frame) -> None:
    frame.bth.opcode = 0x01


def break_size(frame) -> None:
    frame.payload = frame.payload + b"\0" * 4


def break_length(frame) -> None:
    frame.reth = Reth(frame.reth.va, frame.reth.rkey, frame.reth.length + 1)


def break_verb(frame) -> None:
    frame.bth.opcode = 0x13


@pytest.mark.parametrize("change", [break_opcode, break_size, break_length, break_verb])
def test_responder_refuses_broken_requests(change) -> None:
    """Wrong order, size, length or opcode: NAK invalid request, once, and nothing delivered."""
    pair = make_pair()
    pair.a.post_write(0, 0, bytes(256))
    frame = recompute(parse(pair.a.poll(0)[0]))
    change(frame)
    pair.b.receive(0, build(frame))
    assert [aeth_of(f).syndrome for f in pair.b.poll(0)] == [0x61]
    assert not pair.b.received


def test_foreign_frames_are_dropped_with_a_reason() -> None:
    """Frames for others and damaged ones change no state."""
    pair = make_pair()
    pair.a.post_send(b"x")
    good = pair.a.poll(0)[0]
    pair.b.receive(0, good[:-1] + bytes([good[-1] ^ 1]))
    pair.b.receive(0, good[:20])
    pair.b.config.qp = 9
    pair.b.receive(0, good)
    assert sum(pair.b.dropped.values()) == 3
    assert pair.b.dropped["ICRC"] == pair.b.dropped["queue pair"] == 1
    assert pair.b.poll(0) == []


@pytest.mark.parametrize(
    "wrong", [{"pmtu": 1000}, {"qp": 1 << 24}, {"ip_version": 5}, {"window": 0}, {"ip": 1 << 32}]
)
def test_config_rejects(wrong: dict) -> None:
    """A value outside its range is one clear error."""
    settings = {"qp": 1, "peer_qp": 1, "mac": 1, "peer_mac": 1, "ip": 1, "peer_ip": 1} | wrong
    with pytest.raises(UserError, match=next(iter(wrong))):
        EndpointConfig(**settings)


def test_policy_errors() -> None:
    """Coalescing without a bound is refused."""
    with pytest.raises(UserError, match="delay_ps"):
        AckPolicy(AckMode.COALESCE, 4)
    with pytest.raises(UserError, match="drop"):
        LinkFaults(drop=1.5)
