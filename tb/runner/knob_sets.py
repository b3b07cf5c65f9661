"""Knob sets: tests that also run with other values of the contested parameters.

One table per target, ``tests/sim/<target>/knob_sets.json``; a regression of the stand-in runs the sets of its
suite beside the tests of the suite.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ref_model.errors import UserError
from tb.runner.catalogue import find_test
from tb.runner.knobs import Value, checked, suggest
from tb.runner.paths import ROOT, shown


@dataclass(frozen=True)
class KnobSet:
    """``tests`` run with ``knobs`` in place of the binding's own values, in the regressions of ``suites``.

    ``variants``: of the stand-in, 0 the golden one; a variant may be legal under these knobs only.
    """

    name: str
    knobs: Mapping[str, Value]
    tests: tuple[str, ...]
    suites: tuple[str, ...]
    variants: tuple[int, ...] = (0,)
    seeds: int = 1


def knob_sets(target: str) -> tuple[KnobSet, ...]:
    """All sets of a target, in the order of its table; none without a table.

    Raises:
        UserError: malformed table, a name used twice, an unknown knob, value or test; one line.
    """
    path = ROOT / "tests" / "sim" / target / "knob_sets.json"
    if not path.is_file():
        return ()
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["sets"]
    except (json.JSONDecodeError, KeyError) as error:
        raise UserError(f"{shown(path)}: no table of knob sets: {error}") from error
    found: dict[str, KnobSet] = {}
    for row in rows:
        name = row["name"]
        where = f"{shown(path)}: {name}"
        if name in found:
            raise UserError(f"{where} appears twice")
        knobs = checked(target, where, row["knobs"])
        tests = tuple(find_test(target, one).name for one in row["tests"])
        found[name] = KnobSet(name, knobs, tests, tuple(row["suites"]), tuple(row.get("variants", (0,))))
    return tuple(found.values())


def find_knob_set(target: str, name: str) -> KnobSet:
    """Set of a target by name.

    Raises:
        UserError: no such set; the message lists close names.
    """
    known = {one.name: one for one in knob_sets(target)}
    if name not in known:
        raise UserError(f"unknown knob set {name!r} of {target}: {suggest(name, known) if known else 'none'}")
    return known[name]
