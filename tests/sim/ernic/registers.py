"""Register file: reset values, storage, read-only bits, strobes, holes, override."""

from __future__ import annotations

from ref_model.registers import layout
from ref_model.rocev2.segment import Verb
from tb.registers.sequences import access_steps, reset_checks, unique_values
from tb.sequences.registers import HOLES, INTERRUPT_BANKS, build_scope, read_all
from tb.sequences.start import reset, start
from tb.sequences.traffic import post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("smoke", "full"))
class registers_reset(ErnicTest):
    """Every register shows its documented value after reset, the first and a later one.

    Stimulus: all registers of first, second and last row and slot read, some written, reset, all read again.
    Checks: ERN-002, ERN-003, ERN-004, ERN-015, ERN-018, ERN-219.
    """

    async def scenario(self) -> None:
        checks = list(reset_checks(layout("ernic"), build_scope(self)))
        await read_all(self, [check.address for check in checks])
        for step in unique_values(layout("ernic"), self.rng, build_scope(self)):
            await self.host.port.write(step.check.address, step.data)
        await reset(self)
        await read_all(self, [check.address for check in checks])


@dut_test(suites=("full",))
class registers_rw(ErnicTest):
    """Each writable field keeps what was written and touches no other.

    Stimulus: all ones, walking 1 and 0, random words and zero in every register, enables kept 0; ones in
    all 32 bits of the ring addresses.
    Checks: ERN-001, ERN-002, ERN-011, ERN-012, ERN-013, ERN-014, ERN-017, ERN-020, ERN-021, ERN-022,
    ERN-023.
    """

    async def scenario(self) -> None:
        for step in access_steps(layout("ernic"), self.rng, build_scope(self)):
            await self.host.port.write(step.check.address, step.data)
            await self.host.port.read(step.check.address)
        for name in ("SQBA", "CQBA", "RQBA"):
            await self.host.write(name, 0xFFFF_FFFF, 2)
            await self.host.read(name, 2)


@dut_test(suites=("full",))
class registers_unique(ErnicTest):
    """A write reaches exactly the addressed register of exactly the addressed row or slot.

    Stimulus: a different word in every register of all rows and queue pairs, everything read twice.
    Checks: ERN-010, ERN-011, ERN-022.
    """

    async def scenario(self) -> None:
        steps = unique_values(layout("ernic"), self.rng, build_scope(self, every=True))
        for step in steps:
            await self.host.port.write(step.check.address, step.data)
        for _ in range(2):
            await read_all(self, [step.check.address for step in steps])
        await reset(self)


@dut_test(suites=("full",))
class registers_ro(ErnicTest):
    """Writes to read-only registers are answered and change nothing, idle and after traffic.

    Stimulus: ones and zeros to all registers without a writable bit, before and after a few messages.
    Checks: ERN-005, ERN-007.
    """

    async def scenario(self) -> None:
        checks = list(reset_checks(layout("ernic"), build_scope(self)))
        known = layout("ernic")
        fixed = []
        for check in checks:
            place = known.locate(check.address)
            if place is not None and not place.register.writable and not place.register.w1c:
                fixed.append(check.address)
        for traffic in (False, True):
            if traffic:
                link = await start(self)
                await post_all(self, link, [request(self.rng, Verb.SEND, 40) for _ in range(3)])
                await self.host.pause(3)
            for data in (0xFFFF_FFFF, 0):
                for address in fixed:
                    await self.host.port.write(address, data)
                await read_all(self, fixed)


@dut_test(suites=("full",))
class register_strobes(ErnicTest):
    """Only the bytes whose strobe is set change.

    Stimulus: all sixteen strobe values on four registers of different blocks.
    Checks: ERN-008.
    """

    async def scenario(self) -> None:
        targets = (("MACXADDLSB", None), ("ERRBUFBA", None), ("BUFBASEADDRLSB", 1), ("IPDESADDR1", 3))
        for name, index in targets:
            for strobe in range(16):
                await self.host.write(name, self.rng.getrandbits(32), index)
                await self.host.write(name, self.rng.getrandbits(32), index, strobe)
                await self.host.read(name, index)


@dut_test(suites=("full",))
class register_holes(ErnicTest):
    """Accesses to addresses without a register end and change no register.

    Stimulus: every listed hole written and read between two looks at the whole map.
    Checks: ERN-009, ERN-007.
    """

    async def scenario(self) -> None:
        steps = unique_values(layout("ernic"), self.rng, build_scope(self))
        for step in steps:
            await self.host.port.write(step.check.address, step.data)
        for address in HOLES:
            await self.host.port.write(address, self.rng.getrandbits(32))
            await self.host.port.read(address)
        await read_all(self, [step.check.address for step in steps])
        await read_all(self, INTERRUPT_BANKS)
        await reset(self)


@dut_test(suites=("full",))
class override_writes(ErnicTest):
    """Status registers of the addressed queue pair take writes under software override only.

    Stimulus: six registers of two queue pairs with override off, on with queue pair field 0, own and other,
    off again.
    Checks: ERN-024, ERN-005.
    """

    async def scenario(self) -> None:
        names = ("CQHEAD", "STATCURSQPTR", "STATRQPIDB", "STATMSN", "STATRQBUFCA", "STATRQBUFCAMSB")
        for advanced in (0x000A_0000, 0x000A_0001, 0x002A_0001, 0x003A_0001, 0x000A_0000):
            await self.host.write("XRNICADCONF", advanced)
            for number in (2, 3):
                for name in names:
                    value = self.rng.getrandbits(4) if name in names[:3] else 0
                    await self.host.write(name, value, number)
            for number in (2, 3):
                for name in names:
                    await self.host.read(name, number)
        await reset(self)
