"""Places of received data: full elements, regions across 4 GiB, answers in their order."""

from __future__ import annotations

from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from tb.host import ResponseMode
from tb.sequences.connect import connect
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, reset
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class full_elements(ErnicTest):
    """A SEND that fills its element to the last byte leaves the next element alone.

    Stimulus: SENDs of exactly the element size and one byte less over two laps of the ring, one at a time,
    with one and four packets. Checks: ERN-140, ERN-139, ERN-143.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, element in ((2, 256), (3, 1024)):
            link = await connect(self, number, pmtu=256, element=element)
            raw = RawPeer(link, self.partner)
            for count in range(34):
                raw.post(Verb.SEND, self.rng.randbytes(element - count % 3 // 2))
                await self.host.wait_received(link.qp, count + 1)
                await self.host.free_recv(link.qp, 1)


@dut_test(suites=("full",))
class region_above_4g(ErnicTest):
    """The offset in a region is added to the host address with all carries.

    Stimulus: a region whose host addresses cross a multiple of 4 GiB and whose remote addresses do not;
    WRITEs of 8 to 700 bytes before, across and behind the crossing, one at a time.
    Checks: ERN-033, ERN-148.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2, pmtu=256)
        raw = RawPeer(link, self.partner)
        mr = await self.host.register_mr(link.config.pd, 8192, va=0x7_0000_1003, addr=0x53_FFFF_F007)
        for offset in (0, 0x700, 0xFF9, 0xFF0, 0x1200, 8192 - 700):
            for length in (8, 64, 700):
                raw.post(Verb.WRITE, self.rng.randbytes(min(length, 8192 - offset)), mr.va + offset, mr.rkey)
                await self.host.pause(1)


@dut_test(suites=("full",))
class answer_order(ErnicTest):
    """ACKs and NAKs of a queue pair leave in the order of their packets, in every ACK mode.

    Stimulus: SENDs with and without A bit followed at once by one that is ahead, the missing one later, at
    last an unsupported opcode right behind a good request. Checks: ERN-126, ERN-114, ERN-122.
    """

    async def scenario(self) -> None:
        for mode in (ResponseMode.TIMEOUT, ResponseMode.REQUEST_OR_TIMEOUT, ResponseMode.REQUEST):
            await reset(self)
            await bring_up(self, ack_mode=mode)
            for number, ask in ((2, False), (3, True)):
                raw = RawPeer(await connect(self, number), self.partner)
                for _ in range(3):
                    raw.send(raw.message(Verb.SEND, self.rng.randbytes(20), ack=ask))
                    ahead = raw.message(Verb.SEND, b"ahead", psn=psn_add(raw.psn, 1), ack=ask)
                    raw.send(ahead, advance=False)
                    await self.host.pause(4)
                raw.send(raw.message(Verb.SEND, self.rng.randbytes(20), ack=ask))
                raw.broken(lambda frame: setattr(frame.bth, "opcode", 0x15))
                await self.host.pause(4)
