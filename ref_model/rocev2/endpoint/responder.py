"""Receiving half of an RC endpoint: order, duplicates, NAKs, receive space, acknowledgement.

Rules: IBTA volume 1 sections 9.7.4 (responder validation), 9.7.5 (acknowledgement) and 9.9.3 (responder
errors).
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ref_model.rocev2.endpoint.config import AckMode, EndpointConfig, remember
from ref_model.rocev2.endpoint.frames import (
    NAK_ACCESS,
    NAK_INVALID,
    NAK_OPERATION,
    NAK_SEQUENCE,
    RNR_BASE,
    acknowledge,
    envelope,
)
from ref_model.rocev2.psn import PSN_MASK, psn_add, psn_diff
from ref_model.rocev2.segment import response_count, response_segment
from ref_model.wire import Aeth, Bth, Frame, Reth, build
from ref_model.wire.opcodes import INFO, OpInfo


@dataclass(frozen=True, slots=True)
class Received:
    """One message taken in whole. ``kind`` is "send" or "write"; ``immediate`` and ``invalidate`` are 32-bit
    words.
    """

    kind: str
    payload: bytes
    last_psn: int
    va: int = 0
    rkey: int = 0
    immediate: int | None = None
    invalidate: int | None = None


@dataclass(slots=True)
class _Open:
    """The message being received."""

    kind: str
    va: int
    rkey: int
    length: int | None
    parts: list[bytes] = field(default_factory=list)
    got: int = 0


def _always() -> bool:
    return True


def _any_access(va: int, rkey: int, length: int) -> bool:
    return True


def pattern(va: int, length: int) -> bytes:
    """Bytes that tell their address: what a peer without a memory of its own has from ``va`` on.

    64 bytes from each multiple of 64 are the SHA-512 of the block number, so no other address fits.
    """
    first, last = va // 64, (va + length + 63) // 64
    blocks = (hashlib.sha512(number.to_bytes(9, "big")).digest() for number in range(first, last))
    return b"".join(blocks)[va - first * 64 :][:length]


class Responder:
    """Requests in, acknowledgements and READ responses out, both in the order of their requests.

    ``receive_available()`` says whether a SEND finds room (else RNR NAK); ``write_allowed(va, rkey,
    length)`` and ``read_allowed`` whether a WRITE or READ may touch that range (else NAK remote access). All
    default to yes. ``read_memory(va, length)`` supplies the data of READs.
    """

    def __init__(self, config: EndpointConfig) -> None:
        """Start at the configured expected PSN with no message open."""
        self.config = config
        self.expected_psn = config.expected_psn
        self.msn = 0
        self.failed = False
        self.duplicates = 0
        self.naks = 0
        self.received: list[Received] = []
        self.receive_available: Callable[[], bool] = _always
        self.write_allowed: Callable[[int, int, int], bool] = _any_access
        self.read_allowed: Callable[[int, int, int], bool] = _any_access
        self.read_memory: Callable[[int, int], bytes] = pattern
        self.reads = 0
        self.on_message: Callable[[Received], None] | None = None
        self._open: _Open | None = None
        self._gap_reported = False
        self._owed = 0
        self._ack_at: int | None = None
        self._last_plain = psn_add(config.expected_psn, -1)  # last SEND or WRITE packet accepted
        self._out: deque[tuple[int, bytes]] = deque()
        self._reads_open: deque[int] = deque()  # when (ps) the READs that wait here are answered
        self._now = 0

    def receive(self, now: int, frame: Frame) -> None:
        """Take one request frame that passed the address checks."""
        bth = frame.bth
        if self.failed or bth is None:
            return
        self._now = now
        distance = psn_diff(bth.psn, self.expected_psn)
        if distance > 0:
            if not self._gap_reported:
                self._gap_reported = True
                self._answer(NAK_SEQUENCE, self.expected_psn)
            return
        if distance < 0:
            self.duplicates += 1
            info = INFO.get(bth.opcode)
            if info is not None and info.kind == "read_req":
                self._repeat(now, bth.psn, frame.reth)
            elif self.config.ack_policy.mode is AckMode.HOLD:
                self._owed += 1
            else:
                self._acknowledge()
            return
        info = INFO.get(bth.opcode)
        problem = self._problem(frame, info)
        if problem is not None:
            self.refuse(now, problem)
            return
        assert info is not None
        if info.kind == "read_req":
            self._read(now, bth.psn, frame.reth)
            return
        self._accept(frame, info)
        self._schedule(now, bth.ack_req)

    def refuse(self, now: int, syndrome: int) -> None:
        """Answer the expected packet with NAK ``syndrome`` (8 bits) as if it had failed that check."""
        self._now = now
        self._answer(syndrome, self.expected_psn)
        self._owed = 0
        self._ack_at = None
        if syndrome in (NAK_INVALID, NAK_ACCESS, NAK_OPERATION):
            self.failed = True
        else:
            self._gap_reported = True

    def release(self, now: int) -> None:
        """Acknowledge everything accepted so far, whatever the policy."""
        if self._owed:
            self._ack_at = self._now = now

    def poll(self, now: int) -> list[bytes]:
        """Acknowledgements to send now."""
        self._now = now
        if self._ack_at is not None and now >= self._ack_at:
            self._acknowledge()
        out = []
        while self._out and self._out[0][0] <= now:
            out.append(self._out.popleft()[1])
        return out

    def next_deadline(self) -> int | None:
        """Time of the next delayed ACK, None when none is planned."""
        times = [self._out[0][0]] if self._out else []
        if self._ack_at is not None:
            times.append(self._ack_at)
        return min(times, default=None)

    def _problem(self, frame: Frame, info: OpInfo | None) -> int | None:
        """Syndrome of the NAK the expected request deserves, None when it is good."""
        if info is not None and info.kind == "read_req" and self._open is None and frame.reth is not None:
            return self._read_problem(frame.reth)
        if info is None or info.kind not in ("send", "write"):
            return NAK_INVALID
        size, pmtu = len(frame.payload), self.config.pmtu
        current = self._open
        if current is None:
            if not info.first:
                return NAK_INVALID
        elif info.first or info.kind != current.kind:
            return NAK_INVALID
        if size > pmtu or (not info.last and size != pmtu) or (not info.first and size == 0):
            return NAK_INVALID
        if info.kind == "send":
            if info.first and not self.receive_available():
                return RNR_BASE | self.config.rnr_code
            return None
        if info.first:
            if frame.reth is None:
                return NAK_INVALID
            total, got = frame.reth.length, size
            if total and not self.write_allowed(frame.reth.va, frame.reth.rkey, total):
                return NAK_ACCESS
        else:
            assert current is not None and current.length is not None
            total, got = current.length, current.got + size
        if (info.last and got != total) or (not info.last and got >= total):
            return NAK_INVALID
        return None

    def _read_problem(self, reth: Reth) -> int | None:
        while self._reads_open and self._reads_open[0] <= self._now:
            self._reads_open.popleft()
        if len(self._reads_open) >= self.config.read_depth:
            return NAK_INVALID
        if reth.length and not self.read_allowed(reth.va, reth.rkey, reth.length):
            return NAK_ACCESS
        return None

    def _read(self, now: int, psn: int, reth: Reth | None) -> None:
        """Execute a READ in order: it takes a PSN per response, and these acknowledge all before it."""
        assert reth is not None
        self.expected_psn = psn_add(psn, response_count(reth.length, self.config.pmtu))
        self._gap_reported = False
        self.msn = (self.msn + 1) & PSN_MASK
        self.reads += 1
        self._owed = 0
        self._ack_at = None
        self._respond(now, psn, reth)

    def _repeat(self, now: int, psn: int, reth: Reth | None) -> None:
        """Execute a READ again, whole or from a later response on; one that never was is ignored."""
        if reth is None:
            return
        end = psn_add(psn, response_count(reth.length, self.config.pmtu))
        allowed = not reth.length or self.read_allowed(reth.va, reth.rkey, reth.length)
        if psn_diff(end, self.expected_psn) <= 0 and allowed:
            self._respond(now, psn, reth)

    def _respond(self, now: int, psn: int, reth: Reth) -> None:
        """Queue the responses of a READ; the data is that of now."""
        config = self.config
        data = self.read_memory(reth.va, reth.length) if reth.length else b""
        due = now + config.read_delay_ps
        if config.read_delay_ps:
            self._reads_open.append(due)
        for index in range(response_count(reth.length, config.pmtu)):
            part = response_segment(reth.length, config.pmtu, index)
            frame = envelope(config, Bth(part.opcode, config.peer_qp, psn_add(psn, index), config.pkey))
            if part.first or part.last:
                frame.aeth = Aeth(config.credit, self.msn)
            frame.payload = data[part.offset : part.offset + part.length]
            self._put(due, build(frame))

    def _put(self, due: int, data: bytes) -> None:
        """Queue an answer for ``due``, never before an earlier one."""
        if self._out:
            due = max(due, self._out[-1][0])
        self._out.append((due, data))

    def _accept(self, frame: Frame, info: OpInfo) -> None:
        self._last_plain = self.expected_psn
        self.expected_psn = psn_add(self.expected_psn, 1)
        self._gap_reported = False
        if info.first:
            reth = frame.reth
            if reth is None:
                self._open = _Open(info.kind, 0, 0, None)
            else:
                self._open = _Open(info.kind, reth.va, reth.rkey, reth.length)
        current = self._open
        assert current is not None
        current.parts.append(frame.payload)
        current.got += len(frame.payload)
        if info.last:
            self._open = None
            self.msn = (self.msn + 1) & PSN_MASK
            message = Received(
                kind=info.kind,
                payload=b"".join(current.parts),
                last_psn=psn_add(self.expected_psn, -1),
                va=current.va,
                rkey=current.rkey,
                immediate=frame.immdt,
                invalidate=frame.ieth,
            )
            remember(self.received, message, self.config.history)
            if self.on_message is not None:
                self.on_message(message)

    def _schedule(self, now: int, asked: bool) -> None:
        """Plan the ACK of an accepted request by the policy."""
        policy = self.config.ack_policy
        if not asked and policy.mode is not AckMode.EVERY_PACKET:
            return
        self._owed += 1
        if policy.mode is AckMode.HOLD:
            return
        complete = policy.mode is AckMode.COALESCE and self._owed >= policy.count
        due = now if complete else now + policy.delay_ps
        self._ack_at = due if self._ack_at is None else min(self._ack_at, due)
        if self._ack_at <= now:
            self._acknowledge()

    def _acknowledge(self) -> None:
        """Send one ACK for everything accepted so far; READs are acknowledged by their responses."""
        self._ack_at = None
        self._owed = 0
        self._answer(self.config.credit, self._last_plain)

    def _answer(self, syndrome: int, psn: int) -> None:
        if syndrome >> 5:
            self.naks += 1
        self._put(self._now, build(acknowledge(self.config, psn, syndrome, self.msn)))
