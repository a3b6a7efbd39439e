"""Own Fortran of every construct, and all of the legacy physics: kernels against gfortran.

Breaking a rule of the translator makes one of these differ, see differential.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from port.differential import Bench
from port.drivers import Case

from bridge_port.choices import Choices
from bridge_port.kernel import PointProcedure
from bridge_port.program.program import Program
from bridge_port.syntax.units import Unit, every
from bridge_port.translate.translate import translate

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
LEGACY = HERE.parents[1] / "fortran_stub" / "legacy"
SPECIES = HERE.parents[1] / "fortran_stub" / "data" / "species.dat"
PRIVATE = {"cache_x", "cache_y", "calls", "known", "memob", "shares", "at"}
FIXED: dict[str, dict[str, int | str]] = {
    "pieces": {"n": 4},
    "layered": {"layers": 4},
    "work_array": {"n": 5},
    "matrix_said": {"n": 3, "m": 4},
    "parts_of_work": {"n": 3},
    "strides": {"by": -3},
    "code": {"name": "beta"},
    "kind_of": {"word": "square "},
    "said": {"scheme": "cube"},
    "by_scheme": {"p%scheme": "KPP"},
    "by_parts": {"p%in%law": "cubicspline", "p%in%letter": "bc", "p%free": "ab"},
    "parts_passed": {"q%in%law": "cubic", "q%free": "abc"},
    "parts_named": {"name": "cubicspl", "free": "a", "i%law": "cubicspl"},
}
#: Of arguments without an end.
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "work_array": {"w": (15,)},
    "matrix_said": {"a": (3, 5)},
    "parts_of_work": {"w": (23,)},
}
#: Not of one point by themselves: they write module data, take arrays of any shape, or have texts
#: as arguments or results.
HELPERS = {
    "small.f90": ("scale", "memo"),
    "values.f90": ("number", "lower", "split", "counted", "of_word", "of_stream"),
    "equivalences.f": ("reset",),
    "rules.f90": ("weighed", "moves_on", "share_of", "all_shares"),
    "calls.f90": ("mean_of_list", "mean_of_table"),
    "functions.f90": ("of_list",),
    "allocated.f90": ("along", "doubled_in_place", "squares", "stability"),
    "numberedtexts.f90": ("say", "hand"),
    "componenttexts.f90": ("of_module",),
}
ORDER = """genkinddefs statusmodule speciesmodule chungtablesmodule chungdiffusionmodule
chungtransmodule idealgasmodule preoskernelmodule preosspeciesmodule preosderivedmodule preosmodule
preosdensitymodule eosmodule""".split()
RANGES = {"t": (300.0, 2000.0), "p": (1e5, 5e6), "t0": (300.0, 900.0), "htarget": (1e5, 1e6)}
#: Subscripts that a caller gives.
LEGACY_RANGES = {"takahashirow": {"k": (1, 17)}, "selectrange": {"i": (1, 3)}}


def procedures(program: Program, skipped: Sequence[str] = ()) -> list[Unit]:
    return [
        unit
        for unit in every(program.units)
        if unit.kind in ("subroutine", "function")
        and unit.name not in skipped
        and (unit.parent is None or unit.parent.name not in ("duals", "solvers", "windowed"))
        and (unit.parent is None or unit.parent.kind == "module")
    ]


def case(
    program: Program, unit: Unit, fixed: Mapping[str, int | str] | None = None, species: str = ""
) -> Case:
    kernel = translate(
        program,
        PointProcedure(unit.name, unit, unit.place),
        Choices(
            prefix="k_",
            private=PRIVATE,
            fixed=fixed or {},
            species=species,
            shapes=SHAPES.get(unit.name, {}),
        ),
    )
    return Case(unit, kernel, program, {}, fixed or {})


@pytest.fixture(scope="session")
def benches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bench]:
    return {}


CONSTRUCTS = (
    "flow.f90",
    "small.f90",
    "values.f90",
    "rules.f90",
    "oldcode.f",
    "equivalences.f",
    "backwards.f",
    "calls.f90",
    "functions.f90",
    "allocated.f90",
    "pointers.f90",
    "windows.f90",
    "numberedtexts.f90",
    "componenttexts.f90",
)
NAMES = [
    (file, unit.name)
    for file in CONSTRUCTS
    for unit in procedures(Program([HERE / "constructs" / file]), HELPERS.get(file, ()))
]


def test_helpers_stand_in_their_files() -> None:
    for file, names in HELPERS.items():
        there = {unit.name for unit in procedures(Program([HERE / "constructs" / file]))}
        assert set(names) <= there


@pytest.mark.parametrize(("file", "name"), NAMES)
def test_construct(
    file: str, name: str, benches: dict[str, Bench], tmp_path_factory: pytest.TempPathFactory
) -> None:
    if file not in benches:
        source = HERE / "constructs" / file
        program = Program([source])
        cases = [
            case(program, unit, FIXED.get(unit.name))
            for unit in procedures(program, HELPERS.get(file, ()))
        ]
        benches[file] = Bench(tmp_path_factory.mktemp("constructs"), [source], cases)
    bench = benches[file]
    (one,) = [one for one in bench.cases if one.unit.name == name]
    assert bench.differences(one, points=203) == []


def test_single_precision_is_told() -> None:
    """Constants keep their values without a word; variables are promoted."""
    for file, name, single in (
        ("small.f90", "numbers", False),
        ("oldcode.f", "visco", True),
        ("rules.f90", "coarse", True),
    ):
        program = Program([HERE / "constructs" / file])
        kernel = case(program, program.find(name)).kernel
        assert kernel.uses_single is single
        assert any("double precision" in note for note in kernel.notes) is single


@pytest.fixture(scope="session")
def legacy(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    files = [LEGACY / f"{name}.f90" for name in ORDER]
    program = Program(files)
    cases = []
    for unit in procedures(program):
        assert unit.parent is not None
        if unit.parent.name != "speciesmodule":  # which reads files
            one = case(program, unit, species="ns")
            one.ranges = {**RANGES, **LEGACY_RANGES.get(unit.name, {})}
            cases.append(one)
    setup = (
        "use speciesmodule, only: speciesread\n  character(200) :: message",
        f"call speciesread('{SPECIES}', 'N2 O2 CO2', message)\n"
        "  if (len_trim(message) > 0) error stop 'species'",
    )
    folder = tmp_path_factory.mktemp("legacy")
    return Bench(folder, files, cases, 3, setup, machines=("lanes",))


def test_legacy_physics(legacy: Bench) -> None:
    """Every procedure outside of the module that reads files."""
    assert len(legacy.cases) == 90
    found = {one.unit.name: legacy.differences(one, points=43)[:2] for one in legacy.cases}
    assert {name: differences for name, differences in found.items() if differences} == {}
