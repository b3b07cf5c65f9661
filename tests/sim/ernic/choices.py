"""Points that a parameter decides: the stimulus is the same for all its values, what is right is not."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.host import Access
from tb.partner import Action, Fault
from tb.sequences.connect import Link, connect, reconnect
from tb.sequences.frames import wrong_mac
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import SEND_VERBS, peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test

PATIENCE_PS = 1_000_000_000
BURST = 200
"""Frames in a row that the input buffer can hold."""
DEPTH = 16
"""Elements of a receive ring unless told otherwise."""


async def refill(test: ErnicTest, link: Link) -> None:
    """Let the peer fill the ring of ``link`` (its index alone cannot tell that), then free all of it."""
    test.partner.service()
    await test.host.pause(12)
    link.qp.received += DEPTH
    await test.host.free_recv(link.qp, DEPTH)


@dut_test(suites=("full", "nightly"))
class flush_moment(ErnicTest):
    """Every posted request of a fatal queue pair ends once, with an error, by its recovery at the latest.

    Stimulus: 6 and 20 requests, a fatal NAK for the third; recovery; traffic both ways (FLUSH_MOMENT).
    Checks: ERN-187, ERN-096, ERN-189, ERN-076, ERN-073.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=32)
        for turn, count in enumerate((6, 20), 1):
            self.partner.add_faults(Fault(Action.NAK, qp=2, value=0x61, skip=2, count=1))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE, 50) for _ in range(count)])
            await self.settle()
            await reconnect(self, link, first_psn=0x3_0000 * turn, expected_psn=7 * turn, sq_depth=32)
            peer_post(link, self.rng, Verb.SEND, 300)
            await peer_done(self, link)
            await post_all(self, link, [request(self.rng, Verb.SEND, 90) for _ in range(4)])


@dut_test(suites=("full", "nightly"))
class send_region_check(ErnicTest):
    """A SEND is taken or refused by whether its queue pair has a region that may be written.

    Stimulus: queue pairs without a region, with a read-only one, an empty one, a writable one, and one of
    another protection domain; a SEND to each (SEND_CHECKS_MR).
    Checks: ERN-037, ERN-139.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        cases = ((2, None, 0, 0), (3, Access.READ, 64, 0), (4, Access.WRITE, 0, 0), (5, Access.BOTH, 64, 0))
        for number, access, length, other in (*cases, (6, Access.BOTH, 64, 1)):
            link = await connect(self, number)
            if access is not None:
                addr = self.host.placement.area(64, 64, "region")
                pd = link.config.pd + 0x100 * other
                await self.host.register_mr(pd, length, row=number, addr=addr, access=access)
            RawPeer(link, self.partner).post(Verb.SEND, self.rng.randbytes(100))
            await self.host.pause(4)


@dut_test(suites=("full", "nightly"))
class immediate_elements(ErnicTest):
    """WRITEs with an immediate and SENDs share the receive ring by the parameter, also when it is full.

    Stimulus: 16 SENDs fill the ring; WRITEs with immediate of none, one and three packets and a SEND behind
    them; the ring freed (WRITE_IMM_USES_RQ).
    Checks: ERN-149, ERN-139, ERN-143, ERN-148, ERN-150.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, rq_interrupt=True)
        mr = await self.host.register_mr(link.config.pd, 4096)
        for verb in [*SEND_VERBS * 5, Verb.SEND, *[Verb.WRITE_IMM] * 4, Verb.SEND]:
            peer_post(link, self.rng, verb, self.rng.choice((0, 40, 700)), mr, self.rng.randrange(3000))
        await refill(self, link)
        await peer_done(self, link, PATIENCE_PS)


@dut_test(suites=("full", "nightly"))
class first_credit(ErnicTest):
    """A fresh receive ring takes SENDs from the start or from the first credit on, by the parameter.

    Stimulus: a ring of 16 filled by one SEND too many, freed, three SENDs more; recovery; again
    (RQ_CREDIT_MODE).
    Checks: ERN-147, ERN-145, ERN-146, ERN-139, ERN-143.
    """

    async def scenario(self) -> None:
        link = await start(self)
        for turn in range(2):
            for _ in range(20):
                peer_post(link, self.rng, Verb.SEND, self.rng.randrange(200))
            await refill(self, link)
            await peer_done(self, link, PATIENCE_PS)
            if not turn:
                self.partner.add_faults(Fault(Action.NAK, qp=2, value=0x61, count=1))
                await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 10))
                await self.host.wait_completions(link.qp)
                await reconnect(self, link, first_psn=99, expected_psn=0x77)


@dut_test(suites=("full", "nightly"))
class counter_end(ErnicTest):
    """A counter half that passes 65535 goes on by the parameter and leaves its neighbour alone.

    Stimulus: 65 560 frames (option frames) to a wrong MAC, good SENDs before and behind, the first one twice
    (COUNTER_WRAP). Checks: ERN-176, ERN-170, ERN-167, ERN-168.
    """

    line_rate = 0
    stalls = "none"

    async def scenario(self) -> None:
        await bring_up(self, error_buffer_all=False)
        raw = RawPeer(await connect(self, 2), self.partner)
        raw.send(raw.post(Verb.SEND, b"before"), advance=False)
        frames = int(self.options.get("frames", 65_560))
        for first in range(0, frames, BURST):
            for _ in range(min(BURST, frames - first)):
                raw.broken(wrong_mac(7), b"")
            await self.host.pause(8)
        await self.settle()
        raw.post(Verb.SEND, b"behind")
        await self.settle()
