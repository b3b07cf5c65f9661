"""Level ports: inputs that hold flows up, outputs that show what the DUT has in hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ref_model.rclink import ports
from ref_model.rclink.config import FLOWS

if TYPE_CHECKING:
    from ref_model.rclink.client import Client
    from ref_model.rclink.mac_out import MacOut
    from ref_model.rclink.nonr import RawEthernet
    from ref_model.rclink.qp import Shared

IDLE = 3


class Levels:
    """Last value of every level, and whether it is one the DUT may show."""

    def __init__(self, shared: Shared, client: Client, mac_out: MacOut, raw: RawEthernet) -> None:
        self._ctx = shared.ctx
        self._shared = shared
        self._client = client
        self._mac_out = mac_out
        self._raw = raw
        self.reset()

    def reset(self) -> None:
        """Nothing seen yet."""
        self._seen: dict[str, int] = {}
        self.given = False  #: something came that may be work, since reset ended

    def started(self, now: int) -> None:
        """Reset ends: in a moment the levels show a device without work, unless it gets some by then."""
        self.given = False
        self._ctx.deadlines.call_at(now + self._ctx.window, self._behind_reset)

    def _behind_reset(self) -> None:
        expected = {ports.OST_FREE: int(self._ctx.knobs["TYPE1_OST_N"]), ports.IDLE: IDLE}
        for port, value in expected.items():
            if port in self._seen and not self.given:
                why = f"{port} behind a reset"
                self._ctx.rules.eq("RCL-128", value, self._seen[port], why, self._ctx.client)

    def changed(self, port: str, value: int, now: int) -> None:
        """Judge the new ``value`` of ``port``; KeyError if there is no such port."""
        shared, ctx = self._shared, self._ctx
        self._seen[port] = value
        if port == ports.RX_PFC_REQ:
            shared.gates.pause(value, now)
        elif port == ports.FLOW_STOP:
            shared.buffers.client_stop(value, None, now)
        elif port == ports.TYPE2_PFC_REQ:
            shared.buffers.client_stop(None, value, now)
        elif port == ports.RC_INTR:
            ctx.messages.shown(value, now)
        elif port == ports.TX_PFC_REQ:
            shared.buffers.shown(value)
        elif port == ports.CBFC_CF:
            shared.gates.dfx = value
        elif port == ports.OST_FREE:
            self._free(value)
        elif port == ports.IDLE:
            self._idle(value)
        elif port == ports.TX_MAC_FREE:
            if value and self._mac_out.busy_until > now:
                ctx.rules.fail("RCL-137", "TX_MAC_FREE_O = 0", 1, "a frame is on its way", ctx.mac)
        elif port == ports.TX_WAIT_MAC_CRD:
            if value and self._mac_out.credits > ctx.timing.pipe_out // ctx.timing.period:
                ctx.rules.fail("RCL-093", "TX_WAIT_MAC_CRD_O = 0", 1, "MAC credits are left", ctx.mac)
        elif port == ports.MD_BUSY:
            self._raw.busy_level(value, now)
        elif port in (ports.NONR_INTR, ports.NONR_FAULT_INTR):
            self._raw.status.interrupt(port, value)
        else:
            raise KeyError(port)

    def _free(self, value: int) -> None:
        """Free slots are compared at quiet; before, slots fill and empty while the number is on its way."""
        if value > int(self._ctx.knobs["TYPE1_OST_N"]):
            what = self._ctx.knobs["TYPE1_OST_N"]
            self._ctx.rules.fail("RCL-060", what, value, "free TYPE1 slots", self._ctx.client)

    def _idle(self, value: int) -> None:
        """Idle is wrong if it is still shown a while later, with packets in hand that were there before."""
        ctx, shared, now = self._ctx, self._shared, self._ctx.now
        sending = shared.book.open > 0 or bool(shared.turns.waiting)
        busy = sending << 1 | any(self._client.holds(flow) for flow in FLOWS)
        if value & busy and not ctx.device.lite:
            ctx.deadlines.call_at(now + ctx.timing.reaction, lambda: self._still_idle(value & busy, now))

    def _still_idle(self, bits: int, since: int) -> None:
        ctx, shared = self._ctx, self._shared
        shown = self._seen[ports.IDLE] & bits
        why = "RCLINK_IDLE_O with work in hand"
        if shown & 2:
            self._idle_with_answers(since)
        if shown & 2 and shared.book.open and self._client.last_accept < since:
            ctx.rules.fail("RCL-129", "RCLINK_IDLE_O[1] = 0", 1, why, ctx.mac)
        elif shown & 1 and any(
            self._client.holds(flow) and shared.buffers.last_change(flow) < since for flow in FLOWS
        ):
            ctx.idle_claim = since  # wrong if such a packet still comes: it may have been dropped instead

    def _idle_with_answers(self, since: int) -> None:
        """Note idle for ACKs owed for requests that were delivered, and there before ``since`` (ps)."""
        for number, turn in self._shared.turns.waiting.items():
            if turn.idle is None and turn.since < since and not self._shared.qps[number].responder.deliveries:
                turn.idle = self._ctx.rules.now

    def quiet(self) -> None:
        """Nothing moves: every level has one right value."""
        ctx, shared = self._ctx, self._shared
        if ports.OST_FREE in self._seen:
            low, high = self._client.free
            seen = self._seen[ports.OST_FREE]
            if ctx.rules.in_range("RCL-060", low, high, seen, "free TYPE1 slots", ctx.client):
                ctx.rules.met("RCL-061", "slots are freed as the rules say", ctx.client, sure=low == high)
        idle = self._seen.get(ports.IDLE)
        if idle is not None and not shared.book.open and not self._client.type2 and not self._raw.holds:
            ctx.rules.eq("RCL-129", IDLE, idle, "RCLINK_IDLE_O at rest", ctx.mac)
        if ports.TX_MAC_FREE in self._seen and not shared.book.open:
            ctx.rules.eq("RCL-137", 1, self._seen[ports.TX_MAC_FREE], "TX_MAC_FREE_O at rest", ctx.mac)
        if ports.TX_WAIT_MAC_CRD in self._seen and self._mac_out.credits > 0:
            ctx.rules.eq("RCL-093", 0, self._seen[ports.TX_WAIT_MAC_CRD], "TX_WAIT_MAC_CRD_O", ctx.mac)
