"""Long runs: steady traffic whose cost and memory must not grow."""

from __future__ import annotations

from tb.sequences.rclink import payload, start
from tb.testcase import RclinkTest, dut_test

FULL_LENGTH = 1344


@dut_test(suites=("full", "nightly"))
class type1_soak(RclinkTest):
    """Steady packets in both directions are carried without a resend, however long it goes on.

    Stimulus: TYPE1 packets of 1344 bytes (option length) over four queue pairs, 256 of them (option messages)
    each way, never more under way than there are slots.
    Checks: RCL-037, RCL-039, RCL-041, RCL-053, RCL-094.
    """

    async def scenario(self) -> None:
        messages = int(self.options.get("messages", 256))
        length = int(self.options.get("length", FULL_LENGTH))
        links = await start(self, (1, 2, 3, 8))
        for number in range(messages):
            link = links[number % len(links)]
            await self.host.send(link.number, payload(self.rng, length))
            while not self.partner.has_slot:
                await self.host.pause(0.05)
            self.partner.send(link.peer, payload(self.rng, length))
