"""AXI4 memory agent whose beats move in C (configuration and behaviour as tb/agents/axi.py)."""

from __future__ import annotations

from typing import Any

from ref_model.errors import UserError
from ref_model.events import MemRead, MemWrite
from tb.agents.axi import AxiMemoryConfig, ErrorRegion
from tb.agents.base import Agent, Monitor, config_of
from tb.agents.generators import Latency
from tb.agents.pins import ResetLine
from tb.fast.engine import WRITE, Finished, Purpose, engine
from tb.fast.hub import FastMonitor
from tb.fast.ports import FastPorts

_HOLD_BIT = {"aw": 0, "w": 1, "ar": 2}

LAST_STOP = (1 << 64) - 1  # what the engine takes for the end of a region has 64 bits


class FastMemoryMonitor(FastMonitor):
    """Bursts of one master."""

    @property
    def outstanding_max(self) -> int:
        """Most bursts accepted and not finished at a time, both directions."""
        return int(self._engine.outstanding_max(self.number))


class FastMemoryAgent(Agent):
    """Monitor and responder of one AXI4 master port of the DUT, in the C engine."""

    def build_phase(self) -> None:
        """Open the port as the :class:`AxiMemoryConfig` under "config" says."""
        super().build_phase()
        config = self.config = config_of(self, AxiMemoryConfig)
        if not self.active():
            raise UserError(f"{config.path}: a passive memory port, allowed with engine c are active ones")
        self.reset_line = ResetLine(config.reset, config.reset_active)
        lib = self._lib = engine()
        self._ports = FastPorts.of(self)
        port = self._ports.port(config.prefix)
        self._number, self._hold = port.number, port.hold
        lib.open_memory(
            port.number, self._ports.width(config.prefix, "wdata"), config.period_ps, config.reorder
        )
        lib.latency(port.number, True, config.write_latency, config.seed, f"{config.path}/write_latency")
        lib.latency(port.number, False, config.read_latency, config.seed, f"{config.path}/read_latency")
        stalls = {
            Purpose.AW: ("aw_stall", config.aw_stall),
            Purpose.W: ("w_stall", config.w_stall),
            Purpose.AR: ("ar_stall", config.ar_stall),
            Purpose.B: ("b_gap", config.b_gap),
            Purpose.R: ("r_gap", config.r_gap),
        }
        self._switches = [
            lib.generator(port.number, purpose, stall, config.seed, f"{config.path}/{name}")
            for purpose, (name, stall) in stalls.items()
        ]
        self.set_error_regions(config.error_regions)
        self.monitor = FastMemoryMonitor.create("monitor", self)
        self.monitor.setup(lib, port.number, self._event)

    def _event(self, item: Finished) -> MemWrite | MemRead:
        port = self.config.port
        if item.kind == WRITE:
            return MemWrite(item.begin, item.settled, port, item.addr, item.data, item.mask, item.flag)
        return MemRead(item.begin, item.settled, port, item.addr, item.data, item.flag)

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The one monitor of the port."""
        return (self.monitor,)

    @property
    def generators(self) -> tuple[Any, ...]:
        """Stalls of AW, W and AR, gaps of B and R."""
        return tuple(self._switches)

    def set_error_regions(self, regions: list[ErrorRegion]) -> None:
        """Replace the address ranges that answer with an error."""
        self.config.error_regions = list(regions)
        rows = [(one.start, min(one.stop, LAST_STOP), one.resp, one.reads, one.writes) for one in regions]
        self._lib.regions(self._number, rows)

    def set_write_latency(self, latency: Latency) -> None:
        """Answer the writes that come from now on after another latency."""
        self._lib.change_latency(self._number, True, latency)

    def hold(self, channel: str) -> None:
        """Keep READY of ``channel`` ("aw", "w", "ar") low until :meth:`release`."""
        self._ports.hold(self._hold + self._bit(channel), True)
        self.monitor.held.add(channel)

    def release(self, channel: str) -> None:
        """End :meth:`hold`."""
        self._ports.hold(self._hold + self._bit(channel), False)
        self.monitor.held.discard(channel)

    def _bit(self, channel: str) -> int:
        if channel not in _HOLD_BIT:
            raise UserError(f"{self.config.prefix}: channel {channel!r}, allowed are aw, w, ar")
        return _HOLD_BIT[channel]

    def abort(self) -> None:
        """Reset asserted: forget all bursts."""
        self._lib.abort(self._number)
