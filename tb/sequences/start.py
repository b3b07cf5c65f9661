"""Reset, bring-up and connection in one step: the opening of most scenarios."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from tb.host import DeviceConfig
from tb.sequences.connect import Bench, Link, connect

FIRST_QP = 2
"""Lowest number of a data queue pair; number 1 is for management frames."""

Case = TypeVar("Case")


async def bring_up(bench: Bench, **device: Any) -> None:
    """Documented global bring-up; ``device`` overrides fields of DeviceConfig, all queue pairs of the build
    enabled.
    """
    defaults = DeviceConfig(qp_count=bench.host.config.qp_count)
    bench.host.config = dataclasses.replace(defaults, **device)
    await bench.host.open()


async def start(
    bench: Bench, number: int = FIRST_QP, peer: dict[str, Any] | None = None, **settings: Any
) -> Link:
    """Bring-up with defaults and one connected queue pair; ``settings`` go to QpConfig, ``peer`` to the
    peer.
    """
    await bring_up(bench)
    return await connect(bench, number, peer, **settings)


def data_qps(bench: Bench) -> range:
    """Numbers of all data queue pairs of this build."""
    return range(FIRST_QP, bench.host.config.qp_count + 1)


def batches(bench: Bench, cases: Iterable[Case], spare: int = 0) -> Iterator[Sequence[tuple[int, Case]]]:
    """Cases that each use up a queue pair, in groups of (queue pair number, case) that fit the build.

    The last ``spare`` queue pairs are left out.
    """
    numbers = data_qps(bench)[: -spare or None]
    waiting = list(cases)
    while waiting:
        group = waiting[: len(numbers)]
        del waiting[: len(group)]
        yield list(zip(numbers, group, strict=False))


async def reset(bench: Bench) -> None:
    """Reset the DUT with all that is under way; host and partner forget their queue pairs, memory stays."""
    bench.partner.reset()
    await bench.env.clock_reset.reset()
    bench.host.forget()
