"""What acknowledgements cover: WQEs complete, retries begin anew, and READs hold back what follows them."""

from __future__ import annotations

from ref_model.ernic.completion import Completion, CompletionQueue
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.outstanding_limit import OutstandingLimit
from ref_model.ernic.packet import Message
from ref_model.ernic.resends import Resends
from ref_model.ernic.send_duty import SendDuty
from ref_model.ernic.send_window import SendWindow
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rules import Scope


class Acknowledged:
    """Takes acknowledged packets out of the window of one QP."""

    def __init__(
        self,
        ctx: Context,
        scope: Scope,
        number: int,
        completions: CompletionQueue,
        counters: Counters,
        window: SendWindow,
        resends: Resends,
        duty: SendDuty,
        limit: OutstandingLimit,
    ) -> None:
        """Start as after reset."""
        self._ctx = ctx
        self._rules = ctx.rules
        self._scope = scope
        self._number = number
        self._cq = completions
        self._counters = counters
        self._window = window
        self._resends = resends
        self._duty = duty
        self._limit = limit
        self.begin()

    def begin(self) -> None:
        """Nothing was acknowledged yet, in the life of the QP that begins."""
        self.any = False  #: something was
        self.resent = False  #: something was sent again and still waits

    def cover(self, upto: int, conn: QpConfig, now: int) -> None:
        """Everything before PSN ``upto`` is acknowledged."""
        window, former = self._window, self._window.una
        if window.reads:
            upto = window.limit_of_data(upto)
        if psn_diff(upto, former) <= 0:
            return
        self.any = True
        window.una = upto
        self._duty.covered()
        self._resends.covered(former, upto, now)
        ended = self._cq.done
        while window.messages and psn_diff(window.messages[0].last_psn, upto) < 0:
            message = window.messages[0]
            if message.sent < len(message.segments):
                break
            window.messages.popleft()
            self._complete(message, conn)
        if self._cq.done - ended > 1:
            self._rules.tempt("ERN-080", (self._scope.name, "cq"))
            self._cq.together = self._cq.done
        if not window.messages:
            self.resent = False
            self._limit.emptied()

    def _complete(self, message: Message, conn: QpConfig) -> None:
        window = self._window
        self.forget(message)
        if message is window.current:
            window.current = None
        if message.fetch is not None:
            window.reads -= 1
            window.gone.append(message)
        implied = message.fetch is None and psn_diff(message.last_psn, window.implied) < 0
        done = Completion(message.wrid, message.opcode, False, False, message.fetch, implied)
        self._cq.complete(done, conn)
        self._counters.completion(self._number, conn)

    def forget(self, message: Message) -> None:
        """All packets of ``message`` are acknowledged, or never will be: their copies are free."""
        if message.copies:
            self._ctx.retries.free(message.copies.values())
            message.copies.clear()

    def held_back(self, upto: int) -> bool:
        """An answer covers all before ``upto``: does a READ without its data hold it back?"""
        missing = self._window.limit_of_data(upto) if self._window.reads else upto
        if missing == upto:
            return False
        self._rules.tempt("ERN-095", (self._scope.name, "cq"))
        self._window.acked_beyond = psn_add(upto, -1)
        self._resends.lost(missing, psn_add(upto, -1))
        return True
