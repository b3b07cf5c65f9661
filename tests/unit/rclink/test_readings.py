"""Every reading of a disputed point: two devices that share it find nothing, whatever it is."""

from __future__ import annotations

from typing import Any

import pytest

from ref_model.link import LinkFaults
from ref_model.rclink import RclinkModel
from ref_model.wire.rclink import Format
from tests.unit.rclink.pair import CLK, Pair, Setup

S, G1, G2, LITE = Format.STANDARD, Format.GEN1, Format.GEN2, Format.LITE
READINGS: list[tuple[Format, dict[str, Any]]] = [
    (S, {"RH_ORDER": "TXBIT"}),
    (G1, {"RH_ORDER": "LE64"}),
    (G2, {"GEN2_KW_IN_DA": 1}),
    (LITE, {"GEN2_KW_IN_DA": 1, "GEN2_OVERLAY": 0}),
    (G2, {"GEN2_OVERLAY": 0}),
    (S, {"UDP_CSUM": 0xFFFF}),
    (S, {"TYPE2_HAS_RH": 1}),
    (G1, {"PKTLEN_INCL_PAD": 0}),
    (S, {"ICRC_MODE": "from_rh"}),
    (S, {"ICRC_CHECK": "report"}),
    (S, {"ACK_PSN_MODE": "NEXT"}),
    (LITE, {"LITE_SA": "DQPID"}),
    (G1, {"ECN_ON_AFH": 1}),
    (S, {"AFH_LAYOUT": "PACKED"}),
    (S, {"TYPE1_VC_NUM": 1}),
    (G2, {"TYPE1_VC_NUM": 2, "MAC_DW": 512}),
    (S, {"LATE_ACK": "FREE"}),
]


@pytest.mark.parametrize(("form", "knobs"), READINGS, ids=[str(row[1]) for row in READINGS])
def test_reading(form: Format, knobs: dict[str, Any]) -> None:
    lossy = LinkFaults(drop=0.05, duplicate=0.05, delay_ps=500_000)
    link = LinkFaults(delay_ps=500_000) if form is LITE else lossy
    pair = Pair(Setup(form, psn=4085), link, seed=11, knobs=knobs)
    for group in range(3):
        pair.multicast(0, group, pair.random_packet())
    pair.traffic(40)
    assert pair.finish() == []


def test_another_reading_is_found() -> None:
    """A log by one reading is not right by the other."""
    for form, knobs in READINGS[:6]:
        pair = Pair(Setup(form), LinkFaults(delay_ps=500_000), knobs=knobs)
        pair.traffic(10)
        other = {name: value for name, value in pair.knobs.items() if name not in knobs}
        model = RclinkModel(other, CLK)
        for event in pair.sides[0].log:
            model.observe(event)
        assert model.rules.findings, (form, knobs)
