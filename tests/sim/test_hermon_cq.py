"""The HERMON CQ smoke suite on every simulator that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb.runner import suite_tests
from tests.sim.smoke import check, simulators

SMOKE = [info.name for info in suite_tests("hermon_cq", "smoke")]


@pytest.mark.parametrize("sim", simulators())
@pytest.mark.parametrize("name", SMOKE)
def test_smoke(name: str, sim: str, tmp_path: Path) -> None:
    check("hermon_cq", name, sim, tmp_path / "run")
