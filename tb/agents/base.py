"""Bases of all agents: a monitor that publishes events, an agent that follows its reset pin.

Order of a run: the agent puts the inputs it drives to their idle level at time 0, starts its transactors when
its reset is released, aborts them when the reset is asserted again (transfers under way are dropped and
whoever waits for them gets :class:`TransferAborted`), and so on. Nothing touches the pins while the DUT is in
reset, which is also what keeps X of a 4-state simulator out of the models.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from pyuvm import (
    ConfigDB,
    UVMConfigItemNotFound,
    uvm_agent,
    uvm_analysis_port,
    uvm_component,
    uvm_monitor,
)

from ref_model.errors import UserError
from tb.agents.pins import ResetLine

Config = TypeVar("Config")


class Generator(Protocol):
    """Whatever leaves clocks idle on purpose."""

    def pause(self) -> None:
        """Leave none idle until :meth:`resume`."""

    def resume(self) -> None:
        """Go on as configured."""


def config_of(component: uvm_component, kind: type[Config]) -> Config:
    """Return the typed ``config`` object of ``component`` from the ConfigDB; UserError when absent."""
    try:
        value = ConfigDB().get(component, "", "config")
    except UVMConfigItemNotFound:
        name = component.get_full_name()
        raise UserError(f"{name}: no {kind.__name__} under 'config' in ConfigDB") from None
    if not isinstance(value, kind):
        raise UserError(
            f"{component.get_full_name()}: 'config' is a {type(value).__name__}, allowed is {kind.__name__}"
        )
    return value


class Monitor(uvm_monitor):
    """Publishes the events of one interface on ``ap``.

    ``count`` is the number published, ``minimum`` the least a test expects by its end (0: none). ``held``
    names the channels on which the bench keeps READY low for as long as it likes.
    """

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.count = 0
        self.minimum = 0
        self.held: set[str] = set()
        self.ap: Any = None

    def build_phase(self) -> None:
        """Create the analysis port."""
        self.ap = uvm_analysis_port("ap", self)

    def publish(self, event: object) -> None:
        """Send one event to all subscribers."""
        self.count += 1
        self.ap.write(event)

    def open_begin(self) -> int | None:
        """Return the begin (ps) of the oldest item that has begun and is not yet published, or None."""
        return None

    def shortfall(self) -> str | None:
        """Return a line saying what is missing when fewer than ``minimum`` items came, else None."""
        if self.count >= self.minimum:
            return None
        return f"{self.get_full_name()}: {self.count} items seen, at least {self.minimum} expected"


class Agent(uvm_agent):
    """Follows the reset pin of its interface; subclasses say what idle, start and abort mean."""

    reset_line: ResetLine

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """All monitors of the agent, to connect and to take the watermark from."""
        raise NotImplementedError

    @property
    def generators(self) -> tuple[Generator, ...]:
        """All idle and back-pressure generators of the agent."""
        return ()

    def calm(self) -> None:
        """Release back-pressure and gaps (end of test): every generator draws 0."""
        for generator in self.generators:
            generator.pause()

    def stir(self) -> None:
        """End :meth:`calm`."""
        for generator in self.generators:
            generator.resume()

    def drive_idle(self) -> None:
        """Drive every input this agent owns to its idle level."""

    def start(self) -> None:
        """The reset was released: begin."""

    def abort(self) -> None:
        """The reset was asserted: drop everything under way."""

    async def run_phase(self) -> None:
        """Start and abort along the reset pin, for ever."""
        self.drive_idle()
        await self.reset_line.wait_asserted()  # a two-state simulator shows a released reset at time 0
        while True:
            await self.reset_line.wait_released()
            self.start()
            await self.reset_line.wait_asserted()
            self.abort()
