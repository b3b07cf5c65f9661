"""What one QP of the ERNIC does with requests from the wire (requirements sections 2 and 9 to 14).

The judge follows the requests that reached the pins and derives what each calls for; answers and
memory writes are then matched with what is owed or allowed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ref_model.deadlines import Must
from ref_model.ernic.answer_order import AnswerOrder
from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.context import GRANTED, OUTPUT, Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.errors import BadFrame, ErrorBuffer
from ref_model.ernic.headers import RESPONSE, check_headers, packet_diff
from ref_model.ernic.interrupts import RNR_SENT, VALIDATION, Interrupts
from ref_model.ernic.read_answers import ReadAnswers
from ref_model.ernic.receive_queue import ReceiveQueue
from ref_model.ernic.regions import ACCESS_READ, Regions, Verdict
from ref_model.grants import Payload
from ref_model.rocev2.psn import PSN_MASK, psn_add, psn_diff
from ref_model.rocev2.segment import response_count
from ref_model.rules import OPEN_VALUES, Scope
from ref_model.wire import INFO, Aeth, Bth, Frame, OpInfo, Reth, opcodes

NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS = 0x60, 0x61, 0x62
CODE_SEQUENCE, CODE_UNSUPPORTED = 1, 2
ACK_ON_REQUEST_OR_TIMEOUT, ACK_ON_TIMEOUT, ACK_ON_REQUEST = 0, 1, 2

#: Rules of ACKs that come by the timeout alone.
BY_TIMEOUT = ("ERN-120/rest", "ERN-121")

#: Duplicates whose ACK may still be on its way.
REPEATS = 1024

#: Distance from the expected PSN at which only the half-window rule decides.
FAR = 1 << 22

#: Requests that bring payload.
SUPPORTED = frozenset({"send", "write"})


@dataclass(slots=True)
class Progress:
    """The message in the middle of which the responder is."""

    kind: str
    address: int
    offset: int
    total: int | None
    element: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A NAK that is owed or allowed."""

    syndrome: int
    psn: int
    rule: str
    why: str
    optional: bool = False


@dataclass(slots=True)
class Waiting:
    """An accepted request that asks for an acknowledgement."""

    psn: int
    duty: Must | None
    since: int = 0  # begin (ps) of the request, where its ACK has to wait for the timeout


@dataclass(slots=True)
class State:
    """What the responder remembers between packets."""

    expected: int = 0
    messages: int = 0
    elements: int = 0
    progress: Progress | None = None
    gap_reported: bool = False
    after_rnr: bool = False
    fatal: bool = False
    last_acked: int | None = None
    last_accepted: int | None = None
    last_plain: int | None = None  # PSN of the last SEND or WRITE packet
    last_read: int | None = None  # PSN of the request, if the last one accepted was a READ
    open: bool = False  # nothing has told yet whether a request with a key beyond the table was executed
    after_doubt: bool = False  # a request came behind a READ whose acceptance nobody can tell
    waiting: deque[Waiting] = field(default_factory=deque)
    counts: deque[tuple[int, int]] = field(default_factory=deque)
    answers: deque[tuple[Answer, Must | None]] = field(default_factory=deque)
    repeats: deque[int] = field(default_factory=lambda: deque(maxlen=REPEATS))
    last_repeat: int = -(1 << 62)  # when (ps) the last duplicate came
    refused: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=16))


class Responder:
    """Judge of the receive side of one QP."""

    def __init__(
        self,
        ctx: Context,
        scope: Scope,
        queue: ReceiveQueue,
        regions: Regions,
        counters: Counters,
        interrupts: Interrupts,
        errors: ErrorBuffer,
        qp: int,
        on_fatal: Callable[[int | None, str, Frame | None], None],
    ) -> None:
        """``on_fatal(code, why, frame)``: a request has to turn the QP fatal (``frame`` None: it may)."""
        self._ctx = ctx
        self._scope = scope
        self._rq = queue
        self._regions = regions
        self._counters = counters
        self._interrupts = interrupts
        self._errors = errors
        self._qp = qp
        self._on_fatal = on_fatal
        #: Whether the QP that has this slot in the other QP_BASE_MODE owes the ACK with a PSN.
        self.owed_by_other_slot: Callable[[int], bool] = lambda psn: False
        self.state = State()
        self.reads = ReadAnswers(ctx, scope, counters)
        self.rnr_active = False
        self.revived = ""  # rule of a new life in which nothing was acknowledged yet
        self.last_opcode: int | None = None
        self._held: list[tuple[Frame, QpConfig, Device, int]] = []
        self._freed = False
        self._far_off = False
        self._room_duty: Must | None = None
        self._turn = AnswerOrder()
        self._stands: dict[int, str] = {}  # PSN that something must not have used up: its rule

    # -- software ---------------------------------------------------------------------------------

    def preset(self, lstrqreq: int) -> None:
        """LSTRQREQ was written on an idle QP: expected PSN = [23:0] + 1, [31:24] the previous opcode."""
        state = self.state = State(messages=self.state.messages, elements=self._rq.received)
        self._turn = AnswerOrder()
        state.expected = psn_add(lstrqreq & PSN_MASK, 1)
        state.last_accepted = state.last_plain = lstrqreq & PSN_MASK
        self.reads.clear()
        info = INFO.get(lstrqreq >> 24)
        self.last_opcode = lstrqreq >> 24
        if info is not None and info.kind in SUPPORTED and not info.last:
            state.progress = Progress(info.kind, 0, 0, None, 0)

    def preset_messages(self, count: int) -> None:
        """STATMSN was written under override."""
        self.state.messages = count

    # -- a hidden choice: was an element free when the DUT looked? ----------------------------------

    def freed(self, by_side_band: bool = False) -> None:
        """RQCI was written: a SEND that found the ring full may have been looked at only afterwards."""
        self._freed = True
        self._rq.by_side_band = by_side_band

    @property
    def owes(self) -> bool:
        """Whether the DUT owes an answer of this QP now."""
        state = self.state
        duties = [*(entry.duty for entry in state.waiting), *(duty for _, duty in state.answers)]
        duties += [entry.duty for entry in (*self.reads.pending, *self.reads.repeats)]
        return any(duty is not None and duty.open for duty in duties)

    def settle_room(self, psn: int | None = None, syndrome: int = 0) -> bool:
        """An output shows how the DUT decided about the held SEND; returns whether something was held.

        ``psn`` and ``syndrome`` of an answer, or None for a memory write that only an accepted SEND causes.
        """
        if not self._held or (psn is None and not self._freed):
            return False
        first = self._held[0][0].bth
        assert first is not None
        if psn is not None and psn_diff(psn, first.psn) < 0:
            return False
        refused = psn == first.psn and syndrome >> 5 == 1
        self._decide(accepted=self._freed and not refused)
        return True

    def _hold(self, frame: Frame, conn: QpConfig, device: Device, begin: int) -> None:
        bth = frame.bth
        assert bth is not None
        self._held.append((frame, conn, device, begin))
        self._errors.expect(BadFrame("ERN-151", "no free RQ element"))
        self._freed = False
        self._would_write(frame, conn, "ERN-145", "no free RQ element")
        self._interrupts.raise_bit(RNR_SENT, sure=False)
        self._counters.add("in_send", 0, 1)
        self._room_duty = self._ctx.deadlines.must(
            "ERN-145",
            f"RNR NAK with PSN {bth.psn:#x}",
            "no free RQ element",
            self._scope,
            self._ctx.liveness(),
        )

    def _decide(self, accepted: bool) -> None:
        held, self._held = self._held, []
        self._ctx.deadlines.void(self._room_duty)
        self._counters.add("in_send", 0, -1)
        if not accepted:
            frame, conn, _, _ = held.pop(0)
            self._receiver_not_ready(frame, conn)
        for frame, conn, device, begin in held:
            self.request(frame, conn, device, begin)

    # -- requests ---------------------------------------------------------------------------------

    def request(self, frame: Frame, conn: QpConfig, device: Device, begin: int) -> None:
        """Judge the reaction that an undamaged request frame for this QP calls for."""
        bth = frame.bth
        assert bth is not None
        if self._held:
            self._held.append((frame, conn, device, begin))
            self._errors.expect(BadFrame("ERN-151", "it follows a SEND that may find no RQ element"))
            return
        state = self.state
        if state.open:
            self._behind_open(frame)
            return
        distance = psn_diff(bth.psn, state.expected)
        if distance > 0:
            self._ahead(frame, bth.psn, conn)
        elif distance < 0:
            self._duplicate(frame, conn, device)
        else:
            self._in_order(frame, conn, device, begin)

    def _ahead(self, frame: Frame, psn: int, conn: QpConfig) -> None:
        state = self.state
        row = "ERN-242" if state.after_rnr else "ERN-114"
        why = f"PSN {psn:#x} while {state.expected:#x} is expected"
        path = (self._scope.name, "rx")
        self._ctx.rules.tempt(f"{row}/noexec", path)
        self._would_write(frame, conn, f"{row}/noexec", why)
        state.refused.append((psn, f"{row}/noexec"))
        self._optional_error(why)
        self._far(psn)
        if state.gap_reported:
            if state.after_rnr:
                self._ctx.rules.tempt("ERN-242/count", path, "M_RULES")
            return
        state.gap_reported = True
        self._owe(Answer(NAK_SEQUENCE, state.expected, f"{row}/count", why, optional=state.after_rnr))

    def _beyond_table(self, frame: Frame, verdict: Verdict, span: int = 1) -> None:
        """A key beyond the region table: no byte outside the regions is touched, all else is open."""
        bth, state = frame.bth, self.state
        assert bth is not None
        self._ctx.rules.tempt("ERN-028", OUTPUT)
        state.open = True
        state.counts.append((bth.psn, state.messages))
        state.messages = state.messages + 1 & PSN_MASK
        self._counters.last_in_known = False
        self._counters.add("in_send", 0, 1)
        for waiting in state.waiting:
            self._ctx.deadlines.void(waiting.duty)
        self._perhaps_taken(bth, span)
        self._owe(Answer(-1, bth.psn, "ERN-028", verdict.why, optional=True))
        self._optional_error(verdict.why)
        self._on_fatal(None, verdict.why, None)

    def _perhaps_taken(self, bth: Bth, span: int = 1) -> None:
        """Nobody can tell whether the request is executed: an ACK is right, and so is none."""
        state = self.state
        state.expected, state.last_accepted = psn_add(bth.psn, span), psn_add(bth.psn, span - 1)
        reading = bth.opcode == opcodes.READ_REQUEST
        state.last_read = bth.psn if reading else None
        state.last_plain = state.last_plain if reading else bth.psn
        self.last_opcode = bth.opcode
        if bth.ack_req:
            state.waiting.append(Waiting(bth.psn, None))

    def _taken_after_all(self) -> None:
        """An answer shows that the request whose key is beyond the table was executed."""
        state = self.state
        state.open = False
        state.answers = deque(entry for entry in state.answers if entry[0].rule != "ERN-028")

    def _may_write(self, frame: Frame, progress: Progress) -> None:
        """The payload of a request that may be executed."""
        if frame.payload:
            address = progress.address + progress.offset
            why = "payload of a WRITE through the row modulo the table"
            grant = Payload(address, frame.payload, "ERN-028", why, lambda now: None, optional=True)
            self._ctx.permit(grant)
        progress.offset += len(frame.payload)

    def _behind_open(self, frame: Frame) -> None:
        """A request behind one that may or may not have been executed."""
        bth, state = frame.bth, self.state
        assert bth is not None
        info = INFO.get(bth.opcode)
        going_on = info is not None and info.kind == "write" and not info.first and not info.immdt
        if state.progress is None or not going_on or bth.psn != state.expected:
            self._ctx.rules.inconclusive("requests behind one whose key is beyond the region table")
            return
        self._may_write(frame, state.progress)
        self._perhaps_taken(bth)
        if info is not None and info.last:
            state.progress = None

    def _far(self, psn: int) -> None:
        """A PSN far from the expected one tells the half window from a plain comparison."""
        self._far_off = abs(psn_diff(psn, self.state.expected)) > FAR
        if self._far_off:
            self._ctx.rules.tempt("ERN-118", (self._scope.name, "rx"))

    def _duplicate(self, frame: Frame, conn: QpConfig, device: Device) -> None:
        bth = frame.bth
        assert bth is not None
        self._counters.add("duplicate")
        self._optional_error("duplicate")
        info = INFO.get(bth.opcode)
        if info is not None and info.kind == "read_req" and frame.reth is not None:
            self._duplicate_read(frame, frame.reth, conn)
            return
        if info is None or info.kind not in SUPPORTED:
            return
        why = f"PSN {bth.psn:#x} was received before"
        self._ctx.rules.tempt("ERN-115/noeffect", (self._scope.name, "rx"))
        self._would_write(frame, conn, "ERN-115/noeffect", why)
        path = (self._scope.name, "rx")
        if self.state.progress is not None:
            self._ctx.rules.tempt("ERN-117", path)
        self._far(bth.psn)
        if info.kind == "send" and self.state.elements - self._rq.consumer.count >= max(conn.rq_depth, 1):
            self._ctx.rules.tempt("ERN-243/noeffect", path)
        state = self.state
        state.repeats.append(bth.psn)
        state.last_repeat = self._ctx.now
        if state.last_plain is not None:
            state.repeats.append(state.last_plain)
        if bth.ack_req and device.ack_mode != ACK_ON_TIMEOUT:
            rule, knob = "ERN-115/ack", None
            if self._would_be_refused(frame, info, conn):
                rule, knob = "ERN-243/answer", "M_RULES"
            duty = self._ctx.deadlines.must(rule, "another ACK", why, self._scope, self._ctx.liveness(), knob)
            state.waiting.append(Waiting(bth.psn, duty))

    def _would_be_refused(self, frame: Frame, info: OpInfo, conn: QpConfig) -> bool:
        """Return whether the request of a duplicate could not be executed now: ring full, region gone."""
        if info.kind == "send":
            return self.state.elements - self._rq.consumer.count >= max(conn.rq_depth, 1)
        return frame.reth is not None and self._regions.denies(frame.reth, conn.pd)

    def _beginning_fits(self, frame: Frame, info: OpInfo, conn: QpConfig) -> bool:
        """Return whether a refused WRITE would be allowed by what its first packet alone carries."""
        reth = frame.reth
        if reth is None or info.last or self._ctx.knobs["M_RULES"] in OPEN_VALUES:
            return False
        return not self._regions.denies(Reth(reth.va, reth.rkey, len(frame.payload)), conn.pd)

    def stands(self, rule: str) -> None:
        """A frame came that must not move the expected PSN, by ``rule``."""
        self._stands[self.state.expected] = rule

    def _in_order(self, frame: Frame, conn: QpConfig, device: Device, begin: int) -> None:
        bth = frame.bth
        assert bth is not None
        state = self.state
        info = INFO.get(bth.opcode)
        progress = state.progress
        if not self._sequence_ok(info, progress):
            # an unsupported opcode inside a message may be told either way
            code = CODE_SEQUENCE if info is not None and info.kind in SUPPORTED | {"read_req"} else None
            why = f"{opcodes.name_of(bth.opcode)} out of sequence"
            self._would_write(frame, conn, "ERN-128", why)
            if info is not None and info.kind == "read_req" and frame.reth is not None:
                for first, length in self._regions.check(frame.reth, conn.pd, ACCESS_READ).would_be:
                    self._ctx.reads.refuse(first, length, "ERN-128", why, self._scope)
            self._refuse(frame, NAK_INVALID, "ERN-128", why, code)
            return
        if info is None or info.kind not in SUPPORTED:
            if info is not None and info.kind == "read_req" and frame.reth is not None:
                self._read(frame, info, conn, device)
                return
            why = f"unsupported {opcodes.name_of(bth.opcode)}"
            if bth.opcode >> 5 == 0:
                self._refuse(frame, NAK_INVALID, "ERN-129", why, CODE_UNSUPPORTED)
            else:  # another transport service: refused like it, or dropped
                self._owe(Answer(NAK_INVALID, bth.psn, "ERN-129", why, optional=True))
                self._optional_error(why)
                self._on_fatal(None, why, None)
            return
        defect = self._length_defect(frame, info, progress, conn)
        if defect:
            self._contain(frame, conn, progress, defect)
            self._refuse(frame, NAK_INVALID, "ERN-130/nak", defect, None)
            return
        if info.kind == "send":
            self._send(frame, info, conn, device, begin)
        else:
            self._write(frame, info, conn, device, begin)

    def _contain(self, frame: Frame, conn: QpConfig, progress: Progress | None, defect: str) -> None:
        """Nothing of a packet with a wrong size is written, be it where its message goes on."""
        rule = "ERN-130/containment"
        if frame.payload:
            self._ctx.rules.tempt(rule, GRANTED)
        self._would_write(frame, conn, rule, defect)
        if progress is not None:
            place = progress.address + progress.offset
            self._ctx.refuse(place, len(frame.payload), rule, defect, self._scope, frame.payload)

    @staticmethod
    def _sequence_ok(info: OpInfo | None, progress: Progress | None) -> bool:
        if info is None or info.kind not in SUPPORTED:
            return progress is None
        if progress is None:
            return info.first
        return not info.first and info.kind == progress.kind

    @staticmethod
    def _length_defect(frame: Frame, info: OpInfo, progress: Progress | None, conn: QpConfig) -> str:
        size = len(frame.payload)
        if not info.last and size != conn.pmtu:
            return f"first or middle packet with {size} bytes, PMTU {conn.pmtu}"
        if size > conn.pmtu:
            return f"packet with {size} bytes, PMTU {conn.pmtu}"
        if info.last and not info.first and size == 0:
            return "empty last packet"
        if info.kind == "write":
            total = (
                frame.reth.length
                if frame.reth is not None
                else progress.total
                if progress is not None
                else None
            )
            so_far = size + (progress.offset if progress is not None else 0)
            if total is not None and ((info.last and so_far != total) or (not info.last and so_far >= total)):
                return f"{so_far} bytes at this point, RETH length {total}"
        return ""

    # -- READ -------------------------------------------------------------------------------------

    def _read(self, frame: Frame, info: OpInfo, conn: QpConfig, device: Device) -> None:
        """A READ request in order: responses, a refusal by its region, or one because the queue is full."""
        bth, reth, rules = frame.bth, frame.reth, self._ctx.rules
        assert bth is not None and reth is not None
        if frame.payload:
            self._refuse(frame, NAK_INVALID, "ERN-130/nak", "a READ request with payload", None)
            return
        verdict = self._regions.check(reth, conn.pd, ACCESS_READ)
        room = self.reads.room()
        full = "more READs than the responder can hold"
        if verdict.beyond:
            self._read_beyond_table(frame, reth, verdict, conn)
            return
        if verdict.denied:
            rules.tempt(verdict.rule, OUTPUT)
            for first, length in verdict.would_be:
                self._ctx.reads.refuse(first, length, verdict.rule, verdict.why, self._scope)
            if not room:
                self._owe(Answer(NAK_INVALID, bth.psn, "ERN-131", full, optional=True))
            self._refuse(frame, NAK_ACCESS, "ERN-132", verdict.why, None, verdict.rule)
            return
        if room is False:
            self._refuse(frame, NAK_INVALID, "ERN-131", full, None)
            return
        if room is None:
            self._owe(Answer(NAK_INVALID, bth.psn, "ERN-131", full, optional=True))
            self._optional_error(full)
            self._on_fatal(None, full, None)
        if room and len(self.reads.pending) + 1 == int(self._ctx.knobs["RESP_RESOURCES"]):
            rules.tempt("ERN-131", (self._scope.name, "rx"))
        if reth.length == 0:
            why = "a zero-length READ skips the region check"
            rules.met("ERN-035", why, self._scope, knob="ZERO_LEN")
        span = response_count(reth.length, conn.pmtu)
        self.reads.accept(bth.psn, reth, verdict.address, conn.pmtu, room is None)
        self._accept(frame, info, conn, device, span)

    def _read_beyond_table(self, frame: Frame, reth: Reth, verdict: Verdict, conn: QpConfig) -> None:
        """A READ with a key beyond the region table: answers are right if its row modulo the table allows."""
        bth, reads = frame.bth, self._ctx.reads
        assert bth is not None
        self._beyond_table(frame, verdict, 1 if verdict.denied else response_count(reth.length, conn.pmtu))
        if not verdict.denied:
            self.reads.accept(bth.psn, reth, verdict.address, conn.pmtu, doubtful=True)
        reads.beyond(verdict.rule, verdict.why, self._scope)

    def _duplicate_read(self, frame: Frame, reth: Reth, conn: QpConfig) -> None:
        """A READ asked again: current data after a fresh check of its key, no other effect."""
        bth, rules = frame.bth, self._ctx.rules
        assert bth is not None
        why = f"READ with PSN {bth.psn:#x} was received before"
        if self.state.progress is not None:
            rules.tempt("ERN-117", (self._scope.name, "rx"))
        self._far(bth.psn)
        self._counters.last_in_known = False  # whether a repeated READ counts as accepted is open
        span = response_count(reth.length, conn.pmtu)
        verdict = self._regions.check(reth, conn.pd, ACCESS_READ)
        if verdict.denied:
            rules.tempt("ERN-116", OUTPUT)
            self.state.refused.append((bth.psn, "ERN-116"))
            for first, length in verdict.would_be:
                self._ctx.reads.refuse(first, length, "ERN-116", verdict.why, self._scope)
            self._owe(Answer(NAK_ACCESS, bth.psn, "ERN-116", why, optional=True))
            self._on_fatal(None, why, None)
        elif psn_diff(psn_add(bth.psn, span), self.state.expected) <= 0:
            self.reads.repeat(bth.psn, reth, verdict.address, conn.pmtu)

    def read_response(self, frame: Frame, conn: QpConfig) -> None:
        """Judge a READ response of this QP."""
        bth, state = frame.bth, self.state
        assert bth is not None
        self.settle_room(bth.psn)
        entry = self.reads.match(bth.psn)
        if entry is None:
            refused = next((rule for number, rule in reversed(state.refused) if number == bth.psn), None)
            self.reads.unasked(frame, refused)
            return
        self._errors.answered(self._qp, entry.psn)
        self.reads.judge(entry, frame, conn)
        if frame.aeth is not None:
            self._message_count(bth.psn, frame.aeth)
        if state.open and not entry.again:
            self._taken_after_all()
        if not entry.again:
            for waiting in state.waiting:  # READ responses acknowledge what came before
                if psn_diff(waiting.psn, bth.psn) < 0:
                    self._ctx.deadlines.void(waiting.duty)
            self.revived = ""
        self.reads.advance(entry)

    def died(self) -> None:
        """The QP is fatal: what it refused comes behind its READ data, else the data is no longer owed."""
        if not self.state.fatal:
            self.reads.no_longer_owed()
        self.stopped()

    def stopped(self) -> None:
        """The QP is fatal, disabled or under recovery: its ACK timer need not go on."""
        for waiting in self.state.waiting:
            if waiting.duty is not None and waiting.duty.rule in BY_TIMEOUT:
                self._ctx.deadlines.void(waiting.duty)

    def _in_order_of_reads(self, psn: int, what: str) -> bool:
        """ERN-126: an ACK or NAK with ``psn`` leaves behind the responses of older READs."""
        earlier = self.reads.ahead_of(psn)
        rules, sent_to = self._ctx.rules, self.reads.sent_to
        if earlier is not None:
            expected = f"READ response with PSN {earlier.next_psn:#x} first"
            return rules.fail(
                "ERN-126", expected, f"{what} {psn:#x}", "PSN order", self._scope, knob="M_RULES"
            )
        if sent_to is not None and psn_diff(psn, sent_to) < 0:
            expected = f"nothing before PSN {sent_to:#x}"
            return rules.fail(
                "ERN-126", expected, f"{what} {psn:#x}", "PSN order", self._scope, knob="M_RULES"
            )
        if sent_to is not None:
            rules.met("ERN-126", "ACKs, NAKs and READ responses in PSN order", self._scope, knob="M_RULES")
        return True

    def _overflowed(self, psn: int) -> None:
        """The DUT refused the READ with ``psn`` because its queue was full: those before it are kept."""
        state = self.state
        if state.after_doubt:
            self._ctx.rules.inconclusive("requests behind a READ that the DUT was free to refuse")
        for other in [entry for entry in state.answers if entry[0].rule == "ERN-131"]:
            state.answers.remove(other)
            self._ctx.deadlines.meet(other[1])
        self.reads.drop_from(psn)

    def _send(self, frame: Frame, info: OpInfo, conn: QpConfig, device: Device, begin: int) -> None:
        state, rules = self.state, self._ctx.rules
        depth = max(conn.rq_depth, 1)
        if info.first:
            if state.elements - self._rq.consumer.count >= self._rq.room(conn):
                self._hold(frame, conn, device, begin)
                return
            if self._ctx.knobs["SEND_CHECKS_MR"] == "on" and not self._regions.writable(conn.pd):
                why = "no region of the QP's PD may be written"
                rules.tempt("ERN-037", OUTPUT, "SEND_CHECKS_MR")
                self._would_write(frame, conn, "ERN-037", why)
                self._refuse(frame, None, "ERN-037", why, None)
                return
            why = "a SEND where the region check lets it pass"
            rules.met("ERN-037", why, self._scope, knob="SEND_CHECKS_MR")
            place = (state.elements + self._rq.shift) % depth
            progress = Progress("send", conn.rq_base + conn.element * place, 0, None, state.elements)
            if self._rq.by_side_band and state.elements >= depth:
                rules.met("ERN-225", "an element freed through the side band is used", self._scope)
            state.elements += 1
            if self._rq.consumer.count == 0:
                why = "a fresh ring takes SENDs by its credit mode"
                rules.met("ERN-147", why, self._scope, knob="RQ_CREDIT_MODE")
            if state.after_rnr:
                rules.met("ERN-146", "the resent SEND goes where the refused one belonged", self._scope)
        else:
            assert state.progress is not None
            progress = state.progress
        size = len(frame.payload)
        if progress.offset + size > conn.element:
            self._ctx.rules.tempt("ERN-133", OUTPUT)
            self._would_write(frame, conn, "ERN-133", "message longer than the RQ element")
            self._refuse(frame, None, "ERN-133", "message longer than the RQ element", None)
            return
        if size and progress.offset + size == conn.element:
            rules.tempt("ERN-140", OUTPUT)
        address = progress.address + progress.offset
        self._grant(address, frame.payload, "ERN-139", info, progress.element, conn.rq_irq)
        progress.offset += size
        state.progress = None if info.last else progress
        if info.last:
            self._rq.message(conn)
            if conn.rq_irq:
                self._interrupts.announce("RQ", self._qp)
            if size == 0:
                self._placed(self._ctx.now, conn.rq_irq)
        elif conn.rq_irq:
            self._interrupts.bank("RQ", self._qp, sure=False)
        self._counters.add("in_send")
        self._accept(frame, info, conn, device)

    def _write(self, frame: Frame, info: OpInfo, conn: QpConfig, device: Device, begin: int) -> None:
        state = self.state
        if info.first:
            assert frame.reth is not None
            reth = frame.reth
            verdict = self._regions.check_write(reth, conn.pd)
            if verdict.beyond:
                self._write_beyond_table(frame, info, reth, verdict)
                return
            if verdict.denied:
                rule = "ERN-034" if self._beginning_fits(frame, info, conn) else verdict.rule
                self._ctx.rules.tempt(rule, OUTPUT)
                for first, length in verdict.would_be:
                    self._ctx.refuse(first, length, rule, verdict.why, self._scope, frame.payload)
                self._refuse(frame, NAK_ACCESS, "ERN-132", verdict.why, None, rule)
                return
            progress = Progress("write", verdict.address, 0, reth.length, 0)
        else:
            assert state.progress is not None
            progress = state.progress
        element, interrupt = None, False
        if info.immdt and self._ctx.knobs["WRITE_IMM_USES_RQ"] == 1:
            if state.elements - self._rq.consumer.count >= self._rq.room(conn):
                self._hold(frame, conn, device, begin)
                return
            element, interrupt = state.elements, conn.rq_irq
            state.elements += 1
        self._grant(progress.address + progress.offset, frame.payload, "ERN-148", info, element, interrupt)
        progress.offset += len(frame.payload)
        state.progress = None if info.last else progress
        if element is not None:
            self._rq.message(conn)
            if interrupt:
                self._interrupts.announce("RQ", self._qp)
            if not frame.payload:
                self._placed(self._ctx.now, interrupt)
        self._counters.add("in_send", 0, 1)
        self._accept(frame, info, conn, device)

    def _write_beyond_table(self, frame: Frame, info: OpInfo, reth: Reth, verdict: Verdict) -> None:
        """A WRITE with a key beyond the region table: right if its row modulo the table allows it."""
        self._beyond_table(frame, verdict)
        if info.immdt:
            self._ctx.rules.inconclusive("an immediate behind a key beyond the region table")
        for first, length in verdict.would_be:
            self._ctx.refuse(first, length, verdict.rule, verdict.why, self._scope, frame.payload)
        if verdict.denied:
            return
        progress = Progress("write", verdict.address, 0, reth.length, 0)
        self._may_write(frame, progress)
        self.state.progress = None if info.last else progress

    def _grant(
        self, address: int, data: bytes, rule: str, info: OpInfo, element: int | None, interrupt: bool = False
    ) -> None:
        if not data:
            return
        scope, rules = self._scope, self._ctx.rules
        why = "payload of an accepted request"
        place = "ERN-033" if info.kind == "write" and info.first else rule
        if element is not None and self._rq.reopened:
            place = "ERN-229"
        duty = self._ctx.deadlines.must(
            rule,
            f"{len(data)} bytes at {address:#x}",
            "payload of an accepted request",
            scope,
            self._ctx.liveness(),
        )

        def done(now: int) -> None:
            self._ctx.deadlines.meet(duty)
            if info.kind == "write":
                rules.met("ERN-033", "physical address of the region plus offset", scope)
            if element is not None and info.last:
                self._placed(now, interrupt)

        self._ctx.grant(Payload(address, data, rule, why, done, place, scope=scope))

    def _placed(self, settled: int, interrupt: bool) -> None:
        """The payload of a SEND is in memory since ``settled``: only now may an interrupt announce it."""
        self._rq.placed += 1
        if self._rq.reopened:
            self._rq.reopened = False
            self._ctx.rules.met("ERN-229", "the receive queue goes on behind what is pending", self._scope)
        if interrupt:
            self._ctx.deadlines.call_at(settled - 1, lambda: self._interrupts.bank("RQ", self._qp))

    def _accept(self, frame: Frame, info: OpInfo, conn: QpConfig, device: Device, span: int = 1) -> None:
        """The request is executed; ``span``: PSNs it takes."""
        bth = frame.bth
        assert bth is not None
        state, rules = self.state, self._ctx.rules
        if state.last_read is not None:
            rules.met("ERN-245", "the request behind the PSNs of a READ is the next one", self._scope)
        state.expected = psn_add(bth.psn, span)
        state.last_accepted = psn_add(bth.psn, span - 1)
        reading = info.kind == "read_req"
        state.last_read = bth.psn if reading else None
        if not reading:
            state.last_plain = bth.psn
            state.after_doubt = any(entry.doubtful for entry in self.reads.pending)
        state.gap_reported = state.after_rnr = False
        self.rnr_active = False
        self.last_opcode = bth.opcode
        if info.last:
            state.messages = state.messages + 1 & PSN_MASK
            if info.immdt or info.ieth:
                self._ctx.immediates_owed += 1
        state.counts.append((bth.psn, state.messages))
        if len(state.counts) > 4096:
            state.counts.popleft()
        self._counters.last_in = (bth.opcode, bth.psn & 0xFFF, self._qp)
        self._counters.last_in_known = True
        rules.alive((self._scope.name, "rx"))
        rules.passed(("ERN-112",), self._scope)
        if frame.ieth is not None:
            self._regions.invalidated.add(frame.ieth >> 8)
        if info.kind == "write" and info.last:
            self._rq.no_element = "ERN-149" if info.immdt else "ERN-148"
        if info.kind == "write" and info.immdt:
            rules.met("ERN-149", "a WRITE with immediate", self._scope, knob="WRITE_IMM_USES_RQ")
        if frame.reth is not None and not frame.reth.length and not reading:
            rules.met("ERN-035", "a zero-length WRITE skips the region check", self._scope, knob="ZERO_LEN")
        mode = device.ack_mode
        if reading:
            return  # answered by its responses
        if mode == ACK_ON_TIMEOUT:
            self._owe_by_timeout("ERN-121", bth.psn)
        elif mode == ACK_ON_REQUEST_OR_TIMEOUT and not bth.ack_req:
            self._owe_by_timeout("ERN-120/rest", bth.psn)
        elif bth.ack_req:
            rule = "ERN-120/requested" if mode == ACK_ON_REQUEST_OR_TIMEOUT else "ERN-119"
            duty = self._ctx.deadlines.must(
                rule,
                f"ACK of PSN {bth.psn:#x}",
                "the request has the A bit",
                self._scope,
                self._ctx.liveness(),
            )
            state.waiting.append(Waiting(bth.psn, duty))
        elif mode == ACK_ON_REQUEST:
            rules.tempt("ERN-119", (self._scope.name, "ack"))

    def _owe_by_timeout(self, rule: str, psn: int) -> None:
        """The request with ``psn`` is acknowledged after the ACK timeout, which may be unknown."""
        timeout = self._ctx.knobs["ACK_TIMEOUT"]
        if not isinstance(timeout, int):
            self._ctx.rules.observe(rule)
            return
        deadline = self._ctx.liveness() + timeout * self._ctx.timing.period
        duty = self._ctx.deadlines.must(rule, f"ACK of PSN {psn:#x}", "accepted", self._scope, deadline)
        self.state.waiting.append(Waiting(psn, duty, self._ctx.now))

    def _receiver_not_ready(self, frame: Frame, conn: QpConfig) -> None:
        bth = frame.bth
        assert bth is not None
        state = self.state
        why = "no free RQ element"
        state.after_rnr = True
        state.gap_reported = False
        self.rnr_active = True
        self._would_write(frame, conn, "ERN-145", why)
        state.refused.append((bth.psn, "ERN-145"))
        self._interrupts.raise_bit(RNR_SENT)
        self._optional_error(why)
        self._counters.last_in_known = False
        self._owe(Answer(0x20 | conn.rnr_code, bth.psn, "ERN-145", why))

    def _optional_error(self, why: str) -> None:
        """Whether PSN gaps, duplicates and RNR count as validation errors is open: both are allowed."""
        self._counters.add("invalid", 0, 1)
        self._counters.add("dropped", 0, 1)
        self._interrupts.raise_bit(VALIDATION, sure=False)
        self._errors.expect(BadFrame("ERN-151", why))

    def _refuse(
        self, frame: Frame, syndrome: int | None, rule: str, why: str, code: int | None, denied_by: str = ""
    ) -> None:
        """A request that turns the QP fatal; ``syndrome`` None: the NAK code is open.

        ``rule`` owns the answer, ``denied_by`` (if another one) the refusal itself.
        """
        bth = frame.bth
        assert bth is not None
        state = self.state
        state.fatal = True
        state.refused.append((bth.psn, denied_by or rule))
        self._counters.last_in_known = False
        for waiting in state.waiting:  # an ACK of what came before is still allowed, but no longer owed
            self._ctx.deadlines.void(waiting.duty)
        knob = "M_RULES" if rule == "ERN-130/nak" else None
        self._owe(
            Answer(-1 if syndrome is None else syndrome, bth.psn, rule, why, optional=syndrome is None), knob
        )
        self._on_fatal(code, why, frame)

    def _owe(self, answer: Answer, knob: str | None = None) -> None:
        state = self.state
        duty = None
        if not answer.optional:
            expected = f"NAK {answer.syndrome:#x} with PSN {answer.psn:#x}"
            duty = self._ctx.deadlines.must(
                answer.rule, expected, answer.why, self._scope, self._ctx.liveness(), knob
            )
        state.answers.append((answer, duty))

    def _would_write(self, frame: Frame, conn: QpConfig, rule: str, why: str) -> None:
        """Remember where the refused request would have written, for a stray write to be blamed on it."""
        bth = frame.bth
        assert bth is not None
        info = INFO.get(bth.opcode)
        if info is None or not frame.payload:
            return
        if info.kind == "send":
            size = conn.element * max(conn.rq_depth, 1)
            self._ctx.refuse(conn.rq_base, size, rule, why, self._scope, frame.payload)
        elif frame.reth is not None:
            for first, length in self._regions.check_write(frame.reth, conn.pd).would_be:
                self._ctx.refuse(first, length, rule, why, self._scope, frame.payload)

    def ignored(self, psn: int, rule: str) -> None:
        """A frame came that must have no effect here by ``rule``; no answer may carry its ``psn``."""
        self.state.refused.append((psn, rule))

    def dropped(self, frame: Frame, conn: QpConfig, rule: str, why: str) -> None:
        """A frame for this QP was dropped: nothing of it may show."""
        bth = frame.bth
        assert bth is not None
        self.state.refused.append((bth.psn, rule))
        if bth.psn == self.state.expected:
            self.stands("ERN-110")
        self._ctx.refused_psns.append((bth.psn, rule))
        self._would_write(frame, conn, rule, why)

    # -- answers from the DUT ---------------------------------------------------------------------

    def response(self, frame: Frame, conn: QpConfig, device: Device) -> None:
        """Judge an ACK or NAK of this QP."""
        rules, scope = self._ctx.rules, self._scope
        bth, aeth = frame.bth, frame.aeth
        assert bth is not None and aeth is not None
        self.settle_room(bth.psn, aeth.syndrome)
        before = rules.findings_total
        if bth.psn not in self.state.repeats:
            self._turn.answer(rules, scope, bth.psn, aeth.syndrome >> 5 == 0)
        rules.eq(
            "ERN-125", (b"", 0), (frame.payload, len(frame.trailer)), "ACK and NAK carry no payload", scope
        )
        rules.eq("ERN-053", True, frame.icrc_ok, "ICRC over the frame", scope)
        check_headers(rules, conn, frame, RESPONSE, scope, 0)
        if aeth.syndrome >> 5 == 0:
            self._ack(bth.psn, aeth, device)
        else:
            self._nak(bth.psn, aeth, conn)
        self._message_count(bth.psn, aeth)
        if rules.findings_total != before:
            expected = Bth(opcodes.ACKNOWLEDGE, conn.dest_qp, bth.psn, conn.pkey)
            rows = packet_diff(conn, rules.knobs, frame, expected, aeth=Aeth(aeth.syndrome, aeth.msn))
            rules.explain(before, rows)
        rules.alive((scope.name, "ack"))

    def _ack(self, psn: int, aeth: Aeth, device: Device) -> None:
        rules, scope, state = self._ctx.rules, self._scope, self.state
        self._errors.answered(self._qp, psn)
        self.revived = ""
        credit = rules.knobs["AETH_CREDIT"]
        self._counters.add("out_ack")
        rules.met("ERN-124/kind", "syndrome[7:5] = 000", scope)
        if credit != "mask":
            rules.eq(
                "ERN-124/credit", credit, aeth.syndrome & 0x1F, "credit field", scope, knob="AETH_CREDIT"
            )
        accepted = state.last_accepted
        if psn in state.repeats:
            rules.met("ERN-115/ack", "a duplicate is acknowledged again", scope)
            rules.met("ERN-243/answer", "with an ACK, whatever the ring or its row are by now", scope)
            self._covered(psn)
            self._advance_acked(psn)
            return
        if not self._in_order_of_reads(psn, "an ACK with PSN"):
            return
        refused = next((rule for number, rule in reversed(state.refused) if number == psn), None)
        if refused is None and not state.counts and state.refused:
            refused = state.refused[-1][1]
        if refused is None and accepted is None:
            refused = next((rule for number, rule in reversed(self._ctx.refused_psns) if number == psn), None)
        if refused is not None and (accepted is None or not state.counts or psn_diff(psn, accepted) > 0):
            rules.fail(refused, "no ACK", psn, "this request must not be executed", scope)
            return
        slot = "what is addressed to a QP is answered with the settings of its slot"
        if accepted is None or psn_diff(psn, accepted) > 0 or (state.last_acked is None and not state.counts):
            if self.owed_by_other_slot(psn):
                expected = "the ACK from the slot of QP_BASE_MODE"
                rules.fail("ERN-019", expected, f"PSN {psn:#x} from another", slot, scope, "QP_BASE_MODE")
                return
            rules.fail("ERN-122", "PSN of an accepted request", psn, "ACK beyond what was accepted", scope)
            return
        if state.last_acked is not None and psn_diff(psn, state.last_acked) <= 0:
            rules.fail(
                "ERN-122", f"beyond {state.last_acked:#x}", psn, "ACKs do not step back or repeat", scope
            )
            return
        rules.met("ERN-122", "PSN of an accepted request, moving forward", scope)
        if state.open and psn == accepted:
            self._taken_after_all()
        rules.met("ERN-019", slot, scope, knob="QP_BASE_MODE")
        if device.ack_mode == ACK_ON_REQUEST:
            asked = any(psn_diff(waiting.psn, psn) <= 0 for waiting in state.waiting)
            rules.eq("ERN-119", True, asked, "ACK only for requests with the A bit", scope)
        elif device.ack_mode == ACK_ON_TIMEOUT:
            self._not_before_timeout(psn)
        self._covered(psn, by_ack=True)
        self._advance_acked(psn)

    def _not_before_timeout(self, psn: int) -> None:
        """The timer of the ACK runs from the oldest request without one, at the earliest.

        A duplicate may have started it, too: then nothing is decided.
        """
        timeout = self._ctx.knobs["ACK_TIMEOUT"]
        waiting = self.state.waiting
        if isinstance(timeout, int) and waiting and psn_diff(waiting[0].psn, psn) <= 0:
            length = timeout * self._ctx.timing.period
            if self.state.last_repeat > waiting[0].since - length - self._ctx.timing.reaction:
                return
            earliest = waiting[0].since + length
            why = f"ACK on timeout alone, not before {earliest / 1000:.1f} ns"
            self._ctx.rules.eq("ERN-121", True, self._ctx.now >= earliest, why, self._scope)

    def _advance_acked(self, psn: int) -> None:
        state = self.state
        if state.last_acked is None or psn_diff(psn, state.last_acked) > 0:
            state.last_acked = psn

    def _covered(self, psn: int, by_ack: bool = False) -> None:
        """Requests up to ``psn`` are acknowledged; ``by_ack``: by an ACK that is not one of a duplicate.

        The timeout has shown only where nothing else called for the answer.
        """
        waiting, duties = self.state.waiting, []
        while waiting and psn_diff(waiting[0].psn, psn) <= 0:
            duties.append(waiting.popleft().duty)
        rest = [duty for duty in duties if duty is not None and duty.rule == "ERN-120/rest"]
        by_timeout = by_ack and len(rest) == len(duties)
        for duty in duties:
            if duty in rest and not by_timeout:
                self._ctx.deadlines.void(duty)
            else:
                self._ctx.deadlines.meet(duty)

    def _nak(self, psn: int, aeth: Aeth, conn: QpConfig) -> None:
        rules, scope, state = self._ctx.rules, self._scope, self.state
        self._counters.add("out_nak", int(aeth.syndrome >> 5 == 3), 1)
        self._counters.add("out_ack", 0, 1)
        if aeth.syndrome >> 5 not in (1, 3) and not state.answers:
            rules.fail("ERN-124/kind", 0, aeth.syndrome >> 5, "syndrome[7:5] of an ACK", scope)
            return
        legal = (NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS, 0x63, *range(0x20, 0x40))
        if not rules.one_of("ERN-127", legal, aeth.syndrome, "NAK codes of RC", scope):
            return
        if aeth.syndrome == NAK_SEQUENCE and self.reads.inside_last(psn, conn.pmtu):
            expected = f"PSN {state.expected:#x}"
            rules.fail("ERN-245", expected, psn, "the PSN behind the responses of a READ is next", scope)
            return
        repeated = any(answer.rule == "ERN-116" and answer.psn == psn for answer, _ in state.answers)
        if not repeated and not self._in_order_of_reads(psn_add(psn, -1), "a NAK behind PSN"):
            return
        for position, (answer, duty) in enumerate(state.answers):
            if answer.psn == psn and answer.syndrome in (aeth.syndrome, -1):
                for skipped, _ in list(state.answers)[:position]:
                    if not skipped.optional:
                        rules.fail(
                            skipped.rule,
                            f"NAK {skipped.syndrome:#x} first",
                            aeth.syndrome,
                            skipped.why,
                            scope,
                        )
                del state.answers[position]
                self._ctx.deadlines.meet(duty)
                self._covered(psn_add(psn, -1))
                if answer.rule == "ERN-131":
                    self._overflowed(psn)
                return
        pending = next((answer for answer, _ in state.answers if answer.psn == psn), None)
        if pending is not None:
            rules.fail(pending.rule, pending.syndrome, aeth.syndrome, pending.why, scope)
        elif state.answers:
            answer = state.answers[0][0]
            rules.fail(answer.rule, f"PSN {answer.psn:#x}", psn, answer.why, scope)
        elif state.repeats and aeth.syndrome == NAK_INVALID:
            rules.fail("ERN-117", "no NAK", aeth.syndrome, "a duplicate disturbs nothing", scope)
        elif psn in state.repeats:
            rules.fail("ERN-243/noeffect", "an ACK", aeth.syndrome, "a duplicate draws no NAK", scope)
        elif aeth.syndrome == NAK_SEQUENCE and state.gap_reported:
            rule = "ERN-242/count" if state.after_rnr else "ERN-114/count"
            why = "the gap was reported before"
            rules.fail(rule, "one NAK per gap", aeth.syndrome, why, scope, knob="M_RULES")
        elif state.fatal:
            rules.fail("ERN-134", "silence", aeth.syndrome, "one fatal NAK per QP", scope, knob="M_RULES")
        elif aeth.syndrome == NAK_SEQUENCE:
            lost = self._errors.suspect_lost(self._qp, psn)
            row = "ERN-112" if state.last_read is None else "ERN-245"
            rule = self.revived or lost or ("ERN-118" if self._far_off else row)
            rules.fail(rule, "no sequence NAK", psn, f"PSN {state.expected:#x} is expected", scope)
        elif aeth.syndrome >> 5 == 1:
            rule = self.revived or ("ERN-146" if self._rq.consumer.count else "ERN-147")
            if self._rq.by_side_band:
                rule = "ERN-225"
            rules.fail(rule, "no RNR NAK", psn, "an element is free", scope)
        else:
            rule = self._errors.suspect_nak(self._qp, psn, aeth.syndrome)
            if rule == "ERN-127" and self._is_send_without_region(psn, conn):
                rule = "ERN-037"
            rules.fail(rule, "no NAK", aeth.syndrome, "nothing was refused", scope)

    def _is_send_without_region(self, psn: int, conn: QpConfig) -> bool:
        """Return whether the request with ``psn`` is a SEND on a QP that has no writable region."""
        info = INFO.get(self.last_opcode or 0)
        sent = info is not None and info.kind == "send" and psn == self.state.last_plain
        return sent and not self._regions.writable(conn.pd)

    def _message_count(self, psn: int, aeth: Aeth) -> None:
        """AETH MSN: from the count at the PSN of the frame to the count at its sending."""
        state = self.state
        low = None
        beyond = 0 if aeth.syndrome >> 5 == 0 else -1  # a NAK may have been made before its PSN was accepted
        for number, count in state.counts:
            if psn_diff(number, psn) > beyond:
                break
            low = count
        while (
            len(state.counts) > 1
            and state.last_acked is not None
            and psn_diff(state.counts[1][0], state.last_acked) <= 0
        ):
            state.counts.popleft()
        if low is None:
            low = 0 if state.counts else state.messages
        low = low - self.reads.uncounted(psn) & PSN_MASK
        span = state.messages - low & PSN_MASK
        good = (aeth.msn - low & PSN_MASK) <= span
        expected = f"{low:#x} .. {state.messages:#x}"
        if good:
            if self._stands:
                self._stands = {key: rule for key, rule in self._stands.items() if psn_diff(key, psn) > 0}
            self._ctx.rules.met(
                "ERN-123", "count of completed messages", self._scope, sure=span <= 4 and bool(state.counts)
            )
        else:
            rule = self._stands.get(psn, "ERN-123")
            self._ctx.rules.fail(rule, expected, aeth.msn, "count of completed messages", self._scope)
