"""The Fortran module of a ported nest: compiled against the bridge's own, by gfortran."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hosts import bridge_config, compiler
from port.outlined import Case, procedures
from port.test_nest_pack import LISTS, VIEWS
from port.test_outline_same import FREE

from bridge.plan.fringe import Fringe
from bridge_port.kernel import HostValue, Kernel, PointProcedure, Quantity
from bridge_port.output.module import module_text
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


def text_of(file: Path, case: Case) -> str:
    program = Program([file])
    kernels = [kernel_of(program, one) for one in procedures(program, case)]
    return module_text(case.unit, program.find(case.unit), program, kernels)


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
    compiled(folder, text_of(HERE / file, case))
