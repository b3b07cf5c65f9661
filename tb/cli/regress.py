"""``rdma-dv regress``: many tests, seeds, variants, in parallel."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import click

from ref_model.errors import UserError
from tb.cli.console import Board, print_line
from tb.cli.options import (
    DEFAULT_SEED,
    engine_option,
    jobs_option,
    parse_settings,
    setting_option,
    sim_option,
    timeout_option,
)
from tb.cli.pool import Execute, run_jobs
from tb.cli.verdicts import print_failures
from tb.report.junit import write_junit
from tb.runner import Binding, Job, find_test, load_binding, suite_tests, targets
from tb.runner.binding import DEFAULT_BINDING
from tb.runner.knob_sets import KnobSet, find_knob_set, knob_sets
from tb.runner.knobs import Scalar, Value
from tb.runner.mutants import find_variant, read_manifest
from tb.runner.results import Result, headline, place, seeds_without_effect
from tb.runner.seeds import elastic_seed, run_seed
from tb.runner.store import SUMMARY, exclusive, regress_directory, stamp, write_json


@dataclass(frozen=True)
class Plan:
    """What a regression runs on one DUT: every test x seed x (golden, variants) x (rigid, elastic)."""

    dut: str
    sim: str
    tests: tuple[tuple[str, int], ...]
    """Name and number of seeds of each test."""
    engine: str = "auto"
    base_seed: int = DEFAULT_SEED
    variants: tuple[int, ...] = (0,)
    elastic: bool = False
    knobs: Mapping[str, Value] = field(default_factory=dict)
    options: Mapping[str, Scalar] = field(default_factory=dict)
    timeout_s: float | None = None
    sets: tuple[KnobSet, ...] = ()
    """Tests that run once more with other knobs."""

    def jobs(self, label: str) -> list[Job]:
        """Jobs in a fixed order; files go to the regression's directory of ``label``."""
        jobs = [
            self._job(label, test, index, variant, elastic)
            for variant in self.variants
            for elastic in self._shells()
            for test, seeds in self.tests
            for index in range(seeds)
        ]
        jobs += [
            self._job(label, test, index, variant, elastic, one)
            for one in self.sets
            for variant in one.variants
            for elastic in self._shells()
            for test in one.tests
            for index in range(one.seeds)
        ]
        return jobs

    def _shells(self) -> tuple[bool, ...]:
        return (False, True) if self.elastic else (False,)

    def _job(
        self, label: str, test: str, index: int, variant: int, elastic: bool, knob_set: KnobSet | None = None
    ) -> Job:
        seed = run_seed(self.base_seed, test, index)
        job = Job(
            dut=self.dut,
            test=test,
            seed=seed,
            sim=self.sim,
            engine=self.engine,
            variant=variant,
            elastic=elastic_seed(seed) if elastic else 0,
            knobs={**self.knobs, **knob_set.knobs} if knob_set else self.knobs,
            knob_set=knob_set.name if knob_set else "",
            options=self.options,
            timeout_s=self.timeout_s,
        )
        return replace(job, out_dir=regress_directory(label, job.sim) / job.name)


def regress(
    binding: Binding, plan: Plan, suite: str, workers: int, execute: Execute | None = None
) -> list[Result]:
    """Run a plan, keep its results as the latest regression, and return them."""
    jobs = plan.jobs(binding.label)
    if not jobs:
        raise UserError("nothing to run: no test, seed or variant was selected")
    folder = regress_directory(binding.label, plan.sim)
    with exclusive(binding.label, "regress", plan.sim):
        shutil.rmtree(folder, ignore_errors=True)
        started = time.monotonic()
        with Board(f"regress {binding.label} {suite} on {plan.sim}", len(jobs)) as board:
            results = run_jobs(jobs, workers, board, _show, execute)
        for job, result in zip(jobs, results, strict=True):
            if job.knob_set:
                result["knob_set"] = job.knob_set
        summary = stamp(binding, plan.sim) | {
            "suite": suite,
            "base_seed": plan.base_seed,
            "wall_s": round(time.monotonic() - started, 2),
            "variants": list(plan.variants),
            "elastic": plan.elastic,
            "results": results,
        }
        write_json(folder / SUMMARY, summary)
        write_junit(folder / "junit.xml", f"{binding.label}.{suite}", results)
    return results


def _show(board: Board, job: Job, result: Result) -> None:
    text = f"{job.test}  seed {job.seed}  {place(result)}  {result.get('wall_s', 0):.1f} s"
    line = headline(result)
    board.result(result["verdict"], f"{text}  {line}" if line else text)


@click.command("regress")
@click.option("--dut", required=True, metavar="NAME|FILE.toml|all", help="DUT, or all targets.")
@click.option("--suite", default="smoke", show_default=True, metavar="NAME", help="smoke, full or nightly.")
@click.option("--test", "names", multiple=True, metavar="NAME", help="Only these tests (may be repeated).")
@sim_option
@engine_option
@jobs_option
@click.option("--seeds", type=click.IntRange(1), help="Seeds per test (default: what each test asks for).")
@click.option(
    "--seed",
    "base_seed",
    type=click.IntRange(0),
    default=DEFAULT_SEED,
    show_default=True,
    help="Base from which all seeds are derived.",
)
@click.option("--variants", is_flag=True, help="Golden DUT and every legal variant of the stand-in.")
@click.option("--variant", "chosen", multiple=True, metavar="N|NAME", help="Only this variant (repeatable).")
@click.option("--elastic", is_flag=True, help="Each also inside the elastic shell.")
@click.option("--knob-set", "sets", multiple=True, metavar="NAME", help="Only this knob set (repeatable).")
@setting_option
@timeout_option
def regress_command(
    dut: str,
    suite: str,
    names: tuple[str, ...],
    sim: str,
    engine: str,
    jobs: int,
    seeds: int | None,
    base_seed: int,
    variants: bool,
    chosen: tuple[str, ...],
    elastic: bool,
    sets: tuple[str, ...],
    settings: tuple[str, ...],
    timeout_s: float | None,
) -> int:
    """Run a suite; progress, failure table, commands that repeat failures."""
    results: list[Result] = []
    for name in targets() if dut == "all" else [dut]:
        binding = load_binding(name)
        knobs, options = parse_settings(binding.target, settings)
        binding = binding.with_knobs(knobs).with_engine(engine)
        infos = [find_test(binding.target, one) for one in names] or suite_tests(binding.target, suite)
        numbers = [find_variant(binding, one) for one in chosen]
        if variants:
            numbers = [0, *(one.number for one in read_manifest(binding).variants)]
        chosen_sets = [find_knob_set(binding.target, one) for one in sets]
        if not sets and not names and binding.name == DEFAULT_BINDING:
            chosen_sets = [one for one in knob_sets(binding.target) if suite in one.suites]
        if sets:
            infos = []
            chosen_sets = [
                replace(one, variants=tuple(numbers) or one.variants, seeds=seeds or one.seeds)
                for one in chosen_sets
            ]
        plan = Plan(
            dut=name,
            sim=sim,
            engine=engine,
            tests=tuple((info.name, seeds or info.seeds) for info in infos),
            base_seed=base_seed,
            variants=tuple(numbers) or (0,),
            elastic=elastic,
            knobs=knobs,
            options=options,
            timeout_s=timeout_s,
            sets=tuple(chosen_sets),
        )
        results += regress(binding, plan, suite, jobs)
    print_failures("failed runs", results)
    return conclude(results, base_seed)


def conclude(results: Sequence[dict[str, Any]], base_seed: int) -> int:
    """Print the last line; exit code 0 only when something ran and all of it passed."""
    counts = {
        word: sum(one["verdict"] == word for one in results) for word in ("pass", "fail", "inconclusive")
    }
    tail = "".join(f", {counts[word]} {word}" for word in ("fail", "inconclusive") if counts[word])
    print_line(f"passed {counts['pass']} of {len(results)} runs{tail} (base seed {base_seed})")
    dull = seeds_without_effect(results)
    if dull:
        print_line(f"two seeds gave the same stimulus in: {', '.join(dull)}")
    return 0 if results and counts["pass"] == len(results) and not dull else 1
