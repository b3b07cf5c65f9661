"""A driver at work: handles events, polls, publishes, asks again; several queues at once."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tb.host.hermon import Arm
from tb.host.hermon_eq import CQ_ERROR, Event

if TYPE_CHECKING:
    from tb.host.hermon import HermonHost
    from tb.host.hermon_cq import Cq

IDLE_PS = 400_000


class Consumer:
    """Serves ``cqs`` until :meth:`stop`; a queue in error is left alone.

    The order is that of real drivers: read the EQEs, count the sequence number up, poll until empty, publish,
    request the next event. What may be done wrong is a habit of the queue (tb/host/hermon_cq.py).
    """

    def __init__(
        self, host: HermonHost, cqs: Iterable[Cq], rng: random.Random, requests: tuple[Arm, ...] = (Arm.ANY,)
    ) -> None:
        """``requests``: kinds of requests, one drawn for each."""
        self.host = host
        self.cqs = {cq.cqn: cq for cq in cqs}
        self.failed: set[int] = set()
        self._rng = rng
        self._requests = requests
        self._stopped = False
        self.idle = False

    def stop(self) -> None:
        """End after the round under way."""
        self._stopped = True

    async def run(self) -> None:
        """Request an event of every queue, then serve."""
        for cq in self.cqs.values():
            await self._request(cq)
        while not self._stopped:
            events = await self.host.eqs.handle()
            self.idle = not events
            for event in events:
                await self._event(event)
            if not events:
                self._look()
                await self.host.pause_ps(IDLE_PS)

    async def _event(self, event: Event) -> None:
        cq = self.cqs.get(event.cqn)
        if cq is None:
            return
        if event.kind == CQ_ERROR:
            self.failed.add(event.cqn)
            return
        if event.cqn in self.failed:
            return
        cq.drain()
        await self._request(cq)
        if self._rng.random() < 0.5:  # poll once more behind the request, as careful drivers do
            cq.drain()

    async def _request(self, cq: Cq) -> None:
        await cq.arm(self._rng.choice(self._requests))

    def _look(self) -> None:
        """Now and then somebody polls without an event; solicited requests leave plain CQEs behind."""
        for cq in self.cqs.values():
            if cq.cqn not in self.failed and self._rng.random() < 0.3:
                cq.drain()
