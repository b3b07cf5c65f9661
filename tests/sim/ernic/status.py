"""Interrupts, counters, error buffer and fatal queue."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from ref_model.wire import IPv4
from tb.host import RingSize
from tb.sequences.connect import Link, connect
from tb.sequences.frames import other_ip_version, wrong_mac
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, reset, start
from tb.sequences.traffic import ALL_VERBS, peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test

ALL_SOURCES = 0x1FB


@dut_test(suites=("smoke", "full"))
class interrupts(ErnicTest):
    """Each cause sets its status and bank bit, the pin follows the enabled ones, writing 1 clears.

    Stimulus: completion, receive, bad frame, RNR, reserved opcode; enable before and after the event; clear
    status and banks in both orders. Checks: ERN-006, ERN-177, ERN-178, ERN-179, ERN-181, ERN-182, ERN-183,
    ERN-185.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, n, cq_interrupt=True, rq_interrupt=True, element=256) for n in (2, 3)]
        plain = await connect(self, 4)
        for enable_first in (True, False):
            for mask in (0x10, 0x40, 0x01):
                await self.host.set_interrupts(mask if enable_first else 0)
                await self.cause(links, plain)
                await self.host.set_interrupts(mask)
                await self.settle()
                await self.look_and_clear(banks_first=enable_first)
        await self.fill_ring(links[0])
        await self.host.post_send(plain.qp, request(self.rng, Verb.SEND, 8))
        await self.host.set_interrupts(ALL_SOURCES)
        await self.look_and_clear(banks_first=True)

    async def cause(self, links: list[Link], plain: Link) -> None:
        """One event of each ordinary kind."""
        for link in (*links, plain):
            await post_all(self, link, [request(self.rng, Verb.SEND, 20)])
            peer_post(link, self.rng, Verb.SEND, 20)
            await peer_done(self, link)
        raw = RawPeer(plain, self.partner)
        raw.broken(wrong_mac(5))
        await self.host.pause(2)

    async def fill_ring(self, link: Link) -> None:
        """Receive until the ring is full and one more."""
        for _ in range(17):
            peer_post(link, self.rng, Verb.SEND, 20)
        self.partner.service()
        await self.host.pause(12)
        await self.host.free_recv(link.qp, 8)
        await peer_done(self, link)

    async def look_and_clear(self, banks_first: bool) -> None:
        """Read status and banks, clear both one bit at a time."""
        for _ in range(2):
            await self.host.read("INTSTS")
            for bank in ("CQINTSTS", "RQINTSTS"):
                await self.host.read(bank, 0)
        if not banks_first:
            await self.host.write("INTSTS", 0x50)
            await self.host.read("INTSTS")
        for bit in (2, 3, 4):
            for bank in ("CQINTSTS", "RQINTSTS"):
                await self.host.write(bank, 1 << bit, 0)
                await self.host.read(bank, 0)
                await self.host.read("INTSTS")
        await self.host.write("INTSTS", 0x1FF)
        await self.host.read("INTSTS")


COUNTERS = (
    "INSRRPKTCNT",
    "INAMPKTCNT",
    "OUTIOPKTCNT",
    "OUTAMPKTCNT",
    "LSTINPKT",
    "LSTOUTPKT",
    "ININVDUPCNT",
    "QPMSTS",
    "INALLDRPPKTCNT",
    "INNAKPKTCNT",
    "OUTNAKPKTCNT",
    "RETRYCNTSTS",
    "OUTRDRSPPKTCNT",
)


@dut_test(suites=("full",))
class counters(ErnicTest):
    """Every counter moves by exactly its events and by nothing else.

    Stimulus: one-packet and longer SENDs and WRITEs out, both in, then bad and repeated frames; all counters
    read between the parts, written at the end and read again.
    Checks: ERN-159, ERN-161, ERN-163, ERN-164, ERN-165, ERN-166, ERN-167, ERN-168, ERN-169, ERN-170,
    ERN-176/isolation.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2, pmtu=256)
        mr = await self.host.register_mr(link.config.pd, 4096)
        await post_all(self, link, [request(self.rng, verb, 40) for verb in ALL_VERBS])
        await self.read_counters()
        await post_all(self, link, [request(self.rng, verb, 600) for verb in ALL_VERBS])
        await self.read_counters()
        for length in (10, 600):
            peer_post(link, self.rng, Verb.SEND, length)
        await peer_done(self, link)
        await self.read_counters()
        peer_post(link, self.rng, Verb.WRITE, 600, mr)
        await peer_done(self, link)
        raw = RawPeer(link, self.partner, link.peer.requester.next_psn)
        for change in (wrong_mac(1), other_ip_version, wrong_mac(40)):
            raw.broken(change)
        repeated = raw.post(Verb.SEND, b"once")
        raw.send(repeated, advance=False)
        await self.host.pause(5)
        await self.read_counters()
        for name in COUNTERS:
            await self.host.write(name, 0xFFFF_FFFF)
        await self.read_counters()

    async def read_counters(self) -> None:
        """Read all counters when nothing moves."""
        await self.settle()
        for name in COUNTERS:
            await self.host.read(name)


@dut_test(suites=("full",))
class error_buffer(ErnicTest):
    """Rejected frames are logged in the error ring as the enable bit says, never outside it.

    Stimulus: 4 entries of 64 bytes; ten bad frames and one fatal request with the bit 1, then with the bit 0.
    Checks: ERN-151, ERN-152, ERN-153, ERN-154, ERN-155, ERN-178.
    """

    async def scenario(self) -> None:
        for log_all in (True, False):
            await reset(self)
            await bring_up(self, error_buffer=RingSize(4, 64), error_buffer_all=log_all)
            link = await connect(self, 2)
            raw = RawPeer(link, self.partner)
            for bit in range(10):
                raw.broken(wrong_mac(bit) if bit % 2 else other_ip_version)
                await self.host.pause(1)
                await self.host.read("ERRBUFWPTR")
            await self.settle()
            raw.post(Verb.SEND, b"good")
            raw.broken(lambda frame: setattr(frame.bth, "opcode", 0x01))
            await self.host.pause(3)
            for name in ("ERRBUFWPTR", "IPKTERRQWPTR", "INTSTS"):
                await self.host.read(name)


@dut_test(suites=("full",))
class fatal_queue(ErnicTest):
    """Each queue pair that turns fatal leaves one entry with its number and code in the fatal ring.

    Stimulus: 4 entries, seven queue pairs fatal by opcode sequence, unsupported opcode, region and reserved
    entry.
    Checks: ERN-128, ERN-132, ERN-155, ERN-156, ERN-180, ERN-068.
    """

    async def scenario(self) -> None:
        await bring_up(self, fatal_queue=RingSize(4, 8))
        for number in range(2, 9):
            link = await connect(self, number)
            raw = RawPeer(link, self.partner)
            if number % 4 == 0:
                raw.send(raw.message(Verb.WRITE, b"nowhere", 0x1000, 0xF00))
            elif number % 4 == 1:
                bad = request(self.rng, Verb.SEND, 20)
                bad.opcode = 0x07
                await self.host.post_send(link.qp, bad)
            else:
                raw.broken(lambda frame: setattr(frame.bth, "opcode", 0x02))
            await self.host.pause(3)
            await self.host.read("IPKTERRQWPTR")
            await self.host.read("STATQP", number)
        await self.host.read("INTSTS")


@dut_test(suites=("full",))
class visible_order(ErnicTest):
    """A status shows only after what it announces is in memory, however slow the memory.

    Stimulus: heavy stalls on all ports, one message at a time in both directions, CQHEAD, ring index and
    interrupt status read all the time, all interrupts enabled; at last a fatal request with its interrupt
    enabled alone.
    Checks: ERN-079, ERN-144, ERN-180, ERN-177.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        await bring_up(self, interrupts=ALL_SOURCES)
        link = await connect(self, 2, cq_interrupt=True, rq_interrupt=True)
        raw = RawPeer(link, self.partner)
        for _ in range(12):
            await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 20))
            await self.look(link, 8)
            raw.post(Verb.SEND, self.rng.randbytes(200))
            await self.look(link, 12)
            for bank in ("CQINTSTS", "RQINTSTS"):
                await self.host.write(bank, 1 << link.number, 0)
        await self.settle()
        await self.host.set_interrupts(0x80)
        raw.broken(lambda frame: setattr(frame.bth, "opcode", 0x02))
        for _ in range(60):
            await self.host.read("INTSTS")

    async def look(self, link: Link, times: int) -> None:
        """Read what announces events, again and again."""
        for _ in range(times):
            await self.host.read("CQHEAD", link.number)
            await self.host.read("STATRQPIDB", link.number)
            await self.host.read("INTSTS")


@dut_test(suites=("full",))
class clear_races(ErnicTest):
    """No event is lost that happens while a status or bank bit is being cleared.

    Stimulus: SENDs in, the bank bit cleared in steps of 20 ns around the moment it is set, every other time
    one more SEND right behind; exact look each time.
    Checks: ERN-182, ERN-184, ERN-006.
    """

    async def scenario(self) -> None:
        link = await start(self, rq_interrupt=True, rq_depth=128)
        raw = RawPeer(link, self.partner)
        for step in range(30):
            raw.post(Verb.SEND, self.rng.randbytes(16))
            await self.host.pause(0.1 + 0.02 * step)
            await self.host.write("RQINTSTS", 1 << link.number, 0)
            if step % 2:
                raw.post(Verb.SEND, self.rng.randbytes(16))
            await self.settle()


@dut_test(suites=("full",))
class ecn_marks(ErnicTest):
    """A request that is not marked "congestion experienced" sets no congestion status.

    Stimulus: SENDs and READs with ECN 0, 1 and 2 in both IP versions, status and bank read after each.
    Checks: ERN-185, ERN-139, ERN-135.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, version in ((2, 4), (3, 6)):
            link = await connect(self, number, ip_version=version)
            mr = await self.host.register_mr(link.config.pd, 256)
            raw = RawPeer(link, self.partner)
            for mark, verb in (
                (0, Verb.SEND),
                (1, Verb.SEND),
                (2, Verb.READ),
                (1, Verb.READ),
                (2, Verb.SEND),
            ):
                frame = raw.message(verb, self.rng.randbytes(30), mr.va, mr.rkey)[0]
                if isinstance(frame.ip, IPv4):
                    frame.ip.tos |= mark
                elif frame.ip is not None:
                    frame.ip.traffic_class |= mark
                raw.send(frame)
                await self.settle()
