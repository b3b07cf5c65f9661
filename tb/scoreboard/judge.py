"""Model and log behind one narrow interface: ordered events in, few words out.

:class:`Judge` works where it is called. :class:`JudgeProcess` is the same in a process of its own, so that
judging and simulating use two cores. What it answers depends only on the events and questions and on their
order, so the verdict, the evidence and the logs are the same.
"""

from __future__ import annotations

import fcntl
import marshal
import multiprocessing
import resource
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from multiprocessing.connection import Connection
from operator import attrgetter
from typing import Any, Protocol, get_args

from ref_model.events import Event, Reset
from ref_model.rules import Rules
from tb.partner.legality import LegalityChecker
from tb.scoreboard.log import RunLog

Note = tuple[Any, ...]
"""What the link partner told of itself (tb/partner/legality.py)."""

BATCH = 512
"""Events per message to the process of a judge."""

PIPE_BYTES = 1 << 20


class Model(Protocol):
    """What a target's model offers."""

    @property
    def rules(self) -> Rules:
        """Findings and evidence."""

    @property
    def in_reset(self) -> bool:
        """Whether the DUT is in its reset."""

    @property
    def liveness(self) -> int:
        """How long a transfer may take (ps)."""

    def observe(self, event: Event) -> None:
        """Judge one event."""

    def advance(self, now: int) -> None:
        """Nothing can come any more before ``now`` (ps)."""

    def busy(self) -> str:
        """What the DUT still owes, or ''."""

    def quiet(self, now: int) -> None:
        """The DUT is quiet since ``now`` (ps)."""

    def finish(self) -> None:
        """End of test."""

    def subjects(self) -> list[int]:
        """Numbers of the queues the run has set up."""


class Judge:
    """Logs and judges events; times in ps. ``liveness``: how long a transfer may take."""

    def __init__(self, model: Model, log: RunLog, checker: LegalityChecker) -> None:
        """Events of one run go to ``log`` and ``model``, notes of the link partner to ``checker``."""
        self.liveness = model.liveness
        self._model = model
        self._log = log
        self._checker = checker
        self._first = True

    @property
    def rules(self) -> Rules:
        """Findings and evidence so far."""
        return self._model.rules

    def take(self, events: Sequence[Event], notes: Sequence[Note], mark: int | None = None) -> None:
        """Judge ``events``, which come in order, and ``notes``; then time has reached ``mark``."""
        if self._first and events:
            self._first = False
            first = events[0]
            if not (isinstance(first, Reset) and first.asserted):
                self.bench("a reset first", type(first).__name__, "the run starts in reset")
        add, observe = self._log.add, self._model.observe
        for event in events:
            add(event)
            observe(event)
        for name, *told in notes:
            getattr(self._checker, name)(*told)
        if mark is not None:
            self._model.advance(mark)

    def busy(self) -> str:
        """What the DUT still owes, or ''."""
        return self._model.busy()

    def quiet(self, now: int) -> None:
        """The DUT is quiet since ``now``."""
        self._model.quiet(now)

    def in_reset(self) -> bool:
        """Whether the DUT is in its reset."""
        return self._model.in_reset

    def subjects(self) -> list[int]:
        """Numbers of the queues the run has set up."""
        return self._model.subjects()

    def found(self) -> bool:
        """Whether there is a finding."""
        return bool(self.rules.findings)

    def fail(self, now: int, rule: str, expected: str, observed: str, why: str) -> None:
        """Record a deviation that the bench saw at ``now``."""
        self.rules.now = now
        self.rules.fail(rule, expected, observed, why)

    def bench(self, expected: str, observed: str, why: str) -> None:
        """Record a finding against the bench itself."""
        self.rules.bench(expected, observed, why)

    def finish(self, now: int) -> None:
        """Time has reached ``now`` and ends: what is still owed becomes findings."""
        self._model.advance(now)
        self._model.finish()
        for line in self._checker.problems:
            self.bench("legal frames without a fault rule", line, "link partner")

    def result(self) -> dict[str, Any]:
        """Close the log and return findings, evidence, digests and counts as plain data."""
        self._log.close()
        rules, log = self.rules, self._log
        return {
            "findings": [finding.as_dict() for finding in rules.findings],
            "findings_total": rules.findings_total,
            "undecided": list(rules.undecided),
            "decisions": rules.decisions,
            "evidence": dict(sorted(rules.evidence.items())),
            "observed": dict(sorted(rules.observed.items())),
            "digests": log.digests(),
            "packets": {"in": log.frames_in, "out": log.frames_out},
            "events": log.events,
        }


_KINDS: tuple[type, ...] = get_args(Event)
_CODE = {kind: code for code, kind in enumerate(_KINDS)}
_FIELDS = [attrgetter(*(field.name for field in fields(kind))) for kind in _KINDS]


class JudgeProcess:
    """A :class:`Judge` in a forked process; methods of the same names, which wait for all events before.

    ``take`` returns at once (or when the process has caught up a little). An exception of the judge ends its
    process with a traceback in the log of the run; the next call raises EOFError or BrokenPipeError.
    """

    def __init__(self, judge: Judge) -> None:
        """Fork: from here on only the copy of ``judge`` in the new process counts."""
        self.liveness = judge.liveness
        self._events: Any = []
        self._notes: Any = []
        self._mark: int | None = None
        context = multiprocessing.get_context("fork")
        asked, self._questions = context.Pipe(duplex=False)
        self._answers, answering = context.Pipe(duplex=False)
        _widen(self._questions)
        ends = (asked, answering, self._questions)
        self._process = context.Process(target=_serve, args=(judge, *ends), daemon=True)
        self._process.start()
        asked.close()
        answering.close()

    def take(self, events: Sequence[Event], notes: Sequence[Note], mark: int | None = None) -> None:
        """Judge ``events`` and ``notes``; then time has reached ``mark``."""
        self._events += [(code := _CODE[type(event)], _FIELDS[code](event)) for event in events]
        self._notes += notes
        self._mark = mark
        if len(self._events) >= BATCH:
            self._send()

    def _send(self) -> None:
        """Hand over what has gathered: few large messages, since each one wakes the other process.

        Of the marks only the last is told: every event brings its own time.
        """
        self._questions.send_bytes(marshal.dumps(("", self._events, self._notes, self._mark)))
        self._events, self._notes = [], []

    def __getattr__(self, name: str) -> Any:
        """Method ``name`` of the judge."""
        if name not in _CALLS:
            raise AttributeError(name)
        return partial(self._ask, name)

    def _ask(self, *question: Any) -> Any:
        self._send()
        self._questions.send_bytes(marshal.dumps(question))
        return self._answers.recv()

    def result(self) -> dict[str, Any]:
        """Result of the judge, with ``judge_rss_kb``; the process ends."""
        found: dict[str, Any] = self._ask("result")
        self._process.join()
        return found


_CALLS = frozenset({"busy", "quiet", "in_reset", "subjects", "found", "fail", "bench", "finish"})


def _widen(pipe: Connection) -> None:
    """Let ``pipe`` hold some batches, so that the simulation need not wait for the judge to come and read."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _serve(judge: Judge, asked: Connection, answering: Connection, parents_end: Connection) -> None:
    """Work in the new process until the result has been asked for or the simulator is gone."""
    parents_end.close()
    while True:
        try:
            name, *args = marshal.loads(asked.recv_bytes())
        except EOFError:
            return
        if not name:
            plain, notes, mark = args
            judge.take([_KINDS[code](*values) for code, values in plain], notes, mark)
            continue
        answer = getattr(judge, name)(*args)
        if name == "result":
            answer["judge_rss_kb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answering.send(answer)
        if name == "result":
            return
