"""Link credit by virtual channel, multicast credit, MAC credit."""

from __future__ import annotations

from ref_model.rclink import ports
from tb.sequences.rclink import burst, exchange, give, link_credit, payload, peer_burst, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("smoke", "full"))
class mac_credit(RclinkTest):
    """Without MAC credit nothing leaves, and the DUT says so; with it everything goes on.

    Stimulus: credits held back under traffic until they are used up, returned; held again and restored.
    Checks: RCL-093.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        for restore in (False, True):
            self.env.credits.hold()
            await exchange(self, links, 20)
            await self.host.pause(2)
            if restore:
                await self.env.credits.restore()
            self.env.credits.release()
            await self.settle()


@dut_test(suites=("full",))
class downstream_reset(RclinkTest):
    """After a downstream reset the DUT goes on with fresh credit and all packets it had in hand.

    Stimulus: packets that wait for MAC credit, the MAC reset; without link credit, and with it, loaded anew.
    Checks: RCL-084, RCL-093, RCL-127.
    """

    async def scenario(self) -> None:
        links = await start(self, (0, 1, 2, 3), timeout_us=0)
        for checked in (False, True):
            if checked:
                await link_credit(self, size=256, limit=100, ovhd=4)
            self.env.credits.hold()
            for link in links:
                await burst(self, link.number, 10, 1344)
            await self.host.pause(2)
            await self.env.downstream_reset()
            self.env.credits.release()
            if checked:
                await self.host.pause(0.5)
                await self.env.inputs[ports.CBFC_LOAD].send(0xFF, 256, 100, 4)
            await self.settle()


@dut_test(suites=("full",))
class cbfc_load(RclinkTest):
    """Loading sets size, limit and credit of the flagged channels, again as often as it is done.

    Stimulus: single and several channels loaded, used up and loaded again.
    Checks: RCL-074, RCL-075.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=0)
        await link_credit(self, size=256, limit=60, ovhd=4)
        for bits, size, limit in ((0x02, 128, 90), (0x06, 512, 30), (0xFF, 256, 60)):
            await burst(self, 1, 3)
            await burst(self, 2, 3)
            await self.settle()
            await self.env.inputs[ports.CBFC_LOAD].send(bits, size, limit, 4)
            await self.settle()


@dut_test(suites=("full",))
class cbfc_consume(RclinkTest):
    """A frame uses its length and overhead in credits, rounded up.

    Stimulus: lengths around multiples of the credit size, all sizes.
    Checks: RCL-075.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=0)
        for size in (32, 64, 128, 256, 1024, 2048):
            await link_credit(self, size=size, limit=4000, ovhd=4)
            for length in (64, 72, 76, 77, 80, 200, 204, 208, 1344):
                await burst(self, 1, 1, length)
            await self.settle()


@dut_test(suites=("full",))
class cbfc_overhead(RclinkTest):
    """The overhead is signed.

    Stimulus: overheads of -16, -1, 0 and 127.
    Checks: RCL-075.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=0)
        for ovhd in (-16, -1, 0, 127):
            await link_credit(self, size=64, limit=400, ovhd=ovhd & 0x3FF)
            for length in (64, 76, 77, 92, 93):
                await burst(self, 1, 1, length)
            await self.settle()


@dut_test(suites=("full",))
class cbfc_return(RclinkTest):
    """Returned credits go to the flagged channel, up to its limit.

    Stimulus: credits used on all channels and returned one by one, the last return too large.
    Checks: RCL-076.
    """

    async def scenario(self) -> None:
        await start(self, (0, 1, 2, 3), timeout_us=0, vcs=(4, 7, 1, 2, 0, 5, 6))
        await link_credit(self, size=256, limit=60, ovhd=4)
        for _ in range(2):
            for number in range(4):
                await burst(self, number, 2)
            await self.settle()
            for vc in range(8):
                for credits in (1, 5, 200):
                    await give(self, vc, credits)


@dut_test(suites=("full",))
class cbfc_same_cycle(RclinkTest):
    """No credit is lost when a frame is granted and credits return at once.

    Stimulus: much credit used, then a credit back in every clock while frames leave.
    Checks: RCL-077.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=0)
        await link_credit(self, size=64, limit=2000, ovhd=4)
        await burst(self, 1, 40, 1344)
        await self.settle()
        await burst(self, 1, 60, 200)
        await self.env.inputs[ports.CBFC_RETURN].send_all([(2, 1)] * 600)
        await self.settle()


class _Closing(RclinkTest):
    """Traffic of the banks and of TYPE2 until the channels close, then credits in pieces."""

    fields: dict[str, int] = {}
    wait_us = 1.0

    async def scenario(self) -> None:
        links = await start(self, (0, 1, 2, 3), timeout_us=0)
        await link_credit(self, size=256, limit=40, ovhd=4, rx_type2_cbfc_en=1, **self.fields)
        for _ in range(8):
            for link in links:
                await burst(self, link.number, 1, 1344)
            await self.host.multicast(1, payload(self.rng, 1344))
        await self.host.pause(self.wait_us)
        for credits in (5, 7, 7, 40, 40):
            for vc in (0, 1, 2, 3, 5):
                await give(self, vc, credits)
            await self.host.pause(0.3)


@dut_test(suites=("full",))
class cbfc_threshold(_Closing):
    """A channel closes below the limit times the credits of a largest frame and opens again.

    Stimulus: four banks and TYPE2 with eight largest packets each, credits returned in pieces.
    Checks: RCL-075, RCL-076, RCL-078.
    """


@dut_test(suites=("full",))
class cbfc_dynamic(_Closing):
    """With the dynamic limit TYPE1 goes on down to one largest frame, TYPE2 does not.

    Stimulus: as for the plain limit; no credit comes back for longer than a frame may take that can be sent.
    Checks: RCL-079.
    """

    fields = {"type1_dyn_uf_limit_cbfc_en": 1}
    wait_us = 110.0


@dut_test(suites=("full",))
class vc_independence(RclinkTest):
    """A closed channel stops its flow alone.

    Stimulus: each bank starved in turn while all have packets, the first one longer than the others may take.
    Checks: RCL-078, RCL-083.
    """

    async def scenario(self) -> None:
        await start(self, (0, 1, 2, 3), timeout_us=0)
        await link_credit(self, size=256, limit=200, ovhd=4)
        for starved in range(4):
            await self.env.inputs[ports.CBFC_LOAD].send(1 << starved, 256, 3, 4)
            await self.host.pause(0.1)
            for number in range(4):
                await burst(self, number, 2, 500)
            await self.host.pause(1 if starved else 110)
            await self.env.inputs[ports.CBFC_LOAD].send(1 << starved, 256, 200, 4)
            await self.settle()


@dut_test(suites=("full",))
class cbfc_software(RclinkTest):
    """A software bit of 0 stops its channel, a 1 opens none that lacks credit.

    Stimulus: each bank and the ACKs stopped by software under traffic; a channel without credit.
    Checks: RCL-080, RCL-081.
    """

    async def scenario(self) -> None:
        links = await start(self, (0, 1, 2, 3), timeout_us=0)
        await link_credit(self, size=256, limit=400, ovhd=4)
        for vc in range(5):
            await self.host.set("AFH_CFG_EN", software_ctrl_cbfc_vc_status=0xFF & ~(1 << vc))
            await self.host.pause(0.1)
            await exchange(self, links, 8, fack=0)
            await self.host.pause(1)
            await self.host.set("AFH_CFG_EN", software_ctrl_cbfc_vc_status=0xFF)
            await self.settle()
        await self.host.set("AFH_CFG_EN", software_ctrl_cbfc_vc_status=0xFE)
        await self.env.inputs[ports.CBFC_LOAD].send(1, 256, 3, 4)
        await burst(self, 0, 1)
        await self.host.pause(1)
        await self.host.set("AFH_CFG_EN", software_ctrl_cbfc_vc_status=0xFF)
        await self.host.pause(1)
        await self.env.inputs[ports.CBFC_LOAD].send(1, 256, 60, 4)


@dut_test(suites=("full",))
class cbfc_global_stop(RclinkTest):
    """While CBFC is stopped neither credit nor software bits count.

    Stimulus: channels without credit and with software bit 0, CBFC stopped.
    Checks: RCL-082.
    """

    async def scenario(self) -> None:
        links = await start(self, (0, 1, 2, 3), timeout_us=0)
        await link_credit(self, size=256, limit=3, ovhd=4)
        await self.host.set("AFH_CFG_EN", stop_cbfc_en=1, software_ctrl_cbfc_vc_status=0)
        await self.host.pause(0.1)
        await exchange(self, links, 8)


@dut_test(suites=("full",))
class cbfc_flow_enables(RclinkTest):
    """A flow whose enable is clear neither needs nor uses credit.

    Stimulus: enables of two banks clear, their channels without credit.
    Checks: RCL-134.
    """

    async def scenario(self) -> None:
        links = await start(self, (0, 1, 2, 3), timeout_us=0)
        clear = {"rx_type1_req_bank1_cbfc_en": 0, "rx_type1_req_bank2_cbfc_en": 0}
        await link_credit(self, size=256, limit=100, ovhd=4, **clear)
        await self.env.inputs[ports.CBFC_LOAD].send(0b0110, 256, 3, 4)
        await self.host.pause(0.1)
        await exchange(self, links, 12)


@dut_test(suites=("full",))
class cbfc_reset(RclinkTest):
    """A CBFC reset blocks every flow under check until its channel is loaded again, not the multicast credit.

    Stimulus: a reset with packets waiting, multicast beside them, channels loaded one after the other.
    Checks: RCL-084.
    """

    async def scenario(self) -> None:
        await start(self, (0, 1, 2, 3), timeout_us=0, fields={("X_MISC_CFG", "x_multi_credit_ctrl_en"): 1})
        await link_credit(self, size=256, limit=100, ovhd=4)
        await self.env.inputs[ports.CBFC_RESET].send()
        await self.host.pause(0.1)
        await self.host.multicast(1, payload(self.rng))
        for number in range(4):
            await burst(self, number, 2)
        await self.host.pause(1)
        for vc in (3, 0, 2, 1):
            await self.env.inputs[ports.CBFC_LOAD].send(1 << vc, 256, 100, 4)
            await self.host.pause(0.5)


@dut_test(suites=("full",))
class multicast_credit(RclinkTest):
    """Multicast needs and uses its own credit in cells of 128 bytes, while enabled.

    Stimulus: credit used up and made whole; used up and returned in pieces while CBFC checks TYPE2, too; the
    control switched off with nothing left.
    Checks: RCL-085, RCL-086, RCL-087.
    """

    async def scenario(self) -> None:
        await start(self, (1,), timeout_us=0, fields={("X_MISC_CFG", "x_multi_credit_ctrl_en"): 1})
        await self._use_up()
        await self.env.inputs[ports.TYPE2_CRD_RST].send()
        await self.settle()
        await self.env.inputs[ports.TYPE2_CRD_RST].send()
        await self._use_up()
        await link_credit(self, size=256, limit=0xFFFF, ovhd=4, rx_type2_cbfc_en=1)
        await self.host.pause(0.5)
        for cells in (3, 11, 12, 40):
            await self.env.inputs[ports.TYPE2_CRD].send(cells)
            await self.host.pause(0.5)
        await self.settle()
        for group in range(4):
            await self.host.multicast(group, payload(self.rng, 1344))
        await self.host.pause(1)
        await self.host.set("X_MISC_CFG", x_multi_credit_ctrl_en=0)

    async def _use_up(self) -> None:
        """As many largest frames as there is credit for, and three more."""
        cells = -(-(1344 + 42) // 128)
        for _ in range(int(self.env.config.knobs["TYPE2_CRD_RST_NUM"]) // cells + 3):
            await self.host.multicast(1, payload(self.rng, 1344))
        await self.host.pause(1)


@dut_test(suites=("full",))
class ack_channel(RclinkTest):
    """ACKs and CNPs use the credit of one channel.

    Stimulus: the channel of the ACKs starved while requests of the partner come, then loaded.
    Checks: RCL-078, RCL-088, RCL-095.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        await link_credit(self, size=64, limit=100, ovhd=4, rx_type1_ack_cbfc_en=1)
        await self.env.inputs[ports.CBFC_LOAD].send(1 << 4, 64, 1, 4)
        await self.host.pause(0.1)
        for link in links:
            peer_burst(self, link, 5)
        await self.host.pause(2)
        await self.env.inputs[ports.CBFC_LOAD].send(1 << 4, 64, 100, 4)
