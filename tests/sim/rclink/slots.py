"""Slots, tokens and the order of grants."""

from __future__ import annotations

from ref_model.rclink import ports
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import (
    ACK,
    all_sent,
    bring_up,
    burst,
    exchange,
    lose,
    payload,
    peer_burst,
    settled,
    start,
)
from tb.testcase import RclinkTest, dut_test

HELD_ACKS = (Action.HOLD, Direction.TO_DUT)


@dut_test(suites=("smoke", "full"))
class tokens(RclinkTest):
    """All slots fill up; one cumulative ACK per queue pair frees them and returns every token.

    Stimulus: as many packets as there are tokens while ACKs are lost, then one ACK for each queue pair.
    Checks: RCL-040, RCL-041, RCL-060.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 4), timeout_us=0)
        lose(self, Direction.TO_DUT, ACK)
        for number in range(int(self.env.config.knobs["TYPE1_OST_N"])):
            await burst(self, links[number % 4].number, 1, 64)
        await all_sent(self)
        await self.host.pause(1)
        self.partner.clear_faults()
        for link in links:
            self.partner.answer(link.peer, -1)
        await self.settle()
        await exchange(self, links, 8)


class _Queue(RclinkTest):
    """Packets of several queue pairs gather while their banks are paused, then leave."""

    bank_rr = False
    numbers: tuple[int, ...] = (1, 2, 3, 4, 9, 10)

    async def scenario(self) -> None:
        fields = {("XON_THR_RDMA", f"rx_type1_req_bank{bank}_pfc_en"): 1 for bank in range(4)}
        links = await start(self, self.numbers, timeout_us=0, bank_rr=self.bank_rr, fields=fields)
        packets = min(60, int(self.env.config.knobs["TYPE1_OST_N"]))  # no token comes back in the meantime
        for _ in range(2):
            await self.env.levels.drive(ports.RX_PFC_REQ, 0b1111)
            await self.host.pause(0.2)
            for _ in range(packets):
                await burst(self, self.rng.choice(links).number, 1, self.rng.choice((64, 200, 700)))
            await self.host.pause(0.5)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0)
            await self.settle()


@dut_test(suites=("full",))
class arbitration_age(_Queue):
    """Waiting packets leave in the order in which they came.

    Stimulus: 60 packets of six queue pairs of paused banks, twice.
    Checks: RCL-056, RCL-059.
    """


@dut_test(suites=("full",))
class resend_age(RclinkTest):
    """Packets to repeat keep their place before younger ones.

    Stimulus: packets of one queue pair lost; while its bank is paused, packets of another one of it come
    and the timeout of the first is over.
    Checks: RCL-048, RCL-056.
    """

    async def scenario(self) -> None:
        fields = {("XON_THR_RDMA", "rx_type1_req_bank1_pfc_en"): 1}
        await start(self, (1, 5), timeout_us=8, fields=fields)
        for _ in range(2):
            lose(self, Direction.FROM_DUT, qp=1)
            await burst(self, 1, 3)
            await all_sent(self)
            self.partner.clear_faults()
            await self.env.levels.drive(ports.RX_PFC_REQ, 0b0010)
            await self.host.pause(0.2)
            await burst(self, 5, 12, 1344)  # longer than the order at the release is open
            await self.host.pause(10)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0)
            await self.settle()


@dut_test(suites=("full",))
class bank_rotation(_Queue):
    """With rotation no bank is granted twice in a row while another one waits.

    Stimulus: 60 packets in four paused banks, twice.
    Checks: RCL-057, RCL-059.
    """

    bank_rr = True


@dut_test(suites=("full",))
class bank_rotation_single(_Queue):
    """With rotation a bank that is alone goes on.

    Stimulus: 60 packets of two queue pairs of one bank.
    Checks: RCL-058, RCL-059.
    """

    bank_rr = True
    numbers = (2, 6)


@dut_test(suites=("full",))
class two_banks(_Queue):
    """The bank of a packet follows from the low bits of its queue pair.

    Stimulus: packets of queue pairs that differ in the two low bits; also runs with one and two banks.
    Checks: RCL-063.
    """

    bank_rr = True


@dut_test(suites=("full",))
class slot_pool(RclinkTest):
    """Every slot can be used, and the number of free ones is shown.

    Stimulus: all slots filled by one queue pair, freed, filled by four.
    Checks: RCL-060, RCL-061.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 4), timeout_us=0)
        for count in (1, 4):
            self.partner.add_faults(Fault(*HELD_ACKS, opcode=ACK))
            for number in range(int(self.env.config.knobs["TYPE1_OST_N"])):
                await burst(self, links[number % count].number, 1, 64)
            await all_sent(self)
            self.partner.clear_faults()
            await self.settle()


@dut_test(suites=("smoke", "full"))
class type2_groups(RclinkTest):
    """A multicast packet goes to the address of its group, once, and its token comes back.

    Stimulus: all groups, twice as many packets as there are tokens.
    Checks: RCL-009, RCL-013, RCL-021/present, RCL-022, RCL-062.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number in range(2 * int(self.env.config.knobs["TYPE2_OST_N"])):
            await self.host.multicast(number % 8, payload(self.rng))


@dut_test(suites=("full",))
class type2_tokens(RclinkTest):
    """A TYPE2 token comes back once its packet has left, also out of a full queue.

    Stimulus: all tokens used against a MAC without credit, released, three times.
    Checks: RCL-062.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for _ in range(3):
            self.env.credits.hold()
            for _ in range(int(self.env.config.knobs["TYPE2_OST_N"])):
                await self.host.multicast(self.rng.randrange(8), payload(self.rng))
            await self.host.pause(0.5)
            self.env.credits.release()
            await self.settle()


@dut_test(suites=("full",))
class over_credit(RclinkTest):
    """A packet without a slot is dropped and reported, and later ones are taken.

    Stimulus: all tokens used while ACKs are held back, three packets more, then traffic again.
    Checks: RCL-118, RCL-122, RCL-123, RCL-124.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        self.partner.add_faults(Fault(*HELD_ACKS, opcode=ACK))
        await burst(self, 1, int(self.env.config.knobs["TYPE1_OST_N"]), 64)
        await all_sent(self)
        for link in (*links, links[0]):
            await self.host.send(link.number, payload(self.rng, 80), credit=False)
        await self.host.pause(1)
        self.partner.clear_faults()
        await self.settle()
        await self.host.clear_interrupts()
        await exchange(self, links, 8)


@dut_test(suites=("full",))
class tx_oversize(RclinkTest):
    """Packets that are too long are dropped and reported, their tokens come back, others go on.

    Stimulus: between good packets, lengths above the limit by one and by beats, of both types.
    Checks: RCL-119, RCL-122, RCL-123, RCL-124.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        most = int(self.env.config.knobs["TYPE1_PKT_LEN"])
        for length in (most + 1, most + 700):
            await burst(self, 1, 1, length)
            await self.host.multicast(2, payload(self.rng, length))
            await exchange(self, links, 3)
        await settled(self)
        await self.host.clear_interrupts()


@dut_test(suites=("full",))
class tx_disabled_qp(RclinkTest):
    """Packets for a disabled queue pair are dropped and reported, their tokens come back.

    Stimulus: packets for queue pairs never enabled and disabled again, between good ones.
    Checks: RCL-120, RCL-122, RCL-124.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2))
        await exchange(self, links, 3)
        await burst(self, 5, 2)
        await self.settle()
        await self.host.set("QP_CONTROL_STATUS", 2, qp_en=0)
        await self.host.pause(0.2)
        await burst(self, 2, 2)
        await burst(self, 1, 2)


@dut_test(suites=("full",))
class interrupt_clear(RclinkTest):
    """Interrupt bits stay until software clears them, one by one.

    Stimulus: three events, their bits cleared one after the other, then all.
    Checks: RCL-123.
    """

    async def scenario(self) -> None:
        await start(self, (1,))
        most = int(self.env.config.knobs["TYPE1_PKT_LEN"])
        await burst(self, 1, 1, most + 1)
        await self.host.multicast(1, payload(self.rng, most + 1))
        await burst(self, 5, 1)
        await self.settle()
        for bits in (1 << 14, 1 << 0, 0xFFFF):
            await self.host.clear_interrupts(bits)
            await self.host.pause(0.3)
            await self.host.read("INTR_STATUS")


@dut_test(suites=("full",))
class idle_flags(RclinkTest):
    """The idle flags are down while packets, frames or answers are pending.

    Stimulus: packets and answers pending against a MAC without credit, deliveries against a held client,
    answers alone against a pause.
    Checks: RCL-129, RCL-137.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0, fields={("XON_THR_RDMA", "rx_ack_pfc_en"): 1})
        self.env.credits.hold()
        await exchange(self, links, 20)
        await self.host.pause(2)
        self.env.credits.release()
        await self.settle()
        self.env.client_port.hold_output()
        await exchange(self, links, 4)
        await self.host.pause(2)
        self.env.client_port.release_output()
        await self.settle()
        await self.env.levels.drive(ports.RX_PFC_REQ, 0b1_0000)
        await self.host.pause(0.1)
        for link in links:
            peer_burst(self, link, 2, 64)
        await self.host.pause(1)
        await self.env.levels.drive(ports.RX_PFC_REQ, 0)
        await self.settle()
