"""Response error buffer in memory: where headers of erroneous responses may be stored (ERN-157).

Entry layout, trigger and write pointer are not public, so only the place is judged, and that something
was wrong with a response at all.
"""

from __future__ import annotations

from ref_model.ernic.config import RegisterValues
from ref_model.ernic.context import Context
from ref_model.rules import Scope
from ref_model.wire import INFO, Frame, opcodes

RULE = "ERN-157"
NAK_SEQUENCE, NAK_OPERATION = 0x60, 0x63
#: Taken for the entry size, and for the number of entries, where a half of RESPERRSZ is 0.
DEFAULT_SIZE, DEFAULT_ENTRIES = 64, 1


def known_syndrome(syndrome: int) -> bool:
    """Return whether an AETH syndrome is an ACK, an RNR NAK or one of the NAK codes of RC."""
    return syndrome >> 5 < 2 or NAK_SEQUENCE <= syndrome <= NAK_OPERATION


class ResponseErrors:
    """The area of RESPERRPKTBA, RESPERRPKTBAMSB and RESPERRSZ."""

    def __init__(self, ctx: Context, values: RegisterValues) -> None:
        """Start without a cause."""
        self._ctx = ctx
        self._values = values
        self.scope = Scope("response error buffer")
        self._causes = 0

    def area(self) -> tuple[int, int]:
        """Return (first address, bytes) of the buffer; no bytes if RESPERRSZ is 0."""
        word = self._values.get("GLOBAL", "RESPERRSZ")
        base = self._values.get("GLOBAL", "RESPERRPKTBAMSB") << 32 | self._values.get(
            "GLOBAL", "RESPERRPKTBA"
        )
        size, entries = word >> 16 or DEFAULT_SIZE, word & 0xFFFF or DEFAULT_ENTRIES
        return base, size * entries if word else 0

    def heard(self, frame: Frame, good: bool) -> None:
        """A frame came; ``good``: it is not dropped. Anything but a plain ACK may be logged as erroneous."""
        info = None if frame.bth is None else INFO.get(frame.bth.opcode)
        if info is None or info.kind not in ("ack", "read_resp"):
            return
        assert frame.bth is not None
        acknowledge = frame.bth.opcode == opcodes.ACKNOWLEDGE and frame.aeth is not None
        if not (good and acknowledge and frame.aeth and frame.aeth.is_ack and not frame.payload):
            self._causes += 1

    def stale(self) -> None:
        """A response acknowledged nothing that was outstanding."""
        self._causes += 1

    def write(self, data: bytes) -> None:
        """Judge a write inside the area."""
        if self._causes:
            self._ctx.rules.met(RULE, "stored inside the response error buffer", self.scope)
        else:
            why = "no response was erroneous"
            self._ctx.rules.fail(RULE, "no entry", f"{len(data)} bytes", why, self.scope)

    def blames(self, addr: int) -> bool:
        """Return whether a stray write at ``addr`` looks like an entry that left the area at its end."""
        base, size = self.area()
        return bool(self._causes) and size > 0 and base + size <= addr < base + 2 * size
