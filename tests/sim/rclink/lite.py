"""LITE mode."""

from __future__ import annotations

from ref_model.wire.rclink import Format
from tb.sequences.rclink import bring_up, burst, exchange, payload, peer_burst, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("full",))
class lite_tokens(RclinkTest):
    """A token comes back once its LITE frame has left, without any ACK.

    Stimulus: twice as many packets as there are tokens.
    Checks: RCL-104.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3), format=Format.LITE)
        for number in range(2 * int(self.env.config.knobs["TYPE1_OST_N"])):
            await burst(self, links[number % 3].number, 1, 64)


@dut_test(suites=("full",))
class lite_qpid(RclinkTest):
    """The queue pair of a received LITE frame follows from source address and class.

    Stimulus: frames of all banks, the partner with several numbers.
    Checks: RCL-105.
    """

    async def scenario(self) -> None:
        links = await start(self, (0, 1, 2, 3), format=Format.LITE)
        for link in links:
            peer_burst(self, link, 2)
        await exchange(self, links, 4)


@dut_test(suites=("full",))
class lite_classes(RclinkTest):
    """TYPE1 and TYPE2 are told apart by the traffic class, its low two bits aside.

    Stimulus: frames of both types with the classes of the DUT, then with classes whose low bits differ.
    Checks: RCL-106.
    """

    async def scenario(self) -> None:
        links = await start(self, (0, 1), format=Format.LITE, classes=(0x05, 0x0A, 0x0F, 0x10, 0x31, 0x56))
        for changed in (False, True):
            if changed:
                await self.host.set("TRAFFIC_CLASS", type1_req_tc_bank0=0x06, type1_req_tc_bank1=0x08)
                await self.host.pause(0.2)
            for link in links:
                peer_burst(self, link, 1)
                self.partner.multicast(1, payload(self.rng))
            await self.host.pause(1)


@dut_test(suites=("full",))
class lite_raw(RclinkTest):
    """A frame whose class is of no flow is a raw one: stored whole, from the first byte of its addresses on.

    Stimulus: raw frames of lengths around the beats, their first bytes other classes than those of the flows.
    Checks: RCL-106, RCL-109.
    """

    async def scenario(self) -> None:
        await bring_up(self, format=Format.LITE)
        await self.host.type3.open(8, 8)
        for flow, length in ((0x80, 60), (0x94, 64), (0xFC, 65), (0x98, 76), (0xA0, 128), (0x84, 1514)):
            await self.host.type3.post_receive(2048)
            self.partner.inject(bytes((flow,)) * 12 + self.rng.randbytes(length - 12))
            await self.host.pause(1)
