"""HDL file lists (``.f`` files) as simulators read them, reduced to what bindings need."""

from __future__ import annotations

import glob
from dataclasses import dataclass, field
from pathlib import Path

from ref_model.errors import UserError

HDL_SUFFIXES = (".v", ".sv", ".vh", ".svh")


@dataclass
class FileList:
    """Sources in compile order, include directories and defines."""

    sources: list[Path] = field(default_factory=list)
    include_dirs: list[Path] = field(default_factory=list)
    defines: dict[str, str] = field(default_factory=dict)


def read_file_list(path: Path, into: FileList, base: Path | None = None) -> None:
    """Add the entries of a ``.f`` file to ``into``; names count from ``base``, or from the file's directory.

    Understood: file names, ``+incdir+DIR``, ``-IDIR``, ``+define+NAME[=VALUE]``, ``-f``/``-F FILE``,
    comments with ``#`` or ``//``.

    Raises:
        UserError: missing file, or an entry that is none of these.
    """
    if not path.is_file():
        raise UserError(f"{path}: file list not found")
    base = base or path.parent
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = raw.split("#", 1)[0].split("//", 1)[0].strip()
        if not line:
            continue
        where = f"{path}:{number}"
        if line.startswith(("-f ", "-F ")):
            read_file_list(base / line[3:].strip(), into)
        elif line.startswith("+incdir+"):
            into.include_dirs.append(_directory(base / line.removeprefix("+incdir+"), where))
        elif line.startswith("-I"):
            into.include_dirs.append(_directory(base / line.removeprefix("-I").strip(), where))
        elif line.startswith("+define+"):
            name, _, value = line.removeprefix("+define+").partition("=")
            into.defines[name] = value or "1"
        elif line[0] in "-+":
            raise UserError(f"{where}: unknown entry {line!r}: allowed are files, -f, -I, +incdir+, +define+")
        else:
            into.sources.extend(expand(base / line, where))


def expand(pattern: Path, where: str) -> list[Path]:
    """Files of a name or glob pattern, sorted.

    Raises:
        UserError: nothing matches, or a match is no Verilog/SystemVerilog file.
    """
    found = [Path(name) for name in sorted(glob.glob(str(pattern)))]
    if not found:
        raise UserError(f"{where}: no file matches {pattern}")
    for one in found:
        if one.suffix not in HDL_SUFFIXES:
            raise UserError(f"{where}: {one} is no HDL source: allowed endings are {', '.join(HDL_SUFFIXES)}")
    return [one.resolve() for one in found]


def _directory(path: Path, where: str) -> Path:
    if not path.is_dir():
        raise UserError(f"{where}: include directory {path} not found")
    return path.resolve()
