"""What holds frames up: MAC credit, pause, link credit, rate."""

from __future__ import annotations

from ref_model.rclink import ports
from tb.partner import Action, Direction, Fault
from tb.sequences.rclink import exchange, payload, start
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
class pause(RclinkTest):
    """A paused priority stops its flow alone, and only where its enable is set.

    Stimulus: each bank, ACKs and TYPE2 paused under traffic and released, the enables set and clear.
    Checks: RCL-091.
    """

    async def scenario(self) -> None:
        enables = {("XON_THR_RDMA", f"rx_type1_req_bank{bank}_pfc_en"): 1 for bank in range(4)}
        enables[("XON_THR_RDMA", "rx_type2_pfc_en")] = 1
        links = await start(self, (1, 2, 4, 7), timeout_us=0, fields=enables)
        for priorities in (0b0001, 0b0110, 0b1000, 0b10_0000, 0b1_0000):
            await self.env.levels.drive(ports.RX_PFC_REQ, priorities)
            await exchange(self, links, 6, fack=0)
            await self.host.multicast(1, payload(self.rng))
            await self.host.pause(2)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0)
            await self.settle()


@dut_test(suites=("full",))
class client_stop(RclinkTest):
    """A stop of the client raises the pause request of its priority where it is enabled.

    Stimulus: each bank and TYPE2 stopped and released, enables set for two of them.
    Checks: RCL-090, RCL-092.
    """

    async def scenario(self) -> None:
        enables = {
            ("XON_THR_RDMA", "flow_stop_en"): 0b0111,
            ("XON_THR_RDMA", "tx_type1_req_bank0_pfc_en"): 1,
            ("XON_THR_RDMA", "tx_type1_req_bank1_pfc_en"): 1,
            ("XON_THR_RDMA", "tx_type1_req_bank3_pfc_en"): 1,
            ("XON_THR_RDMA", "tx_type2_pfc_en"): 1,
        }
        links = await start(self, (1, 2), fields=enables)
        for bank in range(4):
            await self.env.levels.drive(ports.FLOW_STOP, 1 << bank)
            await exchange(self, links, 2)
            await self.env.levels.drive(ports.FLOW_STOP, 0)
            await self.host.pause(0.5)
        await self.env.levels.drive(ports.TYPE2_PFC_REQ, 1)
        await self.host.pause(0.5)
        await self.env.levels.drive(ports.TYPE2_PFC_REQ, 0)


@dut_test(suites=("full",))
class link_credit(RclinkTest):
    """Frames use up the credit of their VC, close it at the limit and go on when credit returns.

    Stimulus: all VCs loaded, traffic until they close, returns in pieces; software stop of one VC.
    Checks: RCL-074, RCL-075, RCL-076, RCL-078, RCL-080, RCL-083.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 4, 7), timeout_us=0)
        pulses = self.env.inputs
        await pulses[ports.CBFC_LOAD].send(0xFF, 256, 40, 4)
        limits = {f"{flow}_credit_uf_limit_cbfc": 2 for flow in ("type1", "type2", "type3", "ack")}
        checks = {f"rx_type1_req_bank{bank}_cbfc_en": 1 for bank in range(4)}
        await self.host.set("AFH_CFG_EN", **limits, **checks, software_ctrl_cbfc_vc_status=0xFF)
        await self.host.set("AFH_CFG_EN", stop_cbfc_en=0)
        for status in (0xFF, 0xFD):
            await self.host.set("AFH_CFG_EN", software_ctrl_cbfc_vc_status=status)
            await exchange(self, links, 24)
            await self.host.set("AFH_CFG_EN", software_ctrl_cbfc_vc_status=0xFF)
            for vc in range(4):
                for credits in (5, 7, 40):
                    await pulses[ports.CBFC_RETURN].send(1 << vc, credits)
                    await self.host.pause(0.2)
            await self.settle()


@dut_test(suites=("full",))
class rate(RclinkTest):
    """A queue pair whose bytes reached its threshold waits for the window; others go on.

    Stimulus: a small rate by port and by register, 0, and back, under traffic of two queue pairs.
    Checks: RCL-064, RCL-065, RCL-069, RCL-071, RCL-073.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2), timeout_us=0)
        pulse = self.env.inputs[ports.SET_CC_RATE]
        for allowed in (2000, 300):
            await pulse.send(allowed, 1)
            await exchange(self, links, 10)
            await self.settle()
        await self.host.set("TX_SPEED_MEM", 1, tx_speed_cfg=0)
        for link in (*links, *links):
            await self.host.send(link.number, payload(self.rng))
        await self.host.pause(10)
        await pulse.send(100_000, 1)


@dut_test(suites=("full",))
class congestion(RclinkTest):
    """A marked request draws one CNP; a received CNP is told once per filter time.

    Stimulus: marks on requests both ways, the filter off and on.
    Checks: RCL-099, RCL-100, RCL-101.
    """

    async def scenario(self) -> None:
        links = await start(self, (1, 2, 3))
        for direction in Direction:
            self.partner.add_faults(Fault(Action.MARK_ECN, direction, opcode=0, probability=0.5))
        await exchange(self, links, 15)
        await self.settle()
        await self.host.set("X_MISC_CFG", x_cnp_merge_en=1, x_cnp_timer_thr=1500)
        await exchange(self, links, 15)
