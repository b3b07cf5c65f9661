"""Compiling a DUT for a simulator, once per content: the build cache."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import cocotb_tools.config

from ref_model.errors import UserError
from tb.runner import engine_library, tools
from tb.runner.binding import Binding
from tb.runner.locking import file_lock
from tb.runner.paths import cache_root, shown

_FORMAT = "2"  # part of the key: raise it when the build commands change in a way the command line hides
_DONE = "done.json"
_DUMP_TOP = "rdma_dv_dump"


class BuildError(UserError):
    """The simulator's compiler refused the design; the message names the log."""


@dataclass(frozen=True)
class Build:
    """A compiled simulation: ``program`` is the executable (Verilator) or the vvp file (Icarus).

    ``engine`` is the library with the C transactors, None for a build whose beats move in Python.
    """

    sim: str
    top: str
    directory: Path
    program: Path
    key: str
    seconds: float
    cached: bool
    engine: Path | None = None  # library with the C transactors


def build(binding: Binding, sim: str, *, waves: bool = False, mutation: bool = False, jobs: int = 2) -> Build:
    """Compile a binding, or take the compiled simulation from the cache.

    Args:
        binding: what to compile; its knobs decide the HDL parameters.
        sim: ``verilator`` or ``icarus``.
        waves: build with VCD tracing.
        mutation: define MUTATION, so that ``+MUTANT=<n>`` selects a fault (0 = none).
        jobs: parallel C++ compilations.

    The key is SHA-256 over tool versions, command line, and names and contents of all sources and headers.
    Any number of processes may call this at once: one builds, the others wait for it.

    Raises:
        UserError: simulator missing, or (BuildError) the compiler failed.
    """
    compiler = tools.require(sim)
    command = _command(binding, sim, str(compiler), waves=waves, mutation=mutation)
    key = _key(binding, sim, command)
    folder = cache_root() / f"{sim}-{key[:16]}"
    program = folder / ("sim" if sim == "verilator" else "sim.vvp")
    done = folder / _DONE
    engine = folder / engine_library.NAME[sim] if binding.engine == "c" else None
    if _is_done(done, key):
        return Build(sim, binding.top, folder, program, key, 0.0, True, engine)
    with file_lock(cache_root() / f"{sim}-{key[:16]}.lock"):
        if _is_done(done, key):
            return Build(sim, binding.top, folder, program, key, 0.0, True, engine)
        # No marker: never built, or a build was cut short. Start clean, a half build proves nothing.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        started = time.monotonic()
        if sim == "icarus" and waves:
            (folder / "dump.sv").write_text(_dump_module(binding.top), encoding="utf-8")
        if sim == "icarus":
            (folder / "timescale.f").write_text("+timescale+1ns/1ps\n", encoding="utf-8")
        extra = ["--build-jobs", str(jobs)] if sim == "verilator" else []
        if engine is not None:
            _compile(engine_library.command(sim), folder)
        _compile([*command, *extra], folder)
        seconds = time.monotonic() - started
        done.write_text(json.dumps({"key": key, "seconds": round(seconds, 2)}), encoding="utf-8")
    return Build(sim, binding.top, folder, program, key, seconds, False, engine)


def _is_done(marker: Path, key: str) -> bool:
    return marker.is_file() and json.loads(marker.read_text(encoding="utf-8"))["key"] == key


def _key(binding: Binding, sim: str, command: list[str]) -> str:
    digest = hashlib.sha256()
    parts = [_FORMAT, sim, tools.version(sim), cocotb_tools.config.__file__ or "", *command]
    if sim == "verilator":
        parts.append(tools.compiler_version())
    if binding.engine == "c":
        parts += [*engine_library.command(sim), engine_library.source_hash()]
    digest.update("\0".join(parts).encode())
    digest.update(binding.source_hash().encode())
    return digest.hexdigest()


def _command(binding: Binding, sim: str, compiler: str, *, waves: bool, mutation: bool) -> list[str]:
    """Compiler call, run inside the build directory."""
    defines = dict(binding.files.defines)
    if mutation:
        defines["MUTATION"] = "1"
    parameters = binding.parameters()
    sources = [str(path) for path in binding.files.sources]
    includes = [f"-I{path}" for path in binding.files.include_dirs]
    define_options = [f"-D{name}={value}" for name, value in sorted(defines.items())]
    if sim == "icarus":
        settings = [f"-P{binding.top}.{name}={_literal(value)}" for name, value in parameters.items()]
        command = [compiler, "-g2012", "-o", "sim.vvp", "-s", binding.top, "-f", "timescale.f"]
        command += [*binding.icarus_args, *define_options, *includes, *settings, *sources]
        return [*command, "-s", _DUMP_TOP, "dump.sv"] if waves else command
    settings = [f"-G{name}={_literal(value)}" for name, value in parameters.items()]
    libs = cocotb_tools.config.libs_dir
    glue = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    command = [compiler, "--cc", "--exe", "--build", "-Mdir", ".", "--prefix", "Vtop", "-o", "sim"]
    command += ["--top-module", binding.top, "--vpi", "--timescale", "1ns/1ps"]
    # Only the testbench top is visible to Python: publishing the whole DUT would forbid most optimisation.
    command += ["--public-depth", "1"]
    command += ["-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", "-O2"]
    linking = f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"
    if binding.engine == "c":
        linking += f" -L. -l:{engine_library.NAME[sim]} -Wl,-rpath,'$$ORIGIN'"
    command += ["-LDFLAGS", linking]
    command += ["--trace"] if waves else []
    return [*command, *binding.verilator_args, *define_options, *includes, *settings, str(glue), *sources]


def _literal(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _dump_module(top: str) -> str:
    """Second top that writes the VCD on Icarus (Verilator has an option for it)."""
    return (
        f'module {_DUMP_TOP};\n    initial begin $dumpfile("dump.vcd"); $dumpvars(0, {top}); end\nendmodule\n'
    )


def _compile(command: list[str], folder: Path) -> None:
    log = folder / "build.log"
    with log.open("a", encoding="utf-8") as handle:
        handle.write(" ".join(command) + "\n")
        handle.flush()
        done = subprocess.run(
            command, cwd=folder, env=tools.base_env(), stdout=handle, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines[-1:]
        raise BuildError(f"build failed: {(errors or ['no output'])[0].strip()} (log: {shown(log)})")
