"""Tests, rules and faults name each other correctly, in both directions."""

from __future__ import annotations

import inspect
import json
import re

import pytest

from tb.runner import ROOT, behaviour, load_binding, targets, tests_of
from tb.runner.mutants import read_manifest

MOST_LINES = 25
"""A scenario is configuration and sequence; more than this belongs into tb/sequences."""

_RULE = re.compile(r"\b[A-Z]{3,}-\d{3}\b(?:/\w+)?")
TARGETS = targets()


def _rules(target: str) -> dict[str, list[str]]:
    data = json.loads((ROOT / "spec" / target / "requirements.json").read_text(encoding="utf-8"))
    return {row["id"]: row.get("parts", []) for row in data["items"]}


@pytest.mark.parametrize("target", TARGETS)
def test_docstrings_say_behaviour_stimulus_and_checks(target: str) -> None:
    known = _rules(target)
    for info in tests_of(target).values():
        assert behaviour(info.doc).endswith("."), f"{info.name}: no sentence: {behaviour(info.doc)}"
        assert "Stimulus:" in info.doc and "Checks:" in info.doc, info.name
        for rule in _RULE.findall(info.doc):
            name, _, part = rule.partition("/")
            assert name in known and (not part or part in known[name]), f"{info.name} names unknown {rule}"


@pytest.mark.parametrize("target", TARGETS)
def test_scenarios_are_short(target: str) -> None:
    for info in tests_of(target).values():
        lines = inspect.getsource(info.cls.scenario).splitlines()
        assert len(lines) <= MOST_LINES, f"{info.name}: {len(lines)} lines"


@pytest.mark.parametrize("target", TARGETS)
def test_suites_nest(target: str) -> None:
    for info in tests_of(target).values():
        assert "smoke" not in info.suites or "full" in info.suites, f"{info.name} is in smoke but not in full"


@pytest.mark.parametrize("target", TARGETS)
def test_mutants_name_tests_and_rules_that_exist(target: str) -> None:
    binding = load_binding(target)
    known, tests = _rules(target), tests_of(target)
    for mutant in read_manifest(binding).mutants:
        assert mutant.test in tests, f"{mutant.name}: no test {mutant.test}"
        for rule in mutant.rules:
            name, _, part = rule.partition("/")
            assert name in known and (not part or part in known[name]), f"{mutant.name} names unknown {rule}"


@pytest.mark.parametrize("target", TARGETS)
def test_stand_in_has_exactly_the_faults_of_its_manifest(target: str) -> None:
    binding = load_binding(target)
    files = [*binding.files.sources, *(path for path in binding.hdl_files() if path.suffix == ".svh")]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    places = {int(number) for number in re.findall(r"`MUT\w*\(\s*(\d+)\s*,", text)}
    assert places == {mutant.number for mutant in read_manifest(binding).mutants}
