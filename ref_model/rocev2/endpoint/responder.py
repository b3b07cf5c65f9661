"""Receiving half of an RC endpoint: order, duplicates, NAKs, receive space, acknowledgement.

Rules: IBTA volume 1 sections 9.7.4 (responder validation), 9.7.5 (acknowledgement) and 9.9.3 (responder
errors).
"""

from __future__ import annotations

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
)
from ref_model.rocev2.psn import PSN_MASK, psn_add, psn_diff
from ref_model.wire import Frame, build
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


class Responder:
    """Requests in, acknowledgements out.

    ``receive_available()`` says whether a SEND finds room (else RNR NAK); ``write_allowed(va, rkey,
    length)`` whether a WRITE may touch that range (else NAK remote access). Both default to yes.
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
        self.on_message: Callable[[Received], None] | None = None
        self._open: _Open | None = None
        self._gap_reported = False
        self._owed = 0
        self._ack_at: int | None = None
        self._out: list[bytes] = []

    def receive(self, now: int, frame: Frame) -> None:
        """Take one request frame that passed the address checks."""
        bth = frame.bth
        if self.failed or bth is None:
            return
        distance = psn_diff(bth.psn, self.expected_psn)
        if distance > 0:
            if not self._gap_reported:
                self._gap_reported = True
                self._answer(NAK_SEQUENCE, self.expected_psn)
            return
        if distance < 0:
            self.duplicates += 1
            if self.config.ack_policy.mode is AckMode.HOLD:
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
        self._accept(frame, info)
        self._schedule(now, bth.ack_req)

    def refuse(self, now: int, syndrome: int) -> None:
        """Answer the expected packet with NAK ``syndrome`` (8 bits) as if it had failed that check."""
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
            self._ack_at = now

    def poll(self, now: int) -> list[bytes]:
        """Acknowledgements to send now."""
        if self._ack_at is not None and now >= self._ack_at:
            self._acknowledge()
        out, self._out = self._out, []
        return out

    def next_deadline(self) -> int | None:
        """Time of the next delayed ACK, None when none is planned."""
        return 0 if self._out else self._ack_at

    def _problem(self, frame: Frame, info: OpInfo | None) -> int | None:
        """Syndrome of the NAK the expected request deserves, None when it is good."""
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

    def _accept(self, frame: Frame, info: OpInfo) -> None:
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
        """Send one ACK for everything accepted so far."""
        self._ack_at = None
        self._owed = 0
        self._answer(self.config.credit, psn_add(self.expected_psn, -1))

    def _answer(self, syndrome: int, psn: int) -> None:
        if syndrome >> 5:
            self.naks += 1
        self._out.append(build(acknowledge(self.config, psn, syndrome, self.msn)))
