"""TYPE1 end to end: both ways, random, on good and bad links."""

from __future__ import annotations

from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import exchange, payload, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("smoke", "full"))
class type1_standard(RclinkTest):
    """Packets go both ways in Standard frames, each delivered once and acknowledged.

    Stimulus: four queue pairs in four banks, 20 packets of random lengths each way, some with a quick ACK.
    Checks: RCL-001, RCL-008, RCL-010, RCL-012, RCL-013, RCL-039, RCL-041, RCL-053, RCL-130, RCL-131.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 8))
        await exchange(self, links, 20)


@dut_test(suites=("full", "nightly"), seeds=2)
class lossy_link(RclinkTest):
    """On a link that loses, doubles and reorders frames every packet arrives once and in order.

    Stimulus: 60 packets each way over five queue pairs, all faults at random.
    Checks: RCL-039, RCL-041, RCL-045, RCL-053, RCL-094.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 4, 9), timeout_us=12)
        for direction in Direction:
            for action in (Action.DROP, Action.DUPLICATE, Action.REORDER):
                self.partner.add_faults(Fault(action, direction, probability=0.04))
        await exchange(self, links, 60)


@dut_test(suites=("full",))
class tail_lengths(RclinkTest):
    """Every length of the last beat, and every number of pad bytes, leaves and arrives intact.

    Stimulus: lengths 64 to 129 and the largest, both ways.
    Checks: RCL-016, RCL-017/count, RCL-023, RCL-034, RCL-138.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        for length in (*range(64, 130), 1341, 1342, 1343, 1344):
            link = self.rng.choice(links)
            await self.host.send(link.number, payload(self.rng, length))
            self.partner.send(link.peer, payload(self.rng, length))
            await self.host.pause(0.05)


@dut_test(suites=("full",))
class psn_wrap(RclinkTest):
    """Numbers go on from 4095 to 0 in requests, acknowledgements and duplicates.

    Stimulus: first PSNs shortly before the wrap, 40 packets each way with losses and duplicates.
    Checks: RCL-037, RCL-038, RCL-044.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), first_psn=4090, remote_psn=4085, timeout_us=10)
        self.partner.add_faults(
            Fault(Action.DROP, Direction.FROM_DUT, probability=0.1),
            Fault(Action.DUPLICATE, Direction.TO_DUT, probability=0.2),
        )
        await exchange(self, links, 40)
