"""Scoreboard: collects the events of all monitors, hands them to the model in order."""

from __future__ import annotations

from typing import Any

from pyuvm import uvm_analysis_export, uvm_component

from ref_model.ernic import ErnicModel
from ref_model.events import Event, Reset
from tb.agents.base import Monitor
from tb.agents.pins import now_ps
from tb.fast.hub import FastHub
from tb.scoreboard.log import RunLog
from tb.scoreboard.merge import Merge

#: Finished items that wait before the scoreboard looks at the watermark again.
BATCH = 64

#: Rule of an item that never ends, by the kind of interface.
HANG_RULES = {"axil": "ERN-007", "axi": "ERN-213", "mac": "ERN-211", "sideband": "ERN-211"}


class Tap(uvm_analysis_export):
    """Analysis export that calls a function per event."""

    def __init__(self, name: str, parent: uvm_component, sink: Any) -> None:
        super().__init__(name, parent)
        self._sink = sink

    def write(self, datum: Any) -> None:
        """Pass the event on."""
        self._sink(datum)


class Scoreboard(uvm_component):
    """Merge, model and log of one run; ``model`` and ``log`` are set by the environment."""

    model: ErnicModel
    log: RunLog
    #: Where finished items wait until somebody fetches them, if beats move in C.
    hub: FastHub | None = None

    def build_phase(self) -> None:
        """Create the merge."""
        self.merge = Merge()
        self.last_event = 0
        self._monitors: list[Monitor] = []
        self._first = True
        self.hung: set[str] = set()

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
        if len(self.merge) >= BATCH and not (self.hub is not None and self.hub.draining):
            self.judge()

    def judge(self) -> int:
        """Hand on what the watermark allows; returns the watermark (ps)."""
        self.fetch()
        mark = self.merge.watermark(now_ps())
        for event in self.merge.release(mark):
            if self._first:
                self._first = False
                if not (isinstance(event, Reset) and event.asserted):
                    self.model.rules.bench("a reset first", type(event).__name__, "the run starts in reset")
            self.log.add(event)
            self.model.observe(event)
        self.model.advance(mark)
        return mark

    def fetch(self) -> None:
        """Take what has finished in the C engine."""
        if self.hub is not None:
            self.hub.drain()

    def idle(self) -> bool:
        """Return whether no monitor has an unfinished item and nothing waits in the merge."""
        return self.merge.oldest_open() is None and not len(self.merge)

    def check_hangs(self) -> None:
        """An item unfinished for LIVENESS_CLKS is a finding."""
        oldest = self.merge.oldest_open()
        if oldest is None:
            return
        name, begin = oldest
        limit = self.model.ctx.timing.liveness
        if now_ps() - begin > limit and name not in self.hung:
            self.hung.add(name)
            rule = HANG_RULES.get(name.split("_")[0].split(".")[0], "ERN-211")
            self.model.rules.now = now_ps()
            self.model.rules.fail(rule, "an end", f"open since {begin / 1000:.1f} ns", f"transfer on {name}")

    def flush(self) -> None:
        """End of test: judge everything, whatever is unfinished stays a finding."""
        self.judge()
        oldest = self.merge.oldest_open()
        rules = self.model.rules
        if oldest is not None and oldest[0] not in self.hung:
            rules.bench("no unfinished item", f"{oldest[0]} since {oldest[1] / 1000:.1f} ns", "end of test")
        for event in self.merge.release(1 << 62):
            self.log.add(event)
            self.model.observe(event)

    def shortfalls(self) -> list[str]:
        """Return a line per monitor that saw fewer items than it has to."""
        return [line for monitor in self._monitors if (line := monitor.shortfall())]
