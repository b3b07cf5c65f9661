"""Sending half of an RC endpoint: window, acknowledgement, go-back-N, RNR wait, timeout.

Rules: IBTA volume 1 sections 9.7.5 (acknowledgement and retry) and 9.9.2 (requester errors).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

from ref_model.errors import UserError
from ref_model.rocev2.endpoint.config import AckRequest, EndpointConfig, remember
from ref_model.rocev2.endpoint.frames import (
    NAK_ACCESS,
    NAK_INVALID,
    NAK_OPERATION,
    NAK_SEQUENCE,
    envelope,
)
from ref_model.rocev2.psn import PSN_HALF, psn_add, psn_distance
from ref_model.rocev2.rnr import rnr_wait_ps
from ref_model.rocev2.segment import Segment, Verb, segment
from ref_model.wire import Bth, Frame, Reth, build


class Status(Enum):
    """How a request ended."""

    OK = "ok"
    RETRY_EXCEEDED = "retry_exceeded"
    RNR_EXCEEDED = "rnr_exceeded"
    REMOTE_INVALID = "remote_invalid"
    REMOTE_ACCESS = "remote_access"
    REMOTE_OPERATION = "remote_operation"
    FLUSHED = "flushed"


_FATAL = {
    NAK_INVALID: Status.REMOTE_INVALID,
    NAK_ACCESS: Status.REMOTE_ACCESS,
    NAK_OPERATION: Status.REMOTE_OPERATION,
}


@dataclass(slots=True)
class Request:
    """One posted message. ``value`` is the immediate word or the key to invalidate (32 bits)."""

    number: int
    verb: Verb
    payload: bytes
    va: int = 0
    rkey: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """End of request ``number`` at ``time_ps``."""

    number: int
    verb: Verb
    status: Status
    time_ps: int


@dataclass(slots=True)
class _Packet:
    psn: int
    request: Request
    part: Segment
    sent: int = 0


class Requester:
    """Requests out, responses in. Driven by time: nothing happens outside its methods."""

    def __init__(self, config: EndpointConfig) -> None:
        """Start with an empty queue at the configured first PSN."""
        self.config = config
        self.completions: list[Completion] = []
        self.resent = 0
        self.timeouts = 0
        self.failed = False
        self._psn = config.first_psn
        self._posted = 0
        self._waiting: deque[Request] = deque()
        self._parts: deque[tuple[Request, Segment]] = deque()
        self._flight: list[_Packet] = []
        self._next = 0
        self._sent = 0
        self._wait_until = 0
        self._deadline: int | None = None
        self._retries = 0
        self._rnr_retries = 0

    @property
    def next_psn(self) -> int:
        """PSN of the next packet that has never been sent."""
        return self._psn

    @property
    def idle(self) -> bool:
        """True when every posted request has ended."""
        return not (self._flight or self._parts or self._waiting)

    def post(self, verb: Verb, payload: bytes, va: int = 0, rkey: int = 0, value: int = 0) -> int:
        """Queue a message and return its number (0, 1, ...). Raises UserError for a READ."""
        if verb is Verb.READ:
            raise UserError("endpoint: READ requests are not supported by the endpoint yet")
        request = Request(self._posted, verb, bytes(payload), va, rkey, value)
        self._posted += 1
        self._waiting.append(request)
        return request.number

    def outstanding(self, psn: int) -> bool:
        """True when ``psn`` was sent and is not acknowledged."""
        return bool(self._flight) and psn_distance(self._flight[0].psn, psn) < self._sent

    def acknowledge(self, now: int, psn: int, syndrome: int) -> None:
        """Take an ACK or NAK for ``psn``; anything that is not outstanding is a ghost and ignored."""
        if self.failed or not self.outstanding(psn):
            return
        index = psn_distance(self._flight[0].psn, psn)
        kind = syndrome >> 5
        if kind == 0:
            self._retire(now, index + 1)
            return
        if kind == 1:
            self._retire(now, index)
            self._rnr(now, syndrome & 0x1F)
        elif syndrome == NAK_SEQUENCE:
            self._retire(now, index)
            self._rewind(now)
        elif syndrome in _FATAL:
            self._retire(now, index)
            self._fail(now, _FATAL[syndrome])

    def poll(self, now: int) -> list[bytes]:
        """Frames to send now, timeouts included."""
        if self.failed:
            return []
        if self._deadline is not None and now >= self._deadline:
            self._expire(now)
            if self.failed:
                return []
        if now < self._wait_until:
            return []
        frames = []
        while self._next < self.config.window:
            if self._next == len(self._flight) and not self._cut_next():
                break
            packet = self._flight[self._next]
            frames.append(build(self._frame(packet)))
            if packet.sent:
                self.resent += 1
            packet.sent += 1
            self._next += 1
            self._sent = max(self._sent, self._next)
        if frames:
            self._deadline = now + self.config.timeout_ps
        return frames

    def next_deadline(self) -> int | None:
        """Earliest time at which poll() may have something to do, None when only an input can change that."""
        if self.failed or self.idle:
            return None
        if not self._flight:
            return self._wait_until
        if self._next < min(len(self._flight), self.config.window):
            return self._wait_until
        return self._deadline

    def _cut_next(self) -> bool:
        """Append the next never-sent packet to the flight; False when there is none."""
        if not self._parts:
            if not self._waiting:
                return False
            request = self._waiting.popleft()
            cut = segment(request.verb, len(request.payload), self.config.pmtu)
            self._parts.extend((request, part) for part in cut)
        request, part = self._parts.popleft()
        self._flight.append(_Packet(self._psn, request, part))
        self._psn = psn_add(self._psn, 1)
        return True

    def _wants_ack(self, packet: _Packet) -> bool:
        """A bit of a packet: by policy; the last one the window lets out always asks, or it could hang."""
        policy = self.config.ack_request
        if policy is AckRequest.NEVER:
            return False
        return policy is AckRequest.ALL or packet.part.last or self._next == self.config.window - 1

    def _frame(self, packet: _Packet) -> Frame:
        request, part = packet.request, packet.part
        bth = Bth(
            opcode=part.opcode,
            dest_qp=self.config.peer_qp,
            psn=packet.psn,
            pkey=self.config.pkey,
            ack_req=self._wants_ack(packet),
        )
        frame = envelope(self.config, bth)
        frame.payload = request.payload[part.offset : part.offset + part.length]
        if request.verb.is_write and part.first:
            frame.reth = Reth(va=request.va, rkey=request.rkey, length=len(request.payload))
        if part.last and request.verb.has_immediate:
            frame.immdt = request.value
        if part.last and request.verb.has_invalidate:
            frame.ieth = request.value
        return frame

    def _retire(self, now: int, count: int) -> None:
        if not count:
            return
        done, self._flight = self._flight[:count], self._flight[count:]
        self._next = max(0, self._next - count)
        self._sent -= count
        self._retries = self._rnr_retries = 0
        self._deadline = now + self.config.timeout_ps if self._flight else None
        for packet in done:
            if packet.part.last:
                self._complete(now, packet.request, Status.OK)

    def _rewind(self, now: int) -> None:
        self._next = 0
        self._deadline = now + self.config.timeout_ps

    def _rnr(self, now: int, code: int) -> None:
        self._rnr_retries += 1
        if self.config.rnr_retry_limit < 7 and self._rnr_retries > self.config.rnr_retry_limit:
            self._fail(now, Status.RNR_EXCEEDED)
            return
        self._rewind(now)
        self._wait_until = now + rnr_wait_ps(code)
        self._deadline = self._wait_until + self.config.timeout_ps

    def _expire(self, now: int) -> None:
        if not self._flight:
            self._deadline = None
            return
        self.timeouts += 1
        self._retries += 1
        if self.config.retry_limit < 7 and self._retries > self.config.retry_limit:
            self._fail(now, Status.RETRY_EXCEEDED)
            return
        self._rewind(now)

    def _fail(self, now: int, status: Status) -> None:
        """End the oldest request with ``status`` and flush all others."""
        self.failed = True
        self._deadline = None
        owed: list[Request] = []
        for packet in self._flight:
            if not owed or owed[-1] is not packet.request:
                owed.append(packet.request)
        if self._parts and (not owed or owed[-1] is not self._parts[0][0]):
            owed.append(self._parts[0][0])
        owed.extend(self._waiting)
        for request in owed:
            self._complete(now, request, status)
            status = Status.FLUSHED
        self._flight.clear()
        self._parts.clear()
        self._waiting.clear()
        self._next = self._sent = 0

    def _complete(self, now: int, request: Request, status: Status) -> None:
        ended = Completion(request.number, request.verb, status, now)
        remember(self.completions, ended, self.config.history)


MAX_WINDOW = PSN_HALF - 1
"""Largest sensible window: beyond it old and new packets cannot be told apart."""
