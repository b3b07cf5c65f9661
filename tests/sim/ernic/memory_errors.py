"""SLVERR and DECERR on the memory ports: the bus stays sound, the other queue pairs go on."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from ref_model.rocev2.segment import Verb
from tb.partner import Action, Fault
from tb.sequences.connect import Link, connect
from tb.sequences.memory_errors import CASES, Failing, meet, renew
from tb.sequences.start import bring_up
from tb.sequences.traffic import peer_post, request
from tb.testcase import ErnicTest, dut_test
from tests.sim.ernic.robustness import both_ways

Case = tuple[Failing, Awaitable[Any]]

LENGTH = 300
"""Bytes of a payload: five beats."""


class MemoryErrors(ErnicTest):
    """One access of queue pair 3 after the other fails beside traffic of 4 and 5; then 3 is made anew."""

    kinds: tuple[str, ...] = ()

    async def scenario(self) -> None:
        await bring_up(self, base_width=8)
        link, *others = [await connect(self, number) for number in (3, 4, 5)]
        turns = [(kind, *case) for case in CASES for kind in self.kinds]
        for turn, (kind, resp, last) in enumerate(turns, 1):
            failing, action = await getattr(self, kind)(link)
            await self.host.post_send(others[1].qp, *[request(self.rng, Verb.SEND, 300) for _ in range(4)])
            await meet(self, replace(failing, resp=resp, last=last), action)
            for other in others:
                await both_ways(self, other)
            link = await renew(self, link, turn)
            await both_ways(self, link)

    def local(self, verb: Verb) -> tuple[Any, int]:
        """A request and the address of its local buffer."""
        entry = request(self.rng, verb, LENGTH)
        entry.laddr = self.host.placement.store(bytes(LENGTH))
        return entry, entry.laddr

    async def by_peer(self, link: Link, verb: Verb, mr: Any = None) -> None:
        """The peer sends a message."""
        peer_post(link, self.rng, verb, LENGTH, mr)
        self.partner.service()


@dut_test(suites=("full",))
class memory_errors_send(MemoryErrors):
    """Errors on what the DUT reads and copies to send harm neither the bus nor other queue pairs.

    Stimulus: SLVERR, DECERR on the fetch of an entry, on the first and last beat of a payload, on the copy to
    a retry buffer and on its reading for a resend; two others busy; then deletion or recovery.
    Checks: ERN-217, ERN-190, ERN-238.
    """

    kinds = ("entry", "payload", "copy", "resend")

    async def entry(self, link: Link) -> Case:
        """The send queue entry."""
        base = self.host.qp_memory[link.number].sq
        ring = Failing("qp_mgr", base, 64 * link.config.sq_depth, True, whole=True)
        return ring, self.host.post_send(link.qp, request(self.rng, Verb.SEND, 40))

    async def payload(self, link: Link) -> Case:
        """The payload of a SEND."""
        entry, laddr = self.local(Verb.SEND)
        return Failing("wqe_proc_top", laddr, LENGTH, True), self.host.post_send(link.qp, entry)

    async def copy(self, link: Link) -> Case:
        """The copy of the payload of a WRITE."""
        buffers = self.buffers("wqe_proc_wr_ddr", False)
        return buffers, self.host.post_send(link.qp, request(self.rng, Verb.WRITE, LENGTH))

    async def resend(self, link: Link) -> Case:
        """That copy when the WRITE is resent."""
        self.partner.add_faults(Fault(Action.NAK, qp=link.number, value=0x60, count=1))
        buffers = self.buffers("wqe_proc_top", True)
        return buffers, self.host.post_send(link.qp, request(self.rng, Verb.WRITE, LENGTH))

    def buffers(self, port: str, reads: bool) -> Failing:
        """All retry buffers."""
        size = self.host.config.retry_buffers
        base = self.host.device_memory.retry_buffers
        return Failing(port, base, size.entries * size.size, reads, whole=True)


@dut_test(suites=("full",))
class memory_errors_receive(MemoryErrors):
    """Errors on what the DUT does for requests of a peer harm neither the bus nor other queue pairs.

    Stimulus: as memory_errors_send, on a receive element, on the first and last beat of a WRITE and of READ
    data, on the doorbell of the receive queue.
    Checks: ERN-217, ERN-190, ERN-238.
    """

    kinds = ("element", "written", "doorbell", "answer")

    async def element(self, link: Link) -> Case:
        """The payload of a SEND."""
        size = link.config.rq_depth * link.config.element
        base = self.host.qp_memory[link.number].rq
        ring = Failing("rx_pkt_hndler_ddr", base, size, False, whole=True)
        return ring, self.by_peer(link, Verb.SEND)

    async def written(self, link: Link) -> Case:
        """The payload of a WRITE."""
        mr = await self.host.register_mr(link.config.pd, LENGTH, row=10)
        return Failing("rx_pkt_hndler_ddr", mr.addr, LENGTH, False), self.by_peer(link, Verb.WRITE, mr)

    async def doorbell(self, link: Link) -> Case:
        """The word that announces a SEND."""
        word = Failing("rx_pkt_hndler_ddr", self.host.qp_memory[link.number].rq_doorbell, 4, False)
        return word, self.by_peer(link, Verb.SEND)

    async def answer(self, link: Link) -> Case:
        """The data of a READ of the peer."""
        mr = await self.host.register_mr(link.config.pd, LENGTH, row=10)
        return Failing("wqe_proc_top", mr.addr, LENGTH, True), self.by_peer(link, Verb.READ, mr)


@dut_test(suites=("full",))
class memory_errors_complete(MemoryErrors):
    """Errors on what the DUT writes to end its own requests harm neither the bus nor other queue pairs.

    Stimulus: as memory_errors_send, on the first and last beat of the data of a READ, on the completion, on
    the doorbell of the completion queue.
    Checks: ERN-217, ERN-190, ERN-238.
    """

    kinds = ("data", "completion", "doorbell")

    async def data(self, link: Link) -> Case:
        """The data of a READ."""
        entry, laddr = self.local(Verb.READ)
        return Failing("rx_pkt_hndler_rdrsp", laddr, LENGTH, False), self.host.post_send(link.qp, entry)

    async def completion(self, link: Link) -> Case:
        """The completion of a SEND."""
        base = self.host.qp_memory[link.number].cq
        ring = Failing("resp_hndler", base, 4 * link.config.sq_depth, False, whole=True)
        return ring, self.host.post_send(link.qp, request(self.rng, Verb.SEND, LENGTH))

    async def doorbell(self, link: Link) -> Case:
        """The word that announces it."""
        word = Failing("resp_hndler", self.host.qp_memory[link.number].cq_doorbell, 4, False)
        return word, self.host.post_send(link.qp, request(self.rng, Verb.SEND, LENGTH))
