"""Two software RCLINKs on a lossy link: everything is legal, so the models must find nothing."""

from __future__ import annotations

import pytest

from ref_model.link import LinkFaults
from ref_model.wire.rclink import Format
from tests.unit.rclink.pair import Pair, Setup

LINKS = {
    "clean": LinkFaults(delay_ps=500_000),
    "lossy": LinkFaults(drop=0.05, duplicate=0.05, delay_ps=500_000),
    "reordering": LinkFaults(reorder=0.05, delay_ps=500_000, reorder_ps=700_000),
    "everything": LinkFaults(drop=0.04, duplicate=0.04, reorder=0.04, delay_ps=500_000),
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("vlan", [False, True])
@pytest.mark.parametrize("form", [Format.STANDARD, Format.GEN1, Format.GEN2])
def test_no_false_alarm(form: Format, vlan: bool, link: str) -> None:
    setup = Setup(form, vlan=vlan, psn=4000, bank_rr=vlan, ack_time=not vlan)
    pair = Pair(setup, LINKS[link], seed=len(link))
    pair.traffic(150)
    assert pair.finish() == []
    for side, other in (pair.sides, pair.sides[::-1]):
        for qp, sent in side.sent.items():
            assert sent == [payload for number, _, payload in other.endpoint.delivered if number == qp]
