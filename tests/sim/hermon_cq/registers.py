"""Registers of the command port and accesses to the doorbell pages."""

from __future__ import annotations

from ref_model.registers import layout
from tb.sequences.hermon import await_event, fill, reset, round_trip, start
from tb.testcase import HermonTest, dut_test

EQ_BLOCK = "EQ"


def addresses(eqs: int) -> list[int]:
    """Addresses of all registers but HCR_CMD, EQ blocks as many as the build has."""
    found = []
    for block in layout("hermon_cq").blocks.values():
        for index in range(min(block.count, eqs) if block.name == EQ_BLOCK else 1):
            found += [block.address(register.name, index) for register in block.registers]
    return [address for address in found if address != 0x18]


@dut_test(suites=("smoke", "full"))
class registers_reset(HermonTest):
    """Every register shows its reset value after reset, the first and a later one.

    Stimulus: all registers read, all written, reset, all read again.
    Checks: HCQ-122/reset, HCQ-122/okay.
    """

    async def scenario(self) -> None:
        everything = addresses(int(self.host.knobs["NUM_EQ"]))
        for address in everything:
            await self.host.port.read(address)
        for address in everything:
            await self.host.port.write(address, self.rng.getrandbits(32) & ~1)
        await reset(self)
        for address in (*everything, 0x18):
            await self.host.port.read(address)


@dut_test(suites=("full",))
class registers_rw(HermonTest):
    """Each field has its kind of access, before and behind init_done; words are written whole or not at all.

    Stimulus: random words in all registers, with every strobe pattern; holes; the same behind init_done.
    Checks: HCQ-122/access, HCQ-122/lock, HCQ-122/strobes, HCQ-122/okay.
    """

    register_stalls = "light"

    async def scenario(self) -> None:
        everything = addresses(int(self.host.knobs["NUM_EQ"]))
        for locked in (False, True):
            if locked:
                await self.host.write("CFG", 5)
            for address in everything:
                for strobe in (15, *self.rng.sample(range(15), 4), 15):
                    await self.host.port.write(address, self.rng.getrandbits(32) & ~1, strobe)
                    await self.host.port.read(address)
            for address in (0x1C, 0x58, 0x100, 0x3FC, 0x418, 0x800, 0xFFC):
                await self.host.port.write(address, self.rng.getrandbits(32))
                await self.host.port.read(address)
            for address in self.rng.sample(everything, len(everything)):
                await self.host.port.read(address)


@dut_test(suites=("full",))
class registers_eq(HermonTest):
    """Place and size of an event queue cannot change while it is valid; making it valid begins at 0.

    Stimulus: base, size and arming written on valid queues, made invalid and valid again behind events.
    Checks: HCQ-122/access, HCQ-098, HCQ-102/unarmed.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), eqn=1)
        for _ in range(2):
            await round_trip(self, cq)
            for name in ("EQ_BASE_H", "EQ_BASE_L", "EQ_CFG"):
                await self.host.write(name, self.rng.getrandbits(32) | 1, 1)
                await self.host.read(name, 1)
            await round_trip(self, cq)
            for name in ("EQ_PI", "EQ_CI", "EQ_ST"):
                await self.host.read(name, 1)
            await self.host.close_eq(1)
            for name in ("EQ_PI", "EQ_CI", "EQ_ST", "EQ_CFG"):
                await self.host.read(name, 1)
            await self.host.open_eq(1, 4, 1)


@dut_test(suites=("full",))
class registers_hcr(HermonTest):
    """The HCR keeps what was written, go excepted, and the status of the last command.

    Stimulus: random words, the toggle and event bits, tokens; opcodes without go.
    Checks: HCQ-122/access, HCQ-012/ready, HCQ-022.
    """

    async def scenario(self) -> None:
        await start(self, (1,))
        for _ in range(10):
            await self.host.write("HCR_CMD", self.rng.getrandbits(32) & ~(1 << 23))
            await self.host.read("HCR_CMD")
            await self.host.query(1)
            await self.host.command(0x19, 1)
            for name in ("HCR_IN_H", "HCR_IN_L", "HCR_MOD", "HCR_TOKEN", "HCR_CMD"):
                await self.host.read(name)
            await self.host.write("HCR_CMD", 1 << 23 | 3 << 21 | 0x18)
            await self.host.end()


@dut_test(suites=("full",))
class uar_offsets(HermonTest):
    """Doorbell pages read 0, ignore what they do not have and answer OKAY; EQ doorbells of a page reach their
    queue.

    Stimulus: random offsets of all pages written with any strobe and read; EQ doorbells of queues that do not
    exist.
    Checks: HCQ-122/okay, HCQ-103/index.
    """

    async def scenario(self) -> None:
        cqs = await start(self, (1, 2, 3), log_size=3)
        used = {0x20, *(0x800 + 8 * index for index in range(4))}
        for _ in range(150):
            page, offset = (
                self.rng.randrange(1 << int(self.host.knobs["NUM_UAR_LOG"])),
                self.rng.randrange(512) * 8,
            )
            if offset not in used:
                await self.host.uar.write(
                    page << 12 | offset, self.rng.getrandbits(64), self.rng.getrandbits(8)
                )
            await self.host.uar.read(page << 12 | offset)
        for number in set(range(4, 64, 5)) - set(self.host.open_queues()):
            await self.host.ring_eq(number, self.rng.getrandbits(24), True)
        for cq in cqs:
            await round_trip(self, cq)
        for number in range(int(self.host.knobs["NUM_EQ"])):
            await self.host.read("EQ_CI", number)


@dut_test(suites=("full",))
class ignored_bits(HermonTest):
    """Bits that have no meaning change nothing: of the CQ number, of mailbox pointers, of doorbells.

    Stimulus: HCR_MOD with its upper byte, mailbox pointers with their low bits, dword 1 of a doorbell with
    its upper byte and dword 0 with bits 27, 30 and 31.
    Checks: HCQ-020, HCQ-021, HCQ-045/fires, HCQ-106/reads.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=3)
        for first_bits, second_bits in ((0, 0xA5 << 24), (1 << 27, 0), (3 << 30, 0)):
            first, second = cq.doorbell(2, cq.ci, cq.sn)
            await self.host.ring_cq(1, first | first_bits, second | second_bits)
            await fill(self, cq, 1)
            await await_event(self, cq)
            cq.drain()
        await self.host.query(0xA5 << 24 | 1)
        for low in (1, 0x3F, 0x20):
            await self.host.command(0x2C, 1, 1, {"cq_max_count": low & 1}, inbox=self.host.inbox | low)
            await self.host.query(1)
