"""TYPE1: frames of all formats both ways, delivery, acknowledgement, tokens."""

from __future__ import annotations

from itertools import product

from ref_model.wire.rclink import Format
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import ACK, all_sent, exchange, payload, reset, start
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


class _Formats(RclinkTest):
    """One format with and without tag and ICRC."""

    form: Format

    async def scenario(self) -> None:
        for vlan, icrc in product((False, True), repeat=2):
            vcs = tuple(self.rng.sample(range(8), 7))
            shape = {"vlan": vlan, "icrc": icrc, "vcs": vcs, "ack_time": icrc}
            links = await start(self, (1, 2, 4, 7), format=self.form, gen1_tc=not vlan or icrc, **shape)
            await exchange(self, links, 8)
            await self.host.multicast(self.rng.randrange(8), payload(self.rng))
            self.partner.multicast(self.rng.randrange(8), payload(self.rng))
            await self.settle()
            await reset(self)


@dut_test(suites=("full",))
class format_standard(_Formats):
    """Standard frames with and without tag and ICRC.

    Stimulus: 8 packets each way, TYPE2 both ways, for the four combinations, own VC maps each.
    Checks: RCL-001, RCL-002, RCL-003, RCL-011, RCL-014/tx, RCL-021/present, RCL-022, RCL-088.
    """

    form = Format.STANDARD


@dut_test(suites=("full",))
class format_gen1(_Formats):
    """GEN1 frames with and without tag, ICRC and traffic class.

    Stimulus: as for Standard frames.
    Checks: RCL-002, RCL-003, RCL-005, RCL-021/present, RCL-022, RCL-132.
    """

    form = Format.GEN1


@dut_test(suites=("smoke", "full"))
class format_gen2(_Formats):
    """GEN2 frames carry six payload bytes in their addresses, with and without tag and ICRC.

    Stimulus: as for Standard frames.
    Checks: RCL-002, RCL-006, RCL-007, RCL-021/present, RCL-022, RCL-132, RCL-133.
    """

    form = Format.GEN2


@dut_test(suites=("full",))
class format_lite(_Formats):
    """LITE frames have neither tag nor RH nor ICRC; nothing is acknowledged.

    Stimulus: as for Standard frames, with tag and ICRC enabled and disabled.
    Checks: RCL-004, RCL-006, RCL-007, RCL-104, RCL-105, RCL-107.
    """

    form = Format.LITE


@dut_test(suites=("full",))
class payload_tails(RclinkTest):
    """Every length of the last beat, and every number of pad bytes, leaves and arrives intact.

    Stimulus: lengths 64 to 129 and the largest, both ways.
    Checks: RCL-016, RCL-017/count, RCL-023, RCL-034, RCL-138.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), format=Format.GEN1)
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


@dut_test(suites=("smoke", "full"))
class tokens_all(RclinkTest):
    """All slots fill up; one cumulative ACK per queue pair frees them and returns every token.

    Stimulus: as many packets as there are tokens while ACKs to the DUT are held back, then all ACKs at once.
    Checks: RCL-040, RCL-041, RCL-060.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 4), timeout_us=0)
        hold = Fault(Action.HOLD, Direction.TO_DUT, opcode=ACK)
        self.partner.add_faults(hold)
        for number in range(int(self.env.config.knobs["TYPE1_OST_N"])):
            await self.host.send(links[number % 4].number, payload(self.rng, 64))
        await all_sent(self)
        self.partner.clear_faults()
        await self.settle()
        await exchange(self, links, 8)


@dut_test(suites=("full",))
class over_credit(RclinkTest):
    """A packet without a slot is dropped and reported, and later ones are taken.

    Stimulus: all tokens used while ACKs are held back, three packets more, then traffic again; TYPE2 alike.
    Checks: RCL-118, RCL-122, RCL-123, RCL-124.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        self.partner.add_faults(Fault(Action.HOLD, Direction.TO_DUT, opcode=ACK))
        for _ in range(int(self.env.config.knobs["TYPE1_OST_N"])):
            await self.host.send(1, payload(self.rng, 64))
        await all_sent(self)
        for link in (*links, links[0]):
            await self.host.send(link.number, payload(self.rng, 80), credit=False)
        await self.host.pause(1)
        self.partner.clear_faults()
        await self.settle()
        await self.host.clear_interrupts()
        await exchange(self, links, 8)


@dut_test(suites=("full",))
class dropped_packets(RclinkTest):
    """Packets that are too long, or for a disabled queue pair, are dropped and reported; others go on.

    Stimulus: between good packets, lengths above the limit by one and by beats, a disabled queue pair.
    Checks: RCL-119, RCL-120, RCL-122, RCL-123, RCL-124.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        most = int(self.env.config.knobs["TYPE1_PKT_LEN"])
        for length in (most + 1, most + 700):
            await self.host.send(1, payload(self.rng, length))
            await self.host.multicast(2, payload(self.rng, length))
            await exchange(self, links, 3)
        await self.host.send(5, payload(self.rng))
        await exchange(self, links, 3)
        await self.settle()
        await self.host.clear_interrupts()
