"""Invariant CRC of RoCEv2 (IBTA vol 1 clause 7.8.1, annex A17).

The CRC-32 of Ethernet runs over 8 bytes of ones (in place of the InfiniBand LRH), the IP header, UDP header,
BTH and everything up to the pad bytes. Fields that may change on the way count as ones: IPv4 TOS, TTL and
header checksum, IPv6 traffic class, flow label and hop limit, the UDP checksum, and the byte of the BTH that
holds FECN, BECN and resv6. Ethernet addresses and VLAN tags are left out. The four CRC bytes follow least
significant byte first, so the little-endian integer of the wire bytes equals `zlib.crc32`.
"""

from __future__ import annotations

from zlib import crc32

from ref_model.wire import bth, ipv6, udp

SIZE = 4
_SEED = crc32(b"\xff" * 8)
_TRANSPORT_BYTES = udp.SIZE + bth.SIZE


def _mask(ip_bytes: int, variant: tuple[int, ...], first_word: int) -> int:
    mask = bytearray(ip_bytes + _TRANSPORT_BYTES)
    mask[0:4] = first_word.to_bytes(4, "big")
    for position in (*variant, ip_bytes + 6, ip_bytes + 7, ip_bytes + udp.SIZE + 4):
        mask[position] = 0xFF
    return int.from_bytes(mask, "big")


def _mask_v4(ip_bytes: int) -> int:
    return _mask(ip_bytes, (8, 10, 11), 0x00FF0000)


# By length of IP + UDP + BTH. An IPv6 header is as long as an IPv4 one with IHL 10, hence not one table.
_MASK_V4 = {4 * ihl + _TRANSPORT_BYTES: _mask_v4(4 * ihl) for ihl in range(5, 16)}
_MASK_V6 = _mask(ipv6.SIZE, (7,), 0x0FFFFFFF)


def compute(headers: bytes, rest: bytes | memoryview, v6: bool) -> int:
    """ICRC over `headers` (exactly IP, UDP and BTH) and `rest` (extension headers up to the pad bytes)."""
    size = len(headers)
    mask = _MASK_V6 if v6 else _MASK_V4.get(size) or _mask_v4(size - _TRANSPORT_BYTES)
    masked = (int.from_bytes(headers, "big") | mask).to_bytes(size, "big")
    return crc32(rest, crc32(masked, _SEED))
