"""Frames an endpoint sends: addresses and path settings of one connection around a transport header."""

from __future__ import annotations

from ref_model.rocev2.endpoint.config import EndpointConfig
from ref_model.wire import Aeth, Bth, Ethernet, Frame, IPv4, IPv6, Udp

_ETHERTYPE = {4: 0x0800, 6: 0x86DD}

ACKNOWLEDGE = 0x11
NAK_SEQUENCE = 0x60
NAK_INVALID = 0x61
NAK_ACCESS = 0x62
NAK_OPERATION = 0x63
RNR_BASE = 0x20


def envelope(config: EndpointConfig, bth: Bth) -> Frame:
    """A frame of this connection with ``bth`` and nothing behind it yet; build() fills lengths and checks."""
    ip: IPv4 | IPv6
    if config.ip_version == 4:
        ip = IPv4(src=config.ip, dst=config.peer_ip, tos=config.traffic_class, ttl=config.ttl)
    else:
        ip = IPv6(
            src=config.ip,
            dst=config.peer_ip,
            traffic_class=config.traffic_class,
            hop_limit=config.ttl,
        )
    return Frame(
        eth=Ethernet(dst=config.peer_mac, src=config.mac, ethertype=_ETHERTYPE[config.ip_version]),
        ip=ip,
        udp=Udp(src=config.udp_port),
        bth=bth,
    )


def acknowledge(config: EndpointConfig, psn: int, syndrome: int, msn: int) -> Frame:
    """An ACK or NAK for ``psn`` with the whole 8-bit AETH ``syndrome`` and the 24-bit ``msn``."""
    frame = envelope(config, Bth(opcode=ACKNOWLEDGE, dest_qp=config.peer_qp, psn=psn, pkey=config.pkey))
    frame.aeth = Aeth(syndrome=syndrome, msn=msn)
    return frame
