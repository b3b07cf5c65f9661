"""Memory region check: what is refused, and that exactly the rest is allowed."""

from __future__ import annotations

from dataclasses import dataclass

from ref_model.rocev2.segment import Verb
from tb.host import Access, ErnicHost, Mr
from tb.sequences.connect import connect
from tb.sequences.raw import RawPeer
from tb.sequences.start import batches, bring_up, data_qps, reset
from tb.sequences.traffic import peer_done, post_all, request
from tb.testcase import ErnicTest, dut_test

SIZE = 4096
VA = 0x7F_0000_0F00
TOP = (1 << 64) - 8


@dataclass(frozen=True, slots=True)
class Violation:
    """One refused WRITE: offset and length in the region, bits inverted in key and PD, access code, region
    start.
    """

    offset: int = 0
    length: int = 64
    key: int = 0
    pd: int = 0
    access: int = Access.WRITE
    va: int = VA
    size: int = SIZE


VIOLATIONS = (
    *(Violation(key=1 << bit) for bit in (0, 3, 7)),
    Violation(key=1 << 8),
    *(Violation(pd=1 << bit) for bit in (0, 7, 8, 23)),
    Violation(offset=-1),
    Violation(offset=-64),
    Violation(offset=SIZE),
    Violation(offset=SIZE - 63),
    Violation(offset=SIZE - 1, length=2),
    Violation(offset=SIZE - 300, length=301),
    Violation(length=SIZE + 1),
    Violation(offset=0, length=16, va=TOP, size=8),
    Violation(offset=0, length=16, va=TOP, size=4),
    Violation(access=Access.READ),
    Violation(access=3),
    Violation(access=15),
    Violation(size=0),
)


async def region(host: ErnicHost, row: int, pd: int, case: Violation) -> Mr:
    """The table row of a case; one more row beside it is empty, so that a wrong row never allows by luck."""
    addr = host.placement.area(SIZE, 64, f"region {row}")
    return await host.register_mr(
        pd ^ case.pd, case.size, row=row, tag=0x5A, va=case.va, addr=addr, access=case.access
    )


@dut_test(suites=("full",))
class mr_violations(ErnicTest):
    """A WRITE outside what its region allows writes nothing, is refused with 0x62 and ends the queue pair.

    Stimulus: wrong tag bits, wrong row, wrong PD bits, every edge of the range, wrap at 2^64, read-only and
    unknown access codes, empty row; one queue pair each, after a good WRITE through the same row where there
    is one.
    Checks: ERN-027, ERN-029, ERN-030, ERN-032, ERN-034, ERN-036, ERN-132, ERN-134, ERN-155, ERN-172.
    """

    async def scenario(self) -> None:
        for group in batches(self, VIOLATIONS):
            await reset(self)
            await bring_up(self)
            for number, case in group:
                link = await connect(self, number, pmtu=256)
                mr = await region(self.host, number, link.config.pd, case)
                va = (mr.va + case.offset) % (1 << 64)
                link.peer.post_write(va, mr.rkey ^ case.key, self.rng.randbytes(case.length))
                await peer_done(self, link)
                link.peer.post_send(b"late")
            await self.host.pause(5)


@dut_test(suites=("full",))
class mr_edges_allowed(ErnicTest):
    """Accesses that just fit are allowed, and a row rewritten between messages takes effect.

    Stimulus: first and last bytes of a region, whole region, region that ends at 2^64, 48-bit lengths around
    4 GiB, WRITE-only and both; zero length with good and bad key; the row moved to other memory.
    Checks: ERN-027, ERN-030, ERN-031, ERN-032, ERN-033, ERN-035, ERN-038.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2, pmtu=1024)
        pd = link.config.pd
        huge = (1 << 32) + 1
        regions = [
            await self.host.register_mr(pd, SIZE, va=VA, access=Access.WRITE),
            await self.host.register_mr(pd, 8, va=TOP),
            await self.host.register_mr(pd, huge, va=0x10_0000, addr=0x40_0000_0000),
            await self.host.register_mr(pd, huge - 2, va=0x20_0000, addr=0x48_0000_0000),
        ]
        for mr in regions:
            for offset, length in ((0, 1), (mr.length - 1, 1), (mr.length - 8, 8), (0, min(mr.length, SIZE))):
                link.peer.post_write(mr.va + offset, mr.rkey, self.rng.randbytes(length))
        link.peer.post_write(1, regions[0].rkey ^ 0xFF, b"")
        link.peer.post_send(self.rng.randbytes(20), inv=regions[0].rkey)
        link.peer.post_write(VA, regions[0].rkey, self.rng.randbytes(100))
        await peer_done(self, link)
        moved = await self.host.register_mr(pd, SIZE, row=0, tag=0x77, va=VA + 4096, access=Access.BOTH)
        link.peer.post_write(moved.va + 5, moved.rkey, self.rng.randbytes(1500))
        await peer_done(self, link)


KEY_BITS = range(19, 32)
"""Key bits that name a row no build has."""


@dut_test(suites=("full",))
class mr_beyond_table(ErnicTest):
    """A key whose row number is beyond the table touches nothing that is not in a programmed region.

    Stimulus: the key of a good region with one of the bits 19 to 31 set, by a WRITE and by a READ, each on a
    queue pair of its own; a bystander goes on after each.
    Checks: ERN-028, ERN-215, ERN-236.
    """

    async def scenario(self) -> None:
        cases = [(bit, verb) for verb in (Verb.WRITE, Verb.READ) for bit in KEY_BITS]
        for group in batches(self, cases, spare=1):
            await reset(self)
            await bring_up(self)
            bystander = await connect(self, data_qps(self)[-1])
            for number, (bit, verb) in group:
                link = await connect(self, number, pmtu=256)
                mr = await region(self.host, number, link.config.pd, Violation(access=Access.BOTH))
                raw = RawPeer(link, self.partner)
                raw.post(verb, self.rng.randbytes(100), mr.va + 8, mr.rkey | 1 << bit)
                await self.host.pause(3)
                await post_all(self, bystander, [request(self.rng, Verb.SEND, 40)])
