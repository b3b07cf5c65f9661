"""Hypothesis strategies: every reading of the source, and every frame under it."""

from __future__ import annotations

from hypothesis import strategies as st

from ref_model.wire import IPv4, Udp, Vlan
from ref_model.wire.rclink import (
    Addresses,
    Format,
    Frame,
    FrameLayout,
    IcrcMode,
    Kind,
    Opcode,
    Rh,
    RhOrder,
)
from tests.unit.wire.strategies import bits

TYPE1, TYPE2 = 0x88B5, 0x88B6
BANKS, TYPE2_TC = (0x10, 0x20, 0x30, 0x40), 0x50

layouts = st.builds(
    FrameLayout,
    format=st.sampled_from(Format),
    gen1_tc=st.booleans(),
    icrc=st.booleans(),
    tpid=st.sampled_from((0x8100, 0x88A8, 0x9100)),
    len_type=st.just(TYPE1),
    mac_type2=st.just(TYPE2),
    type2_port=st.just(0xBEEF),
    type2_tc=st.just(TYPE2_TC),
    bank_tcs=st.just(BANKS),
    rh_order=st.sampled_from(RhOrder),
    gen2_kw_in_da=st.booleans(),
    gen2_overlay=st.booleans(),
    udp_csum=st.sampled_from((0, 0xFFFF)),
    type2_has_rh=st.booleans(),
    pktlen_incl_pad=st.booleans(),
    icrc_mode=st.sampled_from(IcrcMode),
    ecn_on_afh=st.booleans(),
)


@st.composite
def frames(draw: st.DrawFn, layout: FrameLayout) -> Frame:
    """TYPE1 or TYPE2 frames of the enabled format; what build computes is left to it."""
    form = layout.format
    kind = draw(st.sampled_from((Kind.TYPE1, Kind.TYPE2)))
    compact = form in (Format.GEN2, Format.LITE)
    address = bits(16 if compact else 48)
    with_tc = compact or (form is Format.GEN1 and layout.gen1_tc)
    source = bits(40) if form is Format.GEN1 and layout.gen1_tc else address
    flow = draw(st.sampled_from(BANKS)) if kind is Kind.TYPE1 else TYPE2_TC
    tc = draw(bits(8)) if form is Format.GEN1 else flow | draw(bits(2))
    frame = Frame(
        kind,
        form,
        Addresses(draw(address), draw(source), tc if with_tc else None),
        vlan=draw(st.none() | st.builds(Vlan, tci=bits(16), tpid=st.just(layout.tpid))),
    )
    if form is Format.LITE:
        frame.vlan = None
    elif kind is Kind.TYPE1 or layout.type2_has_rh:
        opcode = draw(st.sampled_from((Opcode.REQUEST, Opcode.ACK, Opcode.CNP)))
        frame.rh = Rh(
            opcode if kind is Kind.TYPE1 else Opcode.REQUEST,
            draw(bits(13)),
            draw(bits(12)),
            draw(bits(8)),
            code=draw(bits(7)) if opcode is Opcode.ACK and kind is Kind.TYPE1 else None,
            timestamp=draw(bits(16)),
            ts_en=draw(st.booleans()),
            fack=draw(st.booleans()),
            rsv=draw(bits(2)),
        )
    if form is Format.STANDARD:
        frame.ip = IPv4(draw(bits(32)), draw(bits(32)), draw(bits(8)), draw(bits(8)), draw(bits(16)))
        port = 4791 if kind is Kind.TYPE1 else layout.type2_port
        frame.udp = Udp(draw(bits(16)), port, checksum=draw(st.none() | bits(16)))
    if frame.carries_payload:
        frame.payload = draw(st.binary(min_size=6, max_size=140))
    return frame
