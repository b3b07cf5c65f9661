"""Settings of an active RC endpoint."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from ref_model.errors import UserError
from ref_model.rocev2.psn import PSN_MASK
from ref_model.rocev2.segment import PMTUS


class AckRequest(Enum):
    """On which request packets the endpoint sets the A bit (the window's last packet always carries it)."""

    LAST = "last"
    ALL = "all"
    NEVER = "never"


class AckMode(Enum):
    """When the endpoint acknowledges accepted requests."""

    ON_REQUEST = "on_request"
    EVERY_PACKET = "every_packet"
    COALESCE = "coalesce"
    HOLD = "hold"


@dataclass(slots=True)
class AckPolicy:
    """How accepted requests are acknowledged.

    ``count`` (COALESCE) is the number of A-bit requests one ACK stands for; ``delay_ps`` postpones each ACK
    and, for COALESCE, bounds the wait for the rest of a group. HOLD sends nothing until
    ``Endpoint.release_acks``.

    Raises UserError for a group without a bound on the wait: its last members would never be acknowledged.
    """

    mode: AckMode = AckMode.ON_REQUEST
    count: int = 1
    delay_ps: int = 0

    def __post_init__(self) -> None:
        """Reject a coalescing policy that can hang."""
        if self.mode is AckMode.COALESCE and self.delay_ps <= 0:
            raise UserError("endpoint: ack policy coalesce needs delay_ps above 0")


class ReadRetry(Enum):
    """How the endpoint asks again for READ responses that are missing."""

    MISSING = "missing"  # the rest, at the PSN of the first missing response
    WHOLE = "whole"  # the whole READ, at its original PSN


T = TypeVar("T")


def remember(entries: list[T], entry: T, history: int) -> None:
    """Append ``entry``; of more than twice ``history`` entries the older half is forgotten (0: none ever)."""
    entries.append(entry)
    if history and len(entries) > 2 * history:
        del entries[:history]


@dataclass(slots=True)
class EndpointConfig:
    """Everything an endpoint must know about itself and its peer.

    MAC and IP addresses are integers, most significant byte first on the wire. PSNs are 24 bits. Times are
    picoseconds, ``window`` counts unacknowledged packets. ``first_psn`` numbers the first request packet
    sent, ``expected_psn`` is the first one expected from the peer. Limits of 7 mean: no limit. ``history``:
    how many received messages and completions stay listed at least (0: all).

    READ: ``read_depth`` bounds the READs outstanding at the peer and those the peer may have waiting here
    (one more is refused with NAK 0x61); ``read_delay_ps`` is the time from a READ request to its responses;
    ``read_retry`` and ``read_gap_retry`` (at once on a missing response, else after the timeout) choose how
    lost responses are repaired.

    Raises UserError when a value is outside its range.
    """

    qp: int
    peer_qp: int
    mac: int
    peer_mac: int
    ip: int
    peer_ip: int
    ip_version: int = 4
    udp_port: int = 0xC000
    pkey: int = 0xFFFF
    pmtu: int = 1024
    ttl: int = 64
    traffic_class: int = 0
    first_psn: int = 0
    expected_psn: int = 0
    history: int = 0
    window: int = 16
    ack_request: AckRequest = AckRequest.LAST
    ack_policy: AckPolicy = field(default_factory=AckPolicy)
    timeout_ps: int = 500_000_000
    retry_limit: int = 7
    rnr_retry_limit: int = 7
    rnr_code: int = 1
    credit: int = 0x1F
    read_depth: int = 16
    read_delay_ps: int = 0
    read_retry: ReadRetry = ReadRetry.MISSING
    read_gap_retry: bool = True

    def __post_init__(self) -> None:
        """Reject values no RoCEv2 endpoint can have."""
        limits = {
            "qp": 0xFFFFFF,
            "peer_qp": 0xFFFFFF,
            "mac": (1 << 48) - 1,
            "peer_mac": (1 << 48) - 1,
            "ip": (1 << (32 if self.ip_version == 4 else 128)) - 1,
            "peer_ip": (1 << (32 if self.ip_version == 4 else 128)) - 1,
            "udp_port": 0xFFFF,
            "pkey": 0xFFFF,
            "ttl": 0xFF,
            "traffic_class": 0xFF,
            "first_psn": PSN_MASK,
            "expected_psn": PSN_MASK,
            "retry_limit": 7,
            "rnr_retry_limit": 7,
            "rnr_code": 31,
            "credit": 31,
            "read_depth": 255,
        }
        if self.ip_version not in (4, 6):
            raise UserError(f"endpoint: ip_version {self.ip_version} is not 4 or 6")
        if self.pmtu not in PMTUS:
            raise UserError(f"endpoint: pmtu {self.pmtu} is not one of {', '.join(map(str, PMTUS))}")
        if self.window < 1:
            raise UserError(f"endpoint: window {self.window} is below 1")
        for name, top in limits.items():
            value = getattr(self, name)
            if not 0 <= value <= top:
                raise UserError(f"endpoint: {name} {value:#x} is outside 0..{top:#x}")
