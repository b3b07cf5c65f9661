"""Turn a SystemRDL register map into registers.json, the form every other part reads.

Repeated blocks stay arrays (base, stride, count) and are never expanded. Run as
``python -m tb.registers.export [rdl [json]]``; without arguments it renews the map of every target in its
place.

A parameter of the address map that is also an enum knob of the target (``parameters.json`` beside the RDL)
makes variants: registers that another value of the knob lays out differently are listed behind the blocks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.messages import MessagePrinter
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, RegfileNode, RegNode
from systemrdl.rdltypes import OnWriteType

from ref_model.errors import UserError
from ref_model.rules import SPEC_DIR

JSON_NAME = "registers.json"

_FIELD_FLAGS = ("reset_unknown", "override_writable", "activates", "qp_number")
_RARE_FLAGS = ("provisional", "sets_only", "locked")


class _LastMessage(MessagePrinter):
    """Keeps the first complaint of the compiler so that one clear line can be made of it."""

    def __init__(self) -> None:
        super().__init__()
        self.first = ""

    def print_message(self, severity: Any, text: str, src_ref: Any) -> None:
        if not self.first:
            where = f" line {src_ref.line}" if src_ref is not None and hasattr(src_ref, "line") else ""
            self.first = f"{text}{where}"


def rdl_path(target: str) -> Path:
    """The register description of a target."""
    return SPEC_DIR / target / f"{target}.rdl"


def described_targets() -> list[str]:
    """Targets that have a register description."""
    return sorted(path.stem for path in SPEC_DIR.glob("*/*.rdl") if path == rdl_path(path.stem))


def compile_rdl(path: Path, **parameters: int | str) -> AddrmapNode:
    """Compile the RDL file and return its top address map.

    parameters override those of the address map (MR_ROWS, QP_SLOTS, QP_SLOT_BASE, QP_BASE_RAW for ERNIC;
    AFH_LAYOUT, TX_MDQ_SIZE_BITS for RCLINK).
    Raises UserError when the file is missing or does not compile.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such register description (expected a SystemRDL file)")
    printer = _LastMessage()
    compiler = RDLCompiler(message_printer=printer)
    try:
        compiler.compile_file(str(path))
        values: dict[str, Any] = dict(parameters)
        return compiler.elaborate(parameters=values).top
    except RDLCompileError as exc:
        raise UserError(f"{path}: {printer.first or exc}") from exc


def field_access(field: FieldNode) -> str:
    """Software access of a field: "rw", "ro" or "w1c"; UserError for anything else."""
    if field.get_property("onwrite") is OnWriteType.woclr and field.is_sw_readable:
        return "w1c"
    if field.is_sw_readable and field.is_sw_writable and field.get_property("onwrite") is None:
        return "rw"
    if field.is_sw_readable and not field.is_sw_writable:
        return "ro"
    raise UserError(f"{field.get_path()}: software access not supported (allowed: rw, r, rw with woclr)")


def _field(field: FieldNode) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": field.inst_name,
        "lsb": field.low,
        "width": field.width,
        "access": field_access(field),
        "reset": field.get_property("reset") or 0,
        "volatile": bool(field.is_hw_writable),
    }
    entry.update({flag: bool(field.get_property(flag, default=False)) for flag in _FIELD_FLAGS})
    entry.update({flag: True for flag in _RARE_FLAGS if field.get_property(flag, default=False)})
    entry["desc"] = field.get_property("desc") or ""
    return entry


def _register(reg: RegNode, base: int, group: str) -> dict[str, Any]:
    fields = [_field(field) for field in sorted(reg.fields(), key=lambda f: f.low)]
    accesses = {field["access"] for field in fields}
    access = next(kind for kind in ("w1c", "rw", "ro") if kind in accesses)
    qp1 = reg.get_property("qp1", default=None)
    return {
        "name": reg.inst_name,
        "offset": reg.raw_absolute_address - base,
        "width": reg.get_property("regwidth"),
        "access": reg.get_property("table_access", default=None) or access,
        "reset": sum(field["reset"] << field["lsb"] for field in fields),
        "group": group,
        **({"qp1": qp1} if qp1 else {}),
        "desc": reg.get_property("desc") or "",
        "fields": fields,
    }


def _registers(node: AddressableNode, base: int, group: str) -> Iterator[dict[str, Any]]:
    """Registers under node; nested register files are flattened and give their name as the group."""
    if isinstance(node, RegNode):
        yield _register(node, base, group)
        return
    for child in node.children():
        if isinstance(child, RegNode | RegfileNode):
            if child.is_array:
                raise UserError(f"{child.get_path()}: arrays are allowed at the top of the address map only")
            yield from _registers(child, base, child.inst_name if isinstance(child, RegfileNode) else group)


def _block(node: AddressableNode) -> dict[str, Any]:
    """One top-level register file or register array."""
    count, stride = 1, node.size
    if node.is_array:
        dimensions = node.array_dimensions or []
        if len(dimensions) != 1:
            raise UserError(f"{node.get_path()}: only one array dimension is allowed")
        count, stride = dimensions[0], node.array_stride or 0
    base = node.raw_absolute_address
    block: dict[str, Any] = {"name": node.inst_name, "base": base, "stride": stride, "count": count}
    selected_by = node.get_property("selected_by", default=None)
    if selected_by:
        block["selected_by"] = selected_by
    block["registers"] = sorted(_registers(node, base, node.inst_name), key=lambda reg: reg["offset"])
    return block


def export(top: AddrmapNode) -> dict[str, Any]:
    """The register map as plain data; addresses are byte addresses, lsb is bit 0 of the register."""
    blocks = [_block(node) for node in top.children() if isinstance(node, RegNode | RegfileNode)]
    end = max(block["base"] + block["stride"] * block["count"] for block in blocks)
    return {"target": top.inst_name, "address_bits": (end - 1).bit_length(), "blocks": blocks}


def export_file(path: Path) -> dict[str, Any]:
    """The register map of an RDL file with its variants; UserError as `compile_rdl`."""
    top = compile_rdl(path)
    data = export(top)
    plain = _by_name(data)
    variants: list[dict[str, Any]] = []
    moved_by: dict[tuple[str, str], str] = {}
    for parameter in top.inst.parameters:
        knob, default = parameter.name, parameter.get_value()
        for value in _knob_values(path, knob):
            if value == default:
                continue
            other = _by_name(export(compile_rdl(path, **{knob: value})))
            for place, register in other.items():
                if register == plain[place]:
                    continue
                if moved_by.setdefault(place, knob) != knob:
                    knobs = f"{moved_by[place]} and {knob}"
                    raise UserError(f"{path}: register {place[1]} depends on {knobs} (allowed: one knob)")
                variants.append({"knob": knob, "value": value, "block": place[0], "register": register})
    if variants:
        data["variants"] = variants
    return data


def _by_name(data: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(block["name"], reg["name"]): reg for block in data["blocks"] for reg in block["registers"]}


def _knob_values(path: Path, name: str) -> list[Any]:
    """Values of the enum knob of that name, empty if there is none."""
    parameters = path.with_name("parameters.json")
    if not parameters.is_file():
        return []
    rows = json.loads(parameters.read_text(encoding="utf-8"))["items"]
    return next((row["values"] for row in rows if row["name"] == name and row["type"] == "enum"), [])


def _register_text(reg: dict[str, Any]) -> str:
    line = json.dumps({key: value for key, value in reg.items() if key != "fields"})[:-1]
    fields = ",\n".join(f"    {json.dumps(field)}" for field in reg["fields"])
    return f'{line}, "fields": [\n{fields}]}}'


def render(data: dict[str, Any]) -> str:
    """JSON text with one field per line, stable for version control."""
    out = [f'{{\n "target": "{data["target"]}",\n "address_bits": {data["address_bits"]},\n "blocks": [']
    for block_number, block in enumerate(data["blocks"]):
        head = json.dumps({key: value for key, value in block.items() if key != "registers"})[:-1]
        out.append(f'{"," if block_number else ""}\n  {head}, "registers": [')
        registers = (f"\n   {_register_text(reg)}" for reg in block["registers"])
        out.append(",".join(registers) + "]}")
    out.append("\n ]")
    if "variants" in data:
        rows = []
        for row in data["variants"]:
            head = json.dumps({key: value for key, value in row.items() if key != "register"})[:-1]
            rows.append(f'\n  {head}, "register":\n   {_register_text(row["register"])}}}')
        out.append(',\n "variants": [' + ",".join(rows) + "\n ]")
    return "".join(out) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Write registers.json beside each source; returns the exit code (2 and one line on wrong input)."""
    if len(arguments) > 2:
        print("usage: python -m tb.registers.export [rdl [json]]", file=sys.stderr)
        return 2
    sources = [Path(arguments[0])] if arguments else [rdl_path(target) for target in described_targets()]
    for rdl in sources:
        written = Path(arguments[1]) if len(arguments) > 1 else rdl.with_name(JSON_NAME)
        try:
            text = render(export_file(rdl))
        except UserError as exc:
            print(exc, file=sys.stderr)
            return 2
        written.write_text(text, encoding="utf-8")
        print(f"{written}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
