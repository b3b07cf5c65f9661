"""What one QP of the ERNIC must send next, by when, and under which rule (requirements sections 5 and 8)."""

from __future__ import annotations

from ref_model.deadlines import Must
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.lifecycle import WQE_BYTES
from ref_model.ernic.outstanding_limit import OutstandingLimit
from ref_model.ernic.packet import LONG
from ref_model.ernic.resends import Resends
from ref_model.ernic.send_window import SendWindow
from ref_model.ernic.timers import Timers
from ref_model.ernic.work_entries import WorkEntry
from ref_model.rocev2.psn import psn_diff
from ref_model.rocev2.segment import Verb
from ref_model.rules import Scope

#: Rules of "there is something to send".
PLAIN_SEND_RULES = ("ERN-069", "ERN-200", "ERN-217/others", "ERN-223", "ERN-236", "ERN-237")
SEND_RULES = (*PLAIN_SEND_RULES, "ERN-067/start", "ERN-098", "ERN-061", "ERN-224")
#: Rules of "too many RNR NAKs end the QP".
RNR_LIMIT_RULES = ("ERN-089/count", "ERN-089/infinite")


class SendDuty:
    """The one thing that the requester owes: its next packet, a resend, or the fatal state."""

    def __init__(
        self,
        ctx: Context,
        scope: Scope,
        number: int,
        window: SendWindow,
        resends: Resends,
        timers: Timers,
        limit: OutstandingLimit,
    ) -> None:
        """Nothing is owed."""
        self._ctx = ctx
        self._rules = ctx.rules
        self._scope = scope
        self._number = number
        self._window = window
        self._resends = resends
        self._timers = timers
        self._limit = limit
        self._duty: Must | None = None
        self._held_back = False  # work was posted while the QP must not send
        self._no_credit = False
        self._by_side_band = False  # SQPI was written through its side band, no packet owed since
        self._troubles = 0  # troubles of other QPs before the last packet

    @property
    def due(self) -> bool:
        """Whether the DUT owes the next packet of this QP now."""
        return self._duty is not None and self._duty.open and self._duty.rule in SEND_RULES

    # -- what changes it --------------------------------------------------------------------------

    def posted(self, by_side_band: bool, held_back: bool) -> None:
        """SQPI was written; ``held_back``: while the QP must not send."""
        self._by_side_band = by_side_band
        self._held_back = self._held_back or held_back

    def acknowledged(self, credit: int) -> None:
        """An ACK came with AETH syndrome bits [4:0]; 0 must not hold back what comes next."""
        self._no_credit = not credit
        if self._no_credit and self._duty is not None and self._duty.rule in PLAIN_SEND_RULES:
            self._ctx.deadlines.void(self._duty)

    def covered(self) -> None:
        """An acknowledgement covered something: no resend is owed any more."""
        if self._duty is not None and self._duty.rule not in SEND_RULES:
            self._ctx.deadlines.void(self._duty)

    def sent(self, again: bool) -> None:
        """A packet left; ``again``: one that was sent before."""
        if again and self._duty is not None and self._duty.rule in RNR_LIMIT_RULES:
            self._ctx.deadlines.void(self._duty)  # one retry more than the limit is no end yet
        elif again or (self._duty is not None and self._duty.rule in SEND_RULES):
            self.met()

    def met(self) -> None:
        """What was owed was done."""
        self._ctx.deadlines.meet(self._duty)

    def seen(self) -> None:
        """A packet of this QP shows that troubles of others do not stop it."""
        if self._ctx.troubles.rule_since(self._troubles, self._number) == "ERN-237":
            self._rules.observe("ERN-240")
        self._troubles = self._ctx.troubles.count

    def died(self) -> None:
        """The QP turned fatal: nothing is owed, and that may have been what was."""
        if self._resends.may_die:
            self.met()
        self._ctx.deadlines.void(self._duty)

    def replace(self, rule: str, expected: str, why: str, deadline: int) -> None:
        """Instead of what was owed, ``expected`` is."""
        self._ctx.deadlines.void(self._duty)
        self._duty = self._ctx.deadlines.must(rule, expected, why, self._scope, deadline)

    # -- the next packet --------------------------------------------------------------------------

    def arm(self, conn: QpConfig, device: Device) -> None:
        """Owe the next packet if one is due and nothing holds the QP back."""
        if self._duty is not None and self._duty.open and self._duty.rule not in SEND_RULES:
            return
        window = self._window
        off = not (conn.enabled and device.enabled) or conn.recovery
        blocked = off or window.fatal or self._resends.may_die
        if blocked or not self._more() or (self._ctx.retries.exhausted() and self._next_is_write(conn)):
            self._ctx.deadlines.void(self._duty)
            self._arm_timeout(conn, device)
            return
        if self._duty is not None and self._duty.open:
            return
        rule, knob = self._send_rule(), None
        if self._held_back:
            rule, knob = "ERN-067/start", "M_RULES"
        elif self._by_side_band:
            rule = "ERN-224"
        elif self._no_credit and self._next_is_write(conn):
            rule, knob = "ERN-098", "M_RULES"
        elif window.current is not None and window.current.sent >= LONG:
            if self._ctx.knobs["LONG_WRITE_CAP"] != "none":
                self._rules.observe("ERN-061")
                return
            rule = "ERN-061"
        elif self._limit.tells(len(window.messages)):
            rule = "ERN-200"
        self._held_back = self._by_side_band = False
        self._duty = self._ctx.deadlines.must(
            rule,
            "the next packet of the posted WQEs",
            "work is posted",
            self._scope,
            self._ctx.liveness(),
            knob,
        )

    def _more(self) -> bool:
        """Return whether there is a packet to send."""
        window = self._window
        if self._resends.may_wait_until > self._ctx.now or (window.reads and window.current is None):
            return False  # whether the DUT goes on before a READ has its data is open
        due = max(window.cursor, window.una, window.known_to(), key=lambda psn: psn_diff(psn, window.una))
        if window.current is not None or due != window.next_psn:
            return True
        return window.sq.count > window.started and len(window.messages) < self._limit.value

    def _send_rule(self) -> str:
        """Return the rule of "work is posted, so something leaves", by what happened before."""
        if not self._ctx.spoken:
            return "ERN-223"
        return self._ctx.troubles.rule_since(self._troubles, self._number) or "ERN-069"

    def _next_is_write(self, conn: QpConfig) -> bool:
        """Return whether the next packet belongs to a WRITE or READ, by its entry in memory."""
        if self._window.current is not None:
            return self._window.current.verb.is_write or self._window.current.fetch is not None
        if self._window.started >= self._window.sq.count:
            return False
        entry = conn.sq_base + WQE_BYTES * (self._window.started % conn.sq_depth)
        verb = Verb.from_wqe_opcode(WorkEntry(self._ctx.memory.read(entry, WQE_BYTES)).opcode)
        return verb is not None and (verb.is_write or verb is Verb.READ)

    def _arm_timeout(self, conn: QpConfig, device: Device) -> None:
        """With packets unacknowledged and the timer on, a resend is owed within 4 timeouts."""
        if self._window.fatal or self._window.una == self._window.next_psn or conn.recovery:
            return
        if conn.timeout == 0:
            since = self._window.una
            self._ctx.deadlines.call_at(self._ctx.liveness(), lambda: self._still_silent(since))
            return
        period = self._timers.timeout(conn, device)
        deadline = max(self._resends.last_sent, self._resends.progress) + self._timers.longest(period)
        knob = None
        if self._resends.may_die:
            rule, expected = "ERN-086", "a last resend or the fatal state"
        else:
            rule, expected = "ERN-084", f"PSN {self._window.una:#x} again"
            if device.retry_forever and self._resends.rounds > conn.retry_limit:
                rule, knob = "ERN-087/resend", "M_RULES"
        why = "no acknowledgement within the timeout"
        self._duty = self._ctx.deadlines.must(rule, expected, why, self._scope, deadline, knob)

    def _still_silent(self, una: int) -> None:
        """With the timeout off, a packet stayed unacknowledged for long: a resend would have been wrong."""
        if una == self._window.una != self._window.next_psn:
            self._rules.tempt("ERN-085", (self._scope.name, "tx"))
