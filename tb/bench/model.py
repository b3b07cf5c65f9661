"""Model speed: frames judged per second of process time, without a simulator.

Two software ERNICs exchange messages. Both sides are judged, so every frame is judged
twice: once on its way out and once on its way in. The second figure leaves out the endpoints' own
work.
"""

from __future__ import annotations

import time

from ref_model.rocev2.link import LinkFaults
from tb.bench import Measurement
from tb.bench._soft_ernic import Pair

PMTU = 1024
SHAPES = {"one-packet messages": (3000, PMTU), "8-packet messages": (600, 8 * PMTU)}


def run() -> list[Measurement]:
    """Measure judged frames per second, all work included and for the model alone."""
    return [measurement for name, shape in SHAPES.items() for measurement in _measure(name, *shape)]


def _measure(name: str, messages: int, length: int) -> list[Measurement]:
    pair = Pair(1, LinkFaults(), PMTU, 4, (length, length))
    spent_in_model = _clocked(pair)
    start = time.process_time()
    pair.run(messages)
    total = time.process_time() - start
    return [
        Measurement(f"model: {name}, endpoints included", pair.packets / total, "frames/s"),
        Measurement(f"model: {name}, model alone", pair.packets / spent_in_model[0], "frames/s"),
    ]


def _clocked(pair: Pair) -> list[float]:
    """Add up the process time spent inside the two models."""
    spent = [0.0]
    for side in pair.sides:
        observe = side.model.observe

        def timed(event: object, observe: object = observe) -> None:
            start = time.process_time()
            observe(event)  # type: ignore[operator]
            spent[0] += time.process_time() - start

        side.model.observe = timed  # type: ignore[method-assign]
    return spent
