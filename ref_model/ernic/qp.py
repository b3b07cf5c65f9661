"""One QP of the ERNIC: its configuration and the four judges that share it."""

from __future__ import annotations

from ref_model.deadlines import Must
from ref_model.ernic.completion import CompletionQueue
from ref_model.ernic.config import Device, QpConfig, read_device, read_qp
from ref_model.ernic.errors import BadFrame
from ref_model.ernic.interrupts import FATAL, ILLEGAL_WQE, VALIDATION
from ref_model.ernic.lifecycle import LifeCycle
from ref_model.ernic.management import QP1, ManagementReceiver
from ref_model.ernic.management_send import ManagementRequester
from ref_model.ernic.receive_queue import ReceiveQueue
from ref_model.ernic.requester import Requester
from ref_model.ernic.responder import Responder
from ref_model.ernic.shared import Shared
from ref_model.rules import Scope
from ref_model.wire import Frame

CODE_WQE, CODE_RESPONSE = 5, 6


class Qp:
    """QP number ``number`` in register slot ``slot``."""

    def __init__(self, shared: Shared, number: int, slot: int) -> None:
        """Start as after reset."""
        ctx, counters, interrupts, errors = shared.ctx, shared.counters, shared.interrupts, shared.errors
        self.number = number
        self.slot = slot
        self.scope = Scope(f"QP {number}")
        self._ctx = ctx
        self._values = shared.values
        self._interrupts = interrupts
        self._errors = errors
        self._counters = counters
        self.cq = CompletionQueue(ctx, self.scope)
        self.rq = ReceiveQueue(ctx, self.scope)
        self.life = LifeCycle(ctx, self.scope)
        kind = ManagementRequester if number == QP1 else Requester
        self.requester = kind(ctx, self.scope, self.cq, counters, number)
        self.management: ManagementReceiver | None = None
        if number == QP1:
            self.management = ManagementReceiver(ctx, self.scope, self.rq, counters, interrupts, errors)
            self.cq.unacknowledged = "ERN-194"
        self.responder = Responder(shared, self.scope, number, self.rq, self.request_fatal)
        self.cq.settle_fatal = self._settle_completion
        self.cq.too_early = self.requester.responses.completion_too_early
        self.requester.responses.on_bad_response = self._bad_response
        self.cq.fatal_too_early = lambda: self.requester.fatal_too_early(self.refresh()[1])
        self.fatal = False
        self.fatal_due = False
        self.may_turn_fatal = False
        self._by_itself = False
        self.lives = 1
        self.released = ""  #: rule under which this QP is recorded instead of judged
        self.first_frame: Frame | None = None
        self.fatal_codes: frozenset[int] | None = None
        self.nak_syndrome: int | None = None
        self._entry_duty: Must | None = None
        self._epoch = -1
        self._decoded: tuple[QpConfig, Device]

    # -- configuration ----------------------------------------------------------------------------

    def refresh(self) -> tuple[QpConfig, Device]:
        """Return the decoded configuration, read again only after a register write."""
        if self._values.epoch != self._epoch:
            device = read_device(self._values)
            self._decoded = read_qp(self._values, self.slot, device), device
            self._epoch = self._values.epoch
        return self._decoded

    @property
    def racing(self) -> bool:
        """Return whether the QP turns fatal by itself: frames that come now may still be handled."""
        return self.fatal_due and not self.fatal and self._by_itself

    @property
    def dead(self) -> bool:
        """Return whether inbound frames are dropped because the QP is (about to be) fatal."""
        return self.fatal or self.fatal_due

    # -- fatal state ------------------------------------------------------------------------------

    def request_fatal(self, code: int | None, why: str, frame: Frame | None) -> None:
        """An inbound request turns the QP fatal: error buffer entry, counters, fatal queue entry.

        Without ``frame`` the DUT is free to drop the request instead.
        """
        _, device = self.refresh()
        if frame is None:
            self.may_turn_fatal = True
            self._interrupts.raise_bit(FATAL, sure=False)
            if not device.log_all_errors:
                self._errors.expect(BadFrame("ERN-152", why, fatal=True))
            return
        self._counters.add("invalid")
        self._counters.add("dropped", 0, 1)
        self._interrupts.raise_bit(VALIDATION)
        rule = "ERN-151" if device.log_all_errors else "ERN-152"
        self._errors.expect(BadFrame(rule, why, sure=True))
        self.turn_fatal(code, why)

    def _bad_response(self) -> None:
        """A malformed READ response came: ignoring it, asking again and the fatal state are all open."""
        self.may_turn_fatal = True
        self._interrupts.raise_bit(FATAL, sure=False)

    def check_next_entry(self) -> None:
        """A WQE was fetched or started: a reserved opcode in the next one turns the QP fatal."""
        if self.dead or not self.requester.window.illegal_entry(self.refresh()[0]):
            return
        self._interrupts.raise_bit(ILLEGAL_WQE)
        self._by_itself = True
        self.turn_fatal(None, "reserved WQE opcode", "ERN-068/fatal", "M_RULES")

    def fatal_nak(self, syndrome: int) -> None:
        """A NAK that ends the QP was received."""
        self.nak_syndrome = syndrome
        self.turn_fatal(None, f"NAK {syndrome:#x} received", "ERN-096")

    def turn_fatal(self, code: int | None, why: str, rule: str = "ERN-155", knob: str | None = None) -> None:
        """A cause that must make the QP fatal has begun; ``rule`` demands the fatal state for it."""
        if self.dead:
            return
        self.fatal_due = True
        self.fatal_codes = None if code is None else frozenset({code})
        self._interrupts.raise_bit(FATAL, sure=False)
        expected = f"a fatal queue entry for QP {self.number}"
        deadline = self._ctx.liveness()
        self._entry_duty = self._ctx.deadlines.must(rule, expected, why, self.scope, deadline, knob)

    def fatal_entry(self, code: int) -> None:
        """The fatal queue got an entry for this QP."""
        rules = self._ctx.rules
        if self.fatal and self._entry_duty is None:
            rules.fail(
                "ERN-155", "one entry", f"another one, code {code}", "the QP is fatal already", self.scope
            )
            return
        if not self.dead and not self._may_die():
            rule = self.requester.fatal_too_early(self.refresh()[1])
            rules.fail(rule, "no fatal state", f"code {code}", "nothing makes this QP fatal", self.scope)
            return
        if self.fatal_codes is not None:
            rules.one_of("ERN-155", self.fatal_codes, code, "fatal code of the cause", self.scope)
        else:
            rules.met("ERN-155", "fatal queue entry of a QP that turns fatal", self.scope)
        self._ctx.deadlines.meet(self._entry_duty)
        self._entry_duty = None
        self._interrupts.raise_bit(FATAL)
        self._die()

    def settle(self) -> None:
        """Effects of the fatal state show before its queue entry: accept it as entered."""
        if not self.fatal and (self.fatal_due or self._may_die()):
            if not self.fatal_due:
                self.turn_fatal(None, "a cause that may make it fatal")
            self._die()

    def _settle_completion(self) -> None:
        """A completion nothing has earned shows what the DUT was free to do: take an answer, or die early."""
        if not self.requester.responses.settle_held(self.refresh()[0]):
            self.settle()

    def _may_die(self) -> bool:
        conn, device = self.refresh()
        return self.may_turn_fatal or self.requester.resends.timeout_limit_reached(conn, device)

    def _die(self) -> None:
        if not self.fatal:
            self.fatal = True
            self._ctx.rules.tempt("ERN-236", ("DUT", "tx"))
            self.requester.die(self.refresh()[0])
            self.responder.died()
            self.fatal_due = False

    def abandon(self) -> None:
        """The model lets go of this QP: nothing is owed, no reminder of its will find anything."""
        self._ctx.deadlines.void_all(self.scope)
        for path in ("tx", "rx", "ack", "cq", "doorbell"):
            self._ctx.rules.drop_temptations((self.scope.name, path))
        self.requester.window.abandon()
        self.responder.reads.clear()
        self.cq.abandon()

    # -- status registers -------------------------------------------------------------------------

    def revive(self) -> None:
        """Software re-initialised the QP (QPCONF written with enable 1, recovery 0 after a fatal state or a
        deletion).
        """
        self.fatal = self.fatal_due = self.may_turn_fatal = self._by_itself = False
        self.nak_syndrome = self.fatal_codes = self._entry_duty = None
        self.scope.tainted = False
        self.lives += 1
        self.responder.answers.revived = self.life.rule
        for path in ("tx", "rx"):
            self._ctx.rules.tempt(self.life.rule, (self.scope.name, path))
        self.requester.revive()
