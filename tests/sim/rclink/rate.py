"""Rates of queue pairs and of TYPE2."""

from __future__ import annotations

from ref_model.rclink import ports
from tb.partner import Direction
from tb.sequences.rclink import burst, exchange, lose, payload, set_rate, settled, start
from tb.testcase import RclinkTest, dut_test

PATIENCE_PS = 150_000_000
"""Longer than a pulse may take that is owed."""


@dut_test(suites=("full",))
class rate_example(RclinkTest):
    """The steps of the printed example, four times as large: equality stops a queue pair, too.

    Stimulus: in the middle of windows, packets that reach the threshold by more, then with the debt exactly.
    Checks: RCL-064, RCL-065, RCL-066, RCL-071.
    """

    rate = 192

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=0)
        await set_rate(self, 1, self.rate)
        first, exact = (self.rate + 64,), (self.rate - 64,)
        for lengths in (first, (self.rate,), exact, (64, self.rate), exact):
            for length in lengths:
                await burst(self, 1, 1, length)
                await self.host.pause(0.1)
            await self._next_window()

    async def _next_window(self) -> None:
        """Wait for the end of the window in which the queue pair was stopped, and a good part of the next."""
        pulses = self.env.outputs[ports.CC_QP_EN].monitor
        told = pulses.count

        async def released() -> bool:
            return pulses.count > told

        await self.host.wait_until(released, "the end of a window", PATIENCE_PS)
        await self.host.pause(1.5)


@dut_test(suites=("full",))
class rate_debt(RclinkTest):
    """What was sent beyond the threshold counts in the next windows.

    Stimulus: packets a little larger than the threshold of one queue pair, much larger than that of another.
    Checks: RCL-064, RCL-065, RCL-067.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=0)
        await set_rate(self, 2, 1000)
        await self.host.pause(1)
        await burst(self, 2, 3, 1344)
        await self.settle()
        for rate in (500, 300):
            await set_rate(self, 1, rate)
            await self.host.pause(1)
            await burst(self, 1, 8, 1344)
            await burst(self, 2, 3)
            await self.settle()


@dut_test(suites=("full",))
class rate_windows(RclinkTest):
    """Windows have the selected length.

    Stimulus: bursts under a rate for each of the five windows.
    Checks: RCL-065, RCL-068.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=0)
        for window in range(5):
            await self.host.set("X_MISC_CFG", x_cc_window_sel=window)
            await set_rate(self, 1, 600)
            await burst(self, 1, 3, 600)
            await self.settle()


@dut_test(suites=("full",))
class rate_all_qps(RclinkTest):
    """Every queue pair is released at the window, the last one, too.

    Stimulus: first, middle and last queue pair of the build under a rate.
    Checks: RCL-065, RCL-071.
    """

    async def scenario(self) -> None:
        count = int(self.env.config.knobs["QP_NUM"])
        numbers = (0, 1, count // 2, count - 1)
        await start(self, numbers, timeout_us=0)
        for number in numbers:
            await set_rate(self, number, 700)
        for _ in range(3):
            for number in numbers:
                await burst(self, number, 1, 600)


@dut_test(suites=("full",))
class rate_retry(RclinkTest):
    """Repeated packets count against the rate.

    Stimulus: losses under a small rate.
    Checks: RCL-064, RCL-065, RCL-067.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=20)
        await set_rate(self, 1, 1500)
        lose(self, Direction.FROM_DUT, probability=0.4, repeats=False)
        await burst(self, 1, 8, 500)
        await settled(self)


@dut_test(suites=("full",))
class rate_zero(RclinkTest):
    """A rate of 0 stops a queue pair at once, by port and by register.

    Stimulus: rate 0 under traffic both ways of setting it, later a rate again, once after the time in which
    the other queue pair has to send.
    Checks: RCL-069, RCL-071, RCL-073.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        for by_register in (False, True):
            if by_register:
                await self.host.set("TX_SPEED_MEM", 1, tx_speed_cfg=0)
            else:
                await set_rate(self, 1, 0)
            await self.host.pause(0.2)
            for link in (*links, *links):
                await burst(self, link.number, 1)
            await self.host.pause(110 if by_register else 10)
            await set_rate(self, 1, 100_000)
            await self.settle()


@dut_test(suites=("full",))
class rate_order(RclinkTest):
    """A stopped queue pair keeps its place: released, its packets leave in order of arrival.

    Stimulus: packets of two queue pairs of a paused bank, one stopped and released meanwhile.
    Checks: RCL-056, RCL-070.
    """

    async def scenario(self) -> None:
        await start(self, (1, 5), timeout_us=0, fields={("XON_THR_RDMA", "rx_type1_req_bank1_pfc_en"): 1})
        await self.env.levels.drive(ports.RX_PFC_REQ, 0b10)
        await set_rate(self, 5, 0)
        await self.host.pause(0.2)
        await burst(self, 1, 45, 400)
        for _ in range(4):
            await burst(self, 5, 1, 400)
            await burst(self, 1, 1, 400)
        await self.host.pause(1)
        await set_rate(self, 5, 100_000)
        await self.host.pause(0.2)
        await self.env.levels.drive(ports.RX_PFC_REQ, 0)


@dut_test(suites=("full",))
class type2_rate(RclinkTest):
    """TYPE2 has a rate of its own.

    Stimulus: multicast of two and more windows under a small rate, then under full rate, beside TYPE1.
    Checks: RCL-072.
    """

    async def scenario(self) -> None:
        links = await start(self, (1,), timeout_us=0)
        for rate in (1000, 3000, 100_000):
            await self.env.inputs[ports.SET_TYPE2_RATE].send(rate)
            await self.host.pause(0.5)
            for _ in range(6):
                await self.host.multicast(1, payload(self.rng, 1344))
            await exchange(self, links, 3)
            await self.settle()
