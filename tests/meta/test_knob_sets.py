"""Every closed value of every contested parameter runs somewhere: at the start value or in a knob set."""

from __future__ import annotations

import pytest

from tb.runner import load_binding
from tb.runner.knob_sets import knob_sets
from tb.runner.knobs import catalogue

#: Values the stand-in cannot show yet; each names what it waits for.
WAITING = {
    ("CNP_CLEAR", "cnp_tx"): "CNPs out of QP1",
    ("DB_MEM_IN_HNDSHK", "silent"): "handshake queue pairs",
    ("RETRY_SOURCE", "buffer"): "retry data buffers",
    ("RQ_SB_VALUE", "delta"): "handshake queue pairs",
    ("SB_ADDR_W", 10): "handshake queue pairs",
    ("PAUSE_SLACK", None): "pause",
    ("MAX_OUTSTANDING", None): "one pair is allowed",
}


def _used(name: str) -> list[object]:
    """Values a parameter has in the regressions of the stand-in."""
    values = [load_binding("ernic").knobs[name]]
    return values + [one.knobs[name] for one in knob_sets("ernic") if name in one.knobs]


@pytest.mark.parametrize("name", sorted(catalogue("ernic")))
def test_every_value_runs(name: str) -> None:
    item, used = catalogue("ernic")[name], _used(name)
    if item["type"] == "enum":
        missing = [value for value in item["values"] if value not in used and (name, value) not in WAITING]
        assert not missing, f"{name}: no regression runs {missing}"
    elif (name, None) not in WAITING:
        assert len({str(value) for value in used}) > 1, f"{name}: one value only: {used}"


def test_waiting_values_are_really_missing() -> None:
    for name, value in WAITING:
        if value is not None:
            assert value not in _used(name), f"{name} = {value} runs: take it out of the list"


def test_tests_of_a_set_exist_and_its_name_is_its_own() -> None:
    sets = knob_sets("ernic")
    assert len({one.name for one in sets}) == len(sets) > 0
    for one in sets:
        assert one.tests and one.suites and one.knobs
