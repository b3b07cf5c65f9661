"""Reproducible random streams: one per (agent, purpose), independent of draw order elsewhere."""

from __future__ import annotations

import hashlib
import random

MASK64 = (1 << 64) - 1


def stream(seed: int, path: str) -> random.Random:
    """Return the random stream of ``path`` (for example ``"mac.roce_rx/gaps"``) under ``seed``.

    The generator is seeded by SHA-256 of seed and path, so adding a stream never moves another one
    and the same pair gives the same numbers on every machine and Python version.
    """
    digest = hashlib.sha256(f"{seed}:{path}".encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))


class Draws:
    """Small random generator (SplitMix64) that the C transactors have, too (tb/fast/c/engine.c).

    Whoever draws once per item uses it, so that an item is stalled alike whether Python or C moves its beats.
    """

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        """Start at ``state`` (64 bits)."""
        self.state = state

    @classmethod
    def of(cls, seed: int, path: str) -> Draws:
        """Return the generator of ``path`` under ``seed``."""
        return cls(stream(seed, path).getrandbits(64))

    def next(self) -> int:
        """Return 64 random bits."""
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
        return z ^ z >> 31

    def between(self, low: int, high: int) -> int:
        """Return an integer of low .. high, both included."""
        return low + (self.next() * (high - low + 1) >> 64)

    def chance(self, probability: float) -> bool:
        """Return True with ``probability`` (0 to 1)."""
        return self.next() < threshold(probability)


def threshold(probability: float) -> int:
    """Return ``probability`` as the 64-bit number that draws are compared with."""
    return min(int(probability * 2**64), MASK64)
