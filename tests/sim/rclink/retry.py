"""Loss in both directions: NAK, timeout, Go-Back-N, retry over and recovery."""

from __future__ import annotations

from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import ACK, REQUEST, exchange, payload, reconnect, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("smoke", "full"))
class lost_requests(RclinkTest):
    """A lost request draws a NAK, and the DUT repeats from there on, this queue pair only.

    Stimulus: first, middle and last of a burst of ten lost, beside another queue pair.
    Checks: RCL-045, RCL-046, RCL-047, RCL-048, RCL-050.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=10)
        for lost in (0, 4, 9):
            self.partner.add_faults(
                Fault(Action.DROP, Direction.FROM_DUT, qp=1, opcode=REQUEST, skip=lost, count=1)
            )
            for _ in range(10):
                await self.host.send(1, payload(self.rng))
                await self.host.send(2, payload(self.rng))
            await self.settle()
            self.partner.clear_faults()


@dut_test(suites=("full",))
class lost_acks(RclinkTest):
    """Without acknowledgement the DUT repeats from the oldest packet when the timeout is over.

    Stimulus: all answers to a queue pair lost for two timeouts.
    Checks: RCL-018, RCL-020, RCL-045, RCL-048, RCL-050.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=8)
        self.partner.add_faults(Fault(Action.DROP, Direction.TO_DUT, opcode=ACK))
        for _ in range(5):
            await self.host.send(1, payload(self.rng), fack=True)
        await self.host.pause(20)
        self.partner.clear_faults()
        await self.settle()
        await self.host.send(2, payload(self.rng))


@dut_test(suites=("smoke", "full"))
class gaps_received(RclinkTest):
    """A gap draws one NAK and nothing behind it is delivered; the next gap draws another one.

    Stimulus: single and several requests of the partner lost, two gaps in a row, duplicates of old ones.
    Checks: RCL-039, RCL-042, RCL-043, RCL-044.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=15)
        for count in (1, 3):
            for skip in (1, 2):
                self.partner.add_faults(
                    Fault(
                        Action.DROP, Direction.TO_DUT, opcode=REQUEST, skip=skip, count=count, repeats=False
                    )
                )
            for _ in range(12):
                self.partner.send(links[0].peer, payload(self.rng))
            await self.settle()
            self.partner.clear_faults()
        self.partner.add_faults(Fault(Action.DUPLICATE, Direction.TO_DUT, opcode=REQUEST))
        await exchange(self, links, 10)


@dut_test(suites=("full",), seeds=2)
class lossy_link(RclinkTest):
    """On a link that loses, doubles, reorders and damages frames every packet arrives once and in order.

    Stimulus: 60 packets each way over five queue pairs, all faults at random.
    Checks: RCL-032, RCL-039, RCL-041, RCL-045, RCL-053, RCL-094.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 4, 9), timeout_us=12)
        for direction in Direction:
            for action in (Action.DROP, Action.DUPLICATE, Action.REORDER):
                self.partner.add_faults(Fault(action, direction, probability=0.04))
        await exchange(self, links, 60)


@dut_test(suites=("full",))
class retry_over(RclinkTest):
    """At the threshold a queue pair stops and is reported, the others go on; recovery brings it back.

    Stimulus: everything of one queue pair lost until it is fatal, traffic on another, documented recovery.
    Checks: RCL-050, RCL-051, RCL-055.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=5, retry_limit=3)
        self.partner.add_faults(Fault(Action.DROP, Direction.FROM_DUT, qp=1, opcode=REQUEST))
        for _ in range(4):
            await self.host.send(1, payload(self.rng))
        await self.host.pause(40)
        await exchange(self, links[1:], 5)
        self.partner.clear_faults()
        await self.settle()
        await reconnect(self, links[0])
        await self.host.clear_interrupts()
        await exchange(self, links, 8)


@dut_test(suites=("full",))
class stray_acks(RclinkTest):
    """Acknowledgements outside the outstanding window change nothing.

    Stimulus: ACKs of old, future and far PSNs, injected between packets.
    Checks: RCL-049.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1, 2), timeout_us=0))[0]
        await exchange(self, [link], 4)
        await self.settle()
        self.partner.add_faults(Fault(Action.HOLD, Direction.TO_DUT, opcode=ACK))
        for _ in range(3):
            await self.host.send(1, payload(self.rng))
        await self.host.pause(1)
        for ahead in (-2, -512, 5, 2048, 100):
            self.partner.answer(link.peer, ahead)
        await self.host.pause(1)
        self.partner.clear_faults()
