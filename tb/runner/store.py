"""Results on disk: what regress and qualify leave behind and the report reads.

::

    build/results/<dut>/run/<sim>/<run>/          single runs (not part of the report)
    build/results/<dut>/regress/<sim>/<run>/      runs of the latest regression
    build/results/<dut>/regress/<sim>/summary.json, junit.xml
    build/results/<dut>/qualify/<sim>/<run>/      runs of the latest qualification
    build/results/<dut>/qualify-<sim>.json
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ref_model.errors import UserError
from tb.runner import tools
from tb.runner.binding import Binding
from tb.runner.paths import results_root

SUMMARY = "summary.json"


def regress_directory(label: str, sim: str) -> Path:
    """Directory of the latest regression of a DUT on a simulator."""
    return results_root() / label / "regress" / sim


def qualify_directory(label: str, sim: str) -> Path:
    """Directory of the runs of the latest qualification."""
    return results_root() / label / "qualify" / sim


def qualify_file(label: str, sim: str) -> Path:
    """Result of the latest complete qualification."""
    return results_root() / label / f"qualify-{sim}.json"


def stamp(binding: Binding, sim: str) -> dict[str, Any]:
    """What results are valid for: commit, tools, RTL hash, knobs, and when they were made (UTC)."""
    return {
        "dut": binding.label,
        "binding": str(binding.path),
        "sim": sim,
        "commit": tools.commit(),
        "tools": tools.tool_versions(),
        "source_hash": binding.source_hash(),
        "knobs": dict(binding.knobs),
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file so that readers see the old or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """Read a result file.

    Raises:
        UserError: the file is cut short or no JSON.
    """
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise UserError(f"{path}: no valid JSON ({error}): remove it and run again") from error
    return data


@contextmanager
def exclusive(label: str, kind: str, sim: str) -> Iterator[None]:
    """Keep a second regression or qualification of the same DUT and simulator out.

    Raises:
        UserError: one is running.
    """
    path = results_root() / label / f".{kind}-{sim}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another {kind} of {label} on {sim} is running: wait for it, or set RDMA_DV_BUILD"
            ) from None
        yield
