"""Allocatable variables of a procedure, whose shapes are known when the kernel is built."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.differential import Bench
from port.drivers import Case

from bridge.port.kernel import Kernel, PointProcedure
from bridge.port.program.program import Program
from bridge.port.refusal import Refused
from bridge.port.survey.survey import survey
from bridge.port.translate.translate import translate

SOURCE = Path(__file__).parent / "constructs" / "allocated.f90"
NAMES = "gradients either questions rounds passed".split()


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def kernel(program: Program, name: str) -> Kernel:
    unit = program.find(name)
    return translate(program, PointProcedure(name, unit, unit.place), prefix="k_")


@pytest.mark.fortran
def test_kernels_are_the_originals(program: Program, tmp_path: Path) -> None:
    cases = [Case(program.find(name), kernel(program, name), program) for name in NAMES]
    bench = Bench(tmp_path, [SOURCE], cases, 3, ("", ""), machines=("lanes",))
    found = {one.unit.name: bench.differences(one, points=103)[:2] for one in cases}
    assert {name: differences for name, differences in found.items() if differences} == {}
