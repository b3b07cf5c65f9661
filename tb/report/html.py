"""The HTML report: one page that opens from the file system, without scripts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tb.report import requirements as req
from tb.report.collect import DutReport
from tb.report.requirements import Item
from tb.report.signoff import counts
from tb.runner.catalogue import behaviour
from tb.runner.results import headline, place, primary_findings

STATES = (req.PROVEN, req.EXERCISED, req.OBSERVED, req.WAIVED, req.NOT_CHECKED, req.NOT_EXERCISED, req.FAILED)
"""Order of the states in bars and legends: best first."""

_BAR_WIDTH = 1000  # units of the SVG; the page scales it


@dataclass(frozen=True)
class Segment:
    """One part of a stacked bar, in SVG units."""

    state: str
    css: str
    count: int
    x: float
    width: float


@dataclass(frozen=True)
class Section:
    """Requirements of one section of the specification."""

    name: str
    items: list[Item]
    bar: list[Segment]


def render(reports: Sequence[DutReport], data: dict[str, Any], folder: Path) -> str:
    """Page for the reports; links are relative to ``folder``."""
    env = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["css"] = css_class
    env.globals.update(behaviour=behaviour, headline=headline, place=place, findings=primary_findings)
    page = env.get_template("index.html.j2")
    return page.render(
        duts=[
            {
                "report": report,
                "counts": counts(report),
                "bar": bar(report.items),
                "sections": sections(report.items),
                "data": data["duts"][report.label],
                "survivors": [one for one in report.mutants if not one["killed"]],
                "killed": [one for one in report.mutants if one["killed"]],
            }
            for report in reports
        ],
        commit=data["commit"],
        tools=data["tools"],
        states=STATES,
        meaning=req.MEANING,
        link=lambda path: os.path.relpath(path, folder),
    )


def bar(items: Sequence[Item]) -> list[Segment]:
    """Stacked bar of the items' states."""
    segments = []
    x = 0.0
    for state in STATES:
        count = sum(item.state == state for item in items)
        if count:
            width = _BAR_WIDTH * count / len(items)
            segments.append(Segment(state, css_class(state), count, round(x, 2), round(width, 2)))
            x += width
    return segments


def sections(items: Sequence[Item]) -> list[Section]:
    """Items by section, in the order of the specification."""
    grouped: dict[str, list[Item]] = {}
    for item in items:
        grouped.setdefault(item.section, []).append(item)
    return [Section(name, members, bar(members)) for name, members in grouped.items()]


def css_class(state: str) -> str:
    """Class name of a state or outcome."""
    return state.replace(" ", "-")
