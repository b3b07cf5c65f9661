"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ref_model.errors import UserError
from tb.runner.knobs import Scalar, Value, catalogue, checked

_F = TypeVar("_F", bound=Callable[..., Any])

DEFAULT_JOBS = 2
DEFAULT_SEED = 1


def dut_option(function: _F) -> _F:
    """``--dut``: name of a DUT or path of a binding."""
    return click.option(
        "--dut",
        required=True,
        metavar="NAME|FILE.toml",
        help="DUT: a name of 'rdma-dv list', or a binding file.",
    )(function)


def sim_option(function: _F) -> _F:
    """``--sim``: which simulator."""
    return click.option(
        "--sim", default="verilator", show_default=True, metavar="NAME", help="verilator or icarus."
    )(function)


def engine_option(function: _F) -> _F:
    """``--engine``: who moves beats."""
    return click.option(
        "--engine",
        default="auto",
        metavar="NAME",
        help="Transactors: c, python, or auto (c where the binding has a [fast] table).",
    )(function)


def jobs_option(function: _F) -> _F:
    """``--jobs``: parallel simulations."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, 256),
        default=DEFAULT_JOBS,
        show_default=True,
        help="Simulations at a time.",
    )(function)


def setting_option(function: _F) -> _F:
    """``-o``: knobs and test options."""
    return click.option(
        "-o",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="Knob of the binding (UPPER_CASE) or option of the test (lower_case); may be repeated.",
    )(function)


def timeout_option(function: _F) -> _F:
    """``--timeout``: time limit of a run."""
    return click.option(
        "--timeout",
        "timeout_s",
        type=click.FloatRange(1),
        metavar="SECONDS",
        help="CPU time of one run, a quarter of what it may last; at the limit it is inconclusive.",
    )(function)


def parse_settings(target: str, settings: tuple[str, ...]) -> tuple[dict[str, Value], dict[str, Scalar]]:
    """Split ``-o`` settings into knobs (names of the target's catalogue) and test options.

    Raises:
        UserError: no ``=``, an upper-case name that is no knob, or a knob value that is not allowed.
    """
    knobs: dict[str, Value] = {}
    options: dict[str, Scalar] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UserError(f"-o {text}: allowed is KEY=VALUE")
        if name in catalogue(target) or name.isupper():
            knobs.update(checked(target, f"-o {text}", {name: _scalar(value)}))
        else:
            options[name] = _scalar(value)
    return knobs, options


def _scalar(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if text[:1] in ("[", "{"):
        return _structure(text)
    for kind in (_integer, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _structure(text: str) -> Value:
    """A pair or table, written as JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"-o: {text}: no JSON ({error})") from error


def _integer(text: str) -> int:
    return int(text, 0)
