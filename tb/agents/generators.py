"""Idle and back-pressure generators: how many clocks to hold back the next item.

Every generator draws once per item and never by time, from its own stream, so that a change of timing on
one interface never changes what another one draws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ref_model.errors import UserError
from ref_model.streams import Draws


class StallMode(str, Enum):
    """Shape of the stalls: none, sparse short ones, dense longer ones, long ones between free runs."""

    NONE = "none"
    LIGHT = "light"
    HEAVY = "heavy"
    BURSTS = "bursts"


@dataclass(frozen=True, slots=True)
class StallConfig:
    """Typed settings of one generator.

    ``probability`` is the chance that an item is stalled at all (light, heavy), ``low``..``high`` the clocks
    of one stall and ``run_low``..``run_high`` the items that pass freely between two stalls (bursts).
    """

    mode: StallMode = StallMode.NONE
    probability: float = 0.0
    low: int = 1
    high: int = 1
    run_low: int = 8
    run_high: int = 64

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high:
            raise UserError(f"stall generator: {self.low}..{self.high} clocks, allowed is 1 <= low <= high")
        if not 1 <= self.run_low <= self.run_high:
            raise UserError(
                f"stall generator: runs of {self.run_low}..{self.run_high} items, allowed is 1 <= low <= high"
            )

    @staticmethod
    def named(mode: str | StallMode) -> StallConfig:
        """Return the preset of a mode name; UserError names the allowed ones."""
        try:
            return replace(_PRESETS[StallMode(mode)])
        except ValueError:
            allowed = ", ".join(m.value for m in StallMode)
            raise UserError(f"stall mode {mode!r} is unknown, allowed are {allowed}") from None


_PRESETS = {
    StallMode.NONE: StallConfig(),
    StallMode.LIGHT: StallConfig(StallMode.LIGHT, probability=0.1, low=1, high=3),
    StallMode.HEAVY: StallConfig(StallMode.HEAVY, probability=0.5, low=1, high=8),
    StallMode.BURSTS: StallConfig(StallMode.BURSTS, low=16, high=100),
}


class Stalls:
    """Draws the stall of each item, in clocks, from the stream ``path`` under ``seed``."""

    def __init__(self, config: StallConfig, seed: int, path: str) -> None:
        self._config = config
        self._draws = Draws.of(seed, path)
        self._run = self._new_run() if config.mode is StallMode.BURSTS else 0
        self.enabled = config.mode is not StallMode.NONE

    def pause(self) -> None:
        """Draw 0 until :meth:`resume`; the stream goes on where it stopped."""
        self.enabled = False

    def resume(self) -> None:
        """Draw as configured again."""
        self.enabled = self._config.mode is not StallMode.NONE

    def _new_run(self) -> int:
        return self._draws.between(self._config.run_low, self._config.run_high)

    def draw(self) -> int:
        """Return the clocks to hold back the next item (0: none)."""
        if not self.enabled:
            return 0
        config, draws = self._config, self._draws
        if config.mode is StallMode.BURSTS:
            if self._run:
                self._run -= 1
                return 0
            self._run = self._new_run()
            return draws.between(config.low, config.high)
        return draws.between(config.low, config.high) if draws.chance(config.probability) else 0


@dataclass(frozen=True, slots=True)
class Latency:
    """Uniform response latency in clocks, from the request's handshake to the response's first VALID."""

    low: int = 2
    high: int = 8

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high:
            raise UserError(f"latency {self.low}..{self.high} clocks, allowed is 1 <= low <= high")
