"""What the parameters say: sizes of the build, bounds in picoseconds, contested points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ref_model.rules import OPEN_VALUES, Specification

#: Clocks per CQ, and on top, of EVT_LATENCY = auto: every other CQ may have an event and a report in front.
AUTO_PER_CQ, AUTO_BASE = 96, 300


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes of the build and bounds (ps)."""

    period: int
    cqs: int
    eqs: int
    max_log: int
    reserved: int  #: CQ numbers below are reserved
    stride: int  #: bytes per entry after reset
    status_stream: bool
    event: int  #: EVT_LATENCY
    report: int
    doorbell: int
    command: int
    slot: int  #: per entry that a command fills

    @classmethod
    def of(cls, knobs: Mapping[str, Any], period: int) -> Config:
        """Convert the parameters once; ``period``: ps per clock."""
        cqs = 1 << int(knobs["NUM_CQ_LOG"])
        event = knobs["EVT_LATENCY"]
        clocks = AUTO_PER_CQ * cqs + AUTO_BASE if event == "auto" else int(event)
        return cls(
            period,
            cqs,
            int(knobs["NUM_EQ"]),
            int(knobs["MAX_LOG_CQ"]),
            int(knobs["RSVD_CQS"]),
            int(knobs["STRIDE"]),
            bool(knobs["HAS_CPL_STS"]),
            clocks * period,
            int(knobs["CPL_LATENCY"]) * period,
            int(knobs["DB_LATENCY"]) * period,
            int(knobs["CMD_LATENCY"]) * period,
            int(knobs["CMD_SLOT_LATENCY"]) * period,
        )


class Choices:
    """Contested points: the readings that are still possible. One that an output rules out never returns."""

    def __init__(self, spec: Specification, knobs: Mapping[str, Any]) -> None:
        """A parameter that is left open has all its readings."""
        self._left: dict[str, set[Any]] = {
            name: {value for value in row["values"] if value not in OPEN_VALUES}
            if knobs[name] in OPEN_VALUES
            else {knobs[name]}
            for name, row in spec.parameters.items()
            if row["type"] == "enum"
        }

    def may(self, name: str, value: Any) -> bool:
        """Whether the DUT may follow reading ``value`` of parameter ``name``."""
        return value in self._left[name]

    def sure(self, name: str, value: Any) -> bool:
        """Whether it has to."""
        return self._left[name] == {value}

    def fix(self, name: str, value: Any) -> None:
        """An output showed which reading the DUT follows: it has to follow it from here on."""
        if value in self._left[name]:
            self._left[name] = {value}
