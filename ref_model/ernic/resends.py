"""When one QP may go back and send again: after NAKs, RNR waits, timeouts, missing READ data (sections 6, 8).

It also counts the retries that may or must end the QP.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.send_window import SendWindow
from ref_model.ernic.timers import Timers
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rules import OPEN_VALUES, Scope
from ref_model.wire import Reth

RNR_ENDLESS = 7
CONSECUTIVE = "packet numbers are consecutive"


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


@dataclass(frozen=True, slots=True)
class Broken:
    """The rule that a packet out of order breaks, as a finding tells it."""

    rule: str
    expected: object
    seen: int
    why: str
    knob: str | None = None


class Resends:
    """Judge of the resends of one QP."""

    def __init__(self, ctx: Context, scope: Scope, number: int, window: SendWindow, timers: Timers) -> None:
        """Nothing allows a resend yet."""
        self._ctx = ctx
        self._rules = ctx.rules
        self._scope = scope
        self._number = number
        self._window = window
        self._timers = timers
        self.may_die = False
        self.may_wait_until = 0  #: for an RNR NAK that may have been ignored
        self.progress = 0  #: when (ps) an acknowledgement covered something last
        self.last_sent = 0
        self.repeat_seen = False  #: a response taken before came since the last packet
        self.last_retry = ""
        self.rounds = 0
        self._restarts: list[Restart] = []
        self._rnr_until = 0
        self._rnr_since = 0
        #: (una, its timeout's start, when it moved on)
        self._former: deque[tuple[int, int, int]] = deque(maxlen=8)
        self._oldest_sent = 0
        self._extra_rounds = 0  # resends of READs that may count as retries
        self._rnr_rounds = 0
        self._rnr_retries = 0
        self._ghost: int | None = None  # when (ps) a NAK for nothing outstanding came last

    # -- what allows a resend -----------------------------------------------------------------------

    def nak(self, psn: int, missing: int) -> None:
        """A sequence NAK named ``psn``; ``missing``: PSN of READ data that is missing before it, if any."""
        if missing != psn:  # each NAK may send the QP back to the READ that misses data
            self._restarts.append(Restart(missing, "ERN-094", upto=psn))
        self._restarts.append(Restart(psn, "ERN-081"))

    def rnr_nak(self, conn: QpConfig, device: Device) -> None:
        """One more RNR NAK in a row."""
        self._rnr_rounds += 1
        self._ctx.troubles.waits(self._number)
        self.last_retry = "ERN-089/infinite" if conn.rnr_limit == RNR_ENDLESS else "ERN-089/count"
        endless = conn.rnr_limit == RNR_ENDLESS and self._ctx.knobs["RNR_INFINITE_7"] != "count"
        limited = not device.retry_forever and not endless
        self.may_die = self.may_die or (limited and self._rnr_rounds > conn.rnr_limit)

    def wait_perhaps(self, psn: int, missing: int, until: int) -> None:
        """An RNR NAK for ``psn`` came behind a READ without its data: whether it is heard is open."""
        self.lost(missing, psn)
        self._restarts.append(Restart(psn, "ERN-081"))
        self.may_wait_until = until

    def wait(self, psn: int, now: int, until: int) -> None:
        """An RNR NAK for ``psn`` came: nothing is sent before ``until``."""
        self._rnr_since, self._rnr_until = now, until
        self.overtake(now)
        self._restarts.append(Restart(psn, "ERN-088"))

    def nothing_named(self, now: int) -> None:
        """A NAK came that names nothing outstanding."""
        self._ghost = now

    def lost(self, psn: int, upto: int) -> None:
        """An answer with PSN ``upto`` tells that the response ``psn`` is lost: it may be asked for again."""
        for entry in self._restarts:
            if entry.rule == "ERN-094" and entry.psn == psn and entry.void_since is None:
                if entry.upto is None or psn_diff(upto, entry.upto) > 0:
                    entry.upto = upto
                return
        self._restarts.append(Restart(psn, "ERN-094", upto=upto))

    def overtake(self, now: int) -> None:
        """Later answers overtook the open permissions to go back."""
        for restart in self._restarts:
            if restart.void_since is None:
                restart.void_since = now

    def covered(self, before: int, upto: int, now: int) -> None:
        """Everything from ``before`` up to PSN ``upto`` was acknowledged."""
        self._former.append((before, max(self.progress, self._oldest_sent), now))
        self.progress = self._oldest_sent = now
        self.forget_rounds()
        self.may_die = False
        if upto == self._window.next_psn:
            self.overtake(now)
        for restart in self._restarts:  # an RNR wait ends with the acknowledgement of its packet
            last = restart.psn if restart.upto is None else restart.upto
            overtaken = restart.rule in ("ERN-088", "ERN-094") and psn_diff(last, upto) < 0
            if overtaken and restart.void_since is None:
                restart.void_since = now

    def forget_rounds(self) -> None:
        """Retries in a row begin anew."""
        self.rounds = self._rnr_rounds = self._rnr_retries = self._extra_rounds = 0

    def revive(self) -> None:
        """Software re-initialised the QP."""
        self.may_die = False
        self._restarts.clear()
        self.forget_rounds()

    # -- packets from the DUT ---------------------------------------------------------------------

    def sent(self, psn: int, begin: int) -> None:
        """The packet with ``psn`` left."""
        if self._window.stands_for(psn, self._window.una):
            self.oldest_left(begin)
        self.last_sent = begin
        self.repeat_seen = False

    def oldest_left(self, begin: int) -> None:
        """The oldest open packet left; it may have waited for the bench."""
        self._oldest_sent = self._ctx.ready_since(begin)

    @property
    def allowed(self) -> bool:
        """Whether there is a permission to go back."""
        return bool(self._restarts)

    def data_missing(self) -> bool:
        """Return whether an answer told that READ data is missing."""
        return any(entry.rule == "ERN-094" and entry.void_since is None for entry in self._restarts)

    def silent(self, decided: int) -> bool:
        """Judge whether a packet decided on at ``decided`` respects the wait of an RNR NAK."""
        waiting = any(entry.rule == "ERN-088" and entry.void_since is None for entry in self._restarts)
        if waiting and decided < self._rnr_until and self._ctx.reacted(self._rnr_since, decided):
            return self._rules.fail(
                "ERN-088",
                f"silence until {self._rnr_until / 1000:.1f} ns",
                f"a packet at {decided / 1000:.1f} ns",
                "RNR NAK received, its wait is not over",
                self._scope,
            )
        return True

    def judge(
        self, psn: int, begin: int, decided: int, reth: Reth | None, conn: QpConfig, device: Device
    ) -> bool:
        """A packet that does not continue the stream: may it go back, or skip acknowledged ones?"""
        window = self._window
        if psn_diff(psn, window.cursor) > 0 and psn_diff(psn, window.known_to()) <= 0:
            return True  # skips packets that were acknowledged while it resends
        start = self._resumed(psn)
        if self._permitted(start, decided, conn, device):
            return True
        if psn_diff(start, window.una) < 0 and self._expired_before(psn, begin, decided, conn, device):
            return True
        broken = self._broken(psn, start, begin, reth, conn, device)
        if broken is not None:
            return self._rules.fail(
                broken.rule, broken.expected, broken.seen, broken.why, self._scope, broken.knob
            )
        return self._by_timeout(begin, conn, device)

    def _permitted(self, start: int, decided: int, conn: QpConfig, device: Device) -> bool:
        """Return whether an answer allows a resend from ``start``; uses up the permission."""
        window, known = self._window, self._window.known_to()
        self._restarts = [
            entry
            for entry in self._restarts
            if entry.void_since is None or not self._ctx.reacted(entry.void_since, decided)
        ]
        allowed = [
            entry
            for entry in self._restarts
            if entry.allows(start, window.una if entry.upto is None else known)
        ]
        restart = min(allowed, key=lambda entry: self._unlikely(entry, decided), default=None)
        if restart is None:
            return False
        self._restarts.remove(restart)
        if restart.rule == "ERN-094":
            self._extra_rounds += 1
        self._rules.met(restart.rule, "resend starts where the peer asked for it", self._scope)
        if restart.rule == "ERN-088":
            self._rnr_retried(conn, device)
        return True

    def _broken(
        self, psn: int, start: int, begin: int, reth: Reth | None, conn: QpConfig, device: Device
    ) -> Broken | None:
        """Return what a packet with ``psn`` breaks that no answer allows, None if a timeout may explain it.

        ``start``: the PSN that it stands for.
        """
        window, una = self._window, self._window.una
        in_time = start == una and self._expired(begin, conn, device)
        if self.repeat_seen and window.is_read(psn) and not in_time:
            why = "a response that was taken before draws nothing"
            return Broken("ERN-244/silence", window.cursor, psn, why, "M_RULES")
        if not window.messages:
            return Broken(self._row_at_end(psn, start, reth), window.next_psn, start, CONSECUTIVE)
        found = window.find(psn)
        if psn_diff(psn, una) > 0 and found is not None and found[0].fetch and found[0].fetch.bad:
            return Broken("ERN-097", una, psn, "a malformed response is no data")
        starts = {
            entry.psn
            for entry in self._restarts
            if entry.void_since is None and entry.rule != "ERN-094" and psn_diff(entry.psn, una) <= 0
        }
        if psn_diff(start, una) < 0:
            if starts and psn_diff(start, window.messages[0].first_psn) >= 0:
                return Broken("ERN-081", starts, start, "a resend resumes inside the message")
            row = "ERN-241" if self._implied(start) else "ERN-083"
            return Broken(row, f"PSN {una:#x} or later", start, "resend of an acknowledged packet", "M_RULES")
        if psn_diff(start, window.cursor) > 0:
            row = "ERN-063" if window.after_read else "ERN-062"
            row = "ERN-081" if window.cursor != window.next_psn or starts else row
            return Broken(row, window.cursor, start, CONSECUTIVE)
        if starts:
            return Broken("ERN-081", starts, start, "resend starts at the PSN of the NAK")
        if self._ghost_obeyed(start, begin, conn, device):
            return Broken("ERN-092", window.cursor, start, "the NAK before names no outstanding packet")
        if conn.timeout == 0:
            return Broken("ERN-085", window.cursor, start, "timeout is off and nothing asked for a resend")
        if start != una:
            return Broken("ERN-084", una, start, "a timeout resends from the oldest packet")
        return None

    def _row_at_end(self, psn: int, start: int, reth: Reth | None) -> str:
        """Return the rule that a resend breaks when nothing is outstanding."""
        window = self._window
        if psn_diff(psn, window.una) < 0 and window.repeats_read(psn, reth):
            return "ERN-094"  # asked again though nothing is missing
        if self._implied(start):
            return "ERN-241"
        if start == window.empty:
            return "ERN-060"
        return "ERN-063" if window.after_read else "ERN-062"

    def _implied(self, psn: int) -> bool:
        """Return whether a READ response acknowledged the SEND or WRITE packet with ``psn``."""
        return psn_diff(psn, self._window.implied) < 0 and not self._window.is_read(psn)

    def _by_timeout(self, begin: int, conn: QpConfig, device: Device) -> bool:
        """A resend from the oldest open packet that only its timeout explains."""
        rules, scope = self._rules, self._scope
        earliest = self.earliest_timeout(conn, device)
        why = f"timeout not before {earliest / 1000:.1f} ns"
        good = rules.eq("ERN-084", True, begin >= earliest, why, scope)
        self.rounds += 1
        self._ctx.troubles.waits(self._number)
        self.last_retry = "ERN-086"
        if device.retry_forever:
            why, sure = "retries go on without a limit", self.rounds > conn.retry_limit
            rules.met("ERN-087/resend", why, scope, knob="M_RULES", sure=sure)
            return good
        limit, why = conn.retry_limit + 1, "timeout retries in a row"
        rules.in_range("ERN-086", 0, limit, self.rounds, why, scope, sure=self.rounds >= limit)
        self.may_die = self.rounds >= conn.retry_limit
        return good

    def _rnr_retried(self, conn: QpConfig, device: Device) -> None:
        """A resend after an RNR NAK: at most one more in a row than the limit, if there is one."""
        self._rnr_retries += 1
        rules, scope, limit = self._rules, self._scope, conn.rnr_limit + 1
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

    def _unlikely(self, entry: Restart, begin: int) -> tuple[bool, bool]:
        """Order the permissions for a resend at ``begin``: an RNR wait that is not over comes last."""
        return entry.rule == "ERN-088" and begin < self._rnr_until, entry.void_since is not None

    def _resumed(self, psn: int) -> int:
        """Return the PSN a resend from ``psn`` stands for: a whole READ asked again for its missing rest.

        A response that nobody can tell to be taken moves the rest on, too.
        """
        for message in self._window.messages:
            fetch = message.fetch
            if fetch is None or fetch.complete:
                continue
            index = psn_diff(psn, message.first_psn)
            if index == 0 or fetch.received <= index <= fetch.maybe:
                return psn_add(message.first_psn, fetch.received)
        for message in self._window.gone:
            asked = [
                entry
                for entry in self._restarts
                if 0 <= psn_diff(entry.psn, message.first_psn) < message.span
            ]
            if psn == message.first_psn and asked:
                return asked[0].psn
        return psn

    # -- timeouts ---------------------------------------------------------------------------------

    def earliest_timeout(self, conn: QpConfig, device: Device) -> int:
        """First moment (ps) at which the timeout of the oldest open packet may have expired."""
        return max(self.progress, self._oldest_sent) + self._timers.shortest_timeout(conn, device)

    def _expired(self, begin: int, conn: QpConfig, device: Device) -> bool:
        """Return whether the timeout of the oldest open packet may have expired by ``begin``."""
        return conn.timeout > 0 and begin >= self.earliest_timeout(conn, device)

    def _expired_before(self, psn: int, begin: int, decided: int, conn: QpConfig, device: Device) -> bool:
        """A timeout may have expired just before an ACK: its resend was on its way already."""
        if conn.timeout == 0:
            return False
        wait = self._timers.shortest_timeout(conn, device)
        return any(
            self._window.stands_for(psn, una)
            and start + wait <= begin
            and not self._ctx.reacted(moved, decided)
            for una, start, moved in self._former
        )

    def _ghost_obeyed(self, psn: int, begin: int, conn: QpConfig, device: Device) -> bool:
        """Return whether a resend no timeout explains follows a NAK that names nothing outstanding."""
        if self._ghost is None or self._ghost <= self.progress or self._ctx.knobs["M_RULES"] in OPEN_VALUES:
            return False
        return psn != self._window.una or not self._expired(begin, conn, device)

    # -- ends of retrying -------------------------------------------------------------------------

    def lives_on(self, conn: QpConfig, device: Device) -> bool:
        """Return whether XRNICADCONF[2] alone keeps the QP alive: it has retried beyond its limits."""
        by_rnr = conn.rnr_limit != RNR_ENDLESS and self._rnr_retries > conn.rnr_limit + 1
        by_timeout = self.rounds > conn.retry_limit + 1
        return device.retry_forever and not self._window.fatal and (by_timeout or by_rnr)

    def timeout_limit_reached(self, conn: QpConfig, device: Device) -> bool:
        """Return whether the QP may now turn fatal because its retries are used up."""
        rounds = self.rounds + self._extra_rounds
        reached = rounds >= conn.retry_limit or self.may_die or self._open_limit(conn)
        return not device.retry_forever and reached and bool(self._window.messages)

    def _open_limit(self, conn: QpConfig) -> bool:
        """Return whether RNR limit 7 may have been taken as a number (RNR_INFINITE_7 = report)."""
        open_point = conn.rnr_limit == RNR_ENDLESS and self._ctx.knobs["RNR_INFINITE_7"] == "report"
        return open_point and self._rnr_rounds > RNR_ENDLESS
