"""Running one compiled simulation as a process of its own, and judging how it ended."""

from __future__ import annotations

import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import cocotb_tools.config
import find_libpython

from tb.runner import tools
from tb.runner.builder import Build, build
from tb.runner.job import Job
from tb.runner.paths import shown

TEST_MODULE = "tb.entry"
"""cocotb module that reads the job and runs the test."""

JOB_VARIABLE = "RDMA_DV_JOB"
JOB_FILE = "job.json"
ENGINE_VARIABLE = "RDMA_DV_ENGINE"
"""Library of the C transactors, for the Python side of the same process."""

_TAIL_LINES = 12
_KILL_GRACE_S = 5
_PATIENCE = 4
_CAUSE = re.compile(r"[\w.]*(Error|Exception|Fatal|FATAL)\b.*:")


def run(job: Job, *, test_module: str = TEST_MODULE, test_filter: str = "") -> dict[str, Any]:
    """Build if needed, simulate once, and return the result; ``test_filter`` chooses in ``test_module``.

    The result is what the testbench wrote to ``result.json``, completed by ``out_dir``, ``repeat``,
    ``build_key``, ``exit_code`` and the process's ``wall_s``; the completed result replaces the file. A run
    that left no usable result, ended with an error code or reached its time limit gets verdict
    ``inconclusive`` (a failed run) with the reason and the end of sim.log; only a judged deviation is
    ``fail``.

    Raises:
        UserError: wrong job (DUT, knob, simulator) or a design that does not compile.
    """
    return _run([job], test_module, test_filter)[0]


def run_batch(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Results, as of :func:`run`, of jobs that one process can run after each other (:meth:`Job.family`).

    What did not pass runs again alone: its verdict, log and repeat command are those of the run alone.
    A job that passes alone only, fails nevertheless: the DUT did not come out of its reset like a new one.
    """
    if len(jobs) == 1:
        return [run(jobs[0])]
    results = _run(jobs, TEST_MODULE, "")
    for number, (job, behind) in enumerate(zip(jobs, results, strict=True)):
        if behind["verdict"] == "pass":
            continue
        alone = run(job)
        if alone["verdict"] == "pass" and behind["verdict"] == "fail":
            before = ", ".join(one.name for one in jobs[:number]) or "nothing"
            alone |= {"verdict": "fail", "findings": behind["findings"]}
            alone["reason"] = f"passes alone, fails in one process behind {before}: {behind['reason']}"
        results[number] = alone
    return results


def _run(jobs: Sequence[Job], test_module: str, test_filter: str) -> list[dict[str, Any]]:
    """Simulate ``jobs`` in one process."""
    binding = jobs[0].binding()
    compiled = build(binding, jobs[0].sim, waves=jobs[0].waves, mutation=jobs[0].needs_mutation_build)
    folders = [job.directory(binding).resolve() for job in jobs]
    for job, folder in zip(jobs, folders, strict=True):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / JOB_FILE).write_text(json.dumps(job.to_json(binding), indent=1) + "\n", encoding="utf-8")
        if folder != folders[0]:
            (folder / "sim.log").symlink_to(os.path.relpath(folders[0] / "sim.log", folder))
    limits = [job.timeout_s or binding.time_limit_s for job in jobs]
    started = time.monotonic()
    exit_code = _simulate(compiled, jobs[0], folders, sum(limits), test_module, test_filter)
    spent = time.monotonic() - started
    results = []
    for job, folder, limit in zip(jobs, folders, limits, strict=True):
        result = _result(job, folder, exit_code, limit)
        own = result.pop("run_s", spent)
        result["wall_s"] = round(own if len(jobs) > 1 else spent, 3)
        result["exit_code"] = exit_code
        result["out_dir"] = str(folder)
        result["repeat"] = job.repeat_command()
        result["build_key"] = compiled.key
        result["source_hash"] = binding.source_hash()
        (folder / "result.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        results.append(result)
    return results


def _simulate(
    compiled: Build, job: Job, folders: Sequence[Path], limit_s: float, test_module: str, test_filter: str
) -> int | None:
    """Exit code of the simulator; None when it was stopped at its limit.

    The limit counts CPU time, so that a verdict does not depend on what else the machine does; a simulator
    that waits for something is stopped after _PATIENCE times as long.
    """
    env = _environment(compiled, job, folders, test_module)
    if test_filter:
        env["COCOTB_TEST_FILTER"] = test_filter
    with (folders[0] / "sim.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            _command(compiled, job),
            cwd=folders[0],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        seconds = math.ceil(limit_s)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + _KILL_GRACE_S))
        try:
            exit_code = process.wait(timeout=_PATIENCE * limit_s)
            return None if exit_code == -signal.SIGXCPU else exit_code
        except subprocess.TimeoutExpired:
            return None
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the simulator's own process group, first politely; no-op when it has ended."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.wait(timeout=_KILL_GRACE_S)
        except subprocess.TimeoutExpired:
            continue


def _command(compiled: Build, job: Job) -> list[str]:
    plusargs = [f"+MUTANT={job.mutant}", f"+VARIANT={job.variant}", f"+ELASTIC={job.elastic}"]
    plusargs += [f"+{name}={value}" for name, value in job.binding().plusargs().items()]
    if compiled.sim == "icarus":
        library = cocotb_tools.config.lib_entry("vpi", "icarus")
        dump = "-vcd" if job.waves else "-none"
        modules = ["-m", library]
        if compiled.engine is not None:
            modules += ["-M", str(compiled.engine.parent), "-m", compiled.engine.stem]
        return ["vvp", "-n", *modules, str(compiled.program), dump, *plusargs]
    return [str(compiled.program), *(["--trace"] if job.waves else []), *plusargs]


@lru_cache(maxsize=1)
def _gpi_users() -> str:
    library = find_libpython.find_libpython()
    return ";".join([*([library] if library else []), cocotb_tools.config.pygpi_entry_point()])


def _environment(compiled: Build, job: Job, folders: Sequence[Path], test_module: str) -> dict[str, str]:
    env = tools.base_env()
    env["PATH"] += os.pathsep + str(cocotb_tools.config.libs_dir)
    env.update(
        {
            JOB_VARIABLE: os.pathsep.join(str(folder / JOB_FILE) for folder in folders),
            "COCOTB_TOPLEVEL": compiled.top,
            "COCOTB_TEST_MODULES": test_module,
            "COCOTB_RANDOM_SEED": str(job.seed),
            # library code must not end a run because of an X of the DUT: the HDL checkers report those
            "COCOTB_RESOLVE_X": "zeros",
            "COCOTB_RESULTS_FILE": str(folders[0] / "results.xml"),
            # rewriting the asserts of everything that is imported takes as long as a short run
            "COCOTB_REWRITE_ASSERTION_FILES": "*_cocotb.py",
            "COCOTB_ANSI_OUTPUT": "0",
            "GPI_USERS": _gpi_users(),
            "PYGPI_PYTHON_BIN": sys.executable,
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TOPLEVEL_LANG": "verilog",
        }
    )
    if compiled.engine is not None:
        env[ENGINE_VARIABLE] = str(compiled.engine)
    if compiled.sim == "verilator":
        env["COCOTB_TRUST_INERTIAL_WRITES"] = "1"
    return env


def _result(job: Job, out_dir: Path, exit_code: int | None, limit_s: float) -> dict[str, Any]:
    """Result of the testbench, or one that says why there is none."""
    path = out_dir / "result.json"
    found: dict[str, Any] | None = None
    problem = ""
    if path.is_file():
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            problem = f"result.json is cut short ({error})"
    else:
        problem = "no result.json"
    if exit_code is None:
        problem = f"time limit of {limit_s:g} s reached"
    elif exit_code != 0 and (found is None or found.get("verdict") == "pass"):
        problem = f"simulator ended with exit code {exit_code}" + (f", {problem}" if problem else "")
    if found is not None and not problem:
        return found
    log = out_dir / "sim.log"
    lines = _telling_lines(log)
    causes = [line for line in lines if _CAUSE.match(line)]
    if causes:
        problem = f"{problem}: {causes[-1]}"
    return {
        "dut": job.dut,
        "test": job.test,
        "seed": job.seed,
        "sim": job.sim,
        "mutant": job.mutant,
        "variant": job.variant,
        "elastic": job.elastic,
        "knobs": dict(job.knobs),
        "verdict": "inconclusive",
        "reason": f"{problem} (log: {shown(log)})",
        "log_tail": lines[-_TAIL_LINES:],
        "findings": (found or {}).get("findings", []),
        "findings_total": (found or {}).get("findings_total", 0),
        "evidence": {},
        "observed": {},
        "digests": {},
        "packets": {"in": 0, "out": 0},
        "sim_time_ps": 0,
        "peak_rss_kb": 0,
        "suites": [],
    }


def _telling_lines(log: Path) -> list[str]:
    """Lines of a log without cocotb's summary table and its deep indentation."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line.strip() for line in lines if line.strip() and "**" not in line]
