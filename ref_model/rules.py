"""Requirements, the checks that refer to them, and what those checks found.

A check hands over data (expected, observed, reason), never a verdict; the comparison happens here,
so that "decided", "failed" and "not decided" mean the same for every rule. Rule ids come from
``spec/<target>/requirements.json``; an unknown id is a programming error and raises at once.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ref_model.errors import UserError

SPEC_DIR = Path(__file__).resolve().parent.parent / "spec"

#: Parameter values that leave a point open: checks that rest on it are recorded, never failed.
OPEN_VALUES = frozenset({"report", "any", "mask", "either"})

#: Pseudo rule of findings against the bench itself (illegal stimulus, lost events).
BENCH = "BENCH"

HISTORY_DEPTH = 32
FINDINGS_PER_SIGNATURE = 20


@dataclass(frozen=True, slots=True)
class Requirement:
    """One numbered requirement of a target, as data."""

    id: str
    section: str
    text: str
    strength: str
    parts: tuple[str, ...] = ()


class Specification:
    """Requirements and parameters of one target, read from ``spec/<target>``."""

    def __init__(self, target: str) -> None:
        """Load ``target``; raises UserError if it has no specification data."""
        self.target = target
        rows = _load(target, "requirements.json")["items"]
        self.requirements: dict[str, Requirement] = {
            row["id"]: Requirement(
                row["id"], row["section"], row["text"], row["strength"], tuple(row.get("parts", ()))
            )
            for row in rows
        }
        parameters = _load(target, "parameters.json")
        self.parameters: dict[str, dict[str, Any]] = {row["name"]: row for row in parameters["items"]}

    def requirement(self, rule: str) -> Requirement:
        """Return the requirement of ``rule`` (``ERN-114`` or ``ERN-114/count``); KeyError if unknown."""
        name, _, part = rule.partition("/")
        requirement = self.requirements[name]
        if part not in requirement.parts and (part or requirement.parts):
            parts = ", ".join(f"{name}/{known}" for known in requirement.parts) or "none"
            raise KeyError(f"{rule} is not a rule; parts of {name}: {parts}")
        return requirement

    def knobs(self, overrides: Mapping[str, Any]) -> dict[str, Any]:
        """Return every parameter's value: the default unless ``overrides`` names another one."""
        unknown = sorted(set(overrides) - set(self.parameters))
        if unknown:
            allowed = ", ".join(sorted(self.parameters))
            raise UserError(f"unknown parameter {unknown[0]} for {self.target}; allowed: {allowed}")
        return {name: overrides.get(name, row["default"]) for name, row in self.parameters.items()}


@cache
def specification(target: str) -> Specification:
    """Return the (cached) specification of ``target``."""
    return Specification(target)


def _load(target: str, name: str) -> dict[str, Any]:
    path = SPEC_DIR / target / name
    if not path.is_file():
        known = ", ".join(sorted(p.parent.name for p in SPEC_DIR.glob("*/requirements.json")))
        raise UserError(f"no specification {path.name} for target {target!r}; targets: {known or 'none'}")
    return json.loads(path.read_text(encoding="utf-8"))


@dataclass(slots=True)
class Scope:
    """Whatever a finding taints: a QP, a CQ, or the whole DUT."""

    name: str
    tainted: bool = False
    history: deque[tuple[int, str, Any]] = field(default_factory=lambda: deque(maxlen=HISTORY_DEPTH))

    def note(self, now: int, what: str, item: Any) -> None:
        """Remember one event for the findings that may follow; ``item`` is put into words only then."""
        self.history.append((now, what, item))


@dataclass(frozen=True, slots=True)
class Finding:
    """One deviation: what rule, when, what was expected and why, what came instead."""

    rule: str
    text: str
    time_ps: int
    scope: str
    expected: str
    observed: str
    why: str
    packet_diff: tuple[tuple[str, str, str], ...] = ()
    history: tuple[str, ...] = ()
    secondary: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data for the result file."""
        return {
            "rule": self.rule,
            "text": self.text,
            "time_ps": self.time_ps,
            "scope": self.scope,
            "expected": self.expected,
            "observed": self.observed,
            "why": self.why,
            "packet_diff": [list(row) for row in self.packet_diff],
            "history": list(self.history),
            "secondary": self.secondary,
        }


class Rules:
    """Compares, counts evidence, keeps findings.

    ``evidence`` counts decided checks per rule; ``observed`` counts checks whose parameter is open
    and rows that are only recorded. A check on a tainted scope gives no evidence and its finding is
    secondary.
    """

    def __init__(self, spec: Specification, knobs: Mapping[str, Any]) -> None:
        """Judge against ``spec`` with the parameter values ``knobs``."""
        self.spec = spec
        self.knobs = knobs
        self.now = 0
        self.evidence: Counter[str] = Counter()
        self.observed: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.findings_total = 0
        self.undecided: list[str] = []
        self.decisions = 0  # checks that gave evidence: has to equal the sum of ``evidence``
        self.dut = Scope("DUT")
        self._signatures: Counter[tuple[str, str]] = Counter()
        self._tempted: dict[object, set[str]] = {}
        self._checked: set[str] = set()
        self._suspended = frozenset(
            name for name, value in knobs.items() if isinstance(value, str) and value in OPEN_VALUES
        )

    # -- checks -----------------------------------------------------------------------------------

    def eq(
        self,
        rule: str,
        expected: Any,
        observed: Any,
        why: str,
        scope: Scope | None = None,
        knob: str | None = None,
        sure: bool = True,
    ) -> bool:
        """Check ``observed == expected``; ``sure`` is False for a match that proves nothing."""
        good = expected == observed
        if good and sure and knob not in self._suspended and rule in self._checked:
            return self._count(rule, scope)
        return self._decide(rule, good, expected, observed, why, scope, knob, sure)

    def one_of(
        self,
        rule: str,
        expected: Collection[Any],
        observed: Any,
        why: str,
        scope: Scope | None = None,
        knob: str | None = None,
        sure: bool = True,
    ) -> bool:
        """Check that ``observed`` is one of ``expected``."""
        return self._decide(rule, observed in expected, expected, observed, why, scope, knob, sure)

    def in_range(
        self,
        rule: str,
        low: int,
        high: int,
        observed: int,
        why: str,
        scope: Scope | None = None,
        knob: str | None = None,
        sure: bool = True,
    ) -> bool:
        """Check ``low <= observed <= high``."""
        good = low <= observed <= high
        if good and sure and knob not in self._suspended and rule in self._checked:
            return self._count(rule, scope)
        return self._decide(rule, good, f"{low} .. {high}", observed, why, scope, knob, sure)

    def met(
        self, rule: str, why: str, scope: Scope | None = None, knob: str | None = None, sure: bool = True
    ) -> bool:
        """Record that an obligation of ``rule`` was fulfilled in time."""
        if sure and knob not in self._suspended and rule in self._checked:
            return self._count(rule, scope)
        return self._decide(rule, True, "", "", why, scope, knob, sure)

    def passed(self, rules: Collection[str], scope: Scope) -> None:
        """Record that checks of several closed rules were decided well at once."""
        if scope.tainted:
            return
        evidence, checked = self.evidence, self._checked
        for rule in rules:
            evidence[rule] += 1
            if rule not in checked:
                self._known(rule)
        self.decisions += len(rules)

    def fail(
        self,
        rule: str,
        expected: Any,
        observed: Any,
        why: str,
        scope: Scope | None = None,
        knob: str | None = None,
    ) -> bool:
        """Record a deviation that needs no comparison (something came that nothing permits)."""
        return self._decide(rule, False, expected, observed, why, scope, knob)

    def observe(self, rule: str, count: int = 1) -> None:
        """Record that something was seen whose row has no verdict."""
        self._known(rule)
        self.observed[rule] += count

    # -- prohibitions -----------------------------------------------------------------------------

    def tempt(self, rule: str, path: object, knob: str | None = None) -> None:
        """Note that the DUT was given the chance to break the prohibition ``rule`` on ``path``.

        It becomes evidence once a later output on the same path was judged good (``alive``): silence
        alone proves nothing, the DUT could be dead. ``knob``: the parameter the prohibition rests on.
        """
        if knob in self._suspended:
            self.observe(rule)
            return
        self._known(rule)
        self._tempted.setdefault(path, set()).add(rule)

    def alive(self, path: object) -> None:
        """Note a good output on ``path``: earlier temptations there were resisted."""
        resisted = self._tempted.pop(path, None)
        if resisted:
            for rule in sorted(resisted):
                self.evidence[rule] += 1
            self.decisions += len(resisted)

    def drop_temptations(self, path: object) -> None:
        """Forget the temptations of ``path`` (its scope was tainted or reset)."""
        self._tempted.pop(path, None)

    # -- inside -----------------------------------------------------------------------------------

    def _count(self, rule: str, scope: Scope | None) -> bool:
        """Short way of a known rule without options that was decided well."""
        if scope is None or not scope.tainted:
            self.evidence[rule] += 1
            self.decisions += 1
        return True

    def _known(self, rule: str) -> None:
        if rule not in self._checked:
            self.spec.requirement(rule)
            self._checked.add(rule)

    def _decide(
        self,
        rule: str,
        good: bool,
        expected: Any,
        observed: Any,
        why: str,
        scope: Scope | None,
        knob: str | None,
        sure: bool = True,
    ) -> bool:
        """Count or record. ``knob`` names the parameter a check rests on; ``sure`` is False for "maybe"."""
        if rule not in self._checked:
            self._known(rule)
        if knob in self._suspended:
            self.observed[rule] += 1
            return True
        if good:
            if sure:
                self._count(rule, scope)
            return True
        self._record(rule, expected, observed, why, scope or self.dut)
        return False

    def _record(
        self,
        rule: str,
        expected: Any,
        observed: Any,
        why: str,
        scope: Scope,
    ) -> None:
        self.findings_total += 1
        secondary = scope.tainted
        scope.tainted = True
        self._signatures[rule, why] += 1
        if self._signatures[rule, why] > FINDINGS_PER_SIGNATURE:
            return
        self.findings.append(
            Finding(
                rule=rule,
                text=self.spec.requirement(rule).text,
                time_ps=self.now,
                scope=scope.name,
                expected=show(expected),
                observed=show(observed),
                why=why,
                history=tuple(f"{time / 1000:.3f} ns {what:3} {item}" for time, what, item in scope.history),
                secondary=secondary,
            )
        )

    def explain(self, since: int, rows: Iterable[tuple[str, str, str]]) -> None:
        """Add a field-by-field packet difference to the first finding after number ``since``."""
        index = len(self.findings) - (self.findings_total - since)
        if 0 <= index < len(self.findings):
            self.findings[index] = replace(self.findings[index], packet_diff=tuple(rows))

    def inconclusive(self, reason: str) -> None:
        """Record that the stimulus left a point nobody can decide: the run proves nothing."""
        self.undecided.append(reason)

    def bench(self, expected: str, observed: str, why: str) -> None:
        """Record a finding against the bench itself; the run cannot pass."""
        self.findings_total += 1
        self.findings.append(
            Finding(BENCH, "the bench itself must be sound", self.now, "bench", expected, observed, why)
        )


def show(value: Any) -> str:
    """Return ``value`` as a reader wants it: hex for integers above 9, short bytes, plain text."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return f"{value:#x}" if value > 9 else str(value)
    if isinstance(value, bytes | bytearray):
        text = bytes(value[:64]).hex(" ", 4)
        return f"{len(value)} bytes {text}{' ..' if len(value) > 64 else ''}"
    if isinstance(value, str):
        return value
    if isinstance(value, Collection):
        items = sorted(value) if isinstance(value, set | frozenset) else list(value)
        text = ", ".join(show(item) for item in items[:12])
        return "one of " + text + (" .." if len(items) > 12 else "")
    if is_dataclass(value):
        return ", ".join(f"{entry.name} {show(getattr(value, entry.name))}" for entry in fields(value))
    return str(value)
