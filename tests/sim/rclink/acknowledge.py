"""Merging of acknowledges; congestion notifications."""

from __future__ import annotations

from ref_model.rclink import ports
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import REQUEST, Link, burst, corrupt, exchange, peer_burst, settled, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("full",))
class ack_merge(RclinkTest):
    """Pending acknowledges of a queue pair merge into one ACK with the newest PSN.

    Stimulus: requests for twelve queue pairs against a MAC without credit, and free.
    Checks: RCL-094, RCL-095, RCL-098.
    """

    async def scenario(self) -> None:
        links = await start(self, tuple(range(1, 13)), timeout_us=0)
        for held in (True, False):
            if held:
                self.env.credits.hold()
                await exchange(self, links, 50, fack=0)
            for link in links:
                peer_burst(self, link, 2, 64)
            await self.host.pause(2)
            self.env.credits.release()
            await self.settle()


class _Stream(RclinkTest):
    """Requests of three queue pairs without end, amidst them one of each of nine others; few ACKs a time."""

    fack = False

    async def scenario(self) -> None:
        fields = {("XON_THR_RDMA", "rx_ack_pfc_en"): 1}
        links = await start(self, range(1, 13), timeout_us=0, fields=fields)
        for turn in range(40):
            await self.env.levels.drive(ports.RX_PFC_REQ, 0b1_0000)
            for link in links[:3]:
                peer_burst(self, link, 1, 64)
            if turn == 3:
                for link in links[3:]:
                    peer_burst(self, link, 1, 64, self.fack)
            await self.host.pause(0.05)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0)
            await self.host.pause(0.002)


@dut_test(suites=("full",))
class ack_fairness(_Stream):
    """Pending queue pairs are served in turn.

    Stimulus: ACKs paused but for moments, three queue pairs with requests all the time, nine with one each.
    Checks: RCL-094, RCL-098.
    """


@dut_test(suites=("full",))
class fack_latency(_Stream):
    """A quick ACK does not wait for the walk.

    Stimulus: ACKs paused but for moments, three queue pairs with requests all the time, nine with one Fack.
    Checks: RCL-097.
    """

    fack = True


@dut_test(suites=("full",))
class ack_after_pause(RclinkTest):
    """An ACK that had to wait carries the newest PSN of the moment it leaves.

    Stimulus: ACKs paused, requests one after the other meanwhile, three times.
    Checks: RCL-091, RCL-094.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0, fields={("XON_THR_RDMA", "rx_ack_pfc_en"): 1})
        for _ in range(3):
            await self.env.levels.drive(ports.RX_PFC_REQ, 0b1_0000)
            await self.host.pause(0.1)
            for _ in range(3):
                for link in links:
                    peer_burst(self, link, 1, 64)
                await self.host.pause(0.3)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0)
            await self.settle()


@dut_test(suites=("full",))
class ack_coincidence(RclinkTest):
    """No acknowledge is lost that becomes due while another one leaves.

    Stimulus: pairs of requests of a queue pair, the second one at all distances from the ACK of the first.
    Checks: RCL-094, RCL-096.
    """

    async def scenario(self) -> None:
        links = await start(self, range(1, 11), timeout_us=0)
        for gap in range(40):
            link = links[gap % len(links)]
            peer_burst(self, link, 1, 64)
            await self.host.pause(0.001 * gap + 0.001)
            peer_burst(self, link, 1, 64)
            await self.host.pause(0.1)
            if link is links[-1]:
                await self.settle()


@dut_test(suites=("full",))
class ecn_codes(RclinkTest):
    """Only the congestion mark draws a CNP, one per mark or pending notification.

    Stimulus: all four codes on requests, alone and in bursts.
    Checks: RCL-099.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,)))[0]
        for code in (0, 1, 2, 3, 3):
            corrupt(self, "ip.tos", 0x10 | code, count=2)
            peer_burst(self, link, 3)
            await settled(self)


@dut_test(suites=("full",))
class ecn_checks(RclinkTest):
    """A marked request that fails its checks draws no CNP.

    Stimulus: marked requests with a wrong key; marked good ones behind.
    Checks: RCL-030, RCL-099.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=8, classes=(7, 11, 15, 19, 0x30, 0x54)))[0]
        for _ in range(2):
            corrupt(self, "rh.pkey", link.settings.key_rx ^ 0x10)
            peer_burst(self, link, 2)
            await settled(self)


class _Notified(RclinkTest):
    """Notifications of the peer for some queue pairs, with some filter time (clocks)."""

    numbers: tuple[int, ...] = (1, 2, 3)
    filter_clks = 1500

    async def scenario(self) -> None:
        links = await start(self, self.numbers)
        for merge in (0, 1):
            await self.host.set("X_MISC_CFG", x_cnp_merge_en=merge, x_cnp_timer_thr=self.filter_clks)
            await self.host.pause(0.1)
            await self.notify(links)
            await self.settle()

    async def notify(self, links: list[Link]) -> None:
        raise NotImplementedError


@dut_test(suites=("full",))
class cnp_filter(_Notified):
    """A CNP is told once per filter time and queue pair, each one while the filter is off.

    Stimulus: CNPs of one and of three queue pairs at gaps below and above the filter time.
    Checks: RCL-100, RCL-101.
    """

    async def notify(self, links: list[Link]) -> None:
        for chosen in (links[:1], links):
            for gap in (0.1, 0.5, 0.5, 0.6, 2, 0.1, 2):
                for link in chosen:
                    self.partner.notify(link.peer)
                    await self.host.pause(gap / len(chosen))


@dut_test(suites=("full",))
class cnp_filter_depth(_Notified):
    """The filter remembers eight queue pairs, the ninth takes the place of the oldest.

    Stimulus: CNPs of eight queue pairs, of the same again, of a ninth and of the one it displaces.
    Checks: RCL-100, RCL-102.
    """

    numbers = tuple(range(1, 10))
    filter_clks = 20_000

    async def notify(self, links: list[Link]) -> None:
        for link in (*links[:8], *links, links[0]):
            self.partner.notify(link.peer)
            await self.host.pause(0.1)


@dut_test(suites=("full",))
class no_cnp_report(RclinkTest):
    """Bytes sent without a CNP are reported every interval, zero is left out, a CNP starts anew.

    Stimulus: a short interval, traffic with and without CNPs, at last with CNPs that the filter holds back.
    Checks: RCL-103.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3), fields={("X_MISC_CFG", "x_nocnp_timer_us_m1"): 2})
        for notified in (False, True, False):
            await exchange(self, links, 6)
            if notified:
                self.partner.notify(links[0].peer)
            await self.host.pause(8)
        await self.host.set("X_MISC_CFG", x_cnp_merge_en=1, x_cnp_timer_thr=100_000)
        for _ in range(4):
            await burst(self, 1, 2)
            await self.host.pause(0.3)
            self.partner.notify(links[0].peer)
            await self.host.pause(4)


@dut_test(suites=("smoke", "full"))
class congestion(RclinkTest):
    """Marks on both directions draw CNPs, and received ones are told.

    Stimulus: half of all requests marked both ways.
    Checks: RCL-099, RCL-100.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3))
        for direction in Direction:
            self.partner.add_faults(Fault(Action.MARK_ECN, direction, opcode=REQUEST, probability=0.5))
        await exchange(self, links, 15)
