"""Congestion: marks on inbound requests, notifications in and out."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy
from ref_model.rocev2.segment import Verb
from ref_model.wire import Frame, IPv4, build
from tb.agents.pins import now_ps
from tb.sequences.connect import Link, connect
from tb.sequences.frames import wrong_mac
from tb.sequences.management import Management, notification
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up
from tb.sequences.traffic import post_all, request
from tb.testcase import ErnicTest, dut_test

CNP_STATUS = 0x100
HOLD = {"ack_policy": AckPolicy(AckMode.HOLD)}


def marked(frame: Frame, ecn: int = 3) -> Frame:
    """The frame with its ECN bits set to ``ecn``."""
    if isinstance(frame.ip, IPv4):
        frame.ip.tos = frame.ip.tos & ~3 | ecn
    elif frame.ip is not None:
        frame.ip.traffic_class = frame.ip.traffic_class & ~3 | ecn
    return frame


def notify(test: ErnicTest, link: Link, psn: int = 0) -> None:
    """The peer of ``link`` sends a CNP."""
    test.partner.notify(link.number, notification(link.peer.config, psn))


async def let_go(test: ErnicTest, links: list[Link]) -> None:
    """Acknowledge what was held back, to the end."""
    for link in links:
        link.peer.config.ack_policy = AckPolicy()
        link.peer.release_acks(now_ps())
    test.partner.service()
    for link in links:
        await test.host.wait_completions(link.qp)


@dut_test(suites=("smoke", "full"))
class ecn_shown(ErnicTest):
    """An accepted request marked CE sets the bank bit of its queue pair and INTSTS[8]; other marks set
    nothing.

    Stimulus: SENDs and WRITEs with ECN 0 to 3 on three queue pairs and both IP versions, one and several
    marked packets; status and bank read and cleared each time; the CNP counters stay where one CNP has put
    them.
    Checks: ERN-198, ERN-185, ERN-174, ERN-177, ERN-202, ERN-199, ERN-139.
    """

    async def scenario(self) -> None:
        await bring_up(self, interrupts=CNP_STATUS)
        peers = [
            RawPeer(await connect(self, n, ip_version=v, pmtu=256), self.partner) for n, v in ((2, 4), (7, 6))
        ]
        for raw in peers:
            mr = await self.host.register_mr(raw.link.config.pd, 4096)
            notify(self, raw.link)
            for ecn in (0, 1, 2, 3, 3, 1):
                raw.send([marked(frame, ecn) for frame in raw.message(Verb.SEND, self.rng.randbytes(300))])
                await self.look()
                write = raw.message(Verb.WRITE, self.rng.randbytes(200), mr.va, mr.rkey)
                raw.send([marked(frame, ecn) for frame in write])
                await self.look()
            await post_all(self, raw.link, [request(self.rng, Verb.SEND, 40)])

    async def look(self) -> None:
        """Everything exactly, at rest; then the mark is cleared."""
        await self.settle()
        for name in ("INCNPPKTCNT", "OUTCNPPKTCNT"):
            await self.host.read(name)
        await self.host.write("INTSTS", CNP_STATUS)
        await self.host.read("CNPSCHDSTS", 0)
        await self.host.read("INTSTS")


@dut_test(suites=("full",))
class ecn_elsewhere(ErnicTest):
    """A mark on a frame that is no accepted request does no harm.

    Stimulus: CE on acknowledgements, on CNPs, on repeated and on too early requests, on frames with a wrong
    MAC (of which nothing else may show), for a disabled queue pair; good requests between them.
    Checks: ERN-185, ERN-110, ERN-099, ERN-115, ERN-114, ERN-201.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link, off = await connect(self, 2, {"traffic_class": 3}), await connect(self, 4, enable=False)
        await post_all(self, link, [request(self.rng, Verb.SEND, 40) for _ in range(5)])
        link.peer.config.traffic_class = 0
        raw = RawPeer(link, self.partner)
        first = raw.post(Verb.SEND, b"first")
        await self.settle()
        raw.broken(lambda frame: wrong_mac(4)(marked(frame)))
        raw.send([marked(frame) for frame in first], advance=False)
        self.partner.inject(build(marked(notification(link.peer.config))))
        raw.send(marked(RawPeer(off, self.partner).message(Verb.SEND, b"off")[0]), advance=False)
        await self.settle()
        raw.post(Verb.SEND, b"good")
        await self.settle()
        early = raw.message(Verb.SEND, b"early", psn=raw.psn + 1)
        raw.send([marked(frame) for frame in early], advance=False)
        await self.settle()
        raw.post(Verb.SEND, b"good again")


@dut_test(suites=("full",))
class ecn_storm(ErnicTest):
    """Marks in every frame change nothing but the status: no CNP leaves by itself.

    Stimulus: 100 marked SENDs of up to three packets on two queue pairs, requests out meanwhile, the bank
    read and cleared now and then; a mark right around the clearing.
    Checks: ERN-199, ERN-198, ERN-139, ERN-202.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        peers = [RawPeer(await connect(self, n, pmtu=256, rq_depth=64), self.partner) for n in (2, 3)]
        for turn in range(50):
            for raw in peers:
                frames = raw.message(Verb.SEND, self.rng.randbytes(self.rng.randrange(700)))
                raw.send([marked(frame) for frame in frames])
            if turn % 10 == 9:
                await self.host.write("INTSTS", CNP_STATUS)
                await self.host.read("CNPSCHDSTS", 0)
                await post_all(self, peers[0].link, [request(self.rng, Verb.SEND, 64)])
                for raw in peers:
                    slots = await self.host.poll_recv(raw.link.qp)
                    await self.host.free_recv(raw.link.qp, len(slots))
        await self.settle()
        await self.host.write("INTSTS", CNP_STATUS)


@dut_test(suites=("full",))
class ecn_cleared(ErnicTest):
    """A CNPSCHDSTS bit is cleared by the way CNP_CLEAR names, and by no other.

    Stimulus: marked requests on two queue pairs, then INTSTS[8] cleared, the CNP of one of them sent through
    QP1, ones written to the read-only bank; all orders, bank read after each.
    Checks: ERN-202, ERN-198, ERN-005, ERN-193.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one = await Management.open(self)
        peers = [RawPeer(await connect(self, number), self.partner) for number in (2, 3)]
        for order in ("send status bank", "bank send status", "status bank send", "send send bank"):
            for raw in peers:
                raw.send(marked(raw.message(Verb.SEND, self.rng.randbytes(30))[0]))
            await self.settle()
            for action in order.split():
                if action == "send":
                    await one.send(one.outgoing_cnp(peers[0].link))
                elif action == "status":
                    await self.host.write("INTSTS", CNP_STATUS)
                else:
                    await self.host.write("CNPSCHDSTS", 0xFFFFFFFF, 0)
                await self.settle()


@dut_test(suites=("full",))
class cnp_limit(ErnicTest):
    """The first CNP halves the limit of its queue pair, later ones leave it, other queue pairs keep theirs.

    Stimulus: 40 one-packet requests each on three queue pairs with 0, 1 and 3 CNPs before them and all
    acknowledgements held; let through in steps.
    Checks: ERN-200, ERN-065, ERN-069, ERN-174.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number, dict(HOLD), sq_depth=64) for number in (2, 3, 4)]
        for link, count in zip(links, (0, 1, 3), strict=True):
            for _ in range(count):
                notify(self, link)
        await self.host.pause(3)
        for link in links:
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 32) for _ in range(40)])
        for _ in range(3):
            await self.host.pause(20)
            for link in links:
                link.peer.release_acks(now_ps())
            self.partner.service()
        await let_go(self, links)


@dut_test(suites=("full",))
class cnp_midway(ErnicTest):
    """A CNP that comes while 16 requests are unacknowledged stops new ones until fewer than 8 are left.

    Stimulus: 40 one-packet requests, acknowledgements held, a CNP when 16 are out, further CNPs after; let
    through; then again on the same queue pair.
    Checks: ERN-200, ERN-065, ERN-174.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link = await connect(self, 2, dict(HOLD), sq_depth=64)
        for _ in range(2):
            await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE, 32) for _ in range(40)])
            await self.host.pause(12)
            for _ in range(4):
                notify(self, link)
                await self.host.pause(6)
                link.peer.release_acks(now_ps())
                self.partner.service()
            await let_go(self, [link])
            link.peer.config.ack_policy = AckPolicy(AckMode.HOLD)
        link.peer.config.ack_policy = AckPolicy()


@dut_test(suites=("full",))
class cnp_inside(ErnicTest):
    """A CNP is no part of the packet sequence, wherever it comes and whatever number it bears.

    Stimulus: CNPs between the packets of long SENDs and WRITEs, with the PSN of the packet before, of the
    next one and random ones; CNPs for a disabled and an unknown queue pair; RQ and PSN state read after.
    Checks: ERN-201, ERN-174, ERN-112, ERN-113, ERN-103, ERN-139, ERN-148.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link, off = await connect(self, 2, pmtu=256), await connect(self, 4, enable=False)
        mr = await self.host.register_mr(link.config.pd, 4096)
        raw = RawPeer(link, self.partner)
        for verb in (Verb.SEND, Verb.WRITE, Verb.SEND):
            for frame in raw.message(verb, self.rng.randbytes(1000), mr.va, mr.rkey):
                notify(
                    self, link, self.rng.choice((raw.psn, raw.psn - 1, self.rng.getrandbits(24))) & 0xFFFFFF
                )
                raw.send(frame)
            await self.settle()
        for number in (off.number, 5, 0x4321):
            stray = notification(link.peer.config)
            assert stray.bth is not None
            stray.bth.dest_qp = number
            self.partner.inject(build(stray))
        raw.post(Verb.SEND, b"after all")


@dut_test(suites=("full",))
class cnp_storm(ErnicTest):
    """A flood of CNPs slows its queue pairs at most.

    Stimulus: 200 CNPs for two queue pairs in bursts, traffic both ways on them and on a third, datagrams on
    QP1.
    Checks: ERN-174, ERN-201, ERN-195, ERN-069.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one = await Management.open(self)
        links = [await connect(self, number, sq_depth=32) for number in (2, 3, 4)]
        peers = [RawPeer(link, self.partner) for link in links]
        for turn in range(10):
            for link in links:
                await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 60) for _ in range(5)])
            for raw in peers:
                for link in links[:2] * 3:
                    notify(self, link, turn)
                raw.post(Verb.SEND, self.rng.randbytes(50))
            one.receive()
        for link in links:
            await self.host.wait_completions(link.qp)


@dut_test(suites=("smoke", "full"))
class cnp_out(ErnicTest):
    """A CNP is sent by software through QP1 as it stands, for the queue pair that was marked.

    Stimulus: marked requests on two queue pairs in both IP versions, the CNP of each sent between datagrams,
    also many at once; counters read at rest.
    Checks: ERN-193, ERN-194, ERN-174, ERN-162, ERN-198, ERN-199.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        one = await Management.open(self, sq_depth=32)
        links = [await connect(self, number, ip_version=version) for number, version in ((2, 4), (3, 6))]
        for link in links:
            raw = RawPeer(link, self.partner)
            for count in (1, 3, 9):
                raw.send(marked(raw.message(Verb.SEND, self.rng.randbytes(30))[0]))
                await self.settle()
                await one.send(one.outgoing(), *[one.outgoing_cnp(link)] * count, one.outgoing())
                await self.host.write("INTSTS", CNP_STATUS)
                await self.settle()
