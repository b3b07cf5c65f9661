"""Transport in front of a Hermon CQ engine: RoCE endpoints over a lossy link, their completions as reports.

Two connected endpoints of the RoCE model run in time of their own; what completes on either side becomes a
report, in the order of completion: requests and received messages that ended well, errors and flushes of a
connection that gave up.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from ref_model.hermon_cq.ports import Report
from ref_model.link import LinkFaults, LossyLink
from ref_model.rocev2.endpoint import Endpoint, EndpointConfig, Status
from ref_model.rocev2.segment import Verb
from tb.host.hermon_producer import Producer
from tb.host.hermon_report import Opcode, Received, Syndrome, bad, good

_OPCODES = {
    Verb.SEND: Opcode.SEND,
    Verb.SEND_IMM: Opcode.SEND_IMM,
    Verb.SEND_INV: Opcode.SEND_INVAL,
    Verb.WRITE: Opcode.WRITE,
    Verb.WRITE_IMM: Opcode.WRITE_IMM,
    Verb.READ: Opcode.READ,
}
_SYNDROMES = {
    Status.RETRY_EXCEEDED: Syndrome.RETRY,
    Status.RNR_EXCEEDED: Syndrome.RNR_RETRY,
    Status.REMOTE_INVALID: Syndrome.REMOTE_REQUEST,
    Status.REMOTE_ACCESS: Syndrome.REMOTE_ACCESS,
    Status.REMOTE_OPERATION: Syndrome.REMOTE_OP,
    Status.FLUSHED: Syndrome.FLUSH,
}
LOSSY = LinkFaults(drop=0.08, duplicate=0.03, reorder=0.05, corrupt=0.02)


@dataclass(slots=True)
class Connection:
    """Endpoints ``a`` and ``b``: requests of a complete to ``send_cq``, messages at b to ``receive_cq``."""

    a: Endpoint
    b: Endpoint
    ab: LossyLink
    ba: LossyLink
    send_cq: int
    receive_cq: int
    now: int = 0
    requests: int = 0
    messages: int = 0
    solicited: list[bool] = field(default_factory=list)

    @classmethod
    def between(cls, number: int, cqs: tuple[int, int], rng: random.Random, faults: LinkFaults) -> Connection:
        """Connection ``number``; ``cqs``: of its requests and of the messages at the other side."""
        psns = rng.getrandbits(24), rng.getrandbits(24)
        a, b = (
            Endpoint(
                EndpointConfig(
                    qp=2 * number + side,
                    peer_qp=2 * number + 1 - side,
                    mac=0xA + side,
                    peer_mac=0xB - side,
                    ip=1 + side,
                    peer_ip=2 - side,
                    first_psn=psns[side],
                    expected_psn=psns[1 - side],
                    pmtu=256,
                    timeout_ps=40_000_000,
                    retry_limit=4,
                )
            )
            for side in (0, 1)
        )
        return cls(a, b, LossyLink(faults, rng), LossyLink(faults, rng), *cqs)

    def post(self, rng: random.Random) -> None:
        """Post a request of any verb; a connection that gave up takes none."""
        if self.a.failed:
            return
        payload = rng.randbytes(rng.randrange(0, 900))
        choice = rng.randrange(5)
        if choice < 2:
            self.a.post_send(payload, imm=rng.getrandbits(32) if choice else None)
        elif choice < 4:
            self.a.post_write(
                rng.getrandbits(48), 7, payload, imm=rng.getrandbits(32) if choice == 3 else None
            )
        else:
            self.a.post_send(payload, inv=rng.getrandbits(32))
        self.solicited.append(rng.random() < 0.3)

    def cut(self) -> None:
        """Nothing arrives any more: what is posted will end in error."""
        self.ab.faults = self.ba.faults = LinkFaults(drop=1.0)

    def run(self, producer: Producer) -> Iterator[Report]:
        """Run until nothing is left; yields the completions as they come."""
        while True:
            for endpoint, inbound, outbound in ((self.a, self.ba, self.ab), (self.b, self.ab, self.ba)):
                for frame in inbound.deliver(self.now):
                    endpoint.receive(self.now, frame)
                for frame in endpoint.poll(self.now):
                    outbound.send(self.now, frame)
            yield from self._completed(producer)
            times = (
                self.ab.next_arrival(),
                self.ba.next_arrival(),
                self.a.next_deadline(),
                self.b.next_deadline(),
            )
            coming = [time for time in times if time is not None]
            if not coming:
                return
            self.now = max(self.now, min(coming))

    def _completed(self, producer: Producer) -> Iterator[Report]:
        for message in self.b.received[self.messages :]:
            self.messages += 1
            if message.kind == "write" and message.immediate is None:
                continue  # a plain WRITE completes at its sender only
            code, word = Received.SEND, message.immediate or message.invalidate or 0
            if message.immediate is not None:
                code = Received.WRITE_IMM if message.kind == "write" else Received.SEND_IMM
            elif message.invalidate is not None:
                code = Received.SEND_INVAL
            solicited = self.solicited[(self.messages - 1) % len(self.solicited)]
            qpn, wqe, length = self.b.config.qp, self.messages & 0xFFFF, len(message.payload)
            yield good(self.receive_cq, producer.tag(), qpn, code, False, wqe, word, length, solicited)
        for done in self.a.completions[self.requests :]:
            self.requests += 1
            qpn, wqe = self.a.config.qp, done.number & 0xFFFF
            if done.status is Status.OK:
                yield good(self.send_cq, producer.tag(), qpn, _OPCODES[done.verb], True, wqe)
            else:
                yield bad(self.send_cq, producer.tag(), qpn, True, _SYNDROMES[done.status], wqe)
