"""Every row of the table of intrinsics, in every place where it may stand, against gfortran."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from port import everyintrinsic as every
from port.differential import TOLERANCE, Bench, differs
from port.drivers import Case

from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.nest import outline
from bridge_port.program.program import Program
from bridge_port.semantic.folding import FOLDS
from bridge_port.translate.translate import translate

pytestmark = pytest.mark.fortran

USES = every.elemental()
#: What is computed when a kernel is built; without a value there are functions whose last bits
#: no library says.
CONSTANT = [
    one for one in USES
    if one.name not in every.NO_CONSTANTS and (one.row.generic in FOLDS or one.row.form == "cmplx")
]  # fmt: skip
ARRAYS = [one for one in USES if one.name not in every.OF_ONE]
WHOLE = every.of_arrays()
WHOLE_CONSTANT = [
    one for one in WHOLE
    if one.row.of_type or one.row.form in ("bounds", "selected") or one.name in every.WHOLE_FOLDED
]  # fmt: skip
#: What asks for the type of an array of points is refused there.
IN_LOOPS = [one for one in WHOLE if not one.row.of_type or one.row.form == "constant"]
#: A place, what stands there.
Placed = tuple[Callable[[list[every.Use]], list[str]], list[every.Use]]
PROCEDURES: list[Placed] = [
    *((place, USES) for place in every.POINTS),
    *((place, CONSTANT) for place in every.NAMED),
    *((place, WHOLE) for place in (every.point, every.argument, every.associated)),
    (every.parameter, WHOLE_CONSTANT),
    # A mask in a bound is refused by gfortran.
    (every.bounds, [o for o in WHOLE_CONSTANT if ">" not in o.call]),
]
NESTS: list[Placed] = [*((place, ARRAYS) for place in every.NESTS), (every.loop, IN_LOOPS)]
OF = {every.name_of(place, uses): uses for place, uses in (*PROCEDURES, *NESTS)}
RANGES = {"x": (0.1, 0.9), "y": (0.1, 0.9), "i": (1.0, 30.0), "j": (1.0, 6.0)}
POINTS = 41
Numbers = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("intrinsics") / "everywhere.f90"
    file.write_text(every.module([place(uses) for place, uses in (*PROCEDURES, *NESTS)]))
    return file


@pytest.fixture(scope="module")
def program(source: Path) -> Program:
    return Program([source])


def nest(program: Program, name: str) -> list[Kernel]:
    unit = program.find(name)
    return [translate(program, one) for one in outline(program, unit, 0, 0, name=name)]


@pytest.fixture(scope="module")
def bench(source: Path, program: Program) -> Bench:
    """With the originals of points, and kernels of these and of nests that are one kernel."""
    cases = []
    for place, uses in PROCEDURES:
        unit = program.find(every.name_of(place, uses))
        kernel = translate(program, PointProcedure(unit.name, unit, unit.place))
        cases.append(Case(unit, kernel, program, RANGES))
    made = Bench(source.parent / "bench", [source], cases, machines=())
    for name in ("loop", "where", "loop_whole"):
        (kernel,) = nest(program, name)
        made.cases.append(Case(program.find(name), kernel, program, RANGES))
    made.optimised = "-O0"  # many functions, run once
    made.machines = {"scalar": made.compiled("scalar")}
    return made


def of(bench: Bench, name: str) -> Case:
    (found,) = (case for case in bench.cases if case.kernel.name == name)
    return found


@pytest.mark.parametrize("name", [every.name_of(*placed) for placed in PROCEDURES])
def test_a_procedure_gives_what_gfortran_gives(bench: Bench, name: str) -> None:
    case = of(bench, name)
    inputs = bench.inputs(case, POINTS, 1)
    compare(bench, name, bench.run_original(case, inputs, POINTS)["r"], inputs)


@pytest.mark.parametrize(
    ("name", "point"), [("loop", "point"), ("where", "point"), ("loop_whole", "point_whole")]
)
def test_a_nest_gives_what_gfortran_gives_for_each_point(
    bench: Bench, name: str, point: str
) -> None:
    case = of(bench, point)
    inputs = bench.inputs(case, POINTS, 1)
    names = [one.name for one in OF[point]]
    rows = [names.index(one.name) for one in OF[name]]
    compare(bench, name, bench.run_original(case, inputs, POINTS)["r"][rows], inputs)


def compare(bench: Bench, name: str, expected: Numbers, inputs: Mapping[str, Numbers]) -> None:
    case = of(bench, name)
    given = {q.name: inputs.get(q.name, np.zeros((1, POINTS))) for q in case.kernel.inputs}
    found = bench.run_kernel(case, given, POINTS, "scalar")
    results = [column for q in case.kernel.outputs for column in found[q.name]]
    wrong = []
    for use, original, kernel in zip(OF[name], expected, results, strict=True):
        single = use.name in ("cmplx", "sngl") or use.row.kind == 4 or "real(" in use.call
        limit = 100 * TOLERANCE[single]
        if any(differs("real", a, b, limit * max(1, abs(a)))
               for a, b in zip(original, kernel, strict=True)):  # fmt: skip
            wrong.append((use.call, original[0], kernel[0]))
    assert not wrong


def test_an_array_statement_has_the_text_of_the_loop(program: Program) -> None:
    (loop,) = nest(program, "loop")
    each = nest(program, "array_statement")
    for number, (use, kernel) in enumerate(zip(ARRAYS, each, strict=True), 1):
        texts = {re.findall(rf"\br{number} = .*;", one.text)[0] for one in (loop, kernel)}
        assert len(texts) == 1, use.call
