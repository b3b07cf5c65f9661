"""State of the software CQ engine: CQs, EQs, requests. Counters are those of the hardware, 24 bits."""

from __future__ import annotations

from dataclasses import dataclass, field

MASK = 0xFFFFFF


def signed(a: int, b: int) -> int:
    """Return a - b of two 24-bit counters as a signed number."""
    value = (a - b) & MASK
    return value - (MASK + 1) if value >> 23 else value


@dataclass(slots=True)
class Request:
    """A waiting request."""

    kind: int
    sn: int
    param: int
    fires_at_once: bool = False


@dataclass(slots=True)
class EngineCq:
    """One CQ; ``values``: fields of its context."""

    number: int
    values: dict[str, int]
    stride: int
    mtt_base: int
    pi: int = 0
    ci: int = 0
    status: int = 0
    request: Request | None = None
    sn_done: int = 0
    solicited: int | None = None
    notified: int = 0
    count: int = 0
    last_tick: int = 0
    st: int = 0
    event: bool = False
    asleep: bool = False  #: the newest CQE, that of a resize, lets nothing be looked at
    error: int = 0  #: syndrome of an error event that waits

    @property
    def size(self) -> int:
        """Entries."""
        return 1 << self.values["log_cq_size"]


@dataclass(slots=True)
class EngineEq:
    """One EQ."""

    valid: bool = False
    base: int = 0
    log_size: int = 1
    st: int = 0
    pi: int = 0
    ci: int = 0
    irq: bool = False
    latches: dict[int, int] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """No room."""
        return (self.pi - self.ci) & MASK >= 1 << self.log_size
