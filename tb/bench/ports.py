"""Transactors: frames, memory bytes and register reads per second, against cocotbext-axi, on each simulator.

The baseline of every row is what cocotbext-axi does on the same design and simulator in the same run.
"""

from __future__ import annotations

from tb.bench import Measurement
from tb.bench._simulate import measure
from tb.runner.tools import SIMULATORS, executable

MODULE = "tb.bench._cases"


def run() -> list[Measurement]:
    """Measure on all installed simulators."""
    return [row for sim in SIMULATORS if executable(sim) is not None for row in _on(sim)]


def _on(sim: str) -> list[Measurement]:
    base = measure(sim, "bench_loop", MODULE, "loop_cocotbext")
    kinds = {
        "C engine": measure(sim, "bench_loop_fast", MODULE, "loop_fast"),
        "Python channels": measure(sim, "bench_loop", MODULE, "loop_python"),
    }
    rows = [
        Measurement(f"{sim}: 512-bit loop-back, {length} B, {name}", values[length], "frames/s", base[length])
        for name, values in kinds.items()
        for length in base
    ]
    ram = measure(sim, "bench_axi", MODULE, "memory_cocotbext")["MB/s"]
    for name, top, case in (
        ("C engine", "bench_axi_fast", "memory_fast"),
        ("Python agent", "bench_axi", "memory_python"),
    ):
        value = measure(sim, top, MODULE, case)["MB/s"]
        rows.append(Measurement(f"{sim}: AXI4 memory, 4 KB bursts, {name}", value, "MB/s", ram))
    master = measure(sim, "bench_lite", MODULE, "registers_cocotbext")["reads/s"]
    value = measure(sim, "bench_lite", MODULE, "registers_agent")["reads/s"]
    rows.append(
        Measurement(f"{sim}: register reads, agent with sequencer and monitor", value, "reads/s", master)
    )
    return rows
