"""Bindings: a TOML file says which RTL is the DUT and how it is to be judged.

A DUT is named ``ernic`` (the stand-in, ``tb/duts/ernic/stub.toml``), ``ernic.vendor``
(``tb/duts/ernic/vendor.toml``) or by the path of a binding file outside the tree.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ref_model.errors import UserError
from tb.runner.filelist import HDL_SUFFIXES, FileList, expand, read_file_list
from tb.runner.knobs import KNOB_SETS, Value, catalogue, checked, suggest
from tb.runner.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT_BINDING = "stub"

_TOP_KEYS: dict[str, type | tuple[type, ...]] = {
    "target": str,
    "top": str,
    "clock_period_ps": int,
    "SETTLE": int,
    "PIPE_OUT": int,
    "time_limit_s": (int, float),
    "mutants": str,
    "knob_set": str,
    "hdl": dict,
    "fast": dict,
    "parameters": dict,
    "plusargs": dict,
    "knobs": dict,
    "waivers": dict,
}
_REQUIRED = ("target", "top", "clock_period_ps", "SETTLE", "PIPE_OUT", "hdl")
_HDL_KEYS: dict[str, type] = {
    "sources": list,
    "include_dirs": list,
    "defines": dict,
    "verilator_args": list,
    "icarus_args": list,
}
_FAST_KEYS: dict[str, type] = {"top": str, "sources": list, "include_dirs": list, "defines": dict}
ENGINES = ("c", "python")
"""Who moves beats: the C engine (tb/fast) or the transactors in Python (tb/agents)."""

_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True)
class Binding:
    """A resolved binding.

    ``SETTLE`` and ``PIPE_OUT`` are counted in clocks of ``clock_period_ps`` picoseconds. ``parameters`` are
    the HDL parameters of ``top``; one given as ``{ knob = "NAME", value = n, ... }`` follows a knob (integers
    not named stand for themselves), so that model and RTL cannot disagree. ``plusargs`` follow the same
    rules, but reach a simulation that is compiled already: another value costs no build.
    """

    target: str
    name: str
    path: Path
    top: str
    clock_period_ps: int
    settle: int
    pipe_out: int
    time_limit_s: float
    files: FileList
    parameter_rules: Mapping[str, int | str | Mapping[str, Any]]
    plusarg_rules: Mapping[str, int | str | Mapping[str, Any]]
    knobs: Mapping[str, Value]
    mutants: Path | None = None
    verilator_args: tuple[str, ...] = ()
    icarus_args: tuple[str, ...] = ()
    waivers: Mapping[str, str] = field(default_factory=dict)
    fast_top: str = ""
    fast_files: FileList = field(default_factory=FileList)
    engine: str = "python"

    @property
    def label(self) -> str:
        """Name of the DUT in commands, results and reports."""
        return self.target if self.name == DEFAULT_BINDING else f"{self.target}.{self.name}"

    def with_knobs(self, overrides: Mapping[str, Value]) -> Binding:
        """Binding with some knobs replaced.

        Raises:
            UserError: no knob of the target, or a value that is not allowed.
        """
        return replace(self, knobs={**self.knobs, **checked(self.target, "knob", overrides)})

    def with_engine(self, engine: str) -> Binding:
        """Binding whose top has the transactors of ``engine``: ``c``, ``python``, or ``auto`` (c if there).

        Raises:
            UserError: unknown engine, or ``c`` for a binding without a [fast] table.
        """
        if engine not in (*ENGINES, "auto"):
            raise UserError(f"unknown engine {engine!r}: allowed are {', '.join(ENGINES)}")
        if engine == "c" and not self.fast_top:
            raise UserError(f"{self.path}: engine c needs a [fast] table; allowed without it is python")
        if engine == "python" or not self.fast_top:
            return self
        files, fast = self.files, self.fast_files
        joined = FileList(
            [*files.sources, *fast.sources],
            [*files.include_dirs, *fast.include_dirs],
            {**files.defines, **fast.defines},
        )
        return replace(self, top=self.fast_top, files=joined, engine="c")

    def parameters(self) -> dict[str, int | str]:
        """HDL parameters of the top, with the knobs put in.

        Raises:
            UserError: a knob has a value for which the binding names no parameter value.
        """
        return {
            name: self._parameter(f"parameters.{name}", rule) for name, rule in self.parameter_rules.items()
        }

    def plusargs(self) -> dict[str, int | str]:
        """Plusargs of every simulation, with the knobs put in.

        Raises:
            UserError: a knob has a value for which the binding names no plusarg value.
        """
        return {name: self._parameter(f"plusargs.{name}", rule) for name, rule in self.plusarg_rules.items()}

    def _parameter(self, name: str, rule: int | str | Mapping[str, Any]) -> int | str:
        if not isinstance(rule, Mapping):
            return rule
        knob = rule["knob"]
        value = self.knobs[knob]
        choices = {key: one for key, one in rule.items() if key != "knob"}
        if str(value) not in choices and isinstance(value, int):
            return value
        if not choices:
            raise UserError(f"{self.path}: {name}: knob {knob} = {value!r} is no integer")
        if str(value) not in choices:
            allowed = ", ".join(choices)
            raise UserError(f"{self.path}: {name}: knob {knob} = {value!r}: allowed are {allowed}")
        chosen: int | str = choices[str(value)]
        return chosen

    def hdl_files(self) -> list[Path]:
        """What can change the compiled design: sources, then headers of the include directories.

        The transactors of the C engine are among them whichever engine is chosen.
        """
        sources = list(dict.fromkeys([*self.files.sources, *self.fast_files.sources]))
        headers = {
            header.resolve()
            for folder in dict.fromkeys([*self.files.include_dirs, *self.fast_files.include_dirs])
            for suffix in HDL_SUFFIXES
            for header in folder.glob(f"*{suffix}")
        }
        return [*sources, *sorted(headers - set(sources))]

    def source_hash(self) -> str:
        """SHA-256 over names and contents of the HDL files: what evidence and proof are keyed by."""
        digest = hashlib.sha256()
        for path in self.hdl_files():
            digest.update(f"{path.name}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def resolved(self) -> dict[str, Any]:
        """What a job carries about its binding (JSON)."""
        return {
            "target": self.target,
            "name": self.name,
            "label": self.label,
            "path": str(self.path),
            "top": self.top,
            "engine": self.engine,
            "clock_period_ps": self.clock_period_ps,
            "SETTLE": self.settle,
            "PIPE_OUT": self.pipe_out,
            "parameters": self.parameters(),
            "knobs": dict(self.knobs),
            "mutants": str(self.mutants) if self.mutants else None,
            "source_hash": self.source_hash(),
        }


def targets() -> list[str]:
    """Names of the targets: folders of tb/duts with a binding of the stand-in."""
    return sorted(path.parent.name for path in (ROOT / "tb" / "duts").glob(f"*/{DEFAULT_BINDING}.toml"))


def dut_names() -> list[str]:
    """All names that :func:`load_binding` takes, besides paths."""
    return sorted(_label(path) for path in (ROOT / "tb" / "duts").glob("*/*.toml"))


def load_binding(dut: str) -> Binding:
    """Read the binding of a DUT.

    Raises:
        UserError: unknown DUT, or a malformed binding file; one line with file, key and what is allowed.
    """
    if dut.endswith(".toml"):
        path = Path(dut)
        if not path.is_file():
            raise UserError(f"binding file {dut} not found")
        return read_binding(path)
    target, _, name = dut.partition(".")
    path = ROOT / "tb" / "duts" / target / f"{name or DEFAULT_BINDING}.toml"
    if not re.fullmatch(r"\w+(\.\w+)?", dut) or not path.is_file():
        raise UserError(f"unknown DUT {dut!r}: allowed are {', '.join(dut_names())} or a .toml file")
    return read_binding(path)


def read_binding(path: Path) -> Binding:
    """Read one binding file; file names in it count from its directory, ``${ROOT}`` is the project tree.

    Raises:
        UserError: see :func:`load_binding`.
    """
    path = path.resolve()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: no valid TOML: {error}") from error
    _check(path, "", data, _TOP_KEYS)
    for key in _REQUIRED:
        if key not in data:
            raise UserError(f"{path}: key {key!r} is missing")
    hdl = data["hdl"]
    _check(path, "hdl.", hdl, _HDL_KEYS)
    for key in ("clock_period_ps", "SETTLE", "PIPE_OUT"):
        if data[key] < (0 if key != "clock_period_ps" else 2):
            raise UserError(f"{path}: {key} = {data[key]} is too small")
    knobs = _knobs(path, data)
    rules, plusargs = data.get("parameters", {}), data.get("plusargs", {})
    for kind, table in (("parameters", rules), ("plusargs", plusargs)):
        for name, rule in table.items():
            if isinstance(rule, dict) and rule.get("knob") not in knobs:
                raise UserError(f"{path}: {kind}.{name}: knob {rule.get('knob')!r} is not set")
    mutants = _path(path, "mutants", data["mutants"]) if "mutants" in data else None
    fast = data.get("fast", {})
    _check(path, "fast.", fast, _FAST_KEYS)
    if fast and "top" not in fast:
        raise UserError(f"{path}: key 'fast.top' is missing")
    return Binding(
        target=data["target"],
        name=path.stem,
        path=path,
        top=data["top"],
        clock_period_ps=data["clock_period_ps"],
        settle=data["SETTLE"],
        pipe_out=data["PIPE_OUT"],
        time_limit_s=float(data.get("time_limit_s", 600)),
        files=_files(path, hdl),
        parameter_rules=rules,
        plusarg_rules=plusargs,
        knobs=knobs,
        mutants=mutants,
        verilator_args=tuple(hdl.get("verilator_args", ())),
        icarus_args=tuple(hdl.get("icarus_args", ())),
        waivers=data.get("waivers", {}),
        fast_top=fast.get("top", ""),
        fast_files=_files(path, fast) if fast else FileList(),
    )


def _label(path: Path) -> str:
    return path.parent.name if path.stem == DEFAULT_BINDING else f"{path.parent.name}.{path.stem}"


def _check(path: Path, prefix: str, data: Mapping[str, Any], allowed: Mapping[str, Any]) -> None:
    for key, value in data.items():
        if key not in allowed:
            raise UserError(f"{path}: unknown key {prefix}{key}: {suggest(key, allowed)}")
        if not isinstance(value, allowed[key]) or isinstance(value, bool):
            kinds = allowed[key] if isinstance(allowed[key], tuple) else (allowed[key],)
            wanted = " or ".join(_TOML_NAMES[kind] for kind in kinds)
            raise UserError(f"{path}: {prefix}{key} = {value!r}: allowed is {wanted}")


_TOML_NAMES: dict[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _knobs(path: Path, data: Mapping[str, Any]) -> dict[str, Value]:
    """Start values of the chosen set, then what the binding says."""
    chosen = data.get("knob_set", KNOB_SETS[0])
    if chosen not in KNOB_SETS:
        raise UserError(f"{path}: knob_set = {chosen!r}: allowed are {', '.join(KNOB_SETS)}")
    knobs = {name: item[chosen] for name, item in catalogue(data["target"]).items()}
    return {**knobs, **checked(data["target"], f"{path}: knobs", data.get("knobs", {}))}


def _files(path: Path, hdl: Mapping[str, Any]) -> FileList:
    files = FileList(defines={name: str(value) for name, value in hdl.get("defines", {}).items()})
    for entry in hdl.get("sources", []):
        key = "hdl.sources"
        if isinstance(entry, dict) and sorted(entry) == ["base", "list"]:
            read_file_list(_path(path, key, entry["list"]), files, _path(path, key, entry["base"]))
        elif not isinstance(entry, str):
            raise UserError(f"{path}: {key}: {entry!r}: allowed is a name or {{ list = FILE, base = DIR }}")
        elif entry.endswith(".f"):
            read_file_list(_path(path, key, entry), files)
        else:
            files.sources.extend(expand(_path(path, key, entry), f"{path}: {key}"))
    for text in hdl.get("include_dirs", []):
        folder = _path(path, "hdl.include_dirs", text)
        if not folder.is_dir():
            raise UserError(f"{path}: hdl.include_dirs: directory {folder} not found")
        files.include_dirs.append(folder.resolve())
    if not files.sources:
        raise UserError(f"{path}: hdl.sources names no file")
    files.sources = list(dict.fromkeys(files.sources))
    files.include_dirs = list(dict.fromkeys(files.include_dirs))
    return files


def _path(path: Path, key: str, text: str) -> Path:
    """File name of a binding: variables put in, relative to the binding's directory."""

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == "ROOT":
            return str(ROOT)
        if name not in os.environ:
            raise UserError(f"{path}: {key}: environment variable {name} is not set")
        return os.environ[name]

    return path.parent / _VARIABLE.sub(value, text)
