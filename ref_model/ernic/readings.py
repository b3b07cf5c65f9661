"""Open parameters that decide what is right later on: one model per value, until the DUT contradicts it.

Whether a SEND needs a region, a WRITE with immediate takes an element, a fresh ring takes SENDs: with the
value ``any`` only the DUT tells, often much later, and everything behind it rests on the answer. So each
combination of values is followed by a model of its own; one that finds a deviation is dropped as long as
another one does not. What rests on such a parameter alone is observed, never judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from ref_model.ernic.model import ErnicModel
from ref_model.events import Event
from ref_model.rules import OPEN_VALUES, Rules, specification

FOLLOWED = ("RQ_CREDIT_MODE", "SEND_CHECKS_MR", "WRITE_IMM_USES_RQ")


class Readings:
    """Models of one run that differ in what open parameters mean; the first one speaks for all."""

    def __init__(self, models: list[ErnicModel]) -> None:
        """``models`` have seen nothing yet; the likeliest comes first."""
        self.models = models
        self._found = 0  # findings of the first model when it was asked last

    @property
    def rules(self) -> Rules:
        """Findings and evidence."""
        return self.models[0].rules

    @property
    def knobs(self) -> Mapping[str, Any]:
        """Parameters, open ones with the value that is likeliest so far."""
        return self.models[0].knobs

    @property
    def in_reset(self) -> bool:
        """Whether the DUT is in its reset."""
        return self.models[0].in_reset

    @property
    def liveness(self) -> int:
        """How long a transfer may take (ps)."""
        return self.models[0].liveness

    def observe(self, event: Event) -> None:
        """Judge one event."""
        self._ask(lambda model: model.observe(event))

    def advance(self, now: int) -> None:
        """No event can come any more before ``now``."""
        self._ask(lambda model: model.advance(now))

    def busy(self) -> str:
        """Return why the DUT still owes something, or an empty string."""
        return self.models[0].busy()

    def quiet(self, now: int) -> None:
        """The bench found the DUT quiet."""
        self._ask(lambda model: model.quiet(now))

    def subjects(self) -> list[int]:
        """Numbers of the queue pairs the run has set up."""
        return self.models[0].subjects()

    def finish(self) -> None:
        """End of test."""
        self._ask(ErnicModel.finish)

    def _ask(self, call: Callable[[ErnicModel], None]) -> None:
        """Let every model judge and drop those the DUT contradicts, unless it contradicts all.

        Once the bench itself has recorded a finding with the first one, that one stays.
        """
        if self.rules.findings_total != self._found:
            del self.models[1:]
        before = [model.rules.findings_total for model in self.models]
        for model in self.models:
            call(model)
        good = [
            model
            for model, count in zip(self.models, before, strict=True)
            if model.rules.findings_total == count
        ]
        self.models = good or self.models[:1]
        self._found = self.rules.findings_total


def follow(
    knobs: Mapping[str, Any], period_ps: int = 4000, settle_clks: int = 16, pipe_out_clks: int = 64
) -> ErnicModel | Readings:
    """Make the model for ``knobs``: one, or several where a parameter has to be followed (see ErnicModel)."""
    windows = (period_ps, settle_clks, pipe_out_clks)
    parameters = specification("ernic").parameters
    values = [
        [value for value in parameters[name]["values"] if value not in OPEN_VALUES]
        if knobs.get(name) in OPEN_VALUES
        else [knobs.get(name, parameters[name]["default"])]
        for name in FOLLOWED
    ]
    readings = [dict(zip(FOLLOWED, choice, strict=True)) for choice in product(*values)]
    models = [ErnicModel(knobs, *windows, reading) for reading in readings]
    return Readings(models) if len(models) > 1 else models[0]
