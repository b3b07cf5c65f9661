"""The main random test: everything mixed."""

from __future__ import annotations

import cocotb

from ref_model.rocev2.endpoint import AckMode, AckPolicy
from ref_model.rocev2.segment import PMTUS
from tb.host import Mr, ResponseMode
from tb.partner import Action, Direction, Fault
from tb.sequences.connect import Link, connect
from tb.sequences.start import bring_up
from tb.sequences.traffic import READ_TOO, consume, peer_done, peer_post, request
from tb.testcase import ErnicTest, dut_test

LOSS = 0.02
MESSAGES = 40
#: Bytes a peer may have on their way: the DUT has no means here to say that its input buffer is full.
IN_FLIGHT = 16384


@dut_test(suites=("full", "nightly"), seeds=3)
class random_traffic(ErnicTest):
    """Random messages of all kinds on several queue pairs in both directions over a lossy link arrive once,
    in order.

    Stimulus: random PMTU, IP version, ring depths, PSNs, ACK policies and modes; 40 rounds of messages of 0
    bytes to 4 PMTU; drops, duplicates, reordering and delays on both directions, RNR and sequence NAKs from
    the peer.
    Checks: ERN-039, ERN-040, ERN-041, ERN-042, ERN-043, ERN-044, ERN-045, ERN-046, ERN-047, ERN-048,
    ERN-049, ERN-050, ERN-051, ERN-052, ERN-053, ERN-054, ERN-055, ERN-056, ERN-057, ERN-058, ERN-059,
    ERN-060, ERN-062, ERN-064, ERN-066, ERN-069, ERN-070, ERN-071, ERN-073, ERN-074, ERN-075, ERN-076,
    ERN-077, ERN-079, ERN-080, ERN-081, ERN-082, ERN-083, ERN-084, ERN-088, ERN-092, ERN-112, ERN-113,
    ERN-114, ERN-115, ERN-117, ERN-120, ERN-121, ERN-122, ERN-123, ERN-124, ERN-125, ERN-139, ERN-141,
    ERN-142, ERN-143, ERN-144, ERN-147, ERN-148, ERN-149, ERN-150, ERN-211, ERN-218; of READ ERN-063,
    ERN-072, ERN-093, ERN-094, ERN-095, ERN-116, ERN-126, ERN-135, ERN-136, ERN-137, ERN-138, ERN-241,
    ERN-244, ERN-245.
    """

    async def scenario(self) -> None:
        await bring_up(
            self, base_width=9, ack_mode=self.rng.choice(list(ResponseMode)), retry_fatal_disable=True
        )
        pairs = [await self.random_link(number) for number in self.rng.sample(range(2, 9), 4)]
        self.partner.add_faults(*self.random_faults())
        consumer = cocotb.start_soon(consume(self, [link for link, _ in pairs], self.rng))
        for _ in range(MESSAGES):
            link, mr = self.rng.choice(pairs)
            for _ in range(self.rng.randrange(1, 4)):
                length = self.random_length(link)
                verb = self.rng.choice(READ_TOO)
                peer_post(link, self.rng, verb, length, mr, self.rng.randrange(mr.length - length))
            self.partner.service()
            batch = [self.random_request(link) for _ in range(self.rng.randrange(1, 4))]
            await self.host.post_send(link.qp, *batch)
            await self.host.pause(self.rng.uniform(0, 2))
        for link, _ in pairs:
            await peer_done(self, link, limit_ps=3_000_000_000)
            await self.host.wait_completions(link.qp, limit_ps=3_000_000_000)
        consumer.cancel()

    async def random_link(self, number: int) -> tuple[Link, Mr]:
        """A queue pair with random settings and a region of its own."""
        rng = self.rng
        policy = rng.choice((AckPolicy(), AckPolicy(AckMode.COALESCE, rng.randrange(2, 9), 3_000_000)))
        pmtu = rng.choice(PMTUS)
        window = min(rng.randrange(1, 20), IN_FLIGHT // (4 * pmtu))
        link = await connect(
            self,
            number,
            {"ack_policy": policy, "window": max(window, 1), "timeout_ps": 100_000_000},
            pmtu=pmtu,
            ip_version=rng.choice((4, 6)),
            sq_depth=rng.choice((16, 32, 64)),
            rq_depth=rng.choice((16, 32)),
            element=max(1024, 4 * pmtu),
            first_psn=rng.choice((0xFFFFF0, rng.getrandbits(24))),
            expected_psn=rng.choice((0xFFFFF0, rng.getrandbits(24))),
            timeout=4,
            cqe=rng.random() < 0.8,
            cq_interrupt=rng.random() < 0.5,
            rq_interrupt=rng.random() < 0.5,
        )
        return link, await self.host.register_mr(number, 1 << 17, row=number, offset=rng.randrange(64))

    def random_length(self, link: Link) -> int:
        """Mostly small, sometimes around a packet boundary, up to four packets."""
        pmtu = link.config.pmtu
        return self.rng.choice(
            (self.rng.randrange(200), pmtu + self.rng.randrange(-2, 3), self.rng.randrange(4 * pmtu))
        )

    def random_request(self, link: Link):
        """One work request with random kind, length and alignment."""
        return request(self.rng, self.rng.choice(READ_TOO), self.random_length(link), self.rng.randrange(64))

    def random_faults(self) -> list[Fault]:
        """A little of everything, on both directions."""
        both = [
            Fault(action, direction, probability=LOSS)
            for direction in Direction
            for action in (Action.DROP, Action.DUPLICATE, Action.REORDER, Action.DELAY)
        ]
        return [
            *both,
            Fault(Action.NAK, probability=LOSS / 2, value=0x60),
            Fault(Action.RNR, probability=LOSS / 2, value=1),
        ]


@dut_test(suites=("full", "nightly"), seeds=2)
class random_clean(ErnicTest):
    """Random messages both ways over a clean link draw no resend, no NAK and no error.

    Stimulus: four queue pairs with random settings, 60 rounds of random messages, no faults.
    Checks: ERN-039, ERN-040, ERN-041, ERN-042, ERN-043, ERN-044, ERN-045, ERN-046, ERN-047, ERN-048,
    ERN-049, ERN-051, ERN-052, ERN-053, ERN-054, ERN-056, ERN-058, ERN-059, ERN-062, ERN-064, ERN-066,
    ERN-069, ERN-070, ERN-071, ERN-073, ERN-074, ERN-075, ERN-076, ERN-077, ERN-079, ERN-112, ERN-113,
    ERN-119, ERN-122, ERN-123, ERN-124, ERN-125, ERN-139, ERN-141, ERN-142, ERN-143, ERN-144, ERN-147,
    ERN-148, ERN-149, ERN-150, ERN-185; of READ ERN-063, ERN-072, ERN-093, ERN-126, ERN-135, ERN-136,
    ERN-137, ERN-160, ERN-175, ERN-245.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = []
        for number in (2, 4, 7, 8):
            link = await connect(self, number, pmtu=self.rng.choice(PMTUS[:3]), sq_depth=32)
            links.append((link, await self.host.register_mr(link.config.pd, 1 << 14, row=number)))
        for _ in range(60):
            link, mr = self.rng.choice(links)
            length = self.rng.randrange(2000)
            peer_post(link, self.rng, self.rng.choice(READ_TOO), length, mr, self.rng.randrange(8000))
            await self.host.post_send(link.qp, request(self.rng, self.rng.choice(READ_TOO), length))
            await peer_done(self, link)
        for link, _ in links:
            await self.host.wait_completions(link.qp)
