"""The queue pairs of one DUT: which there are, whom they send to, which are let go of."""

from __future__ import annotations

from collections.abc import Iterable

from ref_model.ernic.handshake import Handshake
from ref_model.ernic.management import QP1
from ref_model.ernic.qp import Qp
from ref_model.ernic.released import REACTION, Released
from ref_model.ernic.retry_buffers import RetryBuffers
from ref_model.ernic.shared import Shared
from ref_model.rules import Scope


class QueuePairs:
    """The queue pairs that the run has set up."""

    def __init__(self, shared: Shared, stream: Scope) -> None:
        """``stream``: scope of what all of them show on the frame streams and beside them."""
        self._shared = shared
        self._ctx = shared.ctx
        self._rules = shared.ctx.rules
        self.by_number: dict[int, Qp] = {}
        self.first_slot = 1 if self._ctx.knobs["QP_BASE_MODE"] == "doc" else 0  #: wire number of slot 0
        self.handshake = Handshake(self._ctx, self.by_number, stream)
        self.released = Released(self._ctx, shared.regions)
        self.version = 0  #: grows with each change of what they are set up to
        self._by_peer: dict[int, list[Qp]] | None = None
        self._empty_retry_buffers()

    def _empty_retry_buffers(self) -> None:
        self._ctx.retries = RetryBuffers(self._ctx, self._shared.values, self._rearm)

    def reset(self) -> None:
        """The DUT was reset: none is left."""
        self._empty_retry_buffers()
        self.by_number.clear()
        self.released.clear()
        self.handshake.reset()
        self.changed()

    def changed(self) -> None:
        """The configuration changed: peers and areas in memory may be others."""
        self.version += 1
        self._by_peer = None

    # -- which there are --------------------------------------------------------------------------

    def get(self, number: int) -> Qp | None:
        """Return the QP with wire number ``number`` if the run has set it up."""
        return self.by_number.get(number)

    def all(self) -> Iterable[Qp]:
        """Return all that the run has set up."""
        return self.by_number.values()

    def at(self, number: int) -> Qp | None:
        """Return the QP with wire number ``number`` if the build has its slot."""
        slot = number - self.first_slot
        if not 0 <= slot < int(self._ctx.knobs["C_NUM_QP"]):
            return None
        return self.by_number.get(number) or self._new(number, slot)

    def _new(self, number: int, slot: int) -> Qp:
        qp = self.by_number[number] = Qp(self._shared, number, slot)
        self.handshake.attach(qp)
        other = number + 1 - 2 * self.first_slot  # has this slot in the other QP_BASE_MODE
        qp.responder.answers.owed_by_other_slot = lambda psn: self._awaits_ack(other, psn)
        return qp

    def _awaits_ack(self, number: int, psn: int) -> bool:
        qp = self.by_number.get(number)
        return qp is not None and any(waiting.psn == psn for waiting in qp.responder.acks.waiting)

    def peers(self) -> dict[int, list[Qp]]:
        """Return the configured QPs by the DestQP they send to."""
        if self._by_peer is None:
            self._by_peer = {}
            for number in sorted(self.by_number):
                conn, _ = self.by_number[number].refresh()
                if conn.sq_depth and number != QP1:
                    self._by_peer.setdefault(conn.dest_qp, []).append(self.by_number[number])
        return self._by_peer

    # -- let go of --------------------------------------------------------------------------------

    def recorded(self, number: int) -> bool:
        """Record what shows of QP ``number`` if it is released; returns whether it is."""
        qp = self.by_number.get(number)
        if qp is None or not qp.released:
            return False
        self._rules.observe(qp.released)
        return True

    def release(self, qp: Qp, rule: str) -> None:
        """Let go of ``qp``: what it does is recorded under ``rule`` until software makes it anew."""
        self._rules.observe(rule)
        if qp.released:
            return
        qp.abandon()
        grants = [
            (kind, grant)
            for kind in (self._ctx.payloads, self._ctx.optional)
            for grant in kind.received_by(qp.scope)
        ]
        for kind, grant in grants:
            kind.remove(grant)
        fresh = self._new(qp.number, qp.slot)
        fresh.released = rule
        self.released.add(fresh, [(grant.addr, len(grant.data)) for _, grant in grants])
        self.changed()
        self._shared.let_go(qp.number)

    def hit(self, qps: list[Qp] | None) -> None:
        """An error response hit one of ``qps``; None: nobody can tell which, all in use are let go of."""
        self._rules.observe(REACTION)
        in_use = [qp for qp in self.by_number.values() if qp.refresh()[0].enabled]
        for qp in in_use if qps is None else qps:
            self.release(qp, REACTION)
            self._ctx.troubles.erred(qp.number)

    # -- what shows of all of them ----------------------------------------------------------------

    def _rearm(self) -> None:
        """The retry buffers ran out, or no longer are: what each QP owes may change."""
        for qp in self.by_number.values():
            qp.requester.duty.arm(*qp.refresh())

    def owe_frames(self) -> bool:
        """Return whether the DUT owes a frame of any."""
        return any(qp.requester.duty.due or qp.responder.owes for qp in self.by_number.values())

    def fatal_shown(self) -> None:
        """INTSTS[7] is 1: the entry of a QP that turned fatal can be read by now."""
        shared = self._shared
        entries = shared.fatal_queue.entries
        if shared.counters.free:
            return  # a QP that nobody judged may have set the bit
        if entries or any(qp.fatal_due for qp in self.by_number.values()):
            why, scope = "queue entry before INTSTS[7]", shared.interrupts.scope
            self._rules.eq("ERN-180/order", True, entries > 0, why, scope, knob="M_RULES")
