"""Random Fortran, translated and compared with what gfortran makes of it. A seed does it again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from port import randomnests, randomprocedures
from port.differential import Bench
from port.drivers import Case
from port.outlined import Case as Nest
from port.outlined import compare
from port.outlined import procedures as points_of

from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.translate.translate import translate

SIZES = {"nx": 7, "ny": 6, "mode": 2}
#: Beside values over one; sums are made in another order.
MOST = 1e-11
#: With optimisation, gfortran 12 forgets what a variable holds before it computes the other
#: arguments of a call to which the variable is `intent(out)`.
FLAGS = ("-O0",)


def procedures(folder: Path, seed: int, count: int) -> Counter[str]:
    """How many are the same and how many are refused; AssertionError with what differs."""
    text, names = randomprocedures.module(seed, count)
    program, source = written(folder, text)
    cases, told = [], Counter[str]()
    for name in names:
        unit = program.find(name)
        try:
            kernel = translated(program, PointProcedure(name, unit, unit.place))
        except Refused:
            told["refused"] += 1
        else:
            cases.append(Case(unit, kernel, program))
    if cases:
        bench = Bench(folder / "bench", [source], cases, flags=FLAGS)
        for case in cases:
            differences = bench.differences(case, points=103)
            assert not differences, f"{source}: {case.unit.name}: {differences[0]}"
    told["same"] += len(cases)
    return told


def nests(folder: Path, seed: int, count: int) -> Counter[str]:
    """The same of loop nests, whose procedures of a point are run as Fortran, and made kernels."""
    text, names = randomnests.procedures(seed, count)
    program, source = written(folder, text)
    cases, told = [], Counter[str]()
    for name in names:
        case = Nest(name, SIZES, name)
        try:
            points = points_of(program, case)
            for one in points:
                translated(program, one)
        except Refused:
            told["refused"] += 1
            continue
        if any(one.views for one in points):  # the generated module copies elements for them
            told["copies"] += 1
        else:
            cases.append(case)
    for name, found in compare(folder, source, cases).items():
        wrong = {argument: d for argument, d in found.items() if not d < MOST}
        assert not wrong, f"{source}: {name}: {wrong}"
    told["same"] += len(cases)
    return told


def written(folder: Path, text: str) -> tuple[Program, Path]:
    source = folder / "random.f90"
    source.write_text(text)
    return Program([source]), source


def translated(program: Program, point: PointProcedure) -> Kernel:
    return translate(program, point, Choices(prefix="k_", private=set(), fixed={}, species=""))
