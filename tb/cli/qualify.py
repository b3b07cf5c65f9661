"""``rdma-dv qualify``: does every fault of the stand-in die by the rule it breaks?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ref_model.errors import UserError
from tb.cli.classify import MEANING, Outcome, classify, fault_activated
from tb.cli.console import Board, print_line, print_table
from tb.cli.options import (
    DEFAULT_SEED,
    dut_option,
    engine_option,
    jobs_option,
    parse_settings,
    setting_option,
    sim_option,
    timeout_option,
)
from tb.cli.pool import Execute, run_jobs
from tb.runner import Binding, Job, load_binding, tests_of
from tb.runner.mutants import Mutant, find_mutant, read_manifest
from tb.runner.results import Result
from tb.runner.seeds import run_seed
from tb.runner.store import exclusive, qualify_directory, qualify_file, stamp, write_json

Activated = Callable[[Path, int], bool]


def qualify(
    binding: Binding,
    template: Job,
    mutants: Sequence[Mutant],
    known_tests: Sequence[str],
    workers: int,
    execute: Execute | None = None,
    activated: Activated = fault_activated,
) -> tuple[list[Outcome], list[Result]]:
    """Run each mutant's test on the golden DUT (once per test) and on the mutant, and classify.

    Returns the outcomes and the results of the golden runs.

    ``template`` carries DUT, simulator, knobs and limit. Seeds are the regular ones of a regression, never
    chosen for a mutant.
    """
    folder = qualify_directory(binding.label, template.sim)
    runnable = [one for one in mutants if one.test in known_tests]
    golden_jobs = {one.test: _job(template, folder, one.test, 0) for one in runnable}
    mutant_jobs = {one.number: _job(template, folder, one.test, one.number) for one in runnable}
    jobs = [*golden_jobs.values(), *mutant_jobs.values()]
    with exclusive(binding.label, "qualify", template.sim):
        with Board(f"qualify {binding.label} on {template.sim}", len(jobs)) as board:
            results = run_jobs(jobs, workers, board, _show, execute)
    by_name = {job.name: result for job, result in zip(jobs, results, strict=True)}
    outcomes = []
    for mutant in mutants:
        job = mutant_jobs.get(mutant.number)
        if job is None or job.out_dir is None:
            outcomes.append(classify(mutant, 0, None, None, activated=False))
            continue
        golden = by_name[golden_jobs[mutant.test].name]
        hit = activated(job.out_dir, mutant.number)
        outcomes.append(classify(mutant, job.seed, golden, by_name[job.name], hit))
    return outcomes, results[: len(golden_jobs)]


def _job(template: Job, folder: Path, test: str, mutant: int) -> Job:
    seed = run_seed(DEFAULT_SEED, test, 0)
    job = replace(template, test=test, seed=seed, mutant=mutant, mutation_build=True)
    return replace(job, out_dir=folder / job.name)


def _show(board: Board, job: Job, result: Result) -> None:
    what = f"mutant {job.mutant}" if job.mutant else "golden"
    # A mutant that fails is what is wanted, so only a failing golden run or a passing mutant stands out.
    good = (result["verdict"] == "pass") == (job.mutant == 0) and result["verdict"] != "inconclusive"
    board.result(result["verdict"], f"{job.test}  {what}  {result.get('wall_s', 0):.1f} s", good=good)


@click.command("qualify")
@dut_option
@sim_option
@engine_option
@jobs_option
@click.option("--mutant", "names", multiple=True, metavar="NAME|N", help="Only these (may be repeated).")
@setting_option
@timeout_option
def qualify_command(
    dut: str,
    sim: str,
    engine: str,
    jobs: int,
    names: tuple[str, ...],
    settings: tuple[str, ...],
    timeout_s: float | None,
) -> int:
    """Run the mutants; the last line is 'killed K of N'."""
    binding = load_binding(dut)
    knobs, options = parse_settings(binding.target, settings)
    binding = binding.with_knobs(knobs).with_engine(engine)
    manifest = read_manifest(binding)
    if not manifest.mutants:
        raise UserError(f"{binding.label} has no mutants: {binding.path} names no manifest with any")
    wanted = {find_mutant(binding, name) for name in names}
    mutants = [one for one in manifest.mutants if not wanted or one.number in wanted]
    if not mutants:
        raise UserError("--mutant 0 is the golden DUT, not a mutant: allowed are names or numbers from 1")
    template = Job(
        dut=dut, test="", sim=sim, engine=engine, knobs=knobs, options=options, timeout_s=timeout_s
    )
    outcomes, golden = qualify(binding, template, mutants, list(tests_of(binding.target)), jobs)
    complete = len(mutants) == len(manifest.mutants)
    if complete:
        write_json(qualify_file(binding.label, sim), stamp(binding, sim) | summary(outcomes, golden))
    return conclude(outcomes, complete)


def summary(outcomes: Sequence[Outcome], golden: Sequence[Result]) -> dict[str, Any]:
    """Content of the qualification file besides its stamp."""
    return {
        "base_seed": DEFAULT_SEED,
        "killed": sum(one.killed for one in outcomes),
        "total": len(outcomes),
        "mutants": [one.as_dict() for one in outcomes],
        "golden": list(golden),
    }


def conclude(outcomes: Sequence[Outcome], complete: bool = True) -> int:
    """Print table, survivors and the last line; 0 only when every mutant was killed."""
    rows = [
        (one.number, one.name, one.test, " ".join(one.rules), one.outcome, one.found_rule or "-")
        for one in outcomes
    ]
    print_table("mutants", ("no", "mutant", "test", "rules", "outcome", "first rule"), rows)
    survivors = [one for one in outcomes if not one.killed]
    if survivors:
        print_line("survivors:")
        for one in survivors:
            print_line(f"  {one.name}: {one.outcome}: {one.detail}")
            if one.repeat:
                print_line(f"    repeat: {one.repeat}")
        for kind, count in sorted(Counter(one.outcome for one in survivors).items()):
            print_line(f"  {count} {kind}: {MEANING[kind]}")
    if not complete:
        print_line("part of the mutants only: the stored qualification is unchanged")
    killed = len(outcomes) - len(survivors)
    print_line(f"killed {killed} of {len(outcomes)}")
    return 0 if outcomes and not survivors else 1
