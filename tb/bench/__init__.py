"""Benchmarks: every module of this package with a function ``run()`` is one.

``run() -> list[Measurement]``, or dicts with the same keys. A baseline is measured in the same process, so
that the ratio holds on any machine; absolute values do not.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ref_model.errors import UserError


@dataclass(frozen=True)
class Measurement:
    """One measured value; ``baseline`` is the same quantity of what it is compared with, in the same unit."""

    name: str
    value: float
    unit: str
    baseline: float | None = None

    @property
    def ratio(self) -> float | None:
        """``value / baseline``."""
        return None if not self.baseline else self.value / self.baseline

    def as_dict(self) -> dict[str, Any]:
        """Plain data: name, value, unit, baseline, ratio."""
        return asdict(self) | {"ratio": self.ratio}


def benchmarks() -> list[str]:
    """Names of the benchmark modules."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def run_benchmark(name: str) -> list[Measurement]:
    """Run one module.

    Raises:
        UserError: the module has no ``run``.
    """
    module = importlib.import_module(f"{__name__}.{name}")
    function = getattr(module, "run", None)
    if function is None:
        raise UserError(f"{module.__file__}: no function run()")
    return [_measurement(one) for one in function()]


def _measurement(item: Measurement | Mapping[str, Any]) -> Measurement:
    if isinstance(item, Measurement):
        return item
    return Measurement(item["name"], item["value"], item["unit"], item.get("baseline"))
