"""Producer of completion reports: the transport in front of a Hermon CQ engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from ref_model.events import SideBand
from ref_model.hermon_cq.ports import Report, Status
from tb.host.hermon_report import Opcode, Received, Syndrome, bad, good, of_words

if TYPE_CHECKING:
    from tb.host.hermon_cq import Cq

SENDS = tuple(code for code in Opcode if code is not Opcode.NOP)
RECEIVES = tuple(Received)
SYNDROMES = tuple(Syndrome)
QPS_PER_CQ = 3

Send = Callable[[list[tuple[int, ...]]], Awaitable[None]]


class Producer:
    """Makes reports with unique tags and hands them to the DUT; results come back on the status stream."""

    def __init__(self, send: Send, rng: random.Random) -> None:
        """``send`` offers beats back to back and returns when the last was taken."""
        self._send = send
        self._rng = rng
        self._tag = 0
        self._wqe: Counter[int] = Counter()
        self.sent: Counter[int] = Counter()  #: reports handed over, by CQ
        self.codes: Counter[tuple[int, int]] = Counter()  #: results by (CQ, code)

    def result(self, event: SideBand) -> None:
        """The DUT returned the result of a report."""
        status = Status.of(event.values[0])
        self.codes[status.cqn, status.code] += 1

    def written(self, cqn: int) -> int:
        """CQEs of a queue whose result is known."""
        return self.codes[cqn, 0]

    def tag(self) -> int:
        """A tag nobody had before."""
        self._tag = self._tag + 1 & 0xFFFFFFFF
        return self._tag

    def qpns(self, cqn: int) -> list[int]:
        """Numbers of the queue pairs that complete to a queue."""
        return [0x40_0000 | number << 16 | cqn & 0xFFFF for number in range(1, QPS_PER_CQ + 1)]

    def _next(self, cqn: int, qpn: int | None) -> tuple[int, int]:
        """Queue pair (any of the queue's unless given) and its next WQE counter."""
        qpn = self._rng.choice(self.qpns(cqn)) if qpn is None else qpn
        self._wqe[qpn] += 1
        return qpn, self._wqe[qpn] & 0xFFFF

    def plain(
        self,
        cqn: int,
        solicited: bool = False,
        qpn: int | None = None,
        send: bool | None = None,
        opcode: int | None = None,
    ) -> Report:
        """A good completion; what is not given is drawn. Every bit a good CQE may carry is drawn, too."""
        rng = self._rng
        qpn, wqe = self._next(cqn, qpn)
        send = not solicited and rng.random() < 0.5 if send is None else send
        code = (rng.choice(SENDS if send else RECEIVES)) if opcode is None else opcode
        last = (
            rng.getrandbits(24) << 8
            | rng.getrandbits(1) << 7
            | int(send) << 6
            | rng.getrandbits(1) << 5
            | code
        )
        middle = tuple(rng.getrandbits(32) for _ in range(5))
        words = (rng.getrandbits(8) << 24 | qpn, *middle, wqe << 16 | rng.getrandbits(16), last)
        return of_words(cqn, words, self.tag(), solicited)

    def bare(self, cqn: int, wqe: int | None = None, send: bool = True) -> Report:
        """A short completion: all words but the least are 0."""
        qpn, counter = self._next(cqn, None)
        return good(
            cqn,
            self.tag(),
            qpn,
            Opcode.SEND if send else Received.SEND,
            send,
            counter if wqe is None else wqe,
        )

    def walked(self, cqn: int, bit: int) -> Report:
        """A good completion with only bit ``bit`` (0 to 255) of the body set, where a good CQE may have it.

        Opcodes that are no legal report do not come of it: one bit alone is neither of them.
        """
        words = [0] * 8
        words[bit // 32] = 1 << bit % 32
        return of_words(cqn, tuple(words), self.tag())

    def error(
        self, cqn: int, syndrome: int | None = None, send: bool | None = None, qpn: int | None = None
    ) -> Report:
        """A completion in error."""
        rng = self._rng
        qpn, wqe = self._next(cqn, qpn)
        send = rng.random() < 0.5 if send is None else send
        code = rng.choice(SYNDROMES) if syndrome is None else syndrome
        return bad(cqn, self.tag(), qpn, send, code, wqe, rng.getrandbits(8))

    def any(self, cqn: int, errors: float = 0.1, solicited: float = 0.2) -> Report:
        """A completion that may be in error or solicited, with the given probabilities."""
        if self._rng.random() < errors:
            return self.error(cqn)
        return self.plain(cqn, self._rng.random() < solicited)

    async def send(self, *reports: Report) -> None:
        """Offer reports back to back; returns when the last was taken."""
        if reports:
            self.sent.update(report.cqn for report in reports)
            await self._send([(report.word,) for report in reports])

    def room(self, cq: Cq) -> int:
        """Reports a queue surely has room for, as a driver that publishes before it posts knows."""
        return max(0, cq.room(self.sent[cq.cqn]))

    async def when_room(self, cq: Cq, clocks: Callable[[int], Awaitable[None]]) -> None:
        """Wait until the consumer of a queue has made room; TimeoutError when it never does."""
        for _ in range(4000):
            if self.room(cq):
                return
            await clocks(20)
        raise TimeoutError(f"CQ {cq.cqn}: no room")

    async def burst(self, cqn: int, count: int, solicited: bool = False) -> None:
        """Good completions of one queue, back to back."""
        await self.send(*(self.plain(cqn, solicited) for _ in range(count)))

    async def mixed(
        self, cqns: Iterable[int], count: int, errors: float = 0.1, solicited: float = 0.2
    ) -> None:
        """Completions of any kind, of any of the queues."""
        known = list(cqns)
        await self.send(*(self.any(self._rng.choice(known), errors, solicited) for _ in range(count)))
