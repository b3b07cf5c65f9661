"""What the queue pairs of one DUT share: registers, regions, interrupts, counters, error buffers."""

from __future__ import annotations

from ref_model.ernic.config import Device, RegisterValues, read_device
from ref_model.ernic.context import Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.errors import ErrorBuffer, FatalQueue
from ref_model.ernic.global_buffers import missing_buffers
from ref_model.ernic.interrupts import Interrupts
from ref_model.ernic.outgoing_errors import OutgoingErrors
from ref_model.ernic.regions import Regions
from ref_model.ernic.response_errors import ResponseErrors


class Shared:
    """Registers as written, and the judges of everything that does not belong to one queue pair."""

    def __init__(self, ctx: Context, values: RegisterValues) -> None:
        """Start as after reset."""
        self.ctx = ctx
        self.values = values
        self.regions = Regions(values, ctx.knobs, ctx.rules)
        self.interrupts = Interrupts(ctx)
        self.counters = Counters(ctx, self.interrupts)
        self.outgoing_errors = OutgoingErrors(ctx.rules, values)
        self._decoded: tuple[int, Device] | None = None
        self._programmed = -1  # epoch in which all global buffers were found programmed
        self._empty_buffers()

    def _empty_buffers(self) -> None:
        self.errors = ErrorBuffer(self.ctx, self.values)
        self.fatal_queue = FatalQueue(self.ctx, self.values)
        self.response_errors = ResponseErrors(self.ctx, self.values)

    def reset(self) -> None:
        """The DUT was reset."""
        self.values.reset()
        self._decoded = None
        self.regions.invalidated.clear()
        self.interrupts.reset()
        self.counters.reset()
        self._empty_buffers()

    def device(self) -> Device:
        """Return the global configuration, decoded again only after a register write."""
        version = self.values.epoch
        if self._decoded is None or self._decoded[0] != version:
            self._decoded = (version, read_device(self.values))
        return self._decoded[1]

    def unprogrammed(self) -> bool:
        """The DUT gets work: without one of its global buffers it may do anything until the next reset."""
        if self._programmed != self.values.epoch:
            self._programmed = self.values.epoch
            if missing_buffers(self.values):
                self.ctx.stop_judging("ERN-158")
        return bool(self.ctx.unjudged)

    def let_go(self, number: int | None = None) -> None:
        """Something nobody judges (QP ``number``) may use what all share: counters, interrupts, buffers."""
        self.interrupts.let_go(number)
        self.counters.free = self.ctx.immediates_free = True
        self.errors.let_go()
        self.response_errors.stale()
        self.ctx.retries.let_go()
