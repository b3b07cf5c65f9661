"""Texts of the project: commands in documents exist, files carry no traces of the machine they came from."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tb.cli.app import cli
from tb.runner import ROOT

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "Makefile")
_CALL = re.compile(r"(?:^|`|&& |: |\$ |@|=0; )(?:rdma-dv|\$\(DV\)) ([a-z-]+)([^`\n;&#]*)", re.MULTILINE)
# Put together from pieces, so that this file does not contain what it looks for.
FOREIGN = re.compile("|".join(("/" + "work/", "/" + "root/", "/" + "tmp/" + "[a-z]+/", "/" + "home/")))


def _project_files() -> list[Path]:
    """Files that git would take, by its ignore rules; without git, all outside generated folders."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [path for path in (ROOT / name for name in listed.stdout.splitlines()) if path.is_file()]
    skipped = {".venv", "build", ".git"}
    return [path for path in ROOT.rglob("*") if path.is_file() and not skipped & set(path.parts)]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_and_options_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    calls = _CALL.findall(text)
    assert calls
    for name, rest in calls:
        assert name in cli.commands, f"{document}: rdma-dv has no command {name}"
        known = {option for parameter in cli.commands[name].params for option in parameter.opts}
        for option in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest):
            assert option in known, f"{document}: rdma-dv {name} has no {option}"


def test_links_of_documents_exist() -> None:
    for document in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!http|#)([^)#]+)", (ROOT / document).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{document}: {target}"


def test_no_machine_paths() -> None:
    files = _project_files()
    assert files
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = FOREIGN.search(text)
        assert found is None, f"{path}: {found.group(0) if found else ''}"


def test_licence_is_named_once_and_the_same() -> None:
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert 'license = { text = "BSD-3-Clause" }' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
