"""Tests of a target, found without a simulator."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from ref_model.errors import UserError
from tb.runner.knobs import suggest
from tb.runner.paths import ROOT

if TYPE_CHECKING:
    from tb.testcase import TestInfo


def tests_of(target: str) -> dict[str, TestInfo]:
    """Registered tests of a target by name, sorted: all modules of ``tests.sim.<target>`` are imported.

    Raises:
        UserError: the target has no tests.
    """
    found = dict(sorted(_registered(target).items()))
    if not found:
        raise UserError(f"no tests found for {target!r} in {ROOT / 'tests' / 'sim' / target}")
    return found


def _registered(target: str) -> dict[str, TestInfo]:
    from tb import testcase  # needs cocotb and pyuvm: not loaded for commands that list nothing

    package = f"tests.sim.{target}"
    for module in pkgutil.iter_modules([str(ROOT / "tests" / "sim" / target)]):
        if not module.name.startswith("test_"):  # those are pytest's
            importlib.import_module(f"{package}.{module.name}")
    return {info.name: info for info in testcase.registry() if info.module.startswith(f"{package}.")}


def behaviour(doc: str) -> str:
    """First paragraph of a test's docstring on one line: the behaviour in words."""
    return " ".join(doc.strip().partition("\n\n")[0].split())


def find_test(target: str, name: str) -> TestInfo:
    """Test of a target by name.

    Raises:
        UserError: no such test; the message lists close names.
    """
    known = tests_of(target)
    if name not in known:
        raise UserError(f"unknown test {name!r} of {target}: {suggest(name, known)} (rdma-dv list)")
    return known[name]


def suite_tests(target: str, suite: str) -> list[TestInfo]:
    """Tests of a suite, by name.

    Raises:
        UserError: no test belongs to that suite; the message lists the suites.
    """
    known = tests_of(target)
    chosen = [info for info in known.values() if suite in info.suites]
    if not chosen:
        suites = sorted({one for info in known.values() for one in info.suites})
        raise UserError(f"unknown suite {suite!r} of {target}: allowed are {', '.join(suites)}")
    return chosen
