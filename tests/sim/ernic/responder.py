"""Order of requests at the responder: gaps, duplicates, opcode and length rules, ACK modes."""

from __future__ import annotations

from ref_model.rocev2.psn import psn_add
from ref_model.rocev2.segment import Verb
from ref_model.wire import AtomicEth, Frame, Reth
from tb.host import Access, ResponseMode
from tb.sequences.connect import connect
from tb.sequences.raw import RawPeer, fill_ring
from tb.sequences.start import batches, bring_up, reset, start
from tb.testcase import ErnicTest, dut_test

HALF = 1 << 23


@dut_test(suites=("full",))
class psn_gap_nak(ErnicTest):
    """A request ahead of the expected one is not executed; one NAK per gap names the expected packet.

    Stimulus: gaps of 1, 2 and 100 followed by more packets ahead, then the missing ones; a second gap at
    once.
    Checks: ERN-114, ERN-126, ERN-127, ERN-172.
    """

    async def scenario(self) -> None:
        link = await start(self)
        raw = RawPeer(link, self.partner)
        raw.post(Verb.SEND, self.rng.randbytes(20))
        for gap in (1, 2, 100):
            first = raw.psn
            for ahead in (gap, gap + 1, gap + 2):
                raw.send(raw.message(Verb.SEND, b"ahead", psn=psn_add(first, ahead)), advance=False)
            await self.host.pause(3)
            raw.post(Verb.SEND, self.rng.randbytes(30))
            raw.send(raw.message(Verb.SEND, b"gap", psn=psn_add(raw.psn, 1)), advance=False)
            await self.host.pause(3)
            raw.post(Verb.SEND, self.rng.randbytes(40))
            await self.host.pause(2)


@dut_test(suites=("smoke", "full"))
class duplicates(ErnicTest):
    """A repeated request is acknowledged again without any effect, also inside another message.

    Stimulus: SENDs and WRITEs repeated with changed payload at age 1, 5 and 60; a repeat between the packets
    of a message; the whole last message repeated.
    Checks: ERN-115, ERN-117, ERN-123, ERN-168.
    """

    async def scenario(self) -> None:
        link = await start(self, pmtu=256, rq_depth=128, element=1024)
        mr = await self.host.register_mr(link.config.pd, 4096, access=Access.WRITE)
        raw = RawPeer(link, self.partner)
        sent = []
        for count in range(64):
            verb = Verb.WRITE if count % 2 else Verb.SEND
            sent += raw.post(verb, self.rng.randbytes(40), mr.va + count, mr.rkey)
        for age in (1, 5, 60):
            frame = sent[-age]
            frame.payload = self.rng.randbytes(40)
            raw.send(frame, advance=False)
        await self.host.pause(8)
        message = raw.message(Verb.WRITE, self.rng.randbytes(700), mr.va + 100, mr.rkey)
        raw.send([message[0], message[1], sent[-1], sent[-2]], advance=False)
        raw.send(message[2])
        raw.send(message, advance=False)
        raw.post(Verb.SEND, self.rng.randbytes(900))
        await self.host.wait_received(link.qp, 33)


@dut_test(suites=("full",))
class duplicate_rq_full(ErnicTest):
    """A duplicate draws its ACK although the ring is full or its region is gone, never an RNR NAK or refusal.

    Stimulus: the SEND that filled the last element repeated; a WRITE repeated after its row was cleared.
    Checks: ERN-243, ERN-115, ERN-145.
    """

    async def scenario(self) -> None:
        link = await start(self, element=256, pmtu=256)
        mr = await self.host.register_mr(link.config.pd, 4096)
        raw = RawPeer(link, self.partner)
        write = raw.post(Verb.WRITE, self.rng.randbytes(40), mr.va, mr.rkey)
        last = await fill_ring(self, raw)
        raw.send(last, advance=False)
        await self.host.deregister_mr(mr)
        raw.send(write, advance=False)
        await self.host.pause(5)
        raw.send(raw.message(Verb.SEND, b"no room"), advance=False)
        await self.host.pause(3)
        await self.host.free_recv(link.qp, 4)
        await self.host.pause(1)
        raw.post(Verb.SEND, b"room")
        await self.host.wait_received(link.qp, 17)


@dut_test(suites=("full",))
class psn_window(ErnicTest):
    """Packets up to half the number space behind are duplicates, those beyond are ahead, across the wrap.

    Stimulus: expected packet near 0 and near the middle; distances -1, -(2^23 - 1), +1, +(2^23 - 1).
    Checks: ERN-118, ERN-112, ERN-114, ERN-115.
    """

    async def scenario(self) -> None:
        await bring_up(self)
        for number, expected in ((2, 0xFFFFFF), (3, 0), (4, 0x7FFFFF)):
            link = await connect(self, number, expected_psn=expected)
            raw = RawPeer(link, self.partner)
            for distance in (-1, -(HALF - 1), 1, HALF - 1):
                raw.send(raw.message(Verb.SEND, b"far", psn=psn_add(raw.psn, distance)), advance=False)
                await self.host.pause(2)
                raw.post(Verb.SEND, self.rng.randbytes(25))
                await self.host.pause(2)


def numbered(first: int, length: int) -> bytes:
    """``length`` bytes (even) no part of which comes twice: 16-bit numbers from ``first``."""
    return b"".join(number.to_bytes(2, "big") for number in range(first, first + length // 2))


def positions(raw: RawPeer, rkey: int, va: int) -> dict[str, list[Frame]]:
    """Packets of a three-packet SEND and a three-packet WRITE with consecutive PSNs, by kind."""
    return {
        "send": raw.message(Verb.SEND, numbered(0, 600)),
        "write": raw.message(Verb.WRITE, numbered(300, 600), va, rkey),
        "only": raw.message(Verb.SEND, bytes(20)) * 3,
    }


SEQUENCES = (
    (("send", 1),),
    (("send", 2),),
    (("write", 1),),
    (("write", 2),),
    (("send", 0), ("only", 0)),
    (("send", 0), ("send", 0)),
    (("send", 0), ("write", 1)),
    (("send", 0), ("write", 2)),
    (("write", 0), ("send", 1)),
    (("write", 0), ("write", 0)),
    (("write", 0), ("only", 0)),
    (("send", 0), ("send", 1), ("write", 0)),
)


@dut_test(suites=("full",))
class opcode_sequence_fatal(ErnicTest):
    """A packet whose opcode cannot follow the one before is refused with 0x61, code 1, and ends the queue
    pair.

    Stimulus: middle and last without first, first or only inside a message, the other kind inside a message;
    good requests right behind, three ACK modes in turn. Checks: ERN-128, ERN-134, ERN-155, ERN-106, ERN-180,
    ERN-186.
    """

    async def scenario(self) -> None:
        modes = (ResponseMode.REQUEST, ResponseMode.REQUEST_OR_TIMEOUT, ResponseMode.TIMEOUT)
        for count, group in enumerate(batches(self, SEQUENCES)):
            await reset(self)
            await bring_up(self, ack_mode=modes[count % 3])
            for number, steps in group:
                link = await connect(self, number, pmtu=256)
                mr = await self.host.register_mr(link.config.pd, 4096)
                raw = RawPeer(link, self.partner)
                raw.post(Verb.SEND, self.rng.randbytes(10))
                for kind, index in steps:
                    frame = positions(raw, mr.rkey, mr.va)[kind][index]
                    assert frame.bth is not None
                    frame.bth.psn = raw.psn
                    raw.send(frame)
                for _ in range(3):
                    raw.post(Verb.SEND, b"after")
                await self.host.pause(3)


def atomic(opcode: int):
    """An RC atomic request: its opcode and header."""

    def change(frame: Frame) -> None:
        assert frame.bth is not None
        frame.bth.opcode = opcode
        frame.atomic = AtomicEth(0x1000, 5, 1, 2)
        frame.payload = b""

    return change


def other(opcode: int):
    """Any other opcode on a SEND ONLY packet."""

    def change(frame: Frame) -> None:
        assert frame.bth is not None
        frame.bth.opcode = opcode

    return change


@dut_test(suites=("full",))
class unsupported_opcode(ErnicTest):
    """Atomics are refused with 0x61, code 2; opcodes of other transports are refused or dropped.

    Stimulus: 0x13, 0x14, 0x15, UC, RD and vendor opcodes at a message boundary, one queue pair each.
    Checks: ERN-129, ERN-155, ERN-186.
    """

    async def scenario(self) -> None:
        changes = (
            atomic(0x13),
            atomic(0x14),
            other(0x15),
            other(0x24),
            other(0x44),
            other(0xC4),
            other(0x1F),
        )
        for group in batches(self, changes):
            await reset(self)
            await bring_up(self)
            for number, change in group:
                link = await connect(self, number)
                raw = RawPeer(link, self.partner)
                raw.post(Verb.SEND, self.rng.randbytes(10))
                raw.broken(change)
                await self.host.pause(3)


def sized(payload: int, position: int, length: int = 600, reth: int | None = None):
    """Frames of a three-packet WRITE in which packet ``position`` has ``payload`` bytes (and RETH says
    ``reth``).
    """

    def frames(raw: RawPeer, va: int, rkey: int) -> list[Frame]:
        message = raw.message(Verb.WRITE, bytes(length), va, rkey)
        message[position].payload = bytes(payload)
        if reth is not None:
            message[0].reth = Reth(va, rkey, reth)
        return message[: position + 1]

    return frames


LENGTH_CASES = (
    sized(252, 0),
    sized(260, 0),
    sized(252, 1),
    sized(260, 1),
    sized(260, 2),
    sized(84, 2),
    sized(92, 2),
    sized(88, 2, reth=601),
    sized(88, 2, reth=600 - 256),
    sized(260, 0, length=200),
    sized(88, 2, reth=600 + 256),
)


@dut_test(suites=("full",))
class length_rules(ErnicTest):
    """A packet whose size does not fit its position or the announced total is refused with 0x61, nothing
    spills over.

    Stimulus: first and middle of PMTU - 4 and + 4, last and only above PMTU, total 1 byte and one packet
    off; SENDs longer than the element on the last queue pairs.
    Checks: ERN-130, ERN-133, ERN-134, ERN-155.
    """

    async def scenario(self) -> None:
        for group in batches(self, LENGTH_CASES):
            await reset(self)
            await bring_up(self)
            for number, case in group:
                link = await connect(self, number, pmtu=256)
                mr = await self.host.register_mr(link.config.pd, 8192)
                raw = RawPeer(link, self.partner)
                raw.send(case(raw, mr.va + 64, mr.rkey))
                await self.host.pause(3)
        for number, length in ((7, 257), (8, 256 * 3)):
            if number in self.host.qps:
                continue
            link = await connect(self, number, pmtu=256, element=256)
            RawPeer(link, self.partner).post(Verb.SEND, bytes(length))
            await self.host.pause(4)


@dut_test(suites=("full",))
class ack_modes(ErnicTest):
    """Acknowledgements follow the configured mode: on request, on request or timeout, on timeout only.

    Stimulus: bursts of SENDs and WRITEs with the A bit on no, every third and every packet, then silence,
    in modes 10, 00 and 01. Checks: ERN-119, ERN-120, ERN-121, ERN-122, ERN-124, ERN-125.
    """

    async def scenario(self) -> None:
        for mode in (ResponseMode.REQUEST, ResponseMode.REQUEST_OR_TIMEOUT, ResponseMode.TIMEOUT):
            await reset(self)
            await bring_up(self, ack_mode=mode)
            for number, every in ((2, 0), (3, 3), (4, 1)):
                link = await connect(self, number, rq_depth=32, element=256)
                mr = await self.host.register_mr(link.config.pd, 4096)
                raw = RawPeer(link, self.partner)
                for burst in (1, 12):
                    for count in range(burst):
                        ask = every > 0 and count % every == 0
                        verb = (Verb.SEND, Verb.WRITE)[count % 2]
                        raw.send(raw.message(verb, self.rng.randbytes(16), mr.va, mr.rkey, ack=ask))
                    await self.host.pause(6)
            await self.settle()
