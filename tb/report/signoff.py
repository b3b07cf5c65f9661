"""signoff.json: the numbers a verification engineer signs, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb.report import requirements as req
from tb.report.collect import DutReport
from tb.runner import tools


def signoff(reports: Sequence[DutReport]) -> dict[str, Any]:
    """Content of signoff.json."""
    return {
        "commit": tools.commit(),
        "tools": tools.tool_versions(),
        "duts": {report.label: _dut(report) for report in reports},
    }


def counts(report: DutReport) -> dict[str, int]:
    """Number of requirements per state; ``exercised`` includes the proven ones."""
    states = [item.state for item in report.items]
    return {
        "total": len(report.items),
        "exercised": sum(item.is_exercised for item in report.items),
        "observed": states.count(req.OBSERVED),
        "proven": states.count(req.PROVEN),
        # Proof by altered logs instead of altered RTL is counted apart.
        "proven_trace": states.count(req.PROVEN_TRACE),
        "failed": states.count(req.FAILED),
        "waived": states.count(req.WAIVED),
    }


def _dut(report: DutReport) -> dict[str, Any]:
    killed = [one for one in report.mutants if one["killed"]]
    number = counts(report)
    total = number["total"] or 1
    return {
        "tests": {
            "total": len(report.tests),
            "passed": sum(row.state == "passed" for row in report.tests),
            "failed": sum(row.state == "failed" for row in report.tests),
        },
        "requirements": number | {"items": [item.as_dict() for item in report.items]},
        "mutants": {
            "total": len(report.mutants),
            "killed": len(killed),
            "survivors": [
                {"name": one["name"], "class": one["outcome"]} for one in report.mutants if not one["killed"]
            ],
        },
        "variants": {
            "total": len(report.variants),
            "clean": sum(row.clean for row in report.variants),
        },
        "inconclusive": report.inconclusive,
        "coverage": {
            "requirements_exercised_percent": round(100 * number["exercised"] / total, 1),
            "requirements_proven_percent": round(100 * number["proven"] / total, 1),
        },
        "seeds": report.seeds,
    }
