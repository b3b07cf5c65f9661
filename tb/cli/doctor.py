"""``rdma-dv doctor``: which tools are there, and what a missing one costs."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

import click

from tb.cli.console import print_line, print_table
from tb.runner import tools


@dataclass(frozen=True)
class Finding:
    """State of one tool; ``required``: without it nothing can be simulated."""

    tool: str
    version: str | None
    wanted: str
    without: str
    required: bool = False


def examine() -> list[Finding]:
    """Look at every tool the project can use."""
    packages = (
        ("cocotb", "2.1.0", "no simulation", True),
        ("pyuvm", "5.0.0", "no simulation", True),
        ("cocotbext-axi", "0.1.28", "no AXI agents, no simulation", True),
        ("cocotbext-eth", "0.1.28", "no MAC agents, no simulation", True),
        ("systemrdl-compiler", "1.33.0", "registers.json cannot be made anew", False),
        ("scapy", "2.8.0", "no cross-check of the packet codec (tests only)", False),
        ("pytest", "8.2 or later", "make test", False),
    )
    python = platform.python_version()
    findings = [Finding("python", python if sys.version_info >= (3, 10) else None, "3.10", "anything", True)]
    findings += [Finding(name, tools.package_version(name), *rest) for name, *rest in packages]  # type: ignore[arg-type]
    compiler = tools.compiler_version()
    findings += [
        Finding("verilator", _simulator("verilator"), "5.036 or later", "half the simulators, all the speed"),
        Finding("iverilog", _simulator("icarus"), "11 or later", "4-state checks, comparison of simulators"),
        Finding("g++", None if compiler == "missing" else compiler, "any with C++17", "Verilator builds"),
        Finding("make", tools.first_line("make", "--version"), "GNU make", "Verilator builds"),
        Finding("perl", _perl(), "5", "Verilator builds"),
        Finding("tshark", tools.first_line("tshark", "--version"), "any", "decoding of pcapng in tests"),
    ]
    return findings


def _simulator(sim: str) -> str | None:
    return tools.version(sim) if tools.executable(sim) is not None else None


def _perl() -> str | None:
    return tools.first_line("perl", "-e", "print $^V")


@click.command("doctor")
def doctor_command() -> int:
    """Check the tools; exit code 1 when nothing can be simulated."""
    findings = examine()
    print_table(
        "tools",
        ("tool", "found", "wanted", "without it"),
        [(one.tool, one.version or "MISSING", one.wanted, one.without) for one in findings],
    )
    present = {one.tool: one.version is not None for one in findings}
    problems = [
        f"{one.tool} is missing: {one.without}" for one in findings if one.required and not one.version
    ]
    verilator_works = all(present[name] for name in ("verilator", "g++", "make", "perl"))
    if not verilator_works and not present["iverilog"]:
        problems.append("no simulator works: install verilator (with g++, make, perl) or iverilog")
    for problem in problems:
        print_line(problem)
    usable = [sim for sim, ok in (("verilator", verilator_works), ("icarus", present["iverilog"])) if ok]
    print_line(f"usable simulators: {', '.join(usable) or 'none'}")
    return 1 if problems else 0
