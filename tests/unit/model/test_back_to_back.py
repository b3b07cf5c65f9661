"""Two software ERNICs on a lossy link: everything is legal, so the models must find nothing."""

from __future__ import annotations

import pytest

from ref_model.rocev2.link import LinkFaults
from tb.bench._soft_ernic import Pair

LINKS = {
    "clean": LinkFaults(),
    "lossy": LinkFaults(drop=0.03, duplicate=0.03),
    "reordering": LinkFaults(reorder=0.05),
    "everything": LinkFaults(drop=0.04, duplicate=0.04, reorder=0.04, corrupt=0.02),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(("ip_version", "pmtu"), [(4, 256), (6, 1024), (4, 4096)])
def test_no_false_alarm(link: str, seed: int, ip_version: int, pmtu: int) -> None:
    pair = Pair(seed, LINKS[link], pmtu, ip_version)
    pair.run(60)
    for side in pair.sides:
        side.model.finish()
        assert side.model.rules.findings == []
        assert len(side.model.rules.evidence) > 40


def test_payloads_arrive() -> None:
    """The exchange itself is sound: each side received what the other posted."""
    pair = Pair(9, LINKS["lossy"])
    pair.run(50)
    for side in pair.sides:
        assert len(side.endpoint.received) == 50
        assert len(side.endpoint.completions) == 50
