"""JUnit XML of a regression, for CI servers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def write_junit(path: Path, suite: str, results: Sequence[dict[str, Any]]) -> None:
    """Write one test case per run; inconclusive runs are errors, deviations are failures."""
    counts = {word: sum(one["verdict"] == word for one in results) for word in ("fail", "inconclusive")}
    root = ET.Element("testsuites")
    node = ET.SubElement(
        root,
        "testsuite",
        name=suite,
        tests=str(len(results)),
        failures=str(counts["fail"]),
        errors=str(counts["inconclusive"]),
        time=f"{sum(one.get('wall_s', 0) for one in results):.3f}",
    )
    for one in results:
        name = (
            f"{one['test']}[{one['sim']}-seed{one['seed']}-v{one.get('variant', 0)}-e{one.get('elastic', 0)}]"
        )
        case = ET.SubElement(node, "testcase", classname=suite, name=name, time=f"{one.get('wall_s', 0):.3f}")
        properties = ET.SubElement(case, "properties")
        ET.SubElement(properties, "property", name="random_seed", value=str(one["seed"]))
        ET.SubElement(properties, "property", name="repeat", value=str(one.get("repeat", "")))
        if one["verdict"] == "pass":
            continue
        kind = "failure" if one["verdict"] == "fail" else "error"
        text = "\n".join(f"{f['rule']}: {f['text']}" for f in one.get("findings", []))
        ET.SubElement(case, kind, message=one.get("reason") or one["verdict"]).text = text
    path.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(root).write(path, encoding="unicode", xml_declaration=True)
