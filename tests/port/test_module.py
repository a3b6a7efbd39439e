"""The Fortran module of a ported nest: compiled against the bridge's own, by gfortran."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hosts import bridge_config, compiler
from port.outlined import Case, procedures
from port.test_nest_pack import LISTS, VIEWS
from port.test_outline_same import FREE

from bridge.plan.fringe import Fringe
from bridge_port.kernel import HostValue, Kernel, PointProcedure, Quantity
from bridge_port.output.fortran import Include, Module, Procedure, call, written
from bridge_port.output.module import nest_module
from bridge_port.program.program import Program
from bridge_port.program.symbols import Symbol

HERE = Path(__file__).parent
pytestmark = pytest.mark.fortran


def kernel_of(program: Program, one: PointProcedure) -> Kernel:
    """What a translation says of a procedure, without its text."""
    scope = program.scope(one.unit)
    kernel = Kernel(f"p_{one.name}", "", "", one)
    seen = set()
    for d in one.unit.declarations:
        if d.name not in one.unit.arguments:
            continue
        neighbour = one.neighbours.get(d.name)
        argument = neighbour.array if neighbour else d.name
        if argument in seen:
            continue
        seen.add(argument)
        symbol: Symbol = scope.symbol(d.name)
        shape = tuple(n or 0 for n in scope.extents(symbol))
        reads = one.arrays[argument].reads if argument in one.arrays else Fringe()
        quantity = Quantity(f"p_{argument}", argument, symbol.type, symbol.kind, shape, reads)
        intent = "in" if neighbour else d.intent
        if intent in ("in", "inout"):
            kernel.inputs.append(quantity)
        if intent in ("out", "inout"):
            kernel.outputs.append(quantity)
    for name in one.scalars:
        symbol = scope.symbol(name)
        kernel.constants.append(
            HostValue(f"p_{name}", name, "", "local", symbol.type, symbol.kind)
        )
    return kernel


def module_of(file: Path, case: Case) -> Module:
    program = Program([file])
    kernels = [kernel_of(program, one) for one in procedures(program, case)]
    return nest_module(case.unit, program.find(case.unit), program, kernels).module


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modules")
    sources = bridge_config("--fsource", folder=folder)
    flags = bridge_config("--fflags", folder=folder)
    command = [compiler("gfortran"), "-fsyntax-only", *sources, *flags]
    subprocess.run(command, cwd=folder, check=True)
    return folder


def compiled(folder: Path, text: str) -> None:
    (folder / "module.f90").write_text(text)
    command = [compiler("gfortran"), "-std=f2018", "-Wall", "-Wno-unused", "-Werror",
               "-fsyntax-only", "module.f90"]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + text


@pytest.mark.parametrize("case", [*FREE, *VIEWS, *LISTS], ids=lambda case: case.unit)
def test_compiles(case: Case, folder: Path) -> None:
    file = "views.f90" if case in VIEWS else "lists.f90" if case in LISTS else "nests.f90"
    module = module_of(HERE / file, case)
    compiled(folder, module.text)
    # What is asked of the module is what its text has.
    joined = re.sub(r"&\s*\n\s*", "", module.text)
    assert [one.arguments[:2] for one in module.calls("frame_bind")] == re.findall(
        r"call frame_bind\(('\w+'), ('\w+')", joined
    )
    runs = module.calls("frame_run", "frame_record")
    assert [one.name for one in runs] == re.findall(r"call (frame_run|frame_record)\(", joined)
    assert [one.module for one in module.used() if not one.intrinsic] == re.findall(
        r"(?m)^ *use (\w+)", joined
    )


def test_statements_of_both_forms() -> None:
    long = call("give", *(f"value_{n}" for n in range(12)), where="is_there")
    free, fixed = (list(written([long, Include("grid.inc")], 4, form)) for form in (False, True))
    assert all(len(one) <= 99 for one in free) and free[-1] == "    include 'grid.inc'"
    joined = " ".join(one.strip().removesuffix("&").strip() for one in free[:-1])
    assert joined == str(long) and str(long).startswith("if (is_there) call give(value_0, ")
    assert all(len(one) <= 72 for one in fixed) and fixed[0].startswith("      if (is_there)")
    assert "".join(one[6:] for one in fixed[:-1]) == str(long)


def test_what_procedures_inside_call() -> None:
    inner = Procedure("inner", ("n",), [Include("grid.inc")], [call("work", "n")])
    outer = Procedure("outer", (), (), [call("inner", 3)], inside=[inner, ["  ! a line"]])
    assert [one.arguments for one in outer.calls("work", "inner")] == [("3",), ("n",)]
    assert outer.included() == ["grid.inc"]
    assert str(outer).splitlines() == [
        "subroutine outer()", "  call inner(3)", "contains", "  subroutine inner(n)",
        "    include 'grid.inc'", "    call work(n)", "  end subroutine inner", "  ! a line",
        "end subroutine outer",
    ]  # fmt: skip
