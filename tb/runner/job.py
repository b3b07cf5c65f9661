"""One simulation to run: what it is, how it is repeated, where its files go."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tb.runner.binding import Binding, load_binding
from tb.runner.knobs import Scalar, Value
from tb.runner.paths import results_root


@dataclass(frozen=True)
class Job:
    """One run of one test.

    ``mutant``, ``variant`` and ``elastic`` are 0 for the golden DUT. ``mutation_build`` asks for the build
    with faults even at mutant 0 (the golden side of a qualification). ``out_dir`` None: a directory below
    ``build/results/<dut>/run``. ``timeout_s`` None: the binding's time limit. ``engine``: who moves
    beats, ``c``, ``python`` or ``auto`` (tb/runner/binding.py). ``judge``: ``inline`` or ``process``, where
    judging happens (tb/scoreboard/judge.py); no result depends on it. ``knob_set``: the table entry that
    ``knobs`` come from (tb/runner/knob_sets.py), part of the name.
    """

    dut: str
    test: str
    seed: int = 1
    sim: str = "verilator"
    mutant: int = 0
    variant: int = 0
    elastic: int = 0
    waves: bool = False
    engine: str = "auto"
    judge: str = "inline"
    knobs: Mapping[str, Value] = field(default_factory=dict)
    options: Mapping[str, Scalar] = field(default_factory=dict)
    knob_set: str = ""
    tampers: tuple[str, ...] = ()
    mutation_build: bool = False
    out_dir: Path | None = None
    timeout_s: float | None = None

    @property
    def needs_mutation_build(self) -> bool:
        """Whether the build must contain the faults."""
        return self.mutation_build or self.mutant != 0

    @property
    def family(self) -> tuple[object, ...]:
        """What one process fixes: jobs that agree in it can run after each other."""
        fixed = (
            self.dut,
            self.sim,
            self.engine,
            self.judge,
            self.mutant,
            self.variant,
            self.elastic,
            self.waves,
        )
        return (*fixed, self.mutation_build, self.tampers, self.timeout_s, repr(sorted(self.knobs.items())))

    @property
    def name(self) -> str:
        """Short name, unique among the jobs of one DUT and simulator that differ in more than knobs."""
        parts = [self.test, f"s{self.seed}"]
        for letter, number in (("m", self.mutant), ("v", self.variant), ("e", self.elastic)):
            if number:
                parts.append(f"{letter}{number}")
        if self.engine == "python":
            parts.append(self.engine)
        if self.knob_set:
            parts.append(self.knob_set)
        return "-".join([*parts, *self.tampers])

    def binding(self) -> Binding:
        """Resolved binding, with the knobs and the engine of the job.

        Raises:
            UserError: unknown DUT, malformed binding, unknown knob, unknown engine.
        """
        return load_binding(self.dut).with_knobs(self.knobs).with_engine(self.engine)

    def directory(self, binding: Binding) -> Path:
        """Directory of the run's files."""
        return self.out_dir or results_root() / binding.label / "run" / self.sim / self.name

    def to_json(self, binding: Binding) -> dict[str, Any]:
        """Content of the job file that the testbench entry reads."""
        return {
            "dut": self.dut,
            "test": self.test,
            "seed": self.seed,
            "sim": self.sim,
            "binding": binding.resolved(),
            "knobs": dict(binding.knobs),
            "mutant": self.mutant,
            "variant": self.variant,
            "elastic": self.elastic,
            "waves": self.waves,
            "judge": self.judge,
            "out_dir": str(self.directory(binding).resolve()),
            "options": dict(self.options),
            "tampers": list(self.tampers),
        }

    def repeat_command(self) -> str:
        """Command line that repeats exactly this run."""
        words = ["rdma-dv", "run", "--dut", self.dut, "--test", self.test]
        words += ["--seed", str(self.seed), "--sim", self.sim]
        for option in ("mutant", "variant", "elastic"):
            if getattr(self, option):
                words += [f"--{option}", str(getattr(self, option))]
        if self.engine != "auto":
            words += ["--engine", self.engine]
        for name, value in {**self.knobs, **self.options}.items():
            words += ["-o", f"{name}={_text(value)}"]
        for name in self.tampers:
            words += ["--tamper", name]
        return shlex.join(words)


def _text(value: Value) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
