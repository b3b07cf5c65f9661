"""External tools that a test compares with."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def tshark(*arguments: str | Path) -> str:
    """Standard output of tshark. Not installed: skip, or fail where RDMA_DV_REQUIRE_TOOLS=1."""
    program = shutil.which("tshark")
    if program is None:
        if os.environ.get("RDMA_DV_REQUIRE_TOOLS") == "1":
            pytest.fail("tshark not installed")
        pytest.skip("tshark not installed")
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
