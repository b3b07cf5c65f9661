"""Deliberate damage to the environment itself, to prove that it would be noticed.

Each name is one way in which real benches went blind; tests/meta runs them all and demands a failed
run. ``monitor_cut``, ``seed_ignored`` and ``no_drain`` act where they are named in env and testcase.
"""

from __future__ import annotations

from typing import Any

from ref_model.errors import UserError

NAMES = (
    "monitor_cut",
    "no_compare",
    "fed_by_dut",
    "seed_ignored",
    "evidence_early",
    "no_drain",
    "dead_dut",
    "no_reset",
)


def check(names: list[str]) -> None:
    """Raise UserError for an unknown name."""
    for name in names:
        if name not in NAMES:
            raise UserError(f"unknown tamper {name!r}; allowed: {', '.join(NAMES)}")


def apply(env: Any) -> None:
    """Damage ``env`` as its configuration asks for."""
    names = env.config.tampers
    rules = env.judge.rules
    if "no_compare" in names:
        rules._decide = lambda *args, **more: True
        rules.passed = rules.alive = rules._count = lambda *args: True
    if "evidence_early" in names:
        decide = rules._decide

        def early(rule: str, good: bool, *args: Any, **more: Any) -> bool:
            rules.evidence[rule] += 1
            return decide(rule, good, *args, **more)

        rules._decide = early
    if "fed_by_dut" in names:
        equal, one_of = rules.eq, rules.one_of
        rules.eq = lambda rule, _, seen, *args, **more: equal(rule, seen, seen, *args, **more)
        rules.one_of = lambda rule, _, seen, *args, **more: one_of(rule, (seen,), seen, *args, **more)
    if "dead_dut" in names:
        _kill(env)
    if "no_reset" in names:
        env.clock_reset._drive_resets = lambda asserted: None


def _kill(env: Any) -> None:
    """The DUT never comes out of reset."""
    drive = env.clock_reset._drive_resets
    env.clock_reset._drive_resets = lambda asserted: drive(True)
