"""Queue pairs in hardware handshake: doorbells over the side bands, in and out."""

from __future__ import annotations

from ref_model.rocev2.segment import Verb
from tb.host.handshake import connect_io, enable_handshake, move_doorbell
from tb.partner import Action, Fault
from tb.sequences.connect import connect
from tb.sequences.start import bring_up, start
from tb.sequences.traffic import ALL_VERBS, SEND_VERBS, peer_done, peer_post, post_all, request
from tb.testcase import ErnicTest, dut_test

SYSTEM_BASE = 0x4400_0000
"""Where a system may have put the register window; its low 21 bits are 0."""


@dut_test(suites=("smoke", "full"))
class side_band_doorbells(ErnicTest):
    """A queue pair in handshake mode is rung, told completions and told received SENDs over the side bands.

    Stimulus: the highest queue pairs first, each ring index read back at once; 1 and n entries per doorbell,
    over a lap; bare offsets and system addresses; doorbell words with all low address bits; all SEND kinds
    in, elements freed over the side band while the ring is full; a queue pair in memory mode beside them.
    Checks: ERN-224, ERN-225, ERN-226, ERN-228, ERN-227, ERN-078, ERN-246.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        plain = await connect(self, 2)
        for number, offset in ((8, 0x1004), (7, 0x0FF8), (6, 0x1FFC)):
            link = await connect(self, number, memory_doorbells=False, enable=False, element=512, pmtu=512)
            await move_doorbell(self.host, link.qp, offset)
            await self.host.enable_qp(link.qp)
            self.host.side_bands.base = SYSTEM_BASE if number == 7 else 0
            for count in (1, 2, 5, 12):
                await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 60) for _ in range(count)])
                await self.host.read("SQPI", number)
                await self.host.wait_completions(link.qp)
            for freed, count in ((0, 16), (1, 1), (5, 5), (0, 6)):
                await self.host.free_recv(link.qp, freed)
                await self.host.read("RQCI", number)
                for index in range(count):
                    peer_post(link, self.rng, SEND_VERBS[index % 3], 100)
                self.partner.service()
                await self.host.wait_received(link.qp, min(link.qp.received + count, link.qp.freed + 16))
            await peer_done(self, link)
            await post_all(self, plain, [request(self.rng, verb, 200) for verb in ALL_VERBS], True)


@dut_test(suites=("full",))
class side_band_single(ErnicTest):
    """Each kind of SEND is announced on its own, and a doorbell word goes to address 0 if a QP has no other.

    Stimulus: one SEND of each kind with quiet behind it; queue pairs of both modes without doorbell address.
    Checks: ERN-228, ERN-226, ERN-078.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, memory in ((2, False), (3, False), (4, True)):
            link = await connect(self, number, memory_doorbells=memory, enable=False)
            if number != 2:
                for name in ("CQDBADD", "CQDBADDMSB", "RQWPTRDBADD", "RQWPTRDBADDMSB"):
                    await self.host.write(name, 0, number)
            await self.host.enable_qp(link.qp)
            for verb in SEND_VERBS:
                peer_post(link, self.rng, verb, 90)
                self.partner.service()
                await self.settle()
            await self.host.post_send(link.qp, request(self.rng, Verb.WRITE, 90))
            await self.settle()


@dut_test(suites=("full",))
class side_band_mixed(ErnicTest):
    """Queue pairs of both modes work at the same time in both directions, each told in its own way.

    Stimulus: three queue pairs in handshake mode and two in memory mode, bursts of all verbs out, SENDs in.
    Checks: ERN-224, ERN-226, ERN-228, ERN-246, ERN-077, ERN-143.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, n, memory_doorbells=n % 2 == 1, sq_depth=32) for n in range(2, 7)]
        for _ in range(3):
            for link in links:
                batch = [request(self.rng, verb, self.rng.choice((8, 300, 1500))) for verb in ALL_VERBS]
                await self.host.post_send(link.qp, *batch)
                for verb in SEND_VERBS:
                    peer_post(link, self.rng, verb, self.rng.randrange(1200))
            for link in links:
                await peer_done(self, link)
                await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class side_band_stall(ErnicTest):
    """Nothing told on a side band is lost or changed while it is not taken, however long.

    Stimulus: both outgoing side bands held for 1, 100 and 10000 clocks while queue pairs in handshake mode
    complete and receive one message after the other; taken one by one afterwards.
    Checks: ERN-227, ERN-226, ERN-228.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, number, memory_doorbells=False) for number in (3, 4, 5)]
        for clocks in (1, 100, 10000, 100):
            for band in self.env.side_bands[1:]:
                band.hold()
            for _ in range(3):
                for link in links:
                    await self.host.post_send(link.qp, request(self.rng, Verb.SEND, 100))
                    peer_post(link, self.rng, Verb.SEND, 60)
                self.partner.service()
                await self.host.pause(1 if clocks > 1 else 0.01)
            await self.env.clock_reset.clocks(clocks)
            for band in self.env.side_bands[1:]:
                band.release()
            for link in links:
                await peer_done(self, link)
                await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class side_band_tied_low(ErnicTest):
    """Queue pairs in memory mode need no READY of the side bands.

    Stimulus: both outgoing side bands never taken, traffic both ways on queue pairs in memory mode.
    Checks: ERN-246, ERN-073, ERN-077, ERN-143.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for band in self.env.side_bands[1:]:
            band.hold()
        for link in [await connect(self, number) for number in (2, 3)]:
            for verb in SEND_VERBS:
                peer_post(link, self.rng, verb, 200)
            await post_all(self, link, [request(self.rng, verb, 300) for verb in ALL_VERBS])
            await peer_done(self, link)


@dut_test(suites=("full",))
class side_band_bystander(ErnicTest):
    """While a side band is not taken, queue pairs in memory mode may go on or wait; afterwards all is done.

    Stimulus: both outgoing side bands held over traffic both ways of a queue pair in handshake mode, then
    traffic both ways of one in memory mode, released.
    Checks: ERN-240, ERN-226, ERN-228, ERN-073, ERN-143.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = [await connect(self, 2, memory_doorbells=False), await connect(self, 3)]
        for band in self.env.side_bands[1:]:
            band.hold()
        for link in links:
            peer_post(link, self.rng, Verb.SEND, 60)
            self.partner.service()
            await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 100) for _ in range(3)])
            await self.host.pause(4)
        for band in self.env.side_bands[1:]:
            band.release()
        for link in links:
            await peer_done(self, link)
            await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class side_band_fatal(ErnicTest):
    """Completions of a queue pair that turns fatal are told on the side band, flushed ones included.

    Stimulus: six SENDs in handshake mode, the third refused with a fatal NAK; another queue pair goes on.
    Checks: ERN-226, ERN-096, ERN-187, ERN-236.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        link, other = [await connect(self, number, memory_doorbells=False) for number in (2, 3)]
        nak = Fault(Action.NAK, qp=2, psn=link.config.first_psn + 2, value=0x62)
        self.partner.add_faults(nak)
        await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 80) for _ in range(6)])
        await self.host.wait_completions(link.qp)
        await post_all(self, other, [request(self.rng, Verb.SEND, 80) for _ in range(4)])
        await self.settle()


@dut_test(suites=("full",))
class handshake_enabling(ErnicTest):
    """After the documented enabling sequence a queue pair goes on in handshake mode without loss.

    Stimulus: a fresh queue pair, a used one with everything given back, used ones with pending elements, with
    and without elements given back before; traffic both ways over a lap afterwards.
    Checks: ERN-229, ERN-024, ERN-224, ERN-225, ERN-226, ERN-228.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, used, freed in ((2, 0, 0), (3, 5, 5), (4, 4, 0), (5, 7, 4)):
            link = await connect(self, number)
            for _ in range(used):
                peer_post(link, self.rng, Verb.SEND, 100)
            self.partner.service()
            await self.host.wait_received(link.qp, used)
            await self.host.free_recv(link.qp, freed)
            await post_all(self, link, [request(self.rng, Verb.SEND, 40) for _ in range(used)])
            await self.settle()
            await enable_handshake(self.host, link.qp)
            for name in ("SQPI", "CQHEAD", "STATCURSQPTR", "STATRQPIDB"):
                await self.host.read(name, number)
            for count in (1, 9, 10):
                batch = [request(self.rng, verb, 120) for verb in (*ALL_VERBS, *ALL_VERBS)][:count]
                await post_all(self, link, batch, one_doorbell=True)
                for _ in range(count):
                    peer_post(link, self.rng, Verb.SEND, 150)
                await peer_done(self, link)


@dut_test(suites=("full",))
class connect_io_ready(ErnicTest):
    """The connect register takes one queue pair number after the other and says when it is ready.

    Stimulus: two queue pairs just switched to handshake mode, one with pending elements, and the last number
    of the build; bit 31 written as 0 and 1; side bands taken and held.
    Checks: ERN-230.
    """

    async def scenario(self) -> None:
        link = await start(self, 2)
        other = await connect(self, self.host.config.qp_count)
        for _ in range(3):
            peer_post(link, self.rng, Verb.SEND, 50)
        self.partner.service()
        await self.host.wait_received(link.qp, 3)
        await self.settle()
        for one in (link, other):
            await enable_handshake(self.host, one.qp)
        for held in (False, True):
            if held:
                self.env.side_bands[2].hold()
            for one in (link, other):
                await connect_io(self.host, one.qp)
            self.env.side_bands[2].release()
            await self.host.write("CON_IO_CONF", 0)
            await self.host.pause(2)
            await self.host.read("CON_IO_CONF")
            await self.host.pause(2)
        for one in (link, other):
            peer_post(one, self.rng, Verb.SEND, 70)
            await peer_done(self, one)
