"""What no kernel may do is refused by file, line and construct; nothing is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge_port.choices import Choices
from bridge_port.kernel import PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.translate.translate import translate

CONSTRUCTS = Path(__file__).parent / "constructs"
SOURCE = CONSTRUCTS / "refused.f90"
REFUSED = (
    *("refusedtypes.f90", "refusedcalls.f90", "refusedtexts.f90", "refusedwindows.f90"),
    *("refusedmemory.f90", "refusedjumps.f90"),
)
SOURCES = (SOURCE, *(CONSTRUCTS / name for name in REFUSED))
LINES = {source: source.read_text().splitlines() for source in SOURCES}
HELPERS = (
    *("add", "advance", "done", "changes", "both", "raise", "nothing_of", "halved"),
    *("from_text", "inside", "tripled", "raise_old", "takes", "either", "asks", "hands_text"),
    *("doubled", "raised", "set_one", "exchanged", "doubled_of"),
)


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


@pytest.fixture(scope="module")
def programs() -> dict[Path, Program]:
    return {source: Program([source]) for source in SOURCES}


def wanted(source: Path, name: str) -> tuple[int, str]:
    """(line, words) that the source says of a procedure."""
    lines = LINES[source]
    begin = next(n for n, line in enumerate(lines) if f"subroutine {name}(" in line)
    for number, line in enumerate(lines[begin:], begin + 1):
        if "!!" in line:
            return number, line.partition("!!")[2].strip()
    raise AssertionError(name)


NAMES = [
    (source, name)
    for source, lines in LINES.items()
    for line in lines
    if "subroutine " in line and "end subroutine" not in line
    if (name := line.split("subroutine ")[1].split("(")[0]) not in HELPERS
]


@pytest.mark.parametrize(("source", "name"), NAMES, ids=[name for _, name in NAMES])
def test_refused_by_line(programs: dict[Path, Program], source: Path, name: str) -> None:
    program = programs[source]
    unit = program.find(name)
    line, words = wanted(source, name)
    with pytest.raises(Refused) as refused:
        translate(program, PointProcedure(name, unit, unit.place))
    refusal = refused.value.refusal
    assert words in f"{refusal.construct}: {refusal.why}"
    assert Path(refusal.place.file).name == source.name
    assert refusal.place.line == line


def test_a_fixed_integer_has_to_be_there(program: Program) -> None:
    unit = program.find("adjustable")
    procedure = PointProcedure(unit.name, unit, unit.place)
    with pytest.raises(Refused, match="fixed m: adjustable reads no such integer"):
        translate(program, procedure, Choices(fixed={"n": 3, "m": 4}))
    kernel = translate(program, procedure, Choices(fixed={"n": 3}))
    assert [q.argument for q in kernel.inputs] == ["a"]
    assert kernel.inputs[0].columns == "3"


def test_a_shape_may_be_said(program: Program) -> None:
    unit = program.find("assumed")
    procedure = PointProcedure(unit.name, unit, unit.place)
    kernel = translate(program, procedure, Choices(shapes={"a": (4,)}))
    assert kernel.inputs[0].columns == "4"


def test_what_is_private_is_of_the_point(program: Program) -> None:
    unit = program.find("saves")
    kernel = translate(
        program, PointProcedure(unit.name, unit, unit.place), Choices(private={"old"})
    )
    assert "Real old = 0.0;" in kernel.text
    assert kernel.constants == []


def test_the_first_of_several_names_is_refused(tmp_path: Path) -> None:
    """Of what a function reads: the order of a set is another one in each process."""
    names = [f"law_{letter}" for letter in "abcdefghijkl"]
    file = tmp_path / "laws.f90"
    file.write_text(
        "module laws\n  use missing\n"
        + "".join(f"  real(wp) :: {name}\n" for name in names)
        + "contains\n  subroutine outer(x)\n    real(8), intent(inout) :: x\n    x = inner(x)\n"
        "  end subroutine\n  real(8) function inner(x)\n    real(8), intent(in) :: x\n"
        f"    inner = x + {' + '.join(names)}\n  end function\nend module\n"
    )
    program = Program([file])
    unit = program.find("outer")
    with pytest.raises(Refused, match=r"laws.f90:3: kind of real: module 'missing'"):
        translate(program, PointProcedure("outer", unit, unit.place))
