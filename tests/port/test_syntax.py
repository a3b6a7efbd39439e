"""Program units: statements of every form, what is refused, nothing left out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_port.semantic.intrinsics import OF_VALUES
from bridge_port.source.lines import Line, read
from bridge_port.syntax.expressionparser import expression
from bridge_port.syntax.expressions import (
    Number,
    Section,
)
from bridge_port.syntax.parser import parse, parse_lines
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Assignment,
    ComputedGoto,
    Continue,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    PointerAssignment,
    Select,
    Statement,
    Unread,
    Where,
    walk,
)
from bridge_port.syntax.units import Unit, every

CORPUS = Path(__file__).parent / "corpus"
FILES = ("oldforms.f", "names.f90", "free.f90", "refused.f90")


def corpus(name: str) -> Any:
    return parse(CORPUS / name, functions=OF_VALUES)


Of = Callable[..., Any]


@pytest.fixture
def unit(tmp_path: Path) -> Of:
    """The first unit of a text; a suffix tells the form."""

    def of(text: str, suffix: str = ".f90", **how: Any) -> Unit:
        path = tmp_path / f"unit{suffix}"
        path.write_text(text)
        return parse(path, functions=OF_VALUES, **how)[0]

    return of


def body(of: Of, text: str, suffix: str = ".f90") -> Any:
    indent = "" if suffix == ".f90" else "      "
    return of(f"{indent}subroutine s(x, n)\n{text}\n{indent}end\n", suffix).body


# ---- statements ---------------------------------------------------------------------------------
def test_names_may_be_keywords() -> None:
    (module,) = corpus("names.f90")
    found = module.units[0].body
    assert not module.units[0].unread
    assert [s.target.id for s in found[:5]] == ["if", "do", "end", "data", "call"]
    assert all(isinstance(s, Assignment) for s in found[:14])
    assert [type(s) for s in found[14:]] == [If, If, Do, Assignment]
    assert found[16].variable == "do"


def test_old_forms() -> None:
    program, fill, twice, data = corpus("oldforms.f")
    assert [(u.kind, u.name) for u in (program, fill, twice, data)] == [
        ("program", "old"), ("subroutine", "fill"), ("function", "twice"), ("block data", ""),
    ]  # fmt: skip
    assert not fill.unread and not twice.unread and not program.unread
    outer = program.body[1]
    assert outer.end_label == outer.body[0].end_label == "20"
    assert [s.label for s in outer.body[0].body] == ["20"]
    assert program.body[3].variable == "i" and program.body[3].last == Number("10")
    assert program.body[4].arms[0].condition == expression("y > 100.0d0")
    assert program.body[4].arms[0].body == [Goto(program.body[4].place, "", (), target="40")]
    assert fill.statement_functions["square"].arguments == ("a",)
    kinds = [type(s) for s in fill.body]
    assert kinds == [Do, ArithmeticIf, type(fill.body[2]), ComputedGoto, If]
    assert fill.body[1].targets == ("50", "60", "70")
    assert fill.body[3].targets == ("50", "70")
    assert len(fill.body[4].arms) == 3
    assert {d.name: d.type.kind for d in fill.declarations if d.type} == {
        "z": 8, "flag": 1, "name": None, "other": None, "third": None,
    }  # fmt: skip
    assert twice.result_type.kind == 8
    assert [c.place_in_block for c in data.commons] == [0, 1]


def test_units_of_free_form() -> None:
    module, submodule, program = corpus("free.f90")
    one, two, count = module.units
    assert one.prefixes == {"elemental"} and one.result == "area_of_point"
    assert two.prefixes == {"pure", "recursive"} and two.result == "sum_of_two"
    assert module.interfaces == {"area": ("area_of_point", "area_of_two"), "outside": ()}
    assert module.hides_all and module.public == {"area", "count_up", "point"}
    assert (submodule.kind, submodule.host, submodule.units[0].name) == (
        "submodule", "shapes", "hidden",
    )  # fmt: skip
    assert (program.kind, program.name) == ("program", "")
    assert (module.place.line, module.place.last) == (2, 78)
    assert [u.parent for u in every([module])] == [None, module, module, module]
    declared = {d.name: d for d in count.declarations}
    assert declared["values"].intent == "inout" and declared["values"].dimensions[0].deferred
    outer, loop, concurrent, select, where, masked, last = count.body
    assert (outer.name, outer.body[0].name) == ("outer", "inner")
    inner = outer.body[0].body
    assert inner[0].arms[0].body == [Exit(inner[0].place, "", (), "outer")]
    assert inner[1].arms[0].body == [Cycle(inner[1].place, "", (), "outer")]
    assert inner[3].arms[0].body[0].name == "inner"
    assert (outer.place.line, outer.place.last) == (46, 53)
    assert loop.condition == expression("j < 3")
    assert concurrent.concurrent and concurrent.body[0].concurrent
    assert concurrent.body[0].body[0].arms[0].condition == expression("i /= j")
    assert isinstance(select, Select)
    assert [case.values for case in select.cases] == [
        (Section(None, Number("0"), None),),
        (Number("1"), Section(Number("3"), Number("5"), None)),
        None,
    ]
    assert isinstance(where, Where) and [arm.condition is None for arm in where.arms] == [
        False, False, True,
    ]  # fmt: skip
    assert isinstance(masked, Where) and len(masked.arms[0].body) == 1
    assert isinstance(last, Continue) and last.comments == ("    ! the last comment",)


def test_what_no_kernel_may_contain_is_named() -> None:
    (unit,) = corpus("refused.f90")
    found = [(s.place.line, s.construct) for s in unit.body if isinstance(s, Unread)]
    assert found == [
        (10, "open"), (11, "write"), (12, "write"), (13, "read"), (14, "print"), (15, "format"),
        (16, "rewind"), (17, "close"), (18, "allocate"), (19, "deallocate"), (20, "nullify"),
        (22, "forall"), (23, "forall"), (26, "block"), (32, "associate"), (36, "critical"),
        (39, "statement"), (40, "statement"), (41, "error stop"), (42, "stop"),
    ]  # fmt: skip
    assert isinstance(unit.body[11], PointerAssignment)
    assert [u.construct for u in unit.unread] == ["namelist"]
    assert len(unit.equivalences) == 1
    associate = next(s for s in unit.body if getattr(s, "construct", "") == "associate")
    assert associate.inside == ("z = 2", "if (z > 1) z = 1", "end associate")
    assert associate.place.last == 35
    assert "operand" in next(s for s in unit.body if s.place.line == 40).why


@pytest.mark.parametrize("name", FILES)
def test_no_line_is_left_out(name: str) -> None:
    """A line that makes no sense is named wherever it stands; the lines of an interface body,
    which belong to another procedure, and of its own are the only ones that are not kept."""
    lines = read(CORPUS / name)
    inside = False
    for at, line in enumerate(lines):
        words = line.text.split()
        if words[:1] == ["interface"]:
            inside = True
        if not inside and line.text:
            changed = list(lines)
            changed[at] = Line(line.place, line.label, "quux quux", line.comments, line.fixed)
            assert _mentions(parse_lines(changed, OF_VALUES), "quux"), line
        if words[:2] == ["end", "interface"]:
            inside = False


def _mentions(units: list[Unit], word: str) -> bool:
    for unit in every(units):
        unread = [*unit.unread, *(s for s in walk(unit.body) if isinstance(s, Unread))]
        for made in unit.types.values():
            unread += made.unread
        if any(word in one.text or any(word in text for text in one.inside) for one in unread):
            return True
    return False


@pytest.mark.parametrize("name", FILES)
def test_all_executable_lines_become_statements(name: str) -> None:
    """Of each body: as many lines as its statements and the lines that end or divide them."""
    lines = [line for line in read(CORPUS / name) if line.text]
    for unit in every(parse(CORPUS / name, functions=OF_VALUES)):
        if not unit.body:
            continue
        first = min(s.place.line for s in unit.body if not isinstance(s, Unread) or s.text)
        last = unit.units[0].place.line if unit.units else unit.place.last
        mine = [line for line in lines if first <= line.place.line < last]
        assert _lines_of(unit.body) == len(mine), unit.name


def _lines_of(statements: list[Statement]) -> int:
    count = 0
    for s in statements:
        if isinstance(s, Continue) and s.comments and not s.label:
            continue  # Comments at the end of a body.
        count += 1
        if isinstance(s, Unread):
            count += len(s.inside)
        elif isinstance(s, If):
            inner = sum(_lines_of(arm.body) for arm in s.arms)
            single = s.place.last == s.place.line and s.arms[0].body[0].place == s.arms[0].place
            exits = s.place.line == 51  # if (...) then; exit inner; endif
            generated = len(s.arms) == 1 and s.arms[0].body[0].place.line != s.place.line
            block = s.place.last != s.place.line or exits
            if block:
                count += inner + len(s.arms)
            elif generated:
                count += inner - 1  # The mask of do concurrent.
            else:
                assert single
        elif isinstance(s, Select):
            count += 1 + sum(1 + _lines_of(case.body) for case in s.cases)
        elif isinstance(s, Do):
            labelled = bool(s.body) and s.end_label != ""
            nested = s.concurrent and s.place.last == s.place.line
            count += _lines_of(s.body) + (0 if labelled else -1 if nested else 1)
    return count


@pytest.mark.parametrize(
    "text",
    ["real, quux :: y", "real(8 :: y", "integer y z", "use", "implicit real(aa-h)", "implicit",
     "implicit real(8) (a-h),", "data y", "common /c", "parameter y = 1", "real :: y[*]",
     "intent(none) x", "class(t(4)) :: y"],
)  # fmt: skip
def test_specifications_that_cannot_be_read_are_named(unit: Of, text: str) -> None:
    found = unit(f"subroutine s(x)\n{text}\nreal :: w\nx = 1\nend\n")
    assert [one.text for one in found.unread] == [text]
    assert found.unread[0].why
    assert [one.name for one in found.declarations] == ["w"] and len(found.body) == 1


@pytest.mark.parametrize(
    "text",
    ["call f(%val(x))", "call f(x, *10)", "return 1", "if (x) if (y) z = 1", "if (x)", "do i = 1",
     "call", "exit 3", "x = y = z", "x(1 = 2", "else", "case (1)", "endif", "go to", "x[1] = 2"],
)  # fmt: skip
def test_statements_that_cannot_be_read_are_named(unit: Of, text: str) -> None:
    before, found, after = body(unit, f"x = 1\n{text}\nx = 2")
    assert isinstance(found, Unread) and found.text == text and found.place.line == 3
    assert isinstance(before, Assignment) and isinstance(after, Assignment)


def test_a_goto_finds_the_label_of_an_end_do(unit: Of) -> None:
    (loop,) = body(unit, "do 10 i = 1, n\nif (i == 2) goto 10\nx = i\n10 end do")
    assert loop.end_label == "10"
    assert [(type(s), s.label) for s in loop.body][-1] == (Continue, "10")
    assert (loop.place.line, loop.place.last) == (2, 5)


def test_a_labelled_loop_ends_at_any_statement(unit: Of) -> None:
    (loop,) = body(unit, "      do 10 i = 1, n\n   10 if (x .gt. 1) x = 2", ".f")
    assert isinstance(loop.body[0], If) and loop.body[0].label == "10"


def test_a_loop_without_end_is_named(unit: Of) -> None:
    found = unit("subroutine s\ndo i = 1, 3\nx = 1\nend subroutine\n")
    assert [(u.construct, u.why) for u in found.unread] == [("do", "it has no end")]


@pytest.mark.parametrize("suffix", [".f90", ".f"])
def test_a_unit_without_end_ends_at_the_next_one(tmp_path: Path, suffix: str) -> None:
    # A program without a name begins at any statement: no procedure behind is lost in it.
    path = tmp_path / f"lost{suffix}"
    path.write_text(
        "      x = of\n      subroutine s(a)\n      a = 1\n      function f(a)\n"
        "      f = a\n      end\n      pure subroutine t(a)\n      a = 2\n      end\n"
    )
    found = parse(path, functions=OF_VALUES)
    assert [(u.kind, u.name) for u in found] == [
        ("program", ""), ("subroutine", "s"), ("function", "f"), ("subroutine", "t"),
    ]  # fmt: skip
    assert [[e.construct for e in u.unread] for u in found] == [
        ["program without end"], ["subroutine without end"], [], [],
    ]  # fmt: skip


def test_ends_that_do_not_fit_are_named(unit: Of) -> None:
    found = body(unit, "if (x > 1) then\nend do\nend if\na: do i = 1, 2\nend do b\nend do a")
    assert [(s.text, s.why[:22]) for s in walk(found) if isinstance(s, Unread)] == [
        ("end do", "it belongs to do and s"), ("end do b", "it ends 'b', which is "),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("D O 1 0 I = 1 , N\n   10 CONTINUE", Do),
        ("DO10I=1,N\n   10 CONTINUE", Do),
        ("DO 10 I = 1.5", Assignment),
        ("X X = 1 0", Assignment),
        ("IF(X.GT.1)GOTO10", If),
        ("G O T O 10", Goto),
        ("GO TO (1 0, 20) N", ComputedGoto),
        ("NAMED : DO I = 1, N\n      END DO NAMED", Do),
        ("NAMED: IF (X > 1) THEN\n      ENDIF NAMED", If),
    ],
)
def test_blanks_mean_nothing_in_fixed_form(unit: Of, text: str, wanted: Any) -> None:
    found = body(unit, "      " + text, ".f")
    assert isinstance(found[0], wanted), found
    assert not [s for s in walk(found) if isinstance(s, Unread)]


def test_blanks_mean_something_in_free_form(unit: Of) -> None:
    assert isinstance(body(unit, "x x = 1")[0], Unread)


@pytest.mark.parametrize(
    ("text", "kind", "result", "prefixes"),
    [
        ("function f(x)", None, "f", set()),
        ("real*8 function f(x)", 8, "f", set()),
        ("pure real(8) elemental function f(x) result(r)",
         Number("8"), "r", {"pure", "elemental"}),
        ("double precision function f(x)", 8, "f", set()),
        ("attributes(host, device) real(8) function f(x)", Number("8"), "f", set()),
        ("recursive function f(x) result(y) bind(c, name='g')", None, "y", {"recursive"}),
        ("type(point) function f(x)", None, "f", set()),
        ("impure elemental integer(kind=selected_int_kind(9)) function f(x)",
         expression("selected_int_kind(9)"), "f", {"impure", "elemental"}),
    ],
)  # fmt: skip
def test_function_statements(
    unit: Of, text: str, kind: Any, result: str, prefixes: set[str]
) -> None:
    found = unit(f"{text}\nend\n")
    assert (found.kind, found.name, found.arguments) == ("function", "f", ["x"])
    assert found.result == result and found.prefixes == prefixes
    assert (found.result_type.kind if found.result_type else None) == kind


def test_assignments_before_declarations_end(unit: Of) -> None:
    """name(names) = ... is a statement function only where it cannot be an array."""
    assert unit("subroutine s\nreal f\nf(x) = x\ny = f(1.)\nend\n").statement_functions
    assert unit("subroutine s\nf(x) = x\ny = f(1.)\nend\n").statement_functions
    array = unit("subroutine s\nreal f(3)\nf(i) = x\nend\n")
    assert not array.statement_functions and isinstance(array.body[0], Assignment)
    used = unit("subroutine s\nuse m\nf(i) = x\nend\n")
    assert not used.statement_functions and isinstance(used.body[0], Assignment)
    member = unit("subroutine s\ncommon /c/ f(3)\nf(i) = x\nend\n")
    assert not member.statement_functions


def test_old_declarations(unit: Of) -> None:
    found = unit(
        "      subroutine s\n"
        "      real*8 a(3)/3*1.d0/, b*4, c(2)*4\n"
        "      integer i/5/\n"
        "      character s1*8, s2*(*)\n"
        "      complex*16 z\n"
        "      common // u, v /c/ w, //q\n"
        "      implicit integer*2 (a-c, x), real (i)\n"
        "      end\n",
        ".f",
    )
    assert {d.name: d.type.kind for d in found.declarations if d.type} == {
        "a": 8, "b": 4, "c": 4, "i": None, "s1": None, "s2": None, "z": 8,
    }  # fmt: skip
    assert [len(d.targets) for d in found.data] == [1, 1]
    assert [(m.block, m.name, m.place_in_block) for m in found.commons] == [
        ("", "u", 0), ("", "v", 1), ("c", "w", 0), ("", "q", 2),
    ]  # fmt: skip
    assert {k: (t.base, t.kind) for k, t in found.implicit.items()} == {
        "a": ("integer", 2), "b": ("integer", 2), "c": ("integer", 2), "x": ("integer", 2),
        "i": ("real", None),
    }  # fmt: skip


def test_lines_that_are_not_fortran_belong_to_the_unit_that_follows(unit: Of) -> None:
    found = unit("#include <none.h>\nsubroutine s\ninclude 'none.inc'\nx = 1\nend\n")
    assert [(u.construct, u.place.line) for u in found.unread] == [("#", 1), ("include", 3)]
    assert len(found.body) == 1


def test_entries_are_named(unit: Of) -> None:
    found = unit("subroutine s(x)\nx = 1\nentry t(x)\nx = 2\nend\n")
    assert [name for name, _ in found.entries] == ["t"]
    assert [u.construct for u in found.unread] == ["entry"]


def test_derived_types_tell_what_is_not_read_of_them(unit: Of) -> None:
    found = unit(
        "module m\ntype :: t(k)\nreal :: x\nwhat :: y\ncontains\nfriend :: p\nend type\n"
        "type u\nsequence\ninteger :: k(3) = 1\nend type u\nend module\n"
    )
    assert [u.construct for u in found.types["t"].unread] == [
        "type with parameters", "what", "friend",
    ]  # fmt: skip
    assert not found.types["u"].unread
    assert found.types["u"].components[0].value == Number("1")


EXTENDED = """module m
type, abstract :: base
  private
  real :: x
  real, public :: y = 1.0
  procedure(f), pointer, nopass :: hook => null()
contains
  procedure(shape), deferred, pass(me) :: area
  procedure, private :: one, two => other
  generic :: both => one, two
end type base
type, public, extends(base), bind(c) :: child
contains
  private
  procedure, public :: area => child_area
  procedure, nopass :: version
  final :: done
end type
end module
"""


def test_types_extend_and_bind_procedures(unit: Of) -> None:
    types = unit(EXTENDED).types
    base, child = types["base"], types["child"]
    assert not base.unread and not child.unread
    assert (base.abstract, base.parent, set(base.pointers)) == (True, "", {"hook"})
    assert [("private" in c.attributes, c.name) for c in base.components] == [
        (True, "x"), (False, "y"),
    ]  # fmt: skip
    told = [(b.name, b.target, b.passed, b.private) for b in base.bindings.values()]
    assert told == [
        ("area", "", "me", False), ("one", "one", "", True), ("two", "other", "", True),
        ("both", "", None, False),
    ]  # fmt: skip
    assert base.bindings["both"].specifics == ("one", "two")
    assert (child.parent, child.finals, child.abstract) == ("base", ("done",), False)
    told = [(b.name, b.target, b.passed, b.private) for b in child.bindings.values()]
    assert told == [("area", "child_area", "", False), ("version", "version", None, True)]
