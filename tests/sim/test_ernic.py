"""The ERNIC smoke suite on every simulator that is there."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tb.runner import Job, run, suite_tests, tests_of
from tb.runner.tools import SIMULATORS, present_simulators

SMOKE = [info.name for info in suite_tests("ernic", "smoke")]


def simulators() -> list[str]:
    """Return the simulators to test on; with RDMA_DV_REQUIRE_TOOLS=1 a missing one is an error later."""
    return list(SIMULATORS) if os.environ.get("RDMA_DV_REQUIRE_TOOLS") == "1" else present_simulators()


@pytest.mark.parametrize("sim", simulators())
@pytest.mark.parametrize("name", SMOKE)
def test_smoke(name: str, sim: str, tmp_path: Path) -> None:
    """The golden stand-in passes, and every rule the test's docstring claims was decided or observed."""
    result = run(Job(dut="ernic", test=name, sim=sim, out_dir=tmp_path / "run"))
    assert result["verdict"] == "pass", f"{result['reason']}\nrepeat: {result['repeat']}"
    claimed = set(re.findall(r"ERN-\d{3}", tests_of("ernic")[name].doc.partition("Checks:")[2]))
    seen = {rule.partition("/")[0] for rule in (*result["evidence"], *result["observed"])}
    assert claimed <= seen, f"claimed but not decided: {sorted(claimed - seen)}"
