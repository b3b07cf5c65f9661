"""Hypothesis strategies for frames: every opcode, IPv4 and IPv6, tags, options, pad, trailer."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ref_model.wire import (
    INFO,
    Aeth,
    AtomicAckEth,
    AtomicEth,
    Bth,
    Deth,
    Ethernet,
    Frame,
    IPv4,
    IPv6,
    Reth,
    Udp,
    Vlan,
)

# Derandomized: a test run must say the same thing twice.
REPEATABLE = settings(
    derandomize=True, deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)


def bits(width: int) -> st.SearchStrategy[int]:
    """Unsigned integers of `width` bits."""
    return st.integers(0, (1 << width) - 1)


vlans = st.lists(st.builds(Vlan, tci=bits(16), tpid=st.sampled_from((0x8100, 0x88A8))), max_size=2).map(tuple)


@st.composite
def ipv4s(draw: st.DrawFn) -> IPv4:
    """IPv4 headers with honest length; never a later fragment."""
    words = draw(st.sampled_from((0, 0, 0, 1, 10)))
    return IPv4(
        src=draw(bits(32)),
        dst=draw(bits(32)),
        tos=draw(bits(8)),
        ttl=draw(bits(8)),
        ident=draw(bits(16)),
        frag=draw(st.sampled_from((0x0000, 0x4000, 0x2000, 0x8000))),
        ihl=5 + words,
        options=draw(st.binary(min_size=4 * words, max_size=4 * words)),
    )


ipv6s = st.builds(
    IPv6,
    src=bits(128),
    dst=bits(128),
    traffic_class=bits(8),
    flow_label=bits(20),
    hop_limit=bits(8),
)

bths = st.builds(
    Bth,
    opcode=st.just(0),
    dest_qp=bits(24),
    psn=bits(24),
    pkey=bits(16),
    ack_req=st.booleans(),
    se=st.booleans(),
    mig=st.booleans(),
    tver=bits(4),
    fecn=st.booleans(),
    becn=st.booleans(),
    resv6=bits(6),
    resv7=bits(7),
)


@st.composite
def roce_frames(draw: st.DrawFn, opcode: int | None = None, max_payload: int = 70) -> Frame:
    """Well-formed RoCEv2 frames whose lengths, pad, checksums and ICRC are left to build."""
    code = draw(st.sampled_from(sorted(INFO))) if opcode is None else opcode
    info = INFO[code]
    ip: IPv4 | IPv6 = draw(st.one_of(ipv4s(), ipv6s))
    bth = draw(bths)
    bth.opcode = code
    return Frame(
        Ethernet(draw(bits(48)), draw(bits(48)), 0x0800 if isinstance(ip, IPv4) else 0x86DD),
        vlans=draw(vlans),
        ip=ip,
        udp=Udp(draw(bits(16)), checksum=draw(st.sampled_from((0, None)))),
        bth=bth,
        deth=Deth(draw(bits(32)), draw(bits(24)), draw(bits(8))) if info.deth else None,
        reth=Reth(draw(bits(64)), draw(bits(32)), draw(bits(32))) if info.reth else None,
        atomic=AtomicEth(*(draw(bits(n)) for n in (64, 32, 64, 64))) if info.atomic else None,
        aeth=Aeth(draw(bits(8)), draw(bits(24))) if info.aeth else None,
        atomic_ack=AtomicAckEth(draw(bits(64))) if info.atomic_ack else None,
        immdt=draw(bits(32)) if info.immdt else None,
        ieth=draw(bits(32)) if info.ieth else None,
        payload=draw(st.binary(max_size=max_payload)),
        trailer=draw(st.binary(max_size=6)),
    )
