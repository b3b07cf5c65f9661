"""Checks of received frames: what is dropped without answer."""

from __future__ import annotations

from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import ACK, REQUEST, exchange, payload, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("full",))
class bad_frames(RclinkTest):
    """Frames for another address, with a wrong key, a reserved opcode or a wrong ICRC are dropped in silence.

    Stimulus: each kind of damage on requests of the partner, repaired by its retries.
    Checks: RCL-028, RCL-030, RCL-031, RCL-032.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=10))[0]
        other = self.host.settings.mac ^ 1 << self.rng.randrange(48)
        key = link.settings.key_rx ^ 1 << self.rng.randrange(8)
        for field, value in (("addresses.dst", other), ("rh.pkey", key), ("rh.opcode", 3), ("icrc", 1)):
            self.partner.add_faults(
                Fault(Action.CORRUPT, Direction.TO_DUT, opcode=REQUEST, count=1, field=field, value=value)
            )
            for _ in range(3):
                self.partner.send(link.peer, payload(self.rng))
            await self.settle()
            self.partner.clear_faults()


@dut_test(suites=("full",))
class damaged_by_mac(RclinkTest):
    """Frames the MAC marks as bad are dropped in silence.

    Stimulus: copies of TYPE1 and TYPE2 frames with each error mark between good traffic.
    Checks: RCL-029.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        for error in (1, 2, 3):
            self.partner.inject(self.partner.type2_frame(1, payload(self.rng)), error)
            self.partner.inject(self.partner.request_frame(links[0].peer, payload(self.rng)), error)
            await exchange(self, links, 3)


@dut_test(suites=("full",))
class absent_qp(RclinkTest):
    """A request for a disabled or absent queue pair is dropped and reported.

    Stimulus: destination numbers of a disabled queue pair and beyond the build, between good packets.
    Checks: RCL-033, RCL-122.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=10)
        for number in (9, int(self.env.config.knobs["QP_NUM"]), 0x1FFF):
            self.partner.add_faults(
                Fault(
                    Action.CORRUPT,
                    Direction.TO_DUT,
                    opcode=REQUEST,
                    count=1,
                    field="rh.dest_qp",
                    value=number,
                )
            )
            await exchange(self, links, 3)
            await self.settle()
            self.partner.clear_faults()
        await self.host.clear_interrupts()


@dut_test(suites=("full",))
class padded_answers(RclinkTest):
    """Short answers with any bytes behind their own end count.

    Stimulus: ACKs of the partner padded to 60 bytes with random bytes.
    Checks: RCL-041, RCL-136.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        self.partner.add_faults(
            Fault(Action.CORRUPT, Direction.TO_DUT, opcode=ACK, field="trailer", value=self.rng.randbytes(6))
        )
        await exchange(self, links, 10)
