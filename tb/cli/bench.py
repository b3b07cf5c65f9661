"""``rdma-dv bench``: benchmarks of tb/bench, as a table and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ref_model.errors import UserError
from tb.bench import Measurement, benchmarks, run_benchmark
from tb.cli.console import print_line, print_table
from tb.runner.knobs import suggest


@click.command("bench")
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write results here."
)
@click.option("--only", "names", multiple=True, metavar="NAME", help="Only these modules (may be repeated).")
def bench_command(json_file: Path | None, names: tuple[str, ...]) -> int:
    """Run the benchmarks."""
    known = benchmarks()
    for name in names:
        if name not in known:
            raise UserError(f"unknown benchmark {name!r}: {suggest(name, known)}")
    chosen = list(names) or known
    if not chosen:
        raise UserError("no benchmark found in tb/bench")
    measured: list[Measurement] = []
    for name in chosen:
        print_line(f"running {name}")
        measured += run_benchmark(name)
    print_table(
        "benchmarks",
        ("name", "value", "unit", "baseline", "ratio"),
        [(m.name, f"{m.value:.4g}", m.unit, _optional(m.baseline), _optional(m.ratio)) for m in measured],
    )
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps([m.as_dict() for m in measured], indent=1) + "\n", encoding="utf-8")
        print_line(f"written: {json_file}")
    return 0


def _optional(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
