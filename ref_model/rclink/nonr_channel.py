"""One channel of TYPE3: its ring, and whether it works or a fault has stopped it (sections 2 and 11.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.rclink.nonr_status import RX_EMPTY, RX_TAIL, TX_EMPTY, TX_TAIL, NonrStatus
from ref_model.rclink.rings import INDEX_MASK, Ring

if TYPE_CHECKING:
    from ref_model.rclink.context import Context
    from ref_model.rclink.registers import RegisterFile

#: Rule of what a channel does unasked, while no fault has stopped it.
UNASKED = {"TX": "RCL-108", "RX": "RCL-109"}


class Channel:
    """The transmit or the receive channel (``kind`` TX or RX)."""

    def __init__(self, kind: str, ctx: Context, values: RegisterFile, status: NonrStatus) -> None:
        """Stopped, nothing posted."""
        self.kind = kind
        self._ctx = ctx
        self._values = values
        self._status = status
        self.ring = Ring()
        self.stopped = False
        self.again = False  #: a soft reset came after it had worked, or met a fault
        self._used = False  # it has worked, or met a fault
        self._fault_rule = UNASKED[kind]  # of the fault that stopped it

    def configured(self, name: str) -> None:
        """Register ``name`` was written: follow the ring."""
        kind, ring = self.kind, self.ring
        if name in (f"{kind}_MDQ_BA", f"{kind}_MDQ_SIZE"):
            ring.base = self._values.word(f"{kind}_MDQ_BA")
            ring.size = self._values.get(f"{kind}_MDQ_SIZE", f"{kind.lower()}_mdq_size")
        elif name == f"{kind}_MD_HEAD_PTR":
            ring.post(self._values.word(name))

    def restart(self) -> None:
        """Soft reset."""
        self.ring.restart()
        self.again = self.again or self._used or self.stopped
        self.stopped = False

    def stop(self, rule: str) -> None:
        """A channel stands still until its soft reset; ``rule``: what it breaks if it goes on."""
        self.stopped = True
        self._fault_rule = rule

    @property
    def unasked(self) -> str:
        """Rule of what a channel does and should not."""
        return self._fault_rule if self.stopped else UNASKED[self.kind]

    @property
    def running(self) -> bool:
        """Enabled, not in reset, not stopped by a fault."""
        name = self.kind.lower()
        return bool(
            self._values.get("NONR_DMA_CTRL", f"{name}_en")
            and not self._values.get("NONR_DMA_CTRL", f"{name}_reset")
            and not self.stopped
        )

    def read_tail(self, name: str, data: int) -> None:
        """Judge a read of the tail pointer ``name``."""
        ctx, ring = self._ctx, self.ring
        rule = "RCL-117" if self.again else UNASKED[self.kind]
        seen = data & INDEX_MASK
        if ctx.quiet:
            ctx.rules.eq(rule, ring.tail, seen, f"{name} at rest", ctx.client)
        elif ring.size:
            ahead, most = ring.look(seen)
            ctx.rules.in_range(rule, 0, most, ahead, name, ctx.client, sure=False)

    def worked(self) -> None:
        """A channel finished a frame."""
        self._used = True
        if self.again:
            self.again = False
            self._ctx.rules.met("RCL-117", "a channel works after its soft reset", self._ctx.client)

    def moved(self) -> None:
        """The tail of a ring moved: tail-up and ring-empty events."""
        ring = self.ring
        name = self.kind.lower()
        if ring.tail == self._values.get("TAIL_UP_CFG", f"{name}_tail_up_val") & INDEX_MASK:
            self._status.event(TX_TAIL if self.kind == "TX" else RX_TAIL)
        if ring.done == ring.head:
            self._status.event(TX_EMPTY if self.kind == "TX" else RX_EMPTY, sure=self.kind == "TX")
