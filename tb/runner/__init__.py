"""Runner: builds a DUT once per content and runs one simulation per job.

::

    from tb.runner import Job, run
    result = run(Job(dut="ernic", test="send_only", seed=7, sim="icarus"))
    assert result["verdict"] == "pass", result["reason"]
"""

from tb.runner.binding import Binding, dut_names, load_binding, read_binding, targets
from tb.runner.builder import Build, BuildError, build
from tb.runner.catalogue import behaviour, find_test, suite_tests, tests_of
from tb.runner.job import Job
from tb.runner.paths import ROOT, build_root, cache_root, report_root, results_root
from tb.runner.simulate import run, run_batch
from tb.runner.tools import present_simulators

__all__ = [
    "ROOT",
    "Binding",
    "Build",
    "BuildError",
    "Job",
    "behaviour",
    "build",
    "build_root",
    "cache_root",
    "dut_names",
    "find_test",
    "load_binding",
    "present_simulators",
    "read_binding",
    "report_root",
    "results_root",
    "run",
    "run_batch",
    "suite_tests",
    "targets",
    "tests_of",
]
