"""Virtual sequences: the phases of a run as pyuvm sequences over a whole bench.

They drive no sequencer of their own; register and frame items go through the sequencers of the agents below
(RegPort, MacAgent). Start them with ``await sequence.start()``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cocotb
from pyuvm import uvm_sequence

from tb.host import WorkRequest
from tb.sequences.connect import Bench, Link, connect
from tb.sequences.start import bring_up, reset
from tb.sequences.traffic import peer_done


class BenchSequence(uvm_sequence):
    """Base: knows the bench."""

    def __init__(self, name: str, bench: Bench) -> None:
        """``bench`` is the running test."""
        super().__init__(name)
        self.bench = bench


class ResetSequence(BenchSequence):
    """Resets the DUT; host and partner forget their queue pairs."""

    async def body(self) -> None:
        """Do it."""
        await reset(self.bench)


class ConfigureSequence(BenchSequence):
    """Bring-up and connected queue pairs; ``links`` holds them by number afterwards."""

    def __init__(
        self, bench: Bench, numbers: Sequence[int], device: dict[str, Any] | None = None, **qp: Any
    ) -> None:
        """``device`` overrides DeviceConfig, ``qp`` QpConfig of every queue pair in ``numbers``."""
        super().__init__("configure", bench)
        self.links: dict[int, Link] = {}
        self._numbers = numbers
        self._device = device or {}
        self._qp = qp

    async def body(self) -> None:
        """Configure device and queue pairs."""
        await bring_up(self.bench, **self._device)
        for number in self._numbers:
            self.links[number] = await connect(self.bench, number, **self._qp)


class SendSequence(BenchSequence):
    """Posts work requests on one queue pair and waits for their completions."""

    def __init__(self, bench: Bench, link: Link, requests: Sequence[WorkRequest]) -> None:
        """``requests`` are posted one doorbell each."""
        super().__init__(f"send_{link.number}", bench)
        self._link = link
        self._requests = requests

    async def body(self) -> None:
        """Post and wait."""
        for request in self._requests:
            await self.bench.host.post_send(self._link.qp, request)
        await self.bench.host.wait_completions(self._link.qp)


class ReceiveSequence(BenchSequence):
    """Lets the peer send what is queued at it and frees receive elements until all is acknowledged."""

    def __init__(self, bench: Bench, link: Link) -> None:
        """Queue messages at ``link.peer`` before starting."""
        super().__init__(f"receive_{link.number}", bench)
        self._link = link

    async def body(self) -> None:
        """Run the peer to its end."""
        await peer_done(self.bench, self._link)


class ParallelSequence(BenchSequence):
    """Runs sequences at the same time and ends when all have ended."""

    def __init__(self, bench: Bench, sequences: Sequence[uvm_sequence]) -> None:
        """The first exception of any of them is raised here."""
        super().__init__("parallel", bench)
        self._sequences = sequences

    async def body(self) -> None:
        """Start all, join all."""
        tasks = [cocotb.start_soon(sequence.start()) for sequence in self._sequences]
        for task in tasks:
            await task
