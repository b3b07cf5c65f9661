"""One-shot alarm of a link partner in a simulation."""

from __future__ import annotations

from collections.abc import Callable

import cocotb
from cocotb.task import Task
from cocotb.triggers import Timer

from tb.agents.pins import now_ps


class Alarm:
    """Calls ``ring`` once the earliest time asked for has come."""

    def __init__(self, ring: Callable[[], None], off_edge: Callable[[int], int] = lambda time: time) -> None:
        """``off_edge`` moves a time away from the clock edges of the DUT."""
        self._ring = ring
        self._off_edge = off_edge
        self._task: Task[None] | None = None
        self._due = 0

    def at(self, time: int) -> None:
        """Ring at ``time`` (ps) or earlier."""
        if self._task is not None:
            if self._due <= time:
                return
            self._task.cancel()
        self._due = max(time, now_ps() + 1)
        self._task = cocotb.start_soon(self._expire(self._off_edge(self._due)))

    def stop(self) -> None:
        """Do not ring any more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _expire(self, due: int) -> None:
        wait = due - now_ps()
        if wait > 0:
            await Timer(wait, "ps")
        self._task = None
        self._ring()
