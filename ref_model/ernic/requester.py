"""What one QP of the ERNIC may and must send: WQEs, packets, answers to them (requirements sections 3 to 8).

The judge follows the packets on the wire.
"""

from __future__ import annotations

from ref_model.ernic.acknowledged import Acknowledged
from ref_model.ernic.completion import Completion, CompletionQueue
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.lifecycle import WQE_BYTES
from ref_model.ernic.order import begins
from ref_model.ernic.outstanding_limit import OutstandingLimit
from ref_model.ernic.packet import Message, judge
from ref_model.ernic.read_data import Fetch, end_of, judge_request
from ref_model.ernic.read_responses import ReadResponses
from ref_model.ernic.resends import Resends
from ref_model.ernic.send_duty import SendDuty
from ref_model.ernic.send_window import SendWindow
from ref_model.ernic.timers import Timers
from ref_model.ernic.work_entries import WorkEntry
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rocev2.rnr import rnr_wait_ps
from ref_model.rocev2.segment import Verb, segment
from ref_model.rules import Scope
from ref_model.wire import Frame

FATAL_NAKS = (0x61, 0x62, 0x63)


class Requester:
    """Judge of the send side of one QP."""

    duty_kind: type[SendDuty] = SendDuty

    def __init__(
        self, ctx: Context, scope: Scope, completions: CompletionQueue, counters: Counters, number: int
    ) -> None:
        """Start without WQEs, PSN 0."""
        self._ctx = ctx
        self._rules = ctx.rules
        self._scope = scope
        self._cq = completions
        self._counters = counters
        self._number = number
        self.window = window = SendWindow(ctx.sources)
        self._timers = timers = Timers(ctx)
        self._limit = limit = OutstandingLimit(ctx, scope)
        self.resends = resends = Resends(ctx, scope, number, window, timers)
        self.duty = duty = self.duty_kind(ctx, scope, number, window, resends, timers, limit)
        self.acknowledged = acknowledged = Acknowledged(
            ctx, scope, number, completions, counters, window, resends, duty, limit
        )
        self.responses = ReadResponses(ctx, scope, completions, window, resends, duty, acknowledged)
        self.resent = 0  #: packets that were sent again
        self._died = 0
        self._start_rule = "ERN-056"  # what a start that nothing explains breaks
        self._decided = 0  # when the packet being judged was decided on, at the latest

    # -- stimulus ---------------------------------------------------------------------------------

    def post(self, raw: int, conn: QpConfig, device: Device, by_side_band: bool = False) -> None:
        """SQPI was written: the entries up to ``raw`` belong to the DUT now."""
        sq, path = self.window.sq, (self._scope.name, "tx")
        if self._start_rule != "ERN-229":
            self._start_rule = "ERN-224" if by_side_band else "ERN-056"
        before = sq.count
        sq.advance_to(raw, conn.sq_depth, conn.sq_depth - (before - self._cq.done))
        if self.window.fatal:
            self._flush(before, conn)
        held_back = not conn.enabled or conn.recovery
        self.duty.posted(by_side_band, held_back)
        if held_back:
            self._rules.tempt("ERN-067/silence", path)
        if not device.enabled:
            self._rules.tempt("ERN-247", path)
        self.duty.arm(conn, device)

    def acknowledge(self, psn: int, credit: int, conn: QpConfig, device: Device, now: int) -> bool:
        """A positive acknowledgement came; returns False if it covers nothing outstanding (a ghost).

        ``credit``: AETH syndrome bits [4:0]; 0 must not hold back what comes next.
        """
        if not self.window.outstanding(psn):
            self._rules.tempt("ERN-092", (self._scope.name, "tx"))
            return False
        held = self.acknowledged.held_back(psn_add(psn, 1))
        self.acknowledged.cover(psn_add(psn, 1), conn, now)
        self.duty.acknowledged(credit)
        self.duty.arm(conn, device)
        return not held

    def acknowledge_late(self, psn: int) -> None:
        """A positive acknowledgement met the fatal state on its way: it may still count."""
        if self.window.outstanding(psn):
            self.window.late = psn

    def nak(self, psn: int, syndrome: int, conn: QpConfig, device: Device, now: int) -> bool:
        """A NAK came; returns False if it names nothing outstanding."""
        if not self.window.outstanding(psn):
            self._rules.tempt("ERN-092", (self._scope.name, "tx"))
            self.resends.nothing_named(now)
            return False
        if psn != self.window.una:
            self._rules.tempt("ERN-083", (self._scope.name, "tx"))
        missing = self.window.limit_of_data(psn) if self.window.reads else psn
        self.acknowledged.held_back(psn)
        self.acknowledged.cover(psn, conn, now)
        if syndrome in FATAL_NAKS:
            return True
        if syndrome >> 5 == 1:
            self._receiver_not_ready(psn, missing, rnr_wait_ps(syndrome), conn, device, now)
        else:
            self.resends.nak(psn, missing)
            why, deadline = "sequence NAK received", self._ctx.liveness()
            self.duty.replace("ERN-081", f"PSN {psn:#x} again", why, deadline)
        return True

    def _receiver_not_ready(
        self, psn: int, missing: int, wait: int, conn: QpConfig, device: Device, now: int
    ) -> None:
        """An RNR NAK came that asks to ``wait`` (ps); ``missing``: PSN of READ data missing before it."""
        resends, latest = self.resends, now + self._timers.longest(wait)
        resends.rnr_nak(conn, device)
        if missing != psn:  # whether it is heard behind a READ without its data is open
            resends.wait_perhaps(psn, missing, latest)
            self.duty.arm(conn, device)
            return
        resends.wait(psn, now, now + self._timers.shortest(wait, device))
        rule, expected = "ERN-088", f"PSN {psn:#x} again"
        if resends.may_die:
            rule, expected = resends.last_retry, "the QP turns fatal"
        self.duty.replace(rule, expected, "RNR NAK received", latest)

    # -- packets from the DUT ---------------------------------------------------------------------

    def packet(self, frame: Frame, begin: int, conn: QpConfig, device: Device) -> None:
        """Judge one request packet of this QP."""
        bth, window = frame.bth, self.window
        assert bth is not None
        psn = bth.psn
        self._decided = self._decision(psn, begin, conn)
        if not self._may_send(conn, device):
            return
        if window.fatal:
            self._counters.late_request(frame)  # queued before the QP died
            return
        if psn != window.cursor and not self._out_of_order(frame, psn, begin, conn, device):
            return
        again = psn != window.next_psn
        if again:
            found = window.find(psn)
            if found is None:
                # acknowledged meanwhile: a resend that was already on its way, content no longer known
                window.cursor = end_of(frame, conn.pmtu)
                self._counters.request(frame, True, True)
                return
            message, index = found
        else:
            if window.current is None and not self._start(conn, begin):
                return
            assert window.current is not None
            message, index = window.current, window.current.sent
        self._judge(frame, message, index, again, conn)
        self.resends.sent(psn, begin)
        self.duty.seen()
        self._move_on(psn, message, again)
        self._counters.request(frame, again, len(message.segments) == 1)
        self._rules.alive((self._scope.name, "tx"))
        self.duty.sent(again)
        self.duty.arm(conn, device)

    def _out_of_order(self, frame: Frame, psn: int, begin: int, conn: QpConfig, device: Device) -> bool:
        """Judge whether a packet may come that is not the next one."""
        if self.window.inside_last_read(psn, frame, self.resends.allowed):
            why = "a READ takes as many PSNs as it has responses"
            return self._rules.fail("ERN-063", self.window.next_psn, psn, why, self._scope)
        return self.resends.judge(psn, begin, self._decided, frame.reth, conn, device)

    def _judge(self, frame: Frame, message: Message, index: int, again: bool, conn: QpConfig) -> None:
        """Judge the content of a packet: number ``index`` of ``message``."""
        if message.fetch is not None:
            judge_request(self._ctx, self._scope, conn, frame, message.fetch, index, again)
            if again:
                message.fetch.starts.append(index)
        else:
            part = message.segments[index]
            ctx, scope = self._ctx, self._scope
            judge(ctx, scope, conn, frame, message, part, again, lambda: self._overtakes(frame, conn))

    def _move_on(self, psn: int, message: Message, again: bool) -> None:
        """The packet with ``psn`` of ``message`` left: the next one is due."""
        window = self.window
        window.cursor = psn_add(psn if message.fetch is None else message.last_psn, 1)
        if again:
            self.acknowledged.resent = True
            self.resent += 1
            return
        message.sent += 1
        window.next_psn = window.cursor
        if window.after_read:
            why = "the next packet comes behind the PSNs of the READ"
            self._rules.met("ERN-063", why, self._scope)
        window.after_read = message.fetch is not None
        if message.sent == len(message.segments):
            window.current = None
        self._rules.met("ERN-062", "packet numbers are consecutive", self._scope)

    def _overtakes(self, frame: Frame, conn: QpConfig) -> bool:
        """Return whether ``frame`` begins a posted WQE behind the one that is due."""
        waiting = range(self.window.started, self.window.sq.count)
        entries = (self.window.entries.get(number % conn.sq_depth) for number in waiting)
        return any(entry is not None and begins(self._ctx, frame, entry.raw, conn.pmtu) for entry in entries)

    def _decision(self, psn: int, begin: int, conn: QpConfig) -> int:
        """Return when the packet that left at ``begin`` was decided on, at the latest."""
        if self.window.fatal:
            return self._ctx.decided_lately(begin)
        found = self.window.find(psn)
        if found is None and psn == self.window.next_psn and self.window.current is not None:
            found = self.window.current, self.window.current.sent
        if found is None:
            entry = self.window.entries.get(self.window.started % conn.sq_depth) if conn.sq_depth else None
            return begin if entry is None else self._ctx.decided(entry.laddr, begin)
        message, index = found
        if index >= len(message.segments) or not message.segments[index].length:
            return begin
        if message.segments[index].offset in message.copies:
            part = message.segments[index]
            laddr = message.laddr + part.offset
            return self._ctx.retries.decided(laddr, part.length, self.resends.last_sent, begin)
        return self._ctx.decided(message.laddr + message.segments[index].offset, begin)

    def _may_send(self, conn: QpConfig, device: Device) -> bool:
        rules, scope, begin = self._rules, self._scope, self._decided
        if not device.enabled:
            return rules.fail(
                "ERN-247", "silence", "a request packet", "XRNICCONF[0] = 0", scope, knob="M_RULES"
            )
        if not conn.enabled or conn.recovery:
            return rules.fail(
                "ERN-067/silence", "silence", "a request packet", "QP disabled or under recovery", scope
            )
        if self.window.fatal and self._ctx.reacted(self._died, begin):
            return rules.fail("ERN-186", "silence", "a request packet", "the QP is fatal", scope)
        return self.resends.silent(begin)

    def _start(self, conn: QpConfig, begin: int) -> bool:
        """The DUT begins the next WQE."""
        rules, scope = self._rules, self._scope
        if self.window.started >= self.window.sq.count:
            return rules.fail(
                self._start_rule, "no packet", "a new message", "no WQE is posted beyond those sent", scope
            )
        slot = self.window.started % conn.sq_depth
        entry = self.window.entries.get(slot)
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
            self.window.started,
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
            self.window.next_psn,
        )
        if verb is Verb.READ:
            message.fetch = Fetch.of(message.laddr, length, conn.pmtu, message.roffset, message.rtag)
            self.window.reads += 1
        self.window.messages.append(message)
        self.window.current = message
        self.window.started += 1
        if len(self.window.messages) == 1:
            self.resends.oldest_left(begin)
        if self._start_rule == "ERN-229":
            self._start_rule = "ERN-056"
            rules.met("ERN-229", "the send queue goes on after the enabling sequence", scope)
        rules.met("ERN-056", "each posted WQE is fetched and started once", scope)
        if self.window.started > conn.sq_depth:
            rules.met("ERN-057", "the ring continues at slot 0", scope)
        self._limit.judge(self.window.messages, self._decided)
        self.window.sent_messages += 1
        self.window.empty = None if length else self.window.next_psn
        self._counters.wqe()
        return True

    # -- what others ask --------------------------------------------------------------------------

    def congested(self, now: int) -> None:
        """A CNP came."""
        self._ctx.troubles.congested(self._number)
        self._limit.congested(now)

    def fatal_too_early(self, device: Device) -> str:
        """Return the rule a QP breaks that turns fatal although nothing allows it."""
        if device.retry_forever and self.resends.last_retry:
            return "ERN-087/alive"
        if self._start_rule == "ERN-229":
            return self._start_rule
        starved = self.window.messages and self._ctx.held.between(self.resends.progress, self._ctx.now)
        if starved and not self.resends.last_retry:
            return "ERN-203"  # retries were used up while nothing could leave: that is a loss
        return self.resends.last_retry or "ERN-155"

    def only_waits(self, conn: QpConfig, device: Device, begin: int, settled: int) -> bool:
        """Return whether over [begin, settled] all WQEs are sent and the DUT can but wait for ACKs.

        False while a resend may be due: then there is something to process again.
        """
        window, resends = self.window, self.resends
        busy = window.current is not None or window.cursor != window.next_psn
        if busy or window.started < window.sq.count or not window.messages or resends.allowed:
            return False
        if conn.timeout and settled >= resends.earliest_timeout(conn, device):
            return False
        return begin > max(resends.last_sent, resends.progress) + self._ctx.timing.reaction

    # -- end of the QP's life ---------------------------------------------------------------------

    def die(self, conn: QpConfig) -> None:
        """The QP turned fatal: posted WQEs end with ERRFLAG, nothing more is sent."""
        window = self.window
        if window.fatal:
            return
        window.fatal = True
        self._died = self._ctx.now
        self._ctx.troubles.died(self._number)
        self.duty.died()
        self.resends.may_die = False
        self._rules.drop_temptations((self._scope.name, "tx"))
        self._flush(window.started - len(window.messages), conn)
        for message in window.messages:
            self.acknowledged.forget(message)
        self.responses.died()
        window.clear()

    def _flush(self, first: int, conn: QpConfig) -> None:
        """Every posted WQE from number ``first`` on ends with ERRFLAG."""
        for number in range(first, self.window.sq.count):
            known = next((message for message in self.window.messages if message.number == number), None)
            if known is not None:
                wrid, opcode = known.wrid, known.opcode
            else:
                slot = number % max(conn.sq_depth, 1)
                entry = WorkEntry(self._ctx.memory.read(conn.sq_base + WQE_BYTES * slot, WQE_BYTES))
                wrid, opcode = entry.wrid, entry.opcode
            limit = self.window.late
            late = limit is not None and known is not None and psn_diff(known.last_psn, limit) <= 0
            self._cq.complete(Completion(wrid, opcode, True, late), conn)
            self._counters.flushed()

    def reopen(self) -> None:
        """The enabling sequence of the handshake moved the send queue to slot 0: all entries are new."""
        self.window.entries.clear()
        self._start_rule = "ERN-229"

    def revive(self) -> None:
        """Software re-initialised the QP after a fatal state; indices and PSN are written separately."""
        self.window.revive(self._cq.done)
        self.resends.revive()
        self.acknowledged.begin()
        self._limit.emptied()
