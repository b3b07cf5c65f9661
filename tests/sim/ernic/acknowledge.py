"""Acknowledgements into the DUT: coalesced, held back, ghosts."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy, acknowledge
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from tb.agents.pins import now_ps
from tb.sequences.connect import connect
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import ALL_VERBS, post_all, request
from tb.testcase import ErnicTest, dut_test

CREDITS = (0, 1, 0x1F)


@dut_test(suites=("full",))
class ack_coalesced(ErnicTest):
    """One acknowledgement completes every work request it covers.

    Stimulus: the peer acknowledges groups of 2, 5 and 16 requests of mixed size and kind.
    Checks: ERN-071, ERN-073, ERN-076, ERN-077, ERN-080.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, group in ((2, 2), (3, 5), (4, 16)):
            policy = AckPolicy(AckMode.COALESCE, group, 5_000_000)
            link = await connect(self, number, pmtu=256, sq_depth=32, peer={"ack_policy": policy})
            batch = [
                request(self.rng, self.rng.choice(ALL_VERBS), self.rng.choice((4, 300))) for _ in range(24)
            ]
            await post_all(self, link, batch, one_doorbell=True)


@dut_test(suites=("full",))
class ack_hold(ErnicTest):
    """Nothing completes before its last packet is acknowledged.

    Stimulus: ACKs withheld for long, status read meanwhile, then one for the packet before the last,
    then the last one; repeated for one packet messages sixteen times. Checks: ERN-071, ERN-066, ERN-076.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, peer={"ack_policy": AckPolicy(AckMode.HOLD)})
        await self.host.post_send(
            link.qp, request(self.rng, Verb.SEND, 256 * 4), request(self.rng, Verb.WRITE, 10)
        )
        await self.host.pause(20)
        await self.host.read("STATQP", link.number)
        first = link.config.first_psn
        for steps in (0, 2, 3, 4):
            self.partner.inject(acknowledge(link.peer.config, psn_add(first, steps), 0x1F, 0))
            await self.host.pause(4)
        link.peer.config.ack_policy = AckPolicy(delay_ps=500_000)
        for _ in range(16):
            await post_all(self, link, [request(self.rng, Verb.SEND, 8)])


@dut_test(suites=("full",))
class ack_ghost(ErnicTest):
    """Acknowledgements for packets that are not outstanding change nothing.

    Stimulus: old, repeated, not yet sent and half-window PSNs, ACK and NAK, when idle and with work
    outstanding. Checks: ERN-092, ERN-071, ERN-076.
    """

    async def scenario(self) -> None:
        link = await start(self, peer={"ack_policy": AckPolicy(AckMode.HOLD)}, first_psn=0x20)
        config = link.peer.config
        await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 20) for _ in range(3)])
        await self.host.pause(10)
        link.peer.release_acks(now_ps())
        self.partner.service()
        await self.host.wait_completions(link.qp)
        for outstanding in (0, 2):
            await self.host.post_send(
                link.qp, *[request(self.rng, Verb.SEND, 20) for _ in range(outstanding)]
            )
            await self.host.pause(10)
            sent = psn_add(link.config.first_psn, link.qp.posted)
            for distance in (-1 - outstanding, -16, 0, 1, 1 << 23):
                for syndrome in (0x1F, 0x60, 0x21, 0x62):
                    self.partner.inject(acknowledge(config, psn_add(sent, distance), syndrome, 1))
            await self.host.pause(15)
        config.ack_policy = AckPolicy()
        link.peer.release_acks(now_ps())
        self.partner.service()
        await post_all(self, link, [request(self.rng, Verb.SEND, 20)])


@dut_test(suites=("full",))
class ack_credit(ErnicTest):
    """The credit field of received acknowledgements does not hold back requests.

    Stimulus: ACKs with credit 0, 1 and 0x1F under a stream of WRITEs.
    Checks: ERN-098, ERN-071.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, credit in zip((2, 3, 4), CREDITS, strict=True):
            link = await connect(self, number, peer={"credit": credit})
            await post_all(self, link, [request(self.rng, Verb.WRITE, 64) for _ in range(20)])


@dut_test(suites=("full",))
class cnp_received(ErnicTest):
    """A congestion notification slows its own queue pair at most and is no part of the packet sequence.

    Stimulus: a CNP for one of two queue pairs, a SEND in behind it, then 12 requests there and 20 on the
    other with all ACKs held for long, then let through.
    Checks: ERN-174, ERN-200, ERN-201, ERN-065, ERN-069, ERN-112.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        hold = {"ack_policy": AckPolicy(AckMode.HOLD)}
        links = [await connect(self, number, hold, sq_depth=32) for number in (3, 4)]
        raw = RawPeer(links[0], self.partner)
        notice = raw.message(Verb.SEND, b"", psn=0, ack=False)[0]
        assert notice.bth is not None
        notice.bth.opcode, notice.cnp_reserved = 0x81, bytes(16)
        raw.send(notice, advance=False)
        raw.post(Verb.SEND, self.rng.randbytes(20))
        for link, count in zip(links, (12, 20), strict=True):
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 32) for _ in range(count)])
        await self.host.pause(450)
        for link in links:
            link.peer.config.ack_policy = AckPolicy()
            link.peer.release_acks(now_ps())
            self.partner.service()
            await self.host.wait_completions(link.qp)
