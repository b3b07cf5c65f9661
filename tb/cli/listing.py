"""``rdma-dv list``: what there is to run."""

from __future__ import annotations

import click

from tb.cli.console import print_line, print_table
from tb.runner import behaviour, dut_names, load_binding, tests_of
from tb.runner.mutants import read_manifest


@click.command("list")
@click.option("--dut", metavar="NAME|FILE.toml", help="DUT whose tests are listed (default: list the DUTs).")
@click.option("--mutants", is_flag=True, help="Also its mutants and legal variants.")
@click.option("--knobs", is_flag=True, help="Also its knobs and their values.")
def list_command(dut: str | None, mutants: bool, knobs: bool) -> int:
    """List DUTs, or tests, mutants and knobs of one."""
    if dut is None:
        for name in dut_names():
            print_line(name)
        return 0
    binding = load_binding(dut)
    tests = tests_of(binding.target).values()
    print_table(
        f"tests of {binding.label}",
        ("test", "suites", "behaviour"),
        [(one.name, " ".join(one.suites), behaviour(one.doc)) for one in tests],
    )
    if mutants:
        manifest = read_manifest(binding)
        print_table(
            "mutants",
            ("no", "mutant", "rules", "test", "description"),
            [(m.number, m.name, " ".join(m.rules), m.test, m.description) for m in manifest.mutants],
        )
        print_table(
            "legal variants",
            ("no", "variant", "description"),
            [(one.number, one.name, one.description) for one in manifest.variants],
        )
    if knobs:
        print_table("knobs", ("knob", "value"), sorted(binding.knobs.items()))
    return 0
