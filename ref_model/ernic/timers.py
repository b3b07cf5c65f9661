"""Timers of the requester as they show on the pins: between which times one may end (TIMER_TOL)."""

from __future__ import annotations

from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import Context


class Timers:
    """Shortest and longest times of a timer."""

    def __init__(self, ctx: Context) -> None:
        """Use the clock and the tolerances of ``ctx``."""
        self._ctx = ctx

    def timeout(self, conn: QpConfig, device: Device) -> int:
        """Nominal time (ps) of the retry timeout."""
        return (1 << (device.base_width + conn.timeout)) * self._ctx.timing.period

    def shortest_timeout(self, conn: QpConfig, device: Device) -> int:
        """Least time (ps) on the pins: one base tick less, and what the first sending may have waited."""
        return self.shortest(self.timeout(conn, device), device) - self._ctx.timing.reaction

    def shortest(self, nominal: int, device: Device) -> int:
        """Least time (ps) of a timer of nominal length by TIMER_TOL."""
        tolerance = self._ctx.knobs["TIMER_TOL"]
        tick = (1 << device.base_width) * self._ctx.timing.period
        return max(int(tolerance["lower_factor"] * nominal - tolerance["lower_base_ticks"] * tick), 0)

    def longest(self, nominal: int) -> int:
        """Longest time (ps) until a timer of nominal length has shown on the pins."""
        return int(self._ctx.knobs["TIMER_TOL"]["upper_factor"] * nominal) + self._ctx.timing.liveness
