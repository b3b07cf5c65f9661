"""Pause of both classes in both directions: requests of the peer, requests of the device, thresholds."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy
from ref_model.rocev2.segment import Verb
from tb.agents.pins import now_ps
from tb.sequences.connect import connect
from tb.sequences.flow import (
    PATIENCE_PS,
    Outlet,
    host_frames,
    is_roce,
    other_frame,
    set_pause,
    until_requested,
)
from tb.sequences.raw import RawPeer
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import peer_done, peer_post, request
from tb.testcase import ErnicTest, dut_test

READS_AND_SENDS = (Verb.READ, Verb.SEND, Verb.READ)

RX = 3
"""Index of the memory port that takes inbound payload."""


@dut_test(suites=("full",))
class pause_stops_class(ErnicTest):
    """A pause request stops its class after the frame under way, the other class goes on, nothing is lost.

    Stimulus: every priority 0 to 8 for each class, both classes loaded before and after the request, which
    comes idle or in a frame; more host frames than the DUT can buffer.
    Checks: ERN-203, ERN-204, ERN-208, ERN-209.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=64)
        roce, other = Outlet(self, select=is_roce), Outlet(self, select=lambda data: not is_roce(data))
        for priority in range(9):
            for first in (True, False):
                await set_pause(
                    self, *((priority, 8 - priority) if first else ((priority + 4) % 9, priority))
                )
                if priority == 4 and first:
                    await set_pause(self, 4, 5)
                running = other if first else roce
                host_frames(self, 4, 900)
                await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 700) for _ in range(3)])
                await self.host.pause(self.rng.uniform(0, 0.4) if priority % 2 else 4)
                await self.env.pause.request(priority)
                await self.host.pause(1)
                host_frames(self, 50 if priority == 8 else 6, 900)
                await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 200) for _ in range(6)])
                await running.wait(5)
                await self.host.pause(4)
                await self.env.pause.request()
                await self.host.wait_completions(link.qp)
                await self.host.pause(5)
                host_frames(self, 1)


@dut_test(suites=("smoke", "full"))
class pause_other_priorities(ErnicTest):
    """Requests of other priorities stop nothing, nor do any for a class whose enable is 0.

    Stimulus: all request bits but those of the classes; all bits with one enable and with none; both classes
    loaded, SENDs into the DUT meanwhile.
    Checks: ERN-204, ERN-208, ERN-119.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=64)
        other = Outlet(self, select=lambda data: not is_roce(data))
        for roce, second, lines in ((3, 6, {3, 6}), (None, 6, {6}), (3, None, {3}), (None, None, set())):
            await set_pause(self, roce, second)
            await self.env.pause.request(*(set(range(9)) - lines))
            await self.host.pause(1)
            host_frames(self, 5)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 300) for _ in range(5)])
            peer_post(link, self.rng, Verb.SEND, 400)
            await peer_done(self, link, PATIENCE_PS)
            await self.host.wait_completions(link.qp, limit_ps=PATIENCE_PS)
            if other.count % 5:
                await other.wait(5 - other.count % 5)
            await self.env.pause.request()


@dut_test(suites=("full",))
class pause_class_disabled(ErnicTest):
    """A request of its own priority does not stop a class whose enable is 0, while it stops the enabled one.

    Stimulus: both classes on one priority, one enable each, the request up under load of both.
    Checks: ERN-203, ERN-204.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=64)
        roce, other = Outlet(self, select=is_roce), Outlet(self, select=lambda data: not is_roce(data))
        for enable, running in ((1, other), (2, roce)):
            await self.host.write("XRNIC_PAUSE_CONF", enable | 2 << 4 | 2 << 8)
            await self.env.pause.request(2)
            await self.host.pause(1)
            host_frames(self, 6)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.WRITE, 100) for _ in range(6)])
            await running.wait(5)
            await self.host.pause(3)
            await self.env.pause.request()
            await self.host.wait_completions(link.qp)
            await self.host.pause(4)


@dut_test(suites=("full",))
class pause_any_priority(ErnicTest):
    """With the priority check off any request bit stops the enabled classes, and only those.

    Stimulus: one bit after the other, both classes enabled, then one of them.
    Checks: ERN-205, ERN-204.
    """

    async def scenario(self) -> None:
        link = await start(self, sq_depth=64)
        other = Outlet(self, select=lambda data: not is_roce(data))
        await set_pause(self, 4, 6, any_priority=True)
        for line in (*range(9), 0):
            if line == 0 and other.count:
                await set_pause(self, 4, None, any_priority=True)
            before = other.count
            await self.env.pause.request(line)
            await self.host.pause(1)
            host_frames(self, 6)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 300) for _ in range(6)])
            await self.host.pause(6)
            await self.env.pause.request()
            await self.host.wait_completions(link.qp)
            if other.count < before + 6:
                await other.wait(before + 6 - other.count)


@dut_test(suites=("full",))
class pause_answers(ErnicTest):
    """A pause of the RoCE class stops answers as well: ACKs, NAKs and READ responses follow when it ends.

    Stimulus: request up while the peer sends READs, WRITEs and SENDs on two queue pairs; READs of the DUT
    itself under way; several short pauses, peers with timeouts of their own.
    Checks: ERN-203, ERN-119, ERN-135, ERN-148, ERN-093.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        await set_pause(self, 7, None)
        for number in (2, 3):
            link = await connect(self, number, pmtu=512)
            mr = await self.host.register_mr(link.config.pd, 8192)
            for microseconds in (3, 12, 30):
                for verb in (Verb.READ, Verb.WRITE, Verb.SEND, Verb.READ):
                    peer_post(link, self.rng, verb, 1100, mr, self.rng.randrange(4000))
                await self.host.post_send(
                    link.qp, *[request(self.rng, verb, 900) for verb in READS_AND_SENDS]
                )
                self.partner.service()
                await self.host.pause(self.rng.uniform(0, 1))
                await self.env.pause.request(7)
                await self.host.pause(microseconds)
                await self.env.pause.request()
                await peer_done(self, link)
                await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class pause_and_retry(ErnicTest):
    """A pause longer than all retries together makes no queue pair fatal, and resends follow when it ends.

    Stimulus: request up before the packets leave, and between packets and their ACKs, for many times the
    timeout; retry limit 2; traffic in meanwhile.
    Checks: ERN-203, ERN-084, ERN-186.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        await set_pause(self, 5, None)
        for number, early in ((2, True), (3, False)):
            policy = AckPolicy() if early else AckPolicy(AckMode.HOLD)
            link = await connect(self, number, {"ack_policy": policy}, timeout=1, retry=2)
            if early:
                await self.env.pause.request(5)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 200) for _ in range(3)])
            await self.host.pause(2)
            await self.env.pause.request(5)
            await self.host.pause(80)
            await self.env.pause.request()
            if not early:
                await self.host.pause(3)
                link.peer.release_acks(now_ps())
                self.partner.service()
            await self.host.wait_completions(link.qp)
            await self.host.read("STATQP", number)


@dut_test(suites=("full",))
class pause_request_other(ErnicTest):
    """The DUT asks for a pause of the non-RoCE priority while little buffer remains, once per filling.

    Stimulus: host stream held, frames until the request rises and longer, then released; priority check on
    and off; a peer that obeys; XOFF out of reach, thresholds of the reset; last the class disabled.
    Checks: ERN-206, ERN-249, ERN-207.
    """

    async def scenario(self) -> None:
        await start(self)
        mac, line = self.env.other_mac, self.env.other_line
        for check, levels in ((0, 0xFFFF_0300), (1, 0x0320_0300), (0, 0x0320_0300), (1, 0x0096_005A)):
            line.obey(5)
            await set_pause(self, 2, 5, any_priority=bool(check))
            await self.host.write("XRNIC_BUF_THRESHOLD_NON_ROCE", levels)
            mac.hold_output()
            for length in (60, 64, *[1500] * 60):
                line.send_nowait(other_frame(self.rng, length))
            await until_requested(self, True)
            await self.host.pause(4)
            mac.release_output()
            if levels >> 16 == 0xFFFF:
                await self.host.pause(15)
                await self.host.write("XRNIC_BUF_THRESHOLD_NON_ROCE", 0x0320_0300)
            await until_requested(self, False)
            await self.settle()
        await set_pause(self, 2, None)
        mac.hold_output()
        for length in [1500] * 45:
            line.send_nowait(other_frame(self.rng, length))
        await self.host.pause(12)
        mac.release_output()


@dut_test(suites=("full",))
class pause_request_roce(ErnicTest):
    """The DUT asks for a pause of the RoCE priority while memory holds up what it received.

    Stimulus: payload port held, WRITEs until the request rises, a peer that obeys; then thresholds that are
    reached at once for one class and never for the other.
    Checks: ERN-206, ERN-249, ERN-148.
    """

    async def scenario(self) -> None:
        link = await start(self)
        self.env.line.obey(1)
        mr = await self.host.register_mr(link.config.pd, 65536)
        raw = RawPeer(link, self.partner)
        for check in (False, True):
            await set_pause(self, 1, 7, any_priority=check)
            await self.host.write("XRNIC_BUF_THRESHOLD_ROCE", 0xFFFF_FFFF)
            raw.post(Verb.WRITE, self.rng.randbytes(64), mr.va, mr.rkey)
            await until_requested(self, True)
            await self.host.write("XRNIC_BUF_THRESHOLD_ROCE", 0x0740_0000)
            await until_requested(self, False)
            await self.host.write("XRNIC_BUF_THRESHOLD_ROCE", 0x0740_0700)
            self.env.ports[RX].hold("w")
            for _ in range(60):
                raw.post(Verb.WRITE, self.rng.randbytes(1024), mr.va, mr.rkey)
            await until_requested(self, True)
            await self.host.pause(4)
            self.env.ports[RX].release("w")
            await until_requested(self, False)
            await self.settle()


@dut_test(suites=("full",))
class pause_ignored(ErnicTest):
    """Frames that do not fit are lost whole; what comes after them is received as if they had never come.

    Stimulus: payload port held, the request ignored by a peer that sends damaged frames far beyond the
    buffer; then good traffic both ways. Checks: ERN-206, ERN-148, ERN-139, ERN-107, ERN-235.
    """

    async def scenario(self) -> None:
        link = await start(self)
        await set_pause(self, 1, None)
        mr = await self.host.register_mr(link.config.pd, 65536)
        raw = RawPeer(link, self.partner)
        for _ in range(2):
            self.env.ports[RX].hold("w")
            raw.post(Verb.WRITE, self.rng.randbytes(700), mr.va + 3, mr.rkey)
            for _ in range(150):
                raw.broken(lambda frame: setattr(frame, "icrc", 0x1234), self.rng.randbytes(1000))
            await until_requested(self, True)
            await self.host.pause(16)
            self.env.ports[RX].release("w")
            await until_requested(self, False)
            for verb in (Verb.WRITE, Verb.SEND, Verb.WRITE):
                raw.post(verb, self.rng.randbytes(900), mr.va + 64, mr.rkey)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 300) for _ in range(3)])
            await self.host.wait_completions(link.qp)
            await self.settle()
