"""Response error buffer, retry data buffers, bring-up without one of the global buffers."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy, acknowledge
from ref_model.rocev2.segment import Verb
from ref_model.wire import Aeth, build
from tb.agents.pins import now_ps
from tb.host import RingSize, WorkRequest
from tb.partner import Action, Fault
from tb.sequences.connect import Link, connect, qp_config, reconnect
from tb.sequences.management import Management
from tb.sequences.start import bring_up, reset
from tb.sequences.traffic import ALL_VERBS, post_all, request
from tb.testcase import ErnicTest, dut_test
from tests.sim.ernic.robustness import SHORT

#: Response that no READ of the DUT asked for.
READ_RESPONSE_ONLY = 0x10


@dut_test(suites=("full",))
class response_errors(ErnicTest):
    """What is stored of erroneous responses stays inside its buffer, lap after lap.

    Stimulus: buffers of 4 x 64, 3 x 256 bytes and with a zero half; fatal NAKs, reserved syndromes, ACKs with
    payload and READ responses nobody asked for, more than the entries; one queue pair stays healthy.
    Checks: ERN-157, ERN-096, ERN-215, ERN-236.
    """

    async def scenario(self) -> None:
        for entries, size in ((4, 64), (3, 256), (5, 0), (0, 128)):
            await reset(self)
            await bring_up(self, response_errors=RingSize(entries, size))
            healthy = await connect(self, 8)
            for number, syndrome in ((2, 0x61), (3, 0x62), (4, 0x63)):
                link = await connect(self, number)
                self.strange(link)
                self.partner.add_faults(Fault(Action.NAK, qp=number, value=syndrome, count=1))
                await self.host.post_send(link.qp, request(self.rng, Verb.WRITE, 40))
                await self.host.wait_completions(link.qp)
                await post_all(self, healthy, [request(self.rng, Verb.SEND, 20)])
                await self.host.read("RESPERRWRPTR")

    def strange(self, link: Link) -> None:
        """Responses that answer nothing."""
        config = link.peer.config
        for syndrome, payload in ((0x40, b""), (0x1F, b"payload"), (0x7F, b"")):
            frame = acknowledge(config, link.config.first_psn - 1 & 0xFFFFFF, syndrome, 0)
            frame.payload = payload
            self.partner.inject(build(frame))
        frame = acknowledge(config, link.config.first_psn - 1 & 0xFFFFFF, 0x1F, 0)
        assert frame.bth is not None
        frame.bth.opcode, frame.payload, frame.aeth = READ_RESPONSE_ONLY, b"data", Aeth(0x1F, 0)
        self.partner.inject(build(frame))


@dut_test(suites=("full",))
class response_error_laps(ErnicTest):
    """Many fatal NAKs go round the response error ring without leaving it.

    Stimulus: two entries of 64 bytes, every data queue pair of the build fatal by a NAK, recovered, and
    again.
    Checks: ERN-157, ERN-096, ERN-187, ERN-189.
    """

    async def scenario(self) -> None:
        await bring_up(self, response_errors=RingSize(2, 64))
        links = {number: await connect(self, number) for number in range(2, 6)}
        for turn in range(2):
            for number, link in links.items():
                value = (0x61, 0x62, 0x63)[(number + turn) % 3]
                self.partner.add_faults(Fault(Action.NAK, qp=number, value=value, count=1))
                await self.host.post_send(link.qp, *[request(self.rng, Verb.SEND, 40) for _ in range(3)])
                await self.host.wait_completions(link.qp)
                await reconnect(self, link, first_psn=0x100 * turn + 0x70, expected_psn=0x55)
                await post_all(self, link, [request(self.rng, Verb.SEND, 50)])


@dut_test(suites=("full",))
class outgoing_errors(ErnicTest):
    """What is noted of errors of the DUT's own sending stays inside its queue, lap after lap.

    Stimulus: queues of 4, 64 and no entries above 4 GiB; reserved opcodes, used-up retries and fatal NAKs on
    six queue pairs, of which three are recovered and fail again; one queue pair stays healthy.
    Checks: ERN-250, ERN-096, ERN-086, ERN-236.
    """

    async def scenario(self) -> None:
        for entries in (4, 64, 0):
            await reset(self)
            await bring_up(self, base_width=8, outgoing_errors=RingSize(entries, 64))
            healthy = await connect(self, 8)
            links = [await connect(self, number, **SHORT) for number in range(2, 8)]
            for link in links:
                await self.fail(link)
            await post_all(self, healthy, [request(self.rng, Verb.SEND, 20)])
            for turn, link in enumerate(links[:3], 1):
                await reconnect(self, link, first_psn=0x5000 * turn, expected_psn=0x9000 * turn, **SHORT)
                await self.fail(link)
            await post_all(self, healthy, [request(self.rng, Verb.WRITE, 20)])
            await self.host.read("OPTERRSTSQQPTRDB")

    async def fail(self, link: Link) -> None:
        """Two requests, of which the first ends the queue pair in a way that its number chooses."""
        batch = [request(self.rng, Verb.SEND, 40) for _ in range(2)]
        if link.number % 3 == 0:
            batch[0].opcode = 0x07
        elif link.number % 3 == 1:
            self.partner.add_faults(Fault(Action.NAK, qp=link.number, value=0x61, count=1))
        else:
            self.partner.disconnect(link.number)
        await self.host.post_send(link.qp, *batch)
        await self.host.wait_completions(link.qp, limit_ps=1_000_000_000)


@dut_test(suites=("smoke", "full"))
class retry_source(ErnicTest):
    """A resent WRITE carries what RETRY_SOURCE names although software used its memory again meanwhile.

    Stimulus: WRITEs of one and several packets, acknowledgements lost, the local memory overwritten once all
    packets are out, then a sequence NAK, an RNR NAK or the timeout.
    Checks: ERN-090, ERN-082, ERN-081, ERN-088, ERN-084.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        for number, syndrome in enumerate((0x60, 0x23, None), 2):
            hold = {"ack_policy": AckPolicy(AckMode.HOLD)}
            link = await connect(self, number, hold, pmtu=256, timeout=6 if syndrome is None else 0)
            psn = link.config.first_psn
            for length in (40, 256, 700):
                await self.resend(link, psn, syndrome, length)
                psn += -(-length // 256)

    async def resend(self, link: Link, psn: int, syndrome: int | None, length: int) -> None:
        """One WRITE that begins at ``psn``, all of it resent after its memory has changed."""
        entry = WorkRequest(Verb.WRITE, self.rng.randbytes(length), va=0x7F00_0000, rkey=0x1234)
        entry.laddr = self.host.placement.store(bytes(length))
        packets = -(-length // 256)
        sent = self.partner.frames_from_dut
        await self.host.post_send(link.qp, entry)
        await self.out(sent + packets)
        self.mem.write(entry.laddr, self.rng.randbytes(length))
        if syndrome is not None:
            self.partner.inject(build(acknowledge(link.peer.config, psn, syndrome, 0)))
        await self.out(sent + 2 * packets)
        link.peer.release_acks(now_ps())
        self.partner.service()
        await self.host.wait_completions(link.qp)

    async def out(self, frames: int) -> None:
        """Wait until so many frames have left the DUT, and what came with them has ended."""

        async def reached() -> bool:
            return self.partner.frames_from_dut >= frames

        await self.host.wait_until(reached, f"{frames} frames from the DUT", limit_ps=800_000_000)
        await self.host.pause(1)


@dut_test(suites=("full",))
class retry_buffers_few(ErnicTest):
    """With fewer retry buffers than packets under way nothing is lost and nothing leaves the buffer area.

    Stimulus: 4 and 7 buffers of 512 bytes, 12 WRITEs of up to two packets on each of three queue pairs, SENDs
    between them, lost packets, datagrams on QP1; then a long run over many laps.
    Checks: ERN-090, ERN-082, ERN-069, ERN-215, ERN-193.
    """

    async def scenario(self) -> None:
        for count in (4, 7):
            await reset(self)
            await bring_up(self, base_width=8, retry_buffers=RingSize(count, 512))
            one = await Management.open(self)
            links = [await connect(self, number, pmtu=512, timeout=6, sq_depth=32) for number in (2, 3, 4)]
            self.partner.add_faults(Fault(Action.DROP, qp=3, probability=0.1))
            for _ in range(3):
                for link in links:
                    verbs = [self.rng.choice(ALL_VERBS) for _ in range(10)]
                    batch = [request(self.rng, verb, self.rng.randrange(1, 900)) for verb in verbs]
                    await self.host.post_send(link.qp, *batch)
                await one.send(one.outgoing(), one.outgoing())
                for link in links:
                    await self.host.wait_completions(link.qp, limit_ps=2_000_000_000)
            self.partner.clear_faults()


@dut_test(suites=("full",))
class retry_buffers_held(ErnicTest):
    """WRITEs wait for a free retry buffer at most: SENDs and QP1 go on, and all goes on with the ACKs.

    Stimulus: 8 buffers, acknowledgements held, 14 WRITEs on one queue pair, SENDs on another, datagrams; then
    let through.
    Checks: ERN-090, ERN-069, ERN-193.
    """

    async def scenario(self) -> None:
        await bring_up(self, retry_buffers=RingSize(8, 4096))
        one = await Management.open(self)
        held = await connect(self, 2, {"ack_policy": AckPolicy(AckMode.HOLD)}, sq_depth=32)
        free = await connect(self, 3)
        await self.host.post_send(held.qp, *[request(self.rng, Verb.WRITE, 500) for _ in range(14)])
        await self.host.pause(10)
        await post_all(self, free, [request(self.rng, Verb.SEND, 300) for _ in range(5)])
        await one.send(*[one.outgoing() for _ in range(4)])
        held.peer.config.ack_policy = AckPolicy()
        held.peer.release_acks(now_ps())
        self.partner.service()
        await self.host.wait_completions(held.qp)
        await post_all(self, free, [request(self.rng, Verb.WRITE, 300) for _ in range(5)])


@dut_test(suites=("full",))
class buffer_missing(ErnicTest):
    """A bring-up without one of the four global buffers is recorded; after a reset the device works again.

    Stimulus: each buffer left out in turn, one request posted, a while later a reset and a full bring-up with
    traffic.
    Checks: ERN-219, ERN-056 after each; ERN-158 is recorded.
    """

    async def scenario(self) -> None:
        for stem in ("ERRBUF", "IPKTERRQ", "RESPERR", "DATBUF"):
            await reset(self)
            writes = [w for w in self.host.prepare() if not w.name.startswith(stem)]
            await self.host.apply(writes)
            config = qp_config(2)
            qp = await self.host.create_qp(config)
            await self.host.post_send(qp, request(self.rng, Verb.WRITE, 64))
            await self.host.pause(5)
            await self.host.read("STATQP", 2)
            await reset(self)
            await bring_up(self)
            link = await connect(self, 2)
            await post_all(self, link, [request(self.rng, verb, 64) for verb in ALL_VERBS])
