"""The HERMON_CQ observer: takes what the pins showed, in merged order, and judges it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ref_model.events import Event
from ref_model.rules import Rules, specification


class HermonModel:
    """Judges one CQ engine; ``knobs`` are the parameters of spec/hermon_cq/parameters.json."""

    def __init__(
        self, knobs: Mapping[str, Any], period_ps: int = 4000, settle_clks: int = 16, pipe_out_clks: int = 64
    ) -> None:
        """``period_ps``: clock period; ``settle_clks``, ``pipe_out_clks``: windows of the binding."""
        spec = specification("hermon_cq")
        self.knobs = spec.knobs(knobs)
        self.rules = Rules(spec, self.knobs)
        self.liveness = int(self.knobs["LIVENESS_CLKS"]) * period_ps
        self.in_reset = True

    def observe(self, event: Event) -> None:
        """Judge one event."""

    def advance(self, now: int) -> None:
        """No event can come any more before ``now`` (ps)."""

    def busy(self) -> str:
        """Return why the DUT still owes something, or an empty string."""
        return ""

    def quiet(self, now: int) -> None:
        """The bench found the DUT quiet: everything that happened has taken effect."""

    def subjects(self) -> list[int]:
        """Numbers of the CQs that hardware owns."""
        return []

    def finish(self) -> None:
        """End of test: open obligations become findings."""
