"""What one QP of the ERNIC may and must send: WQEs, packets, retries (requirements sections 3 to 8).

The judge follows the packets on the wire. ``next_psn`` is the number of the next new packet,
``cursor`` the one due now (lower while the DUT resends), ``una`` the oldest one not acknowledged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ref_model.deadlines import Must
from ref_model.ernic.completion import Completion, CompletionQueue
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.order import begins
from ref_model.ernic.packet import LONG, Message, judge
from ref_model.ernic.read_data import DataWrites, Fetch, end_of, judge_request
from ref_model.ernic.rings import RingIndex
from ref_model.ernic.work_entries import WorkEntries, WorkEntry
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rocev2.rnr import rnr_wait_ps
from ref_model.rocev2.segment import Verb, segment
from ref_model.rules import OPEN_VALUES, Scope
from ref_model.wire import Frame, Reth

WQE_BYTES = 64
RNR_ENDLESS = 7

#: Rules of "there is something to send".
PLAIN_SEND_RULES = ("ERN-069", "ERN-200", "ERN-217/others", "ERN-223", "ERN-236", "ERN-237")
SEND_RULES = (*PLAIN_SEND_RULES, "ERN-067/start", "ERN-098", "ERN-061", "ERN-224")
FATAL_NAKS = (0x61, 0x62, 0x63)
#: Rules of "too many RNR NAKs end the QP".
RNR_LIMIT_RULES = ("ERN-089/count", "ERN-089/infinite")


@dataclass(slots=True)
class Restart:
    """A permission, once, to go back: to the PSN of a NAK or, after later ACKs, up to the oldest open one.

    ``void_since``: time (ps) of the later answer that overtook it; a resend already on its way still counts.
    ``upto``: of a READ response that is missing: PSN of the answer that told so. It was dropped, so that the
    permission stands until it, too, has come again.
    """

    psn: int
    rule: str
    void_since: int | None = None
    upto: int | None = None

    def allows(self, psn: int, una: int) -> bool:
        """Return whether a resend may begin at ``psn`` while ``una`` is the oldest open packet."""
        return psn_diff(psn, self.psn) >= 0 and (psn == self.psn or psn_diff(psn, una) <= 0)


class Requester:
    """Judge of the send side of one QP."""

    def __init__(
        self, ctx: Context, scope: Scope, completions: CompletionQueue, counters: Counters, qp: int
    ) -> None:
        """Start without WQEs, PSN 0."""
        self._ctx = ctx
        self._scope = scope
        self._cq = completions
        self._counters = counters
        self._qp = qp
        self.sq = RingIndex()
        self.started = 0
        self.sent_messages = 0
        self.next_psn = self.cursor = self.una = 0
        self.window: deque[Message] = deque()
        self.current: Message | None = None
        self.fatal = False
        self.may_die = False
        self.resends = 0
        self.resent_unacked = False
        self.acknowledged = False
        self._died = 0
        self._held_back = False
        self._no_credit = False
        self._by_side_band = False  # SQPI was written through its side band, no packet owed since
        self._start_rule = "ERN-056"  # what a start that nothing explains breaks
        self._decided = 0  # when the packet being judged was decided on, at the latest
        self._late: int | None = None  # PSN of an ACK that may have come before the fatal state
        self._last_retry = ""
        self._congested: int | None = None
        self._cnps = 0
        self._drained = False  # all WQEs acknowledged since the CNP: the limit may be back
        self.entries = WorkEntries(ctx.sources)
        self._restarts: list[Restart] = []
        self._rnr_until = 0
        self._rnr_since = 0
        self._may_wait_until = 0  # for an RNR NAK that may have been ignored
        self._duty: Must | None = None
        self._progress = 0
        self._former: deque[tuple[int, int, int]] = deque(
            maxlen=8
        )  # (una, its timeout's start, when it moved on)
        self._oldest_sent = 0
        self._last_sent = 0
        self._reads = 0  # READs in the window
        self._data = DataWrites(ctx, scope)
        self._gone: deque[Message] = deque(maxlen=8)  # READs that completed
        self._after_read = False  # the last new message was a READ
        self._acked_beyond: int | None = None  # PSN of an ACK for what follows a READ without its data
        self._reth: Reth | None = None  # of the packet being judged
        self._repeat_seen = False  # a response taken before came since the last packet
        self._implied = 0  # PSN up to which READ responses acknowledged
        self._extra_rounds = 0  # resends of READs that may count as retries
        #: A malformed READ response came: the QP may turn fatal.
        self.on_bad_response: Callable[[], None] = lambda: None
        self._rounds = 0
        self._rnr_rounds = 0
        self._rnr_retries = 0
        self._troubles = 0  # troubles of other QPs before the last packet
        self._empty: int | None = None  # PSN of the last message, if it has no payload
        self._ghost: int | None = None  # when (ps) a NAK for nothing outstanding came last

    # -- stimulus ---------------------------------------------------------------------------------

    @property
    def owes(self) -> bool:
        """Whether the DUT owes the next packet of this QP now."""
        return self._duty is not None and self._duty.open and self._duty.rule in SEND_RULES

    def post(self, raw: int, conn: QpConfig, device: Device, by_side_band: bool = False) -> None:
        """SQPI was written: the entries up to ``raw`` belong to the DUT now."""
        self._by_side_band = by_side_band
        if self._start_rule != "ERN-229":
            self._start_rule = "ERN-224" if by_side_band else "ERN-056"
        limit = conn.sq_depth - (self.sq.count - self._cq.done)
        before = self.sq.count
        self.sq.advance_to(raw, conn.sq_depth, limit)
        if self.fatal:
            self._flush(before, conn)
        if not conn.enabled or conn.recovery:
            self._ctx.rules.tempt("ERN-067/silence", (self._scope.name, "tx"))
            self._held_back = True
        if not device.enabled:
            self._ctx.rules.tempt("ERN-247", (self._scope.name, "tx"))
        self.arm(conn, device)

    def preset_psn(self, psn: int) -> None:
        """SQPSN was written on an idle QP."""
        if not self.window:
            self.next_psn = self.cursor = self.una = psn

    def fetched(self, slot: int, data: bytes) -> None:
        """The DUT read the send queue entry of ``slot``; the bus delivered ``data``."""
        self.entries.fetched(slot, data)

    def acknowledge(self, psn: int, credit: int, conn: QpConfig, device: Device, now: int) -> bool:
        """A positive acknowledgement came; returns False if it covers nothing outstanding (a ghost).

        ``credit``: AETH syndrome bits [4:0]; 0 must not hold back what comes next.
        """
        if not self._outstanding(psn):
            self._ctx.rules.tempt("ERN-092", (self._scope.name, "tx"))
            return False
        held = self._hold_back(psn_add(psn, 1))
        self._cover(psn_add(psn, 1), conn, now)
        self._no_credit = not credit
        if self._no_credit and self._duty is not None and self._duty.rule in PLAIN_SEND_RULES:
            self._ctx.deadlines.void(self._duty)
        self.arm(conn, device)
        return not held

    def acknowledge_late(self, psn: int) -> None:
        """A positive acknowledgement met the fatal state on its way: it may still count."""
        if self._outstanding(psn):
            self._late = psn

    def nak(self, psn: int, syndrome: int, conn: QpConfig, device: Device, now: int) -> bool:
        """A NAK came; returns False if it names nothing outstanding."""
        if not self._outstanding(psn):
            self._ctx.rules.tempt("ERN-092", (self._scope.name, "tx"))
            self._ghost = now
            return False
        if psn != self.una:
            self._ctx.rules.tempt("ERN-083", (self._scope.name, "tx"))
        missing = self._limit_of_data(psn) if self._reads else psn
        self._hold_back(psn)
        self._cover(psn, conn, now)
        if syndrome in FATAL_NAKS:
            return True
        if syndrome >> 5 == 1:
            self._rnr_rounds += 1
            self._ctx.troubles.waits(self._qp)
            self._last_retry = "ERN-089/infinite" if conn.rnr_limit == RNR_ENDLESS else "ERN-089/count"
            endless = conn.rnr_limit == RNR_ENDLESS and self._ctx.knobs["RNR_INFINITE_7"] != "count"
            limited = not device.retry_forever and not endless
            self.may_die = self.may_die or (limited and self._rnr_rounds > conn.rnr_limit)
            wait = rnr_wait_ps(syndrome)
            if missing != psn:  # whether it is heard behind a READ without its data is open
                self._lost(missing, psn)
                self._restarts.append(Restart(psn, "ERN-081"))
                self._may_wait_until = now + self._longest(wait)
                self.arm(conn, device)
                return True
            self._rnr_since = now
            self._rnr_until = now + self._shortest(wait, device)
            self._void_restarts(now)
            self._restarts.append(Restart(psn, "ERN-088"))
            rule, expected = (
                (self._last_retry, "the QP turns fatal")
                if self.may_die
                else ("ERN-088", f"PSN {psn:#x} again")
            )
            self._replace_duty(rule, expected, "RNR NAK received", now + self._longest(wait))
        else:
            if missing != psn:  # each NAK may send the QP back to the READ that misses data
                self._restarts.append(Restart(missing, "ERN-094", upto=psn))
            self._restarts.append(Restart(psn, "ERN-081"))
            self._replace_duty(
                "ERN-081", f"PSN {psn:#x} again", "sequence NAK received", self._ctx.liveness()
            )
        return True

    def _outstanding(self, psn: int) -> bool:
        return psn_diff(psn, self.una) >= 0 and psn_diff(psn, self.next_psn) < 0

    def _cover(self, upto: int, conn: QpConfig, now: int) -> None:
        """Everything before PSN ``upto`` is acknowledged."""
        if self._reads:
            upto = self._limit_of_data(upto)
        if psn_diff(upto, self.una) <= 0:
            return
        self.acknowledged = True
        self._former.append((self.una, max(self._progress, self._oldest_sent), now))
        self.una = upto
        if self._duty is not None and self._duty.rule not in SEND_RULES:
            self._ctx.deadlines.void(self._duty)
        self._progress = self._oldest_sent = now
        self._rounds = self._rnr_rounds = self._rnr_retries = self._extra_rounds = 0
        self.may_die = False
        if upto == self.next_psn:
            self._void_restarts(now)
        for restart in self._restarts:  # an RNR wait ends with the acknowledgement of its packet
            last = restart.psn if restart.upto is None else restart.upto
            overtaken = restart.rule in ("ERN-088", "ERN-094") and psn_diff(last, upto) < 0
            if overtaken and restart.void_since is None:
                restart.void_since = now
        ended = self._cq.done
        while self.window and psn_diff(self.window[0].last_psn, upto) < 0:
            message = self.window[0]
            if message.sent < len(message.segments):
                break
            self._forget(self.window.popleft())
            if message is self.current:
                self.current = None
            if message.fetch is not None:
                self._reads -= 1
                self._gone.append(message)
            implied = message.fetch is None and psn_diff(message.last_psn, self._implied) < 0
            self._cq.complete(
                Completion(message.wrid, message.opcode, False, False, message.fetch, implied), conn
            )
            self._counters.completion(self._qp, conn)
        if self._cq.done - ended > 1:
            self._ctx.rules.tempt("ERN-080", (self._scope.name, "cq"))
            self._cq.together = self._cq.done
        if not self.window:
            self.resent_unacked = False
            self._drained = self._congested is not None

    def _forget(self, message: Message) -> None:
        """All packets of ``message`` are acknowledged, or never will be: their copies are free."""
        if message.copies:
            self._ctx.retries.free(message.copies.values())
            message.copies.clear()

    def _void_restarts(self, now: int) -> None:
        """Later answers overtook the open permissions to go back."""
        for restart in self._restarts:
            if restart.void_since is None:
                restart.void_since = now

    def _open_restarts(self, begin: int) -> list[Restart]:
        """Return the permissions that hold for a packet beginning at ``begin``; forgets expired ones."""
        self._restarts = [
            entry
            for entry in self._restarts
            if entry.void_since is None or not self._ctx.reacted(entry.void_since, begin)
        ]
        return self._restarts

    # -- what is owed -----------------------------------------------------------------------------

    def arm(self, conn: QpConfig, device: Device) -> None:
        """Owe the next packet if one is due and nothing holds the QP back."""
        if self._duty is not None and self._duty.open and self._duty.rule not in SEND_RULES:
            return
        blocked = self.fatal or self.may_die or not (conn.enabled and device.enabled) or conn.recovery
        due = max(self.cursor, self.una, self._known_to(), key=lambda psn: psn_diff(psn, self.una))
        more = self.current is not None or due != self.next_psn
        if not more and self.sq.count > self.started and len(self.window) < self._limit():
            more = True
        if self._may_wait_until > self._ctx.now or (self._reads and self.current is None):
            more = False  # whether the DUT goes on before a READ has its data is open
        if blocked or not more or (self._ctx.retries.exhausted() and self._next_is_write(conn)):
            self._ctx.deadlines.void(self._duty)
            self._arm_timeout(conn, device)
            return
        if self._duty is None or not self._duty.open:
            rule, knob = self._send_rule(), None
            if self._held_back:
                rule, knob = "ERN-067/start", "M_RULES"
            elif self._by_side_band:
                rule = "ERN-224"
            elif self._no_credit and self._next_is_write(conn):
                rule, knob = "ERN-098", "M_RULES"
            elif self.current is not None and self.current.sent >= LONG:
                if self._ctx.knobs["LONG_WRITE_CAP"] != "none":
                    self._ctx.rules.observe("ERN-061")
                    return
                rule = "ERN-061"
            elif self._cnps > 1 and not self._drained and len(self.window) >= self._limit() // 2:
                rule = "ERN-200"  # later CNPs lower the limit no further
            self._held_back = self._by_side_band = False
            self._duty = self._ctx.deadlines.must(
                rule,
                "the next packet of the posted WQEs",
                "work is posted",
                self._scope,
                self._ctx.liveness(),
                knob,
            )

    def _send_rule(self) -> str:
        """Return the rule of "work is posted, so something leaves", by what happened before."""
        if not self._ctx.spoken:
            return "ERN-223"
        return self._ctx.troubles.rule_since(self._troubles, self._qp) or "ERN-069"

    def _next_is_write(self, conn: QpConfig) -> bool:
        """Return whether the next packet belongs to a WRITE or READ, by its entry in memory."""
        if self.current is not None:
            return self.current.verb.is_write or self.current.fetch is not None
        if self.started >= self.sq.count:
            return False
        entry = conn.sq_base + WQE_BYTES * (self.started % conn.sq_depth)
        verb = Verb.from_wqe_opcode(WorkEntry(self._ctx.memory.read(entry, WQE_BYTES)).opcode)
        return verb is not None and (verb.is_write or verb is Verb.READ)

    def _arm_timeout(self, conn: QpConfig, device: Device) -> None:
        """With packets unacknowledged and the timer on, a resend is owed within 4 timeouts."""
        if self.fatal or self.una == self.next_psn or conn.recovery:
            return
        if conn.timeout == 0:
            since = self.una
            self._ctx.deadlines.call_at(self._ctx.liveness(), lambda: self._still_silent(since))
            return
        period = self._timeout_ps(conn, device)
        deadline = max(self._last_sent, self._progress) + self._longest(period)
        knob = None
        if self.may_die:
            rule, expected = "ERN-086", "a last resend or the fatal state"
        else:
            rule, expected = "ERN-084", f"PSN {self.una:#x} again"
            if device.retry_forever and self._rounds > conn.retry_limit:
                rule, knob = "ERN-087/resend", "M_RULES"
        why = "no acknowledgement within the timeout"
        self._duty = self._ctx.deadlines.must(rule, expected, why, self._scope, deadline, knob)

    def _still_silent(self, una: int) -> None:
        """With the timeout off, a packet stayed unacknowledged for long: a resend would have been wrong."""
        if una == self.una != self.next_psn:
            self._ctx.rules.tempt("ERN-085", (self._scope.name, "tx"))

    def _replace_duty(self, rule: str, expected: str, why: str, deadline: int) -> None:
        self._ctx.deadlines.void(self._duty)
        self._duty = self._ctx.deadlines.must(rule, expected, why, self._scope, deadline)

    def _limit(self) -> int:
        before, after = self._ctx.knobs["MAX_OUTSTANDING"]
        return int(before if self._congested is None else after)

    def _timeout_ps(self, conn: QpConfig, device: Device) -> int:
        return (1 << (device.base_width + conn.timeout)) * self._ctx.timing.period

    def _earliest_timeout(self, conn: QpConfig, device: Device) -> int:
        """First moment (ps) at which the timeout of the oldest open packet may have expired."""
        return max(self._progress, self._oldest_sent) + self._shortest_timeout(conn, device)

    def _shortest_timeout(self, conn: QpConfig, device: Device) -> int:
        """Least time (ps) on the pins: one base tick less, and what the first sending may have waited."""
        return self._shortest(self._timeout_ps(conn, device), device) - self._ctx.timing.reaction

    def _shortest(self, nominal: int, device: Device) -> int:
        """Least time (ps) of a timer of nominal length by TIMER_TOL."""
        tolerance = self._ctx.knobs["TIMER_TOL"]
        tick = (1 << device.base_width) * self._ctx.timing.period
        return max(int(tolerance["lower_factor"] * nominal - tolerance["lower_base_ticks"] * tick), 0)

    def _longest(self, nominal: int) -> int:
        """Longest time (ps) until a timer of nominal length has shown on the pins."""
        return int(self._ctx.knobs["TIMER_TOL"]["upper_factor"] * nominal) + self._ctx.timing.liveness

    # -- packets from the DUT ---------------------------------------------------------------------

    def packet(self, frame: Frame, begin: int, conn: QpConfig, device: Device) -> None:
        """Judge one request packet of this QP."""
        rules, scope = self._ctx.rules, self._scope
        bth = frame.bth
        assert bth is not None
        psn = bth.psn
        self._reth = frame.reth
        self._decided = self._decision(psn, begin, conn)
        if not self._may_send(conn, device):
            return
        if self.fatal:
            self._counters.late_request(frame)  # queued before the QP died
            return
        if psn != self.cursor and self._inside_last_read(psn, frame):
            why = "a READ takes as many PSNs as it has responses"
            rules.fail("ERN-063", self.next_psn, psn, why, scope)
            return
        if psn != self.cursor and not self._restart(psn, begin, conn, device):
            return
        if psn == self.next_psn:
            if self.current is None and not self._start(conn, begin):
                return
            message = self.current
            assert message is not None
            index = message.sent
            again = False
        else:
            found = self._find(psn)
            if found is None:
                # acknowledged meanwhile: a resend that was already on its way, content no longer known
                self.cursor = end_of(frame, conn.pmtu)
                self._counters.request(frame, True, True)
                return
            message, index = found
            again = True
        if message.fetch is not None:
            judge_request(self._ctx, scope, conn, frame, message.fetch, index, again)
            if again:
                message.fetch.starts.append(index)
        else:
            part = message.segments[index]
            judge(self._ctx, scope, conn, frame, message, part, again, lambda: self._overtakes(frame, conn))
        if self._stands_for(psn, self.una):
            self._oldest_sent = self._ctx.ready_since(begin)
        self._last_sent = begin
        if self._ctx.troubles.rule_since(self._troubles, self._qp) == "ERN-237":
            rules.observe("ERN-240")
        self._troubles = self._ctx.troubles.count
        self._repeat_seen = False
        if not again:
            message.sent += 1
            self.next_psn = psn_add(psn, 1) if message.fetch is None else psn_add(message.last_psn, 1)
            if self._after_read:
                rules.met("ERN-063", "the next packet comes behind the PSNs of the READ", scope)
            self._after_read = message.fetch is not None
            if message.sent == len(message.segments):
                self.current = None
            rules.met("ERN-062", "packet numbers are consecutive", scope)
        else:
            self.resent_unacked = True
            self.resends += 1
        self.cursor = psn_add(psn, 1) if message.fetch is None else psn_add(message.last_psn, 1)
        self._counters.request(frame, again, len(message.segments) == 1)
        rules.alive((scope.name, "tx"))
        if again and self._duty is not None and self._duty.rule in RNR_LIMIT_RULES:
            self._ctx.deadlines.void(self._duty)  # one retry more than the limit is no end yet
        elif again or (self._duty is not None and self._duty.rule in SEND_RULES):
            self._ctx.deadlines.meet(self._duty)
        self.arm(conn, device)

    def _overtakes(self, frame: Frame, conn: QpConfig) -> bool:
        """Return whether ``frame`` begins a posted WQE behind the one that is due."""
        waiting = range(self.started, self.sq.count)
        entries = (self.entries.get(number % conn.sq_depth) for number in waiting)
        return any(entry is not None and begins(self._ctx, frame, entry.raw, conn.pmtu) for entry in entries)

    def _decision(self, psn: int, begin: int, conn: QpConfig) -> int:
        """Return when the packet that left at ``begin`` was decided on, at the latest."""
        if self.fatal:
            return self._ctx.decided_lately(begin)
        found = self._find(psn)
        if found is None and psn == self.next_psn and self.current is not None:
            found = self.current, self.current.sent
        if found is None:
            entry = self.entries.get(self.started % conn.sq_depth) if conn.sq_depth else None
            return begin if entry is None else self._ctx.decided(entry.laddr, begin)
        message, index = found
        if index >= len(message.segments) or not message.segments[index].length:
            return begin
        if message.segments[index].offset in message.copies:
            part = message.segments[index]
            laddr = message.laddr + part.offset
            return self._ctx.retries.decided(laddr, part.length, self._last_sent, begin)
        return self._ctx.decided(message.laddr + message.segments[index].offset, begin)

    def _may_send(self, conn: QpConfig, device: Device) -> bool:
        rules, scope, begin = self._ctx.rules, self._scope, self._decided
        if not device.enabled:
            return rules.fail(
                "ERN-247", "silence", "a request packet", "XRNICCONF[0] = 0", scope, knob="M_RULES"
            )
        if not conn.enabled or conn.recovery:
            return rules.fail(
                "ERN-067/silence", "silence", "a request packet", "QP disabled or under recovery", scope
            )
        if self.fatal and self._ctx.reacted(self._died, begin):
            return rules.fail("ERN-186", "silence", "a request packet", "the QP is fatal", scope)
        waiting = any(entry.rule == "ERN-088" and entry.void_since is None for entry in self._restarts)
        if waiting and begin < self._rnr_until and self._ctx.reacted(self._rnr_since, begin):
            return rules.fail(
                "ERN-088",
                f"silence until {self._rnr_until / 1000:.1f} ns",
                f"a packet at {begin / 1000:.1f} ns",
                "RNR NAK received, its wait is not over",
                scope,
            )
        return True

    def _restart(self, psn: int, begin: int, conn: QpConfig, device: Device) -> bool:
        """A packet that does not continue the stream: may it go back, or skip acknowledged ones?"""
        rules, scope = self._ctx.rules, self._scope
        if psn_diff(psn, self.cursor) > 0 and psn_diff(psn, self._known_to()) <= 0:
            return True  # skips packets that were acknowledged while it resends
        asked, psn = psn, self._resumed(psn)
        known = self._known_to()
        allowed = [
            entry
            for entry in self._open_restarts(self._decided)
            if entry.allows(psn, self.una if entry.upto is None else known)
        ]
        restart = min(allowed, key=lambda entry: self._unlikely(entry, self._decided), default=None)
        if restart is not None:
            self._restarts.remove(restart)
            if restart.rule == "ERN-094":
                self._extra_rounds += 1
            rules.met(restart.rule, "resend starts where the peer asked for it", scope)
            if restart.rule == "ERN-088":
                self._rnr_retried(conn, device)
            return True
        if psn_diff(psn, self.una) < 0 and self._expired_before(asked, begin, conn, device):
            return True
        if (
            self._repeat_seen
            and self._is_read(asked)
            and not (psn == self.una and self._expired(begin, conn, device))
        ):
            why = "a response that was taken before draws nothing"
            return rules.fail("ERN-244/silence", self.cursor, asked, why, scope, knob="M_RULES")
        if not self.window:
            row = "ERN-060" if psn == self._empty else "ERN-063" if self._after_read else "ERN-062"
            if psn_diff(asked, self.una) < 0 and self._repeats_read(asked):
                row = "ERN-094"  # asked again though nothing is missing
            elif psn_diff(psn, self._implied) < 0 and not self._is_read(psn):
                row = "ERN-241"
            return rules.fail(row, self.next_psn, psn, "packet numbers are consecutive", scope)
        found = self._find(asked)
        if psn_diff(asked, self.una) > 0 and found is not None and found[0].fetch and found[0].fetch.bad:
            return rules.fail("ERN-097", self.una, asked, "a malformed response is no data", scope)
        starts = {
            entry.psn
            for entry in self._restarts
            if entry.void_since is None and entry.rule != "ERN-094" and psn_diff(entry.psn, self.una) <= 0
        }
        if psn_diff(psn, self.una) < 0 and starts and psn_diff(psn, self.window[0].first_psn) >= 0:
            return rules.fail("ERN-081", starts, psn, "a resend resumes inside the message", scope)
        if psn_diff(psn, self.una) < 0:
            return rules.fail(
                "ERN-241" if psn_diff(psn, self._implied) < 0 and not self._is_read(psn) else "ERN-083",
                f"PSN {self.una:#x} or later",
                psn,
                "resend of an acknowledged packet",
                scope,
                knob="M_RULES",
            )
        if psn_diff(psn, self.cursor) > 0:
            row = "ERN-063" if self._after_read else "ERN-062"
            wrong = "ERN-081" if self.cursor != self.next_psn or starts else row
            return rules.fail(wrong, self.cursor, psn, "packet numbers are consecutive", scope)
        if starts:
            return rules.fail("ERN-081", starts, psn, "resend starts at the PSN of the NAK", scope)
        if self._ghost_obeyed(psn, begin, conn, device):
            why = "the NAK before names no outstanding packet"
            return rules.fail("ERN-092", self.cursor, psn, why, scope)
        if conn.timeout == 0:
            return rules.fail(
                "ERN-085", self.cursor, psn, "timeout is off and nothing asked for a resend", scope
            )
        earliest = self._earliest_timeout(conn, device)
        if psn != self.una:
            return rules.fail("ERN-084", self.una, psn, "a timeout resends from the oldest packet", scope)
        good = rules.eq(
            "ERN-084", True, begin >= earliest, f"timeout not before {earliest / 1000:.1f} ns", scope
        )
        self._rounds += 1
        self._ctx.troubles.waits(self._qp)
        self._last_retry = "ERN-086"
        if not device.retry_forever:
            limit = conn.retry_limit + 1
            rules.in_range(
                "ERN-086",
                0,
                limit,
                self._rounds,
                "timeout retries in a row",
                scope,
                sure=self._rounds >= limit,
            )
            self.may_die = self._rounds >= conn.retry_limit
        else:
            rules.met(
                "ERN-087/resend",
                "retries go on without a limit",
                scope,
                knob="M_RULES",
                sure=self._rounds > conn.retry_limit,
            )
        return good

    def _rnr_retried(self, conn: QpConfig, device: Device) -> None:
        """A resend after an RNR NAK: at most one more in a row than the limit, if there is one."""
        self._rnr_retries += 1
        rules, scope, limit = self._ctx.rules, self._scope, conn.rnr_limit + 1
        beyond = self._rnr_retries > limit
        if device.retry_forever:
            sure = beyond and conn.rnr_limit != RNR_ENDLESS
            rules.met("ERN-087/resend", "retries go on without a limit", scope, knob="M_RULES", sure=sure)
        elif conn.rnr_limit != RNR_ENDLESS:
            why = "RNR retries in a row"
            rules.in_range("ERN-089/count", 0, limit, self._rnr_retries, why, scope, sure=False)
        elif beyond:
            endless = self._ctx.knobs["RNR_INFINITE_7"] != "count"
            why = "retries beyond an RNR limit of 7"
            rules.eq("ERN-089/infinite", True, endless, why, scope, knob="RNR_INFINITE_7")

    def _ghost_obeyed(self, psn: int, begin: int, conn: QpConfig, device: Device) -> bool:
        """Return whether a resend no timeout explains follows a NAK that names nothing outstanding."""
        if self._ghost is None or self._ghost <= self._progress or self._ctx.knobs["M_RULES"] in OPEN_VALUES:
            return False
        return psn != self.una or not self._expired(begin, conn, device)

    def _expired(self, begin: int, conn: QpConfig, device: Device) -> bool:
        """Return whether the timeout of the oldest open packet may have expired by ``begin``."""
        return conn.timeout > 0 and begin >= self._earliest_timeout(conn, device)

    def _unlikely(self, entry: Restart, begin: int) -> tuple[bool, bool]:
        """Order the permissions for a resend at ``begin``: an RNR wait that is not over comes last."""
        return entry.rule == "ERN-088" and begin < self._rnr_until, entry.void_since is not None

    def _expired_before(self, psn: int, begin: int, conn: QpConfig, device: Device) -> bool:
        """A timeout may have expired just before an ACK: its resend was on its way already."""
        if conn.timeout == 0:
            return False
        wait = self._shortest_timeout(conn, device)
        return any(
            self._stands_for(psn, una)
            and start + wait <= begin
            and not self._ctx.reacted(moved, self._decided)
            for una, start, moved in self._former
        )

    def congested(self, now: int) -> None:
        """A CNP came: the first one lowers the limit of outstanding WQEs, later ones do nothing."""
        self._cnps += 1
        self._ctx.troubles.congested(self._qp)
        if self._congested is None or self._drained:
            self._congested = now
            self._drained = False

    def fatal_too_early(self, device: Device) -> str:
        """Return the rule a QP breaks that turns fatal although nothing allows it."""
        if device.retry_forever and self._last_retry:
            return "ERN-087/alive"
        if self._start_rule == "ERN-229":
            return self._start_rule
        if not self._last_retry and self.window and self._ctx.held.between(self._progress, self._ctx.now):
            return "ERN-203"  # retries were used up while nothing could leave: that is a loss
        return self._last_retry or "ERN-155"

    def lives_on(self, conn: QpConfig, device: Device) -> bool:
        """Return whether XRNICADCONF[2] alone keeps the QP alive: it has retried beyond its limits."""
        by_rnr = conn.rnr_limit != RNR_ENDLESS and self._rnr_retries > conn.rnr_limit + 1
        by_timeout = self._rounds > conn.retry_limit + 1
        return device.retry_forever and not self.fatal and (by_timeout or by_rnr)

    def only_waits(self, conn: QpConfig, device: Device, begin: int, settled: int) -> bool:
        """Return whether over [begin, settled] all WQEs are sent and the DUT can but wait for ACKs.

        False while a resend may be due: then there is something to process again.
        """
        busy = self.current is not None or self.cursor != self.next_psn or self.started < self.sq.count
        if busy or not self.window or self._restarts:
            return False
        if conn.timeout and settled >= self._earliest_timeout(conn, device):
            return False
        return begin > max(self._last_sent, self._progress) + self._ctx.timing.reaction

    def timeout_limit_reached(self, conn: QpConfig, device: Device) -> bool:
        """Return whether the QP may now turn fatal because its retries are used up."""
        rounds = self._rounds + self._extra_rounds
        reached = rounds >= conn.retry_limit or self.may_die or self._open_limit(conn)
        return not device.retry_forever and reached and bool(self.window)

    def _open_limit(self, conn: QpConfig) -> bool:
        """Return whether RNR limit 7 may have been taken as a number (RNR_INFINITE_7 = report)."""
        open_point = conn.rnr_limit == RNR_ENDLESS and self._ctx.knobs["RNR_INFINITE_7"] == "report"
        return open_point and self._rnr_rounds > RNR_ENDLESS

    def _find(self, psn: int) -> tuple[Message, int] | None:
        for message in self.window:
            index = psn_diff(psn, message.first_psn)
            if 0 <= index < message.span:
                return message, index
        return None

    # -- READ responses ---------------------------------------------------------------------------

    def read_response(self, frame: Frame, conn: QpConfig, device: Device, now: int) -> bool:
        """A READ response came; returns whether the DUT has to take it."""
        bth, rules = frame.bth, self._ctx.rules
        assert bth is not None
        psn = bth.psn
        if not self._outstanding(psn):
            self._repeated(psn, frame)
            return False
        found = self._find(psn)
        if found is None or found[0].fetch is None:
            self._unasked(frame, "no READ expects it")
            return False
        message, index = found
        fetch = message.fetch
        assert fetch is not None
        missing = self._limit_of_data(psn)
        if psn_diff(missing, self._implied) > 0:
            self._implied = missing
        if missing != psn and self._limit_of_data(psn, at_best=True) != psn:
            rules.tempt("ERN-095", (self._scope.name, "cq"))
            self._lost(missing, psn)
            self._cover(missing, conn, now)
            self.arm(conn, device)
            why = f"PSN {missing:#x} is missing"
            self._refuse_data(fetch, frame, "ERN-094", why)
            return False
        self._cover(missing, conn, now)
        taken = missing == psn and fetch.fits(index, frame, fetch.starts[-1])
        if taken:
            fetch.received = index + 1
            self._data.owe(fetch, index, frame.payload)
            self._cover(psn_add(psn, 1), conn, now)
        elif any(fetch.fits(index, frame, start) for start in fetch.starts):
            fetch.maybe = max(fetch.maybe, index + 1)
            self._data.permit(fetch, index, frame.payload)
            self._lost(missing, psn)
            self._lost(psn_add(message.first_psn, fetch.maybe), psn)
        else:
            rules.tempt("ERN-097", ("DUT", "tx"))
            self._data.scribble(fetch, index)
            self._lost(missing, psn)
            self.on_bad_response()
        self.arm(conn, device)
        return taken

    def read_response_late(self, frame: Frame) -> None:
        """A READ response met the fatal state on its way: its data may still be written."""
        bth = frame.bth
        assert bth is not None
        found = self._find(bth.psn)
        if found is not None and found[0].fetch is not None:
            self._data.permit(found[0].fetch, found[1], frame.payload)
            if bth.psn == found[0].last_psn:
                self._late = bth.psn

    def settle_held(self, conn: QpConfig) -> bool:
        """An output shows that the DUT took an answer it was free to ignore; returns whether there was one.

        That is an ACK for what follows a READ without data, or a late response to an earlier request.
        """
        before = self._cq.done
        while self.window:
            first = self.window[0]
            if first.fetch is None or first.fetch.maybe != first.fetch.span:
                break
            first.fetch.received = first.fetch.span
            self._cover(psn_add(first.last_psn, 1), conn, self._ctx.now)
        if self._acked_beyond is not None and self._outstanding(self._acked_beyond):
            self._cover(psn_add(self._acked_beyond, 1), conn, self._ctx.now)
        return self._cq.done != before

    def completion_too_early(self) -> str:
        """Return the rule that a completion breaks which nothing has earned."""
        fetch = self.window[0].fetch if self.window else None
        if fetch is None:
            return "ERN-071"
        if fetch.bad:
            return "ERN-097"
        beyond = any(entry.rule == "ERN-094" and entry.void_since is None for entry in self._restarts)
        return "ERN-095" if beyond or self._acked_beyond is not None else "ERN-072/arrival"

    def _limit_of_data(self, upto: int, at_best: bool = False) -> int:
        """Return ``upto`` or the PSN of the oldest READ response that is missing before it.

        ``at_best``: the DUT took every response that it was free to take.
        """
        for message in self.window:
            fetch = message.fetch
            if fetch is None or not message.sent:
                continue
            have = max(fetch.received, fetch.maybe) if at_best else fetch.received
            if have < fetch.span:
                missing = psn_add(message.first_psn, have)
                return missing if psn_diff(upto, missing) > 0 else upto
        return upto

    def _hold_back(self, upto: int) -> bool:
        """An answer covers all before ``upto``: does a READ without its data hold it back?"""
        missing = self._limit_of_data(upto) if self._reads else upto
        if missing == upto:
            return False
        self._ctx.rules.tempt("ERN-095", (self._scope.name, "cq"))
        self._acked_beyond = psn_add(upto, -1)
        self._lost(missing, psn_add(upto, -1))
        return True

    def _lost(self, psn: int, upto: int) -> None:
        """An answer with PSN ``upto`` tells that the response ``psn`` is lost: it may be asked for again."""
        for entry in self._restarts:
            if entry.rule == "ERN-094" and entry.psn == psn and entry.void_since is None:
                if entry.upto is None or psn_diff(upto, entry.upto) > 0:
                    entry.upto = upto
                return
        self._restarts.append(Restart(psn, "ERN-094", upto=upto))

    def _repeated(self, psn: int, frame: Frame) -> None:
        """A response that is not outstanding: taken before, or never asked for."""
        everything = (*self._gone, *self.window)
        message = next((m for m in everything if 0 <= psn_diff(psn, m.first_psn) < m.span), None)
        fetch = None if message is None else message.fetch
        if message is None or fetch is None or psn_diff(psn, self.una) >= 0:
            self._unasked(frame, "no READ expects it")
            return
        index = psn_diff(psn, message.first_psn)
        if message in self.window and fetch.starts[-1] <= index and len(fetch.starts) > 1:
            self._data.permit(fetch, index, frame.payload)  # asked for again: it may be written again
            return
        for rule in ("ERN-244/once", "ERN-244/silence"):
            self._ctx.rules.tempt(rule, (self._scope.name, "tx"))
        self._repeat_seen = True
        self._refuse_data(fetch, frame, "ERN-244/once", "this response was taken before")

    def _unasked(self, frame: Frame, why: str) -> None:
        self._ctx.rules.tempt("ERN-097", ("DUT", "tx"))
        if frame.payload:
            self._ctx.refuse(0, 0, "ERN-097", why, self._scope, frame.payload)

    def _refuse_data(self, fetch: Fetch, frame: Frame, rule: str, why: str) -> None:
        if frame.payload:
            self._ctx.refuse(fetch.laddr, fetch.length, rule, why, self._scope, frame.payload)

    def _stands_for(self, psn: int, oldest: int) -> bool:
        """Return whether a resend that begins at ``psn`` begins with ``oldest`` or the start of its READ."""
        if psn == oldest:
            return True
        return any(
            message.fetch is not None
            and message.first_psn == psn
            and 0 <= psn_diff(oldest, psn) < message.span
            for message in (*self.window, *self._gone)
        )

    def _resumed(self, psn: int) -> int:
        """Return the PSN a resend from ``psn`` stands for: a whole READ asked again for its missing rest.

        A response that nobody can tell to be taken moves the rest on, too.
        """
        for message in self.window:
            fetch = message.fetch
            if fetch is None or fetch.complete:
                continue
            index = psn_diff(psn, message.first_psn)
            if index == 0 or fetch.received <= index <= fetch.maybe:
                return psn_add(message.first_psn, fetch.received)
        for message in self._gone:
            asked = [
                entry
                for entry in self._restarts
                if 0 <= psn_diff(entry.psn, message.first_psn) < message.span
            ]
            if psn == message.first_psn and asked:
                return asked[0].psn
        return psn

    def _repeats_read(self, psn: int) -> bool:
        """Return whether the packet being judged asks again for a READ that is complete."""
        return any(
            message.fetch is not None
            and 0 <= psn_diff(psn, message.first_psn) < message.span
            and self._reth == message.fetch.request(psn_diff(psn, message.first_psn))
            for message in self._gone
        )

    def _is_read(self, psn: int) -> bool:
        """Return whether ``psn`` belongs to a READ."""
        everything = (*self.window, *self._gone)
        return any(m.fetch is not None and 0 <= psn_diff(psn, m.first_psn) < m.span for m in everything)

    def _known_to(self) -> int:
        """Return the PSN up to which the DUT may take everything as acknowledged."""
        beyond = self._acked_beyond
        if beyond is None or not self._outstanding(beyond):
            return self.una
        return psn_add(beyond, 1)

    def _inside_last_read(self, psn: int, frame: Frame) -> bool:
        """Return whether ``psn`` is one of the last READ's though its packet does not ask for the rest."""
        if not (self._after_read and self.window) or self.cursor != self.next_psn:
            return False
        message = self.window[-1]
        index = psn_diff(psn, message.first_psn)
        fetch = message.fetch
        asked_again = frame.reth is not None and (psn == self.una or bool(self._restarts))
        inside = fetch is not None and 0 < index < message.span
        return inside and not asked_again and (fetch is None or frame.reth != fetch.request(index))

    def _start(self, conn: QpConfig, begin: int) -> bool:
        """The DUT begins the next WQE."""
        rules, scope = self._ctx.rules, self._scope
        if self.started >= self.sq.count:
            return rules.fail(
                self._start_rule, "no packet", "a new message", "no WQE is posted beyond those sent", scope
            )
        slot = self.started % conn.sq_depth
        entry = self.entries.get(slot)
        if entry is None:
            return rules.fail(
                self._start_rule,
                f"a read of slot {slot} first",
                "a new message",
                "a WQE is fetched before use",
                scope,
            )
        verb = Verb.from_wqe_opcode(entry.opcode)
        if verb is None:
            return rules.fail(
                "ERN-068/no_packet", "no packet", "a packet", f"reserved WQE opcode {entry.opcode:#x}", scope
            )
        length = entry.length
        message = Message(
            self.started,
            entry.wrid,
            entry.opcode,
            verb,
            entry.laddr,
            length,
            entry.word(20, 8),
            entry.word(28, 4),
            entry.raw[32:48],
            entry.word(48, 4),
            segment(verb, length, conn.pmtu),
            self.next_psn,
        )
        if verb is Verb.READ:
            message.fetch = Fetch.of(message.laddr, length, conn.pmtu, message.roffset, message.rtag)
            self._reads += 1
        self.window.append(message)
        self.current = message
        self.started += 1
        if not self.window or len(self.window) == 1:
            self._oldest_sent = self._ctx.ready_since(begin)
        if self._start_rule == "ERN-229":
            self._start_rule = "ERN-056"
            rules.met("ERN-229", "the send queue goes on after the enabling sequence", scope)
        rules.met("ERN-056", "each posted WQE is fetched and started once", scope)
        if self.started > conn.sq_depth:
            rules.met("ERN-057", "the ring continues at slot 0", scope)
        if all(entry.span == 1 for entry in self.window):
            held = len(self.window)
            limit, rule = self._limit(), "ERN-065" if self._congested is None else "ERN-200"
            free = self._drained or (
                self._congested is not None and not self._ctx.reacted(self._congested, self._decided)
            )
            if free and held > limit:
                rules.observe("ERN-200")
                limit = int(self._ctx.knobs["MAX_OUTSTANDING"][0])
            sure = held == limit and not free
            rules.in_range(rule, 1, limit, held, "unacknowledged one-packet WQEs", scope, sure=sure)
        self.sent_messages += 1
        self._empty = None if length else self.next_psn
        self._counters.wqe()
        return True

    # -- end of the QP's life ---------------------------------------------------------------------

    def die(self, conn: QpConfig) -> None:
        """The QP turned fatal: posted WQEs end with ERRFLAG, nothing more is sent."""
        if self.fatal:
            return
        self.fatal = True
        self._died = self._ctx.now
        self._ctx.troubles.died(self._qp)
        if self.may_die:
            self._ctx.deadlines.meet(self._duty)
        self._ctx.deadlines.void(self._duty)
        self.may_die = False
        self._ctx.rules.drop_temptations((self._scope.name, "tx"))
        ended = self.started - len(self.window)
        self._flush(ended, conn)
        for message in self.window:
            self._forget(message)
        for message in (*self.window, *self._gone):
            if message.fetch is not None:
                self._data.give_up(message.fetch)
        self._reads = 0
        self._acked_beyond = None
        self.window.clear()
        self.current = None
        self._late = None

    def _flush(self, first: int, conn: QpConfig) -> None:
        """Every posted WQE from number ``first`` on ends with ERRFLAG."""
        for number in range(first, self.sq.count):
            known = next((message for message in self.window if message.number == number), None)
            if known is not None:
                wrid, opcode = known.wrid, known.opcode
            else:
                slot = number % max(conn.sq_depth, 1)
                entry = WorkEntry(self._ctx.memory.read(conn.sq_base + WQE_BYTES * slot, WQE_BYTES))
                wrid, opcode = entry.wrid, entry.opcode
            late = self._late is not None and known is not None and psn_diff(known.last_psn, self._late) <= 0
            self._cq.complete(Completion(wrid, opcode, True, late), conn)
            self._counters.flushed()

    def reopen(self) -> None:
        """The enabling sequence of the handshake moved the send queue to slot 0: all entries are new."""
        self.entries.clear()
        self._start_rule = "ERN-229"

    def revive(self) -> None:
        """Software re-initialised the QP after a fatal state; indices and PSN are written separately."""
        self.fatal = self.may_die = self.acknowledged = self.resent_unacked = False
        self.started = self.sq.count = self._cq.done
        self._restarts.clear()
        self._gone.clear()
        self._acked_beyond = None
        self._after_read = False
        self._rounds = self._rnr_rounds = self._rnr_retries = self._extra_rounds = 0
        self._drained = self._congested is not None
        self.entries.clear()

    def illegal_entry(self, conn: QpConfig) -> bool:
        """Return whether the next WQE to start was fetched and has a reserved opcode."""
        if self.started >= self.sq.count or self.current is not None or self.fatal or not conn.sq_depth:
            return False
        entry = self.entries.get(self.started % conn.sq_depth)
        return entry is not None and Verb.from_wqe_opcode(entry.opcode) is None

    @property
    def idle(self) -> bool:
        """Return whether nothing is posted or outstanding."""
        return not self.window and self.started >= self.sq.count
