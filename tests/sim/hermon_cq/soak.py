"""Long runs: steady completions whose cost and memory must not grow."""

from __future__ import annotations

import cocotb

from tb.host.hermon_consumer import Consumer
from tb.sequences.hermon import rest, start
from tb.testcase import HermonTest, dut_test

BATCH = 16


@dut_test(suites=("full", "nightly"))
class cqe_soak(HermonTest):
    """Steady completions of four queues are written and announced, however long it goes on.

    Stimulus: 512 good completions (option messages) in batches to queues of 64 in turn, a driver on each.
    Checks: HCQ-036, HCQ-060, HCQ-116.
    """

    async def scenario(self) -> None:
        cqs = await start(self, range(1, 5), log_size=6)
        consumer = Consumer(self.host, cqs, self.host.rng)
        serving = cocotb.start_soon(consumer.run())
        for number in range(int(self.options.get("messages", 512)) // BATCH):
            cq = cqs[number % len(cqs)]
            while self.producer.room(cq) < BATCH:
                await self.clocks(20)
            await self.producer.burst(cq.cqn, BATCH)
        await rest(self)
        consumer.stop()
        await serving
        await self.host.eqs.handle()
