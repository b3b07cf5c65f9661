"""The CQ engine behind a RoCE transport under loss and retries."""

from __future__ import annotations

import cocotb

from ref_model.link import LinkFaults
from tb.host.hermon import Arm
from tb.host.hermon_consumer import Consumer
from tb.host.hermon_roce import LOSSY, Connection
from tb.sequences.hermon import FORMS, rest, start
from tb.testcase import HermonTest, dut_test


class _Roce(HermonTest):
    faults = LOSSY
    cut_at = 0
    posts = 25

    async def scenario(self) -> None:
        rng = self.rng
        self.host.forms = FORMS
        cqs = await start(self, range(1, 5), log_size=6)
        pairs = ((1, 2), (1, 3), (4, 4))
        links = [Connection.between(number, pair, rng, self.faults) for number, pair in enumerate(pairs, 1)]
        consumer = Consumer(self.host, cqs, self.host.rng, (Arm.ANY, Arm.SOLICITED))
        serving = cocotb.start_soon(consumer.run())
        for count in range(self.posts):
            for link in links:
                if self.cut_at and link is links[0] and count == self.cut_at:
                    link.cut()
                for _ in range(rng.randrange(1, 4)):
                    link.post(rng)
                for report in link.run(self.producer):
                    await self.producer.when_room(cqs[report.cqn - 1], self.clocks)
                    await self.producer.send(report)
        await rest(self)
        consumer.stop()
        await serving
        await self.host.eqs.handle()


@dut_test(suites=("smoke", "full"))
class roce_completions(_Roce):
    """Completions of a RoCE transport under loss and retries reach their queues, each once and in order.

    Stimulus: three connections over links that lose, double, reorder and damage frames; requests and received
    messages to shared and to separate queues; a consumer on each.
    Checks: HCQ-032, HCQ-036, HCQ-116, HCQ-060, HCQ-120/counter, HCQ-120/reports, HCQ-124/order.
    """


@dut_test(suites=("full",))
class roce_gives_up(_Roce):
    """A connection that gives up ends its requests in error: one error CQE each, the others go on.

    Stimulus: as above; one link dies in the middle, its requests end as retry-exceeded and flushed.
    Checks: HCQ-035/opcode, HCQ-035/fields, HCQ-036, HCQ-047/fires, HCQ-116.
    """

    cut_at = 12
    posts = 20


@dut_test(suites=("full",))
class roce_clean(_Roce):
    """The same over a link without faults.

    Stimulus: as above, nothing lost.
    Checks: HCQ-032, HCQ-036, HCQ-116.
    """

    faults = LinkFaults()
