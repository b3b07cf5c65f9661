"""Memory that answers chosen accesses with an error, and software that makes a queue pair anew afterwards."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from tb.agents.axi import DECERR, SLVERR, ErrorRegion
from tb.agents.ernic_pins import MEMORY_PORTS
from tb.sequences.connect import Bench, Link, connect, reconnect

BEAT = 64
PATIENCE_US = 12
"""Until an access that is due has been answered, and what follows from the answer has shown."""

CASES = ((SLVERR, False), (DECERR, True))
"""Response, and whether the last beat gets it (else the first)."""

FATAL = 1
"""STATQP[0]."""


@dataclass(frozen=True, slots=True)
class Failing:
    """Accesses of master ``port`` to one beat of an area of ``size`` bytes from ``addr`` that fail.

    ``last``: its last beat, else the first; of an area of one ring, ``whole`` takes all of it.
    """

    port: str
    addr: int
    size: int
    reads: bool
    last: bool = False
    whole: bool = False
    resp: int = SLVERR

    def region(self) -> ErrorRegion:
        """The bytes that answer with an error."""
        first, stop = self.addr & -BEAT, -(-(self.addr + self.size) // BEAT) * BEAT
        if not self.whole:
            first, stop = (stop - BEAT, stop) if self.last else (first, first + BEAT)
        return ErrorRegion(first, stop, self.resp, self.reads, not self.reads)


async def meet(bench: Bench, failing: Failing, action: Awaitable[Any]) -> None:
    """``action`` starts what makes the access; afterwards memory is sound again."""
    agent = bench.env.ports[MEMORY_PORTS.index(failing.port)]
    agent.set_error_regions([failing.region()])
    await action
    await bench.host.pause(PATIENCE_US)
    agent.set_error_regions([])


async def renew(bench: Bench, link: Link, turn: int) -> Link:
    """Software ends the life of a queue pair that was hit and begins another one with new packet numbers."""
    fresh: dict[str, Any] = {"first_psn": 0x1_0000 * turn, "expected_psn": 0x50_0000 + 0x1_0000 * turn}
    if await bench.host.read("STATQP", link.number) & FATAL:
        await reconnect(bench, link, **fresh)
        return link
    await bench.host.destroy_qp(link.qp)
    return await connect(bench, link.number, **fresh)
