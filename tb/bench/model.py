"""Model speed: frames judged per second of process time, without a simulator.

Two software ERNICs exchange messages. Both sides are judged, so every frame is judged
twice: once on its way out and once on its way in. The second figure leaves the endpoints' own work out: the
events of the first run are shown to a fresh model.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from ref_model.ernic import ErnicModel
from ref_model.events import Event, FrameIn, FrameOut
from ref_model.link import LinkFaults
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


#: Queue pairs set up beside the two that carry the traffic.
SIZES = (8, 256, 2047)
#: Frames after which the cost of a frame is looked at.
AGES = (1_000, 100_000, 1_000_000)
LOOK = 4_000
#: First events of a run, in which the model learns once what the registers say.
SETTING_UP = 300


def run() -> list[Measurement]:
    """Measure judged frames per second: by message shape, number of queue pairs and age of the run."""
    shapes = [measurement for name, shape in SHAPES.items() for measurement in _measure(name, *shape)]
    return [*shapes, *_by_size(), *_by_age()]


def _measure(name: str, messages: int, length: int, faults: LinkFaults) -> list[Measurement]:
    pair = Pair(1, faults, PMTU, 4, (length, length))
    start = time.process_time()
    pair.run(messages)
    total = time.process_time() - start
    alone = sum(_replay(ErnicModel(OWN), side.log or []) for side in pair.sides)
    return [
        Measurement(f"model: {name}, endpoints included", pair.packets / total, "frames/s"),
        Measurement(f"model: {name}, model alone", pair.packets / alone, "frames/s"),
    ]


def _by_size() -> list[Measurement]:
    """The same traffic with more and more queue pairs set up; the baseline is the smallest number."""
    pair = Pair(1, LinkFaults(), PMTU, 4, (PMTU, PMTU), {"C_NUM_QP": 2048})
    first = len(pair.sides[0].log or [])
    pair.run(2000)
    log = pair.sides[0].log or []
    rates: dict[int, float] = {}
    for size in SIZES:
        model = ErnicModel({**OWN, "C_NUM_QP": 2048})
        for event in log[:first]:
            model.observe(event)
        for event in pair.sides[0].others(size, log[first - 1].begin):
            model.observe(event)
        _replay(model, log[first : first + SETTING_UP])
        frames = sum(isinstance(event, FrameIn | FrameOut) for event in log[first + SETTING_UP :])
        rates[size] = frames / _replay(model, log[first + SETTING_UP :])
    return [
        Measurement(f"model: {size} QPs set up", rate, "frames/s", rates[SIZES[0]])
        for size, rate in rates.items()
    ]


def _by_age() -> list[Measurement]:
    """The cost of a frame after more and more frames of one run; the baseline is the first look."""
    pair = Pair(1, LinkFaults(), PMTU, 4, (64, 64))
    for side in pair.sides:
        side.log = None
    rates: dict[int, float] = {}
    for age in AGES:
        pair.run(max(0, (age - pair.packets) // 8))
        before, spent = pair.packets, _clocked(pair)
        pair.run(LOOK // 8)
        rates[age] = (pair.packets - before) / spent[0]
    first = rates[AGES[0]]
    return [Measurement(f"model: after {age} frames", rate, "frames/s", first) for age, rate in rates.items()]


def _clocked(pair: Pair) -> list[float]:
    """Add up the process time spent inside the two models from now on."""
    spent = [0.0]
    for side in pair.sides:
        observe = type(side.model).observe.__get__(side.model)

        def timed(event: Event, observe: Callable[[Event], None] = observe) -> None:
            start = time.process_time()
            observe(event)
            spent[0] += time.process_time() - start

        side.model.observe = timed  # type: ignore[method-assign]
    return spent


def _replay(model: ErnicModel, log: list[Event]) -> float:
    """Return the process time (s) ``model`` takes for the events of ``log``."""
    gc.collect()
    gc.freeze()  # a simulation holds no log of its events: the collector need not look at this one
    start = time.process_time()
    for event in log:
        model.observe(event)
    spent = time.process_time() - start
    gc.unfreeze()
    return spent
