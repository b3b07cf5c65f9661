"""TYPE3: raw Ethernet by descriptors in memory."""

from __future__ import annotations

from tb.sequences.rclink import bring_up, raw_frame
from tb.testcase import RclinkTest, dut_test


class _Type3(RclinkTest):
    """Frames of some lengths out of and into memory."""

    lengths: tuple[int, ...] = (60, 64, 65, 127, 128, 129, 1514)
    offsets: tuple[int, ...] = (0,)
    buffer = 2048
    entries = 16

    async def scenario(self) -> None:
        await bring_up(self)
        rings = self.host.type3
        await rings.open(tx_entries=self.entries, rx_entries=self.entries)
        await self.host.pause(0.2)
        for length in self.lengths:
            for offset in self.offsets:
                await rings.post_send(raw_frame(self.rng, length), offset)
            for _ in range(-(-length // self.buffer)):
                await rings.post_receive(self.buffer)
            self.partner.inject(raw_frame(self.rng, length))
            await self.host.pause(1)


@dut_test(suites=("full",))
class type3_receive(_Type3):
    """Received raw frames fill the posted buffers, sent ones leave as they lie in memory.

    Stimulus: lengths around 64 and 128 and the largest Ethernet frame.
    Checks: RCL-024, RCL-026, RCL-108, RCL-109, RCL-110/rx.
    """


@dut_test(suites=("full",))
class type3_ring_wrap(_Type3):
    """Rings go on at their beginning.

    Stimulus: three times as many frames as the rings have entries.
    Checks: RCL-108, RCL-109.
    """

    lengths = (64, 100, 200) * 4
    entries = 4


@dut_test(suites=("full",))
class type3_unaligned(_Type3):
    """Buffers to send begin at any address.

    Stimulus: every offset within a beat that matters.
    Checks: RCL-024, RCL-108.
    """

    lengths = (60, 200)
    offsets = (1, 3, 8, 31, 32, 63)


@dut_test(suites=("full",))
class type3_split(_Type3):
    """A frame longer than a buffer takes several descriptors.

    Stimulus: frames of up to 20 buffers of 64 bytes.
    Checks: RCL-109, RCL-110/rx.
    """

    lengths = (64, 65, 192, 700)
    buffer = 64
