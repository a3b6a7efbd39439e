"""What no kernel may do is refused by file, line and construct; nothing is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.port.kernel import PointProcedure
from bridge.port.program.program import Program
from bridge.port.refusal import Refused
from bridge.port.translate.translate import translate

SOURCE = Path(__file__).parent / "constructs" / "refused.f90"
LINES = SOURCE.read_text().splitlines()
HELPERS = ("add", "advance")


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def wanted(name: str) -> tuple[int, str]:
    """(line, words) that the source says of a procedure."""
    begin = next(n for n, line in enumerate(LINES) if f"subroutine {name}(" in line)
    for number, line in enumerate(LINES[begin:], begin + 1):
        if "!!" in line:
            return number, line.partition("!!")[2].strip()
    raise AssertionError(name)


NAMES = [
    line.split("subroutine ")[1].split("(")[0]
    for line in LINES
    if "subroutine " in line and "end subroutine" not in line
]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in HELPERS])
def test_refused_by_line(program: Program, name: str) -> None:
    unit = program.find(name)
    line, words = wanted(name)
    with pytest.raises(Refused) as refused:
        translate(program, PointProcedure(name, unit, unit.place))
    refusal = refused.value.refusal
    assert words in f"{refusal.construct}: {refusal.why}"
    assert Path(refusal.place.file).name == SOURCE.name
    assert refusal.place.line == line


def test_a_fixed_integer_has_to_be_there(program: Program) -> None:
    unit = program.find("adjustable")
    procedure = PointProcedure(unit.name, unit, unit.place)
    with pytest.raises(Refused, match="fixed m: adjustable reads no such integer"):
        translate(program, procedure, fixed={"n": 3, "m": 4})
    kernel = translate(program, procedure, fixed={"n": 3})
    assert [q.argument for q in kernel.inputs] == ["a"]
    assert kernel.inputs[0].columns == "3"


def test_a_shape_may_be_said(program: Program) -> None:
    unit = program.find("assumed")
    procedure = PointProcedure(unit.name, unit, unit.place)
    kernel = translate(program, procedure, shapes={"a": (4,)})
    assert kernel.inputs[0].columns == "4"


def test_what_is_private_is_of_the_point(program: Program) -> None:
    unit = program.find("saves")
    kernel = translate(program, PointProcedure(unit.name, unit, unit.place), private={"old"})
    assert "Real old = 0.0;" in kernel.text
    assert kernel.constants == []
