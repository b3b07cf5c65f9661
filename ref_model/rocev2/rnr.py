"""RNR NAK timer codes (IBTA volume 1 section 9.7.5.2.8): 5-bit code to the minimum wait before a resend."""

from __future__ import annotations

_UNITS_OF_10_US = (
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
)  # fmt: skip

RNR_WAIT_PS: tuple[int, ...] = tuple(units * 10_000_000 for units in _UNITS_OF_10_US)
"""Minimum wait in picoseconds by timer code 0..31; code 0 is the longest (655.36 ms), code 1 the shortest
(10 us).
"""


def rnr_wait_ps(code: int) -> int:
    """Wait of RNR timer ``code`` (the low five bits of the AETH syndrome), in picoseconds."""
    return RNR_WAIT_PS[code & 0x1F]
