"""RDMA READ into the DUT: responses, region check, queue of pending READs, duplicates, order."""

from __future__ import annotations

from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import PMTUS, Verb
from tb.host import Access, Mr
from tb.sequences.connect import Link, connect
from tb.sequences.raw import RawPeer
from tb.sequences.start import batches, bring_up, reset, start
from tb.sequences.traffic import READ_TOO, peer_done, peer_post, request
from tb.testcase import ErnicTest, dut_test
from tests.sim.ernic.read import read_lengths
from tests.sim.ernic.regions import SIZE, VA, Violation, region

DEPTH = 16
"""READs a QP of the stand-in can hold (RESP_RESOURCES)."""


@dut_test(suites=("smoke", "full"))
class read_in(ErnicTest):
    """A READ is answered by responses of PMTU size with the bytes of the region, and uses as many PSNs.

    Stimulus: every PMTU and both IP versions, READs of 0 and 1 byte to 4 PMTU - 3 from odd addresses, each
    followed by a WRITE at the next PSN.
    Checks: ERN-033, ERN-113, ERN-123, ERN-124, ERN-125, ERN-135, ERN-136, ERN-137, ERN-175, ERN-245.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, pmtu in enumerate((*PMTUS, 512), 2):
            link = await connect(self, number, pmtu=pmtu, ip_version=6 if number == 7 else 4)
            mr = await self.host.register_mr(link.config.pd, 1 << 15, offset=number)
            for count, length in enumerate(read_lengths(pmtu)):
                link.peer.post_read(mr.va + 7 * count, mr.rkey, length)
                link.peer.post_write(mr.va + 0x6000, mr.rkey, self.rng.randbytes(20))
                await peer_done(self, link)
            link.peer.post_read(mr.va, mr.rkey, 3 * pmtu)
            await peer_done(self, link)


@dut_test(suites=("full",))
class read_in_alignment(ErnicTest):
    """READ data begins and ends at any byte; nothing outside the aligned cover of the range is read.

    Stimulus: address modulo 64 of 0, 1, 31, 63 with lengths 1 to 300, up to the last byte of the region and
    of a page; region offset differing from the address offset.
    Checks: ERN-136, ERN-033, ERN-030, ERN-137.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256)
        addr = self.host.placement.area(SIZE, 64, "region", 21)
        mr = await self.host.register_mr(link.config.pd, SIZE, va=VA + 5, addr=addr)
        for offset in (0, 1, 31, 32, 63):
            for length in (1, 2, 63, 64, 65, 300):
                link.peer.post_read(mr.va + offset, mr.rkey, length)
                link.peer.post_read(mr.va + SIZE - offset - length, mr.rkey, length)
        await peer_done(self, link)


@dut_test(suites=("full",))
class read_in_psn_wrap(ErnicTest):
    """The PSNs of the responses, and of the requests behind a READ, go on across the wrap.

    Stimulus: the wrap at each response of a READ and just behind it; SENDs before and behind.
    Checks: ERN-112, ERN-113, ERN-135, ERN-245.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, expected in enumerate((0xFFFFFF, 0xFFFFFE, 0xFFFFFC, 0xFFFFFB), 2):
            link = await connect(self, number, pmtu=256, expected_psn=expected)
            mr = await self.host.register_mr(link.config.pd, 4096)
            for _ in range(2):
                link.peer.post_send(b"before")
                link.peer.post_read(mr.va + 3, mr.rkey, 1000)
                link.peer.post_send(b"behind")
            await peer_done(self, link)


@dut_test(suites=("full",))
class read_in_next_psn(ErnicTest):
    """Behind a READ the DUT expects exactly the PSN after its last response.

    Stimulus: READs of 1, 2 and 4 responses, then a WRITE with that PSN, one before it and one behind it; near
    the wrap too. Checks: ERN-245, ERN-114, ERN-115, ERN-118.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, expected in ((2, 0x100), (3, 0xFFFFFB)):
            link = await connect(self, number, pmtu=256, expected_psn=expected)
            mr = await self.host.register_mr(link.config.pd, 4096)
            raw = RawPeer(link, self.partner)
            for length in (100, 300, 1000):
                raw.post(Verb.WRITE, self.rng.randbytes(20), mr.va + 2000, mr.rkey)
                for distance in (1, 0):
                    if distance:
                        raw.read(mr.va, mr.rkey, length)
                    psn = psn_add(raw.psn, distance)
                    raw.send(
                        raw.message(Verb.WRITE, self.rng.randbytes(24), mr.va + 3000, mr.rkey, psn=psn),
                        advance=not distance,
                    )
                    await self.host.pause(3)
            raw.read(mr.va, mr.rkey, 600)
            await self.host.pause(3)
            early = psn_add(raw.psn, -4)
            raw.send(
                raw.message(Verb.WRITE, self.rng.randbytes(24), mr.va, mr.rkey, psn=early), advance=False
            )
            raw.post(Verb.SEND, b"end")
            await self.host.pause(3)


@dut_test(suites=("full",))
class read_pending(ErnicTest):
    """Several READs wait and are answered whole and in request order, beside requests of other queue pairs.

    Stimulus: 1, 2, 15 and 16 READs of mixed size at once on four queue pairs.
    Checks: ERN-138, ERN-135, ERN-136, ERN-131, ERN-238.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number, pmtu=256, peer={"window": 200}) for number in (3, 4, 5, 6)]
        for count in (1, 2, DEPTH - 1, DEPTH):
            for link in links:
                mr = await self.host.register_mr(link.config.pd, 1 << 13)
                for number in range(count):
                    link.peer.post_read(mr.va + 11 * number, mr.rkey, self.rng.choice((0, 1, 256, 700, 1500)))
            for link in links:
                await peer_done(self, link)
            for mr in list(self.host.mrs.values()):
                await self.host.deregister_mr(mr)


@dut_test(suites=("full",))
class read_overflow(ErnicTest):
    """One READ more than the responder holds is refused with 0x61 behind the data of all it had taken.

    Stimulus: the output held, READs of four responses without gap: as many as there is room for, and four
    more, on one queue pair each; then the output runs again. Checks: ERN-131, ERN-126, ERN-155, ERN-135.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, count in ((2, DEPTH), (3, DEPTH + 4)):
            link = await connect(self, number, pmtu=1024)
            mr = await self.host.register_mr(link.config.pd, 1 << 14)
            raw = RawPeer(link, self.partner)
            self.env.mac.hold_output()
            for step in range(count):
                raw.read(mr.va + step, mr.rkey, 4096)
            await self.host.pause(8)
            self.env.mac.release_output()
            await self.host.pause(20)


@dut_test(suites=("full",))
class read_order(ErnicTest):
    """ACKs and NAKs keep their place among the responses of READs.

    Stimulus: WRITE, long READ, WRITE without gap, again with a READ of a denied region, an unsupported
    opcode and a gap in place of the second WRITE.
    Checks: ERN-126, ERN-135, ERN-132, ERN-114, ERN-123, ERN-128.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number in range(2, 7):
            link = await connect(self, number, pmtu=256)
            mr = await self.host.register_mr(link.config.pd, 8192)
            raw = RawPeer(link, self.partner)
            for _ in range(3):
                raw.post(Verb.WRITE, self.rng.randbytes(30), mr.va, mr.rkey)
                raw.read(mr.va + 100, mr.rkey, 1500)
                raw.post(Verb.WRITE, self.rng.randbytes(30), mr.va + 5000, mr.rkey)
            await self.host.pause(6)
            raw.read(mr.va + 64, mr.rkey, 2000)
            if number == 3:
                raw.read(mr.va, mr.rkey ^ 1, 64)
            elif number == 4:
                raw.send(raw.message(Verb.SEND, bytes(600))[1])
            elif number == 5:
                raw.send(raw.message(Verb.SEND, b"gap", psn=psn_add(raw.psn, 1)), advance=False)
            await self.host.pause(8)


READ_VIOLATIONS = (
    *(Violation(key=1 << bit, access=Access.READ) for bit in (0, 7)),
    Violation(key=1 << 8, access=Access.READ),
    *(Violation(pd=1 << bit, access=Access.READ) for bit in (0, 8, 23)),
    Violation(offset=-1, access=Access.READ),
    Violation(offset=SIZE, access=Access.READ),
    Violation(offset=SIZE - 63, access=Access.READ),
    Violation(offset=SIZE - 300, length=301, access=Access.READ),
    Violation(length=SIZE + 1, access=Access.READ),
    Violation(offset=0, length=16, va=(1 << 64) - 8, size=8, access=Access.READ),
    Violation(access=Access.WRITE),
    Violation(access=3),
    Violation(access=15),
    Violation(size=0, access=Access.READ),
)


@dut_test(suites=("full",))
class read_violations(ErnicTest):
    """A READ outside what its region allows reads and returns nothing, is refused with 0x62 and is fatal.

    Stimulus: wrong tag, row and PD bits, every edge of the range, wrap at 2^64, write-only and unknown
    access codes, empty row; after a good READ through another row; good requests behind it.
    Checks: ERN-027, ERN-029, ERN-030, ERN-032, ERN-036, ERN-132, ERN-134, ERN-155, ERN-172.
    """

    async def scenario(self) -> None:
        for group in batches(self, READ_VIOLATIONS):
            await reset(self)
            await bring_up(self)
            for number, case in group:
                link = await connect(self, number, pmtu=256)
                mr = await region(self.host, number, link.config.pd, case)
                good = await self.host.register_mr(link.config.pd, 256, row=0)
                raw = RawPeer(link, self.partner)
                raw.read(good.va, good.rkey, 100)
                await self.host.pause(2)
                raw.read(mr.va + case.offset & (1 << 64) - 1, mr.rkey ^ case.key, case.length)
                raw.read(good.va, good.rkey, 10)
                await self.host.pause(3)


@dut_test(suites=("full",))
class read_allowed(ErnicTest):
    """Exactly what a region allows can be read: first and last byte, whole region, access codes 0 and 2.

    Stimulus: READs at both ends and of the whole region, read-only and read-write, carry across bit 31, top
    of the address space, a zero-length READ with a bad key.
    Checks: ERN-027, ERN-029, ERN-030, ERN-032, ERN-033, ERN-035, ERN-038, ERN-136.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=1024)
        top = (1 << 64) - SIZE
        for va, access in ((VA, Access.READ), (VA + 0xFFFF_F000, Access.BOTH), (top, Access.READ)):
            addr = self.host.placement.area(SIZE, 64, "region", 9)
            mr = await self.host.register_mr(link.config.pd, SIZE, va=va, addr=addr, access=access)
            for offset, length in ((0, 1), (SIZE - 1, 1), (0, SIZE), (SIZE - 64, 64), (1, SIZE - 1)):
                link.peer.post_read(mr.va + offset, mr.rkey, length)
            await peer_done(self, link)
            link.peer.post_read(mr.va + 7 * SIZE & (1 << 64) - 1, mr.rkey ^ 0x7700, 0)
            await peer_done(self, link)
            link.peer.post_send(b"inv", inv=mr.rkey)
            link.peer.post_read(mr.va, mr.rkey, 64)
            await peer_done(self, link)


@dut_test(suites=("smoke", "full"))
class read_duplicate(ErnicTest):
    """A repeated READ is answered again, whole or from a later response on, with the data of now.

    Stimulus: the last, an older and a part of a READ repeated, also after memory changed, also between the
    packets of a WRITE; repeats across the PSN wrap. Checks: ERN-116, ERN-117, ERN-123, ERN-168, ERN-136.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, expected in ((2, 0x200), (3, 0xFFFFF8)):
            link = await connect(self, number, pmtu=256, expected_psn=expected)
            mr = await self.host.register_mr(link.config.pd, 8192)
            raw = RawPeer(link, self.partner)
            asked = []
            for step in range(4):
                asked.append((raw.psn, mr.va + 100 * step))
                raw.read(mr.va + 100 * step, mr.rkey, 900)
                await self.host.pause(3)
            for psn, va in (asked[3], asked[0]):
                raw.read(va, mr.rkey, 900, psn=psn)
                await self.host.pause(3)
                self.host.memory.write(mr.addr, self.rng.randbytes(1024))
                raw.read(va + 512, mr.rkey, 388, psn=psn_add(psn, 2))
                await self.host.pause(3)
            message = raw.message(Verb.WRITE, self.rng.randbytes(700), mr.va + 4096, mr.rkey)
            raw.send(message[:2], advance=False)
            raw.read(asked[2][1], mr.rkey, 900, psn=asked[2][0])
            raw.send(message[2])
            raw.post(Verb.SEND, self.rng.randbytes(40))
            await self.host.pause(5)


@dut_test(suites=("full",))
class read_duplicate_denied(ErnicTest):
    """A repeated READ whose region is gone returns no data.

    Stimulus: the row cleared, or made write-only, between a READ and its repeat; another queue pair goes on.
    Checks: ERN-116, ERN-132, ERN-236.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        other = await connect(self, 8)
        for number in (2, 3):
            link = await connect(self, number, pmtu=256)
            mr = await self.host.register_mr(link.config.pd, 4096, access=Access.READ)
            raw = RawPeer(link, self.partner)
            psn = raw.psn
            raw.read(mr.va, mr.rkey, 600)
            await self.host.pause(4)
            if number == 2:
                await self.host.deregister_mr(mr)
            else:
                await self.host.write("ACCESSDESC", Access.WRITE, mr.row)
            raw.read(mr.va, mr.rkey, 600, psn=psn)
            await self.host.pause(4)
            await self.host.post_send(other.qp, request(self.rng, Verb.SEND, 40))
            await self.host.wait_completions(other.qp)


@dut_test(suites=("full",))
class read_out_of_sequence(ErnicTest):
    """A READ inside a message is refused with 0x61, code 1; one ahead of its PSN is not executed.

    Stimulus: a READ between first and last of a SEND and of a WRITE; READs 1 and 100 PSNs ahead, then the
    missing one. Checks: ERN-128, ERN-114, ERN-127, ERN-155.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, verb in ((2, Verb.SEND), (3, Verb.WRITE)):
            link, mr, raw = await self.peer(number)
            raw.read(mr.va, mr.rkey, 100)
            raw.send(raw.message(verb, self.rng.randbytes(600), mr.va, mr.rkey)[0])
            raw.read(mr.va, mr.rkey, 300)
            await self.host.pause(4)
        link, mr, raw = await self.peer(4)
        raw.post(Verb.SEND, b"first")
        for gap in (1, 100):
            raw.read(mr.va, mr.rkey, 300, psn=psn_add(raw.psn, gap))
            await self.host.pause(3)
            raw.read(mr.va + 8, mr.rkey, 300)
            await self.host.pause(3)
        raw.post(Verb.SEND, b"last")
        await self.host.wait_received(link.qp, 2)

    async def peer(self, number: int) -> tuple[Link, Mr, RawPeer]:
        """A connected queue pair with a region and a hand-made peer."""
        link = await connect(self, number, pmtu=256)
        mr = await self.host.register_mr(link.config.pd, 4096)
        return link, mr, RawPeer(link, self.partner)


@dut_test(suites=("full",))
class read_changing_memory(ErnicTest):
    """Data that the host or a WRITE changes while it is read is returned in one of its versions.

    Stimulus: long READs while the host rewrites the region; READs and WRITEs of the same bytes in a row.
    Checks: ERN-136, ERN-148, ERN-126.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, peer={"window": 64})
        mr = await self.host.register_mr(link.config.pd, 4096)
        for _ in range(4):
            link.peer.post_read(mr.va, mr.rkey, 4000)
            self.partner.service()
            for _ in range(8):
                self.host.memory.write(mr.addr + self.rng.randrange(3000), self.rng.randbytes(500))
                await self.host.pause(0.15)
            for _ in range(3):
                link.peer.post_write(mr.va + 50, mr.rkey, self.rng.randbytes(700))
                link.peer.post_read(mr.va, mr.rkey, 900)
            await peer_done(self, link)


@dut_test(suites=("full",))
class read_both_ways(ErnicTest):
    """READs in both directions at once, with SENDs and WRITEs, on several queue pairs.

    Stimulus: 30 rounds of random messages each way on four queue pairs, clean link.
    Checks: ERN-063, ERN-072, ERN-093, ERN-126, ERN-135, ERN-136, ERN-138, ERN-160, ERN-164, ERN-175, ERN-245.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        pairs = []
        for number in (2, 4, 7, 8):
            link = await connect(self, number, pmtu=self.rng.choice(PMTUS[:3]), sq_depth=32)
            pairs.append((link, await self.host.register_mr(link.config.pd, 1 << 13, row=number)))
        for _ in range(30):
            link, mr = self.rng.choice(pairs)
            for _ in range(3):
                length = self.rng.randrange(1500)
                peer_post(link, self.rng, self.rng.choice(READ_TOO), length, mr, self.rng.randrange(4000))
            batch = [request(self.rng, self.rng.choice(READ_TOO), self.rng.randrange(1500)) for _ in range(3)]
            await self.host.post_send(link.qp, *batch)
            await peer_done(self, link)
        for link, _ in pairs:
            await self.host.wait_completions(link.qp)
