"""Command line: the console script ``rdma-dv``."""

from tb.cli.app import main

__all__ = ["main"]
