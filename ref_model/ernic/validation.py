"""Which inbound frames are dropped before any QP sees them (requirements section 9).

The precedence of several faults in one frame is documented for three of them only, so the outcome is
the set of all faults; what must be counted follows from those that are documented.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ref_model.ernic.config import Device, QpConfig
from ref_model.ernic.errors import ANY_PSN, SYNDROME_IHL, SYNDROME_IP_VERSION, SYNDROME_MAC, Suspicion
from ref_model.ernic.headers import UDP_PORT
from ref_model.ernic.management import QP1
from ref_model.ernic.regions import Regions
from ref_model.wire import Frame, IPv4, ParseError, Reason, opcodes


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason to drop a frame.

    ``counted``: counters, INTSTS[0] and the error buffer are documented for it.
    ``knob``: the parameter that decides whether it is a fault at all.
    """

    rule: str
    why: str
    counted: bool = False
    syndrome: int = 0
    knob: str | None = None


MAC = Fault("ERN-099", "destination MAC is not ours", True, SYNDROME_MAC)
IP_VERSION = Fault("ERN-100", "IP version differs from QPCONF[7]", True, SYNDROME_IP_VERSION)
IHL = Fault("ERN-101", "IPv4 header is not 20 bytes", True, SYNDROME_IHL)
QP_DISABLED = Fault("ERN-103", "QPCONF[0] = 0", True)
QP_BEYOND = Fault("ERN-104", "QP above XRNIC_CONF_QP_EN", knob="QP_EN_LIMIT")
PKEY = Fault("ERN-105", "P_Key mismatch", knob="PKEY_CHECK")
QP_DEAD = Fault("ERN-106", "QP fatal or under recovery", knob="M_RULES")
ICRC = Fault("ERN-107", "wrong ICRC", knob="ICRC_CHECK")
TUSER = Fault("ERN-108", "tuser = 0 on the last beat", knob="TUSER_DROP")
ADDRESSING = Fault("ERN-109", "destination IP, UDP port or TVer wrong", knob="M_RULES")
CUT = Fault("ERN-231", "frame cut short")
LENGTHS = Fault("ERN-232/drop", "inconsistent lengths", knob="M_RULES")
IP_CHECKSUM = Fault("ERN-232/drop", "wrong IPv4 header checksum", knob="M_RULES")


def parse_faults(error: ParseError) -> list[Fault]:
    """Return the faults a parser error stands for."""
    if error.reason in (Reason.IP_VERSION, Reason.IHL):
        fault = IP_VERSION if error.reason is Reason.IP_VERSION else IHL
        # Behind such a header the lengths, or what a receiver takes for them, may be wrong too.
        return [fault] if error.partial.icrc_ok is not None else [fault, LENGTHS]
    ip = error.partial.ip
    headers = 4 * ip.ihl if isinstance(ip, IPv4) else 0
    beyond = not isinstance(ip, IPv4) or (ip.total_length or 0) >= headers
    cut = error.reason is Reason.TRUNCATED or (error.reason is Reason.IP_LENGTH and beyond)
    return [CUT if cut else LENGTHS]


def device_faults(frame: Frame, good: bool, device: Device) -> list[Fault]:
    """Return the faults visible without knowing the QP."""
    faults = []
    if not good:
        faults.append(TUSER)
    if frame.icrc_ok is False:
        faults.append(ICRC)
    if frame.eth.dst != device.mac:
        faults.append(MAC)
    if isinstance(frame.ip, IPv4) and frame.ip.ihl != 5:
        faults.append(IHL)
    if frame.ip_checksum_ok is False:
        faults.append(IP_CHECKSUM)
    if frame.udp is None or frame.udp.dst != UDP_PORT or (frame.bth is not None and frame.bth.tver):
        faults.append(ADDRESSING)
    return faults


def qp_faults(
    frame: Frame, qp: int, conn: QpConfig | None, device: Device, dead: bool, knobs: Mapping[str, Any]
) -> list[Fault]:
    """Return the faults that depend on the addressed QP (``conn`` None: no such slot)."""
    if conn is None or not conn.enabled:
        return [QP_DISABLED]
    faults = []
    bth = frame.bth
    assert bth is not None
    version = 4 if isinstance(frame.ip, IPv4) else 6
    if version != conn.ip_version:
        faults.append(IP_VERSION)
    elif frame.ip is not None and frame.ip.dst != conn.src_ip:
        faults.append(ADDRESSING)
    if qp > device.qp_count:
        faults.append(QP_BEYOND)
    if qp != QP1 and (bth.pkey ^ conn.pkey) & 0x7FFF:
        faults.append(PKEY)
    if dead or conn.recovery:
        faults.append(QP_DEAD)
    return faults


def syndrome_bits(faults: list[Fault]) -> tuple[int, int]:
    """Return the documented bit an error entry must show for ``faults`` and those it may show besides.

    The documented precedence is MAC, IP version, IHL, as are the bits; (0, 0) where a fault without a
    documented place takes part.
    """
    bits = sorted({fault.syndrome for fault in faults})
    return (bits[0], sum(bits[1:])) if bits[0] else (0, 0)


def possible_syndromes(faults: list[Fault], frame: Frame, device: Device) -> int:
    """Return the documented syndrome bits an entry for ``frame`` can have, whatever the DUT checks first."""
    bits = SYNDROME_MAC if frame.eth.dst != device.mac else 0
    if frame.ip is None:
        bits |= SYNDROME_IP_VERSION
    for fault in faults:
        bits |= fault.syndrome
    return bits


def certain(faults: list[Fault], knobs: Mapping[str, Any]) -> bool:
    """Return whether at least one fault drops the frame whatever the open parameters mean."""
    closed = {"report", "any", "off"}
    return any(fault.knob is None or knobs[fault.knob] not in closed for fault in faults)


def suspicion(
    frame: Frame, first: Frame | None, regions: Regions, revived: str, close_behind: bool
) -> Suspicion:
    """Return the rules that demand to accept ``frame``, should the DUT refuse it.

    ``first``: the first frame of the same QP; a different TOS or TTL since then was changed on the way.
    ``revived``: the rule of its new life if the QP was recovered or created again just now, else "".
    ``close_behind``: no clock lies between it and the frame before.
    """
    dropped = access = revived
    if frame.trailer:
        dropped = "ERN-233"
    elif first is not None and type(first.ip) is type(frame.ip) and _masked(first) != _masked(frame):
        dropped = "ERN-107"
    if frame.reth is not None and not revived:
        access = regions.edge_rule(frame.reth) if frame.reth.length else "ERN-035"
    bth = frame.bth
    assert bth is not None
    if bth.opcode == opcodes.CNP:  # its PSN means nothing
        return Suspicion(bth.dest_qp, ANY_PSN, "ERN-201", "ERN-201", "ERN-201")
    reading = bth.opcode == opcodes.READ_REQUEST
    invalid = dropped if revived else "ERN-131" if reading else "ERN-148" if bth.pad else ""
    lost = "ERN-235" if close_behind else ""
    return Suspicion(bth.dest_qp, bth.psn, dropped, access, invalid, lost)


def _masked(frame: Frame) -> tuple[int, int]:
    """Return the IP fields a router may change."""
    ip = frame.ip
    if isinstance(ip, IPv4):
        return ip.tos, ip.ttl
    return (ip.traffic_class, ip.hop_limit) if ip is not None else (0, 0)


def congestion_experienced(frame: Frame) -> bool:
    """Return whether the ECN field of a frame is 11 (congestion experienced)."""
    return _masked(frame)[0] & 3 == 3
