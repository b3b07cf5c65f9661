"""Seeds of runs, derived so that a regression can be repeated as a whole from one base seed."""

from __future__ import annotations

from ref_model.streams import stream

SEED_BITS = 31  # fits the signed 32-bit seeds of every simulator


def run_seed(base: int, test: str, index: int) -> int:
    """Seed of run ``index`` (from 0) of a test; the same for every DUT, simulator, variant and mutant."""
    return stream(base, f"run/{test}/{index}").getrandbits(SEED_BITS)


def elastic_seed(seed: int) -> int:
    """Seed of the elastic shell in a run; never 0, which would switch the shell off."""
    return stream(seed, "elastic").getrandbits(SEED_BITS - 1) + 1
