"""Scoreboard: collects the events of all monitors, hands them to the model in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyuvm import uvm_analysis_export, uvm_component

from ref_model.events import Event
from tb.agents.base import Monitor
from tb.agents.pins import now_ps
from tb.fast.hub import FastHub
from tb.scoreboard.judge import Judge, JudgeProcess, Note
from tb.scoreboard.merge import Merge

#: Finished items that come before the scoreboard looks at the watermark again.
BATCH = 128


class Tap(uvm_analysis_export):
    """Analysis export that calls a function per event."""

    def __init__(self, name: str, parent: uvm_component, sink: Any) -> None:
        super().__init__(name, parent)
        self._sink = sink

    def write(self, datum: Any) -> None:
        """Pass the event on."""
        self._sink(datum)


class Scoreboard(uvm_component):
    """Merges what the monitors of one run see for its ``judge``, which the environment sets."""

    judge: Judge | JudgeProcess
    #: Rule of an item that never ends, by how the name of its monitor begins; "" is the rest.
    hang_rules: Mapping[str, str]
    #: What the link partner has told of itself since the last call.
    notes: Callable[[], list[Note]]
    #: Where finished items wait until somebody fetches them, if beats move in C.
    hub: FastHub | None = None

    def build_phase(self) -> None:
        """Create the merge."""
        self.merge = Merge()
        self.last_event = 0
        self._monitors: list[Monitor] = []
        self._next = BATCH
        self.hung: set[str] = set()
        self._held_until = 0

    def connect_monitor(self, monitor: Monitor) -> None:
        """Take the events of ``monitor``."""
        name = monitor.get_full_name().removeprefix("uvm_test_top.env.")
        monitor.ap.connect(Tap(f"tap_{len(self._monitors)}", self, self.put))
        self.merge.add_source(name, monitor.open_begin)
        self._monitors.append(monitor)

    def put(self, event: Event) -> None:
        """Accept one event of any source."""
        self.last_event = max(self.last_event, getattr(event, "settled", event.begin))
        self.merge.put(event)
        if len(self.merge) >= self._next and not (self.hub is not None and self.hub.draining):
            self.hand_on()

    def hand_on(self) -> int:
        """Judge what the watermark allows; returns the watermark (ps)."""
        self.fetch()
        mark = self.merge.watermark(now_ps())
        self.judge.take(list(self.merge.release(mark)), self.notes(), mark)
        self._next = len(self.merge) + BATCH
        return mark

    def fetch(self) -> None:
        """Take what has finished in the C engine."""
        if self.hub is not None:
            self.hub.drain()

    def idle(self) -> bool:
        """Return whether no monitor has an unfinished item and nothing waits in the merge."""
        return self.merge.oldest_open() is None and not len(self.merge)

    def check_hangs(self) -> None:
        """An item unfinished for LIVENESS_CLKS in which the bench held nothing up is a finding."""
        if any(monitor.held for monitor in self._monitors):
            self._held_until = now_ps()
        oldest = self.merge.oldest_open()
        if oldest is None:
            return
        name, begin = oldest
        if now_ps() - max(begin, self._held_until) > self.judge.liveness and name not in self.hung:
            self.hung.add(name)
            rule = next(rule for start, rule in self.hang_rules.items() if name.startswith(start))
            since = f"open since {begin / 1000:.1f} ns"
            self.judge.fail(now_ps(), rule, "an end", since, f"transfer on {name}")

    def flush(self) -> None:
        """End of test: judge everything, whatever is unfinished stays a finding."""
        self.hand_on()
        oldest = self.merge.oldest_open()
        if oldest is not None and oldest[0] not in self.hung:
            name, begin = oldest
            self.judge.bench("no unfinished item", f"{name} since {begin / 1000:.1f} ns", "end of test")
        self.judge.take(list(self.merge.release(1 << 62)), self.notes())

    def shortfalls(self) -> list[str]:
        """Return a line per monitor that saw fewer items than it has to."""
        return [line for monitor in self._monitors if (line := monitor.shortfall())]
