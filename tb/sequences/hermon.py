"""Opening and building blocks of most HERMON CQ scenarios."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any, Protocol

import cocotb

from ref_model.events import RegWrite, SideBand
from ref_model.hermon_cq.context import field, names
from tb.host.hermon import Arm, Command, Form, HermonHost, HermonSettings, Modify
from tb.host.hermon_cq import Cq, CqSettings
from tb.host.hermon_producer import Producer
from tb.scoreboard import Tap

SHORT, LONG, LOOK = 400, 4000, 50
"""Clocks in which an event would show when all is idle; many of them; between two looks at an event queue."""

STRIDES = (32, 64, 128, 256)
LAST_INDEX = 0xFFFFFF
COMMANDS = (
    (Command.SW2HW, 0),
    (Command.SW2HW, 1),
    (Command.HW2SW, 0),
    (Command.HW2SW, 1),
    (Command.QUERY, 0),
    (Command.MODIFY, Modify.RESIZE),
    (Command.MODIFY, Modify.MODERATION),
    (Command.MODIFY, Modify.EQN),
    (Command.MODIFY, Modify.FLAGS),
)
"""All commands there are."""


class Bench(Protocol):
    """What sequences need of a running test."""

    host: HermonHost
    producer: Producer
    rng: random.Random
    env: Any

    async def settle(self) -> None:
        """Wait for quiet and judge all status."""

    async def clocks(self, count: int) -> None:
        """Let clocks pass."""


def _own(kind: type, settings: dict[str, Any]) -> dict[str, Any]:
    known = {entry.name for entry in fields(kind)}
    return {name: value for name, value in settings.items() if name in known}


async def start(bench: Bench, numbers: Iterable[int] = (1,), **settings: Any) -> list[Cq]:
    """Bring-up and queues ``numbers``; ``settings`` go to HermonSettings or CqSettings by their name."""
    await bench.host.open(HermonSettings(**_own(HermonSettings, settings)))
    return [await create(bench, number, **_own(CqSettings, settings)) for number in numbers]


async def create(bench: Bench, number: int, **settings: Any) -> Cq:
    """A queue; its event queue and UAR page follow from its number unless given."""
    knobs = bench.host.knobs
    places = {"eqn": number % int(knobs["NUM_EQ"]), "uar_page": number % (1 << int(knobs["NUM_UAR_LOG"]))}
    return await bench.host.create(number, **(places | settings))


async def reset(bench: Bench) -> None:
    """Reset the DUT with all that is under way; memory stays."""
    await bench.env.clock_reset.reset()


# -- traffic and events -----------------------------------------------------------------------------


async def rest(bench: Bench) -> None:
    """All reports, doorbells and events taken so far have had their effect, but for events without room."""
    await bench.host.rest()
    await bench.clocks(SHORT)


async def fill(bench: Bench, cq: Cq, count: int, solicited: bool = False) -> None:
    """So many good CQEs, all written."""
    await bench.producer.burst(cq.cqn, count, solicited)
    await rest(bench)


async def await_event(bench: Bench, cq: Cq, count: int = 1, clocks: int = 30_000) -> None:
    """Handle events until there were ``count`` more of this queue; TimeoutError after so many clocks."""
    wanted = cq.events + count
    for _ in range(clocks // LOOK):
        await bench.host.eqs.handle()
        if cq.events >= wanted:
            return
        await bench.clocks(LOOK)
    raise TimeoutError(f"CQ {cq.cqn}: no event within {clocks} clocks")


async def feed_until_event(bench: Bench, cq: Cq, since: int, most: int) -> None:
    """CQEs one at a time, ``most`` at most, until the queue has had more events than ``since``."""
    for _ in range(most):
        if cq.events > since:
            return
        await fill(bench, cq, 1)
        await bench.host.eqs.handle()


async def eqe_seen(bench: Bench, *cqs: Cq) -> None:
    """Look into memory clock by clock until each queue had its next event; EQ doorbells are not rung."""
    wanted = [cq.events + 1 for cq in cqs]
    for _ in range(30_000):
        if any(queue.ready() for queue in bench.host.eqs.queues.values()):
            await bench.host.eqs.handle(update=False)
        if all(cq.events >= count for cq, count in zip(cqs, wanted, strict=True)):
            return
        await bench.clocks(1)
    raise TimeoutError(f"no EQE for one of {len(cqs)} queues")


async def round_trip(bench: Bench, cq: Cq, request: Arm = Arm.ANY, count: int = 1, **arm: Any) -> None:
    """Request, CQEs that answer it, event, poll and publish; ``arm``: how the request is made."""
    await cq.arm(request, **arm)
    await bench.producer.burst(cq.cqn, count, request is Arm.SOLICITED)
    await await_event(bench, cq)
    await rest(bench)
    cq.drain()


async def laps(bench: Bench, cq: Cq, count: int) -> None:
    """``count`` CQEs, polled and published in pieces that fit."""
    most = max(1, cq.ring.size - 1)
    while count > 0:
        piece = min(count, bench.rng.randint(max(1, most // 2), most))
        await bench.producer.burst(cq.cqn, piece)
        await bench.host.rest()
        cq.drain()
        count -= piece


async def overflow(bench: Bench, cq: Cq) -> None:
    """Reports until one finds the ring full, whatever its capacity."""
    await fill(bench, cq, cq.ring.size - 1)
    await bench.producer.burst(cq.cqn, 2)
    await rest(bench)
    await bench.host.eqs.handle()


# -- races ------------------------------------------------------------------------------------------

Action = Callable[[], Awaitable[Any]]


async def race(bench: Bench, offset: int, one: Action, other: Action) -> None:
    """Start ``other`` ``offset`` clocks behind ``one`` (before it if negative); returns when both ended."""
    early, late = (one, other) if offset >= 0 else (other, one)

    async def run(action: Action) -> None:
        await action()

    task = cocotb.start_soon(run(early))
    if offset:
        await bench.clocks(abs(offset))
    await late()
    await task


class Offsets:
    """Measures at the pins how many clocks a doorbell was issued behind the acceptance of a report."""

    def __init__(self, bench: Bench) -> None:
        """Listen at both ports."""
        self.seen: list[int] = []
        self._period = bench.env.config.period_ps
        self._doorbell: int | None = None
        self._report: int | None = None
        bench.env.uar.monitor.ap.connect(Tap("doorbell_ear", bench.env, self._rang))
        bench.env.cpl.monitor.ap.connect(Tap("report_ear", bench.env, self._accepted))

    def _rang(self, event: RegWrite) -> None:
        if getattr(event, "strb", 0) & 0xF0:
            self._doorbell = event.begin
            self._pair()

    def _accepted(self, event: SideBand) -> None:
        self._report = event.settled
        self._pair()

    def _pair(self) -> None:
        if self._doorbell is not None and self._report is not None:
            self.seen.append((self._doorbell - self._report) // self._period)
            self._doorbell = self._report = None

    def forget(self) -> None:
        """Whatever came alone belongs to no race."""
        self._doorbell = self._report = None

    def told(self) -> str:
        """Size and span in words."""
        return (
            f"{len(self.seen)} races, doorbell {min(self.seen)} .. {max(self.seen)} clocks behind the report"
        )


# -- contexts ---------------------------------------------------------------------------------------


def context_values(rng: random.Random, max_log: int) -> Iterator[dict[str, int]]:
    """Contexts with every software-owned field random, 0, at its maximum and with a walking one."""
    owned = names("sw")

    def some() -> dict[str, int]:
        values = {name: rng.randint(0, field(name).mask) for name in owned}
        values["log_cq_size"] = rng.randint(1, max_log)
        return values

    for oi, cc in ((0, 0), (0, 1), (1, 0), (1, 1)):
        yield {**some(), "oi": oi, "cc": cc}
    for name in owned:
        width = field(name).mask.bit_length()
        for value in {0, field(name).mask, *(1 << bit for bit in range(width))}:
            if name != "log_cq_size" or 1 <= value <= max_log:
                yield {**some(), name: value}


FORMS = (Form.WHOLE, Form.HALVES)
REQUESTS = (Arm.SOLICITED, Arm.ANY)
