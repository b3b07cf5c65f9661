"""Frames that are not RoCE, under load of RoCE frames and of slow hosts."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.sequences.connect import connect
from tb.sequences.flow import TAGS, Outlet, is_roce, look_alike, other_frame
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import ALL_VERBS, peer_done, peer_post, request
from tb.testcase import ErnicTest, dut_test


@dut_test(suites=("full",))
class pass_through_lengths(ErnicTest):
    """Frames of every length and with any tags pass both ways bit for bit, beside RoCE traffic.

    Stimulus: 60 to 200 bytes and up to 9600, 0 to 2 tags, frames that look like RoCE, both directions at
    once, stalls of the host, traffic both ways on two queue pairs.
    Checks: ERN-207, ERN-208, ERN-209, ERN-210, ERN-218.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number, sq_depth=32) for number in (2, 3)]
        for part in ((60, 201), (1490, 1530), (4090, 4100), (9590, 9601)):
            for link in links:
                await self.host.post_send(link.qp, *[request(self.rng, verb, 900) for verb in ALL_VERBS])
                for _ in range(5):
                    peer_post(link, self.rng, Verb.SEND, 700)
            self.partner.service()
            for length in range(*part):
                frame = other_frame(self.rng, length, TAGS[length % 3])
                if length % 7 == 0:
                    frame = look_alike(self.rng, length)
                await self.env.other_mac.send(frame)
                self.env.host_stream.send_nowait(frame[:14] + frame[:13:-1])
            for link in links:
                await peer_done(self, link)
                await self.host.wait_completions(link.qp)
            await self.host.pause(8)


@dut_test(suites=("full",))
class pass_through_fair(ErnicTest):
    """Neither source of the MAC output keeps the other one from sending.

    Stimulus: hundreds of host frames queued while four queue pairs have work; then the reverse, all queue
    pairs backlogged and single host frames between.
    Checks: ERN-210, ERN-208, ERN-069.
    """

    stalls = "none"
    line_rate = 0

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number, sq_depth=64) for number in range(2, 6)]
        other = Outlet(self, select=lambda data: not is_roce(data))
        for count in (200, 3):
            for _ in range(count):
                self.env.host_stream.send_nowait(other_frame(self.rng, 512))
            for link in links:
                batch = [request(self.rng, Verb.WRITE, 1000) for _ in range(10 if count > 3 else 60)]
                await self.host.post_send(link.qp, *batch)
            for link in links:
                await self.host.wait_completions(link.qp)
            await self.host.pause(10)
        if other.count < 203:
            await other.wait(203 - other.count)


@dut_test(suites=("full",))
class pass_through_overflow(ErnicTest):
    """With a host that takes nothing whole frames may be lost, never parts, and what follows is untouched.

    Stimulus: host stream held, frames of mixed lengths far beyond any buffer, released; twice; then slow
    traffic that must pass whole, RoCE traffic both ways all the time.
    Checks: ERN-207, ERN-218, ERN-139.
    """

    async def scenario(self) -> None:
        link = await start(self)
        for _ in range(2):
            self.env.other_mac.hold_output()
            for count in range(90):
                self.env.other_mac.send_nowait(other_frame(self.rng, 60 + 37 * (count % 40)))
            for _ in range(6):
                peer_post(link, self.rng, Verb.SEND, 800)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 500) for _ in range(6)])
            await peer_done(self, link)
            await self.host.wait_completions(link.qp)
            await self.host.pause(12)
            self.env.other_mac.release_output()
            await self.host.pause(12)
            for count in range(20):
                await self.env.other_mac.send(other_frame(self.rng, 60 + count))


@dut_test(suites=("full",))
class pass_through_disabled(ErnicTest):
    """What passes while the device is disabled is recorded, and passes as a whole if at all.

    Stimulus: frames both ways before XRNICCONF[0] is set, afterwards again.
    Checks: ERN-207, ERN-208, ERN-210.
    """

    async def scenario(self) -> None:
        for enabled in (False, True):
            for length in (60, 200, 1514):
                self.env.other_mac.send_nowait(other_frame(self.rng, length))
                self.env.host_stream.send_nowait(other_frame(self.rng, length))
            await self.host.pause(6)
            if not enabled:
                link = await start(self)
                await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 300))
                await self.host.wait_completions(link.qp)
