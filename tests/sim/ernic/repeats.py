"""Repeated and refused requests with time between them: each answer belongs to one request."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.sequences.connect import connect
from tb.sequences.raw import RawPeer, fill_ring
from tb.sequences.start import bring_up, start
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class repeat_is_last(ErnicTest):
    """A repeated request is acknowledged again though nothing follows that would cover it.

    Stimulus: a SEND and a WRITE on one queue pair, only SENDs on another, each followed by silence; then the
    last one repeated, and silence. Checks: ERN-115, ERN-122, ERN-168.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, verbs in ((2, (Verb.SEND, Verb.WRITE)), (3, (Verb.SEND, Verb.SEND))):
            link = await connect(self, number)
            mr = await self.host.register_mr(link.config.pd, 4096)
            raw = RawPeer(link, self.partner)
            for verb in verbs:
                frames = raw.post(verb, self.rng.randbytes(40), mr.va, mr.rkey)
                await self.settle()
                raw.send(frames, advance=False)
                await self.settle()


@dut_test(suites=("full",))
class repeat_without_room(ErnicTest):
    """A repeated request that could not be executed now is acknowledged all the same, with nothing behind it.

    Stimulus: a WRITE, then SENDs until the ring is full; the last SEND repeated, and silence; then the region
    cleared and the WRITE repeated, and silence; at last elements freed and one more SEND.
    Checks: ERN-243, ERN-122.
    """

    async def scenario(self) -> None:
        link = await start(self, element=256, pmtu=256)
        mr = await self.host.register_mr(link.config.pd, 4096)
        raw = RawPeer(link, self.partner)
        write = raw.post(Verb.WRITE, self.rng.randbytes(40), mr.va, mr.rkey)
        last = await fill_ring(self, raw)
        for frames in (last, write):
            raw.send(frames, advance=False)
            await self.settle()
            await self.host.deregister_mr(mr)
        await self.host.free_recv(link.qp, 4)
        await self.host.pause(1)
        raw.post(Verb.SEND, b"room")
        await self.host.wait_received(link.qp, 17)


@dut_test(suites=("full",))
class rnr_late_followers(ErnicTest):
    """Requests that come long after an RNR NAK are not executed before the refused SEND has come again.

    Stimulus: full ring, a refused SEND, its RNR NAK, then two SENDs and a WRITE behind it; ring freed, all
    sent again in order. Checks: ERN-242, ERN-145, ERN-146.
    """

    async def scenario(self) -> None:
        link = await start(self, element=256, pmtu=256)
        mr = await self.host.register_mr(link.config.pd, 4096)
        raw = RawPeer(link, self.partner)
        await fill_ring(self, raw)
        frames = []
        for verb in (Verb.SEND, Verb.SEND, Verb.WRITE, Verb.SEND):
            frames += raw.message(verb, self.rng.randbytes(50), mr.va, mr.rkey)
            raw.psn += 1
        raw.send(frames[0], advance=False)
        await self.settle()
        raw.send(frames[1:], advance=False)
        await self.settle()
        await self.host.free_recv(link.qp, 16)
        await self.host.pause(1)
        raw.send(frames, advance=False)
        await self.host.wait_received(link.qp, 19)
