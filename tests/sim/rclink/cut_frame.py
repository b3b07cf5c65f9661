"""Frames that a downstream reset cuts."""

from __future__ import annotations

from tb.sequences.rclink import exchange, payload, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("full",))
class cut_frame(RclinkTest):
    """Nothing is left of a frame without an end, and the next one is taken.

    Stimulus: frames of all types cut after one beat and after more, by a downstream reset and without; then
    multicast, a raw frame and traffic of a queue pair.
    Checks: RCL-036.
    """

    async def scenario(self) -> None:
        link = (await start(self, (1,), timeout_us=8))[0]
        await self.host.type3.open(rx_entries=64)
        lanes = len(self.env.config.dut.mac_rx_axis_tdata) // 8
        request = self.partner.bytes_of(self.partner.request_frame(link.peer, payload(self.rng, 1344)))
        multicast = self.partner.bytes_of(self.partner.type2_frame(1, payload(self.rng, 1344)))
        raw = self.rng.randbytes(12) + b"\x88\xf7" + self.rng.randbytes(1400)
        for turn, beats in enumerate((1, 2, 9) * 2):
            for cut in (request, multicast, raw):
                await self.env.mac.cut(cut[: beats * lanes], (0,))
                if turn % 2:
                    await self.env.downstream_reset()
                if turn < 3:
                    await self.host.type3.post_receive(2048)
                    self.partner.inject(raw[: 64 + beats])
                else:
                    self.partner.multicast(2, payload(self.rng))
                    await exchange(self, [link], 2)
                await self.settle()
