"""Register checks that fit any target: reset values, access policy, uniqueness of addresses.

`reset_checks` and `access_steps` only say what to do and what to expect, from the layout alone; the
sequences run them over a register port and collect the mismatches. Nothing here expands a block: the
caller names the instances.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pyuvm import uvm_sequence

from ref_model.errors import UserError
from ref_model.registers import Block, Layout, Register
from ref_model.rules import SPEC_DIR
from tb.registers.uvm_blocks import Port

JSON_PATH = SPEC_DIR / "ernic" / "registers.json"


@dataclass(frozen=True, slots=True)
class Check:
    """Read address and compare: (value ^ expected) & mask must be 0."""

    name: str
    address: int
    expected: int
    mask: int


@dataclass(frozen=True, slots=True)
class Step:
    """Write data to address, then do the check."""

    data: int
    check: Check


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A failed check with the value that was read."""

    check: Check
    observed: int

    def __str__(self) -> str:
        check = self.check
        return (
            f"{check.name} (0x{check.address:06X}): read 0x{self.observed:08X}, "
            f"expected 0x{check.expected:08X}, compared bits 0x{check.mask:08X}"
        )


@dataclass(frozen=True)
class Scope:
    """Which instances to visit and what the build lacks.

    instances: per block the indices to visit; a block not named is visited at its first, second and last
    instance (within counts). counts: instances the build has. num_qp: C_NUM_QP; fields holding a QP number
    or count are compared only in the bits it needs. qp1_slot: slot of QP1, whose missing registers are left
    out. skip: full register names ("GLOBAL.CON_IO_CONF") to leave out.
    """

    instances: Mapping[str, Sequence[int]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    num_qp: int = 2048
    qp1_slot: int | None = 0
    skip: frozenset[str] = frozenset()

    def indices(self, block: Block) -> list[int]:
        """Instances of block to visit, in order; UserError if one does not exist."""
        count = self.counts.get(block.name, block.count)
        if block.name not in self.instances:
            return sorted({0, min(1, count - 1), count - 1})
        wrong = [index for index in self.instances[block.name] if not 0 <= index < count]
        if wrong:
            raise UserError(
                f"{block.name}[{wrong[0]}] does not exist in this build (allowed: 0 to {count - 1})"
            )
        return list(self.instances[block.name])


@dataclass(frozen=True, slots=True)
class _Traits:
    """What the layout file says beyond plain access, as bit masks of one register."""

    activates: int
    qp_number: tuple[tuple[int, int], ...]  # (lsb, width) of each field that holds a QP number or count
    qp1: str


@cache
def _traits(path: Path) -> dict[tuple[str, str], _Traits]:
    found = {}
    for block in json.loads(path.read_text(encoding="utf-8"))["blocks"]:
        for register in block["registers"]:
            activates = sum(
                ((1 << f["width"]) - 1) << f["lsb"] for f in register["fields"] if f.get("activates")
            )
            numbers = tuple((f["lsb"], f["width"]) for f in register["fields"] if f.get("qp_number"))
            found[block["name"], register["name"]] = _Traits(
                activates, numbers, register.get("qp1", "present")
            )
    return found


@dataclass(frozen=True, slots=True)
class _Visit:
    """One register instance to check."""

    name: str
    address: int
    register: Register
    traits: _Traits


def _visits(layout: Layout, scope: Scope, path: Path) -> Iterator[_Visit]:
    traits = _traits(path)
    for block in layout.blocks.values():
        for index in scope.indices(block):
            for register in block.registers:
                trait = traits.get((block.name, register.name), _Traits(0, (), "present"))
                if block.name == "QP" and index == scope.qp1_slot and trait.qp1 != "present":
                    continue
                if f"{block.name}.{register.name}" in scope.skip:
                    continue
                label = block.name if block.count == 1 else f"{block.name}[{index}]"
                yield _Visit(f"{label}.{register.name}", block.address(register.name, index), register, trait)


def _word(register: Register) -> int:
    return (1 << register.width) - 1


def _volatile(register: Register) -> int:
    return sum(entry.mask for entry in register.fields if entry.volatile)


def _number_bits(traits: _Traits, num_qp: int) -> int:
    """Bits of QP number fields that a build with num_qp QPs need not have."""
    kept = (num_qp - 1).bit_length()
    return sum(((1 << width) - (1 << min(kept, width))) << lsb for lsb, width in traits.qp_number)


def reset_checks(
    layout: Layout, scope: Scope | None = None, idle: bool = True, path: Path = JSON_PATH
) -> Iterator[Check]:
    """Expected contents after reset, undefined bits (which read 0) included.

    idle: no traffic since reset, so volatile fields are compared too. Fields whose reset value is not known
    are left out. path: registers.json the layout came from.
    """
    for visit in _visits(layout, scope or Scope(), path):
        register = visit.register
        mask = _word(register) & ~register.reset_unknown
        if not idle:
            mask &= ~_volatile(register)
        yield Check(visit.name, visit.address, register.reset & mask, mask)


def _patterns(bits: int, width: int, rng: random.Random) -> Iterator[int]:
    """All ones, walking 1, walking 0, two random words, all zero: within bits."""
    positions = [bit for bit in range(width) if bits >> bit & 1]
    yield bits
    yield from (1 << bit for bit in positions)
    yield from (bits & ~(1 << bit) for bit in positions)
    yield from (rng.getrandbits(width) & bits for _ in range(2))
    yield 0


def access_steps(
    layout: Layout,
    rng: random.Random,
    scope: Scope | None = None,
    idle: bool = True,
    path: Path = JSON_PATH,
) -> Iterator[Step]:
    """Bit bash of every register: RW keeps what was written, RO keeps its value, W1C bits read 0.

    Only bits the layout defines are written as 1; bits that start traffic or open RO registers stay 0, as the
    DUT has to be idle. The last write of each register restores its reset value. idle=False leaves volatile
    fields out of the comparison.
    """
    scope = scope or Scope()
    for visit in _visits(layout, scope, path):
        register = visit.register
        bits = register.defined & ~visit.traits.activates & ~_number_bits(visit.traits, scope.num_qp)
        fixed = register.defined & ~register.writable & ~register.w1c
        mask = _word(register) & ~(fixed & register.reset_unknown) & ~_number_bits(visit.traits, scope.num_qp)
        if not idle:
            mask &= ~_volatile(register)
        restore = register.reset & register.writable
        for data in (*_patterns(bits, register.width, rng), restore):
            expected = (data & register.writable | register.reset & fixed) & mask
            yield Step(data, Check(visit.name, visit.address, expected, mask))


def unique_values(
    layout: Layout, rng: random.Random, scope: Scope | None = None, path: Path = JSON_PATH
) -> list[Step]:
    """A different word for each RW register instance: write all of them, then do all checks.

    Shows that a write reaches the addressed register alone. The enable bits stay 0.
    """
    scope = scope or Scope()
    steps = []
    for visit in _visits(layout, scope, path):
        bits = visit.register.writable & ~visit.traits.activates & ~_number_bits(visit.traits, scope.num_qp)
        if bits:
            data = rng.getrandbits(visit.register.width) & bits
            steps.append(Step(data, Check(visit.name, visit.address, data, bits)))
    return steps


class _PortSequence(uvm_sequence):
    """Base of the sequences: does checks over a port and keeps what failed."""

    def __init__(self, name: str, port: Port) -> None:
        super().__init__(name)
        self.port = port
        self.checked = 0
        self.mismatches: list[Mismatch] = []

    async def compare(self, check: Check) -> None:
        """Read and compare one register."""
        observed = await self.port.read(check.address)
        self.checked += 1
        if (observed ^ check.expected) & check.mask:
            self.mismatches.append(Mismatch(check, observed))


class ResetValueSequence(_PortSequence):
    """Reads registers and compares them with their reset values."""

    def __init__(self, port: Port, checks: Iterator[Check]) -> None:
        super().__init__("reset_values", port)
        self._checks = checks

    async def body(self) -> None:
        """Do all checks."""
        for check in self._checks:
            await self.compare(check)


class AccessPolicySequence(_PortSequence):
    """Writes patterns and compares what is read back."""

    def __init__(self, port: Port, steps: Iterator[Step]) -> None:
        super().__init__("access_policy", port)
        self._steps = steps

    async def body(self) -> None:
        """Do all steps."""
        for step in self._steps:
            await self.port.write(step.check.address, step.data)
            await self.compare(step.check)


class UniqueValueSequence(_PortSequence):
    """Writes all registers, then reads all of them."""

    def __init__(self, port: Port, steps: list[Step]) -> None:
        super().__init__("unique_values", port)
        self._steps = steps

    async def body(self) -> None:
        """Write everything, then compare everything."""
        for step in self._steps:
            await self.port.write(step.check.address, step.data)
        for step in self._steps:
            await self.compare(step.check)
