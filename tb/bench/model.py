"""Model speed: frames judged per second of process time, without a simulator.

Two software ERNICs exchange messages of one full packet. Both sides are judged, so every frame is judged
twice: once on its way out and once on its way in. The second figure leaves out the endpoints' own
work.
"""

from __future__ import annotations

import time

from ref_model.rocev2.link import LinkFaults
from tb.bench import Measurement
from tb.bench._soft_ernic import Pair

MESSAGES = 3000
PAYLOAD = (1024, 1024)


def run() -> list[Measurement]:
    """Measure judged frames per second, all work included and for the model alone."""
    pair = Pair(1, LinkFaults(), 1024, 4, PAYLOAD)
    spent_in_model = _clocked(pair)
    start = time.process_time()
    pair.run(MESSAGES)
    total = time.process_time() - start
    return [
        Measurement("model: frames judged, endpoints included", pair.packets / total, "frames/s"),
        Measurement("model: frames judged, model alone", pair.packets / spent_in_model[0], "frames/s"),
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
