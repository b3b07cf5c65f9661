"""TYPE3: raw Ethernet by descriptors in memory."""

from __future__ import annotations

from ref_model.rclink import ports
from tb.agents.axi import ErrorRegion
from tb.host.type3 import LAST, START, descriptor
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


@dut_test(suites=("full",))
class type3_write_back(_Type3):
    """Write-backs touch the low six bytes of their descriptor alone, in either half of a beat.

    Stimulus: single descriptors and several per frame.
    Checks: RCL-109, RCL-110/rx.
    """

    lengths = (64, 300, 64, 64)
    buffer = 128


@dut_test(suites=("full",))
class type3_order(_Type3):
    """Data is in memory before the descriptor says so, against slow memory, too.

    Stimulus: frames into small buffers with heavy stalls on all channels.
    Checks: RCL-108, RCL-109.
    """

    stalls = "heavy"
    lengths = (200, 700, 64)
    buffer = 256


@dut_test(suites=("full",))
class type3_busy(_Type3):
    """A descriptor access in progress is shown.

    Stimulus: frames both ways with long pauses of memory.
    Checks: RCL-137.
    """

    stalls = "bursts"
    lengths = (100, 200, 300)


@dut_test(suites=("full",))
class type3_ids(RclinkTest):
    """Many accesses are outstanding, no id twice.

    Stimulus: full rings of long frames against memory that answers late.
    Checks: RCL-108, RCL-109.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        rings = self.host.type3
        await rings.open(tx_entries=12, rx_entries=12)
        await self.host.pause(0.2)
        for _ in range(10):
            await rings.post_receive(4096)
        for _ in range(10):
            await rings.post_send(raw_frame(self.rng, 4096))
            self.partner.inject(raw_frame(self.rng, 4096))


@dut_test(suites=("full",))
class type3_boundaries(RclinkTest):
    """No access crosses 4 KB, whatever the address.

    Stimulus: frames that begin shortly before and end shortly behind a border.
    Checks: RCL-024, RCL-108.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        await self.host.type3.open(tx_entries=8)
        await self.host.pause(0.2)
        for offset in (4095, 4032, 4000, 3900, 3840, 1):
            for length in (64, 300, 4096):
                await self.host.type3.post_send(raw_frame(self.rng, length), offset, 4096)


class _Fault(RclinkTest):
    """A descriptor that is wrong, a soft reset, and traffic again."""

    channel = "tx"
    entries: tuple[bytes, ...] = ()

    async def scenario(self) -> None:
        await bring_up(self)
        rings = self.host.type3
        for entry in self.entries:
            await rings.open(tx_entries=8, rx_entries=8)
            await self.host.pause(0.2)
            await rings.post(self.channel, entry)
            await rings.post(self.channel, entry)
            self.partner.inject(raw_frame(self.rng, 100))
            await self.host.pause(3)
            for status in ("DMA_INTR_ST0", "DMA_INTR_ST1"):
                await self.host.write(status, await self.host.read(status))
            for name in ("tx", "rx"):
                await rings.soft_reset(name)
        await rings.open(tx_entries=8)
        await self.host.pause(0.2)
        await rings.post_send(raw_frame(self.rng, 200))


@dut_test(suites=("full",))
class type3_oversize(_Fault):
    """A transmit size above the limit is a fault.

    Stimulus: descriptors of 4097 and 8000 bytes.
    Checks: RCL-113, RCL-139.
    """

    entries = tuple(descriptor(0x1_0000, size, size, START | LAST) for size in (4097, 8000))


@dut_test(suites=("full",))
class type3_sequences(_Fault):
    """Two descriptors that only begin, or only end a packet, are a fault.

    Stimulus: pairs of descriptors with SF alone and with LF alone.
    Checks: RCL-114, RCL-139.
    """

    entries = (descriptor(0x1_0000, 64, 64, START), descriptor(0x1_0000, 64, 64, LAST))


@dut_test(suites=("full",))
class type3_size_zero(_Fault):
    """A transmit size of 0 is a fault.

    Stimulus: descriptors without data.
    Checks: RCL-114, RCL-139.
    """

    entries = (descriptor(0x1_0000, 0, 0, START | LAST),)


@dut_test(suites=("full",))
class type3_soft_reset(_Fault):
    """TYPE3 goes on after a soft reset with a new static configuration.

    Stimulus: a fault, both soft resets, new rings, traffic.
    Checks: RCL-117.
    """

    entries = (descriptor(0x1_0000, 0, 0, START | LAST),)


@dut_test(suites=("full",))
class type3_responses(RclinkTest):
    """Error responses of memory are reported, and the channel goes on.

    Stimulus: SLVERR on data reads of one frame, good frames around it.
    Checks: RCL-115, RCL-139.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        await self.host.type3.open(tx_entries=8)
        await self.host.pause(0.2)
        data = self.env.ports[ports.DATA]
        for bad in (False, True, False):
            data.set_error_regions([ErrorRegion(0, 1 << 63)] if bad else [])
            await self.host.type3.post_send(raw_frame(self.rng, 200))
            await self.host.pause(2)
