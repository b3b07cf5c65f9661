"""Every closed value of every contested parameter runs somewhere: at the start value or in a knob set."""

from __future__ import annotations

import pytest

from tb.runner import load_binding, targets
from tb.runner.knob_sets import knob_sets
from tb.runner.knobs import catalogue

#: Parameters with a single value.
ONLY_ONE = {"MAX_OUTSTANDING"}


def _used(target: str, name: str) -> list[object]:
    """Values a parameter has in the regressions of the stand-in."""
    values = [load_binding(target).knobs[name]]
    return values + [one.knobs[name] for one in knob_sets(target) if name in one.knobs]


@pytest.mark.parametrize(
    ("target", "name"), [(target, name) for target in targets() for name in sorted(catalogue(target))]
)
def test_every_value_runs(target: str, name: str) -> None:
    item, used = catalogue(target)[name], _used(target, name)
    if item["type"] == "enum":
        missing = [value for value in item["values"] if value not in used]
        assert not missing, f"{name}: no regression runs {missing}"
    elif name not in ONLY_ONE:
        assert len({str(value) for value in used}) > 1, f"{name}: one value only: {used}"


@pytest.mark.parametrize("target", targets())
def test_tests_of_a_set_exist_and_its_name_is_its_own(target: str) -> None:
    sets = knob_sets(target)
    assert len({one.name for one in sets}) == len(sets) > 0
    for one in sets:
        assert one.tests and one.suites and one.knobs
