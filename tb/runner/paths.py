"""Where things are: project tree, build tree, results."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""Top of the project tree (the package is used from its tree, by an editable install)."""


def build_root() -> Path:
    """Directory of everything generated: ``build/`` in the project, or ``$RDMA_DV_BUILD``."""
    chosen = os.environ.get("RDMA_DV_BUILD")
    return Path(chosen).resolve() if chosen else ROOT / "build"


def cache_root() -> Path:
    """Directory of compiled simulations."""
    return build_root() / "cache"


def results_root() -> Path:
    """Directory of run results, one sub-directory per DUT label."""
    return build_root() / "results"


def report_root() -> Path:
    """Directory of the HTML report and signoff.json."""
    return build_root() / "report"


def shown(path: Path) -> str:
    """Path as printed: relative to the current directory where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
