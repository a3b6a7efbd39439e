"""Fortran written from its tree: read again it is the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import OF_VALUES
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Number, Text, Unary
from bridge_port.syntax.parser import parse
from bridge_port.syntax.statements import Assignment, Call, Unread, walk
from bridge_port.syntax.text import LONGEST, WIDTH, expression_text, line, statement_lines
from bridge_port.syntax.units import TypeName, Unit, every
from bridge_port.syntax.unittext import unit_text

HERE = Path(__file__).parent
LEGACY = HERE.parents[1] / "fortran_stub" / "legacy"
FILES = [HERE / "nests.f90", HERE / "nests.f", *sorted(LEGACY.glob("*.f90"))]
#: Where a statement stood, and how it was laid out.
LAYOUT = {"place", "comments", "parent", "end_label", "contains"}


def bare(node: object) -> object:
    """A tree without its layout, to be compared."""
    if isinstance(node, TypeName) and isinstance(node.kind, Number):
        # double precision is written as its bytes.
        return (node.base, int(node.kind.text), node.name)
    if isinstance(node, TypeName) and isinstance(node.kind, int):
        return (node.base, node.kind, node.name)
    if is_dataclass(node) and not isinstance(node, Place):
        return (type(node).__name__, *((f.name, bare(getattr(node, f.name)))
                                       for f in fields(node) if f.name not in LAYOUT))  # fmt: skip
    if isinstance(node, dict):
        return {key: bare(value) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [bare(one) for one in node if not isinstance(one, Place)]
    return node


def unread(units: list[Unit]) -> Iterator[Unread]:
    for unit in every(units):
        yield from unit.unread
        yield from (s for s in walk(unit.body) if isinstance(s, Unread))
        yield from (u for kind in unit.types.values() for u in kind.unread)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_units_are_the_same(file: Path, tmp_path: Path) -> None:
    compared = 0
    for unit in parse(file, functions=OF_VALUES):
        if any(True for _ in unread([unit])) or unit.interfaces:
            with pytest.raises(Refused):
                unit_text(unit)
            continue
        text = unit_text(unit)
        assert max(map(len, text.splitlines())) <= WIDTH
        again = tmp_path / "again.f90"
        again.write_text(text)
        (second,) = parse(again, functions=OF_VALUES)
        assert bare(second) == bare(unit), text
        compared += 1
    assert compared or file.name in ("genkinddefs.f90", "speciesmodule.f90")


A, B, C = Name("a"), Name("b"), Name("c")


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (Binary("*", A, Binary("+", B, C)), "a*(b + c)"),
        (Binary("-", A, Binary("-", B, C)), "a - (b - c)"),
        (Binary("-", Binary("-", A, B), C), "a - b - c"),
        (Binary("**", Unary("-", A), Number("2")), "(-a)**2"),
        (Unary("-", Binary("**", A, Number("2"))), "-a**2"),
        (Binary("**", A, Binary("**", B, C)), "a**b**c"),
        (Binary("**", Binary("**", A, B), C), "(a**b)**c"),
        (Binary("*", A, Unary("-", B)), "a*(-b)"),
        (Binary("+", Unary("-", A), B), "-a + b"),
        (Unary("-", Binary("+", A, B)), "-(a + b)"),
        (Binary("/", A, Binary("*", B, C)), "a/(b*c)"),
        (Unary(".not.", Binary(".and.", A, B)), ".not. (a .and. b)"),
        (Binary(".and.", Unary(".not.", A), B), ".not. a .and. b"),
        (Binary("==", Binary("<", A, B), C), "(a < b) == c"),
        (Binary(".eqv.", Binary(".or.", A, B), C), "a .or. b .eqv. c"),
        (Binary(".cross.", A, Binary("+", B, C)), "a .cross. b + c"),
        (Unary(".inverse.", Binary("+", B, C)), ".inverse. (b + c)"),
        (Apply(A, (Unary("()", B), Number("1_8"))), "a((b), 1_8)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parentheses_where_evaluation_needs_them(tree: Expression, text: str) -> None:
    assert expression_text(tree) == text


def test_long_statements_are_continued() -> None:
    value: Expression = A
    for n in range(60):
        value = Binary("+", value, Apply(Name("field"), (Number(str(n)), B)))
    lines = "\n".join(statement_lines([Assignment(target=A, value=value)], 4)).splitlines()
    assert len(lines) > 5 and max(map(len, lines)) <= WIDTH
    joined = re.sub(r" &\s*", " ", "".join(line + "\n" for line in lines)).strip()
    assert joined == f"a = {expression_text(value)}"


def test_what_is_not_understood_is_not_written() -> None:
    with pytest.raises(Refused, match="f.f:7: write"):
        list(statement_lines([Unread(Place("f.f", 7), text="write(*,*) x", construct="write")]))


def test_types_are_written_with_what_they_bind(tmp_path: Path) -> None:
    text = """module m
  type, abstract :: base
    real, public :: y = 1.0
  contains
    procedure(f), deferred, pass(me) :: area
    procedure, private :: one
    procedure :: two => other
    procedure, nopass :: version
    generic :: both => one, two
  end type base
  type, extends(base) :: child
  contains
    procedure :: area => child_area
    final :: done
  end type child
end module m
"""
    file = tmp_path / "m.f90"
    file.write_text(text)
    (unit,) = parse(file, functions=OF_VALUES)
    assert unit_text(unit) == text


@pytest.mark.parametrize(
    "constant",
    ["'" + "of " * n + "it''s'" for n in (25, 30, 31, 32, 38, 40, 43, 80, 120)]
    + ["'" + "quo''ted " * 14 + "'", "'" + "x''" * 60 + "'"],
)
def test_long_constants_are_read_again(tmp_path: Path, constant: str) -> None:
    """No line is longer than the standard has it, and none goes on behind the last."""
    for behind in ("", ", second, 'b'", ", size(a, kind=c_intptr_t)*8, c_loc(array_of_a_name)"):
        text = line(f"call told({constant}{behind})", 4)
        assert all(len(one) <= LONGEST + 2 for one in text.splitlines())
        file = tmp_path / "called.f90"
        file.write_text(f"subroutine s\n{text}\nend subroutine\n")
        [call] = parse(file, functions=OF_VALUES)[0].body
        assert isinstance(call, Call)
        first, *others = call.arguments
        assert first == Text(constant[1:-1].replace("''", "'"))
        assert len(others) == (2 if behind else 0)
