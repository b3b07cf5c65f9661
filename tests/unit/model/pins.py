"""A model fed by hand: registers by name, pause vectors, frames that are not RoCE."""

from __future__ import annotations

from ref_model.ernic import ErnicModel
from ref_model.events import Event, FrameIn, FrameOut, PauseIn, PauseOut, RegRead, RegWrite, Reset
from ref_model.registers import layout
from tb.bench._soft_ernic import OWN
from tb.host.names import RegisterNames

CLOCK = 4_000
US = 1_000_000
KNOBS = {**OWN, "LIVENESS_CLKS": 5_000}
"""Twenty microseconds to live up to an obligation."""


class Pins:
    """Time moves on by ``step`` ps per event unless told otherwise."""

    def __init__(self, **knobs: object) -> None:
        self.model = ErnicModel({**KNOBS, **knobs})
        self.names = RegisterNames(layout("ernic"))
        self.now = 0
        self.sent = 0
        self.see(Reset(0, True))
        self.see(Reset(CLOCK, False))
        self.write("XRNICCONF", 1)

    def see(self, event: Event) -> None:
        """Hand over one event."""
        self.now = max(self.now, event.begin)
        self.model.observe(event)

    def wait(self, microseconds: float) -> None:
        """Let time pass."""
        self.now += round(microseconds * US)
        self.model.advance(self.now)

    def _tick(self, clocks: int = 8) -> int:
        self.now += clocks * CLOCK
        return self.now

    def write(self, name: str, value: int, index: int | None = None) -> None:
        """Register write."""
        time = self._tick()
        self.see(RegWrite(time, time + CLOCK, self.names.address(name, index), value))

    def read(self, name: str, value: int) -> None:
        """Register read that returned ``value``."""
        time = self._tick()
        self.see(RegRead(time, time + CLOCK, self.names.address(name), value))
        self.now += CLOCK

    def pause(self, *lines: int) -> None:
        """The peer asks for a pause of these priorities."""
        self.see(PauseIn(self._tick(), sum(1 << line for line in lines)))

    def asks(self, *lines: int) -> None:
        """The DUT asks for a pause of these priorities."""
        self.see(PauseOut(self._tick(), "ctl_tx_pause_req", sum(1 << line for line in lines)))

    def host_frame(self) -> bytes:
        """The host gives the DUT a frame to send."""
        self.sent += 1
        data = bytes(12) + b"\x08\x06" + self.sent.to_bytes(46, "big")
        time = self._tick()
        self.see(FrameIn(time, time + CLOCK, "non_roce_tx", data))
        return data

    def leaves(self, data: bytes, duration: int = CLOCK) -> None:
        """A frame leaves the MAC output."""
        time = self._tick()
        self.see(FrameOut(time, time + duration, "tx", data))

    def arrives(self, data: bytes) -> None:
        """A frame that is not RoCE comes in from the MAC."""
        time = self._tick()
        self.see(FrameIn(time, time + CLOCK, "non_roce_rx", data))

    def to_host(self, data: bytes, duration: int = CLOCK) -> None:
        """A frame comes out towards the host."""
        time = self._tick()
        self.see(FrameOut(time, time + duration, "non_roce_host", data))

    def rules(self, finish: bool = True) -> list[str]:
        """Rules of the findings so far, those of the end of test included."""
        if finish:
            self.model.finish()
        return [finding.rule for finding in self.model.rules.findings]

    def evidence(self, rule: str) -> int:
        """Decided checks of ``rule``."""
        return self.model.rules.evidence[rule]
