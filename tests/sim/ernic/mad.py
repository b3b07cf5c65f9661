"""QP1: management datagrams in and out, beside RC traffic."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from ref_model.wire import Deth, Frame, IPv4, build
from tb.partner import Action, Fault
from tb.sequences.connect import Link, connect, connect_many
from tb.sequences.flow import set_pause
from tb.sequences.frames import (
    long_ip_header,
    other_ip_version,
    wrong_icrc,
    wrong_ip,
    wrong_mac,
    wrong_version,
)
from tb.sequences.management import MANAGEMENT_QP, Management, whole
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, reset
from tb.sequences.traffic import ALL_VERBS, peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test

#: INTSTS[1] and [6]: a MAD was received, a receive bank has a bit set.
MAD_STATUS, RECEIVE_STATUS = 0x02, 0x40
ADDRESSES = (wrong_mac(3), wrong_icrc, wrong_ip, wrong_version, other_ip_version, long_ip_header(7))


@dut_test(suites=("smoke", "full"))
class mad_in(ErnicTest):
    """Each datagram for QP1 fills the next ring element with its whole frame, then index and doorbell move.

    Stimulus: datagrams of 0 to 256 bytes over three laps of a ring of 16, freed as they come, one by one and
    in bursts, SENDs of a data queue pair beside them; both IP versions.
    Checks: ERN-195, ERN-196, ERN-162, ERN-197.
    """

    async def scenario(self) -> None:
        for version in (4, 6):
            await reset(self)
            await bring_up(self)
            one = await Management.open(self, ip_version=version, rq_interrupt=version == 4)
            link = await connect(self, 2)
            for _ in range(7):
                for size in (0, 1, 3, 64, 100, 255, 256):
                    one.receive(payload=self.rng.randbytes(size))
                    peer_post(link, self.rng, Verb.SEND, size)
                self.partner.service()
                await self.host.wait_received(one.qp, one.qp.freed + 7)
                await one.free()
                await peer_done(self, link)
            for _ in range(30):
                one.receive()
                await self.host.wait_received(one.qp, one.qp.received + 1)
                await self.host.free_recv(one.qp, 1)


@dut_test(suites=("full",))
class mad_interrupt(ErnicTest):
    """A datagram sets INTSTS[1], and with QPCONF[2] INTSTS[6] and bit 1 of the first receive bank.

    Stimulus: one datagram with QPCONF[2] = 0 and 1, pin enabled for each source; status and bank read,
    cleared, read again, another datagram.
    Checks: ERN-196, ERN-177, ERN-006, ERN-183.
    """

    async def scenario(self) -> None:
        for enabled in (False, True):
            await reset(self)
            await bring_up(self, interrupts=MAD_STATUS if enabled else RECEIVE_STATUS)
            one = await Management.open(self, rq_interrupt=enabled)
            for _ in range(3):
                one.receive()
                await self.settle()
                for name, value in (("INTSTS", MAD_STATUS), ("INTSTS", RECEIVE_STATUS)):
                    await self.host.write(name, value)
                    await self.host.read("INTSTS")
                await self.host.write("RQINTSTS", 1 << MANAGEMENT_QP, 0)
                await self.host.read("RQINTSTS", 0)
                await self.host.read("INTSTS")
                await one.free()


@dut_test(suites=("full",))
class mad_no_answer(ErnicTest):
    """Nothing is answered to QP1 frames and their packet numbers are not looked at.

    Stimulus: equal, falling, random and wrapping PSNs, A bit set, a full ring, then room again; SENDs of a
    data queue pair between them are answered.
    Checks: ERN-197, ERN-195, ERN-119.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one, link = await Management.open(self), await connect(self, 2)
        numbers = [7, 7, 6, 0xFFFFFF, 0, self.rng.getrandbits(24), link.config.expected_psn, 0, 8, 8]
        for psn in numbers:
            frame = one.datagram(psn=psn)
            assert frame.bth is not None
            frame.bth.ack_req = psn % 2 == 0
            self.partner.notify(MANAGEMENT_QP, frame)
            peer_post(link, self.rng, Verb.SEND, 30)
        await peer_done(self, link)
        await self.settle()
        await self.host.poll_recv(one.qp)
        one.receive(12)  # 16 elements, 10 in use
        await self.settle()
        await one.free()
        await self.host.pause(5)
        one.receive(3)
        peer_post(link, self.rng, Verb.SEND, 30)
        await peer_done(self, link)


@dut_test(suites=("full",))
class mad_open_points(ErnicTest):
    """Frames on QP1 whose handling is not described harm nothing, whether they are taken or not.

    Stimulus: foreign Q_Key, other partition, an RC SEND, a CNP and a datagram longer than the element, each
    between good datagrams and SENDs of a data queue pair.
    Checks: ERN-195, ERN-197, ERN-238.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one, link = await Management.open(self), await connect(self, 2)
        for frame in self.odd_frames(one):
            one.receive()
            self.partner.inject(build(frame))
            one.receive(2)
            peer_post(link, self.rng, Verb.SEND, 30)
            await peer_done(self, link)
            await self.settle()
            await one.free()

    def odd_frames(self, one: Management) -> list[Frame]:
        """One frame of each kind."""
        key, pkey, send, notice = (one.datagram(psn=0x55) for _ in range(4))
        key.deth = Deth(0x1234, 5)
        send.deth = notice.deth = None
        notice.payload = b""
        assert pkey.bth and send.bth and notice.bth
        pkey.bth.pkey, send.bth.opcode, notice.bth.opcode = 0x8123, 0x04, 0x81
        return [key, pkey, send, notice, one.datagram(self.rng.randbytes(600))]


@dut_test(suites=("full",))
class mad_dropped(ErnicTest):
    """A datagram that fails validation is dropped, counted and logged like any other frame.

    Stimulus: wrong MAC, ICRC, address, transport version, IP version and header length between good
    datagrams; datagrams while QP1 is disabled.
    Checks: ERN-099, ERN-100, ERN-101, ERN-103, ERN-107, ERN-109, ERN-110, ERN-151, ERN-154.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2)
        one = await Management.open(self, enable=False)
        one.receive(2)
        await self.host.pause(3)
        await self.host.enable_qp(one.qp)
        for change in ADDRESSES:
            one.receive()
            frame = one.datagram()
            change(frame)
            self.partner.inject(build(frame))
            one.receive()
            await self.host.pause(3)
            await one.free()
        await post_all(self, link, [request(self.rng, Verb.SEND, 20)])


@dut_test(suites=("smoke", "full"))
class mad_out(ErnicTest):
    """What software puts on QP1 leaves as it lies in memory, with the ICRC behind it, and completes by
    itself.

    Stimulus: datagrams with 0 to 1000 bytes at odd addresses, all headers unlike those of the data queue
    pairs, alone, 20 at once, over two laps of the ring; with and without completion entries; SENDs of a data
    queue pair beside them; IPv6 and a tagged class.
    Checks: ERN-193, ERN-194, ERN-053, ERN-056, ERN-057, ERN-073, ERN-076, ERN-077, ERN-162.
    """

    async def scenario(self) -> None:
        for cqe, version in ((True, 4), (False, 6)):
            await reset(self)
            await bring_up(self)
            one = await Management.open(self, cqe=cqe, ip_version=version, sq_depth=32, cq_interrupt=cqe)
            link = await connect(self, 2)
            for size in (256, 0, 1, 2, 63, 64, 257, 1000):
                await one.send(one.outgoing(self.rng.randbytes(size), psn=size))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 300) for _ in range(6)])
            await one.send(*[one.outgoing(psn=number) for number in range(20)])
            for number in range(24):
                entry = one.outgoing(self.rng.randbytes(self.rng.randrange(300)), psn=number)
                entry.align_offset = self.rng.randrange(64)
                await one.send(entry)
            await self.host.wait_completions(link.qp)
            await self.host.read("CQHEAD", MANAGEMENT_QP)


@dut_test(suites=("full",))
class mad_out_headers(ErnicTest):
    """No header of a frame from QP1 is touched, whatever it says.

    Stimulus: frames with other source addresses, TTL, class, identification, UDP source port and checksum,
    P_Key, DestQP of a data queue pair's peer, PSN and flags than the device would write itself.
    Checks: ERN-193, ERN-053, ERN-194.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one, link = await Management.open(self), await connect(self, 2)
        for _ in range(12):
            frame = one.datagram(psn=self.rng.getrandbits(24))
            assert isinstance(frame.ip, IPv4) and frame.bth and frame.udp and frame.deth
            frame.eth.dst, frame.eth.src = self.rng.getrandbits(48), self.rng.getrandbits(48)
            frame.ip.ttl, frame.ip.tos = self.rng.randrange(1, 256), self.rng.randrange(256)
            frame.ip.ident, frame.ip.src = self.rng.getrandbits(16), self.rng.getrandbits(32)
            frame.ip.dst, frame.udp.src = self.rng.getrandbits(32), self.rng.getrandbits(16)
            frame.udp.checksum = self.rng.getrandbits(16)
            frame.bth.pkey, frame.bth.se = self.rng.getrandbits(16), True
            frame.bth.dest_qp = self.rng.choice((MANAGEMENT_QP, link.config.peer_qp, 0xABCDEF))
            frame.deth.qkey = self.rng.getrandbits(32)
            await one.send(whole(frame, self.rng.randrange(64)))
        await post_all(self, link, [request(self.rng, Verb.SEND, 40)])


@dut_test(suites=("full",))
class mad_registers(ErnicTest):
    """Access to the registers QP1 does not have ends, and QP1 works whatever was written there.

    Stimulus: ones written to each of them and read back, then datagrams both ways.
    Checks: ERN-007, ERN-193, ERN-195; ERN-026 is recorded.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one = await Management.open(self)
        for name in (
            "QPADVCONF",
            "SQPSN",
            "LSTRQREQ",
            "TIMEOUTCONF",
            "PDNUM",
            "STATSSN",
            "STATMSN",
            "STATRESPSN",
        ):
            await self.host.write(name, 0xFFFFFFFF, MANAGEMENT_QP)
            await self.host.read(name, MANAGEMENT_QP)
        one.receive(3)
        await one.send(*[one.outgoing() for _ in range(3)])
        await self.host.wait_received(one.qp, 3)


async def both(test: ErnicTest, one: Management, link: Link, count: int) -> None:
    """Datagrams both ways and RC traffic both ways, all at once."""
    mr = await test.host.register_mr(link.config.pd, 4096, row=link.number)
    for _ in range(count):
        one.receive()
        peer_post(link, test.rng, Verb.SEND, test.rng.randrange(900))
        peer_post(link, test.rng, Verb.WRITE, test.rng.randrange(900), mr, test.rng.randrange(2000))
    test.partner.service()
    await test.host.post_send(one.qp, *[one.outgoing() for _ in range(count)])
    await post_all(test, link, [request(test.rng, verb, test.rng.randrange(1500)) for verb in ALL_VERBS])
    await peer_done(test, link)
    await test.host.wait_completions(one.qp)
    await test.host.wait_received(one.qp, one.qp.freed + count)
    await one.free()


@dut_test(suites=("full",), seeds=2)
class mad_beside_traffic(ErnicTest):
    """QP1 and the data queue pairs do not disturb each other.

    Stimulus: heavy stalls; datagrams both ways while three data queue pairs send and receive, one of them
    repairing lost packets, one turning fatal by a bad request.
    Checks: ERN-193, ERN-195, ERN-236, ERN-238, ERN-081, ERN-211.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        one = await Management.open(self)
        links = await connect_many(self, range(2, 5), pmtu=256, timeout=5)
        self.partner.add_faults(Fault(Action.DROP, qp=3, probability=0.1))
        for link in links[:2]:
            await both(self, one, link, 6)
        raw = RawPeer(links[2], self.partner)
        raw.broken(lambda frame: setattr(frame.bth, "opcode", 0x02))
        await both(self, one, links[0], 6)


@dut_test(suites=("full",))
class mad_during_retry(ErnicTest):
    """Datagrams come and go while a data queue pair waits for a timeout, an RNR wait or resends.

    Stimulus: peer silent, then RNR NAKs, then sequence NAKs; datagrams both ways meanwhile, and the same on
    the data queue pair afterwards.
    Checks: ERN-193, ERN-194, ERN-195, ERN-084, ERN-088, ERN-081, ERN-173.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        one, link = await Management.open(self), await connect(self, 2, timeout=5, pmtu=256)
        for fault in (
            Fault(Action.DROP, qp=2, count=9),
            Fault(Action.RNR, qp=2, value=4, count=2),
            Fault(Action.NAK, qp=2, value=0x60, count=3),
        ):
            self.partner.add_faults(fault)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE, 600) for _ in range(3)])
            for _ in range(4):
                one.receive(2)
                await one.send(one.outgoing(), one.outgoing())
                await one.free()
            await self.host.wait_completions(link.qp, limit_ps=800_000_000)
            await both(self, one, link, 3)


@dut_test(suites=("full",))
class mad_paused(ErnicTest):
    """Frames of QP1 belong to the RoCE class: a pause request holds them back, and they leave after it.

    Stimulus: pause by the priority of the class before and in the middle of datagrams out, SENDs of a data
    queue pair and datagrams in meanwhile; then a request of another priority, which stops nothing.
    Checks: ERN-193, ERN-194, ERN-195, ERN-203, ERN-204.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one, link = await Management.open(self), await connect(self, 2, sq_depth=32)
        await set_pause(self, 4, 5)
        for priority, midway in ((4, False), (4, True), (6, False)):
            if midway:
                await self.host.post_send(one.qp, *[one.outgoing() for _ in range(6)])
            await self.env.pause.request(priority)
            await self.host.pause(1)
            await self.host.post_send(one.qp, *[one.outgoing() for _ in range(6)])
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 200) for _ in range(6)])
            one.receive(3)
            await self.host.pause(8)
            if priority == 6:
                await self.host.wait_completions(one.qp)
            await self.env.pause.request()
            await self.host.wait_completions(one.qp)
            await self.host.wait_completions(link.qp)
            await one.free()
