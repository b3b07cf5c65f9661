"""Retry data buffers: copies of outgoing WRITE payload, resent from there or from LADDR (ERN-090)."""

from __future__ import annotations

from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import Context
from ref_model.rules import Scope

RULE = "ERN-090"
FROM_LADDR = "laddr"


class RetryBuffers:
    """The area of DATBUFBA, DATBUFBAMSB and DATBUFSZ, and what RETRY_SOURCE makes of it."""

    def __init__(self, ctx: Context, values: RegisterValues) -> None:
        """Share ``values`` with the rest of the model."""
        self._ctx = ctx
        self._values = values
        self.scope = Scope("retry buffers")
        self.held = 0  # WRITE packets with payload that are not acknowledged, over all QPs

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

    def exhausted(self) -> bool:
        """Return whether a WRITE may have to wait for a free buffer."""
        return self._ctx.knobs["RETRY_SOURCE"] != FROM_LADDR and self.held >= self._shape()[0]

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
