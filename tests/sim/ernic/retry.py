"""Resending: sequence NAK, RNR NAK, timeout, limits, fatal NAK."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from tb.agents.pins import now_ps
from tb.partner import Action, Direction, Fault
from tb.sequences.connect import connect
from tb.sequences.start import bring_up, reset, start
from tb.sequences.traffic import ALL_VERBS, post_all, request
from tb.testcase import ErnicTest, dut_test

ACK = 0x11


@dut_test(suites=("smoke", "full"))
class nak_sequence(ErnicTest):
    """A sequence NAK makes the DUT resend from exactly that packet on, inside a message as well.

    Stimulus: NAK for the first, a middle and the last packet of a window of mixed messages, twice for one
    PSN, and across the PSN wrap.
    Checks: ERN-081, ERN-082, ERN-083, ERN-171, ERN-173.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, hits in zip(range(2, 7), ((0,), (1,), (4, 6), (8,), (2, 2)), strict=True):
            link = await connect(self, number, pmtu=256, first_psn=0xFFFFFC)
            for hit in sorted(set(hits)):
                psn = psn_add(link.config.first_psn, hit)
                rule = Fault(Action.NAK, qp=number, psn=psn, value=0x60, count=hits.count(hit))
                self.partner.add_faults(rule)
            batch = [request(self.rng, verb, 600) for verb in (Verb.SEND, Verb.WRITE, Verb.SEND_IMM)]
            await post_all(self, link, batch, one_doorbell=True)


@dut_test(suites=("full",))
class packet_lost(ErnicTest):
    """A lost packet is repaired by the peer's NAK, much faster than any timeout.

    Stimulus: packets dropped at random on the way to the peer under mixed traffic of four queue pairs.
    Checks: ERN-081, ERN-082, ERN-083.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        self.partner.add_faults(Fault(Action.DROP, probability=0.1))
        links = [await connect(self, number, pmtu=256, timeout=5) for number in range(2, 6)]
        for link in links:
            batch = [
                request(self.rng, self.rng.choice(ALL_VERBS), self.rng.randrange(900)) for _ in range(12)
            ]
            await self.host.post_send(link.qp, *batch)
        for link in links:
            await self.host.wait_completions(link.qp, limit_ps=2_000_000_000)


@dut_test(suites=("full",))
class rnr_received(ErnicTest):
    """After an RNR NAK the DUT waits at least the time of its code, then resends from that packet.

    Stimulus: timer codes 1, 2, 3, 5 and 6 on the first, middle and last packet of messages, several in a row.
    Checks: ERN-088, ERN-082, ERN-083, ERN-237.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        bystander = await connect(self, 8)
        for number, (code, hit) in enumerate(((1, 0), (2, 1), (3, 2), (5, 0), (6, 3)), 2):
            link = await connect(self, number, pmtu=256)
            psn = psn_add(link.config.first_psn, hit)
            self.partner.add_faults(Fault(Action.RNR, qp=number, psn=psn, value=code, count=1 + number % 2))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 300) for _ in range(2)])
            await post_all(self, bystander, [request(self.rng, Verb.SEND, 30)])
            await self.host.wait_completions(link.qp, limit_ps=800_000_000)
        await self.host.read("INTSTS")


@dut_test(suites=("full",))
class timeout_retry(ErnicTest):
    """With a lost packet or ACK and no NAK the DUT resends after 2^(w+t) clocks.

    Stimulus: base widths 8 and 9 with t = 1, 2, 4; three requests, all of them or all
    their ACKs lost.
    Checks: ERN-084, ERN-082, ERN-173.
    """

    async def scenario(self) -> None:
        numbers = iter(range(2, 9))
        for width in (8, 9):
            await self.restart(base_width=width)
            numbers = iter(range(2, 9))
            for timeout in (1, 2, 4):
                for direction, opcode in ((Direction.TO_DUT, ACK), (Direction.FROM_DUT, None)):
                    number = next(numbers)
                    link = await connect(self, number, timeout=timeout)
                    self.partner.add_faults(Fault(Action.DROP, direction, qp=number, opcode=opcode, count=3))
                    batch = [request(self.rng, Verb.SEND, 100) for _ in range(3)]
                    await post_all(self, link, batch, one_doorbell=True)

    async def restart(self, **device: int) -> None:
        """Fresh device with other timing."""
        await reset(self)
        await bring_up(self, **device)


@dut_test(suites=("full",))
class timeout_off(ErnicTest):
    """With timeout code 0 nothing is ever resent by time; a later acknowledgement repairs a lost one.

    Stimulus: the ACK of one and of sixteen requests lost, a long wait, then one more request.
    Checks: ERN-085, ERN-080.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, lost in ((2, 1), (3, 15)):
            link = await connect(self, number, timeout=0, sq_depth=32)
            self.partner.add_faults(Fault(Action.DROP, Direction.TO_DUT, qp=number, opcode=ACK, count=lost))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 40) for _ in range(lost)])
            await self.host.pause(450)
            await post_all(self, link, [request(self.rng, Verb.SEND, 40)])


@dut_test(suites=("full",))
class retry_limit_fatal(ErnicTest):
    """After the configured number of fruitless timeouts the queue pair is fatal and all its work is flushed.

    Stimulus: limits 0, 1 and 3 with a dead peer; before that, loss and progress more often than the limit.
    Checks: ERN-086, ERN-155, ERN-180, ERN-186, ERN-187, ERN-236.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        for number, limit in ((2, 0), (3, 1), (4, 3)):
            link = await connect(self, number, timeout=1, retry=limit)
            if limit:
                self.partner.add_faults(Fault(Action.DROP, qp=number, repeats=False, count=limit + 2))
                for _ in range(limit + 2):
                    await post_all(self, link, [request(self.rng, Verb.SEND, 30)])
            self.partner.add_faults(Fault(Action.DROP, qp=number))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 30) for _ in range(5)])
            await self.host.wait_completions(link.qp)
            await self.host.read("STATQP", number)


@dut_test(suites=("full",))
class retry_forever(ErnicTest):
    """With the fatal-on-retry switch off the DUT keeps resending beyond the limit and completes when the
    peer is back.

    Stimulus: limit 1, peer gone for about 20 rounds with WRITE_IMM in flight, then back.
    Checks: ERN-087, ERN-084, ERN-082.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8, retry_fatal_disable=True)
        link = await connect(self, 2, timeout=1, retry=1)
        dead = Fault(Action.DROP, qp=2)
        self.partner.add_faults(dead)
        await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE_IMM, 60) for _ in range(3)])
        await self.host.pause(2.048 * 22)
        await self.host.read("STATQP", 2)
        self.partner.faults.remove(dead)
        await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class rnr_limit_fatal(ErnicTest):
    """More RNR NAKs in a row than the limit make the queue pair fatal; limit 7 means no limit.

    Stimulus: limits 0, 1 and 6 with a peer that is never ready, limit 1 with success in between, limit 7
    with 24 in a row. Checks: ERN-089, ERN-155, ERN-187.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, limit, count in ((2, 0, None), (3, 1, None), (4, 7, 24), (5, 6, None)):
            link = await connect(self, number, rnr_retry=limit)
            if limit == 1:
                self.partner.add_faults(Fault(Action.RNR, qp=number, value=1, repeats=False, count=3))
                for _ in range(3):
                    await post_all(self, link, [request(self.rng, Verb.SEND, 30)])
            self.partner.add_faults(Fault(Action.RNR, qp=number, value=1, count=count))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 30) for _ in range(2)])
            await self.host.wait_completions(link.qp, limit_ps=500_000_000)


@dut_test(suites=("full",))
class fatal_nak(ErnicTest):
    """NAK 0x61, 0x62 or 0x63 ends the queue pair; older work is good, the refused and all later work is not.

    Stimulus: each code at the first, a middle and the last of five requests, both completion entry settings;
    at last at the first of sixteen long ones. Checks: ERN-096, ERN-171, ERN-155, ERN-186, ERN-187.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        cases = ((0x61, 0), (0x62, 2), (0x63, 4), (0x62, 0), (0x61, 3))
        for number, (code, hit) in enumerate(cases, 2):
            link = await connect(self, number, cqe=number != 6)
            psn = psn_add(link.config.first_psn, hit)
            self.partner.add_faults(Fault(Action.NAK, qp=number, psn=psn, value=code))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE, 50) for _ in range(5)])
            await self.host.wait_completions(link.qp)
            await self.host.read("STATQP", number)
            await self.host.post_send(link.qp, request(self.rng, Verb.WRITE, 50))
            await self.host.wait_completions(link.qp)
        link = await connect(self, 7, sq_depth=32)
        self.partner.add_faults(Fault(Action.NAK, qp=7, psn=link.config.first_psn, value=0x61))
        await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE, 4096) for _ in range(16)])
        await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class start_after_loss(ErnicTest):
    """A resend storm on one queue pair leaves the numbers and timers of another alone.

    Stimulus: one queue pair without answers in timeout, another opens and sends meanwhile.
    Checks: ERN-084.
    """

    async def scenario(self) -> None:
        link = await start(self, timeout=1, retry=7)
        dead = Fault(Action.DROP, qp=link.number)
        self.partner.add_faults(dead)
        await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 30))
        other = await connect(self, 3)
        await post_all(self, other, [request(self.rng, Verb.SEND, 300) for _ in range(6)])
        self.partner.faults.remove(dead)
        await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class retried_flag(ErnicTest):
    """The retried flag is up between a resend and its acknowledgement.

    Stimulus: resend by NAK, RNR NAK and timeout with the ACKs held, STATQP read before, meanwhile and after.
    Checks: ERN-091, ERN-173, ERN-083, ERN-066.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        causes = (
            Fault(Action.NAK, qp=2, value=0x60, skip=1, count=1),
            Fault(Action.RNR, qp=3, value=1, count=1),
        )
        self.partner.add_faults(*causes, Fault(Action.DROP, qp=4, count=1))
        for number in (2, 3, 4):
            link = await connect(
                self, number, peer={"ack_policy": AckPolicy(AckMode.HOLD)}, timeout=5 * (number == 4)
            )
            await self.host.read("STATQP", number)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 60) for _ in range(3)])
            await self.host.pause(15 if number == 3 else 5 if number == 2 else 40)
            await self.host.read("STATQP", number)
            await self.host.read("RETRYCNTSTS")
            link.peer.config.ack_policy = AckPolicy()
            link.peer.release_acks(now_ps())
            self.partner.service()
            await self.host.wait_completions(link.qp)
            await self.host.read("STATQP", number)


@dut_test(suites=("full",))
class ack_during_resend(ErnicTest):
    """An acknowledgement that arrives while its packets are being resent ends the resend and loses nothing.

    Stimulus: ACKs delayed by one timeout and a little more, swept in steps of 64 ns over the resend of six
    packets; new work posted right behind. Checks: ERN-069, ERN-076, ERN-080, ERN-082, ERN-084, ERN-092.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        link = await connect(self, 2, timeout=2, pmtu=256)
        timeout_ps = 4_096_000
        for step in range(16):
            rule = Fault(
                Action.DELAY, Direction.TO_DUT, opcode=ACK, count=4, delay_ps=timeout_ps + step * 64_000
            )
            self.partner.add_faults(rule)
            batch = [request(self.rng, verb, 300) for verb in (Verb.SEND, Verb.WRITE_IMM, Verb.SEND_IMM)]
            await post_all(self, link, batch, one_doorbell=True)
            self.partner.faults.remove(rule)
            await post_all(self, link, [request(self.rng, Verb.WRITE, 20)])
