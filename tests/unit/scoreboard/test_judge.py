"""The judge in a process of its own: it sees what it is given, and its end is noticed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ref_model import events
from ref_model.events import Event
from ref_model.rules import Rules, specification
from tb.partner import LegalityChecker
from tb.scoreboard import Judge, JudgeProcess
from tb.scoreboard.log import RunLog

ALL: list[Event] = [
    events.Reset(0, True),
    events.RegWrite(1, 2, 0x100, 7, 0x3, 2),
    events.RegRead(3, 4, 0x104, 9),
    events.HostWrite(5, 1 << 40, b"host"),
    events.FrameIn(6, 7, "roce_rx", b"\x01" * 70, False),
    events.FrameOut(8, 9, "tx", b"\x02" * 70),
    events.MemRead(10, 11, "qp_mgr", 64, b"\x03" * 64),
    events.MemWrite(12, 13, "resp_hndler", 0, b"\x04" * 4, b"\1\0\1\1", 2),
    events.SideBand(14, 15, "ieth_immdt", (1, 2)),
    events.Irq(16, 1),
    events.PauseIn(17, 0x101),
    events.PauseOut(18, "ctl_tx_pause_req", 8),
    events.ProtocolViolation(19, "ERN-211", "axil", "text"),
]


class Recorder:
    """Stands for a model: every event becomes a finding that repeats it."""

    liveness = 1000
    in_reset = False

    def __init__(self) -> None:
        spec = specification("ernic")
        self.rules = Rules(spec, spec.knobs({}))
        self.broken = False
        self.time = 0

    def observe(self, event: Event) -> None:
        """Repeat the event, or break."""
        if self.broken:
            raise ZeroDivisionError("a defect of the model")
        self.rules.bench("", repr(event), "")

    def advance(self, now: int) -> None:
        """Time passes between events; how often this is said does not matter."""
        self.time = now

    def busy(self) -> str:
        """Number of findings, latest time."""
        return f"{self.rules.findings_total} at {self.time}"

    def quiet(self, now: int) -> None:
        """Not asked for."""

    def finish(self) -> None:
        """Nothing is left."""

    def subjects(self) -> list[int]:
        """Two queues."""
        return [1, 2]


def judge_in(folder: Path) -> tuple[Judge, Recorder]:
    """A judge of a recorder, with its log in ``folder``."""
    folder.mkdir()
    model = Recorder()
    return Judge(model, RunLog(folder, "unit"), LegalityChecker()), model


def told(judge: Any) -> dict[str, Any]:
    """Result after all kinds of events, an illegal frame of the partner and some questions."""
    judge.take(ALL[:5], [("open", 2, 0, 1024), ("heard", 2, 4, 7)], 6)
    judge.take(ALL[5:], [("sending", 2, b"\0" * 60)], 20)
    assert (
        judge.busy() == "13 at 20" and judge.subjects() == [1, 2] and not judge.in_reset() and judge.found()
    )
    judge.fail(21, "ERN-211", "an end", "none", "a transfer")
    judge.finish(30)
    found: dict[str, Any] = judge.result()
    assert any("frame without a connection" in one["observed"] for one in found["findings"])
    return found


def test_process_sees_what_the_judge_would(tmp_path: Path) -> None:
    """All events, notes and questions arrive as they were, in order."""
    inline = told(judge_in(tmp_path / "a")[0])
    apart = told(JudgeProcess(judge_in(tmp_path / "b")[0]))
    assert apart.pop("judge_rss_kb") > 0
    assert apart == inline
    for event in ALL:
        assert sum(one["observed"] == repr(event) for one in inline["findings"]) == 1
    logs = [(tmp_path / side / "transactions.log").read_text(encoding="utf-8") for side in "ab"]
    assert logs[0] == logs[1] and logs[0].count("\n") == len(ALL)


@pytest.mark.parametrize("ask", [lambda judge: judge.busy(), lambda judge: judge.result()])
def test_defect_of_the_judge_is_noticed(ask: Callable[[Any], Any], tmp_path: Path) -> None:
    """An exception in the process ends the run at the next question; nothing passes unjudged."""
    judge, model = judge_in(tmp_path / "a")
    model.broken = True
    process = JudgeProcess(judge)
    process.take(ALL, [])
    with pytest.raises((EOFError, BrokenPipeError)):
        ask(process)


def test_only_known_questions(tmp_path: Path) -> None:
    """A method that the judge does not offer is no question."""
    process = JudgeProcess(judge_in(tmp_path / "a")[0])
    with pytest.raises(AttributeError):
        process.observe  # noqa: B018
    process.result()
