"""RDMA READ out of the DUT: requests, responses into host memory, repair of lost ones, completion."""

from __future__ import annotations

from ref_model.rocev2.endpoint import AckMode, AckPolicy, acknowledge, envelope
from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import PMTUS, Verb
from ref_model.wire import Aeth, Bth, build, opcodes
from tb.partner import Action, Direction, Fault
from tb.sequences.connect import connect, connect_many, reconnect
from tb.sequences.start import bring_up, reset, start
from tb.sequences.traffic import READ_TOO, peer_done, post_all, request
from tb.testcase import ErnicTest, dut_test

ACK, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = 0x11, 0x0D, 0x0E, 0x0F, 0x10


def read_lengths(pmtu: int) -> list[int]:
    """Lengths around every border of a READ response."""
    return [0, 1, 3, 63, pmtu - 1, pmtu, pmtu + 1, 2 * pmtu, 2 * pmtu + 1, 4 * pmtu - 3]


@dut_test(suites=("smoke", "full"))
class read_out(ErnicTest):
    """A READ is one request that takes the PSNs of all its responses; their data lands at the local address.

    Stimulus: every PMTU on its own queue pair, READs of 0 and 1 byte to 4 PMTU - 3, one doorbell each, then
    all with one; a WRITE behind each batch.
    Checks: ERN-047, ERN-051, ERN-060, ERN-063, ERN-072, ERN-073, ERN-074, ERN-093, ERN-160, ERN-164.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, pmtu in enumerate(PMTUS, 2):
            link = await connect(self, number, pmtu=pmtu, sq_depth=32)
            batch = [request(self.rng, Verb.READ, length) for length in read_lengths(pmtu)]
            await post_all(self, link, batch)
            behind = request(self.rng, Verb.WRITE, 40)
            await post_all(self, link, [*batch, behind], one_doorbell=True)


@dut_test(suites=("full",))
class read_alignment(ErnicTest):
    """READ data is written to any local address, across pages, and no byte beside it.

    Stimulus: local address modulo 64 from 0 to 63 with 1 to 700 bytes, buffers across a 4 KB page, addresses
    above 4 GiB. Checks: ERN-093, ERN-212, ERN-213, ERN-215, ERN-216, ERN-238.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, sq_depth=64)
        batch = [
            request(self.rng, Verb.READ, length, offset)
            for offset in (0, 1, 2, 31, 33, 62, 63)
            for length in (1, 64, 65, 300, 700)
        ]
        for before_page in (1, 63, 100):
            crossing = request(self.rng, Verb.READ, 1000)
            crossing.laddr = self.host.placement.area(3 * 4096, 4096, "crossing") + 4096 - before_page
            batch.append(crossing)
            high = request(self.rng, Verb.READ, 300)
            high.laddr = self.host.placement.area(4096, 4096, "high", before_page, high=True)
            batch.append(high)
        await post_all(self, link, batch, one_doorbell=True)


@dut_test(suites=("full",))
class read_psn_wrap(ErnicTest):
    """The PSNs of a READ go on across the 24-bit wrap, and so does what follows it.

    Stimulus: the wrap at the first, a middle and the last response and just behind the READ; SENDs around it.
    Checks: ERN-062, ERN-063, ERN-064, ERN-093.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, first in enumerate((0xFFFFFE, 0xFFFFFD, 0xFFFFFB, 0xFFFFFA), 2):
            link = await connect(self, number, pmtu=256, first_psn=first)
            verbs = (Verb.SEND, Verb.READ, Verb.SEND, Verb.READ)
            await post_all(self, link, [request(self.rng, verb, 1000) for verb in verbs], one_doorbell=True)


@dut_test(suites=("smoke", "full"))
class read_mixed(ErnicTest):
    """READs between SENDs and WRITEs complete in order; a READ response acknowledges what is older.

    Stimulus: random mixes with one doorbell on four queue pairs; then SENDs and WRITEs whose ACKs are lost
    for good and a READ behind them.
    Checks: ERN-058, ERN-063, ERN-071, ERN-072, ERN-080, ERN-241.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number in (2, 3, 5, 8):
            link = await connect(self, number, pmtu=256, sq_depth=32, cqe=number != 5)
            batch = [request(self.rng, self.rng.choice(READ_TOO), self.rng.randrange(900)) for _ in range(20)]
            await post_all(self, link, batch, one_doorbell=True)
            self.partner.add_faults(Fault(Action.DROP, Direction.TO_DUT, qp=number, opcode=ACK))
            verbs = (Verb.SEND, Verb.WRITE, Verb.READ)
            for _ in range(3):
                await post_all(
                    self, link, [request(self.rng, verb, 300) for verb in verbs], one_doorbell=True
                )


LOST = ((READ_FIRST, 0), (READ_MIDDLE, 0), (READ_MIDDLE, 1), (READ_LAST, 0), (READ_ONLY, 0))


@dut_test(suites=("smoke", "full"))
class read_response_lost(ErnicTest):
    """A lost READ response is asked for again, and the data still arrives right and once.

    Stimulus: the first, second, third, last or only response of a READ dropped, alone and before other
    messages; the request itself dropped; two losses in a row; PSN wrap inside.
    Checks: ERN-094, ERN-093, ERN-072, ERN-095, ERN-084.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        for number, (opcode, skip) in enumerate(LOST, 2):
            link = await connect(self, number, pmtu=256, timeout=3, first_psn=0xFFFFFE)
            length = 200 if opcode == READ_ONLY else 1000
            for behind in ((), (Verb.SEND,), (Verb.READ, Verb.WRITE)):
                self.partner.add_faults(
                    Fault(Action.DROP, Direction.TO_DUT, qp=number, opcode=opcode, skip=skip, count=1)
                )
                batch = [request(self.rng, Verb.READ, length), *(request(self.rng, v, 300) for v in behind)]
                await post_all(self, link, batch, one_doorbell=True)
        link = await connect(self, 7, pmtu=256, timeout=3)
        self.partner.add_faults(Fault(Action.DROP, qp=7, opcode=opcodes.READ_REQUEST, count=1))
        self.partner.add_faults(Fault(Action.DROP, Direction.TO_DUT, qp=7, opcode=READ_FIRST, count=2))
        for _ in range(3):
            await post_all(self, link, [request(self.rng, Verb.READ, 700)])


@dut_test(suites=("full",))
class read_isolation(ErnicTest):
    """A lost READ response of one queue pair, and READs answered on several, do not touch the others.

    Stimulus: READs in and out on four neighbouring queue pairs at once, a middle response to QP 3 lost in
    each round; nothing is lost on the others.
    Checks: ERN-094, ERN-237, ERN-238, ERN-082, ERN-093, ERN-135, ERN-136, ERN-138.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        links = await connect_many(self, range(3, 7), pmtu=256)
        regions = [await self.host.register_mr(link.config.pd, 8192) for link in links]
        for _ in range(4):
            loss = Fault(Action.DROP, Direction.TO_DUT, qp=3, opcode=READ_MIDDLE, count=1)
            self.partner.add_faults(loss)
            for link, mr in zip(links, regions, strict=True):
                for step in range(3):
                    link.peer.post_read(mr.va + 9 * step, mr.rkey, 1500)
                batch = [request(self.rng, verb, 1200) for verb in (Verb.READ, Verb.SEND, Verb.READ)]
                await self.host.post_send(link.qp, *batch)
            for link in links:
                await peer_done(self, link)
                await self.host.wait_completions(link.qp)
            self.partner.clear_faults()


@dut_test(suites=("full",))
class read_response_order(ErnicTest):
    """READ responses that overtake each other or come twice change nothing in data and completion.

    Stimulus: pairs of responses swapped, every response repeated at once and late, a READ answered twice
    because its data was late; responses repeated while the last one is under way.
    Checks: ERN-094, ERN-244, ERN-093, ERN-072.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        rules = (
            Fault(Action.REORDER, Direction.TO_DUT, opcode=READ_MIDDLE, count=2, delay_ps=500_000),
            Fault(Action.REORDER, Direction.TO_DUT, opcode=READ_FIRST, count=1, delay_ps=500_000),
            Fault(Action.DUPLICATE, Direction.TO_DUT, opcode=READ_MIDDLE, delay_ps=10_000),
            Fault(Action.DUPLICATE, Direction.TO_DUT, opcode=READ_LAST, delay_ps=2_000_000),
            Fault(Action.DELAY, Direction.TO_DUT, opcode=READ_LAST, count=1, delay_ps=12_000_000),
        )
        for number, rule in enumerate(rules, 2):
            link = await connect(self, number, pmtu=256, timeout=3)
            rule.qp = number
            self.partner.add_faults(rule)
            for _ in range(3):
                batch = [request(self.rng, verb, 900) for verb in (Verb.READ, Verb.SEND, Verb.READ)]
                await post_all(self, link, batch, one_doorbell=True)
        link = await connect(self, 7, pmtu=256, timeout=3)
        self.partner.add_faults(
            Fault(Action.DUPLICATE, Direction.TO_DUT, qp=7, opcode=READ_MIDDLE, count=2, delay_ps=10_000),
            Fault(Action.DELAY, Direction.TO_DUT, qp=7, opcode=READ_LAST, count=1, delay_ps=3_000_000),
        )
        await post_all(self, link, [request(self.rng, Verb.READ, 900)])
        await self.host.pause(15)


@dut_test(suites=("full",))
class read_not_acked(ErnicTest):
    """An ACK, of the READ's own or a later PSN, never completes a READ; the data does.

    Stimulus: all responses held; ACKs of the READ's first, middle and last PSN and of the WRITE behind it;
    then the responses.
    Checks: ERN-095, ERN-072, ERN-076, ERN-092.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, timeout=0)
        for rounds in range(3):
            held = [
                Fault(Action.HOLD, Direction.TO_DUT, opcode=opcode)
                for opcode in (READ_FIRST, READ_MIDDLE, READ_LAST, ACK)
            ]
            self.partner.add_faults(*held)
            first = link.peer.responder.expected_psn
            batch = [request(self.rng, verb, 600) for verb in (Verb.READ, Verb.WRITE)]
            await self.host.post_send(link.qp, *batch)
            await self.host.pause(6)
            for step in (0, 1, 2, 5)[: 4 - rounds]:
                self.partner.inject(acknowledge(link.peer.config, psn_add(first, step), 0x1F, 0))
                await self.host.pause(3)
            await self.host.read("CQHEAD", link.number)
            self.partner.clear_faults()
            await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class read_nak(ErnicTest):
    """NAKs around an open READ: a sequence NAK asks it again, an RNR NAK delays it, a fatal one ends it.

    Stimulus: NAK 0x60 and RNR on the READ request and on the message behind one whose responses are lost;
    NAK 0x62 for the READ and for what follows it.
    Checks: ERN-081, ERN-083, ERN-088, ERN-094, ERN-096, ERN-187.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        verbs = (Verb.SEND, Verb.READ, Verb.WRITE)
        for number, (code, hit, lost) in enumerate(
            ((0x60, 1, 0), (0x60, 4, 3), (0x21, 1, 0), (0x62, 1, 0), (0x62, 4, 0), (0x63, 4, 3)), 2
        ):
            link = await connect(self, number, pmtu=256, timeout=4)
            psn = psn_add(link.config.first_psn, hit)
            self.partner.add_faults(Fault(Action.NAK, qp=number, psn=psn, value=code, count=1))
            for step in range(lost):
                self.partner.add_faults(
                    Fault(Action.DROP, Direction.TO_DUT, qp=number, psn=psn_add(psn, step - 3), count=1)
                )
            await post_all(
                self,
                link,
                [request(self.rng, verb, 700 if verb is Verb.READ else 200) for verb in verbs],
                one_doorbell=True,
            )
            await self.host.read("STATQP", number)


@dut_test(suites=("full",))
class read_retry_limit(ErnicTest):
    """A READ that is never answered is asked again as often as allowed, then the queue pair is fatal.

    Stimulus: limits 0, 1 and 3, the first response arriving or not; with limit 1 progress between losses.
    Checks: ERN-084, ERN-086, ERN-155, ERN-186, ERN-187.
    """

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        for number, limit in ((2, 0), (3, 1), (4, 3), (5, 3)):
            link = await connect(self, number, pmtu=256, timeout=2, retry=limit)
            if limit:
                rule = Fault(
                    Action.DROP, Direction.TO_DUT, qp=number, opcode=READ_LAST, repeats=False, count=4
                )
                self.partner.add_faults(rule)
                for _ in range(4):
                    await post_all(self, link, [request(self.rng, Verb.READ, 600)])
            gone = READ_LAST if number == 5 else None
            self.partner.add_faults(Fault(Action.DROP, Direction.TO_DUT, qp=number, opcode=gone))
            if number == 5:
                self.partner.add_faults(Fault(Action.DROP, Direction.TO_DUT, qp=number, opcode=READ_ONLY))
            await self.host.post_send(link.qp, *[request(self.rng, Verb.READ, 600) for _ in range(3)])
            await self.host.wait_completions(link.qp)
            await self.host.read("STATQP", number)


@dut_test(suites=("full",))
class read_outstanding(ErnicTest):
    """No more than sixteen one-response READs are open at a time, eight after a congestion notification.

    Stimulus: 40 READs of 32 bytes with all responses held for long, then let through; a second queue pair
    after a CNP.
    Checks: ERN-065, ERN-200, ERN-069, ERN-093.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number in (3, 4):
            link = await connect(self, number, sq_depth=64)
            if number == 4:
                config = link.peer.config
                notice = envelope(config, Bth(opcodes.CNP, config.peer_qp, 0, config.pkey))
                notice.cnp_reserved = bytes(16)
                self.partner.inject(build(notice))
            hold = Fault(Action.HOLD, Direction.TO_DUT, qp=number)
            self.partner.add_faults(hold)
            await self.host.post_send(link.qp, *[request(self.rng, Verb.READ, 32) for _ in range(40)])
            await self.host.pause(30)
            self.partner.clear_faults()
            await self.host.wait_completions(link.qp)


def shaped(opcode: int, size: int, syndrome: int = 0x1F):
    """A response of the given kind and size in place of the one that is due."""
    return opcode, size, syndrome


DEFECTS = (
    (shaped(READ_FIRST, 252), 600),
    (shaped(READ_FIRST, 260), 600),
    (shaped(READ_LAST, 256), 600),
    (shaped(READ_MIDDLE, 256), 600),
    (shaped(READ_ONLY, 256), 600),
    (shaped(READ_ONLY, 96), 100),
    (shaped(READ_ONLY, 104), 100),
    (shaped(READ_FIRST, 256), 100),
    (shaped(READ_ONLY, 100, 0x60), 100),
)


@dut_test(suites=("full",))
class read_response_bad(ErnicTest):
    """A malformed or unasked READ response writes nothing outside the READ's buffer and harms no other QP.

    Stimulus: too long, too short, wrong position, reserved AETH code in place of the response that is due,
    one queue pair each; responses with nothing outstanding and with the PSN of a SEND; a bystander goes on.
    Checks: ERN-097, ERN-093, ERN-215, ERN-236.
    """

    async def scenario(self) -> None:
        for defects in (DEFECTS[:5], DEFECTS[5:]):
            await reset(self)
            await bring_up(self, base_width=8)
            bystander = await connect(self, 8, pmtu=256)
            for number, ((opcode, size, syndrome), length) in enumerate(defects, 2):
                hold = {"ack_policy": AckPolicy(AckMode.HOLD)}
                link = await connect(self, number, hold, pmtu=256, timeout=4)
                self.inject(link, link.config.first_psn, READ_ONLY, 40)
                rule = Fault(Action.DROP, Direction.TO_DUT, qp=number, count=1)
                self.partner.add_faults(
                    Fault(Action.DROP, qp=number, opcode=opcodes.READ_REQUEST, count=1), rule
                )
                await self.host.post_send(link.qp, request(self.rng, Verb.READ, length))
                await self.host.pause(2)
                self.inject(link, link.config.first_psn, opcode, size, syndrome)
                await self.host.wait_completions(link.qp)
                await self.host.read("STATQP", number)
                await post_all(self, bystander, [request(self.rng, Verb.READ, 100)])

    def inject(self, link, psn: int, opcode: int, size: int, syndrome: int = 0x1F) -> None:
        """One READ response of random data, made by hand."""
        config = link.peer.config
        frame = envelope(config, Bth(opcode, config.peer_qp, psn, config.pkey))
        if opcode != READ_MIDDLE:
            frame.aeth = Aeth(syndrome, 1)
        frame.payload = self.rng.randbytes(size)
        self.partner.inject(build(frame))


@dut_test(suites=("full",))
class read_write_stalled(ErnicTest):
    """The completion of a READ waits until its data is in memory, however slowly that takes it.

    Stimulus: heavy stalls on all ports; READs of one and four responses in a row, completions watched by
    entry, doorbell and register.
    Checks: ERN-072, ERN-077, ERN-181.
    """

    stalls = "heavy"

    async def scenario(self) -> None:
        await bring_up(self)
        for number, cqe in ((2, True), (3, False)):
            link = await connect(self, number, pmtu=256, cqe=cqe, cq_interrupt=True)
            for _ in range(4):
                await self.host.post_send(
                    link.qp, *[request(self.rng, Verb.READ, n) for n in (40, 1000, 300)]
                )
                for _ in range(12):
                    await self.host.read("CQHEAD", number)
                await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class read_reset(ErnicTest):
    """A reset in the middle of READs both ways leaves nothing behind; the next life works.

    Stimulus: READs out and READs in, reset soon and later; then the same again to the end.
    Checks: ERN-219, ERN-220, ERN-221, ERN-093, ERN-135.
    """

    async def scenario(self) -> None:
        for wait in (0.3, 2.0, 0.0):
            link = await start(self, pmtu=256)
            mr = await self.host.register_mr(link.config.pd, 1 << 14)
            link.peer.post_read(mr.va, mr.rkey, 4000)
            self.partner.service()
            batch = [request(self.rng, Verb.READ, 900) for _ in range(4)]
            await self.host.post_send(link.qp, *batch)
            if wait:
                await self.host.pause(wait)
                await reset(self)
        await self.host.wait_completions(link.qp)


@dut_test(suites=("full",))
class read_credit(ErnicTest):
    """The credit field of READ responses and ACKs does not hold back READs.

    Stimulus: credits 0, 1 and 0x1F under READs and WRITEs in turn. Checks: ERN-098, ERN-093.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, credit in ((2, 0), (3, 1), (4, 0x1F)):
            link = await connect(self, number, {"credit": credit}, pmtu=256)
            batch = [request(self.rng, verb, 300) for _ in range(8) for verb in (Verb.WRITE, Verb.READ)]
            await post_all(self, link, batch)


@dut_test(suites=("full",))
class read_after_recovery(ErnicTest):
    """A queue pair that died with READs open works afresh after recovery, without their late responses.

    Stimulus: fatal NAK for a READ with its older responses held, recovery, new READs and WRITEs, then the
    held responses of the old life.
    Checks: ERN-189, ERN-096, ERN-187, ERN-093.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256)
        psn = psn_add(link.config.first_psn, 3)
        self.partner.add_faults(Fault(Action.NAK, psn=psn, value=0x62, count=1))
        hold = [
            Fault(Action.HOLD, Direction.TO_DUT, opcode=code) for code in (READ_FIRST, READ_MIDDLE, READ_LAST)
        ]
        self.partner.add_faults(*hold)
        await self.host.post_send(link.qp, *[request(self.rng, Verb.READ, 600) for _ in range(3)])
        await self.host.wait_completions(link.qp)
        for rule in hold:
            self.partner.faults.remove(rule)
        await reconnect(self, link, pmtu=256, first_psn=0x777777, expected_psn=0x1234)
        self.partner.release()
        await post_all(
            self, link, [request(self.rng, verb, 500) for verb in (Verb.READ, Verb.WRITE, Verb.READ)]
        )
