"""Judging the headers of a frame the DUT sent, field by field, each under the rule that owns it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ref_model.ernic.config import QpConfig
from ref_model.rules import Rules, Scope
from ref_model.wire import Bth, Ethernet, Frame, IPv4, IPv6, Udp, diff

ETHERTYPE = {4: 0x0800, 6: 0x86DD}
UDP_PORT = 4791

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

    def __init__(self, response: str | None = None) -> None:
        """Name the rule of all fields with ``response``, or use the request rules."""

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
        self.pad = own("ERN-049")


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


def check_headers(
    rules: Rules, conn: QpConfig, frame: Frame, owner: HeaderRules, scope: Scope, pad: int
) -> bool:
    """Judge Ethernet, IP, UDP, the constant part of BTH and the pad count of a RoCE frame from the DUT.

    The frame was parsed, so its lengths are consistent (ERN-045) and nothing is left over (ERN-039).
    """
    eth, ip, udp, bth = frame.eth, frame.ip, frame.udp, frame.bth
    assert ip is not None and udp is not None and bth is not None
    knobs = rules.knobs
    good = rules.eq(
        owner.mac,
        (conn.dst_mac, conn.src_mac),
        (eth.dst, eth.src),
        "addresses of the QP and the device",
        scope,
    )
    good &= rules.eq(
        owner.version,
        (ETHERTYPE[conn.ip_version], 0),
        (eth.ethertype, len(frame.vlans)),
        "IP version of QPCONF[7]",
        scope,
    )
    if isinstance(ip, IPv4) != (conn.ip_version == 4):
        return False
    good &= rules.eq(
        owner.ip, (conn.src_ip, conn.dst_ip), (ip.src, ip.dst), "IP addresses of device and QP", scope
    )
    if isinstance(ip, IPv4):
        good &= rules.eq(
            owner.version,
            (5, True),
            (ip.ihl, frame.ip_checksum_ok),
            "plain IPv4 header with valid checksum",
            scope,
        )
        good &= rules.eq(owner.ttl, conn.ttl, ip.ttl, "TTL = QPADVCONF[15:8]", scope)
        traffic = ip.tos
        good &= rules.eq(owner.checksum, 0, udp.checksum, "UDP checksum 0 on IPv4", scope, knob="UDP_CSUM")
    else:
        good &= rules.eq(
            owner.hop_limit, conn.ttl, ip.hop_limit, "hop limit = QPADVCONF[15:8]", scope, knob="M_RULES"
        )
        traffic = ip.traffic_class
        rules.observe("ERN-050")
    shift = _TRAFFIC_CLASS.get(str(knobs["TC_MAP"]), 2)
    good &= rules.eq(
        owner.traffic_class,
        conn.traffic_class << shift & 0xFF,
        traffic,
        "class of QPADVCONF[5:0]",
        scope,
        knob="TC_MAP",
    )
    good &= rules.eq(owner.ports, (conn.udp_source, UDP_PORT), (udp.src, udp.dst), "UDP ports", scope)
    good &= rules.eq(
        owner.bth,
        (conn.pkey, 0, conn.dest_qp),
        (bth.pkey, bth.tver, bth.dest_qp),
        "P_Key, TVer and DestQP of the QP",
        scope,
    )
    good &= rules.eq(owner.pad, pad, bth.pad, "pad count for the payload length", scope)
    return good
