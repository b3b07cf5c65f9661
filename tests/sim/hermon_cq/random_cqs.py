"""Constrained-random runs: queues, producers and consumers of every kind, also across the 2^24 wrap."""

from __future__ import annotations

import cocotb

from tb.host.hermon import Arm
from tb.host.hermon_consumer import Consumer
from tb.host.hermon_cq import Style
from tb.sequences.hermon import FORMS, LAST_INDEX, create, rest, start
from tb.testcase import HermonTest, dut_test

STEPS = 120


class _Random(HermonTest):
    """A consumer serves all queues while reports, commands and resizes come in any order."""

    first = 0
    requests = (Arm.ANY, Arm.SOLICITED)
    steps = STEPS

    async def scenario(self) -> None:
        rng = self.rng
        self.host.forms = FORMS
        await start(self, (), eq_log_size=rng.randrange(3, 7))
        if self.first:
            await self.host.start_at(self.first)
        numbers = rng.sample(range(1 << int(self.host.knobs["NUM_CQ_LOG"])), 6)
        cqs = [await self._queue(number) for number in numbers]
        consumer = Consumer(self.host, cqs, self.host.rng, self.requests)
        serving = cocotb.start_soon(consumer.run())
        for _ in range(self.steps):
            await self._step(rng.choice(cqs))
        await rest(self)
        consumer.stop()
        await serving
        await self.host.eqs.handle()

    async def _queue(self, number: int):  # type: ignore[no-untyped-def]
        rng = self.rng
        moderated = rng.random() < 0.4
        return await create(
            self,
            number,
            log_size=rng.randrange(2, 7),
            offset=rng.choice((0, 1, 5)) * self.host.rings.stride,
            log2_page_size=rng.choice((0, 0, 1)),
            max_count=rng.randrange(6) if moderated else 0,
            period=rng.randrange(1, 30) if moderated else 0,
            opmod=rng.randrange(2),
            oi=rng.random() < 0.1,
            fill=rng.randbytes(1) if rng.random() < 0.5 else b"\xcc",
        )

    async def _step(self, cq) -> None:  # type: ignore[no-untyped-def]
        rng = self.rng
        choice = rng.random()
        if choice < 0.70:
            room = self.producer.room(cq)
            await self.producer.send(
                *(self.producer.any(cq.cqn) for _ in range(min(room, rng.randrange(1, 9))))
            )
        elif choice < 0.78:
            await self.host.query(cq.cqn)
        elif choice < 0.84:
            await self.host.moderate(cq.cqn, rng.randrange(4), rng.randrange(1, 20))
        elif choice < 0.90:
            await self.host.move(cq.cqn, rng.randrange(int(self.host.knobs["NUM_EQ"])))
        elif choice < 0.95 and not cq.settings.oi:
            await cq.resize(rng.randrange(2, 7), rng.choice(tuple(Style)))
        await self.clocks(rng.choice((1, 5, 40, 200, 600)))


@dut_test(suites=("smoke", "full"), seeds=3)
class random_cqs(_Random):
    """Queues of any kind serve producers and consumers of any kind.

    Stimulus: six queues of random shape; bursts, queries, moderation, moves and resizes under a consumer that
    handles events, polls, publishes and asks again.
    Checks: HCQ-020, HCQ-036, HCQ-060, HCQ-089, HCQ-098, HCQ-116, HCQ-120/counter, HCQ-120/reports.
    """


@dut_test(suites=("full",), seeds=3)
class random_wrap(_Random):
    """The same where the counters pass 2^24.

    Stimulus: as above, the counters start shortly before the wrap.
    Checks: HCQ-038, HCQ-036, HCQ-060, HCQ-116, HCQ-120/counter.
    """

    first = LAST_INDEX - 30


@dut_test(suites=("nightly",), seeds=5)
class random_long(_Random):
    """Long random runs.

    Stimulus: as above with ten times the steps and long stalls.
    Checks: HCQ-036, HCQ-060, HCQ-108, HCQ-116.
    """

    stalls = "bursts"
    steps = 10 * STEPS
