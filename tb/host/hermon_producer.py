"""Producer of completion reports: the transport in front of a Hermon CQ engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any

from ref_model.events import SideBand
from tb.host.hermon_report import Opcode, Report, Syndrome

GOOD_SENDS = (Opcode.WRITE, Opcode.WRITE_IMM, Opcode.SEND, Opcode.SEND_IMM, Opcode.READ)
RECEIVES = (0, 1, 2, 3)
SYNDROMES = tuple(Syndrome)
QPS_PER_CQ = 3

Send = Callable[[list[tuple[int, ...]]], Awaitable[None]]


class Producer:
    """Makes reports with unique tags and hands them to the DUT; ``results`` come from the status stream."""

    def __init__(self, send: Send, rng: random.Random) -> None:
        """``send`` offers beats back to back and returns when the last was taken."""
        self._send = send
        self._rng = rng
        self._tag = 0
        self._wqe: Counter[int] = Counter()
        self.sent = 0
        self.codes: Counter[int] = Counter()  #: results by code
        self.of_cq: Counter[tuple[int, int]] = Counter()  #: results by (CQ, code)

    def result(self, event: SideBand) -> None:
        """The DUT returned the result of a report."""
        cqn, code = event.values[0] & 0xFFFFFF, event.values[0] >> 24 & 0xFF
        self.codes[code] += 1
        self.of_cq[cqn, code] += 1

    @property
    def finished(self) -> int:
        """Reports whose result is known."""
        return sum(self.codes.values())

    def qpns(self, cqn: int) -> list[int]:
        """Numbers of the queue pairs that complete to a queue."""
        return [0x40_0000 | number << 16 | cqn & 0xFFFF for number in range(1, QPS_PER_CQ + 1)]

    def make(self, cqn: int, **fields: Any) -> Report:
        """A report of a random queue pair, good, plain and with a random body unless ``fields`` say otherwise."""
        rng = self._rng
        self._tag = self._tag + 1 & 0xFFFFFFFF
        qpn = fields.get("qpn", rng.choice(self.qpns(cqn)))
        self._wqe[qpn] += 1
        send = bool(fields.get("send", rng.random() < 0.5))
        own: dict[str, Any] = {
            "qpn": qpn,
            "send": send,
            "opcode": rng.choice(GOOD_SENDS if send else RECEIVES),
            "wqe_counter": self._wqe[qpn] & 0xFFFF,
            "byte_cnt": rng.getrandbits(31),
            "immediate": rng.getrandbits(32),
            "vendor": rng.getrandbits(8),
            "tag": self._tag,
        }
        return Report(cqn, **(own | fields))

    def any(self, cqn: int, errors: float = 0.1, solicited: float = 0.2, **fields: Any) -> Report:
        """A report that may be in error or solicited, with the given probabilities."""
        rng = self._rng
        if rng.random() < errors:
            return self.make(cqn, **({"syndrome": rng.choice(SYNDROMES)} | fields))
        return self.make(cqn, **({"solicited": rng.random() < solicited} | fields))

    def whole(self, report: Report) -> Report:
        """The same report with random bits in every word of the body that a good CQE may carry."""
        rng = self._rng
        code = report.opcode | int(report.send) << 6 | rng.getrandbits(1) << 5
        words = (report.qpn | rng.getrandbits(8) << 24, *(rng.getrandbits(32) for _ in range(6)))
        return replace(report, words=(*words, rng.getrandbits(24) << 8 | rng.getrandbits(1) << 7 | code))

    async def send(self, reports: Iterable[Report]) -> None:
        """Offer reports back to back; returns when the last was taken."""
        beats = [(report.beat(),) for report in reports]
        if beats:
            self.sent += len(beats)
            await self._send(beats)
