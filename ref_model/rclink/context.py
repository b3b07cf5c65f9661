"""What every part of the RCLINK model shares: rules, obligations, clocks, configuration, packets in hand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ref_model.deadlines import Must
from ref_model.held_up import HeldUp
from ref_model.observing import REFUSALS, Observing
from ref_model.rclink.config import Device
from ref_model.rclink.messages import Messages
from ref_model.rules import Scope

#: Path of a prohibition that any later good frame on the MAC port confirms, and the same for RX_M.
MAC_PATH, CLIENT_PATH = "mac_tx", "rx_m"


@dataclass(frozen=True, slots=True)
class Refused:
    """A frame the DUT must drop: what it carried, and the rule that says so."""

    payload: bytes
    rule: str
    why: str


@dataclass(slots=True)
class Context(Observing):
    """Shared state of one RCLINK model instance."""

    #: Time in which no frame could leave for the MAC, and time in which anything at all was held up.
    tx_held: HeldUp = field(default_factory=HeldUp)
    held: HeldUp = field(default_factory=HeldUp)
    #: The same, and time in which credit, pause or software kept acknowledges and CNPs back.
    answers_held: HeldUp = field(default_factory=HeldUp)
    device: Device = field(init=False)  #: kept up to date by the model
    #: Configuration before the last change, and until when (tx clock) it may still show.
    former: Device | None = None
    former_until: int = 0
    messages: Messages = field(init=False)
    refused: deque[Refused] = field(default_factory=lambda: deque(maxlen=REFUSALS))
    #: Called when the bench found the DUT quiet, or a point has to be decided at the end.
    at_quiet: list[Callable[[], None]] = field(default_factory=list)
    arrivals: int = 0
    #: A packet for the client that was in hand before (ps) was so while the DUT showed idle.
    idle_claim: int = 0
    #: (time, tx clock) of the latest frames to the MAC.
    _samples: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=64))
    mac: Scope = field(default_factory=lambda: Scope("MAC port"))
    client: Scope = field(default_factory=lambda: Scope("client port"))

    def __post_init__(self) -> None:
        Observing.__post_init__(self)
        self.messages = Messages(self.rules, self.deadlines, self.timing)

    def excused_until(self, now: int) -> int:
        """Time (ps) before ``now`` in which the bench held the DUT up."""
        return self.held.total(now)

    def reset(self) -> None:
        """The DUT was reset: nothing is owed or remembered any more."""
        self.deadlines.clear()
        self.tx_held.clear()
        self.held.clear()
        self.answers_held.clear()
        self.refused.clear()
        self.messages.reset()
        self.former = None
        self.arrivals = 0
        self.idle_claim = 0
        self._samples.clear()

    @property
    def window(self) -> int:
        """Counted time (ps) after which an output must know of an input that has settled."""
        return self.timing.settle + self.timing.pipe_out

    def clock(self) -> int:
        """What the clock of the MAC port shows now."""
        return self.tx_held.free(self.now)

    def clock_at(self, settled: int) -> int:
        """What that clock shows, at the latest, at ``settled`` (ps, not long from now)."""
        return self.tx_held.free(self.now) + max(settled - self.now, 0)

    def late(self, clock: int) -> bool:
        """Return whether a frame that begins now was decided after what settled at ``clock``."""
        return self.tx_held.free(self.now) - clock > self.window

    def sample(self) -> None:
        """A frame to the MAC begins now."""
        self._samples.append((self.now, self.clock()))

    def decided_since(self) -> int:
        """Return the earliest time (ps) at which a frame that begins now may have been granted."""
        clock = self.clock()
        for time, then in reversed(self._samples):
            if clock - then >= self.window:
                return self.now - self.window if self.now - time == clock - then else time
        return min(self.now - self.window, self._samples[0][0] if self._samples else self.now)

    def hold(self, reason: object, now: int, on: bool, mac: bool = True) -> None:
        """``reason`` holds the DUT up from ``now`` on, or no longer; ``mac``: its frames to the MAC."""
        for held in (self.held, self.answers_held, *([self.tx_held] if mac else [])):
            (held.begin if on else held.end)(reason, now)

    def must_answer(self, rule: str, what: str, why: str, scope: Scope) -> Must:
        """Open the obligation to send an acknowledge or a CNP, once their flow may send."""
        excused = self.answers_held.total
        return self.deadlines.must(rule, what, why, scope, self.liveness(), excused=excused)

    def handed_over(self, duty: Must | None) -> None:
        """A packet leaves for the client, as ``duty`` wants since it is in hand."""
        self.deadlines.meet(duty)
        if duty is not None and duty.since < self.idle_claim:
            why = "the packet that leaves was in hand"
            self.rules.fail("RCL-129", "RCLINK_IDLE_O[0] = 0", 1, why, self.client)

    def refuse(self, payload: bytes, rule: str, why: str) -> None:
        """Remember a frame that must be dropped; it tempts the DUT to deliver it."""
        self.refused.append(Refused(payload, rule, why))
        self.rules.tempt(rule, CLIENT_PATH)

    def refused_with(self, payload: bytes) -> Refused | None:
        """Return the latest refused frame that carried ``payload``."""
        return next((entry for entry in reversed(self.refused) if entry.payload == payload), None)
