"""Order of items that begin in the same picosecond."""

from __future__ import annotations

from ref_model.events import FrameOut, RegRead, RegWrite, Reset
from tb.scoreboard.merge import Merge


def test_a_reset_ends_the_life_of_its_edge_and_begins_the_next() -> None:
    merge = Merge()
    frame, read, write = (
        FrameOut(100, 100, "tx", b""),
        RegRead(90, 100, 0, 0, 0),
        RegWrite(100, 104, 0, 0, 0xF, 0),
    )
    ended, begun = Reset(100, False), Reset(100, True)
    for event in (begun, read, frame, write, ended):
        merge.put(event)
    assert list(merge.release(101)) == [ended, write, frame, read, begun]
