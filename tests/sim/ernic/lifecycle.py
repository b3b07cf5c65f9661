"""Queue pairs that end and begin again: deletion, re-creation, rewritten configuration."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.host.bringup import qpconf
from tb.partner import Action, Direction, Fault
from tb.sequences.connect import connect
from tb.sequences.start import bring_up
from tb.sequences.traffic import post_all, request
from tb.testcase import ErnicTest, dut_test
from tests.sim.ernic.robustness import both_ways

LATE_PS = 120_000_000


@dut_test(suites=("full",))
class qp_recreated(ErnicTest):
    """A queue pair made anew in the slot of a deleted one shows nothing of the old one.

    Stimulus: documented deletion, with completions nobody has looked at and doubles of old ACKs still on
    the link; a new queue pair with other rings, doorbells and packet numbers, traffic both ways; four times,
    beside a busy queue pair.
    Checks: ERN-190, ERN-092, ERN-236.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        other = await connect(self, 3)
        late = Fault(Action.DUPLICATE, Direction.TO_DUT, qp=2, delay_ps=LATE_PS, opcode=0x11)
        for turn in range(1, 5):
            link = await connect(self, 2, first_psn=0x100 * turn, expected_psn=0x7000 * turn)
            await both_ways(self, link, turn)
            self.partner.add_faults(late)
            await self.host.post_send(link.qp, request(self.rng, Verb.WRITE, 40))
            await both_ways(self, other)
            await self.host.wait_completions(link.qp)
            self.partner.faults.remove(late)
            await self.host.destroy_qp(link.qp)
            await both_ways(self, other)
        link = await connect(self, 2, first_psn=0x5000, expected_psn=0x9000)
        await both_ways(self, link, 6)
        await self.host.pause(LATE_PS / 1_000_000)
        await both_ways(self, link, 6)


@dut_test(suites=("full",))
class qp_rewritten(ErnicTest):
    """Configuration written again on an idle queue pair leaves its place in the send queue alone.

    Stimulus: QPCONF and QDEPTH with their own values after 0, 1, 5 and 15 of 16 entries and after a lap, then
    further requests.
    Checks: ERN-191, ERN-057.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2, sq_depth=16)
        for count in (1, 4, 10, 1, 15, 2):
            await post_all(self, link, [request(self.rng, Verb.WRITE, 30) for _ in range(count)])
            await self.settle()
            await self.host.write("QPCONF", qpconf(link.config, True, False), link.number)
            await self.host.write("QDEPTH", await self.host.read("QDEPTH", link.number), link.number)
        await both_ways(self, link)
