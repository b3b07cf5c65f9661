"""One smoke test of a target on one simulator."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tb.runner import Job, run, tests_of
from tb.runner.tools import SIMULATORS, present_simulators


def simulators() -> list[str]:
    """Return the simulators to test on; with RDMA_DV_REQUIRE_TOOLS=1 a missing one is an error later."""
    return list(SIMULATORS) if os.environ.get("RDMA_DV_REQUIRE_TOOLS") == "1" else present_simulators()


def check(target: str, name: str, sim: str, out_dir: Path) -> None:
    """The golden stand-in passes, and every rule the test's docstring claims was decided or observed."""
    result = run(Job(dut=target, test=name, sim=sim, out_dir=out_dir))
    assert result["verdict"] == "pass", f"{result['reason']}\nrepeat: {result['repeat']}"
    claimed = set(re.findall(r"[A-Z]{3}-\d{3}", tests_of(target)[name].doc.partition("Checks:")[2]))
    seen = {rule.partition("/")[0] for rule in (*result["evidence"], *result["observed"])}
    assert claimed <= seen, f"claimed but not decided: {sorted(claimed - seen)}"
