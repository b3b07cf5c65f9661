"""``rdma-dv report``: HTML and signoff.json from the latest results."""

from __future__ import annotations

import json
import webbrowser

import click

from tb.cli.console import print_line
from tb.report.collect import collect
from tb.report.html import render
from tb.report.signoff import counts, signoff
from tb.runner import report_root
from tb.runner.paths import shown


@click.command("report")
@click.option("--open", "open_it", is_flag=True, help="Show it in a browser.")
def report_command(open_it: bool) -> int:
    """Write build/report/index.html and signoff.json."""
    reports = collect()
    data = signoff(reports)
    folder = report_root()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "signoff.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    page = folder / "index.html"
    page.write_text(render(reports, data, folder), encoding="utf-8")
    for report in reports:
        number = counts(report)
        dut = data["duts"][report.label]
        print_line(
            f"{report.label}: {number['exercised']} of {number['total']} requirements exercised,"
            f" {number['proven']} proven, {number['failed']} failed;"
            f" mutants killed {dut['mutants']['killed']} of {dut['mutants']['total']};"
            f" tests passed {dut['tests']['passed']} of {dut['tests']['total']}"
        )
        for note in report.notes:
            print_line(f"  note: {note}")
    print_line(f"report: {shown(page)}")
    if open_it:
        webbrowser.open(page.as_uri())
    return 0
