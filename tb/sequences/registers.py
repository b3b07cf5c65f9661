"""Register sweeps: what to visit in this build, and addresses without a register."""

from __future__ import annotations

from collections.abc import Iterable

from tb.registers.sequences import Scope
from tb.sequences.connect import Bench

GLOBAL = 0x10_0000
QP_BASE = 0x18_0000

HOLES: tuple[int, ...] = (
    0x20, 0x80, 0xFC, 0x120,
    *(GLOBAL + offset for offset in (
        0x01C, *range(0x030, 0x044, 4), *range(0x048, 0x060, 4), 0x074, 0x098, 0x09C, *range(0x0C0, 0x100, 4),
        0x11C, 0x120, 0x128, *range(0x144, 0x174, 4), 0x188, 0x18C,
    )),
    *(QP_BASE + 0x100 + hole for hole in (0x0C, 0x14, 0x1C, 0x58, 0x5C, 0x70, 0xA0, 0xB4, 0xC4, 0xF8, 0xFC)),
)  # fmt: skip
"""Addresses inside the blocks where no register is."""

INTERRUPT_BANKS: tuple[int, ...] = tuple(GLOBAL + 0x190 + 4 * bank for bank in range(192))
"""All receive, completion and congestion interrupt banks."""


def build_scope(bench: Bench, every: bool = False) -> Scope:
    """Rows and slots this build has: first, second and last ones, or all of them."""
    knobs = bench.env.config.knobs
    rows, count = int(knobs["MR_ROWS"]), int(knobs["C_NUM_QP"])
    counts = {"MR": rows, "QP": count}
    instances = {"MR": range(rows), "QP": range(count)} if every else {}
    return Scope(instances, counts, num_qp=count)


async def read_all(bench: Bench, addresses: Iterable[int]) -> None:
    """Read registers in order; the model judges the values."""
    for address in addresses:
        await bench.host.port.read(address)
