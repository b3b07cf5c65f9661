"""Configuration objects of the ERNIC host."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ref_model.errors import UserError
from ref_model.rocev2.segment import PMTUS

PMTU_CODE = {pmtu: code for code, pmtu in enumerate(PMTUS)}
"""Path MTU in bytes to the code of QPCONF[10:8]."""

ELEMENT_UNIT = 256
"""Unit of the receive element size in bytes."""


class ResponseMode(IntEnum):
    """When the device acknowledges (XRNICCONF[4:3])."""

    REQUEST_OR_TIMEOUT = 0
    TIMEOUT = 1
    REQUEST = 2


@dataclass(frozen=True, slots=True)
class RingSize:
    """Entries and bytes per entry of one of the global buffers."""

    entries: int
    size: int


@dataclass(slots=True)
class DeviceConfig:
    """Global settings. Addresses are integers, most significant byte first on the wire.

    ``base_width`` is log2 of the clocks in 4.096 us, rounded up (10 at 250 MHz). ``qp_count`` is the highest
    enabled queue pair number. ``interrupts`` is INTEN.
    """

    mac: int = 0x02_11_22_33_44_55
    ipv4: int = 0x0A00_0001
    ipv6: int = 0x2001_0DB8_0000_0000_0011_2233_4455_0001
    udp_port: int = 0xE348
    ack_mode: ResponseMode = ResponseMode.REQUEST
    error_buffer_all: bool = True
    qp_count: int = 8
    interrupts: int = 0
    base_width: int = 10
    retry_fatal_disable: bool = False
    error_buffer: RingSize = RingSize(64, 256)
    fatal_queue: RingSize = RingSize(64, 8)
    response_errors: RingSize = RingSize(64, 256)
    outgoing_errors: RingSize = RingSize(64, 64)
    retry_buffers: RingSize = RingSize(32, 4096)


@dataclass(slots=True)
class QpConfig:
    """One RC queue pair. PSNs are 24 bits; ``timeout`` is the exponent t of TIMEOUTCONF[5:0], 0 = off.

    ``element`` is the receive element size in bytes, a multiple of 256. ``expected_psn`` is the first PSN
    the peer will send. ``memory_doorbells`` False selects the hardware handshake ports. ``high_memory`` puts
    all rings above 4 GiB.

    Raises UserError for a PMTU, element size or depth the device cannot hold.
    """

    number: int
    peer_qp: int = 0x000100
    peer_mac: int = 0x02_AA_BB_CC_DD_EE
    peer_ip: int = 0x0A00_0002
    ip_version: int = 4
    pmtu: int = 1024
    sq_depth: int = 16
    rq_depth: int = 16
    element: int = 4096
    first_psn: int = 0
    expected_psn: int = 0
    last_opcode: int = 0x04
    timeout: int = 0
    retry: int = 7
    rnr_retry: int = 7
    rnr_code: int = 1
    pkey: int = 0xFFFF
    ttl: int = 64
    traffic_class: int = 0
    pd: int = 1
    cqe: bool = True
    cq_interrupt: bool = False
    rq_interrupt: bool = False
    memory_doorbells: bool = True
    enable: bool = True
    high_memory: bool = False

    def __post_init__(self) -> None:
        """Reject what cannot be programmed."""
        if self.pmtu not in PMTU_CODE:
            raise UserError(f"QP {self.number}: PMTU {self.pmtu} is not one of {', '.join(map(str, PMTUS))}")
        if self.element % ELEMENT_UNIT or not 0 < self.element // ELEMENT_UNIT <= 0xFFFF:
            raise UserError(
                f"QP {self.number}: element size {self.element} is no multiple of 256 up to 16776960"
            )
        for name in ("sq_depth", "rq_depth"):
            if not 2 <= getattr(self, name) <= 0xFFFF:
                raise UserError(f"QP {self.number}: {name} {getattr(self, name)} is outside 2..65535")
        if self.ip_version not in (4, 6):
            raise UserError(f"QP {self.number}: ip_version {self.ip_version} is not 4 or 6")
