"""Register file: reset values, storage, strobes, holes, the window of the queue pairs."""

from __future__ import annotations

from ref_model.registers import layout
from tb.partner import Direction
from tb.registers.sequences import access_steps, reset_checks, unique_values
from tb.sequences.rclink import ACK, REGISTERS, STORED, burst, exchange, lose, reset, start
from tb.testcase import RclinkTest, dut_test


@dut_test(suites=("smoke", "full"))
class registers_reset(RclinkTest):
    """Every register shows its documented value after reset, the first and a later one.

    Stimulus: all registers read, all written, reset, all read again.
    Checks: RCL-125/printed, RCL-126.
    """

    async def scenario(self) -> None:
        checks = list(reset_checks(layout("rclink"), path=REGISTERS))
        for check in checks:
            await self.host.port.read(check.address)
        for step in unique_values(layout("rclink"), self.rng, STORED, REGISTERS):
            await self.host.port.write(step.check.address, step.data)
        await reset(self)
        for check in checks:
            await self.host.port.read(check.address)


@dut_test(suites=("full",))
class reset_status(RclinkTest):
    """Behind a reset all slots are empty, no status is left and nothing is pending.

    Stimulus: packets without answer, reported ones and an unread ring event before a reset, then traffic.
    Checks: RCL-128.
    """

    async def scenario(self) -> None:
        await start(self, (1, 2), timeout_us=0)
        await self.host.type3.open(8, 8)
        await self.host.type3.post_send(self.rng.randbytes(64))
        lose(self, Direction.TO_DUT, ACK)
        await burst(self, 1, 4)
        await burst(self, 1, 1, int(self.env.config.knobs["TYPE1_PKT_LEN"]) + 1)
        await self.host.pause(2)
        await reset(self)
        self.partner.clear_faults()
        await self.host.pause(0.5)
        for name in ("INTR_STATUS", "DMA_INTR_ST0", "DMA_INTR_ST1"):
            await self.host.read(name)
        await exchange(self, await start(self, (1, 2)), 4)


@dut_test(suites=("full",))
class registers_rw(RclinkTest):
    """Each writable field keeps what was written and touches no other.

    Stimulus: all ones, walking 1 and 0, random words and zero in every register, enables kept 0.
    Checks: RCL-125/printed, RCL-125/provisional, RCL-126.
    """

    register_stalls = "light"

    async def scenario(self) -> None:
        for step in access_steps(layout("rclink"), self.rng, STORED, path=REGISTERS):
            await self.host.port.write(step.check.address, step.data)
            await self.host.port.read(step.check.address)


@dut_test(suites=("full",))
class registers_unique(RclinkTest):
    """A write reaches exactly the addressed register.

    Stimulus: a different word in every register, everything read twice.
    Checks: RCL-125/printed.
    """

    async def scenario(self) -> None:
        steps = unique_values(layout("rclink"), self.rng, STORED, REGISTERS)
        for step in steps:
            await self.host.port.write(step.check.address, step.data)
        for _ in range(2):
            for step in steps:
                await self.host.port.read(step.check.address)


@dut_test(suites=("full",))
class register_strobes(RclinkTest):
    """Only the bytes whose strobe is set change.

    Stimulus: single, double and random strobes on registers of three blocks.
    Checks: RCL-125/printed, RCL-126.
    """

    async def scenario(self) -> None:
        for name, qp in (("MAC_ADDR", None), ("TX_MDQ_BA", None), ("DEST_IP_MEM", 5)):
            for strobe in (*(1 << lane for lane in range(8)), 0x81, 0, *self.rng.sample(range(256), 8)):
                await self.host.write(name, self.rng.getrandbits(64), qp)
                await self.host.write(name, self.rng.getrandbits(64), qp, strobe)
                await self.host.read(name, qp)


@dut_test(suites=("full",))
class register_window(RclinkTest):
    """The window shows and changes the queue pair in QP_ID_SET, and nothing where there is none.

    Stimulus: words in four registers of first, middle and last queue pair, read in another order; a number
    beyond the build written and read.
    Checks: RCL-126.
    """

    async def scenario(self) -> None:
        count = int(self.env.config.knobs["QP_NUM"])
        names = ("DEST_IP_MEM", "DEST_MAC_MEM", "UDP_SRC_PORT_MEM", "BTH_QP_CFG_MEM")
        numbers = [0, 1, count // 2, count - 1]
        for number in numbers:
            for name in names:
                await self.host.write(name, self.rng.getrandbits(64), number)
        await self.host.write("QP_ID_SET", count)
        for name in names:
            await self.host.write_window(name, self.rng.getrandbits(64))
            await self.host.read_window(name)
        for number in self.rng.sample(numbers, len(numbers)):
            for name in names:
                await self.host.read(name, number)


@dut_test(suites=("full",))
class register_holes(RclinkTest):
    """Accesses to addresses without a register end and change no register.

    Stimulus: holes between and behind the blocks written and read between two looks at the map.
    Checks: RCL-125/printed.
    """

    async def scenario(self) -> None:
        steps = unique_values(layout("rclink"), self.rng, STORED, REGISTERS)
        for step in steps:
            await self.host.port.write(step.check.address, step.data)
        for address in (0x30, 0x38, 0x48, 0x98, 0x128, 0x230, 0xFF8, 0x1008, 0x11A0, 0x2000, 0x2068, 0x2090):
            await self.host.port.write(address, self.rng.getrandbits(64))
            await self.host.port.read(address)
        for step in steps:
            await self.host.port.read(step.check.address)
