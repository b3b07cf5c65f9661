"""Many random malformed frames, many resets at random moments: nothing hangs, nothing strays."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.sequences.connect import connect, connect_many
from tb.sequences.malformed import malformed_round
from tb.sequences.start import bring_up, reset
from tb.sequences.traffic import ALL_VERBS, peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test

ROUND = 250
"""Malformed frames between two resets: by then most victims are fatal."""


@dut_test(suites=("full",))
class malformed_frames(ErnicTest):
    """Frames malformed in any way are dropped or answered by the rules, and disturb no good traffic beside.

    Stimulus: rounds of 250 frames (option frames: all of them, default 500), cut, stretched, with corrupted
    fields, flipped bits and random bytes, for three queue pairs, traffic both ways on two others; reset.
    Checks: ERN-110, ERN-099, ERN-107, ERN-109, ERN-151, ERN-167, ERN-170, ERN-231, ERN-232/drop, ERN-233,
    ERN-234.
    """

    frames = 500

    async def scenario(self) -> None:
        for _ in range(0, int(self.options.get("frames", self.frames)), ROUND):
            await reset(self)
            await bring_up(self)
            busy = [await connect(self, 2), await connect(self, 3, ip_version=6)]
            victims = [await connect(self, 4, pmtu=256), await connect(self, 5, pmtu=256, ip_version=6)]
            victims.append(await connect(self, 6, pmtu=256, pkey=0x8123))
            await malformed_round(self, victims, busy, ROUND)
            await self.settle()


@dut_test(suites=("nightly",), seeds=2)
class malformed_many(malformed_frames):
    """Ten thousand malformed frames hang nothing and write nowhere, whatever they are.

    Stimulus: as malformed_frames, 10 000 frames. Checks: as there, ERN-110, ERN-167, ERN-170, ERN-231.
    """

    frames = 10_000


@dut_test(suites=("full", "nightly"), seeds=4)
class reset_anywhere(ErnicTest):
    """After a reset at any moment of traffic the DUT is as new, and its second life is like a first one.

    Stimulus: twice: four queue pairs in both directions, one of them refused a WRITE, one RNR NAKed, reset
    within 12 us; bring-up with other settings; all verbs both ways on each, state of an idle one read.
    Checks: ERN-219, ERN-220, ERN-221, ERN-003, ERN-236, ERN-238, ERN-239.
    """

    async def scenario(self) -> None:
        for life in range(3):
            await bring_up(self)
            links = await connect_many(self, range(2, 6), pmtu=self.rng.choice((256, 1024)))
            await connect(self, 6)
            mr = await self.host.register_mr(links[0].config.pd, 8192)
            for link in links:
                for _ in range(4):
                    peer_post(link, self.rng, Verb.SEND, self.rng.randrange(1500))
                peer_post(link, self.rng, Verb.WRITE, 600, mr, self.rng.randrange(4000))
                batch = [request(self.rng, verb, self.rng.randrange(1500)) for verb in ALL_VERBS]
                await self.host.post_send(link.qp, *batch)
            self.partner.service()
            if life < 2:
                await self.host.pause(self.rng.uniform(0.0, 12.0))
                await reset(self)
        await peer_done(self, links[0])
        await post_all(self, links[0], [request(self.rng, verb, 700) for verb in ALL_VERBS])
        for name in ("STATSSN", "STATMSN", "CQHEAD", "STATRQPIDB", "SQPSN"):
            await self.host.read(name, 6)
