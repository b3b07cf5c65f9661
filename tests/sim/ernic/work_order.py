"""From posted work to packets: order, start, end, and what a NAK says of earlier requests."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy, acknowledge
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from tb.agents.pins import now_ps
from tb.sequences.connect import connect
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import ALL_VERBS, post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class message_order(ErnicTest):
    """The messages of a queue pair leave in the order of the send queue, however slow their payload comes.

    Stimulus: heavy stalls on all ports; short and long messages of all kinds behind one doorbell.
    Checks: ERN-058, ERN-047, ERN-056.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, sq_depth=32)
        for lengths in ((20, 40, 60), (30, 700, 17), (300, 18, 50)):
            batch = [request(self.rng, verb, n) for verb in ALL_VERBS for n in lengths]
            await post_all(self, link, batch, one_doorbell=True)


@dut_test(suites=("full",))
class nak_implies_ack(ErnicTest):
    """A NAK acknowledges every request before the one it names, of whatever kind it is.

    Stimulus: twelve one-packet requests without an ACK, then a sequence, RNR or fatal NAK for the
    seventh, one queue pair each. Checks: ERN-083, ERN-081, ERN-088, ERN-096, ERN-071, ERN-187.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, syndrome in ((2, 0x60), (3, 0x21), (4, 0x62)):
            link = await connect(self, number, {"ack_policy": AckPolicy(AckMode.HOLD)})
            verbs = (Verb.SEND, Verb.WRITE, Verb.SEND_IMM) * 4
            await self.host.post_send(link.qp, *[request(self.rng, verb, 40) for verb in verbs])
            await self.host.pause(12)
            refused = psn_add(link.config.first_psn, 6)
            self.partner.inject(acknowledge(link.peer.config, refused, syndrome, 6))
            await self.host.pause(30)
            await self.host.read("CQHEAD", number)
            link.peer.config.ack_policy = AckPolicy()
            link.peer.release_acks(now_ps())
            self.partner.service()
            await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class enable_starts_posted(ErnicTest):
    """Work posted to a disabled or recovering queue pair starts when the bit allows it, without a doorbell.

    Stimulus: three requests posted with the enable bit 0, three with the recovery bit 1, then the bit changed
    and nothing else. Checks: ERN-067, ERN-056, ERN-076.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, enable in ((2, False), (3, True)):
            link = await connect(self, number, enable=enable)
            if enable:
                await self.host.enable_qp(link.qp, recovery=True)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 50) for _ in range(3)])
            await self.host.pause(10)
            await self.host.enable_qp(link.qp)
            await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class illegal_wqe_last(ErnicTest):
    """A reserved opcode makes the queue pair fatal although nothing is posted behind it.

    Stimulus: two good entries, then one with opcode 06, 0D or 81 as the last, one queue pair each; another
    queue pair sends on. Checks: ERN-068, ERN-155, ERN-186, ERN-187, ERN-236.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        bystander = await connect(self, 8)
        for number, opcode in ((2, 0x06), (3, 0x0D), (4, 0x81)):
            link = await connect(self, number)
            batch = [request(self.rng, Verb.SEND, 40) for _ in range(3)]
            batch[2].opcode = opcode
            await self.host.post_send(link.qp, *batch)
            await self.host.wait_completions(link.qp)
            await post_all(self, bystander, [request(self.rng, Verb.WRITE, 40)])
            await self.settle()
            await self.host.write("INTSTS", 0x20)


@dut_test(suites=("full",))
class ghost_then_timeout(ErnicTest):
    """A NAK for nothing outstanding starts no resend; the timeout does, at its own time.

    Stimulus: three requests without an answer, a sequence NAK and an RNR NAK for packets not yet sent, then
    silence until the timeout has expired twice. Checks: ERN-092, ERN-084, ERN-082.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        link = await connect(self, 2, {"ack_policy": AckPolicy(AckMode.HOLD)}, timeout=4)
        await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 40) for _ in range(3)])
        await self.host.pause(2)
        for syndrome in (0x60, 0x21):
            self.partner.inject(acknowledge(link.peer.config, psn_add(link.config.first_psn, 9), syndrome, 0))
        await self.host.pause(40)
        link.peer.config.ack_policy = AckPolicy()
        link.peer.release_acks(now_ps())
        self.partner.service()
        await self.host.wait_completions(link.qp)
        await post_all(self, link, [request(self.rng, Verb.SEND, 40)])
