"""The client side: packets and tokens of TX_S, deliveries on RX_M (sections 2, 11.1, 11.2, 15.1, 15.2)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ref_model.deadlines import Must
from ref_model.events import FrameIn, FrameOut
from ref_model.rclink import ports
from ref_model.rclink.config import CLIENT_BEAT, Flow
from ref_model.rclink.context import CLIENT_PATH, MAC_PATH, Refused
from ref_model.rclink.messages import (
    OVER_CREDIT,
    T2_OVER_CREDIT_BIT,
    T2_OVERSIZE_BIT,
    TX_DISABLED,
    TX_OVERSIZE,
    TYPE2_RX_OVERFLOW,
    TYPE2_TX,
)

if TYPE_CHECKING:
    from ref_model.rclink.qp import Qp, Shared
    from ref_model.rclink.rates import Rates

#: Client beats shorter than this are illegal stimulus.
SHORTEST = 64


@dataclass(slots=True, eq=False)
class Multicast:
    """One TYPE2 packet to send."""

    payload: bytes
    group: int
    clock: int


@dataclass(slots=True, eq=False)
class Arrived:
    """One TYPE2 or LITE packet for the client; without a duty it may also be dropped.

    ``full``: for want of room alone, which is reported then.
    """

    payload: bytes
    source: int
    qp: int
    etype: int
    rule: str
    duty: Must | None
    full: bool = False


class Client:
    """What the client gave to the DUT and what it has to get."""

    def __init__(self, shared: Shared, rates: Rates) -> None:
        self._ctx = ctx = shared.ctx
        self._shared = shared
        self._rates = rates
        self._slots = int(ctx.knobs["TYPE1_OST_N"])
        self._type2_slots = int(ctx.knobs["TYPE2_OST_N"])
        self._beat = CLIENT_BEAT
        self._type2_depth = int(ctx.knobs["TYPE2_RX_BUF_DEPTH"])
        self.reset()

    def reset(self) -> None:
        """Nothing in hand."""
        self.held = 0  #: slots that are or may be occupied
        self._anonymous: deque[Must] = deque()  # tokens owed without a number
        self._freed = 0  # of these, tokens of slots that software freed
        self._over_credit = False  # a packet was dropped for want of a slot since all was quiet
        self.type2: deque[Multicast] = deque()
        self.type2_held = 0
        self._type2_tokens: deque[Must] = deque()
        self._type2_early = 0
        self._type2_reminder = False
        self._arrived: deque[Arrived] = deque()
        self._unfit = 0  # packets dropped for want of room since all was quiet
        self._told = 0  # overflows
        self._other = 0  # packets that may have been dropped for another reason, or overflowed
        self._dropped: deque[Refused] = deque(maxlen=64)
        self.last_accept = -1  #: when (ps) the last packet settled in a slot

    # -- TX_S -------------------------------------------------------------------------------------

    def packet(self, event: FrameIn) -> None:
        """The client gave a packet."""
        number, fack, etype, group = event.user
        if len(event.data) < SHORTEST:
            self._ctx.rules.observe("RCL-023")
        if etype == ports.ETYPE_TYPE1:
            self._type1(event, number, bool(fack))
        elif etype == ports.ETYPE_TYPE2:
            self._multicast(event, group)
        else:
            self._drop(event.data, "RCL-118", "a reserved packet type")

    def _type1(self, event: FrameIn, number: int, fack: bool) -> None:
        ctx = self._ctx
        qp = self._shared.qp(number)
        if qp is None:
            ctx.rules.inconclusive(f"a packet for QP {number}, which the build does not have")
            return
        qp.scope.note(ctx.now, "in", f"packet of {len(event.data)} bytes")
        if len(event.data) > ctx.device.type1_len:
            ctx.messages.owe(TX_OVERSIZE, number, ctx.now)
            self._drop_type1(qp, event.data, "RCL-119", "a packet that is too long")
            self._owe_anonymous("RCL-119", "a packet that was too long")
        elif qp.moving() and qp.former is not None and qp.former.enabled != qp.config.enabled:
            ctx.rules.inconclusive(f"a packet for QP {number} while it is enabled or disabled")
        elif not qp.config.enabled:
            ctx.messages.owe(TX_DISABLED, number, ctx.now)
            self._drop_type1(qp, event.data, "RCL-120", "its queue pair is disabled")
            self._owe_anonymous("RCL-120", "a packet for a disabled queue pair")
        elif self.held >= self._slots:
            if self._shared.book.open < self._slots:
                ctx.rules.inconclusive("a packet without a token while a slot is being freed")
                return
            ctx.messages.owe(OVER_CREDIT, number, ctx.now)
            self._drop_type1(qp, event.data, "RCL-118", "no slot is free")
            self._over_credit = True
        else:
            self.held += 1
            self.last_accept = event.settled
            qp.sending.accept(event.data, fack, event.settled)

    def _multicast(self, event: FrameIn, group: int) -> None:
        ctx = self._ctx
        if len(event.data) > ctx.device.type2_len:
            ctx.messages.owe(TYPE2_TX, None, ctx.now, "RCL-119", T2_OVERSIZE_BIT)
            self._drop(event.data, "RCL-119", "a packet that is too long")
            self._owe_type2("RCL-119")
            self.type2_held += 1
        elif self.type2_held >= self._type2_slots:
            if len(self.type2) < self._type2_slots:
                ctx.rules.inconclusive("a TYPE2 packet without a token while a slot is being freed")
                return
            ctx.messages.owe(TYPE2_TX, None, ctx.now, "RCL-118", T2_OVER_CREDIT_BIT)
            self._drop(event.data, "RCL-118", "no slot is free")
        else:
            self.type2_held += 1
            self.type2.append(Multicast(event.data, group, ctx.clock_at(event.settled)))
            self.type2_due()

    def _drop_type1(self, qp: Qp, payload: bytes, rule: str, why: str) -> None:
        qp.sending.state.drops += 1
        self._drop(payload, rule, why)

    def _drop(self, payload: bytes, rule: str, why: str) -> None:
        """The DUT has to drop a packet of the client."""
        self._dropped.append(Refused(payload, rule, why))
        self._ctx.rules.tempt(rule, MAC_PATH)
        self._ctx.rules.tempt("RCL-124", MAC_PATH)

    def dropped_with(self, payload: bytes) -> Refused | None:
        """Return the dropped packet with these bytes."""
        return next((entry for entry in self._dropped if entry.payload == payload), None)

    def type2_due(self) -> None:
        """Owe TYPE2 frames while some wait and the rate permits."""
        gates, rate, ctx = self._shared.gates, self._rates.type2, self._ctx
        if not self.type2:
            gates.backlog(Flow.TYPE2, False)
            return
        open_now = rate.open_certainly()
        gates.backlog(Flow.TYPE2, open_now)
        at = rate.opens_at()
        if not open_now and at is not None and not self._type2_reminder:
            self._type2_reminder = True
            ctx.deadlines.call_at(max(at, ctx.now), self._type2_again)

    def _type2_again(self) -> None:
        self._type2_reminder = False
        self._ctx.now = max(self._ctx.now, self._ctx.rules.now)
        self.type2_due()

    # -- tokens -----------------------------------------------------------------------------------

    def _owe_anonymous(self, rule: str, why: str) -> None:
        ctx = self._ctx
        what = "a token without a number"
        self._anonymous.append(ctx.deadlines.must(rule, what, why, ctx.client, ctx.liveness()))

    def flushed(self, tokens: int, freed: list[bytes]) -> None:
        """free_buf_set freed ``tokens`` slots; the packets ``freed`` must not be sent any more."""
        why = "its slot was freed by software"
        self._dropped.extend(Refused(payload, "RCL-055", why) for payload in freed)
        for _ in range(tokens):
            self._owe_anonymous("RCL-055", "a slot was freed by software")
        self._freed += tokens

    def _owe_type2(self, rule: str) -> None:
        ctx = self._ctx
        if self._type2_early and rule == "RCL-062":
            self._type2_early -= 1
            ctx.rules.met(rule, "a token for a sent packet", ctx.client)
            return
        what, why = "a TYPE2 token", "its packet was sent or dropped"
        self._type2_tokens.append(ctx.deadlines.must(rule, what, why, ctx.client, ctx.liveness()))

    def tokens(self, bits: int, number: int, named: int) -> None:
        """Judge a beat of the token port."""
        ctx = self._ctx
        if bits & ~(ports.TOKEN_TYPE1 | ports.TOKEN_TYPE2):
            ctx.rules.fail("RCL-041", "bits [2:1] = 0", bits, "token port", ctx.client)
        if bits & ports.TOKEN_TYPE2:
            self._type2_token()
        if not bits & ports.TOKEN_TYPE1:
            return
        if not named:
            if self._anonymous:
                ctx.deadlines.meet(self._next_anonymous())
            elif self._over_credit:
                why = "a packet without a slot returns no token"
                ctx.rules.fail("RCL-118", "no token", "a token without a number", why, ctx.client)
            else:
                why = "no dropped packet, no freed slot"
                ctx.rules.fail("RCL-041", "a token with a number", "without", why, ctx.client)
            return
        qp = self._shared.qp(number)
        if qp is None:
            ctx.rules.fail("RCL-041", "a queue pair of the build", number, "token port", ctx.client)
        elif self._anonymous and not qp.requester.tokens.returns:
            duty = self._next_anonymous()
            ctx.rules.fail(duty.rule, duty.expected, f"token of QP {number}", duty.why, ctx.client)
            ctx.deadlines.void(duty)
        elif qp.requester.tokens.came_back():
            self.held -= 1

    def _next_anonymous(self) -> Must:
        """Take the oldest token owed without a number."""
        if self._freed:
            self._freed -= 1
            self.held -= 1
        return self._anonymous.popleft()

    def _type2_token(self) -> None:
        ctx = self._ctx
        if self._type2_tokens:
            ctx.deadlines.meet(self._type2_tokens.popleft())
        elif self._type2_early < len(self.type2):
            self._type2_early += 1
        else:
            ctx.rules.fail("RCL-062", "no token", "a TYPE2 token", "no packet was sent", ctx.client)
            return
        self.type2_held -= 1

    def type2_left(self, entry: Multicast) -> None:
        """A TYPE2 packet leaves."""
        self.type2.remove(entry)
        self._owe_type2("RCL-062")
        self.type2_due()

    # -- RX_M -------------------------------------------------------------------------------------

    def arrive(self, payload: bytes, source: int, qp: int, etype: int, rule: str, sure: bool = True) -> None:
        """A TYPE2 or LITE packet arrived that the client gets (``sure`` False: or it is dropped)."""
        ctx, buffers = self._ctx, self._shared.buffers
        full = False
        if etype == ports.ETYPE_TYPE2:
            buffers.enter(Flow.TYPE2, len(payload))
            entries = buffers.entries(Flow.TYPE2)
            if entries + len(self._arrived) > self._type2_depth:
                full, sure = sure, False
                self._other += not full
                ctx.messages.owe(TYPE2_RX_OVERFLOW, None, ctx.now, sure=False)
        else:
            buffers.enter(ctx.device.bank(qp), len(payload))
        duty = None
        if sure:
            what = f"{len(payload)} bytes"
            duty = ctx.deadlines.must(rule, what, "a packet for the client", ctx.client, ctx.liveness())
        self._arrived.append(Arrived(payload, source, qp, etype, rule, duty, full))

    def overflow_told(self) -> None:
        """A message reported a received packet without room."""
        self._told += 1

    def delivered(self, event: FrameOut) -> None:
        """Judge a packet on RX_M."""
        ctx = self._ctx
        number, etype, length, source = event.user
        stall = event.settled - event.begin - (-(-len(event.data) // self._beat) - 1) * ctx.timing.period
        if stall > 0:
            ctx.hold("rx_m", event.begin, True, mac=False)
            ctx.deadlines.call_at(event.settled, lambda: ctx.hold("rx_m", event.settled, False, mac=False))
            ctx.rules.passed(("RCL-035",), ctx.client)  # it had to wait: a change meanwhile is an event
        if etype == ports.ETYPE_TYPE1 and not ctx.device.lite:
            self._delivered_type1(event, number, length, source)
            return
        self._delivered_other(event, number, etype, length, source)

    def _delivered_type1(self, event: FrameOut, number: int, length: int, source: int) -> None:
        ctx = self._ctx
        qp = self._shared.qp(number)
        if qp is not None:
            qp.scope.note(ctx.now, "out", f"delivery of {len(event.data)} bytes")
            waiting = qp.responder.deliveries or qp.responder.doubts
            if waiting or self._owner(event.data) is None:
                qp.responder.deliver(event.data, length, source)
                return
        owner = self._owner(event.data)
        if owner is not None:
            ctx.rules.fail("RCL-138", f"QP {owner.number}", f"QP {number}", "local QPID", owner.scope)
            owner.responder.deliver(event.data, length, source)
        else:
            ctx.rules.fail("RCL-138", "a queue pair of the build", number, "local QPID", ctx.client)

    def _owner(self, payload: bytes) -> Qp | None:
        """Return the queue pair whose next delivery has these bytes (looked for only after a deviation)."""
        for qp in self._shared.qps.values():
            if qp.responder.deliveries and qp.responder.deliveries[0].payload == payload:
                return qp
        return None

    def _delivered_other(self, event: FrameOut, number: int, etype: int, length: int, source: int) -> None:
        ctx, rules = self._ctx, self._ctx.rules
        entry = self._match(event.data, etype)
        if entry is None:
            refused = ctx.refused_with(event.data)
            rule, why = (refused.rule, refused.why) if refused else ("RCL-138", "nothing to deliver")
            if etype == ports.ETYPE_TYPE1:
                rule = rule if refused else "RCL-105"
            expected: bytes | str = "no packet"
            owed = next((entry for entry in self._arrived if entry.etype == etype and entry.duty), None)
            if owed is not None and not refused:
                rule, expected, why = "RCL-138", owed.payload, "payload bytes"
                self._arrived.remove(owed)
                self._gone(owed)
                ctx.deadlines.void(owed.duty)
            rules.fail(rule, expected, event.data, why, ctx.client)
            return
        while self._arrived[0] is not entry and self._arrived[0].duty is None:
            self._lost(self._arrived[0])
        self._arrived.remove(entry)
        self._gone(entry)
        ctx.handed_over(entry.duty)
        good = rules.eq("RCL-034", len(event.data), length, "TYPE1_2_RX_M_LEN_O", ctx.client)
        good &= rules.eq("RCL-034", entry.source, source, "TYPE1_2_RX_M_SA_O", ctx.client)
        if etype != entry.etype:
            rule = "RCL-106" if ctx.device.lite else "RCL-138"
            rules.fail(rule, entry.etype, etype, "TYPE1_2_RX_M_ETYPE_O", ctx.client)
        elif number != entry.qp:
            rule = "RCL-105" if entry.etype == ports.ETYPE_TYPE1 else "RCL-138"
            rules.fail(rule, entry.qp, number, "TYPE1_2_RX_M_QPID_O", ctx.client)
        elif good:
            rules.passed((entry.rule, "RCL-138"), ctx.client)
        rules.alive(CLIENT_PATH)

    def _match(self, payload: bytes, etype: int) -> Arrived | None:
        """Return the oldest packet with these bytes, of this type if there is one."""
        same = [entry for entry in self._arrived if entry.payload == payload]
        return next((entry for entry in same if entry.etype == etype), same[0] if same else None)

    def holds(self, flow: Flow) -> bool:
        """Return whether a packet of ``flow`` certainly waits for the client."""
        if flow is Flow.TYPE2:
            return any(entry.duty for entry in self._arrived if entry.etype == ports.ETYPE_TYPE2)
        return self._shared.buffers.entries(flow) > 0

    def _gone(self, entry: Arrived) -> None:
        flow = Flow.TYPE2 if entry.etype == ports.ETYPE_TYPE2 else self._ctx.device.bank(entry.qp)
        self._shared.buffers.leave(flow, len(entry.payload))

    def _lost(self, entry: Arrived) -> None:
        """A packet that might be dropped was."""
        self._arrived.remove(entry)
        self._gone(entry)
        self._unfit += entry.full

    def quiet(self) -> None:
        """Nothing is under way: what may have been dropped and did not show was."""
        for entry in [entry for entry in self._arrived if entry.duty is None]:
            self._lost(entry)
        if self._unfit or self._told:
            why, most = "packets without room are dropped and reported, one by one", self._unfit + self._other
            self._ctx.rules.in_range("RCL-121", self._unfit, most, self._told, why, self._ctx.messages.scope)
        self._unfit = self._told = self._other = 0
        self._over_credit = False

    @property
    def free(self) -> tuple[int, int]:
        """Least and largest number of free TYPE1 slots."""
        return self._slots - self.held, self._slots - self._shared.book.open
