"""Send queue: ring wrap, PSN wrap, outstanding limit, disabled queue pairs, reserved opcodes."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy, acknowledge
from ref_model.rocev2.segment import Verb
from tb.agents.pins import now_ps
from tb.host.wqe import WQE_SIZE
from tb.sequences.connect import connect
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, data_qps, start
from tb.sequences.traffic import ALL_VERBS, post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class sq_wrap(ErnicTest):
    """The send ring continues at slot 0 after its last slot, lap after lap.

    Stimulus: depths 16, 32 and 64, exactly three laps each with doorbells that add 1, 2 and many entries.
    Checks: ERN-056, ERN-057, ERN-058, ERN-073, ERN-074, ERN-075, ERN-076, ERN-077.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, depth in ((2, 16), (3, 32), (4, 64)):
            link = await connect(self, number, sq_depth=depth)
            for added in (1, 2, depth - 1, depth - 1, depth - 2, 1):
                batch = [request(self.rng, self.rng.choice(ALL_VERBS), 24) for _ in range(added)]
                await post_all(self, link, batch, one_doorbell=True)


@dut_test(suites=("full",))
class cq_unread(ErnicTest):
    """Completions that pass the depth of a queue nobody reads stay inside the ring; what else is recorded.

    Stimulus: depth 16, two and a half laps of SENDs while software looks at no entry and at no doorbell.
    Checks: ERN-192, ERN-075, ERN-073.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=16)
        for _ in range(40):
            await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 12))
            await self.host.pause(3)  # long enough for it to complete unseen
            link.qp.completed = link.qp.posted
            link.qp.under_way.clear()


@dut_test(suites=("smoke", "full"))
class psn_wrap(ErnicTest):
    """Packet numbers run through 0xFFFFFF to 0 in both directions.

    Stimulus: start at 0xFFFFFE, 0x7FFFFF and 0, multi-packet SENDs and WRITEs across the wrap, SENDs in
    likewise. Checks: ERN-062, ERN-112, ERN-113, ERN-122.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, psn in ((2, 0xFFFFFE), (3, 0x7FFFFF), (4, 0)):
            link = await connect(self, number, pmtu=256, first_psn=psn, expected_psn=psn)
            await post_all(self, link, [request(self.rng, verb, 700) for verb in ALL_VERBS])
            link.peer.post_send(self.rng.randbytes(900))
            self.partner.service()
            await self.host.wait_received(link.qp, 1)


@dut_test(suites=("full",))
class outstanding_limit(ErnicTest):
    """At most 16 one-packet requests of a queue pair wait for acknowledgement.

    Stimulus: 40 requests with all ACKs held, the ACK of the first alone, then the rest little by little.
    Checks: ERN-065, ERN-066, ERN-069, ERN-071, ERN-080.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=64, peer={"ack_policy": AckPolicy(AckMode.HOLD)})
        await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 32) for _ in range(40)])
        await self.host.pause(30)
        await self.host.read("STATQP", link.number)
        self.partner.inject(acknowledge(link.peer.config, link.config.first_psn, 0x1F, 1))
        await self.host.pause(450)
        for _ in range(3):
            link.peer.release_acks(now_ps())
            self.partner.service()
            await self.host.pause(10)
        await self.host.wait_completions(link.qp, 40)


@dut_test(suites=("full",))
class qp_disabled_silent(ErnicTest):
    """A disabled or recovering queue pair sends nothing; it starts when the bit allows it.

    Stimulus: work posted with the enable bit 0 and with the recovery bit 1, a SEND into the
    recovering one and again into the working one, another queue pair busy beside it.
    Checks: ERN-067, ERN-076, ERN-106.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        other = await connect(self, 4)
        for number, enable in ((2, False), (3, True)):
            link = await connect(self, number, enable=enable)
            raw = RawPeer(link, self.partner)
            if enable:
                await self.host.enable_qp(link.qp, enable=True, recovery=True)
                raw.send(raw.message(Verb.SEND, b"not now"), advance=False)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 50) for _ in range(3)])
            await post_all(self, other, [request(self.rng, Verb.SEND, 50) for _ in range(4)])
            await self.host.pause(10)
            await self.host.enable_qp(link.qp)
            await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 50))
            raw.post(Verb.SEND, b"now")
            await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class illegal_wqe(ErnicTest):
    """A work queue entry with a reserved opcode sends nothing and stops only its own queue pair.

    Stimulus: opcodes 05, 0B, 0D, 80, FF between good entries, one queue pair each; another one keeps sending.
    Checks: ERN-068, ERN-155, ERN-186, ERN-187, ERN-236.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        bystander = await connect(self, 8)
        for number, opcode in zip(range(2, 7), (0x05, 0x0B, 0x0D, 0x80, 0xFF), strict=True):
            link = await connect(self, number)
            good = [request(self.rng, Verb.SEND, 40) for _ in range(4)]
            good[2].opcode = opcode
            await self.host.post_send(link.qp, *good)
            await post_all(self, bystander, [request(self.rng, Verb.WRITE, 40) for _ in range(4)])
            await self.host.wait_completions(link.qp)
            await self.settle()
            await self.host.write("INTSTS", 0x20)


@dut_test(suites=("full",))
class all_qps(ErnicTest):
    """All queue pairs of the build are served, and each keeps to its own rings and addresses.

    Stimulus: every data queue pair backlogged at once with small and large messages of all kinds.
    Checks: ERN-069, ERN-181.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number, cq_interrupt=number % 2 == 0) for number in data_qps(self)]
        for _ in range(2):
            for link in links:
                batch = [request(self.rng, verb, self.rng.choice((8, 300, 2500))) for verb in ALL_VERBS]
                await self.host.post_send(link.qp, *batch)
        for link in links:
            await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class same_doorbell_again(ErnicTest):
    """Writing the same producer index again starts nothing.

    Stimulus: post, wait, rewrite QPCONF and QDEPTH mid-ring and post on; the SQPI write repeated when all
    slots hold old entries.
    Checks: ERN-056, ERN-076.
    """

    async def scenario(self) -> None:
        link = await start(self)
        for count in (5, 17, 5):
            await post_all(self, link, [request(self.rng, Verb.SEND, WQE_SIZE) for _ in range(count)])
            if count > link.config.sq_depth:
                await self.host.ring_sq(link.qp)
                await self.host.pause(5)
            await self.host.enable_qp(link.qp)
            await self.host.write("QDEPTH", link.config.rq_depth << 16 | link.config.sq_depth, link.number)
