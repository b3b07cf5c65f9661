"""Two software ERNICs on a lossy link: everything is legal, so the models must find nothing."""

from __future__ import annotations

import pytest

from ref_model.link import LinkFaults
from ref_model.rocev2.endpoint import ReadRetry
from ref_model.rocev2.segment import Verb
from tb.bench._soft_ernic import READ_VERBS, Pair

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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("retry", list(ReadRetry))
@pytest.mark.parametrize(("ip_version", "pmtu"), [(4, 256), (6, 1024)])
def test_no_false_alarm_with_reads(
    ip_version: int, pmtu: int, retry: ReadRetry, at_once: bool, link: str, seed: int
) -> None:
    """READs both ways between other messages, repaired in every way the specification leaves open."""
    pair = Pair(seed, LINKS[link], pmtu, ip_version, (0, 3000), verbs=READ_VERBS)
    for side in pair.sides:
        side.endpoint.config.read_retry, side.endpoint.config.read_gap_retry = retry, at_once
    pair.run(50)
    for side in pair.sides:
        side.model.finish()
        assert side.model.rules.findings == []
        assert side.model.rules.evidence.keys() >= READ_RULES
        reads = [entry for entry in side.endpoint.completions if entry.verb is Verb.READ]
        assert reads and len(side.endpoint.completions) == 50


#: Rules every exchange with READs decides.
READ_RULES = {
    "ERN-033",
    "ERN-063",
    "ERN-072/arrival",
    "ERN-072/order",
    "ERN-093",
    "ERN-126",
    "ERN-135",
    "ERN-136",
    "ERN-137",
    "ERN-245",
}
