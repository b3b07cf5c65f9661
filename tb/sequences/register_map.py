"""Stimulus over the whole register map of a build, however large, and random access sequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ref_model.registers import Register, layout
from tb.agents.axil import AxilItem
from tb.registers.sequences import Scope, unique_values
from tb.sequences.connect import Bench
from tb.sequences.registers import HOLES, build_scope

ROW_HOLES = range(0x20, 0x100, 4)
SLOT_HOLES = (
    0x0C,
    0x14,
    0x1C,
    0x58,
    0x5C,
    0x70,
    0x7C,
    0xA0,
    0xAC,
    0xB4,
    0xBC,
    0xC4,
    0xCC,
    0xD4,
    0xDC,
    0xF8,
    0xFC,
)

Write = tuple[int, int]
"""Byte address and word."""


def registers_of(bench: Bench) -> Iterator[tuple[int, Register]]:
    """Byte address and description of every register of every instance this build has."""
    counts = build_scope(bench).counts
    for block in layout("ernic").blocks.values():
        for index in range(counts.get(block.name, block.count)):
            for register in block.registers:
                yield block.base + index * block.stride + register.offset, register


def read_only(bench: Bench) -> list[int]:
    """Addresses of all registers without a bit that software may write or clear."""
    return [addr for addr, register in registers_of(bench) if not register.writable and not register.w1c]


def holes(bench: Bench) -> list[int]:
    """The listed holes and one random hole of each row and slot."""
    counts, rng = build_scope(bench).counts, bench.rng
    rows = [0x100 * row + rng.choice(ROW_HOLES) for row in range(counts["MR"])]
    slots = [0x18_0000 + 0x100 * slot + rng.choice(SLOT_HOLES) for slot in range(counts["QP"])]
    return [*HOLES, *rows, *slots]


def unique_writes(bench: Bench) -> list[Write]:
    """A different word for every read/write register of every instance, enables 0."""
    steps = unique_values(layout("ernic"), bench.rng, build_scope(bench, every=True))
    return [(step.check.address, step.data) for step in steps]


def sample_scope(bench: Bench, count: int) -> Scope:
    """``count`` random instances of rows, slots and banks (all of them where there are fewer)."""
    scope = build_scope(bench)
    sizes = {name: scope.counts.get(name, block.count) for name, block in layout("ernic").blocks.items()}
    chosen = {
        name: sorted(bench.rng.sample(range(size), min(count, size)))
        for name, size in sizes.items()
        if size > 1
    }
    return Scope(chosen, scope.counts, num_qp=scope.num_qp)


async def write_all(bench: Bench, writes: Iterable[Write]) -> None:
    """Write words in order."""
    for address, data in writes:
        await bench.host.port.write(address, data)


async def strobed_writes(bench: Bench) -> None:
    """One register of each row and slot: a word, another one with a random strobe, read back."""
    by_instance: dict[int, list[Write]] = {}
    for address, data in unique_writes(bench):
        by_instance.setdefault(address >> 8, []).append((address, data))
    port, rng = bench.host.port, bench.rng
    for choices in by_instance.values():
        address, data = rng.choice(choices)
        await port.write(address, data)
        await port.write(address, data ^ rng.getrandbits(32) & data, rng.randrange(16))
        await port.read(address)


async def random_accesses(bench: Bench, count: int) -> None:
    """``count`` random accesses: reads, writes, strobes, a read beside a write, holes, read-only registers.

    Data never sets a bit that starts traffic. AW/W order is drawn per write, stalls as the agent has them.
    """
    rng, port = bench.rng, bench.env.axil.port
    writes = unique_values(layout("ernic"), rng, build_scope(bench, every=True))
    storage = [(step.check.address, step.check.mask) for step in writes]
    fixed, gaps = read_only(bench), holes(bench)
    recent = [storage[0][0]]
    for _ in range(count):
        address, bits = rng.choice(storage)
        kind = rng.random()
        if kind < 0.3:
            await port.access(AxilItem(False, rng.choice((*recent[-4:], address, rng.choice(fixed)))))
            continue
        if kind < 0.4:
            address, bits = rng.choice((rng.choice(fixed), rng.choice(gaps))), 0xFFFF_FFFF
        strobe = 0xF if rng.random() < 0.6 else rng.randrange(16)
        item = AxilItem(
            True, address, rng.getrandbits(32) & bits, strobe, rng.choice((None, 0, -3, -1, 1, 3))
        )
        if kind < 0.6:
            item.beside = AxilItem(False, rng.choice((*recent[-2:], address)))
        await port.access(item)
        recent.append(address)
    for address in recent[-200:]:
        await port.read(address)
