"""Reproducible random streams: one per (agent, purpose), independent of draw order elsewhere."""

import hashlib
import random


def stream(seed: int, path: str) -> random.Random:
    """Return the random stream of ``path`` (for example ``"mac.roce_rx/gaps"``) under ``seed``.

    The generator is seeded by SHA-256 of seed and path, so adding a stream never moves another one
    and the same pair gives the same numbers on every machine and Python version.
    """
    digest = hashlib.sha256(f"{seed}:{path}".encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))
