"""The ``rdma-dv`` command group and the one place where errors become a line and an exit code.

Exit codes: 0 all that ran passed and something ran; 1 something failed; 2 wrong input (one line on stderr);
130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from ref_model.errors import UserError
from tb.cli import bench, doctor, listing, qualify, regress, report, run, scaffold

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Verification of RDMA hardware: each packet and register effect judged by a numbered requirement."""


for _command in (
    run.run_command,
    regress.regress_command,
    qualify.qualify_command,
    report.report_command,
    listing.list_command,
    doctor.doctor_command,
    scaffold.new_test_command,
    scaffold.new_dut_command,
    bench.bench_command,
):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; wrong input never shows a traceback."""
    try:
        code = cli.main(args=arguments, prog_name="rdma-dv", standalone_mode=False)
        return int(code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.ctx.get_help() if error.ctx else error.format_message(), file=sys.stderr)
        return WRONG_INPUT
    except click.Abort:
        print("rdma-dv: interrupted", file=sys.stderr)
        return INTERRUPTED
    except click.ClickException as error:
        return _wrong(error.format_message())
    except UserError as error:
        return _wrong(str(error))


def _wrong(message: str) -> int:
    print(f"rdma-dv: {' '.join(message.split())}", file=sys.stderr)
    return WRONG_INPUT
