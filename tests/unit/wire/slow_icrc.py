"""Second opinion on the ICRC: bit by bit from the polynomial, sharing no code with the codec."""

from __future__ import annotations

POLYNOMIAL = 0x04C11DB7


def crc32_bitwise(data: bytes) -> int:
    """CRC-32 of Ethernet as a shift register: each byte enters least significant bit first."""
    register = 0xFFFFFFFF
    for byte in data:
        for bit in range(8):
            feedback = (register >> 31) ^ (byte >> bit & 1)
            register = (register << 1) & 0xFFFFFFFF
            if feedback:
                register ^= POLYNOMIAL
    register ^= 0xFFFFFFFF
    # The register leaves most significant bit first, and a byte starts with its least significant one.
    return int(f"{register:032b}"[::-1], 2)


def icrc_bitwise(frame: bytes) -> int:
    """ICRC of an Ethernet frame with RoCEv2, its own last four transport bytes not looked at."""
    at = 12
    while frame[at : at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    network = at + 2
    if frame[at : at + 2] == b"\x08\x00":
        header = 4 * (frame[network] & 15)
        end = network + int.from_bytes(frame[network + 2 : network + 4], "big")
    else:
        header = 40
        end = network + 40 + int.from_bytes(frame[network + 4 : network + 6], "big")
    covered = bytearray(frame[network : end - 4])
    if header == 40 and frame[network] >> 4 == 6:
        covered[0] |= 0x0F  # traffic class, upper half
        covered[1] = covered[2] = covered[3] = 0xFF  # lower half, flow label
        covered[7] = 0xFF  # hop limit
    else:
        covered[1] = 0xFF  # type of service
        covered[8] = 0xFF  # time to live
        covered[10] = covered[11] = 0xFF  # header checksum
    covered[header + 6] = covered[header + 7] = 0xFF  # UDP checksum
    covered[header + 12] = 0xFF  # FECN, BECN, reserved
    return crc32_bitwise(b"\xff" * 8 + bytes(covered))
