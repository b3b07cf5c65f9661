"""Long runs: steady traffic whose cost and memory must not grow."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.host import WorkRequest
from tb.sequences.start import start
from tb.sequences.traffic import REMOTE_KEY, REMOTE_VA, peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test

BATCH = 256
PATIENCE_PS = 2_000_000_000


@dut_test(suites=("nightly",))
class reset_only(ErnicTest):
    """The DUT comes out of its reset at rest, and works.

    Stimulus: all status registers read before anything is written, then bring-up and one SEND each way.
    Checks: ERN-219, ERN-220, ERN-003, ERN-015, ERN-119, ERN-139.
    """

    async def scenario(self) -> None:
        await self.settle()
        link = await start(self)
        peer_post(link, self.rng, Verb.SEND, 40)
        await peer_done(self, link)
        await post_all(self, link, [request(self.rng, Verb.SEND, 40)])


@dut_test(suites=("full", "nightly"))
class write_soak(ErnicTest):
    """Steady WRITEs in both directions are carried without a resend, however long it goes on.

    Stimulus: WRITEs of 1024 bytes (option length), 256 at a time in each direction, 512 of them (option
    messages) each way. Checks: ERN-051, ERN-054, ERN-062, ERN-148, ERN-071, ERN-074, ERN-122.
    """

    async def scenario(self) -> None:
        messages, length = int(self.options.get("messages", 512)), int(self.options.get("length", 1024))
        link = await start(self, pmtu=1024, sq_depth=512, peer={"window": 16})
        mr = await self.host.register_mr(link.config.pd, 1 << 20)
        area = self.host.memory.alloc(BATCH * length, 64, "payloads")
        payload = self.rng.randbytes(length)
        for first in range(0, messages, BATCH):
            count = min(BATCH, messages - first)
            for slot in range(count):
                peer_post(link, self.rng, Verb.WRITE, length, mr, slot * length)
            self.partner.service()
            await self.host.post_send(
                link.qp,
                *[
                    WorkRequest(Verb.WRITE, payload, REMOTE_VA, REMOTE_KEY, laddr=area + slot * length)
                    for slot in range(count)
                ],
            )
            await self.host.wait_completions(link.qp, limit_ps=PATIENCE_PS)
            await peer_done(self, link, PATIENCE_PS)
