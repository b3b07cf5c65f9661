"""Many jobs: builds first, then simulations in parallel, one process each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from tb.cli.console import Board
from tb.runner import Job, build, run
from tb.runner.results import Result

Execute = Callable[[Job], Result]
"""Runs one job and returns its result; tests put a fake in its place."""

Show = Callable[[Board, Job, Result], None]


def prepare(jobs: Sequence[Job], board: Board) -> None:
    """Build everything the jobs need, so that no simulation waits for a build of another.

    Raises:
        UserError: a design that does not compile, or a missing simulator.
    """
    seen = set()
    for job in jobs:
        kind = (job.dut, job.sim, job.waves, job.needs_mutation_build, repr(sorted(job.knobs.items())))
        if kind in seen:
            continue
        seen.add(kind)
        board.note(f"building {job.dut} for {job.sim}{' with faults' if job.needs_mutation_build else ''}")
        started = time.monotonic()
        built = build(job.binding(), job.sim, waves=job.waves, mutation=job.needs_mutation_build)
        if not built.cached:
            board.note(f"built in {time.monotonic() - started:.1f} s")


def run_jobs(
    jobs: Sequence[Job],
    workers: int,
    board: Board,
    show: Show,
    execute: Execute | None = None,
) -> list[Result]:
    """Results of the jobs, in their order.

    ``execute`` None builds and simulates. The first error of an executor cancels what has not started and is
    raised again; an interrupt waits for running simulations no longer than they need to be stopped.
    """
    if execute is None:
        prepare(jobs, board)
        execute = run
    results: dict[int, Result] = {}
    with ThreadPoolExecutor(max_workers=workers) as pool:
        waiting: dict[Future[Result], int] = {pool.submit(execute, job): i for i, job in enumerate(jobs)}
        try:
            while waiting:
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in sorted(finished, key=waiting.__getitem__):
                    index = waiting.pop(future)
                    results[index] = future.result()
                    show(board, jobs[index], results[index])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [results[i] for i in range(len(jobs))]
