"""``rdma-dv new-test`` and ``new-dut``: a running start for a test or for foreign RTL."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from ref_model.errors import UserError
from tb.cli.console import print_line
from tb.cli.skeletons import BINDING, OPEN_KNOBS, TESTS
from tb.runner import ROOT, Binding, load_binding, targets, tests_of
from tb.runner.filelist import HDL_SUFFIXES
from tb.runner.knobs import suggest
from tb.runner.paths import shown
from tb.runner.ports import Port, module_ports

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@click.command("new-test")
@click.argument("name")
@click.option("--dut", default="ernic", show_default=True, metavar="TARGET")
@click.option(
    "--group", metavar="FILE", help="Test file of the target, without .py (default: the test's name)."
)
def new_test_command(name: str, dut: str, group: str | None) -> int:
    """Write the skeleton of a test: it runs at once and says what to change."""
    path = new_test(ROOT / "tests" / "sim", dut, name, group or name)
    print_line(f"written: {shown(path)}")
    print_line(f"run it:  rdma-dv run --dut {dut} --test {name}")
    return 0


def new_test(folder: Path, target: str, name: str, group: str) -> Path:
    """Write a test skeleton below ``folder`` and return its path.

    Raises:
        UserError: unknown target, a name that is no snake_case, or one that exists.
    """
    if target not in targets():
        raise UserError(f"unknown target {target!r}: allowed are {', '.join(targets())}")
    for what, text in (("test name", name), ("group", group)):
        if not _NAME.fullmatch(text):
            raise UserError(f"{what} {text!r}: allowed is snake_case, such as write_across_pages")
        if text.startswith("test_"):
            raise UserError(
                f"{what} {text!r}: allowed are names without test_, which is kept for pytest files"
            )
    if name in tests_of(target):
        raise UserError(f"test {name!r} of {target} exists already")
    path = folder / target / f"{group}.py"
    if path.exists():
        raise UserError(f"{path} exists already: add the test there by hand, or choose another --group")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TESTS[target].format(name=name, title=name.replace("_", " ")), encoding="utf-8")
    return path


@click.command("new-dut")
@click.argument("name")
@click.option("--target", default="ernic", show_default=True, help="Specification it is judged against.")
@click.option(
    "--dir",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to (default: tb/duts/TARGET).",
)
def new_dut_command(name: str, target: str, folder: Path | None) -> int:
    """Write binding and adapter skeleton for foreign RTL."""
    folder = folder or ROOT / "tb" / "duts" / target
    paths = new_dut(folder, target, name)
    for path in paths:
        print_line(f"written: {shown(path)}")
    inside = folder.resolve() == (ROOT / "tb" / "duts" / target).resolve()
    dut = f"{target}.{name}" if inside else shown(paths[0])
    print_line("next:    wire the core up in the adapter, name its sources in the binding, then")
    print_line(f"         rdma-dv regress --dut {dut} --suite smoke")
    return 0


def new_dut(folder: Path, target: str, name: str) -> list[Path]:
    """Write binding and adapter for a DUT below ``folder``; return their paths.

    The adapter is a module with the name and ports of the stand-in, all outputs tied to 0: it compiles at
    once, and every test fails until a core is wired up.

    Raises:
        UserError: unknown target, a name that is no snake_case, or files that exist.
    """
    if target not in targets():
        raise UserError(f"unknown target {target!r}: {suggest(target, targets())}")
    if not _NAME.fullmatch(name) or name == "stub":
        raise UserError(f"DUT name {name!r}: allowed is snake_case other than stub, such as vendor_4_0")
    stub = load_binding(target)
    binding = folder / f"{name}.toml"
    adapter = folder / f"{name}_adapter.sv"
    for path in (binding, adapter):
        if path.exists():
            raise UserError(f"{path} exists already: remove it or choose another name")
    sources = [path for path in stub.files.sources if path.suffix in HDL_SUFFIXES]
    header, ports = module_ports(target, sources)
    folder.mkdir(parents=True, exist_ok=True)
    adapter.write_text(_adapter(target, name, header, ports), encoding="utf-8")
    binding.write_text(_binding(stub, name, adapter.name), encoding="utf-8")
    return [binding, adapter]


def _adapter(target: str, name: str, header: str, ports: list[Port]) -> str:
    ties = "\n".join(f"    assign {port.name} = '0;" for port in ports if port.direction == "output")
    return (
        f"// Adapter of {name}: the ports of the bench outside, the foreign core inside.\n"
        "// Replace each tie-off by a connection to the core; invert, widen, rename here and nowhere else.\n"
        f"{header}\n\n"
        "    // vendor_core u_core ( ... );\n\n"
        f"{ties}\n\n"
        f"endmodule : {target}\n"
    )


def _binding(stub: Binding, name: str, adapter: str) -> str:
    """Text of a binding: the bench of the stand-in's around another core."""
    text = stub.path.read_text(encoding="utf-8")
    bench = re.findall(r'^    ".*",$', _table(text, "hdl"), re.MULTILINE)  # the core itself is a list
    knobs = [f"{knob} = {json.dumps(value)}" for knob, value in OPEN_KNOBS.get(stub.target, {}).items()]
    return BINDING.format(
        name=name,
        target=stub.target,
        top=stub.top,
        period=stub.clock_period_ps,
        adapter=adapter,
        bench="\n".join(bench),
        macro=stub.target.upper(),
        fast=_table(text, "fast"),
        parameters=_table(text, "parameters"),
        knobs="\n".join(knobs),
    )


def _table(text: str, name: str) -> str:
    """The TOML table ``name`` of ``text`` as it stands there."""
    found = re.search(rf"^\[{name}\].*?(?=\n\n\[|\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[0]
