"""Responses to the READs of one QP: which the DUT must take, may take, or must ignore (section 7)."""

from __future__ import annotations

from collections.abc import Callable

from ref_model.ernic.acknowledged import Acknowledged
from ref_model.ernic.completion import CompletionQueue
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.read_data import DataWrites, Fetch
from ref_model.ernic.resends import Resends
from ref_model.ernic.send_duty import SendDuty
from ref_model.ernic.send_window import SendWindow
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rules import Scope
from ref_model.wire import Frame


class ReadResponses:
    """Judge of the READ responses that come in for one QP."""

    def __init__(
        self,
        ctx: Context,
        scope: Scope,
        completions: CompletionQueue,
        window: SendWindow,
        resends: Resends,
        duty: SendDuty,
        acknowledged: Acknowledged,
    ) -> None:
        """No response came yet."""
        self._ctx = ctx
        self._rules = ctx.rules
        self._scope = scope
        self._cq = completions
        self._window = window
        self._resends = resends
        self._duty = duty
        self._acknowledged = acknowledged
        self._data = DataWrites(ctx, scope)
        #: A malformed READ response came: the QP may turn fatal.
        self.on_bad_response: Callable[[], None] = lambda: None

    def take(self, frame: Frame, conn: QpConfig, device: Device, now: int) -> bool:
        """A READ response came; returns whether the DUT has to take it."""
        bth, rules = frame.bth, self._rules
        assert bth is not None
        psn = bth.psn
        if not self._window.outstanding(psn):
            self._repeated(psn, frame)
            return False
        found = self._window.find(psn)
        if found is None or found[0].fetch is None:
            self._unasked(frame, "no READ expects it")
            return False
        message, index = found
        fetch = message.fetch
        assert fetch is not None
        missing = self._window.limit_of_data(psn)
        if psn_diff(missing, self._window.implied) > 0:
            self._window.implied = missing
        if missing != psn and self._window.limit_of_data(psn, at_best=True) != psn:
            rules.tempt("ERN-095", (self._scope.name, "cq"))
            self._resends.lost(missing, psn)
            self._acknowledged.cover(missing, conn, now)
            self._duty.arm(conn, device)
            why = f"PSN {missing:#x} is missing"
            self._refuse_data(fetch, frame, "ERN-094", why)
            return False
        self._acknowledged.cover(missing, conn, now)
        taken = missing == psn and fetch.fits(index, frame, fetch.starts[-1])
        if taken:
            fetch.received = index + 1
            self._data.owe(fetch, index, frame.payload)
            self._acknowledged.cover(psn_add(psn, 1), conn, now)
        elif any(fetch.fits(index, frame, start) for start in fetch.starts):
            fetch.maybe = max(fetch.maybe, index + 1)
            self._data.permit(fetch, index, frame.payload)
            self._resends.lost(missing, psn)
            self._resends.lost(psn_add(message.first_psn, fetch.maybe), psn)
        else:
            rules.tempt("ERN-097", ("DUT", "tx"))
            self._data.scribble(fetch, index)
            self._resends.lost(missing, psn)
            self.on_bad_response()
        self._duty.arm(conn, device)
        return taken

    def take_late(self, frame: Frame) -> None:
        """A READ response met the fatal state on its way: its data may still be written."""
        bth = frame.bth
        assert bth is not None
        found = self._window.find(bth.psn)
        if found is not None and found[0].fetch is not None:
            self._data.permit(found[0].fetch, found[1], frame.payload)
            if bth.psn == found[0].last_psn:
                self._window.late = bth.psn

    def died(self) -> None:
        """The QP is fatal: data that was taken may still be written, but is not owed."""
        for message in (*self._window.messages, *self._window.gone):
            if message.fetch is not None:
                self._data.give_up(message.fetch)

    def _repeated(self, psn: int, frame: Frame) -> None:
        """A response that is not outstanding: taken before, or never asked for."""
        everything = (*self._window.gone, *self._window.messages)
        message = next((m for m in everything if 0 <= psn_diff(psn, m.first_psn) < m.span), None)
        fetch = None if message is None else message.fetch
        if message is None or fetch is None or psn_diff(psn, self._window.una) >= 0:
            self._unasked(frame, "no READ expects it")
            return
        index = psn_diff(psn, message.first_psn)
        if message in self._window.messages and fetch.starts[-1] <= index and len(fetch.starts) > 1:
            self._data.permit(fetch, index, frame.payload)  # asked for again: it may be written again
            return
        for rule in ("ERN-244/once", "ERN-244/silence"):
            self._rules.tempt(rule, (self._scope.name, "tx"))
        self._resends.repeat_seen = True
        self._refuse_data(fetch, frame, "ERN-244/once", "this response was taken before")

    def _unasked(self, frame: Frame, why: str) -> None:
        self._rules.tempt("ERN-097", ("DUT", "tx"))
        if frame.payload:
            self._ctx.refuse(0, 0, "ERN-097", why, self._scope, frame.payload)

    def _refuse_data(self, fetch: Fetch, frame: Frame, rule: str, why: str) -> None:
        if frame.payload:
            self._ctx.refuse(fetch.laddr, fetch.length, rule, why, self._scope, frame.payload)

    # -- hidden choices ---------------------------------------------------------------------------

    def settle_held(self, conn: QpConfig) -> bool:
        """An output shows that the DUT took an answer it was free to ignore; returns whether there was one.

        That is an ACK for what follows a READ without data, or a late response to an earlier request.
        """
        before = self._cq.done
        while self._window.messages:
            first = self._window.messages[0]
            if first.fetch is None or first.fetch.maybe != first.fetch.span:
                break
            first.fetch.received = first.fetch.span
            self._acknowledged.cover(psn_add(first.last_psn, 1), conn, self._ctx.now)
        if self._window.acked_beyond is not None and self._window.outstanding(self._window.acked_beyond):
            self._acknowledged.cover(psn_add(self._window.acked_beyond, 1), conn, self._ctx.now)
        return self._cq.done != before

    def completion_too_early(self) -> str:
        """Return the rule that a completion breaks which nothing has earned."""
        fetch = self._window.messages[0].fetch if self._window.messages else None
        if fetch is None:
            return "ERN-071"
        if fetch.bad:
            return "ERN-097"
        beyond = self._resends.data_missing()
        return "ERN-095" if beyond or self._window.acked_beyond is not None else "ERN-072/arrival"
