"""Sending half of an RC endpoint: window, acknowledgement, go-back-N, RNR wait, timeout.

Rules: IBTA volume 1 sections 9.7.5 (acknowledgement and retry) and 9.9.2 (requester errors).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from ref_model.rocev2.endpoint.config import AckRequest, EndpointConfig, ReadRetry, remember
from ref_model.rocev2.endpoint.frames import (
    NAK_ACCESS,
    NAK_INVALID,
    NAK_OPERATION,
    NAK_SEQUENCE,
    envelope,
)
from ref_model.rocev2.psn import PSN_HALF, psn_add, psn_distance
from ref_model.rocev2.rnr import rnr_wait_ps
from ref_model.rocev2.segment import Segment, Verb, response_count, response_segment, segment
from ref_model.wire import Bth, Frame, Reth, build, opcodes


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
    """One posted message. ``value`` is the immediate word or the key to invalidate (32 bits).

    A READ carries its ``length`` in bytes, collects its ``data``, and knows its ``first_psn`` and the
    response (by index) its latest request ``asked_from``.
    """

    number: int
    verb: Verb
    payload: bytes
    va: int = 0
    rkey: int = 0
    value: int = 0
    length: int = 0
    data: bytearray = field(default_factory=bytearray)
    first_psn: int = 0
    asked_from: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """End of request ``number`` at ``time_ps``; ``data`` is what a READ has fetched."""

    number: int
    verb: Verb
    status: Status
    time_ps: int
    data: bytes = b""


@dataclass(slots=True)
class _Packet:
    """One PSN that waits for its acknowledgement; of a READ, one of its responses."""

    psn: int
    request: Request
    part: Segment
    sent: int = 0


class Requester:
    """Requests out, responses in. Driven by time: nothing happens outside its methods.

    ``on_read_data(request, offset, data)`` is told each piece of READ data as it is taken; ``bad_responses``
    counts READ responses of wrong opcode or size.
    """

    def __init__(self, config: EndpointConfig) -> None:
        """Start with an empty queue at the configured first PSN."""
        self.config = config
        self.completions: list[Completion] = []
        self.resent = 0
        self.timeouts = 0
        self.bad_responses = 0
        self.failed = False
        self.on_read_data: Callable[[Request, int, bytes], None] | None = None
        self._asked_again = False
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
        """Queue a message and return its number (0, 1, ...)."""
        return self._queue(Request(self._posted, verb, bytes(payload), va, rkey, value, len(payload)))

    def post_read(self, va: int, rkey: int, length: int) -> int:
        """Queue a READ of ``length`` bytes and return its number."""
        return self._queue(Request(self._posted, Verb.READ, b"", va, rkey, 0, length))

    def _queue(self, request: Request) -> int:
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
        missing = self._missing(index + (syndrome >> 5 == 0))
        if missing is not None:
            # the peer answered something behind a READ whose responses did not all come
            self._retire(now, missing)
            if syndrome in _FATAL:
                self._fail(now, _FATAL[syndrome])
            else:
                self._ask_again(now)
            return
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

    def read_response(self, now: int, frame: Frame) -> None:
        """Take a READ response; one that is not the next of the oldest open READ is ignored."""
        bth = frame.bth
        if self.failed or bth is None or not self.outstanding(bth.psn):
            return
        index = psn_distance(self._flight[0].psn, bth.psn)
        packet = self._flight[index]
        missing = self._missing(index)
        if missing is not None:
            self._retire(now, missing)
            self._ask_again(now)
            return
        request, part = packet.request, packet.part
        if request.verb is not Verb.READ:
            return
        due = response_segment(
            request.length, self.config.pmtu, part.offset // self.config.pmtu, request.asked_from
        )
        if bth.opcode != due.opcode or len(frame.payload) != due.length:
            self.bad_responses += 1
            return
        if self.on_read_data is not None:
            self.on_read_data(request, part.offset, frame.payload)
        request.data += frame.payload
        self._retire(now, index + 1)

    def _missing(self, count: int) -> int | None:
        """Index of the first READ response among the oldest ``count`` packets, None when there is none."""
        reads = (index for index in range(count) if self._flight[index].request.verb is Verb.READ)
        return next(reads, None)

    def _ask_again(self, now: int) -> None:
        """Responses are missing: resend from there, once until something arrives."""
        if self.config.read_gap_retry and not self._asked_again:
            self._asked_again = True
            self._rewind(now)

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
            if packet.request.verb is Verb.READ:
                if not self._may_read():
                    break
                frames.append(self._ask(packet))
                continue
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
            due = self._flight[self._next].request
            if due.verb is Verb.READ and not self._may_read():
                return self._deadline
            return self._wait_until
        return self._deadline

    def _cut_next(self) -> bool:
        """Append the next never-sent packet to the flight; False when there is none."""
        if not self._parts:
            if not self._waiting:
                return False
            request = self._waiting.popleft()
            if request.verb is Verb.READ:
                request.first_psn = self._psn
                for index in range(response_count(request.length, self.config.pmtu)):
                    answer = response_segment(request.length, self.config.pmtu, index)
                    self._flight.append(_Packet(self._psn, request, answer))
                    self._psn = psn_add(self._psn, 1)
                return True
            cut = segment(request.verb, len(request.payload), self.config.pmtu)
            self._parts.extend((request, part) for part in cut)
        request, part = self._parts.popleft()
        self._flight.append(_Packet(self._psn, request, part))
        self._psn = psn_add(self._psn, 1)
        return True

    def _may_read(self) -> bool:
        """Whether the peer has room for one more READ request beside those it still answers."""
        before = {
            id(entry.request) for entry in self._flight[: self._next] if entry.request.verb is Verb.READ
        }
        return len(before) < self.config.read_depth

    def _ask(self, packet: _Packet) -> bytes:
        """The request for the responses of a READ from ``packet`` on, which takes all their PSNs."""
        request = packet.request
        start = packet.part.offset // self.config.pmtu
        self._next += response_count(request.length, self.config.pmtu) - start
        if packet.sent:
            self.resent += 1
            if self.config.read_retry is ReadRetry.WHOLE:
                start = 0
        request.asked_from = start
        for entry in self._flight:
            if entry.request is request:
                entry.sent += 1
        self._sent = max(self._sent, self._next)
        done = start * self.config.pmtu
        psn = psn_add(request.first_psn, start)
        bth = Bth(opcodes.READ_REQUEST, self.config.peer_qp, psn, self.config.pkey)
        frame = envelope(self.config, bth)
        frame.reth = Reth(request.va + done & (1 << 64) - 1, request.rkey, request.length - done)
        return build(frame)

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
        self._asked_again = False
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
        ended = Completion(request.number, request.verb, status, now, bytes(request.data))
        remember(self.completions, ended, self.config.history)


MAX_WINDOW = PSN_HALF - 1
"""Largest sensible window: beyond it old and new packets cannot be told apart."""
