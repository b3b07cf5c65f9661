"""Cost of opening the register layer of a 2048-QP build and touching one register of the last QP."""

from __future__ import annotations

import time
import tracemalloc

from tb.bench import Measurement
from tb.registers.layer import RegisterLayer
from tb.registers.sequences import JSON_PATH


class _NoPort:
    """Front door that is never used."""

    async def write(self, addr: int, data: int, strb: int = 0xF) -> None:
        """Do nothing."""

    async def read(self, addr: int) -> int:
        """Return 0."""
        return 0


def _open() -> RegisterLayer:
    layer = RegisterLayer(JSON_PATH, _NoPort(), counts={"QP": 2048, "MR": 2048})
    layer.QP[2047].SQPI.address()
    return layer


def run() -> list[Measurement]:
    """Milliseconds to open a layer of 2048 QPs, and the peak of Python memory (MB) while doing so."""
    start = time.perf_counter()
    _open()
    elapsed = time.perf_counter() - start
    tracemalloc.start()
    try:
        _open()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return [
        Measurement("registers: open 2048 QPs, touch one", 1000 * elapsed, "ms"),
        Measurement("registers: peak memory of that", peak / 1e6, "MB"),
    ]
