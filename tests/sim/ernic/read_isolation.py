"""READs of one queue pair leave its neighbours alone."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.partner import Action, Direction, Fault
from tb.sequences.connect import connect_many
from tb.sequences.start import bring_up
from tb.sequences.traffic import peer_done, request
from tb.testcase import ErnicTest, ernic_test

READ_MIDDLE = 0x0E


@ernic_test(suites=("full",))
class read_isolation(ErnicTest):
    """A lost READ response of one queue pair, and READs answered on several, do not touch the others.

    Stimulus: READs in and out on four neighbouring queue pairs at once, a middle response to QP 3 lost in
    each round; nothing is lost on the others.
    Checks: ERN-094, ERN-237, ERN-238, ERN-082, ERN-093, ERN-135, ERN-136, ERN-138.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = await connect_many(self, range(3, 7), pmtu=256)
        regions = [await self.host.register_mr(link.config.pd, 8192) for link in links]
        for _ in range(4):
            loss = Fault(Action.DROP, Direction.TO_DUT, qp=3, opcode=READ_MIDDLE, count=1)
            self.partner.add_faults(loss)
            for link, mr in zip(links, regions, strict=True):
                for step in range(3):
                    link.peer.post_read(mr.va + 9 * step, mr.rkey, 1500)
                batch = [request(self.rng, verb, 1200) for verb in (Verb.READ, Verb.SEND, Verb.READ)]
                await self.host.post_send(link.qp, *batch)
            for link in links:
                await peer_done(self, link)
                await self.host.wait_completions(link.qp)
            self.partner.clear_faults()
