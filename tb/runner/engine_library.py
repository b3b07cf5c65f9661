"""The C transactors (tb/fast/c) as a library for one simulator: names, compiler call, content hash.

One source serves both: ``dpi.c`` binds it to Verilator, ``vpi.c`` to Icarus. Simulator and Python load the
same file, so that they share its queues.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from functools import lru_cache

from tb.runner import tools
from tb.runner.paths import ROOT

SOURCES = ROOT / "tb" / "fast" / "c"
NAME = {"verilator": "librdv_engine.so", "icarus": "rdv_engine.vpi"}
_BINDING = {"verilator": "dpi.c", "icarus": "vpi.c"}


def command(sim: str) -> list[str]:
    """Compiler call that makes the library in the current directory."""
    sources = [str(SOURCES / name) for name in ("engine.c", "store.c", _BINDING[sim])]
    options = ["-O2", "-std=gnu11", "-fPIC", "-shared", "-Wall", *_include_options(sim)]
    return [os.environ.get("CC", "gcc"), *options, "-o", NAME[sim], *sources]


@lru_cache(maxsize=2)
def _include_options(sim: str) -> tuple[str, ...]:
    if sim == "icarus":
        done = subprocess.run(["iverilog-vpi", "--cflags"], capture_output=True, text=True, check=True)
        return tuple(word for word in done.stdout.split() if word.startswith("-I"))
    asked = [str(tools.require(sim)), "--getenv", "VERILATOR_ROOT"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, env=tools.base_env())
    return (f"-I{done.stdout.strip()}/include/vltstd",)


@lru_cache(maxsize=1)
def source_hash() -> str:
    """SHA-256 over the C files."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
