"""TYPE3: raw frames by descriptors in memory."""

from __future__ import annotations

from itertools import product

from ref_model.rclink import ports
from tb.agents.axi import ErrorRegion
from tb.host.type3 import LAST, START, descriptor
from tb.sequences.rclink import bring_up
from tb.testcase import RclinkTest, dut_test

LENGTHS = (60, 61, 63, 64, 65, 127, 128, 129, 300, 1514, 4095, 4096)
OTHER_TYPE = bytes.fromhex("88f7")
"""An EtherType that is neither of TYPE1 nor of TYPE2."""


class _Type3(RclinkTest):
    """Both rings open, and short names for raw traffic."""

    entries = 8

    async def open(self) -> None:
        """Bring-up with rings of ``entries`` descriptors."""
        await bring_up(self)
        self.rings = self.host.type3
        await self._open_rings()

    async def _open_rings(self) -> None:
        """Rings of ``entries`` descriptors, the transmit ring as far as its size register goes."""
        most = (1 << int(self.env.config.knobs["TX_MDQ_SIZE_BITS"])) - 1
        await self.rings.open(min(self.entries, most), self.entries)

    def raw(self, length: int, kind: bytes = OTHER_TYPE) -> bytes:
        """A frame of ``length`` random bytes but for what follows its addresses."""
        return self.rng.randbytes(12) + kind + self.rng.randbytes(length - 12 - len(kind))

    async def renew(self) -> None:
        """Clear all status, soft reset both channels, open them with rings elsewhere and one entry larger."""
        for name in ("tx", "rx"):
            await self.rings.reset(name)
        await self.host.write("DMA_INTR_ST0", 0x1F)
        await self.host.write("DMA_INTR_ST1", 0x7FF)
        self.entries += 1
        await self._open_rings()

    async def receive(self, *frames: bytes, error: int = 0) -> None:
        """Frames from the MAC, each once there was time to store the one before."""
        for frame in frames:
            self.partner.inject(frame, error)
            await self.host.pause(0.5 + len(frame) / 2000)


@dut_test(suites=("full",))
class type3_ring_wrap(_Type3):
    """Descriptors between tail and head are sent in order, the ring used again and again.

    Stimulus: frames of all lengths, one by one and as many as a ring holds, several times around.
    Checks: RCL-024, RCL-108.
    """

    entries = 5

    async def scenario(self) -> None:
        await self.open()
        for turn in range(4):
            await self.rings.post_send(*(self.raw(length) for length in LENGTHS[turn * 3 :][:4]))
            await self.rings.done("tx")
            await self.rings.post_send(self.raw(100))
        await self.settle()


@dut_test(suites=("full",))
class type3_unaligned(_Type3):
    """A frame is sent as it lies in memory, wherever it begins.

    Stimulus: every offset within 64 bytes, lengths at random; bytes like a tag at the place of one.
    Checks: RCL-024, RCL-108.
    """

    async def scenario(self) -> None:
        await self.open()
        for offset in range(64):
            kind = self.rng.choice((OTHER_TYPE, bytes.fromhex("81001234")))
            await self.rings.post_send(self.raw(self.rng.choice(LENGTHS[:8]), kind), offset=offset)


@dut_test(suites=("full",))
class type3_boundaries(_Type3):
    """Bursts are as long as allowed at most and end at 4 KB.

    Stimulus: long frames from and into buffers around a border of 4 KB.
    Checks: RCL-109, RCL-111.
    """

    async def scenario(self) -> None:
        await self.open()
        for distance in (0, 64, 192, 256, 448, 512, 2048):
            await self.rings.post_send(self.raw(4096), offset=4096 - distance)
            await self.rings.post_send(self.raw(1000), offset=4096 - distance + 1)
            await self.rings.post_receive(8192, offset=4096 - distance)
            await self.receive(self.raw(3000))


@dut_test(suites=("full",))
class type3_receive(_Type3):
    """A received raw frame is in its buffer, its descriptor tells size and errors, nothing else is touched.

    Stimulus: frames of all lengths with each error mark; every kind of frame that is neither TYPE1 nor TYPE2,
    with and without tag.
    Checks: RCL-025, RCL-026, RCL-109.
    """

    async def scenario(self) -> None:
        await self.open()
        for error in range(4):
            for length in LENGTHS:
                await self.rings.post_receive(8192)
                await self.receive(self.raw(length), error=error)
        other = ["0806", "88f7", "0800450000600000000040", "08004600006000000000401100"]
        ip = [other[2] + f"{protocol:02x}" for protocol in (1, 6, 41)]
        udp = [other[2] + "11" + "00" * 10 + "1234" + port for port in ("12b6", "12b8", "0000")]
        ported = [entry + "00" * 10 + "1234" + "12b7" for entry in ip]
        for tag in ("", "81000123"):
            for kind in (other[0], other[1], other[3], *ip, *ported, *udp):
                await self.rings.post_receive(512)
                await self.receive(self.raw(100, bytes.fromhex(tag + kind)))


@dut_test(suites=("full",))
class type3_split(_Type3):
    """A frame longer than a buffer goes on in the next; SF is in the first descriptor, LF in the last.

    Stimulus: frames of 64 to 8192 bytes over buffers of 64 to 4096 bytes, whole and partly filled; one that
    waits for its buffer.
    Checks: RCL-109.
    """

    entries = 64

    async def scenario(self) -> None:
        await self.open()
        for size, lengths in ((64, (64, 65, 128, 500)), (256, (255, 256, 257, 2000)), (4096, (4097, 8192))):
            for length in lengths:
                await self.rings.post_receive(*[size] * -(-length // size))
                await self.receive(self.raw(length), error=self.rng.randrange(4))
        await self.rings.post_receive(64, 1024, 128, 512)
        await self.receive(self.raw(1300), self.raw(60))
        await self.host.pause(1)
        await self.rings.post_receive(64)


@dut_test(suites=("full",))
class type3_order(_Type3):
    """A receive descriptor is written back when its data are in memory, not before.

    Stimulus: frames into one and into several buffers, all memory traffic heavily stalled.
    Checks: RCL-109.
    """

    stalls = "heavy"
    entries = 16

    async def scenario(self) -> None:
        await self.open()
        for length in (64, 600, 2000, 500, 4096) * 3:
            await self.rings.post_receive(*[512] * -(-length // 512))
            await self.receive(self.raw(length))


@dut_test(suites=("full",))
class type3_write_back(_Type3):
    """Of a descriptor only the low six bytes are written, in its half of the bus.

    Stimulus: frames into the descriptors of a whole ring, even and odd; frames sent between them.
    Checks: RCL-110/rx; RCL-110/tx where the DUT writes transmit descriptors back.
    """

    async def scenario(self) -> None:
        await self.open()
        for _ in range(2 * self.entries + 1):
            await self.rings.post_receive(256)
            await self.receive(self.raw(200))
            await self.rings.post_send(self.raw(64))


@dut_test(suites=("full",))
class type3_ids(_Type3):
    """No AXI ID is in use twice at a time, and no more than 128 bursts are.

    Stimulus: long frames both ways against slow memory, data writes without response for a while.
    Checks: RCL-111, RCL-112.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        await self.open()
        for _ in range(3):
            await self.rings.post_receive(8192, 8192)
            await self.rings.post_send(self.raw(4096), self.raw(4000))
            self.env.ports[ports.DATA].hold("w")
            self.partner.inject(self.raw(4096))
            await self.host.pause(2)
            self.env.ports[ports.DATA].release("w")
            await self.receive(self.raw(3000))
        await self.rings.done("rx")


@dut_test(suites=("full",))
class type3_oversize(_Type3):
    """Frames up to the limits pass, longer ones are faults 7 and 8.

    Stimulus: 4096 and 4097 bytes to send, frames at and above the receive limit, soft resets between.
    Checks: RCL-113, RCL-117, RCL-139.
    """

    entries = 4

    async def scenario(self) -> None:
        most = int(self.env.config.knobs["T3_RX_MAX"])
        await self.open()
        for excess in (1, 64, 4000):
            await self.rings.post_send(self.raw(4096))
            await self.rings.post_receive(-(-most // 64) * 64, 256)
            await self.receive(self.raw(most))
            await self.rings.done("tx")
            await self.rings.post_send(self.raw(4096 + excess))
            await self.receive(self.raw(most + min(excess, 64)))
            await self.settle()
            await self.renew()


@dut_test(suites=("full",))
class type3_size_zero(_Type3):
    """A descriptor without data to send is fault 9, one without room for a frame fault 10.

    Stimulus: such descriptors behind good ones in either ring, soft resets between.
    Checks: RCL-114, RCL-117, RCL-139.
    """

    async def scenario(self) -> None:
        await self.open()
        for _ in range(2):
            await self.rings.post_send(self.raw(100))
            await self.rings.done("tx")
            await self.rings.post("tx", descriptor(self.mem.alloc(64), 64, 0, START | LAST))
            await self.settle()
            await self.renew()
            await self.rings.post_receive(128)
            await self.receive(self.raw(100))
            await self.rings.post("rx", descriptor(self.mem.alloc(64), 0))
            await self.receive(self.raw(64))
            await self.settle()
            await self.renew()
        await self.rings.post_send(self.raw(100))


@dut_test(suites=("full",))
class type3_sequences(_Type3):
    """Two descriptors in a row that only start a frame are fault 5, two that only end one fault 6.

    Stimulus: both pairs, soft resets between.
    Checks: RCL-114, RCL-117, RCL-139.
    """

    async def scenario(self) -> None:
        await self.open()
        for flags in (START, LAST) * 2:
            place = self.mem.alloc(128)
            self.mem.write(place, self.raw(128))
            await self.rings.post("tx", *[descriptor(place, 128, 128, flags)] * 2)
            await self.settle()
            await self.renew()
            await self.rings.post_send(self.raw(100))
            await self.settle()


@dut_test(suites=("full",))
class type3_responses(_Type3):
    """Error responses to write-backs, descriptor reads and data are faults 2, 3 and 4, and only reported.

    Stimulus: SLVERR and DECERR for each kind of access, then good traffic: at once, or behind a soft reset
    where a descriptor was not read.
    Checks: RCL-115, RCL-117, RCL-139.
    """

    async def scenario(self) -> None:
        await self.open()
        kinds = ((ports.DATA, True), (ports.MD, True), (ports.DATA, False), (ports.MD, False))
        for (port, write), response in product(kinds, (2, 3)):
            region = ErrorRegion(0, 1 << 64, response, reads=not write, writes=write)
            self.env.ports[port].set_error_regions([region])
            await self._move(write)
            await self.host.pause(2)
            self.env.ports[port].set_error_regions([])
            await self.settle()
            if (port, write) == (ports.MD, False):
                await self.renew()
            await self._move(write)
            await self.settle()
            await self.renew()

    async def _move(self, write: bool) -> None:
        if write:
            await self.rings.post_receive(256)
            await self.receive(self.raw(200))
        else:
            await self.rings.post_send(self.raw(200))


@dut_test(suites=("full",))
class type3_tail_up(_Type3):
    """A tail that reaches its value is reported, and so is a ring run empty.

    Stimulus: values of both tails, the rings run up to them and over them, status at rest behind each frame.
    Checks: RCL-116.
    """

    async def scenario(self) -> None:
        await self.open()
        await self.host.set("DMA_INT_MASK", mask=0x1F)
        for value in (1, self.entries - 1, 0):
            other = (value + 3) % self.entries
            await self.host.set("TAIL_UP_CFG", tx_tail_up_val=value, rx_tail_up_val=other)
            for _ in range(self.entries):
                await self.rings.post_send(self.raw(64))
                await self.rings.post_receive(64)
                await self.receive(self.raw(64))
                await self.settle()
                await self.host.write("DMA_INTR_ST0", 0x1F)


@dut_test(suites=("full",))
class type3_mask(_Type3):
    """The interrupt line follows the events whose mask bit is set, whatever else has happened.

    Stimulus: all events pending, each mask bit alone, all and none, two times over.
    Checks: RCL-116, RCL-139.
    """

    async def scenario(self) -> None:
        await self.open()
        events = (self._send, self._receive, self._fault)
        await self.host.set("TAIL_UP_CFG", tx_tail_up_val=1, rx_tail_up_val=1)
        for mask in (0x1F, *(1 << bit for bit in range(5)), 0):
            await self.host.set("DMA_INT_MASK", mask=mask)
            for event in events:
                await event()
                await self.settle()
                await self.host.write("DMA_INTR_ST0", 0x1F)
                await self.host.write("DMA_INTR_ST1", 0x7FF)
                await self.settle()
            await self.renew()

    async def _send(self) -> None:
        await self.rings.post_send(self.raw(64))

    async def _receive(self) -> None:
        await self.rings.post_receive(64, 64)
        await self.receive(self.raw(64))

    async def _fault(self) -> None:
        await self.rings.post("tx", descriptor(self.mem.alloc(64), 64, 0, START | LAST))


@dut_test(suites=("full",))
class type3_soft_reset(_Type3):
    """After a soft reset a channel begins anew with other rings while the other channel goes on.

    Stimulus: either channel reset after work and after a fault, then work on both.
    Checks: RCL-108, RCL-109, RCL-117.
    """

    async def scenario(self) -> None:
        await self.open()
        for turn in range(6):
            await self.rings.post_send(*(self.raw(100) for _ in range(3)))
            await self.rings.post_receive(256, 256, 256)
            await self.receive(self.raw(200), self.raw(300))
            await self.settle()
            side = ("tx", "rx")[turn % 2]
            if turn > 2:
                await self.rings.post("tx", descriptor(self.mem.alloc(64), 64, 5000, START | LAST))
                await self.settle()
                side = "tx"
            await self.rings.reset(side)
            await self.settle()
            await self.rings.open(**{f"{side}_entries": 9 + turn})


@dut_test(suites=("full",))
class type3_messages(_Type3):
    """An event sends a message with both tails.

    Stimulus: traffic and faults of either channel with the tails at different places.
    Checks: RCL-122, RCL-139.
    """

    async def scenario(self) -> None:
        await self.open()
        await self.host.set("DMA_INT_MASK", mask=0x1F)
        for sent, received in ((3, 1), (1, 4), (5, 0), (0, 2)):
            for _ in range(sent):
                await self.rings.post_send(self.raw(64))
            for _ in range(received):
                await self.rings.post_receive(64)
                await self.receive(self.raw(64))
            await self.settle()
            await self.rings.post("tx", descriptor(self.mem.alloc(64), 64, 0, START | LAST))
            await self.settle()
            await self.host.write("DMA_INTR_ST0", 0x1F)
            await self.rings.post("rx", descriptor(self.mem.alloc(64), 0))
            await self.receive(self.raw(64))
            await self.settle()
            await self.renew()


@dut_test(suites=("full",))
class type3_busy(_Type3):
    """A descriptor transfer shows as busy until it is answered; TX_MAC_FREE is 0 while data wait for the MAC.

    Stimulus: address and data of descriptor accesses held up, MAC credits withheld, traffic both ways.
    Checks: RCL-137.
    """

    async def scenario(self) -> None:
        await self.open()
        for channel in ("ar", "aw", "w") * 2:
            await self.rings.post_receive(256)
            self.env.ports[ports.MD].hold(channel)
            self.env.credits.hold()
            await self.rings.post_send(self.raw(4096))
            await self.receive(self.raw(100))
            self.env.ports[ports.MD].release(channel)
            await self.host.pause(1)
            self.env.credits.release()
            await self.rings.done("tx")
