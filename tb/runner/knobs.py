"""Knobs: the contested points of a specification that a binding decides (spec/<target>/parameters.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from ref_model.errors import UserError
from tb.runner.paths import ROOT

Scalar = int | float | str | bool
Value = Any
"""A knob's value: a scalar, a pair (list of two), or a table of numbers."""

KNOB_SETS = ("default", "own_dut")
"""Start values: ``default`` takes nothing for granted, ``own_dut`` are the stand-in's choices."""


@lru_cache(maxsize=8)
def catalogue(target: str) -> dict[str, dict[str, Any]]:
    """Knobs of a target by name.

    Raises:
        UserError: no such target.
    """
    path = ROOT / "spec" / target / "parameters.json"
    if not path.is_file():
        known = sorted(found.parent.name for found in (ROOT / "spec").glob("*/parameters.json"))
        raise UserError(f"unknown target {target!r}: allowed are {', '.join(known)}")
    data = json.loads(path.read_text(encoding="utf-8"))
    return {item["name"]: item for item in data["items"]}


def checked(target: str, where: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Values of knobs, checked against the catalogue of the target.

    Raises:
        UserError: unknown name or a value outside the allowed ones; the line starts with ``where``.
    """
    known = catalogue(target)
    result = {}
    for name, value in values.items():
        if name not in known:
            raise UserError(f"{where}: unknown knob {name!r} of {target}: {suggest(name, known)}")
        result[name] = _checked_value(known[name], where, value)
    return result


def suggest(name: str, allowed: Mapping[str, Any] | list[str] | tuple[str, ...], most: int = 5) -> str:
    """``allowed are ...``: close names first, all of them where they are few."""
    names = sorted(allowed)
    if len(names) <= most:
        return f"allowed are {', '.join(names)}"
    close = get_close_matches(name, names, n=most, cutoff=0.4) or names[:most]
    return f"allowed are {', '.join(close)}, ..."


def _checked_value(item: Mapping[str, Any], where: str, value: Value) -> Value:
    allowed = item["values"]
    kind = item["type"]
    if kind == "enum":
        # TOML and command line may write a choice such as 0 or 1 as a number.
        for choice in allowed:
            if not isinstance(value, bool) and str(value) == str(choice):
                return choice
        text = ", ".join(map(str, allowed))
    elif kind == "int":
        words = allowed.get("words", [])
        if isinstance(value, int) and not isinstance(value, bool) and _within(value, allowed):
            return value
        if value in words:
            return value
        text = ", ".join([f"{allowed.get('min', 0)} to {allowed.get('max', 'any')}", *words])
    elif kind == "pair":
        if value in allowed:
            return value
        text = ", ".join(map(str, allowed))
    else:
        keys = sorted(allowed["keys"])
        if isinstance(value, Mapping) and sorted(value) == keys and all(map(_is_measure, value.values())):
            return dict(value)
        text = f"a table of {', '.join(keys)} with numbers >= 0"
    raise UserError(f"{where}: {item['name']} = {value!r}: allowed are {text}")


def _is_measure(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _within(value: int, limits: Mapping[str, int]) -> bool:
    return limits.get("min", value) <= value <= limits.get("max", value)
