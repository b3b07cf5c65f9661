"""The register map of the build as a whole: all rows, all queue pairs, all banks (sized by the knobs)."""

from __future__ import annotations

from ref_model.registers import layout
from tb.registers.sequences import access_steps, reset_checks
from tb.sequences.register_map import (
    holes,
    random_accesses,
    read_only,
    sample_scope,
    strobed_writes,
    unique_writes,
    write_all,
)
from tb.sequences.registers import INTERRUPT_BANKS, build_scope, read_all
from tb.sequences.start import reset
from tb.testcase import ErnicTest, dut_test

ONES = 0xFFFF_FFFF


@dut_test(suites=("nightly",))
class full_map_reset(ErnicTest):
    """Every register of every row, bank and queue pair shows its documented value after reset, the first and
    a later one, and keeps to itself what is written in between.

    Stimulus: the whole map read, a different word in every register, holes of every row and slot written,
    everything read back, reset, the whole map read again.
    Checks: ERN-002, ERN-003, ERN-004, ERN-009, ERN-010, ERN-011, ERN-015, ERN-018, ERN-022, ERN-219.
    """

    async def scenario(self) -> None:
        scope = build_scope(self, every=True)
        known = [check.address for check in reset_checks(layout("ernic"), scope)]
        await read_all(self, known)
        words, gaps = unique_writes(self), holes(self)
        await write_all(self, words)
        await write_all(self, [(address, self.rng.getrandbits(32)) for address in gaps])
        await read_all(self, [*gaps, *(address for address, _ in words), *INTERRUPT_BANKS])
        await reset(self)
        await read_all(self, known)


@dut_test(suites=("nightly",))
class full_map_policy(ErnicTest):
    """Read-only registers, strobes, reserved bits and banks behave alike in every row and queue pair.

    Stimulus: ones and zeros to every read-only register, ones to every bank, strobed writes to a register of
    every row and slot, in random order; all patterns on a random sample of instances; reset.
    Checks: ERN-001, ERN-002, ERN-005, ERN-008, ERN-011, ERN-018, ERN-022.
    """

    async def scenario(self) -> None:
        fixed = read_only(self)
        for data in (ONES, 0):
            self.rng.shuffle(fixed)
            await write_all(self, [(address, data) for address in (*fixed, *INTERRUPT_BANKS)])
        await read_all(self, (*sorted(fixed), *INTERRUPT_BANKS))
        await strobed_writes(self)
        for step in access_steps(layout("ernic"), self.rng, sample_scope(self, 6)):
            await self.host.port.write(step.check.address, step.data)
            await self.host.port.read(step.check.address)
        await reset(self)


@dut_test(suites=("full", "nightly"), seeds=2)
class register_sequences(ErnicTest):
    """Registers behave as storage under any sequence of accesses, orders and stalls of the bus.

    Stimulus: 1500 random accesses (option accesses) over all rows, slots and global registers: reads, writes,
    strobes, a read beside a write, address before and behind data, stalled answers; reset.
    Checks: ERN-001, ERN-002, ERN-007, ERN-008, ERN-009.
    """

    register_stalls = "heavy"

    async def scenario(self) -> None:
        await random_accesses(self, int(self.options.get("accesses", 1500)))
        await reset(self)
