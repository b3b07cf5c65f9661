"""Output: rich on a terminal, plain lines (no colours, one event per line) elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

_STYLES = {"pass": "green", "fail": "bold red", "inconclusive": "yellow"}
_WORDS = {"pass": "PASS", "fail": "FAIL", "inconclusive": "INCONCLUSIVE"}


def console() -> Console:
    """Console on the present stdout; colours and live display only when that is a terminal."""
    terminal = sys.stdout.isatty()
    return Console(highlight=False, no_color=not terminal, force_terminal=terminal, soft_wrap=not terminal)


def print_line(text: str = "", style: str | None = None) -> None:
    """Print one line as it is (no markup)."""
    console().print(text, style=style, markup=False)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table: boxed on a terminal, aligned columns otherwise."""
    cells = [[str(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        table = Table(title=title, title_justify="left", title_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in cells:
            table.add_row(*row)
        console().print(table, markup=False)
        return
    widths = [max(len(row[i]) for row in [list(columns), *cells]) for i in range(len(columns))]
    print(title)
    for row in [list(columns), *cells]:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def verdict_word(verdict: str) -> str:
    """Verdict as printed."""
    return _WORDS.get(verdict, verdict.upper())


def verdict_style(verdict: str) -> str:
    """Colour of a verdict on a terminal."""
    return _STYLES.get(verdict, "")


class Board:
    """Progress of many runs: a live bar with the last results on a terminal, one line per run elsewhere."""

    def __init__(self, title: str, total: int) -> None:
        """Show ``total`` runs under ``title``."""
        self.total = total
        self.done = 0
        self.failed = 0
        self._title = title
        self._live: Progress | None = None
        if sys.stdout.isatty():
            self._live = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[note]}"),
                console=console(),
            )
            self._task = self._live.add_task(title, total=total, note="")

    def __enter__(self) -> Board:
        """Start the display."""
        if self._live is not None:
            self._live.start()
        else:
            print(f"{self._title}: {self.total} runs", flush=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the display."""
        if self._live is not None:
            self._live.stop()

    def note(self, text: str) -> None:
        """Say what is going on besides results (a build)."""
        if self._live is not None:
            self._live.update(self._task, note=text)
        else:
            print(text, flush=True)

    def result(self, verdict: str, text: str, *, good: bool | None = None) -> None:
        """Count and show one finished run; ``good`` None: good means passed."""
        self.done += 1
        good = verdict == "pass" if good is None else good
        self.failed += not good
        if self._live is not None:
            self._live.update(self._task, advance=1, note=f"{self.failed} failed" if self.failed else "")
            if not good:
                self._live.console.print(f"{verdict_word(verdict):<13}{text}", style="red", markup=False)
        else:
            width = len(str(self.total))
            print(f"[{self.done:>{width}}/{self.total}] {verdict_word(verdict):<13}{text}", flush=True)
