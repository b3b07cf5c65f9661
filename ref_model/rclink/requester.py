"""TYPE1 requester of one queue pair: judges its frames, takes in the answers (sections 2, 9 and 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.rclink.ack_reports import AckReports
from ref_model.rclink.retries import Retries
from ref_model.rclink.retry_timer import RetryTimer
from ref_model.rclink.sending import PSN_MASK
from ref_model.rclink.tokens import Tokens

if TYPE_CHECKING:
    from ref_model.rclink.sending import Packet, Sending


class Requester:
    """What one queue pair may send and must not send, by numbering and Go-Back-N."""

    def __init__(self, sending: Sending) -> None:
        self._sending = sending
        self._qp = sending.qp
        self._ctx = sending.ctx
        self.tokens = Tokens(sending)
        self.retries = Retries(sending)
        self.timer = RetryTimer(sending, self.retries, self.tokens)
        self.reports = AckReports(sending.qp)
        self._acked = 0  # tx clock by which the DUT knows of the last acknowledgement

    # -- frames out -------------------------------------------------------------------------------

    def sent(self, index: int, payload_of: Packet, settled: int) -> Packet | None:
        """Judge that a request with the PSN of ``index`` leaves; returns the packet it has to be.

        ``payload_of``: packet of this queue pair the payload belongs to, as far as known.
        """
        state, rules, ctx = self._sending.state, self._ctx.rules, self._ctx
        packet = state.packets.get(index)
        if packet is None or not self._legal(index):
            self._blame_psn(index, payload_of)
            return packet
        self._drop_stale(index)
        self._overdue(index)
        freed = index < state.una and ctx.late(self._acked) and not ctx.device.lite
        if freed and ctx.knobs["LATE_ACK"] == "FREE":
            seen, why = f"PSN {state.psn(index):#x}", "it was acknowledged while it waited"
            rules.fail("RCL-061", "no such frame", seen, why, self._qp.scope)
        fresh = index == state.top
        if index < state.next or state.rewind_at(index):
            self._take(index)
        if fresh:
            rules.met("RCL-037", "the next number", self._qp.scope)
            if state.psn(index) == 0 and index:
                rules.met("RCL-038", "numbers wrap", self._qp.scope)
            if index > state.una and not state.rewinds and self._qp.book.resending(self._qp) is not None:
                rules.met("RCL-046", "goes on while another queue pair sends again", self._qp.scope)
        else:
            rules.met(self._sending.pass_rule, "sent again in order", self._qp.scope)
        state.goes_to(index)
        state.tails = None
        state.stepped.clear()
        self.tokens.sent_again(index)
        if not ctx.device.lite and (index <= state.una or not state.restarts):
            self.timer.restart(ctx.decided_since(), settled)
        packet.sends += 1
        self._sending.schedule()
        return packet

    def _legal(self, index: int) -> bool:
        """Return whether the packet at ``index`` may leave now."""
        state = self._sending.state
        if state.next <= index <= max(state.next, state.una):
            return True
        if state.rewind_at(index):
            return True
        return index == state.una and self.timer.expired()

    def _take(self, index: int) -> None:
        """The pass starts again at ``index``; what asked for it is served."""
        if self.retries.began(index):
            return
        self.timer.owe_pulse()  # the timer expired and its pulse is still to come
        if not self.retries.count():
            self._must_not_leave(index, "the retry threshold is passed")

    def _overdue(self, index: int) -> None:
        """Nothing may leave that a retry event forbids."""
        state, rules, ctx = self._sending.state, self._ctx.rules, self._ctx
        sending = self._sending
        stopped = sending.fatal and ctx.late(sending.clock)
        if stopped or (sending.fatal_duty is not None and index < state.next and not state.rewind_at(index)):
            why = "the queue pair is fatal" if stopped else "the retry threshold is passed"
            self._must_not_leave(index, why)
            return
        for rewind in state.rewinds:
            if rewind.optional or not ctx.late(rewind.clock):
                continue
            if rewind.not_before > ctx.now:
                seen, why = f"PSN {state.psn(index):#x}", "the RNR time is not over"
                rules.fail("RCL-052", "no frame", seen, why, self._qp.scope)
                return
            start = max(rewind.start, state.una)
            if index > start:
                seen, why = f"PSN {state.psn(index):#x}", f"a {rewind.kind} came before"
                rules.fail(rewind.rule, f"PSN {state.psn(start):#x}", seen, why, self._qp.scope)
                rewind.optional = rewind.served = True

    def _must_not_leave(self, index: int, why: str) -> None:
        """The packet at ``index`` leaves though retries are exhausted."""
        seen = f"PSN {self._sending.state.psn(index):#x}"
        self._ctx.rules.fail("RCL-050", "no frame", seen, why, self._qp.scope)

    def _drop_stale(self, index: int) -> None:
        """Retry events permit nothing any more once the DUT must have acted on them.

        One whose packets were acknowledged before they left may be acted on as long as none behind has left.
        """
        state = self._sending.state
        if state.rewinds:
            late, beyond = self._ctx.late, index >= state.una
            state.rewinds = [
                entry
                for entry in state.rewinds
                if not (entry.optional and (entry.served or beyond) and late(entry.clock))
            ]

    # -- numbers that nothing permits -------------------------------------------------------------

    def _blame_psn(self, index: int, payload_of: Packet) -> None:
        """Tell a number that nothing permits by what should have come."""
        state, rules, scope = self._sending.state, self._ctx.rules, self._qp.scope
        seen = f"PSN {state.psn(index):#x}"
        open_rewind = next((entry for entry in state.rewinds if not entry.optional), None)
        if index < state.next and index in state.packets:
            other = self._qp.book.resending(self._qp)
            if other is not None and open_rewind is None:
                why = f"only QP {other} had to send again"
                rules.fail("RCL-046", f"PSN {state.psn(state.next):#x}", seen, why, scope)
                return
        if open_rewind is not None:
            start = state.psn(max(open_rewind.start, state.una))
            rules.fail(open_rewind.rule, f"PSN {start:#x}", seen, f"a {open_rewind.kind} came before", scope)
        elif state.next < state.top:
            why = "every packet behind the start is sent again, in order"
            rules.fail(self._sending.pass_rule, f"PSN {state.psn(state.next):#x}", seen, why, scope)
        elif index < state.next and index in state.packets:
            self._blame_repeat(index, seen)
        else:
            wrapped = state.psn(state.next) < 8 and state.next > 0
            rule, why = "RCL-038" if wrapped else "RCL-037", "consecutive numbers"
            if 0 < index - state.next <= state.drops:
                rule, why = "RCL-124", "a dropped packet uses no number"
            rules.fail(rule, f"PSN {state.psn(state.next):#x}", seen, why, scope)
        if index in state.packets:
            state.goes_to(index)
        elif payload_of.index == state.next:
            state.next += 1
            state.top = max(state.top, state.next)
        self._sending.schedule()

    def _blame_repeat(self, index: int, seen: str) -> None:
        """Tell a packet that is sent again without a NAK: a timeout that is wrong, or none at all."""
        state = self._sending.state
        if self.timer.expired():
            rule, due, why = "RCL-048", state.una, "a timeout repeats from the oldest packet on"
        elif index == state.una and self._ctx.device.timeout_us:
            rule, due, why = "RCL-048", state.next, "the timeout of the oldest packet is not over"
        else:
            rule, due, why = "RCL-045", state.next, "nothing asked to send again"
        self._ctx.rules.fail(rule, f"PSN {state.psn(due):#x}", seen, why, self._qp.scope)

    # -- acknowledgements -------------------------------------------------------------------------

    def answered(
        self, psn: int, kind: str, code: int, echo: int | None, begin: int, settled: int, taken: str = ""
    ) -> None:
        """An ACK (``kind`` "") or NAK came: ``echo`` its timestamp, ``code`` the RNR timer code.

        ``taken``: rule by which it has to be taken, where that is a special one.
        """
        state, ctx = self._sending.state, self._ctx
        newest = ctx.knobs["ACK_PSN_MODE"] == "LAST" and not kind
        count = (psn - state.psn(state.una) + newest) & PSN_MASK
        outstanding = state.top - state.una
        valid = count <= outstanding and bool(count or kind)
        late = state.una + count > state.next
        if echo is not None:
            rule = (taken or "RCL-054/count") if valid else ""
            self.reports.owe(count if valid else 0, late or not valid, bool(kind), echo, begin, settled, rule)
        if not valid:
            self.tokens.ignored("RCL-049")
            if count == 0 and not kind:
                self.tokens.settle("RCL-040")
            return
        if count:
            usual = "RCL-047" if kind else "RCL-040" if count > 1 else "RCL-041"
            self._acknowledge(count, taken or usual)
            self.timer.restart(begin, settled)
        if kind:
            self.retries.asked(kind, code, settled)
        self._sending.schedule()

    def _acknowledge(self, count: int, rule: str) -> None:
        """The ``count`` oldest packets are acknowledged."""
        state = self._sending.state
        before = state.una
        state.una += count
        self._acked = self._ctx.clock() + self._ctx.timing.settle
        if state.una > state.next:
            state.vague = True
        elif state.una == state.top:
            state.vague = False
        state.retries = state.rnr_retries = 0
        state.stepped.update(state.psn(entry.start - 1) for entry in state.rewinds if not entry.optional)
        state.rewinds = [entry for entry in state.rewinds if entry.start < state.top]
        for rewind in state.rewinds:
            if state.una >= state.top:
                rewind.optional = True
        self._sending.fatal_choice = False
        for index in range(before, state.una):
            packet = state.packets[index]
            self._qp.book.drop(packet)
        self.tokens.settle(rule)

    def sent_lite(self, packet: Packet) -> None:
        """LITE: a packet is done once it has left; its token comes back."""
        state = self._sending.state
        state.una = max(state.una, packet.index + 1)
        self._qp.book.drop(packet)
        self.tokens.settle("RCL-104")

    # -- software ---------------------------------------------------------------------------------

    def preset(self, first: int) -> None:
        """Software wrote the next PSN of a queue pair without packets."""
        self._forget()
        self._sending.renumber(first)
        self._sending.fatal = False
        self._qp.shared.fatal.discard(self._qp.number)

    def flush(self) -> tuple[int, list[bytes]]:
        """free_buf_set: all slots are freed.

        Returns how many tokens come back without a number, and the payloads that must not be sent any more.
        """
        self._forget()
        before = self._sending.state
        former = self._sending.renumber(before.psn(before.accepted))
        self._sending.state.tails = (former.psn(former.next - 1), former.psn(former.top - 1))
        self._sending.schedule()
        freed = [former.packets[index].payload for index in range(former.una, former.accepted)]
        return former.accepted - former.returned, freed

    def _forget(self) -> None:
        """Nothing is owed for the packets of before."""
        self.tokens.forget()
        self.timer.forget()
        self.reports.forget()
