"""Model speed: frames judged per second of process time, without a simulator.

Two software ERNICs exchange messages. Both sides are judged, so every frame is judged
twice: once on its way out and once on its way in. The second figure leaves the endpoints' own work out: the
events of the first run are shown to a fresh model.
"""

from __future__ import annotations

import gc
import time

from ref_model.ernic import ErnicModel
from ref_model.events import Event
from ref_model.rocev2.link import LinkFaults
from tb.bench import Measurement
from tb.bench._soft_ernic import OWN, Pair

PMTU = 1024
LOSSY = LinkFaults(drop=0.01, duplicate=0.01, reorder=0.01, corrupt=0.01)
SHAPES = {
    "one-packet messages": (3000, PMTU, LinkFaults()),
    "one-packet messages, lossy link": (3000, PMTU, LOSSY),
    "8-packet messages": (600, 8 * PMTU, LinkFaults()),
    "8-packet messages, lossy link": (600, 8 * PMTU, LOSSY),
}


def run() -> list[Measurement]:
    """Measure judged frames per second, all work included and for the model alone."""
    return [measurement for name, shape in SHAPES.items() for measurement in _measure(name, *shape)]


def _measure(name: str, messages: int, length: int, faults: LinkFaults) -> list[Measurement]:
    pair = Pair(1, faults, PMTU, 4, (length, length))
    start = time.process_time()
    pair.run(messages)
    total = time.process_time() - start
    alone = sum(_replay(side.log) for side in pair.sides)
    return [
        Measurement(f"model: {name}, endpoints included", pair.packets / total, "frames/s"),
        Measurement(f"model: {name}, model alone", pair.packets / alone, "frames/s"),
    ]


def _replay(log: list[Event]) -> float:
    """Return the process time (s) a fresh model takes for the events of ``log``."""
    model = ErnicModel(OWN)
    gc.collect()
    gc.freeze()  # a simulation holds no log of its events: the collector need not look at this one
    start = time.process_time()
    for event in log:
        model.observe(event)
    spent = time.process_time() - start
    gc.unfreeze()
    return spent
