"""``rdma-dv run``: one test."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tb.cli.options import (
    DEFAULT_SEED,
    dut_option,
    engine_option,
    parse_settings,
    setting_option,
    sim_option,
    timeout_option,
)
from tb.cli.verdicts import print_result
from tb.runner import Job, find_test, load_binding, run
from tb.runner.mutants import find_mutant, find_variant
from tb.tampers import check as check_tampers


@click.command("run")
@dut_option
@click.option("--test", required=True, metavar="NAME", help="Test name (rdma-dv list).")
@click.option("--seed", type=click.IntRange(0), default=DEFAULT_SEED, show_default=True)
@sim_option
@engine_option
@click.option(
    "--judge",
    type=click.Choice(["auto", "inline", "process"]),
    default="auto",
    show_default=True,
    help="Judge in the process of the simulator, in one beside it, or (auto) there if a core is free.",
)
@click.option("--waves", is_flag=True, help="Write dump.vcd.")
@click.option("--mutant", default="0", metavar="NAME|N", help="Fault of the stand-in to switch on.")
@click.option("--variant", default="0", metavar="NAME|N", help="Legal variant of the stand-in.")
@click.option("--elastic", type=click.IntRange(0), default=0, metavar="SEED", help="Elastic shell (0: off).")
@click.option("--tamper", "tampers", multiple=True, metavar="NAME", help="Fault of the testbench itself.")
@setting_option
@timeout_option
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Directory of the run's files.")
def run_command(
    dut: str,
    test: str,
    seed: int,
    sim: str,
    engine: str,
    judge: str,
    waves: bool,
    mutant: str,
    variant: str,
    elastic: int,
    tampers: tuple[str, ...],
    settings: tuple[str, ...],
    timeout_s: float | None,
    out: Path | None,
) -> int:
    """Run one test; print the verdict and the command that repeats it."""
    binding = load_binding(dut)
    find_test(binding.target, test)
    check_tampers(list(tampers))
    knobs, options = parse_settings(binding.target, settings)
    job = Job(
        dut=dut,
        test=test,
        seed=seed,
        sim=sim,
        mutant=find_mutant(binding, mutant),
        variant=find_variant(binding, variant),
        elastic=elastic,
        waves=waves,
        engine=engine,
        judge=_place(judge),
        knobs=knobs,
        options=options,
        tampers=tampers,
        out_dir=out,
        timeout_s=timeout_s,
    )
    result = run(job)
    print_result(result)
    return 0 if result["verdict"] == "pass" else 1


def _place(judge: str) -> str:
    if judge != "auto":
        return judge
    return "process" if len(os.sched_getaffinity(0)) > 1 else "inline"
