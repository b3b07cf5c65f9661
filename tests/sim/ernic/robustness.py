"""Isolation, back-pressure, reset in mid-traffic, order of the bring-up, pass-through."""

from __future__ import annotations

from typing import Any

from ref_model.rocev2.segment import Verb
from tb.host.bringup import Write
from tb.partner import Action, Fault
from tb.sequences.connect import Link, connect, peer_config, qp_config, reconnect
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, data_qps, reset
from tb.sequences.traffic import ALL_VERBS, peer_done, peer_post, post_all, request
from tb.sequences.virtual import (
    BenchSequence,
    ConfigureSequence,
    ParallelSequence,
    ReceiveSequence,
    SendSequence,
)
from tb.testcase import ErnicTest, dut_test

#: Settings with which retries are used up soon.
SHORT: dict[str, Any] = {"timeout": 4, "retry": 1}


async def both_ways(test: ErnicTest, link: Link, count: int = 3) -> None:
    """A few messages in each direction, to the end."""
    mr = await test.host.register_mr(link.config.pd, 4096, row=link.number)
    for _ in range(count):
        peer_post(link, test.rng, Verb.SEND, test.rng.randrange(600))
        peer_post(link, test.rng, Verb.WRITE, test.rng.randrange(600), mr, test.rng.randrange(2000))
    test.partner.service()
    await post_all(test, link, [request(test.rng, verb, test.rng.randrange(1500)) for verb in ALL_VERBS])
    await peer_done(test, link)


@dut_test(suites=("full",))
class qp_isolation(ErnicTest):
    """One queue pair turning fatal, or waiting, leaves the others working with correct numbers and data.

    Stimulus: four busy queue pairs; one fatal by a bad request, one by a fatal NAK, one in RNR wait, one
    untouched whose state is read from time to time.
    Checks: ERN-236, ERN-238, ERN-239, ERN-186.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number) for number in range(2, 6)]
        await connect(self, 6)
        for link in links:
            await both_ways(self, link)
            await self.untouched(6)
        raw = RawPeer(links[0], self.partner, links[0].peer.requester.next_psn)
        raw.broken(lambda frame: setattr(frame.bth, "opcode", 0x02))
        self.partner.add_faults(
            Fault(Action.NAK, qp=3, value=0x62), Fault(Action.RNR, qp=4, value=3, count=1)
        )
        for link in links[1:3]:
            await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 100))
        await both_ways(self, links[3], 6)
        for link in links[1:3]:
            await self.host.wait_completions(link.qp)
        await both_ways(self, links[2])
        await self.untouched(6)

    async def untouched(self, number: int) -> None:
        """Read the state of a queue pair without traffic when nothing moves."""
        await self.settle()
        for name in ("STATSSN", "STATMSN", "STATQP", "CQHEAD", "STATRQPIDB", "STATCURSQPTR"):
            await self.host.read(name, number)


@dut_test(suites=("full",))
class qp_recovery(ErnicTest):
    """A fatal queue pair comes back by the documented steps and works like a fresh one, again and again.

    Stimulus: fatal by a NAK, a bad request, used-up retries and a reserved opcode; recovery under override,
    new packet numbers, a ring of messages both ways after each; another queue pair busy throughout.
    Checks: ERN-187, ERN-188, ERN-189, ERN-186, ERN-236.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link, other = await connect(self, 2, **SHORT), await connect(self, 3)
        for turn, cause in enumerate((self.by_nak, self.by_request, self.by_silence, self.by_opcode), 1):
            await both_ways(self, link)
            await cause(link)
            await both_ways(self, other)
            await reconnect(self, link, first_psn=0x5_0000 * turn, expected_psn=0x90_0000 + turn, **SHORT)
            for name in ("STATRQPIDB", "STATMSN", "CQHEAD", "STATCURSQPTR"):
                await self.host.read(name, link.number)
            for _ in range(3):
                await both_ways(self, link, 4)

    async def by_nak(self, link: Link) -> None:
        """A fatal NAK for the next request."""
        self.partner.add_faults(Fault(Action.NAK, qp=link.number, value=0x61, count=1))
        await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE, 50) for _ in range(4)])
        await self.host.wait_completions(link.qp)

    async def by_request(self, link: Link) -> None:
        """A request whose opcode cannot follow."""
        raw = RawPeer(link, self.partner, link.peer.requester.next_psn)
        raw.broken(lambda frame: setattr(frame.bth, "opcode", 0x02))
        await self.settle()

    async def by_silence(self, link: Link) -> None:
        """No answer until the retries are used up."""
        self.partner.disconnect(link.number)
        await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 50))
        await self.host.wait_completions(link.qp, limit_ps=1_000_000_000)  # timers may be late

    async def by_opcode(self, link: Link) -> None:
        """A send queue entry with a reserved opcode."""
        bad = request(self.rng, Verb.SEND, 20)
        bad.opcode = 0x07
        await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 30), bad)
        await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class backpressure_heavy(ErnicTest):
    """Nothing is lost, repeated or torn when every interface stalls as much as it may.

    Stimulus: heavy stalls and gaps on all ports, traffic both ways on three queue pairs,
    immediate data and keys in.
    Checks: ERN-150, ERN-211, ERN-212, ERN-213, ERN-218, ERN-079, ERN-144, ERN-007.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        await bring_up(self)
        for link in [await connect(self, number, pmtu=512) for number in (2, 3, 4)]:
            await both_ways(self, link)
            for verb in (Verb.SEND_IMM, Verb.SEND_INV) * 3:
                peer_post(link, self.rng, verb, self.rng.randrange(100))
            await peer_done(self, link)


@dut_test(suites=("full",))
class back_to_back_frames(ErnicTest):
    """Frames that follow each other without a clock between them are all taken.

    Stimulus: at bus speed, shortest and longest frames of three queue pairs mixed, as many as the input
    buffer holds, then a pause; six times.
    Checks: ERN-235, ERN-112, ERN-148.
    """

    stalls, line_rate = "none", 0

    async def scenario(self) -> None:
        await bring_up(self)
        peers = [RawPeer(await connect(self, number, pmtu=4096), self.partner) for number in (2, 3, 4)]
        mr = [await self.host.register_mr(raw.link.config.pd, 8192) for raw in peers]
        for _ in range(6):
            for number in (0, 1, 2) * 3:
                for length in (0, 4, 4, self.rng.choice((4, 2000, 4096)), 8):
                    peers[number].post(Verb.WRITE, self.rng.randbytes(length), mr[number].va, mr[number].rkey)
            await self.host.pause(12)


@dut_test(suites=("full",))
class reset_midtraffic(ErnicTest):
    """A reset at any moment leaves nothing behind; a new bring-up works.

    Stimulus: three times: traffic both ways, reset after a random time, reset values read, bring-up, full
    traffic. Checks: ERN-219, ERN-220, ERN-221, ERN-003.
    """

    async def scenario(self) -> None:
        for _ in range(3):
            await bring_up(self)
            link = await connect(self, 2)
            await self.host.read("CQHEAD", 2)
            await post_all(self, link, [request(self.rng, Verb.SEND, 32)])
            for length in (2000, 900, 64):
                peer_post(link, self.rng, Verb.SEND, length)
                await self.host.post_send(link.qp, request(self.rng, Verb.SEND, length))
            self.partner.service()
            await self.host.pause(self.rng.uniform(0.05, 1.5))
            await reset(self)
            for name in ("XRNICCONF", "INTSTS", "OUTIOPKTCNT", "INALLDRPPKTCNT"):
                await self.host.read(name)
            await self.host.read("CQHEAD", 2)
        await bring_up(self)
        await both_ways(self, await connect(self, 2))


@dut_test(suites=("full",))
class bringup_order(ErnicTest):
    """The device works after any order of configuration writes in which the enables come last.

    Stimulus: documented, reverse and two random orders of all writes but the enables, then one SEND out
    before anything else, then traffic both ways.
    Checks: ERN-223, ERN-221, ERN-056, ERN-148.
    """

    async def scenario(self) -> None:
        for order in ("documented", "reverse", "random", "random"):
            await reset(self)
            config = qp_config(2)
            writes = self.host.prepare()
            enable = [writes.pop()]
            qp = self.host.prepare_qp(config)
            enable.append(qp.pop())
            await self.host.apply(self.shuffle(writes + qp, order))
            await self.host.apply(enable)
            peer = self.partner.connect(2, peer_config(self.host, config))
            link = Link(self.host.qps[2], peer, config)
            await post_all(self, link, [request(self.rng, Verb.SEND, 40)])
            await both_ways(self, link)

    def shuffle(self, writes: list[Write], order: str) -> list[Write]:
        """The writes in the order asked for."""
        if order == "reverse":
            return writes[::-1]
        return self.rng.sample(writes, len(writes)) if order == "random" else writes


@dut_test(suites=("full",))
class non_roce_pass(ErnicTest):
    """Frames that are not RoCE pass through both ways unchanged, in order, beside RoCE traffic.

    Stimulus: 60 to 1514 bytes with 0, 1 and 2 tags, ARP, plain IP and UDP, both directions, RoCE traffic
    meanwhile.
    Checks: ERN-207, ERN-208, ERN-209, ERN-218.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2)
        await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 700) for _ in range(6)])
        for tags in (b"", b"\x81\x00\x00\x05", b"\x88\xa8\x00\x01\x81\x00\x20\x02"):
            for length in (60, 61, 64, 65, 127, 128, 129, 777, 1514):
                kind = self.rng.choice((b"\x08\x06", b"\x08\x00", b"\x86\xdd"))
                head = self.rng.randbytes(12) + tags + kind
                frame = head + self.rng.randbytes(length - len(head))
                self.env.other_mac.send_nowait(frame)
                self.env.host_stream.send_nowait(frame[::-1])
        await self.host.wait_completions(link.qp)
        await self.host.pause(8)


@dut_test(suites=("full",))
class parallel_traffic(ErnicTest):
    """Queue pairs driven at the same time in both directions do not disturb each other.

    Stimulus: four queue pairs, a sending and a receiving sequence each, all started together.
    Checks: ERN-058, ERN-069, ERN-139, ERN-148, ERN-238.
    """

    async def scenario(self) -> None:
        configure = ConfigureSequence(self, range(2, 6), pmtu=512, sq_depth=32, rq_depth=32)
        await configure.start()
        sequences: list[BenchSequence] = []
        for number, link in configure.links.items():
            mr = await self.host.register_mr(link.config.pd, 8192, row=number)
            for verb in (Verb.SEND, Verb.WRITE, Verb.SEND_IMM, Verb.WRITE_IMM):
                peer_post(link, self.rng, verb, self.rng.randrange(1500), mr, self.rng.randrange(4000))
            batch = [request(self.rng, verb, self.rng.randrange(1500)) for verb in ALL_VERBS * 3]
            sequences += [SendSequence(self, link, batch), ReceiveSequence(self, link)]
        await ParallelSequence(self, sequences).start()


@dut_test(suites=("full",))
class slot_of_number(ErnicTest):
    """The number in a frame selects the registers of one queue pair, also beside others set up alike.

    Stimulus: all queue pairs (of a large build the lowest and the highest ones) with the same packet numbers,
    to each an empty WRITE, then traffic both ways on each.
    Checks: ERN-019, ERN-076, ERN-119, ERN-125, ERN-143.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        numbers = data_qps(self)
        chosen = sorted({*numbers[:3], *numbers[-3:]})
        links = [await connect(self, number, first_psn=0x40, expected_psn=0x80) for number in chosen]
        for link in links:
            mr = await self.host.register_mr(link.config.pd, 64, row=link.number)
            peer_post(link, self.rng, Verb.WRITE, 0, mr)
            await peer_done(self, link)
        for link in links:
            await both_ways(self, link)


@dut_test(suites=("full",))
class high_addresses(ErnicTest):
    """Rings and buffers far above 4 GiB are reached with all their address bits.

    Stimulus: queue pairs with all rings above 64 GiB, low base bits written as ones, traffic both ways.
    Checks: ERN-021, ERN-056, ERN-075, ERN-077, ERN-139, ERN-142, ERN-143.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2, high_memory=True, enable=False)
        memory = self.host.qp_memory[2]
        for name, base, low in (
            ("SQBA", memory.sq, 0x1F),
            ("CQBA", memory.cq, 0x1F),
            ("RQBA", memory.rq, 0xFF),
        ):
            await self.host.write(name, base & 0xFFFF_FFFF | low, 2)
            await self.host.read(name, 2)
        await self.host.enable_qp(link.qp)
        await both_ways(self, link, 9)


@dut_test(suites=("full",))
class unused_addresses(ErnicTest):
    """Address registers of the other IP version have no effect.

    Stimulus: random values in them, changed between messages, traffic both ways on queue pairs of both
    versions.
    Checks: ERN-248, ERN-042.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        four, six = await connect(self, 2), await connect(self, 3, ip_version=6)
        for _ in range(2):
            for word in (2, 3, 4):
                await self.host.write(f"IPDESADDR{word}", self.rng.getrandbits(32), 2)
            for name in ("IPv6XADD1", "IPv6XADD2", "IPv6XADD3", "IPv6XADD4"):
                await self.host.write(name, self.rng.getrandbits(32))
            await both_ways(self, four)
            ipv6 = self.host.config.ipv6
            for word in range(4):
                await self.host.write(f"IPv6XADD{word + 1}", ipv6 >> 32 * word & 0xFFFF_FFFF)
            await self.host.write("IPv4XADD", self.rng.getrandbits(32))
            await both_ways(self, six)
            await self.host.write("IPv4XADD", self.host.config.ipv4)


@dut_test(suites=("full",))
class device_disabled_silent(ErnicTest):
    """Before the global enable nothing is fetched and nothing is sent; the work waiting starts with it.

    Stimulus: queue pair enabled and work posted while the device is off, then the enable, traffic both ways.
    Checks: ERN-247, ERN-076.
    """

    async def scenario(self) -> None:
        writes = self.host.prepare()
        await self.host.apply(writes[:-1])
        link = await connect(self, 2)
        await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 40) for _ in range(3)])
        await self.host.pause(5)
        await self.host.apply(writes[-1:])
        await self.host.wait_completions(link.qp)
        await both_ways(self, link)
