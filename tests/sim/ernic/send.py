"""SEND and WRITE out of the DUT: segmentation, headers, payload, alignment, inline data."""

from __future__ import annotations

from ref_model.rocev2.segment import PMTUS, Verb
from tb.sequences.connect import connect
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import ALL_VERBS, SEND_VERBS, WRITE_VERBS, length_classes, post_all, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("smoke", "full"))
class send_only(ErnicTest):
    """A SEND that fits one packet leaves as one SEND ONLY with exactly its bytes.

    Stimulus: lengths 1 to 5, around 16 and 64 bytes and up to PMTU 1024, one doorbell each, then one for
    many. Checks: ERN-039, ERN-045, ERN-047, ERN-049, ERN-053, ERN-054, ERN-056, ERN-062, ERN-070, ERN-071,
    ERN-073 to ERN-077.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=1024, sq_depth=32)
        lengths = [n for n in length_classes(1024) if n <= 1024]
        await post_all(self, link, [request(self.rng, Verb.SEND, n) for n in lengths])
        await post_all(self, link, [request(self.rng, Verb.SEND, n) for n in lengths], one_doorbell=True)


@dut_test(suites=("full",))
class send_multi(ErnicTest):
    """A SEND longer than the PMTU is cut into first, middle and last packets of full size.

    Stimulus: every PMTU on its own queue pair, lengths PMTU-1 to 3 PMTU and 5 PMTU + 7; 17, 18 and 40 packets
    with the smallest PMTU.
    Checks: ERN-039, ERN-047, ERN-049, ERN-059, ERN-061, ERN-062, ERN-064, ERN-070.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, pmtu in enumerate(PMTUS, 2):
            link = await connect(self, number, pmtu=pmtu)
            lengths = [pmtu - 1, pmtu, pmtu + 1, 2 * pmtu, 2 * pmtu + 1, 3 * pmtu - 3, 5 * pmtu + 7]
            if pmtu == PMTUS[0]:
                lengths += [17 * pmtu, 17 * pmtu + 1, 40 * pmtu - 1]
            await post_all(self, link, [request(self.rng, Verb.SEND, n) for n in lengths])


@dut_test(suites=("smoke", "full"))
class write_out(ErnicTest):
    """An RDMA WRITE carries its address, key and total length on the first packet and its bytes in order.

    Stimulus: WRITEs around every packet boundary for PMTU 256 and 4096, all four key bytes different.
    Checks: ERN-039, ERN-047, ERN-049, ERN-051, ERN-054, ERN-059, ERN-062.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, pmtu in ((2, 256), (3, 4096)):
            link = await connect(self, number, pmtu=pmtu)
            await post_all(self, link, [request(self.rng, Verb.WRITE, n) for n in length_classes(pmtu)])


@dut_test(suites=("full",))
class send_inline(ErnicTest):
    """A SEND of at most 16 bytes takes its payload from the work queue entry, a longer one from memory.

    Stimulus: 1, 4, 15, 16 and 17 bytes for all SEND kinds; entry and memory hold different bytes.
    Checks: ERN-055, ERN-039, ERN-049.
    """

    async def scenario(self) -> None:
        link = await start(self)
        for verb in SEND_VERBS:
            batch = [request(self.rng, verb, n) for n in (1, 4, 15, 16, 17)]
            for entry in batch:
                entry.sdata = self.rng.randbytes(16)
            await post_all(self, link, batch)


@dut_test(suites=("full",))
class zero_length(ErnicTest):
    """A message without payload is one packet and uses one PSN, between normal messages as well.

    Stimulus: length 0 of every SEND and WRITE kind, alternating with 100 bytes, both IP versions.
    Checks: ERN-060, ERN-062, ERN-039, ERN-070.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, version in ((2, 4), (3, 6)):
            link = await connect(self, number, ip_version=version)
            for verb in ALL_VERBS:
                await post_all(self, link, [request(self.rng, verb, n) for n in (0, 100, 0)])


@dut_test(suites=("full",))
class imm_and_inv_out(ErnicTest):
    """Immediate data and the key to invalidate travel on the last packet only, most significant byte first.

    Stimulus: SEND_IMM, SEND_INV and WRITE_IMM of one, two and four packets with random values.
    Checks: ERN-052, ERN-047, ERN-059.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256)
        for verb in (Verb.SEND_IMM, Verb.SEND_INV, Verb.WRITE_IMM):
            requests = [request(self.rng, verb, n) for n in (8, 200, 300, 256 * 4)]
            requests[0].value = 0x01020304
            requests[1].value = 0xF0E0D0C0
            await post_all(self, link, requests)


@dut_test(suites=("full",))
class address_alignment(ErnicTest):
    """Payload is fetched from any local address, across 4 KB boundaries, byte exact.

    Stimulus: local address modulo 64 from 0 to 63 with lengths 1, 64, 65 and 300; buffers that cross a 4 KB
    page. Checks: ERN-054, ERN-212, ERN-213, ERN-216.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=1024, sq_depth=64)
        requests = [
            request(self.rng, WRITE_VERBS[0], length, offset)
            for offset in (0, 1, 2, 7, 31, 32, 33, 62, 63)
            for length in (1, 64, 65, 300)
        ]
        for before_page in (1, 17, 64, 100):
            crossing = request(self.rng, Verb.WRITE, 1000)
            crossing.laddr = self.mem.alloc(3 * 4096, 4096, "crossing") + 4096 - before_page
            requests.append(crossing)
        await post_all(self, link, requests, one_doorbell=True)


@dut_test(suites=("full",))
class tail_lengths(ErnicTest):
    """Frames end in the right byte lane for every tail length, back to back.

    Stimulus: SENDs of 1 to 64 bytes with one doorbell, so that frames of different length follow at once.
    Checks: ERN-218, ERN-039, ERN-045, ERN-049.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=128, pmtu=1024)
        await post_all(self, link, [request(self.rng, Verb.SEND, n) for n in range(1, 65)], one_doorbell=True)
