"""PSN arithmetic against plain integers, and message cutting against its definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ref_model.errors import UserError
from ref_model.rocev2.psn import (
    PSN_HALF,
    PSN_MASK,
    in_window,
    psn_add,
    psn_diff,
    psn_distance,
    psn_ge,
    psn_gt,
    psn_le,
    psn_lt,
    psn_range,
)
from ref_model.rocev2.rnr import RNR_WAIT_PS
from ref_model.rocev2.segment import PMTUS, Verb, packet_count, segment
from ref_model.wire.opcodes import INFO

numbers = st.integers(0, PSN_MASK)


@given(numbers, st.integers(-PSN_HALF, PSN_HALF - 1))
def test_difference_undoes_addition(start: int, steps: int) -> None:
    """Every signed distance of the half window comes back, across the wrap."""
    assert psn_diff(psn_add(start, steps), start) == steps
    assert psn_distance(start, psn_add(start, steps)) == steps % (PSN_MASK + 1)


@given(numbers, st.integers(1, PSN_HALF - 1))
def test_order(start: int, ahead: int) -> None:
    """Ahead and behind are consistent for all comparisons."""
    later = psn_add(start, ahead)
    assert psn_lt(start, later) and psn_gt(later, start)
    assert psn_le(start, later) and psn_ge(later, start)
    assert psn_le(start, start) and not psn_lt(start, start)
    assert in_window(later, start, ahead + 1) and not in_window(later, start, ahead)


def test_exactly_half_is_behind() -> None:
    """2**23 steps away counts as a duplicate, not as ahead."""
    assert psn_diff(0, PSN_HALF) == -PSN_HALF
    assert psn_diff(PSN_HALF, 0) == -PSN_HALF


def test_other_width() -> None:
    """The same rules hold for a 16-bit counter."""
    assert psn_add(0xFFFF, 1, 16) == 0
    assert psn_diff(1, 0xFFFF, 16) == 2
    assert list(psn_range(0xFFFE, 4, 16)) == [0xFFFE, 0xFFFF, 0, 1]


@given(
    st.sampled_from([v for v in Verb if v is not Verb.READ]), st.integers(0, 40_000), st.sampled_from(PMTUS)
)
def test_segments_cover_the_message(verb: Verb, length: int, pmtu: int) -> None:
    """Parts are contiguous, all but the last are full, first and last stand at the ends, opcodes fit
    positions.
    """
    parts = segment(verb, length, pmtu)
    assert len(parts) == packet_count(verb, length, pmtu)
    assert sum(part.length for part in parts) == length
    for index, part in enumerate(parts):
        assert part.offset == index * pmtu
        assert part.first == (index == 0) and part.last == (index == len(parts) - 1)
        assert part.last or part.length == pmtu
        info = INFO[part.opcode]
        assert (info.first, info.last) == (part.first, part.last)
        assert info.kind == ("send" if verb.is_send else "write")
        assert bool(info.immdt) == (part.last and verb.has_immediate)
        assert bool(info.ieth) == (part.last and verb.has_invalidate)
        assert bool(info.reth) == (part.first and verb.is_write)


def test_read_is_one_packet() -> None:
    """A READ request is one packet without payload."""
    assert [(p.opcode, p.length) for p in segment(Verb.READ, 100_000, 256)] == [(0x0C, 0)]


def test_wqe_opcodes() -> None:
    """Codes go both ways; reserved codes are none."""
    assert [v.wqe_opcode for v in Verb] == [0x02, 0x03, 0x0C, 0x00, 0x01, 0x04]
    assert all(Verb.from_wqe_opcode(v.wqe_opcode) is v for v in Verb)
    assert Verb.from_wqe_opcode(0x05) is None


@pytest.mark.parametrize(("length", "pmtu"), [(1, 1000), (-1, 256)])
def test_segment_rejects(length: int, pmtu: int) -> None:
    """Impossible sizes are one clear error."""
    with pytest.raises(UserError):
        segment(Verb.SEND, length, pmtu)


def test_rnr_table() -> None:
    """Code 0 is the longest wait, code 1 the shortest, and codes 1 to 31 rise."""
    assert RNR_WAIT_PS[0] == 655_360_000_000
    assert RNR_WAIT_PS[1] == 10_000_000
    assert RNR_WAIT_PS[14] == 1_280_000_000
    assert RNR_WAIT_PS[31] == 491_520_000_000
    assert list(RNR_WAIT_PS[1:]) == sorted(RNR_WAIT_PS[1:])
