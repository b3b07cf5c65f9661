"""The set of ranges that a growing number of queue pairs fills."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ref_model.spans import Spans

ranges = st.tuples(st.integers(0, 300), st.integers(1, 120)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(ranges, max_size=8), st.data())
def test_covers_what_one_of_the_ranges_holds(held: list[tuple[int, int]], data: st.DataObject) -> None:
    spans = Spans()
    for span in held:
        spans.add(span)
    gone = data.draw(st.lists(st.sampled_from(held), unique=True)) if held else []
    for span in gone:
        spans.remove(span)
        held.remove(span)
    first, stop = data.draw(ranges)
    assert spans.cover(first, stop) == any(low <= first and stop <= high for low, high in held)


def test_holds_a_range_as_often_as_it_was_added() -> None:
    spans = Spans()
    spans.add((64, 128))
    spans.add((64, 128))
    spans.remove((64, 128))
    assert spans.cover(64, 128)
    spans.remove((64, 128))
    assert not spans.cover(64, 65)
    with pytest.raises(KeyError):
        spans.remove((64, 128))
