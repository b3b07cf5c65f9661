"""RDMA READ of the active endpoint: cutting, order, repair of lost responses, duplicates, limits."""

from __future__ import annotations

import pytest

from ref_model.link import LinkFaults
from ref_model.rocev2.endpoint import ReadRetry, Status
from ref_model.rocev2.endpoint.responder import pattern
from ref_model.rocev2.segment import Verb
from ref_model.streams import stream
from ref_model.wire import opcodes, parse
from tests.unit.endpoint.pair import Pair, bth_of, make_pair

LOSSY = LinkFaults(drop=0.05, duplicate=0.05, reorder=0.1, corrupt=0.03)


def fetched(pair: Pair) -> list[bytes]:
    """Data of the READs of side ``a``, in order of completion."""
    return [entry.data for entry in pair.a.completions if entry.verb is Verb.READ]


def test_pattern_tells_the_address() -> None:
    whole = pattern(0, 1 << 12)
    assert pattern(100, 333) == whole[100:433]
    assert pattern((1 << 64) - 8, 8) != pattern(0, 8)


@pytest.mark.parametrize(
    ("length", "codes"),
    [
        (0, [0x10]),
        (1, [0x10]),
        (256, [0x10]),
        (257, [0x0D, 0x0F]),
        (768, [0x0D, 0x0E, 0x0F]),
        (1000, [0x0D, 0x0E, 0x0E, 0x0F]),
    ],
)
def test_responses_are_cut(length: int, codes: list[int]) -> None:
    """Only, or first, middle and last; consecutive PSNs; what follows goes on behind them."""
    pair = make_pair()
    pair.keep = True
    pair.a.post_read(0x1003, 9, length)
    pair.a.post_send(b"behind")
    pair.run()
    answers = [data for name, data in pair.log if name == "b" and bth_of(data).opcode != 0x11]
    assert [bth_of(data).opcode for data in answers] == codes
    assert [bth_of(data).psn for data in answers] == list(range(100, 100 + len(codes)))
    assert fetched(pair) == [pattern(0x1003, length)]
    requests = [data for name, data in pair.log if name == "a"]
    assert bth_of(requests[1]).psn == 100 + len(codes)


@pytest.mark.parametrize("retry", list(ReadRetry))
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_lossy_link(seed: int, at_once: bool, retry: ReadRetry) -> None:
    """READs between other messages bring the right bytes once, both ways, whatever the link does."""
    pair = make_pair(seed, LOSSY, read_retry=retry, read_gap_retry=at_once)
    rng = stream(seed, "reads")
    wanted: list[list[bytes]] = [[], []]
    sent: list[list[bytes]] = [[], []]
    for side, endpoint in enumerate((pair.a, pair.b)):
        for _ in range(50):
            if rng.random() < 0.5:
                va, length = rng.randrange(1 << 40), rng.choice((0, 1, 255, 256, 257, 700, 3000))
                endpoint.post_read(va, 5, length)
                wanted[side].append(pattern(va, length))
            else:
                payload = rng.randbytes(rng.randrange(700))
                endpoint.post_send(payload)
                sent[side].append(payload)
    pair.run()
    for side, (endpoint, peer) in enumerate(((pair.a, pair.b), (pair.b, pair.a))):
        data = [entry.data for entry in endpoint.completions if entry.verb is Verb.READ]
        assert data == wanted[side]
        assert [message.payload for message in peer.received] == sent[side]
        assert {entry.status for entry in endpoint.completions} == {Status.OK}


@pytest.mark.parametrize("retry", list(ReadRetry))
def test_lost_response_is_asked_for(retry: ReadRetry) -> None:
    """The rest is read again from the missing response on, or the whole, and nothing else."""
    pair = make_pair(read_retry=retry)
    pair.a.post_read(0x2000, 1, 1000)
    pair.b.receive(0, pair.a.poll(0)[0])
    answers = pair.b.poll(0)
    pair.a.receive(1, answers[0])
    pair.a.receive(1, answers[2])
    pair.a.receive(1, answers[3])
    (again,) = pair.a.poll(1)
    frame = parse(again)
    assert frame.bth is not None and frame.reth is not None
    whole = retry is ReadRetry.WHOLE
    assert frame.bth.psn == 100 + (not whole)
    assert (frame.reth.va, frame.reth.length) == ((0x2000, 1000) if whole else (0x2100, 744))
    pair.b.receive(2, again)
    for answer in pair.b.poll(2):
        pair.a.receive(3, answer)
    assert fetched(pair) == [pattern(0x2000, 1000)]
    assert pair.b.responder.msn == 1


def test_ack_does_not_complete_a_read() -> None:
    """An ACK of the READ's own or a later PSN is no data."""
    pair = make_pair(read_gap_retry=False)
    pair.a.post_read(0, 1, 300)
    pair.a.post_send(b"later")
    pair.a.poll(0)
    pair.a.requester.acknowledge(1, 101, 0x1F)
    pair.a.requester.acknowledge(1, 102, 0x1F)
    assert pair.a.completions == []


def test_response_acknowledges_what_is_older() -> None:
    pair = make_pair()
    pair.a.post_send(b"first")
    pair.a.post_read(0, 1, 10)
    frames = pair.a.poll(0)
    for data in frames:
        pair.b.receive(0, data)
    answer = next(data for data in pair.b.poll(0) if bth_of(data).opcode == opcodes.READ_RESP_ONLY)
    pair.a.receive(1, answer)
    assert [entry.status for entry in pair.a.completions] == [Status.OK, Status.OK]


def test_read_depth_of_the_requester() -> None:
    """No more READs are outstanding than the peer takes."""
    pair = make_pair(read_depth=2)
    for number in range(5):
        pair.a.post_read(number * 64, 1, 10)
    assert len(pair.a.poll(0)) == 2
    pair.run()
    assert len(fetched(pair)) == 5


def test_read_depth_of_the_responder() -> None:
    """A READ that does not fit is refused with 0x61 behind the responses of those that do."""
    pair = make_pair(read_delay_ps=1000)
    pair.b.config.read_depth = 2
    for number in range(3):
        pair.a.post_read(number * 64, 1, 10)
    for data in pair.a.poll(0):
        pair.b.receive(0, data)
    assert pair.b.poll(0) == []
    answers = [bth_of(data).opcode for data in pair.b.poll(1000)]
    assert answers == [0x10, 0x10, 0x11]
    assert pair.b.responder.failed


def test_refused_read() -> None:
    pair = make_pair()
    pair.b.responder.read_allowed = lambda va, rkey, length: rkey == 7
    pair.a.post_read(0, 7, 600)
    pair.a.post_read(0, 8, 600)
    pair.run()
    assert [entry.status for entry in pair.a.completions] == [Status.OK, Status.REMOTE_ACCESS]


def test_malformed_response_is_ignored() -> None:
    """A response of wrong size brings nothing; the timeout repairs it."""
    pair = make_pair()
    pair.a.post_read(64, 1, 100)
    pair.b.receive(0, pair.a.poll(0)[0])
    frame = parse(pair.b.poll(0)[0])
    frame.payload = frame.payload[:-4]
    pair.a.receive_frame(1, frame)
    assert pair.a.requester.bad_responses == 1 and fetched(pair) == []
    pair.run()
    assert fetched(pair) == [pattern(64, 100)]
