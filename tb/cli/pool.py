"""Many jobs: builds first, then simulations in parallel, several of one kind in a process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from tb.cli.console import Board
from tb.runner import Job, build, run_batch
from tb.runner.results import Result

Execute = Callable[[Job], Result]
"""Runs one job and returns its result; tests put a fake in its place."""

BATCH = 8
"""Most jobs one process runs after each other."""

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


def batches(jobs: Sequence[Job], workers: int) -> list[list[int]]:
    """Numbers of the jobs, in groups that one process each can run; small enough to keep all workers busy."""
    families: dict[tuple[object, ...], list[int]] = {}
    for index, job in enumerate(jobs):
        families.setdefault(job.family, []).append(index)
    most = max(1, min(BATCH, -(-len(jobs) // (4 * workers))))
    return [members[at : at + most] for members in families.values() for at in range(0, len(members), most)]


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
    groups: list[list[int]]
    work: Callable[[Sequence[Job]], list[Result]]
    if execute is None:
        prepare(jobs, board)
        groups, work = batches(jobs, workers), run_batch
    else:
        one = execute
        groups, work = [[index] for index in range(len(jobs))], lambda group: [one(job) for job in group]
    results: dict[int, Result] = {}
    with ThreadPoolExecutor(max_workers=workers) as pool:
        waiting: dict[Future[list[Result]], list[int]] = {
            pool.submit(work, [jobs[index] for index in group]): group for group in groups
        }
        try:
            while waiting:
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in sorted(finished, key=waiting.__getitem__):
                    group = waiting.pop(future)
                    for index, result in zip(group, future.result(), strict=True):
                        results[index] = result
                        show(board, jobs[index], result)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [results[i] for i in range(len(jobs))]
