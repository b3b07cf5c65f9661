"""Reading the port list of a module, enough to write an adapter with the same ports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ref_model.errors import UserError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIONS = ("input", "output", "inout")


@dataclass(frozen=True)
class Port:
    """Direction (input, output, inout) and name."""

    direction: str
    name: str


def module_ports(module: str, sources: Sequence[Path]) -> tuple[str, list[Port]]:
    """Header of a module (``module ... );``, ANSI style) as written, and its ports.

    Raises:
        UserError: no source defines the module.
    """
    for path in sources:
        text = path.read_text(encoding="utf-8")
        plain = _COMMENT.sub("", text)
        start = re.search(rf"\bmodule\s+{re.escape(module)}\b", plain)
        if start is None:
            continue
        header = plain[start.start() : _end_of_header(plain, start.end()) + 1]
        lines = [line.rstrip() for line in header.splitlines() if line.strip()]
        return "\n".join(lines), _ports(header)
    raise UserError(f"module {module} not found in {', '.join(path.name for path in sources)}")


def _end_of_header(text: str, position: int) -> int:
    """Position of the ``;`` that ends the header: the first one outside parentheses."""
    depth = 0
    for index in range(position, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if text[index] == ";" and depth == 0:
            return index
    return len(text) - 1


def _ports(header: str) -> list[Port]:
    flat = re.sub(r"\[[^\]]*\]", " ", header[_last_group(header) + 1 : header.rindex(")")])
    ports: list[Port] = []
    direction = ""
    for item in flat.split(","):
        words = re.findall(r"\w+", item)
        if not words:
            continue
        # "input logic a, b": a name without a direction has that of the port before it.
        direction = next((word for word in words if word in _DIRECTIONS), direction)
        ports.append(Port(direction, words[-1]))
    return ports


def _last_group(header: str) -> int:
    """Position of the parenthesis that opens the last group: the ports, after any parameters."""
    depth = 0
    for index in range(header.rindex(")"), -1, -1):
        depth += (header[index] == ")") - (header[index] == "(")
        if depth == 0:
            return index
    return 0
