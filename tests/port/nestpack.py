"""Nests as a pack: kernels, a catalogue, modules, and a program that runs both forms."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from hosts import bridge_config, bridge_objects, compiler
from packsbuilt import ISA, quickly
from port.outlined import Case, driver, procedures, used

from bridge_port.choices import Choices
from bridge_port.kernel import HostValue, Kernel, Quantity
from bridge_port.output.catalogue import composite, table
from bridge_port.output.module import module_text
from bridge_port.output.runs import run_names, runs
from bridge_port.program.program import Program
from bridge_port.syntax.text import line
from bridge_port.syntax.units import Declaration, TypeName
from bridge_port.syntax.unittext import declaration_text, specification_lines
from bridge_port.translate.translate import translate

TYPES = {"integer": "int32", "logical": "logical"}


def kernels(program: Program, case: Case) -> list[Kernel]:
    prefix = f"{case.unit}__"
    return [translate(program, one, Choices(prefix=prefix)) for one in procedures(program, case)]


def catalogue(nests: Mapping[str, Sequence[Kernel]]) -> str:
    """Quantities and constants once, each kernel run by its name, and those of a nest that run
    together."""
    made = [kernel for some in nests.values() for kernel in some]
    quantities: dict[str, Quantity] = {}
    constants: dict[str, HostValue] = {}
    tables: dict[str, HostValue] = {}
    entries = []
    for kernel in made:
        tables |= {t.name: t for t in kernel.tables}
        quantities |= {q.name: q for q in (*kernel.inputs, *kernel.outputs)}
        constants |= {c.name: c for c in kernel.constants}
        inputs = [q.name for q in kernel.inputs] + [c.name for c in kernel.constants]
        outputs = [q.name for q in kernel.outputs]
        lines = [
            "[[kernel]]",
            f'name = "{kernel.name}"',
            f'header = "{kernel.header}"',
            f"inputs = {_list(inputs)}",
            f"outputs = {_list(outputs)}",
            "planned = false",
        ]
        lines += [f"reads.{q.name} = {{ {q.reads} }}" for q in kernel.inputs if q.reads]
        if kernel.tables:
            lines.append(f"tables = {_list([t.name for t in kernel.tables])}")
        if kernel.procedure.sweep:
            lines.append(f'sweep = "{kernel.procedure.sweep}"')
        entries.append("\n".join(lines))
    for nest, its in nests.items():
        for name, some in zip(run_names(its, nest), runs(its), strict=True):
            entries += [composite(some, name)] if len(some) > 1 else []
    head = []
    for q in quantities.values():
        if not q.name.startswith("position_"):
            kind = '\ntype = "int32"' if q.type != "real" else ""
            head.append(f'[quantity.{q.name}]\nunit = "1"\ncolumns = "{q.columns}"{kind}')
    for c in constants.values():
        kind = f'\ntype = "{TYPES[c.type]}"' if c.type in TYPES else ""
        head.append(f'[constant.{c.name}]\nunit = "1"{kind}')
    head += [table(one) for one in tables.values()]
    return "\n\n".join([*head, *entries]) + "\n"


def _list(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def ported(program: Program, case: Case, text: str) -> str:
    """The unit with bind, run and unbind in the place of its body; before them the body between
    the calls that compare it, and these calls without it."""
    unit = program.find(case.unit)
    head = text.replace("&\n", "")

    def call(entry: str, *last: str) -> str:
        found = re.search(rf"subroutine {entry}_{case.unit}\((.*?)\)", head, re.DOTALL)
        assert found is not None
        words = [word.strip() for word in found[1].split(",") if word.strip()]
        words = [re.sub(r"^(\w+)_low(\d)$", r"lbound(\1, \2)", word) for word in words]
        # A dummy of the module does not hide a function that the module calls.
        words = [w[:-1] if w.endswith("_") and w[:-1] in unit.arguments else w for w in words]
        words = [*words[: len(words) - len(last)], *last]
        return line(f"call {entry}_{case.unit}({', '.join(words)})", 2)

    scope = program.scope(unit)
    written = [
        name
        for name in unit.arguments
        if scope.symbol(name).intent != "in" and name not in case.sizes
    ]
    kept, again = [], []
    lines = [
        f"subroutine ported_{case.unit}({', '.join(unit.arguments)})",
        f"  use {case.unit}_bridge",
        *used(unit),
        *specification_lines(unit, 2),
    ]
    for name in written:
        symbol = scope.symbol(name)
        kind = TypeName(symbol.type, symbol.kind)
        own = symbol.attributes & {"allocatable"}
        copy = Declaration(symbol.place, f"{name}__0", kind, symbol.dimensions, own)
        lines.append("  " + declaration_text(copy))
        kept.append(f"  {name}__0 = {name}")
        again.append(f"  {name} = {name}__0")
    lines += ["  real(8) :: worst__", *kept, call("bind")]
    if f"subroutine compare_begin_{case.unit}" in head:
        lines += [call("compare_begin", "1.0_8"), call("compare", "worst__")]
        lines += [f"  print *, '{case.unit} MISSED', worst__", *again]
        lines += [call("compare_begin", "1.0_8"), line(f"call {case.unit}"
                  f"({', '.join(unit.arguments)})", 2), call("compare", "worst__")]  # fmt: skip
        lines += [f"  print *, '{case.unit} COMPARED', worst__", *again]
    lines.append(call("run"))
    lines += [f"  call unbind_{case.unit}()", "end subroutine", driver(program, case)]
    return "\n".join(lines)


def differences(folder: Path, sources: dict[Path, Sequence[Case]]) -> dict[str, dict[str, float]]:
    """The largest difference of each argument, by unit, between the original and the pack."""
    pack = folder / "pack"
    pack.mkdir()
    made: dict[str, list[Kernel]] = {}
    modules, runs, calls = [], [], []
    for source, cases in sources.items():
        program = Program([source])
        for case in cases:
            its = kernels(program, case)
            made[case.unit] = its
            modules.append(module_text(case.unit, program.find(case.unit), program, its))
            runs.append(ported(program, case, modules[-1]))
            calls.append(f"  call run_{case.unit}")
    for kernel in (one for its in made.values() for one in its):
        (pack / kernel.header).write_text(kernel.text)
    (pack / "catalogue.toml").write_text(catalogue(made))
    main = [
        "program main",
        "  use runs",
        "  use bridge",
        "  implicit none",
        "  call frame_set('species', 'O2 CH4')",
        "  call frame_initialize(device_id=0, ngridpoints=4096, ns=2, nq=7, iturb=0)",
        *calls,
        "  call frame_finalize()",
        "end program main",
        "",
    ]
    text = ["module runs", "contains", *runs, "end module runs", *main]
    (folder / "modules.f90").write_text("\n".join(modules))
    (folder / "runs.f90").write_text("\n".join(text))
    environment = {**os.environ, "BRIDGE_PACKS": str(pack), "BRIDGE_CACHE": str(folder / "cache"),
                   "BRIDGE_CPU_ISA": ISA, "CXX": quickly()}  # fmt: skip
    build = [
        compiler("gfortran"),
        "-g",
        "-O0",  # the loops are compared with the kernels; no result depends on it
        "-w",
        "-fcheck=bounds",
        *bridge_objects("gfortran"),
        *map(str, sources),
        "modules.f90",
        "runs.f90",
        *bridge_config("--fflags", "--libs", folder=folder),
        "-o",
        "run",
    ]
    output = ""
    for command in (["bridge", "packs", "build", "--isa", ISA], build, ["./run"]):
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        output = done.stdout
    found: dict[str, dict[str, float]] = {}
    for words in map(str.split, output.splitlines()):
        if len(words) == 3 and words[0] in {c.unit for cases in sources.values() for c in cases}:
            found.setdefault(words[0], {})[words[1]] = float(words[2])
    return found
