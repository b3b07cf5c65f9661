"""Agents of the narrow ports, VALID/READY or pulses without READY: doorbells, tokens, status, credits.

Sinks take what the DUT offers with a ready generator; sources offer doorbells to the DUT. Both publish a
SideBand event per accepted beat, with the payload pins as a tuple in the order of the configuration.
Not checked here: stability (tb/hdl/axis_checker.sv) and values (the model).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from cocotb.triggers import Event

from ref_model.errors import UserError
from ref_model.events import SideBand
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.channels import SinkChannel, SourceChannel
from tb.agents.generators import StallConfig, Stalls
from tb.agents.pins import ResetLine, TransferAborted, now_ps, word


@dataclass
class SideBandConfig:
    """Pins and knobs of one narrow port.

    ``values`` are the payload pins, perhaps none; without ``ready`` each clock with VALID is a beat.
    ``stalls`` are clocks of VALID without READY (sink) or idle clocks before an item (source).
    """

    port: str
    valid: Any
    ready: Any | None
    values: tuple[Any, ...]
    clock: Any
    reset: Any
    reset_active: int = 0
    seed: int = 0
    path: str = "sideband"
    stalls: StallConfig = field(default_factory=StallConfig)


class SideBandMonitor(Monitor):
    """SideBand events from the pins."""

    def setup(self, config: SideBandConfig, drive_ready: bool) -> None:
        """Take the pins (called by the agent)."""
        self._port, self._values = config.port, config.values
        self.stalls = Stalls(config.stalls, config.seed, f"{config.path}/stalls")
        draw = self.stalls.draw if drive_ready else None
        self.channel = SinkChannel(config.clock, config.valid, config.ready, self._on_beat, stalls=draw)

    def open_begin(self) -> int | None:
        """First VALID of the beat under way."""
        return self.channel.begin

    def _on_beat(self, begin: int, now: int) -> None:
        self.publish(SideBand(begin, now, self._port, tuple(word(pin) for pin in self._values)))


class _SideBandAgent(Agent):
    """What both directions share."""

    drives_ready: bool

    def build_phase(self) -> None:
        """Create the monitor from the :class:`SideBandConfig` under "config"."""
        super().build_phase()
        self.config = config_of(self, SideBandConfig)
        self.reset_line = ResetLine(self.config.reset, self.config.reset_active)
        self.monitor = SideBandMonitor.create("monitor", self)
        self.monitor.setup(self.config, self.drives_ready and self.active())

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor."""
        return (self.monitor,)

    def drive_idle(self) -> None:
        """READY low."""
        self.monitor.channel.idle()

    def start(self) -> None:
        """Reset released."""
        self.monitor.channel.start()

    def abort(self) -> None:
        """Reset asserted."""
        self.monitor.channel.abort()


class SideBandSinkAgent(_SideBandAgent):
    """Takes beats from the DUT; ``hold()`` and ``release()`` stop and resume READY for any time."""

    drives_ready = True

    @property
    def generators(self) -> tuple[Stalls, ...]:
        """Stalls of READY."""
        return (self.monitor.stalls,)

    def hold(self) -> None:
        """Keep READY low until :meth:`release`."""
        self.monitor.channel.hold()
        self.monitor.held.add("ready")

    def release(self) -> None:
        """End :meth:`hold`."""
        self.monitor.channel.release()
        self.monitor.held.discard("ready")


@dataclass(slots=True)
class _Offer:
    values: tuple[int, ...]
    done: Event
    accepted: bool = False


class SideBandSourceAgent(_SideBandAgent):
    """Offers beats to the DUT."""

    drives_ready = False

    def build_phase(self) -> None:
        """Create monitor and source."""
        super().build_phase()
        config = self.config
        self._offers: deque[_Offer] = deque()
        gaps = self._gaps = Stalls(config.stalls, config.seed, f"{config.path}/gaps")
        self._source: SourceChannel[_Offer] = SourceChannel(
            config.clock, config.valid, config.ready, self._drive, gaps, self._accepted
        )

    @property
    def generators(self) -> tuple[Stalls, ...]:
        """Gaps before an offer."""
        return (self._gaps,)

    @property
    def idle(self) -> bool:
        """Whether nothing is offered."""
        return not self._offers

    def _drive(self, offer: _Offer) -> None:
        for pin, value in zip(self.config.values, offer.values, strict=True):
            pin.value = value

    def _accepted(self, offer: _Offer) -> None:
        self._offers.popleft()
        offer.accepted = True
        offer.done.set()

    async def send(self, *values: int) -> None:
        """Offer one beat and return when the DUT took it; TransferAborted when a reset comes first."""
        await self.send_all([values])

    async def send_all(self, beats: list[tuple[int, ...]]) -> None:
        """Offer one or more beats back to back, return when the last was taken; TransferAborted on reset."""
        wrong = [values for values in beats if len(values) != len(self.config.values)]
        if wrong:
            raise UserError(
                f"{self.config.port}: {len(wrong[0])} values, allowed are {len(self.config.values)}"
            )
        offers = [_Offer(values, Event()) for values in beats]
        self._offers.extend(offers)
        self._source.put_all(offers)
        await offers[-1].done.wait()
        if not offers[-1].accepted:
            raise TransferAborted(f"{self.config.port}: reset before {beats[-1]} was taken, at {now_ps()} ps")

    def drive_idle(self) -> None:
        """VALID low, payload 0."""
        self._source.idle()
        for pin in self.config.values:
            pin.value = 0

    def start(self) -> None:
        """Reset released."""
        super().start()
        self._source.start()

    def abort(self) -> None:
        """Reset asserted: drop offers and release whoever waits."""
        super().abort()
        self._source.abort()
        while self._offers:
            self._offers.popleft().done.set()
