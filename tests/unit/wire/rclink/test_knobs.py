"""The readings of the codec are the knobs of the parameter file, with the same defaults."""

from __future__ import annotations

import pytest

from ref_model.rules import specification
from ref_model.wire.rclink import Format, FrameLayout
from ref_model.wire.rclink.layout import READINGS

PARAMETERS = specification("rclink").parameters


def test_defaults_agree() -> None:
    """A layout without knobs and one with those of a DUT nobody said anything about."""
    for form in Format:
        assert FrameLayout(form).with_knobs(specification("rclink").knobs({})) == FrameLayout(form)


@pytest.mark.parametrize("name", sorted(READINGS))
def test_every_value_makes_a_layout_of_its_own(name: str) -> None:
    values = PARAMETERS[name]["values"]
    assert len({FrameLayout(Format.GEN1).with_knobs({name: value}) for value in values}) == len(values) > 1


def test_other_knobs_leave_the_layout_alone() -> None:
    others = {name: row["own_dut"] for name, row in PARAMETERS.items() if name not in READINGS}
    assert FrameLayout(Format.GEN1).with_knobs(others) == FrameLayout(Format.GEN1)
