"""A captured trace played into the DUT."""

from __future__ import annotations

from ref_model.rocev2.endpoint import Endpoint, EndpointConfig
from tb.partner.replay import ReplayTarget, Rewriter
from tb.pcap import PcapngWriter
from tb.sequences.connect import Link
from tb.sequences.replay import play
from tb.sequences.start import start
from tb.testcase import ErnicTest, dut_test

OLD_QP, OLD_PEER = 0x1234, 0x77


@dut_test(suites=("full",))
class replay_capture(ErnicTest):
    """A capture of foreign traffic, rewritten to the DUT's addresses, is received like live traffic.

    Stimulus: the file of option pcap, or a conversation recorded here; spacing kept, then without gaps as
    duplicates. Checks: ERN-112, ERN-115, ERN-116, ERN-135, ERN-139, ERN-148, ERN-168.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, element=4096)
        mr = await self.host.register_mr(link.config.pd, 1 << 16)
        path = self.options.get("pcap") or self.record(link)
        for speed in (1.0, None):
            rewriter = Rewriter([self.target(link)], rkey=mr.rkey, va=mr.va)
            await play(self, path, speed, rewriter)
            await self.host.pause(10)

    def target(self, link: Link) -> ReplayTarget:
        """The link as the destination of the captured flow."""
        peer = link.peer.config
        return ReplayTarget(
            link.number, peer.peer_mac, peer.peer_ip, peer.mac, peer.ip, link.config.expected_psn, peer.pkey
        )

    def record(self, link: Link) -> str:
        """Write a conversation of two foreign nodes to a capture file and return its path."""
        foreign = EndpointConfig(
            qp=OLD_PEER, peer_qp=OLD_QP, mac=0x0200, peer_mac=0x0300, ip=0x0102_0304, peer_ip=0x0506_0708,
            pmtu=link.config.pmtu, first_psn=0xABC,
        )  # fmt: skip
        sender = Endpoint(foreign)
        for length in (10, 700, 256):
            sender.post_send(self.rng.randbytes(length))
            sender.post_write(0x4000, 0x99, self.rng.randbytes(length))
        sender.post_read(0x4003, 0x99, 700)
        sender.post_send(b"behind the READ")
        path = f"{self.job['out_dir']}/recorded.pcapng"
        with PcapngWriter(path, comment="recorded conversation") as capture:
            for number, frame in enumerate(sender.poll(0)):
                capture.write(number * 500_000, frame)
        return path
