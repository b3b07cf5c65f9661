"""Judging the headers of a frame the DUT sent, field by field, each under the rule that owns it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ref_model.ernic.config import QpConfig
from ref_model.rules import OPEN_VALUES, Rules, Scope
from ref_model.wire import Bth, Ethernet, Frame, IPv4, IPv6, Udp, diff

ETHERTYPE = {4: 0x0800, 6: 0x86DD}
UDP_PORT = 4791

#: Kinds of opcodes that answer a request.
RESPONSES = frozenset({"ack", "read_resp"})

#: Fields no document fixes (ERN-050) plus those judged by rules of their own (pad bytes, ICRC).
FREE_FIELDS = frozenset(
    {
        "ip.ident",
        "ip.frag",
        "ip.flow_label",
        "ip.checksum",
        "bth.se",
        "bth.mig",
        "bth.fecn",
        "bth.becn",
        "bth.resv6",
        "bth.resv7",
        "bth.ack_req",
        "pad_bytes",
        "icrc",
        "trailer",
    }
)

_TRAFFIC_CLASS = {"low6": 0, "dscp": 2}


class HeaderRules:
    """Which rule owns which header field, for requests (one each) or for responses (one for all)."""

    def __init__(self, response: str | None = None, pad: str | None = None) -> None:
        """Name the rule of all fields with ``response`` (but for ``pad``), or use the request rules."""

        def own(rule: str) -> str:
            return response or rule

        self.mac = own("ERN-040")
        self.version = own("ERN-041")
        self.ip = own("ERN-042")
        self.ttl = own("ERN-043/ttl")
        self.hop_limit = own("ERN-043/hop_limit")
        self.traffic_class = own("ERN-044")
        self.ports = own("ERN-046/ports")
        self.checksum = own("ERN-046/checksum")
        self.bth = own("ERN-048")
        self.pad = pad or own("ERN-049")
        self._closed: dict[tuple[int, str, str, str], tuple[str, ...]] = {}

    def closed(self, ip_version: int, knobs: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the rules that faultless headers are evidence for: those no open parameter suspends."""
        key = (ip_version, str(knobs["M_RULES"]), str(knobs["UDP_CSUM"]), str(knobs["TC_MAP"]))
        known = self._closed.get(key)
        if known is None:
            rules = [self.mac, self.version, self.ip, self.ports, self.bth, self.pad]
            if ip_version == 4:
                rules += [self.ttl, *([self.checksum] if key[2] not in OPEN_VALUES else [])]
            elif key[1] not in OPEN_VALUES:
                rules.append(self.hop_limit)
            if key[3] not in OPEN_VALUES:
                rules.append(self.traffic_class)
            known = self._closed[key] = tuple(dict.fromkeys(rules))
        return known


REQUEST = HeaderRules()
RESPONSE = HeaderRules("ERN-125")


def expected_frame(conn: QpConfig, knobs: Mapping[str, Any], bth: Bth, **rest: Any) -> Frame:
    """Build the frame the specification asks for; free fields keep neutral values."""
    shift = _TRAFFIC_CLASS.get(str(knobs["TC_MAP"]), 2)
    traffic = conn.traffic_class << shift
    ip: IPv4 | IPv6
    if conn.ip_version == 4:
        ip = IPv4(src=conn.src_ip, dst=conn.dst_ip, tos=traffic & 0xFF, ttl=conn.ttl)
    else:
        ip = IPv6(src=conn.src_ip, dst=conn.dst_ip, traffic_class=traffic & 0xFF, hop_limit=conn.ttl)
    eth = Ethernet(conn.dst_mac, conn.src_mac, ETHERTYPE[conn.ip_version])
    return Frame(eth, ip=ip, udp=Udp(conn.udp_source, UDP_PORT), bth=bth, **rest)


def packet_diff(
    conn: QpConfig, knobs: Mapping[str, Any], frame: Frame, bth: Bth, **rest: Any
) -> list[tuple[str, str, str]]:
    """Return the field-by-field difference of ``frame`` to what was expected, free fields left out."""
    mask = set(FREE_FIELDS)
    if knobs["TC_MAP"] == "mask":
        mask |= {"ip.tos", "ip.traffic_class"}
    if knobs["UDP_CSUM"] == "mask" or conn.ip_version == 6:
        mask.add("udp.checksum")
    return diff(expected_frame(conn, knobs, bth, **rest), frame, frozenset(mask))


def _words(*addresses: int) -> set[int]:
    """Return the 32-bit words of ``addresses``."""
    return {address >> shift & 0xFFFFFFFF for address in addresses for shift in range(0, 128, 32)}


def check_headers(
    rules: Rules, conn: QpConfig, frame: Frame, owner: HeaderRules, scope: Scope, pad: int
) -> None:
    """Judge Ethernet, IP, UDP, the constant part of BTH and the pad count of a RoCE frame from the DUT.

    The frame was parsed, so its lengths are consistent (ERN-045) and nothing is left over (ERN-039).
    """
    ip, udp, bth = frame.ip, frame.udp, frame.bth
    assert ip is not None and udp is not None and bth is not None
    traffic = conn.traffic_class << _TRAFFIC_CLASS.get(str(rules.knobs["TC_MAP"]), 2) & 0xFF
    if isinstance(ip, IPv4):
        seen: tuple[object, ...] = (ip.ttl, ip.tos, frame.ip_checksum_ok and ip.ihl == 5, udp.checksum)
        wanted: tuple[object, ...] = (conn.ttl, traffic, True, 0)
    else:
        rules.observe("ERN-050")
        seen, wanted = (ip.hop_limit, ip.traffic_class), (conn.ttl, traffic)
    head = (frame.eth.dst, frame.eth.src, ip.src, ip.dst, udp.src, bth.pkey, bth.dest_qp, bth.tver, bth.pad)
    if (
        seen == wanted
        and head == (*conn.head, 0, pad)
        and not frame.vlans
        and frame.eth.ethertype == ETHERTYPE[conn.ip_version]
        and udp.dst == UDP_PORT
    ):
        rules.passed(owner.closed(conn.ip_version, rules.knobs), scope)
    else:
        _take_apart(rules, conn, frame, owner, scope, pad, traffic)


def _take_apart(
    rules: Rules, conn: QpConfig, frame: Frame, owner: HeaderRules, scope: Scope, pad: int, traffic: int
) -> None:
    """Name the rules that the headers break."""
    eth, ip, udp, bth = frame.eth, frame.ip, frame.udp, frame.bth
    assert ip is not None and udp is not None and bth is not None
    mac = (conn.dst_mac, conn.src_mac)
    rules.eq(owner.mac, mac, (eth.dst, eth.src), "addresses of the QP and the device", scope)
    version = (ETHERTYPE[conn.ip_version], 0)
    rules.eq(owner.version, version, (eth.ethertype, len(frame.vlans)), "IP version of QPCONF[7]", scope)
    if isinstance(ip, IPv4) != (conn.ip_version == 4):
        return
    own = (conn.src_ip, conn.dst_ip)
    foreign = set(conn.unused_addresses) & (_words(ip.src, ip.dst) - _words(*own))
    where = "ERN-248" if foreign else owner.ip
    rules.eq(where, own, (ip.src, ip.dst), "IP addresses of device and QP", scope)
    if isinstance(ip, IPv4):
        good = (ip.ihl, frame.ip_checksum_ok)
        rules.eq(owner.version, (5, True), good, "plain IPv4 header with valid checksum", scope)
        rules.eq(owner.ttl, conn.ttl, ip.ttl, "TTL = QPADVCONF[15:8]", scope)
        rules.eq(owner.checksum, 0, udp.checksum, "UDP checksum 0 on IPv4", scope, knob="UDP_CSUM")
        seen = ip.tos
    else:
        why = "hop limit = QPADVCONF[15:8]"
        rules.eq(owner.hop_limit, conn.ttl, ip.hop_limit, why, scope, knob="M_RULES")
        seen = ip.traffic_class
    rules.eq(owner.traffic_class, traffic, seen, "class of QPADVCONF[5:0]", scope, knob="TC_MAP")
    rules.eq(owner.ports, (conn.udp_source, UDP_PORT), (udp.src, udp.dst), "UDP ports", scope)
    identity = (bth.pkey, bth.tver, bth.dest_qp)
    rules.eq(owner.bth, (conn.pkey, 0, conn.dest_qp), identity, "P_Key, TVer and DestQP of the QP", scope)
    rules.eq(owner.pad, pad, bth.pad, "pad count for the payload length", scope)
