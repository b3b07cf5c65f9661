"""Slots, arbitration and Go-Back-N of an endpoint."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ref_model.rclink import ports
from ref_model.rclink.config import Flow
from ref_model.rocev2.rnr import rnr_wait_ps

if TYPE_CHECKING:
    from ref_model.rclink.endpoint.core import Endpoint

PSN_MASK = 4095
US = 1_000_000
RNR_NO_LIMIT = 15


@dataclass(slots=True, eq=False)
class Slot:
    """One packet in a slot; ``granted``: it waits for its acknowledgement."""

    qp: int
    psn: int
    payload: bytes
    fack: bool
    granted: bool = False
    sent: bool = False


@dataclass(slots=True)
class Line:
    """Requester state of one queue pair."""

    psn: int = 0
    oldest: int = 0  #: e_rsp
    top: int = PSN_MASK  #: largest PSN sent
    last: int = PSN_MASK  #: last PSN of the current pass
    retries: int = 0
    rnr_retries: int = 0
    fatal: bool = False
    silent_until: int = 0
    timer: int | None = None
    slots: deque[Slot] = field(default_factory=deque)


class Sender:
    """TYPE1 requester of one endpoint: all queue pairs share the slots, which are kept by age."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.lines: dict[int, Line] = {}
        self.slots: dict[int, Slot] = {}  # by id, oldest first
        self.last_bank: Flow | None = None

    def line(self, number: int) -> Line:
        """State of queue pair ``number``."""
        return self.lines.setdefault(number, Line())

    @property
    def idle(self) -> bool:
        """All slots are empty."""
        return not self.slots

    def number(self, psn: int) -> int:
        """PSN behind ``psn``."""
        return (psn + 1) & PSN_MASK

    def accept(self, qp: int, payload: bytes, fack: bool) -> None:
        """Put a packet into a slot."""
        line = self.line(qp)
        slot = Slot(qp, line.psn, payload, fack)
        line.psn = self.number(line.psn)
        line.slots.append(slot)
        self.slots[id(slot)] = slot

    # -- arbitration ------------------------------------------------------------------------------

    def eligible(self, slot: Slot) -> bool:
        """Return whether a slot may be granted."""
        endpoint, line = self.endpoint, self.lines[slot.qp]
        return (
            not slot.granted
            and not line.fatal
            and line.silent_until <= endpoint.now
            and not endpoint.regulator.masked(slot.qp)
            and endpoint.regulator.flow_open(endpoint.device.bank(slot.qp))
        )

    def choose(self) -> Slot | None:
        """Return the slot to grant: the oldest, with banks in turn where that is enabled."""
        waiting = (slot for slot in self.slots.values() if not slot.granted and self.eligible(slot))
        first = next(waiting, None)
        device = self.endpoint.device
        if first is None or not device.bank_rr or device.bank(first.qp) is not self.last_bank:
            return first
        return next((slot for slot in waiting if device.bank(slot.qp) is not self.last_bank), first)

    def grant(self, slot: Slot) -> None:
        """A slot's packet is sent."""
        line = self.lines[slot.qp]
        self.last_bank = self.endpoint.device.bank(slot.qp)
        slot.granted = slot.sent = True
        line.last = slot.psn
        if 1 <= (slot.psn - line.top) & PSN_MASK < 2048:
            line.top = slot.psn
        if self.endpoint.device.lite:
            self._free(slot)
            self.endpoint.token(slot.qp)
        elif slot.psn == line.oldest:
            self.restart(line)

    def restart(self, line: Line) -> None:
        """Start or stop the timer of a queue pair."""
        timeout = self.endpoint.device.timeout_us
        waits = any(slot.granted for slot in line.slots)
        line.timer = self.endpoint.now + timeout * US if timeout and waits else None

    # -- acknowledgements -------------------------------------------------------------------------

    def acknowledge(self, qp: int, psn: int) -> int:
        """ACK: free what it covers; returns how many packets that is."""
        line = self.line(qp)
        count = (psn - line.oldest + 1) & PSN_MASK
        if not 1 <= count <= (line.top - line.oldest + 1) & PSN_MASK:
            return 0
        self._release(line, count)
        return count

    def _release(self, line: Line, count: int) -> None:
        for _ in range(count):
            slot = line.slots[0]
            self._free(slot)
            self.endpoint.token(slot.qp)
        line.oldest = (line.oldest + count) & PSN_MASK
        line.retries = line.rnr_retries = 0
        self.restart(line)

    def _free(self, slot: Slot) -> None:
        self.lines[slot.qp].slots.remove(slot)
        del self.slots[id(slot)]

    def refuse(self, qp: int, psn: int, rnr: int | None) -> int:
        """Sequence NAK, or RNR NAK with timer code ``rnr``; returns how many packets it acknowledges."""
        line = self.line(qp)
        count = (psn - line.oldest) & PSN_MASK
        if count > (line.top - line.oldest + 1) & PSN_MASK:
            return 0
        if count:
            self._release(line, count)
        if rnr is None:
            self.retry(line, qp)
        else:
            line.rnr_retries += 1
            line.silent_until = self.endpoint.now + rnr_wait_ps(rnr)
            self.go_back(line)
        return count

    def retry(self, line: Line, qp: int) -> None:
        """A retry event: send again from the oldest packet, or give up."""
        line.retries += 1
        if line.retries >= self.endpoint.device.retry_limit:
            if not line.fatal:
                line.fatal = True
                line.timer = None
                self.endpoint.message(1, 2, qp, 3)
            return
        self.go_back(line)

    def go_back(self, line: Line) -> None:
        """All packets that were sent wait again."""
        for slot in self.again(line):
            slot.granted = False
        line.last = (line.oldest - 1) & PSN_MASK
        line.timer = None

    def again(self, line: Line) -> list[Slot]:
        """Packets a retry event sends again."""
        return [slot for slot in line.slots if slot.granted]

    def expire(self, now: int) -> None:
        """Act on the timers that are over."""
        for qp, line in self.lines.items():
            if line.timer is not None and line.timer <= now:
                line.timer = None
                self.endpoint.pulse(ports.RETRY_TMO, qp)
                self.retry(line, qp)

    def flush(self, qp: int) -> int:
        """Software frees all slots of a queue pair; returns how many."""
        line = self.line(qp)
        count = len(line.slots)
        while line.slots:
            self._free(line.slots[0])
        line.timer = None
        line.fatal = False
        return count

    def times(self) -> list[int]:
        """When something happens by itself."""
        found = [line.timer for line in self.lines.values() if line.timer is not None]
        now = self.endpoint.now
        found += [line.silent_until for line in self.lines.values() if line.silent_until > now]
        return found
