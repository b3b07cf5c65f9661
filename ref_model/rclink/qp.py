"""One queue pair of the model: its configuration, both halves, rate and notifications."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ref_model.rclink.book import Book
from ref_model.rclink.buffers import Buffers
from ref_model.rclink.config import Flow, QpConfig, read_qp
from ref_model.rclink.notices import Notices
from ref_model.rclink.rate import Rate, Windows
from ref_model.rclink.requester import Requester
from ref_model.rclink.responder import Delivery, Responder
from ref_model.rclink.sending import Sending
from ref_model.rclink.turns import Turns
from ref_model.rules import Scope

if TYPE_CHECKING:
    from ref_model.rclink.arbiter import Arbiter
    from ref_model.rclink.context import Context
    from ref_model.rclink.gates import Gates
    from ref_model.rclink.registers import RegisterFile


class Shared:
    """The queue pairs, and what all of them use."""

    def __init__(
        self, ctx: Context, values: RegisterFile, arbiter: Arbiter, gates: Gates, windows: Windows
    ) -> None:
        self.ctx = ctx
        self.values = values
        self.arbiter = arbiter
        self.gates = gates
        self.windows = windows
        self.book = Book(ctx)
        self.buffers = Buffers(ctx)
        self.qps: dict[int, Qp] = {}
        self.peers: dict[int, dict[int, Qp]] = {}  #: queue pairs by the number of their peer
        self.doubtful: dict[int, Qp] = {}  #: queue pairs with undecided requests
        self.urgent: dict[int, int] = {}  #: tx clock of requests with Fack to answer
        self.turns = Turns(ctx)
        self.masked: set[int] = set()  #: queue pairs whose rate is used up
        self.fatal: set[int] = set()  #: queue pairs whose retries are exhausted
        self.opened: Callable[
            [Qp], None
        ]  #: told when a masked one certainly may send again; set by the model

    def qp(self, number: int) -> Qp | None:
        """Return queue pair ``number`` if the build has it."""
        qp = self.qps.get(number)
        if qp is None and 0 <= number < self.values.qp_count:
            qp = self.qps[number] = Qp(self, number)
            self.peers.setdefault(qp.config.dest_qp, {})[number] = qp
        return qp

    def reset(self) -> None:
        """No queue pair is set up."""
        for table in (self.qps, self.peers, self.doubtful):
            table.clear()
        self.masked.clear()
        self.fatal.clear()
        self.turns.waiting.clear()
        self.urgent.clear()
        self.book.reset()
        self.buffers.reset()


class Qp:
    """State of queue pair ``number``."""

    def __init__(self, shared: Shared, number: int) -> None:
        self.shared = shared
        self.ctx = shared.ctx
        self.number = number
        self.scope = Scope(f"QP {number}")
        self.arbiter, self.gates, self.book = shared.arbiter, shared.gates, shared.book
        self.bank: Flow = self.ctx.device.bank(number)
        self.config: QpConfig = read_qp(shared.values, number)
        self.former: QpConfig | None = None
        self.changed = 0  #: time (ps) until which the former configuration may still count
        self.rate = Rate(self.ctx, shared.windows)
        self.rate_locked = False  #: disabled at rate 0: SET_CC_RATE is ignored until it is enabled
        self.refused_rule = ""  #: rule of the last frame for it that had to be dropped
        self.notices = Notices(self)
        self.sending = Sending(self)
        self.requester = Requester(self.sending)
        self.responder = Responder(self)
        self._reminder = False

    @property
    def frame_time(self) -> int:
        """Time (ps) of the largest frame on the MAC port."""
        beat = int(self.ctx.knobs["MAC_DW"]) // 8
        return -(-max(self.ctx.device.largest) // beat) * self.ctx.timing.period

    def configured(self, settled: int) -> None:
        """A register of the queue pair was written."""
        config = read_qp(self.shared.values, self.number)
        if config != self.config:
            if config.dest_qp != self.config.dest_qp:
                peers = self.shared.peers
                peers[self.config.dest_qp].pop(self.number, None)
                peers.setdefault(config.dest_qp, {})[self.number] = self
            self.former, self.config = self.config, config
            self.changed = settled + self.ctx.timing.settle

    def moving(self) -> bool:
        """Return whether a change of the configuration may not have taken effect yet."""
        return self.former is not None and self.ctx.now <= self.changed

    # -- rate -------------------------------------------------------------------------------------

    def rate_open(self) -> bool:
        """Return whether the rate certainly permits to send; looks again when it may."""
        if self.rate.open_certainly():
            if self.rate.masked:
                self.shared.opened(self)
                return False
            self.shared.masked.discard(self.number)
            return True
        self.shared.masked.add(self.number)
        at = self.rate.opens_at()
        if at is not None and not self._reminder:
            self._reminder = True
            self.ctx.deadlines.call_at(max(at, self.ctx.now), self._look_again)
        return False

    def _look_again(self) -> None:
        self._reminder = False
        now = self.ctx.rules.now
        self.ctx.now = max(self.ctx.now, now)
        self.sending.clock = self.ctx.tx_held.free(now)
        self.sending.schedule()

    # -- deliveries -------------------------------------------------------------------------------

    def incoming(self, delivery: Delivery) -> None:
        """A packet entered the receive buffer of the bank."""
        self.shared.buffers.enter(self.bank, len(delivery.payload))

    def outgoing(self, delivery: Delivery) -> None:
        """It left."""
        self.shared.buffers.leave(self.bank, len(delivery.payload))

    def doubtful(self) -> None:
        """A request is undecided: at quiet it has to be decided."""
        self.shared.doubtful[self.number] = self
