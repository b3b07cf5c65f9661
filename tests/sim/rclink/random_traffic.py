"""Constrained-random traffic: formats, frame types, link faults and flow control in one run."""

from __future__ import annotations

from ref_model.rclink import ports
from ref_model.wire.rclink import Format
from tb.host.rclink_settings import FULL_RATE
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import (
    REQUEST,
    all_sent,
    exchange,
    give,
    link_credit,
    payload,
    raw_frame,
    set_rate,
    start,
)
from tb.testcase import RclinkTest, dut_test

ROUNDS = 8
BANKS = range(4)
PAUSABLE = {("XON_THR_RDMA", f"rx_type1_req_bank{bank}_pfc_en"): 1 for bank in BANKS} | {
    ("XON_THR_RDMA", "rx_type2_pfc_en"): 1,
    ("XON_THR_RDMA", "rx_ack_pfc_en"): 1,
}
CREDITS = 400
"""Limit of each channel in units of 256 bytes: some sixty of the largest frames."""


@dut_test(suites=("full", "nightly"), seeds=4)
class random_traffic(RclinkTest):
    """Whatever mixture comes, every packet, credit, token and pulse is right.

    Stimulus: a format, tags, ICRC, arbitration, rates and one kind of flow control at random; then rounds of
    TYPE1 and TYPE2 both ways, raw frames both ways, pauses, rates, marks, errors of the MAC, on a link that
    loses, doubles and reorders.
    Checks: RCL-001, RCL-053, RCL-130.
    """

    async def scenario(self) -> None:
        await self.begin()
        self.disturb()
        for _ in range(ROUNDS):
            await self.rng.choice((self.packets, self.groups, self.raw, self.paused, self.slowed))()
            await self.packets()
            if self.flow == "credit":
                for vc in range(8):
                    await give(self, vc, CREDITS)
        for link in self.links:
            await set_rate(self, link.number, FULL_RATE)
        await all_sent(self)

    async def begin(self) -> None:
        """Bring-up with random settings, link credit, raw rings."""
        rng = self.rng
        form = rng.choice(list(Format))
        self.flow = rng.choice(("free", "pause", "credit"))
        self.links = await start(
            self,
            (0, 1, 2, 3) if form is Format.LITE else rng.sample(range(32), 5),
            format=form,
            vlan=rng.random() < 0.4,
            gen1_tc=rng.random() < 0.5,
            icrc=rng.random() < 0.8,
            bank_rr=rng.random() < 0.5,
            ack_time=rng.random() < 0.5,
            timeout_us=rng.choice((8, 12, 20)),
            fields=PAUSABLE if self.flow == "pause" else {},
        )
        if self.flow == "credit":
            await link_credit(self, size=256, limit=CREDITS, ovhd=rng.choice((0, 4, 24, -8 & 0x3FF)))
        await self.host.type3.open(8, 8)

    def disturb(self) -> None:
        """Faults of the link for the whole run."""
        for direction in Direction:
            for action in (Action.DROP, Action.DUPLICATE, Action.REORDER):
                self.partner.add_faults(
                    Fault(action, direction, probability=self.rng.choice((0, 0.02, 0.05)))
                )
            self.partner.add_faults(Fault(Action.MARK_ECN, direction, opcode=REQUEST, probability=0.1))

    async def packets(self) -> None:
        """TYPE1 both ways, now and then one the MAC found damaged."""
        await exchange(self, self.links, self.rng.randrange(4, 12))
        if self.rng.random() < 0.3:
            link = self.rng.choice(self.links)
            self.partner.inject(self.partner.request_frame(link.peer, payload(self.rng)), 1)

    async def groups(self) -> None:
        """TYPE2 both ways."""
        for _ in range(self.rng.randrange(1, 5)):
            await self.host.multicast(self.rng.randrange(8), payload(self.rng))
            self.partner.multicast(self.rng.randrange(8), payload(self.rng))

    async def raw(self) -> None:
        """TYPE3 both ways."""
        for length in self.rng.sample(range(60, 1500), 3):
            await self.host.type3.post_send(raw_frame(self.rng, length))
            await self.host.type3.post_receive(2048)
            self.partner.inject(raw_frame(self.rng, length))
            await self.host.pause(0.5)

    async def paused(self) -> None:
        """Priorities paused for a while, where they count."""
        await self.env.levels.drive(ports.RX_PFC_REQ, self.rng.randrange(256))
        await exchange(self, self.links, 6)
        await self.host.pause(self.rng.choice((0.1, 1, 3)))
        await self.env.levels.drive(ports.RX_PFC_REQ, 0)

    async def slowed(self) -> None:
        """A queue pair with another rate."""
        await set_rate(self, self.rng.choice(self.links).number, self.rng.choice((500, 5000, 50_000)))
