"""Addresses and path fields of every frame the DUT builds."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.sequences.connect import connect
from tb.sequences.start import bring_up
from tb.sequences.traffic import ALL_VERBS, peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("smoke", "full"))
class ipv6_traffic(ErnicTest):
    """IPv6 queue pairs carry traffic both ways beside an IPv4 one.

    Stimulus: all verbs out of an IPv6 and an IPv4 queue pair, SENDs in, odd values in unused address
    registers. Checks: ERN-041, ERN-042, ERN-045, ERN-046, ERN-053, ERN-125, ERN-248.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, 2, ip_version=6), await connect(self, 3, ip_version=4)]
        for word in (2, 3, 4):
            await self.host.write(f"IPDESADDR{word}", self.rng.getrandbits(32), 3)
        for link in links:
            await post_all(self, link, [request(self.rng, verb, n) for verb in ALL_VERBS for n in (40, 1500)])
            for length in (1, 60, 1500):
                peer_post(link, self.rng, Verb.SEND, length)
            await peer_done(self, link)


@dut_test(suites=("full",))
class header_fields(ErnicTest):
    """Each configured field of a queue pair shows in its frames and in no other place.

    Stimulus: seven queue pairs with walking MAC and IP bytes, P_Keys, 24-bit peer numbers, TTL 1, 64, 255 and
    traffic classes 0, 1, 32, 63; SENDs out and in (the DUT's ACKs carry the fields too).
    Checks: ERN-040, ERN-042, ERN-043, ERN-044, ERN-046, ERN-048, ERN-125.
    """

    async def scenario(self) -> None:
        await bring_up(self, mac=0x02_01_04_08_10_20, ipv4=0xC0A8_FF01, udp_port=0xFFFF)
        ttls, classes = (1, 64, 255), (0, 1, 32, 63)
        for index, number in enumerate(range(2, 9)):
            link = await connect(
                self,
                number,
                peer_mac=0x02_00_00_00_00_00 | 0xA5 << 8 * (index % 5),
                peer_ip=0x01 << 4 * index | 0x5000_0000,
                peer_qp=1 << (3 * index + 2) | 1,
                pkey=0x8000 | 1 << 2 * index,
                ttl=ttls[index % 3],
                traffic_class=classes[index % 4],
            )
            await post_all(self, link, [request(self.rng, Verb.SEND, 33), request(self.rng, Verb.WRITE, 34)])
            peer_post(link, self.rng, Verb.SEND, 35)
            await peer_done(self, link)


def carrying_twice(dut_ip: int, total_length: int) -> int:
    """Peer address with which the 16-bit words of a default IPv4 header add up to a low half of 0xFFFF above
    a carry: the end-around carry then carries again.
    """
    high = 0x5A00
    words = (0x4500, total_length, 0x4000, 64 << 8 | 17, dut_ip >> 16, dut_ip & 0xFFFF, high)
    return high << 16 | 0xFFFF - sum(words) & 0xFFFF


@dut_test(suites=("full",))
class ip_checksum_carry(ErnicTest):
    """The IPv4 header check sum is right when adding the carry gives another carry.

    Stimulus: peer addresses chosen so for SENDs of 4, 64 and 1000 bytes and for ACKs. Checks: ERN-041.
    """

    async def scenario(self) -> None:
        dut_ip = 0xC0A8_FF01
        await bring_up(self, ipv4=dut_ip)
        for number, length in ((2, 4), (3, 64), (4, 1000)):
            link = await connect(self, number, peer_ip=carrying_twice(dut_ip, 44 + length))
            await post_all(self, link, [request(self.rng, Verb.SEND, length)])
            peer_post(link, self.rng, Verb.SEND, length)
            await peer_done(self, link)
