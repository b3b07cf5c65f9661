"""Pause in both directions, stops of the client."""

from __future__ import annotations

from ref_model.rclink import ports
from tb.sequences.rclink import exchange, link_credit, payload, peer_burst, start
from tb.testcase import RclinkTest, dut_test

TX_ENABLES = {("XON_THR_RDMA", f"tx_type1_req_bank{bank}_pfc_en"): 1 for bank in range(4)}


@dut_test(suites=("full",))
class pfc_pause(RclinkTest):
    """A paused priority stops its flow alone, and only where its enable is set.

    Stimulus: banks, ACKs and TYPE2 paused under traffic and released, most enables set.
    Checks: RCL-091.
    """

    async def scenario(self) -> None:
        enables = {("XON_THR_RDMA", f"rx_type1_req_bank{bank}_pfc_en"): 1 for bank in range(3)}
        enables |= {("XON_THR_RDMA", "rx_type2_pfc_en"): 1, ("XON_THR_RDMA", "rx_ack_pfc_en"): 1}
        links = await start(self, (1, 2, 4, 7), timeout_us=0, fields=enables)
        for priorities in (0b0001, 0b0110, 0b1000, 0b10_0000, 0b1_0000):
            await self.env.levels.drive(ports.RX_PFC_REQ, priorities)
            await self.host.pause(0.1)
            await exchange(self, links, 6, fack=0)
            await self.host.multicast(1, payload(self.rng))
            await self.host.pause(2)
            await self.env.levels.drive(ports.RX_PFC_REQ, 0)
            await self.settle()


class _Stops(RclinkTest):
    """Each bank and TYPE2 stopped by the client and released, without and with CBFC."""

    enables: dict[tuple[str, str], int] = {}

    async def scenario(self) -> None:
        links = await start(self, (1, 2), fields=self.enables)
        for credits in (False, True):
            if credits:
                await link_credit(self, size=256, limit=0xFFFF, ovhd=4)
            for bank in range(4):
                await self.env.levels.drive(ports.FLOW_STOP, 1 << bank)
                await exchange(self, links, 2)
                await self.env.levels.drive(ports.FLOW_STOP, 0)
                await self.host.pause(0.5)
            await self.env.levels.drive(ports.TYPE2_PFC_REQ, 1)
            await self.host.pause(0.5)
            await self.env.levels.drive(ports.TYPE2_PFC_REQ, 0)
            await self.host.pause(0.5)


@dut_test(suites=("full",))
class flow_stop(_Stops):
    """A stop of the client raises the pause request of its priority where stops are enabled.

    Stimulus: each bank and TYPE2 stopped, stops of three banks enabled.
    Checks: RCL-090.
    """

    enables = {
        **TX_ENABLES,
        ("XON_THR_RDMA", "flow_stop_en"): 0b0111,
        ("XON_THR_RDMA", "tx_type2_pfc_en"): 1,
    }


@dut_test(suites=("full",))
class pfc_enables(_Stops):
    """Pause is asked for only where the transmit enable of the flow is set.

    Stimulus: each bank and TYPE2 stopped, the enables of two banks set.
    Checks: RCL-090, RCL-092.
    """

    enables = {
        ("XON_THR_RDMA", "flow_stop_en"): 15,
        ("XON_THR_RDMA", "tx_type1_req_bank0_pfc_en"): 1,
        ("XON_THR_RDMA", "tx_type1_req_bank3_pfc_en"): 1,
    }


@dut_test(suites=("full",))
class pfc_marks(RclinkTest):
    """A full receive buffer asks for pause from the upper mark on and down to the lower mark.

    Stimulus: small marks, RX_M held while packets come, released until the level lies between the marks, held
    there, then released.
    Checks: RCL-089.
    """

    async def scenario(self) -> None:
        marks = {("XON_THR_RDMA", "xon_thr_rdma"): 20, ("XON_THR_RDMA", "xoff_thr_rdma"): 80}
        links = await start(self, (1, 2), timeout_us=0, fields=TX_ENABLES | marks)
        for _ in range(2):
            self.env.client_port.hold_output()
            for _ in range(8):
                for link in links:
                    peer_burst(self, link, 1, 1024)
                await self.host.pause(0.1)
            await self.host.pause(1)
            self.env.client_port.release_output()
            await self.host.pause(0.15)
            self.env.client_port.hold_output()
            await self.host.pause(1)
            self.env.client_port.release_output()
            await self.settle()
