"""What the device has in hand over all queue pairs: packets by their bytes, resends, time stamps."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ref_model.rclink.context import Context
    from ref_model.rclink.qp import Qp
    from ref_model.rclink.sending import Packet
    from ref_model.rules import Scope


class Book:
    """Packets of all queue pairs, found by payload; cost does not grow with their number."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._tick = ctx.timing.period * int(ctx.knobs["TS_TICK"])
        self.reset()

    def reset(self) -> None:
        """Nothing in hand."""
        self._by_payload: dict[bytes, dict[int, tuple[Qp, Packet]]] = {}
        self.open = 0  #: packets that are not acknowledged
        self._resends: deque[tuple[int, int]] = deque(maxlen=16)
        self._stamp: tuple[int, int, int] | None = None  # value, when, how much earlier it may have been
        self.last_frame = 0  #: tx clock at the end of the last frame to the MAC

    def add(self, payload: bytes, qp: Qp, packet: Packet) -> None:
        """``packet`` of ``qp`` was accepted."""
        self._by_payload.setdefault(payload, {})[id(packet)] = (qp, packet)
        self.open += 1

    def drop(self, packet: Packet) -> None:
        """``packet`` is done."""
        same = self._by_payload.get(packet.payload)
        if same is not None and same.pop(id(packet), None) is not None:
            self.open -= 1
            if not same:
                del self._by_payload[packet.payload]

    def find(self, payload: bytes) -> list[tuple[Qp, Packet]]:
        """Packets in hand with these bytes, oldest first."""
        return list(self._by_payload.get(payload, {}).values())

    # -- who sends again --------------------------------------------------------------------------

    def resent(self, qp: Qp) -> None:
        """``qp`` began to send again."""
        self._resends.append((qp.number, self._ctx.clock()))

    def resending(self, qp: Qp) -> int | None:
        """Return another queue pair that has begun to send again lately."""
        clock = self._ctx.clock()
        for number, since in reversed(self._resends):
            if number != qp.number and clock - since <= self._ctx.timing.liveness:
                return number
        return None

    # -- time stamps ------------------------------------------------------------------------------

    def stamped(self, timestamp: int, begin: int, scope: Scope) -> None:
        """A request that left at ``begin`` (ps) carries ``timestamp``: the counter stood there, or lately."""
        ctx = self._ctx
        since = ctx.decided_since()
        if self._stamp is not None:
            before, left, slack = self._stamp
            low = before + max((since - left) // self._tick - 1, 0)
            high = before + (begin - left + slack) // self._tick + 1
            if (timestamp - low) & 0xFFFF > high - low:
                what, why = f"{low & 0xFFFF} .. {high & 0xFFFF}", "the counter rises from frame to frame"
                ctx.rules.fail("RCL-018", what, timestamp, why, scope)
        self._stamp = (timestamp, begin, begin - since)

    def round_trip(self, echo: int, begin: int, settled: int) -> tuple[int, int] | None:
        """Range of the round trip time (ticks) of an ``echo`` that came over [begin, settled] (ps)."""
        if self._stamp is None:
            return None
        timestamp, left, slack = self._stamp
        low = timestamp + (begin - left) // self._tick - 1 - echo
        high = low + (settled - begin + self._ctx.timing.settle + slack) // self._tick + 2
        return low, min(high, low + 0xFFFF)
