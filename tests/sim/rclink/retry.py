"""Loss in both directions: NAK, timeout, Go-Back-N, retry over and recovery."""

from __future__ import annotations

from ref_model.rclink import ports
from ref_model.wire.rclink.rh import NAK
from tb.host.rclink_settings import Change
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import (
    ACK,
    REQUEST,
    all_sent,
    burst,
    exchange,
    lose,
    payload,
    peer_burst,
    reconnect,
    set_rate,
    settled,
    start,
)
from tb.testcase import RclinkTest, dut_test

FROM_DUT, TO_DUT = Direction.FROM_DUT, Direction.TO_DUT
REFUSING = {("XON_THR_RDMA", "flow_stop_en"): 15, ("AFH_CFG_EN", "type1_flow_stop_send_rnr_en"): 0b1011}
"""Banks can be stopped, and all but bank 2 answer with RNR NAK then."""


@dut_test(suites=("smoke", "full"))
class nak_resend(RclinkTest):
    """A lost request draws a NAK, and the DUT repeats from there on, this queue pair only.

    Stimulus: first, middle and last of a burst of ten lost, beside another queue pair.
    Checks: RCL-045, RCL-048, RCL-050.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=10)
        for lost in (0, 4, 9):
            lose(self, FROM_DUT, qp=1, skip=lost, count=1)
            for _ in range(10):
                await burst(self, 1, 1)
                await burst(self, 2, 1)
            await settled(self)


@dut_test(suites=("full",))
class nak_implies_ack(RclinkTest):
    """A NAK acknowledges what comes before its PSN.

    Stimulus: all answers lost, then a NAK for a request in the middle: tokens of those before it come.
    Checks: RCL-041, RCL-047.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=0))[0]
        for behind in (1, 5):
            lose(self, TO_DUT, ACK)
            await burst(self, 1, 8)
            await self.host.pause(2)
            self.partner.clear_faults()
            self.partner.answer(link.peer, -behind, NAK)
            await self.settle()


@dut_test(suites=("full",))
class timeout(RclinkTest):
    """Without acknowledgement the DUT repeats from the oldest packet when the timeout is over.

    Stimulus: all answers to a queue pair lost for two timeouts, of two settings.
    Checks: RCL-045, RCL-048, RCL-050.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=8)
        for timeout_us in (8, 5):
            await self.host.set("RETRY_TIMER_CFG", x_timeout_us=timeout_us)
            lose(self, TO_DUT, ACK)
            await burst(self, 1, 5)
            await self.host.pause(20)
            self.partner.clear_faults()
            await settled(self)


class _Repeated(RclinkTest):
    """Requests sent again after a NAK, with and without Fack."""

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=10)
        for fack in (True, False, True):
            lose(self, FROM_DUT, skip=1, count=1)
            await burst(self, 1, 5, fack=fack)
            await settled(self)


@dut_test(suites=("full",))
class retry_timestamp(_Repeated):
    """A repeated request carries a new timestamp, and its ICRC is right.

    Stimulus: bursts whose second request is lost.
    Checks: RCL-018, RCL-021/value, RCL-045.
    """


@dut_test(suites=("full",))
class retry_fack(_Repeated):
    """A repeated request keeps its Fack mark.

    Stimulus: bursts with and without Fack whose second request is lost.
    Checks: RCL-020, RCL-045.
    """


@dut_test(suites=("smoke", "full"))
class sequence_gap(RclinkTest):
    """A gap draws one NAK with the expected PSN, and nothing behind it is delivered.

    Stimulus: one and three requests of the partner lost in a burst.
    Checks: RCL-039, RCL-042.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=15))[0]
        for count in (1, 3):
            lose(self, TO_DUT, skip=2, count=count, repeats=False)
            peer_burst(self, link, 10)
            await settled(self)


@dut_test(suites=("full",))
class two_gaps(RclinkTest):
    """A second gap behind the first draws a NAK of its own.

    Stimulus: two requests lost apart, and one lost again when repeated; the timeout is long.
    Checks: RCL-042, RCL-043.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=60))[0]
        lose(self, TO_DUT, skip=1, count=1)
        peer_burst(self, link, 3)
        await settled(self)
        lose(self, TO_DUT, skip=2, count=1)
        peer_burst(self, link, 5)
        await settled(self)


@dut_test(suites=("full",))
class duplicates(RclinkTest):
    """Duplicates are acknowledged and not delivered.

    Stimulus: every request doubled at once and late; ACKs lost, so that the partner repeats all.
    Checks: RCL-039, RCL-044.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=8)
        self.partner.add_faults(Fault(Action.DUPLICATE, TO_DUT, opcode=REQUEST, delay_ps=400_000))
        await exchange(self, links, 8)
        await settled(self)
        lose(self, FROM_DUT, ACK, count=3)
        peer_burst(self, links[0], 4)


@dut_test(suites=("full",))
class cumulative_ack(RclinkTest):
    """One ACK frees all slots it covers and returns a token for each.

    Stimulus: 1, 2, all but one and all packets before one ACK.
    Checks: RCL-040, RCL-041, RCL-060.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=0))[0]
        most = int(self.env.config.knobs["TYPE1_OST_N"])
        for count in (1, 2, most - 1, most):
            lose(self, TO_DUT, ACK)
            await burst(self, 1, count, 64)
            await self.host.pause(2)
            self.partner.clear_faults()
            self.partner.answer(link.peer, -1)
            await self.settle()


@dut_test(suites=("full",))
class stale_ack(RclinkTest):
    """Acknowledgements outside the outstanding window change nothing.

    Stimulus: ACKs of old, future and far PSNs, injected between packets.
    Checks: RCL-049.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=0))[0]
        await burst(self, 1, 4)
        await self.settle()
        self.partner.add_faults(Fault(Action.HOLD, TO_DUT, opcode=ACK))
        await burst(self, 1, 3)
        await self.host.pause(1)
        for ahead in (-2, -5, -512, 5, 2048, 100):
            self.partner.answer(link.peer, ahead)
            await self.host.pause(0.1)
        self.partner.clear_faults()


@dut_test(suites=("full",))
class late_ack(RclinkTest):
    """An ACK for packets that wait to be sent again frees their slots.

    Stimulus: answers held until the timeout while the bank is paused, handed on before the pause ends.
    Checks: RCL-048, RCL-061.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=8, fields={("XON_THR_RDMA", "rx_type1_req_bank1_pfc_en"): 1})
        for count in (1, 4):
            self.partner.add_faults(Fault(Action.HOLD, TO_DUT, opcode=ACK))
            await burst(self, 1, count)
            await all_sent(self)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0b0010)
            await self.host.pause(12)
            self.partner.clear_faults()
            await self.host.pause(2)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0)
            await self.settle()


@dut_test(suites=("full",))
class retry_count(RclinkTest):
    """Retry events in a row are counted, and progress clears the count.

    Stimulus: one loss less than the threshold, progress, the same again.
    Checks: RCL-050.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=5, retry_limit=4)
        for _ in range(2):
            lose(self, FROM_DUT, count=2)
            await burst(self, 1, 1)
            await settled(self)


class _Fatal(RclinkTest):
    """A queue pair driven to the threshold beside another one."""

    recovers = False

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=5, retry_limit=3)
        lose(self, FROM_DUT, qp=1)
        await burst(self, 1, 4)
        await self.host.pause(40)
        await burst(self, 1, 2)
        await exchange(self, links[1:], 5)
        self.partner.clear_faults()
        if not self.recovers:
            return
        await self.settle()
        await self._locked_rate()
        await reconnect(self, links[0])
        await self.host.clear_interrupts()
        await exchange(self, links, 8)

    async def _locked_rate(self) -> None:
        """The first steps of the recovery, which is done in whole later, and a rate command at the port."""
        await self.host.set("QP_CONTROL_STATUS", 1, qp_en=0)
        await self.host.write("TX_SPEED_MEM", 0, 1)
        await self.host.pause(1)
        await set_rate(self, 1, 1000)
        await self.host.pause(1)


@dut_test(suites=("full",))
class retry_over(_Fatal):
    """At the threshold a queue pair stops and is reported, the others go on.

    Stimulus: everything of one queue pair lost until it is fatal, more packets for it, traffic on another.
    Checks: RCL-050, RCL-051, RCL-122.
    """


@dut_test(suites=("full",))
class retry_recovery(_Fatal):
    """The documented recovery frees the slots of a fatal queue pair and brings it back.

    Stimulus: a fatal queue pair with packets sent and not sent, recovery with a rate command amidst, traffic
    on both.
    Checks: RCL-055, RCL-135.
    """

    recovers = True


@dut_test(suites=("full",))
class rnr_banks(RclinkTest):
    """A stopped bank answers with RNR NAK where its enable is set; the DUT waits as long as one says.

    Stimulus: each bank stopped with the enable set, traffic of the partner; the partner stopped, too.
    Checks: RCL-052.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 4), timeout_us=0, fields=REFUSING)
        for bank in range(4):
            await self.env.levels.drive(ports.FLOW_STOP, 1 << bank)
            await self.host.pause(0.2)
            for link in links:
                peer_burst(self, link, 2)
            await self.host.pause(3)
            await self.env.levels.drive(ports.FLOW_STOP, 0)
            await self.settle()
        self.partner.endpoint.receiver.stop = 0b0010
        await burst(self, 1, 3)
        await self.host.pause(5)
        self.partner.endpoint.receiver.stop = 0


@dut_test(suites=("full",))
class rnr_once(RclinkTest):
    """A stopped bank refuses a request once, however often it comes.

    Stimulus: requests of the partner to a stopped bank, doubled; then the bank released.
    Checks: RCL-052.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=0, fields=REFUSING))[0]
        self.partner.add_faults(Fault(Action.DUPLICATE, TO_DUT, opcode=REQUEST, delay_ps=400_000))
        for _ in range(3):
            await self.env.levels.drive(ports.FLOW_STOP, 0b0010)
            await self.host.pause(0.2)
            peer_burst(self, link, 1)
            await self.host.pause(2)
            await self.env.levels.drive(ports.FLOW_STOP, 0)
            await self.settle()


@dut_test(suites=("full",))
class register_psns(RclinkTest):
    """The PSN registers show what the traffic implies.

    Stimulus: traffic with loss over five queue pairs, everything read at rest, three times.
    Checks: RCL-053.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3, 4, 9), timeout_us=8)
        for _ in range(3):
            lose(self, FROM_DUT, probability=0.2, repeats=False)
            await exchange(self, links, 8)
            await settled(self)


@dut_test(suites=("full",))
class recv_ack(RclinkTest):
    """Acknowledges with a timestamp are reported: queue pair, number, NAK mark, round-trip time.

    Stimulus: quick ACKs, plain ACKs, losses that draw NAKs, a stopped bank that draws an RNR NAK; at last
    ACKs without timestamps.
    Checks: RCL-054/count, RCL-054/rtt.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=10, ack_time=True, fields=REFUSING)
        for number in (1, 2):
            await burst(self, number, 3, fack=True)
            lose(self, FROM_DUT, skip=1, count=1)
            await burst(self, number, 4)
            await settled(self)
        self.partner.endpoint.receiver.stop = 0b0010
        await burst(self, 1, 1)
        await self.host.pause(2)
        self.partner.endpoint.receiver.stop = 0
        await self.host.send(1, payload(self.rng), True)
        await settled(self)
        self.partner.program([Change("X_MISC_CFG", {"x_tx_ack_time_en": 0})])
        await burst(self, 2, 3)
