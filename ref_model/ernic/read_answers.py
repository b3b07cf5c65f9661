"""The DUT's responses to inbound READ requests (requirements sections 10 to 13).

READs are answered completely and in order. The model knows which may wait in the DUT's queue
(``pending``), which are asked again (``repeats``), and judges each response against the oldest that
expects its PSN.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from ref_model.deadlines import Must
from ref_model.ernic.config import QpConfig
from ref_model.ernic.context import GRANTED, Context
from ref_model.ernic.counters import Counters
from ref_model.ernic.headers import HeaderRules, check_headers, packet_diff
from ref_model.ernic.read_ranges import BEAT
from ref_model.rocev2.psn import psn_add, psn_diff
from ref_model.rocev2.segment import Segment, response_count, response_segment
from ref_model.rules import Scope
from ref_model.wire import INFO, Aeth, Bth, Frame, Reth, opcodes

#: A READ response is judged like an ACK, its pad by a rule of its own.
READ_RESPONSE = HeaderRules("ERN-125", "ERN-137")

AETH_BYTES = 4


@dataclass(slots=True, eq=False)
class Answering:
    """A READ to answer: ``count`` responses from PSN ``psn`` on, data from ``address``.

    ``again``: a repeated request; ``queued``: others waited before it; ``doubtful``: the DUT was free not to
    take it. ``journal`` holds bytes that changed meanwhile: both versions are right.
    """

    psn: int
    count: int
    address: int
    length: int
    again: bool = False
    queued: bool = False
    doubtful: bool = False
    next: int = 0
    duty: Must | None = None
    journal: list[tuple[int, bytes]] = field(default_factory=list)

    @property
    def next_psn(self) -> int:
        """PSN of the next response."""
        return psn_add(self.psn, self.next)

    def holds(self, psn: int) -> bool:
        """Return whether ``psn`` is one of this READ's."""
        return 0 <= psn_diff(psn, self.psn) < self.count

    def changing(self, addr: int, old: bytes) -> None:
        """See :class:`ref_model.ernic.read_ranges.Watcher`."""
        if addr < self.address + self.length and self.address < addr + len(old):
            self.journal.append((addr, old))

    def right(self, first: int, seen: bytes, now: bytes) -> bool:
        """Return whether ``seen`` from address ``first`` is memory as it is (``now``) or was meanwhile."""
        if seen == now:
            return True
        if len(seen) != len(now):
            return False
        versions = [(addr - first, old) for addr, old in self.journal]
        return all(
            byte == now[place]
            or any(0 <= place - start < len(old) and old[place - start] == byte for start, old in versions)
            for place, byte in enumerate(seen)
        )


class ReadAnswers:
    """Judge of the READ responses of one QP."""

    def __init__(self, ctx: Context, scope: Scope, counters: Counters) -> None:
        """Start with no READ open."""
        self._ctx = ctx
        self._scope = scope
        self._counters = counters
        self.pending: deque[Answering] = deque()
        self.repeats: deque[Answering] = deque()
        self._recent: deque[tuple[int, Reth]] = deque(maxlen=int(ctx.knobs["RESP_RESOURCES"]))
        self.sent_to: int | None = None  # PSN of the last response that was not a repeated one

    # -- requests ---------------------------------------------------------------------------------

    def room(self) -> bool | None:
        """Return whether the DUT takes one more READ; None: nobody can tell.

        A READ counts until its last response has left; responses that wait in the output stage may have.
        """
        depth = int(self._ctx.knobs["RESP_RESOURCES"])
        waiting = len(self.pending) + 1
        if waiting + len(self.repeats) <= depth:
            return True
        left, slack = self._ctx.timing.pipe_out // self._ctx.timing.period * BEAT, 0
        for entry in self.pending:
            left -= entry.length + BEAT * entry.count
            if left < 0:
                break
            slack += 1
        return False if waiting > depth + slack else None

    def accept(self, psn: int, reth: Reth, address: int, pmtu: int, doubtful: bool) -> None:
        """A READ was accepted; ``doubtful``: the DUT's queue may have been full."""
        self._recent.append((psn, reth))
        entry = self._open(psn, reth, address, pmtu)
        entry.queued, entry.doubtful = bool(self.pending), doubtful
        self.pending.append(entry)
        self._arm()

    def repeat(self, psn: int, reth: Reth, address: int, pmtu: int) -> None:
        """A READ was asked again, whole or in part: owed for one of the last, allowed for an older one."""
        for earlier in self.repeats:
            self._ctx.deadlines.void(earlier.duty)
        entry = self._open(psn, reth, address, pmtu)
        entry.again = True
        self.repeats.append(entry)
        if len(self.repeats) > 2 * int(self._ctx.knobs["RESP_RESOURCES"]):
            self._forget(self.repeats.popleft())
        if any(self._part_of(psn, reth, old, whole, pmtu) for old, whole in self._recent):
            self._owe(entry)

    @staticmethod
    def _part_of(psn: int, reth: Reth, old: int, whole: Reth, pmtu: int) -> bool:
        """Return whether a repeated request asks for the end of READ ``whole`` with PSN ``old``."""
        done = psn_diff(psn, old) * pmtu
        rest = whole.va + done & (1 << 64) - 1, whole.rkey, whole.length - done
        return done >= 0 and (reth.va, reth.rkey, reth.length) == rest

    def _open(self, psn: int, reth: Reth, address: int, pmtu: int) -> Answering:
        entry = Answering(psn, response_count(reth.length, pmtu), address, reth.length)
        if reth.length:
            self._ctx.reads.grant(address, reth.length)
            self._ctx.reads.watchers.append(entry)
        return entry

    def _arm(self) -> None:
        """The oldest READ owes its next response."""
        if self.pending and not self.pending[0].doubtful:
            self._owe(self.pending[0])

    def _owe(self, entry: Answering) -> None:
        self._ctx.deadlines.void(entry.duty)
        rule, knob = ("ERN-138" if entry.queued else "ERN-135"), None
        if entry.again:
            rule, knob = "ERN-116", "M_RULES"
        expected = f"READ response with PSN {entry.next_psn:#x}"
        why = "a READ is asked again" if entry.again else "a READ was accepted"
        deadline = self._ctx.liveness()
        entry.duty = self._ctx.deadlines.must(rule, expected, why, self._scope, deadline, knob)

    def _forget(self, entry: Answering) -> None:
        self._ctx.deadlines.void(entry.duty)
        if entry in self._ctx.reads.watchers:
            self._ctx.reads.watchers.remove(entry)

    def drop_from(self, psn: int) -> None:
        """The DUT refused the READ with ``psn``: it and later ones are not answered, earlier ones are."""
        while self.pending and psn_diff(self.pending[-1].psn, psn) >= 0:
            self._forget(self.pending.pop())
        for entry in self.pending:
            entry.doubtful = False
        self._arm()

    def no_longer_owed(self) -> None:
        """The QP died for a reason of its own: what waits may still be answered."""
        for entry in (*self.pending, *self.repeats):
            self._ctx.deadlines.void(entry.duty)
            entry.doubtful = True

    def clear(self) -> None:
        """The QP begins anew."""
        for entry in (*self.pending, *self.repeats):
            self._forget(entry)
        self.pending.clear()
        self.repeats.clear()
        self._recent.clear()
        self.sent_to = None

    # -- what others ask --------------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """Whether a response is owed now."""
        return any(entry.duty is not None and entry.duty.open for entry in (*self.pending, *self.repeats))

    def next_psns(self) -> set[int]:
        """Return the PSNs that responses may have now."""
        return {entry.next_psn for entry in (*self.pending, *self.repeats)}

    def ahead_of(self, psn: int) -> Answering | None:
        """Return a READ that has to be answered before an ACK or NAK with ``psn`` leaves."""
        first = self.pending[0] if self.pending else None
        return first if first is not None and not first.doubtful and psn_diff(first.psn, psn) <= 0 else None

    def inside_last(self, psn: int, pmtu: int) -> bool:
        """Return whether ``psn`` is one of the last READ's behind its first: no request may have it."""
        if not self._recent:
            return False
        first, reth = self._recent[-1]
        return 0 < psn_diff(psn, first) < response_count(reth.length, pmtu)

    def uncounted(self, psn: int) -> int:
        """Return how many READs up to ``psn`` the message count of a frame sent now may leave out."""
        return sum(psn_diff(entry.psn, psn) <= 0 for entry in self.pending)

    # -- responses --------------------------------------------------------------------------------

    def match(self, psn: int) -> Answering | None:
        """Return the READ whose next response has ``psn``; a new one goes before a repeated one."""
        doubtful = (entry for entry in self.pending if entry.doubtful)
        first = self.pending[0] if self.pending else None
        for entry in (first, *self.repeats, *doubtful):
            if entry is not None and entry.next_psn == psn:
                return entry
        return None

    def judge(self, entry: Answering, frame: Frame, conn: QpConfig) -> None:
        """Judge ``frame`` as the next response of ``entry``."""
        rules, scope, bth = self._ctx.rules, self._scope, frame.bth
        assert bth is not None
        before = rules.findings_total
        part = response_segment(entry.length, conn.pmtu, entry.next)
        data = self._ctx.memory.read(entry.address + part.offset, part.length)
        if bth.opcode == part.opcode and len(frame.payload) == part.length:
            rules.passed(("ERN-135", "ERN-137"), scope)
        else:
            self._take_apart(frame, part)
        if part.length and len(frame.payload) == part.length:
            seen = frame.payload
            if entry.right(entry.address + part.offset, seen, data):
                rules.passed(("ERN-136", "ERN-033"), scope)
                rules.alive(GRANTED)
            else:
                rules.fail("ERN-136", data, seen, f"memory from {entry.address + part.offset:#x}", scope)
        rules.eq("ERN-053", True, frame.icrc_ok, "ICRC over the frame", scope)
        check_headers(rules, conn, frame, READ_RESPONSE, scope, -part.length % 4)
        if frame.aeth is not None:
            rules.eq("ERN-124/kind", 0, frame.aeth.syndrome >> 5, "syndrome[7:5] of a READ response", scope)
            credit = rules.knobs["AETH_CREDIT"]
            if credit != "mask":
                seen_credit = frame.aeth.syndrome & 0x1F
                rules.eq("ERN-124/credit", credit, seen_credit, "credit field", scope, knob="AETH_CREDIT")
        if rules.findings_total != before:
            head = Bth(part.opcode, conn.dest_qp, bth.psn, conn.pkey)
            aeth = Aeth(0x1F, 0) if frame.aeth is None else frame.aeth
            rest = {"aeth": aeth if part.first or part.last else None}
            rules.explain(before, packet_diff(conn, rules.knobs, frame, head, payload=data, **rest))

    def _take_apart(self, frame: Frame, part: Segment) -> None:
        """Name the rules that opcode and size of a response break."""
        rules, bth = self._ctx.rules, frame.bth
        assert bth is not None
        name, wanted = opcodes.name_of(bth.opcode), opcodes.name_of(part.opcode)
        rules.eq("ERN-135", wanted, name, "position of the response", self._scope)
        extra = len(frame.payload) - part.length
        if extra:
            rule = "ERN-137" if abs(extra) == AETH_BYTES and name == wanted else "ERN-135"
            why = "AETH on first, last and only responses" if rule == "ERN-137" else "responses cut at PMTU"
            rules.fail(rule, part.length, len(frame.payload), f"payload bytes: {why}", self._scope)

    def advance(self, entry: Answering) -> None:
        """A response of ``entry`` left."""
        rules = self._ctx.rules
        psn = entry.next_psn
        entry.next += 1
        self._counters.add("out_read_response", int(not entry.again), 1)
        if entry.duty is not None:
            self._ctx.deadlines.meet(entry.duty)
        if not entry.again:
            self.sent_to = psn
            while self.pending[0] is not entry:  # doubtful ones before it were refused, or never answered
                self._forget(self.pending.popleft())
            entry.doubtful = False
        if entry.next < entry.count:
            if entry.duty is not None or not entry.again:
                self._owe(entry)
            return
        self._forget(entry)
        if entry.again:
            self.repeats.remove(entry)
            return
        self.pending.popleft()
        self._arm()
        rules.alive((self._scope.name, "rx"))

    def unasked(self, frame: Frame, refused: str | None) -> None:
        """Judge a response that no READ expects; ``refused``: the rule that refused a READ with its PSN."""
        bth, rules = frame.bth, self._ctx.rules
        assert bth is not None
        psn = bth.psn
        head = self.pending[0] if self.pending else None
        info = INFO[bth.opcode]
        if refused is not None and not any(entry.holds(psn) for entry in self.pending):
            rules.fail(refused, "no READ response", psn, "this READ must not be executed", self._scope)
        elif head is None:
            rule = "ERN-116" if self.repeats else "ERN-135"
            rules.fail(rule, "no READ response", psn, "no READ expects this PSN", self._scope)
        elif any(entry.holds(psn) for entry in self.pending if entry is not head):
            rules.fail(
                "ERN-138", head.next_psn, psn, "READs are answered whole, in request order", self._scope
            )
        else:
            rules.fail("ERN-135", head.next_psn, psn, f"PSN of a {info.name}", self._scope)
