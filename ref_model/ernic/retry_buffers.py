"""Retry data buffers: copies of outgoing WRITE payload, resent from there or from LADDR (ERN-090)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import Context
from ref_model.rules import Scope

RULE = "ERN-090"
FROM_LADDR = "laddr"


class RetryBuffers:
    """The area of DATBUFBA, DATBUFBAMSB and DATBUFSZ, and what RETRY_SOURCE makes of it."""

    def __init__(self, ctx: Context, values: RegisterValues, on_change: Callable[[], None]) -> None:
        """Share ``values`` with the model; ``on_change``: the buffers ran out, or do so no more."""
        self._ctx = ctx
        self._values = values
        self.scope = Scope("retry buffers")
        self._on_change = on_change
        self._free = False  # a QP nobody judges may hold any number
        self._held = 0  # buffers that the unacknowledged WRITE packets of all QPs may take

    def _shape(self) -> tuple[int, int]:
        word = self._values.get("GLOBAL", "DATBUFSZ")
        return word & 0xFFFF, word >> 16

    def area(self) -> tuple[int, int]:
        """Return (first address, bytes) of the buffers."""
        base = self._values.get("GLOBAL", "DATBUFBAMSB") << 32 | self._values.get("GLOBAL", "DATBUFBA")
        count, size = self._shape()
        return base, count * size

    def write(self, addr: int, data: bytes) -> None:
        """Judge a write inside the area: copies of payload may be there in any arrangement."""
        self._ctx.rules.met(RULE, "written inside the retry buffers", self.scope, knob="RETRY_SOURCE")

    def let_go(self) -> None:
        """A QP is not judged any more: it may hold all buffers."""
        self._free = True
        self._on_change()

    def exhausted(self) -> bool:
        """Return whether a WRITE may have to wait for a free buffer."""
        full = self._free or self._held >= self._shape()[0]
        return self._ctx.knobs["RETRY_SOURCE"] != FROM_LADDR and full

    def take(self, copy: bytes) -> None:
        """A WRITE packet was sent for the first time: ``copy`` has to be kept."""
        self._move(self._needed(copy))

    def free(self, copies: Iterable[bytes]) -> None:
        """Packets were acknowledged, or never will be."""
        self._move(-sum(map(self._needed, copies)))

    def _needed(self, copy: bytes) -> int:
        return -(-len(copy) // max(self._shape()[1], 1))

    def _move(self, by: int) -> None:
        before = self.exhausted()
        self._held += by
        if self.exhausted() != before:
            self._on_change()

    def resend(self, copy: bytes, stored: bytes) -> tuple[bytes, ...]:
        """Return the payloads a resent WRITE packet may carry.

        ``copy``: as it was sent first, ``stored``: what lies at LADDR now. A packet longer than a buffer may
        be taken from either, since nothing is said about it.
        """
        source = str(self._ctx.knobs["RETRY_SOURCE"])
        if source == FROM_LADDR:
            return (stored,)
        return (copy,) if source == "buffer" and len(copy) <= self._shape()[1] else (copy, stored)

    def decided(self, laddr: int, length: int, since: int, begin: int) -> int:
        """Return when a resent packet was decided on, at the latest: its payload was being read by then.

        ``since``: the QP sent its last packet; ``begin``: first beat of the packet (ps).
        """
        places = [(laddr & -64, length + 64)]
        if self._ctx.knobs["RETRY_SOURCE"] != FROM_LADDR:
            places.append(self.area())
        return self._ctx.fetched_in(places, since - self._ctx.timing.reaction, begin)
