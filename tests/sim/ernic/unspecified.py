"""Situations for which nothing is specified: whatever the DUT does is recorded, afterwards it works again."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from ref_model.wire import Frame
from tb.host.bringup import xrnicconf
from tb.sequences.connect import Link, connect
from tb.sequences.memory_errors import renew
from tb.sequences.raw import Change, RawPeer
from tb.sequences.start import bring_up, reset
from tb.sequences.traffic import peer_post, request
from tb.testcase import ErnicTest, dut_test
from tests.sim.ernic.robustness import both_ways

RESETS = ("cmac_rx_rst", "cmac_tx_rst", "s_axi_lite_aresetn", "m_axi_aresetn")


def _from_elsewhere(header: str) -> Change:
    """Change the source in ``header`` of a frame."""

    def change(frame: Frame) -> None:
        getattr(frame, header).src ^= 0x0101

    return change


@dut_test(suites=("full",))
class foreign_frames(ErnicTest):
    """Frames from elsewhere, and RoCE frames for a disabled device, are recorded; the others go on.

    Stimulus: a SEND from a foreign MAC, IP address and UDP port to one queue pair each, traffic on another
    one, the queue pairs made anew; a frame while XRNICCONF[0] = 0; a reset and a second life.
    Checks: ERN-111 is recorded; ERN-190, ERN-238, ERN-056 beside and after it.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        healthy = await connect(self, 6)
        for number, header in enumerate(("eth", "ip", "udp"), 2):
            link = await connect(self, number)
            await both_ways(self, link)
            raw = RawPeer(link, self.partner, link.peer.requester.next_psn)
            raw.broken(_from_elsewhere(header))
            await self.host.pause(5)
            await both_ways(self, healthy)
            await both_ways(self, await renew(self, link, number))
        await self.host.write("XRNICCONF", xrnicconf(self.host.config, enable=False))
        RawPeer(healthy, self.partner, healthy.peer.requester.next_psn).post(Verb.SEND, bytes(20))
        await self.host.pause(5)
        await second_life(self)


async def second_life(test: ErnicTest) -> None:
    """A reset of all domains, a bring-up, traffic both ways."""
    await reset(test)
    await bring_up(test)
    for link in [await connect(test, number) for number in (2, 3)]:
        await both_ways(test, link)


@dut_test(suites=("full",))
class reset_of_one_domain(ErnicTest):
    """Whatever the reset of one clock domain does is recorded; a full reset then brings a clean second life.

    Stimulus: each of the four resets alone, idle and in the middle of traffic both ways, then all of
    them and traffic.
    Checks: ERN-222 is recorded; ERN-219, ERN-056, ERN-148 after it.
    """

    async def scenario(self) -> None:
        for pin in RESETS:
            for busy in (False, True):
                await bring_up(self)
                link = await connect(self, 2)
                await both_ways(self, link, 1)
                if busy:
                    batch = [request(self.rng, Verb.WRITE, 900) for _ in range(4)]
                    await self.host.post_send(link.qp, *batch)
                    peer_post(link, self.rng, Verb.SEND, 900)
                    self.partner.service()
                await self.env.clock_reset.reset_domain(pin)
                await self.host.pause(3)
                await second_life(self)
                await reset(self)


@dut_test(suites=("full",))
class bring_up_again(ErnicTest):
    """A bring-up without reset of a queue pair in use is recorded; deletion or a reset makes it sound.

    Stimulus: traffic both ways, then the whole bring-up once more with other rings, requests posted, another
    queue pair busy; the queue pair deleted and made anew; the same again, then a reset.
    Checks: ERN-222 is recorded; ERN-190, ERN-238, ERN-219, ERN-056 beside and after it.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link, other = await connect(self, 2), await connect(self, 3)
        for _ in range(2):
            await both_ways(self, link)
            await self.without_reset(link, other)
            link = await renew(self, link, 5)
            await both_ways(self, link)
        await self.without_reset(link, other)
        await second_life(self)

    async def without_reset(self, link: Link, other: Link) -> None:
        """Program a queue pair in use as if it were new."""
        del self.host.qps[link.number]
        link.qp = await self.host.create_qp(link.config)
        await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 40))
        await self.host.pause(5)
        await both_ways(self, other)
