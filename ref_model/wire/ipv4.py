"""IPv4 header (RFC 791) and the Internet checksum (RFC 1071)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

LAYOUT = struct.Struct(">BBHHHBBHII")
SIZE = 20
"""Header bytes without options."""


@dataclass(slots=True)
class IPv4:
    """IPv4 header; lengths in bytes, addresses as 32-bit integers.

    `frag` is the whole 16-bit flags and fragment offset word (0x4000 = do not fragment). `ihl` counts 32-bit
    words and is written as given: options are emitted as they are, so a header that lies about its length can
    be built. `total_length` and `checksum` None are computed by build.
    """

    src: int
    dst: int
    tos: int = 0
    ttl: int = 64
    ident: int = 0
    frag: int = 0x4000
    protocol: int = 17
    total_length: int | None = None
    checksum: int | None = None
    ihl: int = 5
    options: bytes = b""
    version: int = 4


def internet_checksum(data: bytes) -> int:
    """Complement of the one's complement sum over 16-bit big-endian words; odd data is zero-extended."""
    # The one's complement sum is the value modulo 0xFFFF, because 2**16 is congruent to 1.
    value = int.from_bytes(data, "big")
    if len(data) & 1:
        value <<= 8
    folded = value % 0xFFFF
    if folded == 0 and value:
        folded = 0xFFFF
    return 0xFFFF - folded


def checksum_ok(header: bytes) -> bool:
    """True if the header including its checksum field sums to all ones (`header` is 4 x IHL bytes)."""
    return int.from_bytes(header, "big") % 0xFFFF == 0


def pack(ip: IPv4, total_length: int) -> bytes:
    """Header with options; `total_length` is used where the header does not state one.

    struct.error or OverflowError if a field exceeds its width.
    """
    src, dst, checksum, options = ip.src, ip.dst, ip.checksum, ip.options
    if ip.total_length is not None:
        total_length = ip.total_length
    if ip.ihl >> 4:
        raise OverflowError("IHL exceeds 4 bits")
    first = ip.version << 4 | ip.ihl
    if checksum is None:
        # As in internet_checksum: 2**16 is congruent to 1, so 32-bit addresses may be added as they are.
        words = (first + ip.ttl << 8) + ip.tos + total_length + ip.ident + ip.frag + ip.protocol + src + dst
        if options:
            words += int.from_bytes(options, "big")
        checksum = (0xFFFF - words % 0xFFFF) % 0xFFFF
    head = LAYOUT.pack(
        first, ip.tos, total_length, ip.ident, ip.frag, ip.ttl, ip.protocol, checksum, src, dst
    )
    return head + options if options else head


def unpack(data: bytes, offset: int) -> IPv4:
    """Read the header at `offset`; at least 20 bytes must be there, options are cut at the end of `data`."""
    first, tos, total, ident, frag, ttl, protocol, checksum, src, dst = LAYOUT.unpack_from(data, offset)
    ihl = first & 15
    options = data[offset + SIZE : offset + 4 * ihl] if ihl > 5 else b""
    return IPv4(src, dst, tos, ttl, ident, frag, protocol, total, checksum, ihl, options, first >> 4)


def address_text(address: int) -> str:
    """32-bit address in dotted decimal."""
    return ".".join(str(byte) for byte in address.to_bytes(4, "big"))
