"""Clock period and windows of judgement, in picoseconds (docs/JUDGING.md, "Moments and order")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: SETTLE and PIPE_OUT count clocks in which the bench holds nothing up. The events carry plain time, so an
#: output under back-pressure and memory latency gets this many times the window before it is called late.
HELD_UP = 4


@dataclass(slots=True)
class Timing:
    """Clock period and the windows of judgement, all in picoseconds."""

    period: int
    settle: int
    pipe_out: int
    liveness: int
    irq_settle: int

    @property
    def reaction(self) -> int:
        """Time after an input within which an output decided before it may still begin."""
        return self.settle + HELD_UP * self.pipe_out

    @classmethod
    def of(cls, period_ps: int, settle_clks: int, pipe_out_clks: int, knobs: Mapping[str, Any]) -> Timing:
        """Convert the clock counts of the binding and the parameters once."""
        return cls(
            period_ps,
            settle_clks * period_ps,
            pipe_out_clks * period_ps,
            int(knobs["LIVENESS_CLKS"]) * period_ps,
            int(knobs["INTR_SETTLE"]) * period_ps,
        )
