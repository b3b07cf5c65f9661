"""Where CQEs go and what they hold: addresses, translation, images, owner bits, counters."""

from __future__ import annotations

from tb.host.hermon_cq import CqSettings
from tb.host.hermon_producer import SYNDROMES
from tb.sequences.hermon import (
    LAST_INDEX,
    STRIDES,
    Arm,
    await_event,
    create,
    fill,
    laps,
    overflow,
    reset,
    rest,
    round_trip,
    start,
)
from tb.testcase import HermonTest, dut_test


@dut_test(suites=("smoke", "full"))
class ring_addresses(HermonTest):
    """Each CQE lies at its index times the stride behind the offset of the ring.

    Stimulus: three laps of rings of 2 to 16 entries at all strides, the first entry at the start of a page,
    one stride behind it and one before its end; most of a ring of 256 in one page; random bytes in every slot
    but for the owner bits, which software has prepared.
    Checks: HCQ-026, HCQ-029, HCQ-030, HCQ-033, HCQ-106/writes.
    """

    async def scenario(self) -> None:
        for stride in STRIDES:
            await start(self, (), stride=stride)
            number = 0
            for log_size in (1, 2, 4):
                for offset in (0, stride, 4096 - stride):
                    known = self.rng.randbytes(stride)
                    cq = await create(self, number, log_size=log_size, offset=offset, fill=known, opmod=1)
                    await laps(self, cq, 3 * cq.ring.size)
                    number += 1
            await laps(self, await create(self, number, log_size=8, log2_page_size=4, opmod=1), 140)
            await rest(self)
            await reset(self)


@dut_test(suites=("full",))
class page_walk(HermonTest):
    """Each CQE is translated by the entry of its own page.

    Stimulus: rings over many pages in no order, pages of 4 and 8 KiB and of 2 MiB, MTT addresses with bits
    39, 32 and 31 set, an offset that reaches an extra page; two laps each.
    Checks: HCQ-005, HCQ-027, HCQ-028, HCQ-030, HCQ-106/reads.
    """

    async def scenario(self) -> None:
        await start(self, (), stride=256)
        number = 0
        for at in (0x80_0000_0000, 0x01_0000_0000, 0x00_8000_0000, 0):
            self.host.mtt.skip(at + 8)
            for log_size, l2ps, offset in ((8, 0, 4096 - 256), (6, 1, 256), (6, 9, (1 << 12) - 256)):
                cq = await create(self, number, log_size=log_size, log2_page_size=l2ps, offset=offset)
                await laps(self, cq, cq.ring.size + 40)
                await self.host.destroy(number)
                number += 1


@dut_test(suites=("full",))
class stale_translation(HermonTest):
    """A queue uses the translation of its own life, whatever the number or the entries meant before.

    Stimulus: destroyed queues created again with other pages behind the same MTT entries, under the same and
    under another number, with another page size.
    Checks: HCQ-031, HCQ-114, HCQ-106/writes.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=7)
        place = cq.ring.mtt
        for number, l2ps in ((1, 0), (2, 0), (1, 1), (3, 0)):
            await laps(self, cq, 70)
            await self.host.destroy(cq.cqn)
            ring = self.host.rings.make(7, 0, l2ps, at=place)
            cq = self.host.prepare(CqSettings(number, 7, log2_page_size=l2ps), ring)
            await self.host.sw2hw(cq)
        await laps(self, cq, 70)


@dut_test(suites=("smoke", "full"))
class cqe_images(HermonTest):
    """A CQE is the reported body in all its 32 bytes, whatever memory held before.

    Stimulus: bodies with a walking one through every dword; all opcodes as send and receive; bodies of random
    bits and short ones in turn, over random memory.
    Checks: HCQ-032, HCQ-033, HCQ-034, HCQ-036.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=4, fill=self.rng.randbytes(32))
        producer = self.producer
        reports = [producer.walked(1, bit) for bit in range(256)]
        for send in (True, False):
            reports += [
                producer.plain(1, send=send, opcode=code) for code in range(32) if code not in (0x16, 0x1E)
            ]
        for _ in range(8):
            reports += [producer.plain(1), producer.bare(1)]
        while reports:
            await producer.send(*reports[:15])
            await self.host.rest()
            cq.drain()
            del reports[:15]


@dut_test(suites=("full",))
class error_cqes(HermonTest):
    """An error is one CQE with its own opcode, syndrome and WQE counter, in its place among the good ones.

    Stimulus: every syndrome for sends and receives between good CQEs; a flush of a whole ring.
    Checks: HCQ-035/opcode, HCQ-035/fields, HCQ-036, HCQ-033.
    """

    async def scenario(self) -> None:
        (cq,) = await start(self, (1,), log_size=5)
        producer = self.producer
        for syndrome in SYNDROMES:
            reports = [producer.error(1, syndrome, send) for send in (True, False)]
            await producer.send(
                producer.plain(1), reports[0], producer.plain(1), reports[1], producer.bare(1)
            )
            await self.host.rest()
            cq.drain()
        await producer.send(*(producer.error(1, 0x05, True) for _ in range(31)))


@dut_test(suites=("full",))
class owner_laps(HermonTest):
    """The owner bit is the parity of the lap.

    Stimulus: N - 1, N, N + 1 and 2N + 1 CQEs in rings of 2 to 128 entries, drained in pieces of every size.
    Checks: HCQ-033, HCQ-037, HCQ-026.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for log_size in (1, 2, 3, 7):
            cq = await create(self, log_size, log_size=log_size)
            size = cq.ring.size
            for count in (size - 1, 1, 1, size, 2 * size + 1):
                await laps(self, cq, count)
                await self.host.query(log_size)


@dut_test(suites=("full",))
class counter_wrap(HermonTest):
    """Nothing breaks where the counters pass 2^24.

    Stimulus: queues whose counters start shortly before: laps, all requests, capacity and a resize across.
    Checks: HCQ-038, HCQ-009, HCQ-045/fires, HCQ-049/fires, HCQ-089.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, before in enumerate((1, 3, 7, 20)):
            await self.host.start_at(LAST_INDEX + 1 - before)
            cq = await create(self, number, log_size=3)
            await round_trip(self, cq, Arm.ANY)
            await self.host.query(number)
            await cq.arm(Arm.NTH, cq.ci + before)
            await laps(self, cq, before + 1)
            await self.host.eqs.handle()
            await round_trip(self, cq, Arm.SOLICITED, 3)
            await laps(self, cq, 9)
            await fill(self, cq, 5)
            await cq.resize(4)
            await fill(self, cq, 4)
            cq.drain()
            await overflow(self, cq)
            await self.host.query(number)
            await self.host.destroy(number)


@dut_test(suites=("full",))
class collapsed(HermonTest):
    """In a collapsed queue every CQE goes to entry 0, the counter runs on, and events follow the index.

    Stimulus: 3N reports at all strides with oi 0 and 1, WQE counters passing 0xFFFF, requests before bursts.
    Checks: HCQ-085, HCQ-086/counter, HCQ-086/events, HCQ-087.
    """

    async def scenario(self) -> None:
        for stride in STRIDES:
            await start(self, (), stride=stride, fill=self.rng.randbytes(stride))
            for number, (log_size, ignore) in enumerate(((1, True), (4, True), (4, False), (7, True))):
                cq = await create(self, number, log_size=log_size, cc=True, oi=ignore)
                for part in range(4):
                    if not ignore:
                        await cq.arm((Arm.ANY, Arm.SOLICITED)[part % 2])
                    wqes = (0xFFF8 + 8 * part + step for step in range(cq.ring.size * 3 // 4))
                    await self.producer.send(*(self.producer.bare(number, wqe & 0xFFFF) for wqe in wqes))
                    await rest(self)
                    if not ignore and part % 2 == 0:
                        await await_event(self, cq)
                    cq.publish(cq.skip(cq.ring.size * 3 // 4))
                    await self.host.eqs.handle()
                    await self.host.query(number)
            await reset(self)


@dut_test(suites=("full",))
class collapsed_capacity(HermonTest):
    """Whether a collapsed queue overruns is one rule throughout.

    Stimulus: 3N reports without any consumer, oi 0 and 1; the owner bit of entry 0 over three laps.
    Checks: HCQ-085, HCQ-087.
    """

    async def scenario(self) -> None:
        await start(self, ())
        for number, ignore in enumerate((False, True)):
            await create(self, number, log_size=3, cc=True, oi=ignore)
            for _ in range(8):
                await self.producer.burst(number, 3)
                await self.host.query(number)
            await self.host.destroy(number)


@dut_test(suites=("full",))
class ring_far(HermonTest):
    """Entries far into a large ring are found by all bits of their page number.

    Stimulus: rings of 16384 entries whose counters start at pages 31, 32, 100 and before the last.
    Checks: HCQ-026, HCQ-027, HCQ-030, HCQ-106/reads.
    """

    async def scenario(self) -> None:
        await start(self, ())
        per_page = 4096 // self.host.rings.stride
        for number, page in enumerate((32, 100, (1 << 14) // per_page)):
            await self.host.start_at(page * per_page - 3)
            cq = await create(self, number, log_size=14, opmod=1)
            await fill(self, cq, 6)
            cq.drain()
            await self.host.destroy(number)
