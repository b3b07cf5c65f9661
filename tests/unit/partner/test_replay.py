"""Replay: spacing, rewriting of addresses, queue pairs and PSNs, what is left out."""

from __future__ import annotations

from ref_model.wire import build, parse, recompute
from tb.partner.replay import ReplayTarget, Rewriter, plan
from tests.unit.endpoint.pair import bth_of, make_pair

TARGET = ReplayTarget(
    qp=2, mac=0x10, ip=0x20, peer_mac=0x30, peer_ip=0x40, expected_psn=0xFFFFFF, pkey=0x8001
)


def capture() -> list[tuple[int, bytes]]:
    """A recorded conversation: two SENDs of three packets and their ACKs, then something that is not RoCE."""
    pair = make_pair()
    pair.keep = True
    pair.a.post_send(bytes(600))
    pair.a.post_write(0x5000, 9, bytes(300))
    pair.run()
    return [(1000 * n, data) for n, (_, data) in enumerate(pair.log)] + [(9000, b"\x01" * 64)]


def test_plain_replay_keeps_bytes_and_spacing() -> None:
    """Without rewriting every byte is played as captured, at the scaled distance."""
    trace = capture()
    frames = list(plan(trace, speed=2.0))
    assert [f.data for f in frames] == [data for _, data in trace]
    assert frames[3].offset_ps == 1500
    assert [f.roce for f in frames][-1] is False
    assert {f.offset_ps for f in plan(trace, speed=None)} == {0}


def test_rewriting_matches_the_target() -> None:
    """Requests get the target's addresses, key, P_Key and consecutive PSNs with a correct ICRC; ACKs are
    left out.
    """
    rewriter = Rewriter([TARGET], rkey=0x777, va=0x9000)
    frames = [f.data for f in plan(capture(), rewriter=rewriter) if f.roce]
    assert [bth_of(f).psn for f in frames] == [0xFFFFFF, 0, 1, 2, 3]
    for data in frames:
        frame = parse(data)
        assert frame.icrc_ok and frame.ip_checksum_ok
        assert (frame.eth.dst, frame.eth.src) == (0x10, 0x30)
        assert bth_of(data).dest_qp == 2 and bth_of(data).pkey == 0x8001
    write = parse(frames[3]).reth
    assert write is not None and (write.rkey, write.va) == (0x777, 0x9000)
    assert rewriter.left_out == 2


def test_flows_beyond_the_targets_are_left_out() -> None:
    """A second flow without a target is counted, not played."""
    trace = capture()
    other = recompute(parse(trace[0][1]))
    assert other.bth is not None
    other.bth.dest_qp = 0x55
    rewriter = Rewriter([TARGET])
    assert len(list(plan([trace[0], (1, build(other))], rewriter=rewriter))) == 1
    assert rewriter.left_out == 1
