"""TYPE2: multicast both ways, tokens, groups."""

from __future__ import annotations

from tb.sequences.rclink import bring_up, payload, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("smoke", "full"))
class type2_groups(RclinkTest):
    """A packet goes to the address of its group, once, and its token comes back.

    Stimulus: all groups, twice as many packets as there are tokens.
    Checks: RCL-009, RCL-013, RCL-021/present, RCL-022, RCL-062.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number in range(2 * int(self.env.config.knobs["TYPE2_OST_N"])):
            await self.host.multicast(number % 8, payload(self.rng))


@dut_test(suites=("full",))
class type2_received(RclinkTest):
    """Received multicast is delivered whatever its address, beside TYPE1.

    Stimulus: packets of all groups between TYPE1 packets of the partner.
    Checks: RCL-025, RCL-028, RCL-034, RCL-138.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,)))[0]
        for group in range(8):
            self.partner.multicast(group, payload(self.rng))
            self.partner.send(link.peer, payload(self.rng))
            await self.host.pause(0.1)


@dut_test(suites=("full",))
class type2_oversize(RclinkTest):
    """A received packet that is too long is dropped and reported, the next one taken.

    Stimulus: one byte and two beats above the limit between good ones.
    Checks: RCL-121, RCL-122.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        most = int(self.env.config.knobs["TYPE2_PKT_LEN"])
        for length in (most, most + 1, 100, most + 128, most):
            self.partner.inject(self.partner.type2_frame(1, payload(self.rng, length)))
            await self.host.pause(0.5)
        await self.settle()
        await self.host.clear_interrupts()
