"""ICRC of RCLINK TYPE1 frames: the CRC-32 of Ethernet, its four bytes least significant first.

The source names the field and nothing else; the coverage is the knob ICRC_MODE. By format: Standard frames as
RoCEv2 (8 bytes of ones, IP header with ToS, TTL and checksum as ones, UDP header with the checksum as ones,
then RH, payload, pad), AFH frames from the RH on. The other reading starts at the RH in every format. Payload
bytes that ride in the addresses count at their place in the payload.
"""

from __future__ import annotations

from zlib import crc32

from ref_model.wire import ipv4, udp

HEADER_BYTES = ipv4.SIZE + udp.SIZE
_SEED = crc32(b"\xff" * 8)


def _mask() -> int:
    mask = bytearray(HEADER_BYTES)
    for position in (1, 8, 10, 11, ipv4.SIZE + 6, ipv4.SIZE + 7):
        mask[position] = 0xFF
    return int.from_bytes(mask, "big")


_MASK = _mask()


def over_ip(headers: bytes, rest: bytes) -> int:
    """RoCEv2 reading: `headers` are exactly IP and UDP, `rest` is RH, payload and pad."""
    masked = (int.from_bytes(headers, "big") | _MASK).to_bytes(HEADER_BYTES, "big")
    return crc32(rest, crc32(masked, _SEED))


def from_rh(rest: bytes) -> int:
    """Reading without addresses: `rest` is RH, payload in logical order and pad."""
    return crc32(rest)
