"""Where registers are and from when on they work."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.sequences.connect import connect
from tb.sequences.registers import INTERRUPT_BANKS, read_all
from tb.sequences.start import bring_up, reset
from tb.sequences.traffic import peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class interrupt_banks(ErnicTest):
    """An event shows in the bank of its queue pair and in no other one, and every bank is 0 before it.

    Stimulus: all 192 banks read before, after a completion and a received SEND on three queue pairs,
    and after both were cleared. Checks: ERN-018, ERN-181, ERN-182, ERN-185.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        await read_all(self, INTERRUPT_BANKS)
        for number in (2, 5, 8):
            link = await connect(self, number, cq_interrupt=True, rq_interrupt=True)
            await post_all(self, link, [request(self.rng, Verb.SEND, 20)])
            peer_post(link, self.rng, Verb.SEND, 20)
            await peer_done(self, link)
        await self.settle()
        await read_all(self, INTERRUPT_BANKS)
        for bank in ("CQINTSTS", "RQINTSTS"):
            await self.host.write(bank, 0xFFFF_FFFF, 0)
        await read_all(self, INTERRUPT_BANKS)


@dut_test(suites=("full",))
class access_after_reset(ErnicTest):
    """Registers work from the moment the DUT reports the end of its reset.

    Stimulus: a register written and read back right at the end of the first and of two later resets, traffic
    in between. Checks: ERN-219, ERN-221, ERN-001.
    """

    async def scenario(self) -> None:
        for name in ("MACXADDLSB", "IPv4XADD", "ERRBUFBA"):
            await self.host.write(name, self.rng.getrandbits(32) | 1)
            await self.host.read(name)
            await bring_up(self)
            link = await connect(self, 2)
            await post_all(self, link, [request(self.rng, Verb.SEND, 100) for _ in range(3)])
            await reset(self)
