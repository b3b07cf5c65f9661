"""The link partner in a simulation: PartnerCore on a MacAgent, timers by cocotb."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

from ref_model.events import FrameOut
from tb.agents.pins import now_ps
from tb.partner.core import PartnerCore
from tb.partner.legality import Checker
from tb.partner.timer import Alarm


class Mac(Protocol):
    """What the partner needs of the MAC agent."""

    on_frame_out: list[Callable[[FrameOut], None]]

    def send_nowait(self, data: bytes, good: bool = True) -> Any:
        """Queue a frame for the DUT's RoCE input."""


class LinkPartner(PartnerCore):
    """Endpoints, faults and raw injection on the RoCE ports of one DUT.

    Reacts in the time step in which a frame leaves the DUT; a timer runs only while an endpoint waits for
    one.
    """

    def __init__(
        self,
        mac: Mac,
        rng: random.Random,
        checker: Checker,
        port: str = "tx",
        off_edge: Callable[[int], int] = lambda time: time,
    ) -> None:
        """Attach to ``mac``; ``port`` is the name of the output the partner listens to.

        ``off_edge`` moves a time away from the clock edges of the DUT.
        """
        self._alarm = Alarm(self.tick, off_edge)
        super().__init__(self._put, now_ps, self._alarm.at, rng, checker)
        self._mac = mac
        self._port = port
        mac.on_frame_out.append(self._frame_out)

    def _put(self, data: bytes, good: bool) -> None:
        self._mac.send_nowait(data, good)

    def _frame_out(self, event: FrameOut) -> None:
        if event.port == self._port:
            self.from_dut(event.data)

    def stop(self) -> None:
        """Cancel the timer (end of test, reset)."""
        self._alarm.stop()
