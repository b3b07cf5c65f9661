"""IPv6 settings in sent frames, and frames of the other IP version coming in."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from ref_model.wire import Frame, IPv4, IPv6
from tb.sequences.connect import connect
from tb.sequences.raw import Change, RawPeer
from tb.sequences.start import bring_up
from tb.sequences.traffic import peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class ipv6_fields(ErnicTest):
    """Hop limit, class and both addresses of IPv6 frames are those of the queue pair.

    Stimulus: four IPv6 queue pairs with hop limits 1, 63, 128, 255 and other classes and addresses; SENDs and
    WRITEs out, SENDs in. Checks: ERN-041, ERN-042, ERN-043, ERN-044, ERN-045, ERN-125.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        settings = ((2, 1, 0), (3, 63, 1), (4, 128, 32), (5, 255, 63))
        for number, hops, traffic_class in settings:
            address = self.rng.getrandbits(128)
            link = await connect(
                self, number, ip_version=6, ttl=hops, traffic_class=traffic_class, peer_ip=address
            )
            await post_all(self, link, [request(self.rng, Verb.SEND, 33), request(self.rng, Verb.WRITE, 34)])
            peer_post(link, self.rng, Verb.SEND, 35)
            await peer_done(self, link)


def other_version(ipv4: int, ipv6: int) -> Change:
    """The same request in the other IP version, to the address the DUT has there."""

    def change(frame: Frame) -> None:
        if isinstance(frame.ip, IPv4):
            frame.eth.ethertype = 0x86DD
            frame.ip = IPv6(src=frame.ip.src, dst=ipv6)
        else:
            frame.eth.ethertype = 0x0800
            frame.ip = IPv4(src=0x0A00_0001, dst=ipv4)

    return change


@dut_test(suites=("full",))
class ip_version_exact(ErnicTest):
    """A frame of the other IP version is dropped even where it is right in all else.

    Stimulus: IPv6 to an IPv4 queue pair and the reverse, both to the DUT's own address of that version,
    between good frames. Checks: ERN-100, ERN-110, ERN-154, ERN-170.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        change = other_version(self.host.config.ipv4, self.host.config.ipv6)
        for number, version in ((2, 4), (3, 6)):
            raw = RawPeer(await connect(self, number, ip_version=version), self.partner)
            for _ in range(3):
                raw.post(Verb.SEND, self.rng.randbytes(20))
                raw.broken(change)
                await self.host.pause(2)
            raw.post(Verb.SEND, self.rng.randbytes(20))
            await self.host.pause(2)
