"""SEND and WRITE into the DUT: placement, rings, doorbells, refusals for want of space."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.host import Access
from tb.sequences.connect import connect
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import SEND_VERBS, length_classes, peer_done, peer_post
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("smoke", "full"))
class recv_send(ErnicTest):
    """Each received SEND lands in the next ring element, then index and doorbell advance, then it is
    acknowledged.

    Stimulus: lengths 0 to PMTU over three laps of rings of 16 and 32 elements, elements freed as they come.
    Checks: ERN-139, ERN-141, ERN-142, ERN-143, ERN-144, ERN-123, ERN-159, ERN-165.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, depth, element in ((2, 16, 1024), (3, 32, 2048)):
            link = await connect(self, number, rq_depth=depth, element=element)
            lengths = [0, *(n for n in length_classes(1024) if n <= 1024)]
            for count in range(3 * depth + 2):
                peer_post(link, self.rng, Verb.SEND, lengths[count % len(lengths)])
            await peer_done(self, link)


@dut_test(suites=("full",))
class recv_send_multi(ErnicTest):
    """The packets of a long SEND are put together in one element; immediate and key come out once per
    message.

    Stimulus: every SEND kind of 2, 3 and 4 packets and of exactly the element size, two path MTUs.
    Checks: ERN-139, ERN-143, ERN-150, ERN-113, ERN-123.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, pmtu in ((2, 256), (3, 1024)):
            link = await connect(self, number, pmtu=pmtu, element=4 * pmtu, rq_interrupt=True)
            for verb in SEND_VERBS:
                for length in (pmtu + 1, 3 * pmtu - 5, 4 * pmtu - 1, 4 * pmtu):
                    peer_post(link, self.rng, verb, length)
            await peer_done(self, link)


@dut_test(suites=("smoke", "full"))
class recv_rq_full_rnr(ErnicTest):
    """A SEND without free element draws an RNR NAK and is taken when it comes again after an element was
    freed.

    Stimulus: 14 SENDs twice, all freed at once; then 22 into a ring of 16, nothing freed until the RNR
    NAK; then one, then 16 at once; three timer codes.
    Checks: ERN-145, ERN-146, ERN-147, ERN-179, ERN-242.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, code in ((2, 1), (3, 2), (4, 31)):
            link = await connect(self, number, rnr_code=code, element=256, pmtu=256)
            for count in (14, 14, 22):
                await self.host.free_recv(link.qp, link.qp.received - link.qp.freed)
                taken = link.qp.received
                for _ in range(count):
                    peer_post(link, self.rng, Verb.SEND, 100)
                self.partner.service()
                await self.host.wait_received(link.qp, taken + min(count, 16))
            await self.host.pause(5)
            if code == 31:  # 491 ms: too long to wait for
                self.partner.disconnect(number)
                continue
            await self.host.free_recv(link.qp, 1)
            await self.host.wait_received(link.qp, taken + 17)
            await self.host.free_recv(link.qp, 16)
            await self.host.wait_received(link.qp, taken + 22)
            await peer_done(self, link)
        await self.host.read("INTSTS")


@dut_test(suites=("full",))
class rnr_followers(ErnicTest):
    """Requests right behind a refused SEND are not executed and the queue pair stays alive.

    Stimulus: full ring, then a SEND followed at once by SENDs and WRITEs; ring freed, all sent again in
    order. Checks: ERN-242, ERN-145, ERN-146, ERN-127.
    """

    async def scenario(self) -> None:
        link = await start(self, element=256, pmtu=256)
        mr = await self.host.register_mr(link.config.pd, 4096, access=Access.WRITE)
        raw = RawPeer(link, self.partner)
        for _ in range(16):
            raw.post(Verb.SEND, self.rng.randbytes(30))
        await self.host.wait_received(link.qp, 16)
        behind = raw.message(Verb.SEND, self.rng.randbytes(40))
        raw.psn += 1
        for verb in (Verb.WRITE, Verb.SEND, Verb.WRITE, Verb.SEND_IMM):
            behind += raw.message(verb, self.rng.randbytes(50), mr.va, mr.rkey, 7)
            raw.psn += 1
        raw.send(behind, advance=False)
        await self.host.pause(5)
        await self.host.free_recv(link.qp, 16)
        await self.host.pause(1)
        raw.send(behind, advance=False)
        await self.host.wait_received(link.qp, 19)


@dut_test(suites=("smoke", "full"))
class recv_write(ErnicTest):
    """A WRITE goes byte exact to the translated address and takes no receive element.

    Stimulus: address modulo 64 of 0, 1, 31, 63 with lengths 1 to 200, offsets across 4 KB, host address and
    remote address unrelated, remote addresses above 4 GiB; a SEND that names the key of the region for
    invalidation, then WRITEs again, at last WRITE_IMM. Checks: ERN-033, ERN-038, ERN-148, ERN-149, ERN-212,
    ERN-214, ERN-215.
    """

    async def scenario(self) -> None:
        link = await start(self)
        mr = await self.host.register_mr(link.config.pd, 16384, va=0xFFFF_FFFF_8000_0F40, offset=17)
        for offset in (1, 31, 63, 0):
            for length in (1, 3, 63, 64, 65, 128, 200):
                peer_post(link, self.rng, Verb.WRITE, length, mr, offset)
        link.peer.post_send(self.rng.randbytes(20), inv=mr.rkey)
        for offset in (1, 1000):
            peer_post(link, self.rng, Verb.WRITE, 100, mr, offset)
        for offset in (4095, 4096 - 17 - 64, 8000):
            peer_post(link, self.rng, Verb.WRITE_IMM, 700, mr, offset)
        await peer_done(self, link)


@dut_test(suites=("full",))
class recv_write_multi(ErnicTest):
    """Later packets of a WRITE continue at the running address.

    Stimulus: 2 to 5 packets with odd addresses for PMTU 256, 1024 and 4096, up to the last byte of the
    region.
    Checks: ERN-148, ERN-030, ERN-212, ERN-214, ERN-122.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, pmtu in ((2, 256), (3, 1024), (4, 4096)):
            link = await connect(self, number, pmtu=pmtu)
            size = 6 * pmtu
            mr = await self.host.register_mr(link.config.pd, size, va=0x1_0000_0000 - pmtu, offset=5)
            for length, offset in ((pmtu + 1, 0), (2 * pmtu, 13), (3 * pmtu - 1, 64), (5 * pmtu, pmtu)):
                peer_post(link, self.rng, Verb.WRITE, length, mr, offset)
                peer_post(link, self.rng, Verb.WRITE_IMM, length, mr, size - length)
            await peer_done(self, link)


@dut_test(suites=("full",))
class recv_back_to_back(ErnicTest):
    """Requests without a gap on the input are all taken, small and full-sized ones.

    Stimulus: bursts of minimum and PMTU-sized SENDs and WRITEs on four queue pairs interleaved.
    Checks: ERN-139, ERN-148, ERN-238.
    """

    line_rate = 0

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number, peer={"window": 12}) for number in range(2, 6)]
        for link in links:
            mr = await self.host.register_mr(link.config.pd, 8192)
            for length in (1, 1024, 4, 1024, 64):
                peer_post(link, self.rng, Verb.SEND, length)
                peer_post(link, self.rng, Verb.WRITE, length, mr, self.rng.randrange(4096))
        for link in links:
            await peer_done(self, link)
