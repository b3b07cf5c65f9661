"""Imports run one way: ref_model <- tb <- tests, and ref_model needs nothing but the standard library."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tb.runner import ROOT

ALLOWED_OF_OURS = {"ref_model": {"ref_model"}, "tb": {"ref_model", "tb"}}
OURS = {"ref_model", "tb", "tests"}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("package", sorted(ALLOWED_OF_OURS))
def test_direction(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    for path in files:
        wrong = (set(_imports(path)) & OURS) - ALLOWED_OF_OURS[package]
        assert not wrong, f"{path} imports {sorted(wrong)}"


def test_model_is_standard_library_only() -> None:
    for path in sorted((ROOT / "ref_model").rglob("*.py")):
        foreign = set(_imports(path)) - set(sys.stdlib_module_names) - {"ref_model"}
        assert not foreign, f"{path} imports {sorted(foreign)}"


def test_the_check_bites(tmp_path: Path) -> None:
    source = tmp_path / "bad.py"
    source.write_text("def late():\n    from tests.unit import x\n    import scapy.all\n")
    assert set(_imports(source)) == {"tests", "scapy"}
