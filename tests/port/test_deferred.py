"""Components that are pointers or allocatable, with shapes that the user says."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.differential import Bench
from port.drivers import Case

from bridge.errors import ArgumentError
from bridge_port import options
from bridge_port.choices import Choices, Said
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.optionnames import OptionNames
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.request import Request, of_words
from bridge_port.survey.report import content
from bridge_port.survey.sizes import sizes
from bridge_port.survey.survey import survey
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "constructs" / "deferred.f90"
CURVE: dict[str, Said] = {"c%x": (5,), "c%y": (5,)}
STATE: dict[str, Said] = {
    "s%law%x": (5,), "s%law%y": (5,), "s%t": (4,), "s%q": (4,), "s%faces": (5,), "s%tiles": (2,),
    "s%tiles%u": ((0, 1), (1, 2)), "s%list": (3,), "s%wet": (4,),
}  # fmt: skip
SHAPES: dict[str, dict[str, Said]] = {
    "interpolated": CURVE,
    "both": {**CURVE, "d%x": (3,), "d%y": (3,)},
    "heated": STATE,
    "state_total": {"this%faces": (5,)},
    "smoothed": {"s%faces": (5,), "s%q": (4,)},
    "weighted": {"s%q": (4,)},
    "copied": {"a%history": (3,), "b%history": (3,)},
}
VALUES = {"smoothed": {"s%levels": 4}, "weighted": {"s%levels": 4}}
NAMES = (
    "interpolated heated state_total smoothed weighted lowpass filtered renewed copied joined "
    "both aged"
).split()


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def kernel(program: Program, name: str, **more: Said) -> Kernel:
    unit = program.find(name)
    shapes = SHAPES.get(name, {}) | {k.replace("__", "%"): v for k, v in more.items()}
    return translate(
        program,
        PointProcedure(name, unit, unit.place),
        Choices(prefix="k_", shapes=shapes, fixed=VALUES.get(name, {})),
    )


def refused(program: Program, name: str, shapes: dict[str, Said], **fixed: int) -> str:
    unit = program.find(name)
    values = {k.replace("__", "%"): v for k, v in fixed.items()}
    with pytest.raises(Refused) as found:
        translate(
            program, PointProcedure(name, unit, unit.place), Choices(shapes=shapes, fixed=values)
        )
    return str(found.value.refusal)


@pytest.mark.fortran
def test_kernels_are_the_originals(program: Program, tmp_path: Path) -> None:
    cases = [
        Case(program.find(name), kernel(program, name), program, fixed=VALUES.get(name, {}))
        for name in NAMES
    ]
    bench = Bench(tmp_path, [SOURCE], cases, 3, ("", ""), machines=("lanes",))
    found = {one.unit.name: bench.differences(one, points=103)[:2] for one in cases}
    assert {name: differences for name, differences in found.items() if differences} == {}


def test_first_subscripts_are_those_of_the_source(program: Program) -> None:
    lowers = {q.argument: q.lower for q in kernel(program, "heated", s__t=((-1, 2),)).inputs}
    assert lowers["s%faces"] == (0,) and lowers["s%q"] == (1,) and lowers["s%t"] == (-1,)
    assert lowers["s%tiles%u"] == (0, 1, 1)
    # Of this%t the source says -1 in one place and nothing else.
    assert {q.argument: q.lower for q in kernel(program, "heated").inputs}["s%t"] == (-1,)


def test_first_subscripts_that_differ_have_to_be_said(tmp_path: Path) -> None:
    source = tmp_path / "two.f90"
    source.write_text(
        "module two\n  type :: t\n    real, pointer :: a(:)\n  end type\ncontains\n"
        "  real function f(s)\n    type(t), intent(in) :: s\n    f = s%a(1)*2\n  end function\n"
        "  subroutine one(s, n, x)\n    type(t) :: s\n    integer :: n\n"
        "    real, target :: x(2:n)\n    allocate (s%a(n:4))\n    s%a => x\n  end subroutine\n"
        "end module\n"
    )
    two = Program([source])
    text = refused(two, "f", {"s%a": (3,)})
    assert "first subscripts are not known" in text and "two.f90:14 sets it" in text
    assert "--shape s%a=FIRST:LAST" in text
    unit = two.find("f")
    found = translate(
        two, PointProcedure("f", unit, unit.place), Choices(shapes={"s%a": ((1, 3),)})
    )
    assert [(q.argument, q.shape, q.lower) for q in found.inputs] == [("s%a", (3,), (1,))]


@pytest.mark.parametrize(
    ("statements", "first"),
    [
        ("allocate (s%a(0:n))", 0),
        ("if (n > 1) allocate (s%a(0:n))", 0),
        ("critical\n      allocate (s%a(0:n))\n    end critical", 0),
        ("allocate (s%a(0:n))\n    allocate (s%a(2:n))", None),
        ("allocate (o%a(0:n, 0:2))\n    allocate (s%a(0:n))", None),
        ("s%a(0:) => x", None),
        ("s%a => x", 2),
        ("allocate (p(0:n))\n    s%a => p", 0),
        ("allocate (p(0:n))\n    allocate (p(2:n))\n    s%a => p", None),
        # An element on the way is no shape.
        ("allocate (s%a(0:n))\n    allocate (o%rows(1)%a(n)%b(3))", 0),
    ],
)
def test_what_statements_say_of_first_subscripts(
    statements: str, first: int | None, tmp_path: Path
) -> None:
    source = tmp_path / "said.f90"
    source.write_text(
        "module said\n  type :: part\n    real, allocatable :: b(:)\n  end type\n"
        "  type :: row\n    type(part) :: a(4)\n  end type\n"
        "  type :: t\n    real, pointer :: a(:)\n  end type\n"
        "  type :: other\n    real, pointer :: a(:, :)\n    type(row) :: rows(3)\n  end type\n"
        "contains\n"
        "  real function f(s)\n    type(t), intent(in) :: s\n    f = s%a(3)*2\n  end function\n"
        "  subroutine one(s, o, n, x)\n    type(t) :: s\n    type(other) :: o\n    integer :: n\n"
        "    real, target :: x(2:9)\n    real, pointer :: p(:)\n"
        f"    {statements}\n  end subroutine\nend module\n"
    )
    program = Program([source])
    if first is None:
        text = refused(program, "f", {"s%a": (5,)})
        assert "first subscripts are not known" in text
        return
    unit = program.find("f")
    found = translate(
        program, PointProcedure("f", unit, unit.place), Choices(shapes={"s%a": (5,)})
    )
    assert [q.lower for q in found.inputs] == [(first,)]


def test_a_pointer_may_be_set_to_what_was_allocated(tmp_path: Path) -> None:
    source = tmp_path / "grown.f90"
    source.write_text(
        "module grown\n  type :: t\n    real, pointer :: a(:)\n  end type\ncontains\n"
        "  real function f(s)\n    type(t), intent(in) :: s\n    f = s%a(2)*2\n  end function\n"
        "  subroutine one(s, n)\n    type(t) :: s\n    integer :: n\n    real, pointer :: x(:)\n"
        "    if (n > 1) allocate (x(-2:n))\n    s%a => x\n  end subroutine\nend module\n"
    )
    program = Program([source])
    unit = program.find("f")
    found = translate(
        program, PointProcedure("f", unit, unit.place), Choices(shapes={"s%a": (6,)})
    )
    assert [(q.shape, q.lower) for q in found.inputs] == [((6,), (-2,))]
    row = next(one.found for one in survey([source], processes=1).rows if one.found.name == "f")
    assert row.how == "column" and row.shapes == {"s%a": [(-2, 10)]}


def test_objects_of_a_type_have_shapes_of_their_own(program: Program) -> None:
    shapes = {q.argument: q.shape for q in kernel(program, "both").inputs}
    assert shapes["c%x"] == (5,) and shapes["d%x"] == (3,)


def test_what_is_read_is_no_output(program: Program) -> None:
    found = kernel(program, "heated")
    assert {q.argument for q in found.outputs} == {
        "s%t", "s%q", "s%tiles%u", "s%list", "s%wet", "r",
    }  # fmt: skip
    assert "s%one" in {q.argument for q in found.inputs}
    # A parent has no memory of its own.
    assert [q.argument for q in kernel(program, "aged").outputs] == ["m%before"]


def test_a_function_gives_the_components_of_its_result(program: Program) -> None:
    outputs = {q.name: q.argument for q in kernel(program, "joined").outputs}
    assert outputs["k_c_speed"] == "c%speed" and outputs["k_c_first_before"] == "c%first%before"
    # With their initial values where nothing gives them others.
    assert outputs["k_c_filtered"] == "c%filtered"


def test_notes_say_what_is_taken(program: Program) -> None:
    notes = kernel(program, "heated").notes
    assert "s%t is a pointer: its subscripts begin at -1, it shares no memory with others" in notes
    assert "s%q is allocatable: its subscripts begin at 1" in notes
    assert any("history of it, which nothing names, is no result" in note
               for note in kernel(program, "renewed").notes)  # fmt: skip


def test_a_shape_is_asked_for(program: Program) -> None:
    text = refused(program, "heated", {"s%law%x": (5,)})
    assert "component c%y: it is allocatable" in text and "--shape s%law%y=N" in text
    text = refused(program, "heated", {k: v for k, v in STATE.items() if k != "s%tiles"})
    assert "component s%tiles: it is allocatable" in text and "--shape s%tiles=N" in text
    text = refused(program, "weighted", SHAPES["weighted"])
    assert "array a: its shape is not known when the kernel is built" in text
    assert "--value s%levels=N" in text


def test_a_shape_has_to_fit(program: Program) -> None:
    assert "its rank is 1" in refused(program, "heated", {**STATE, "s%t": (4, 4)})
    assert "no array that is" in refused(program, "heated", {**STATE, "s%on": (4,)})
    assert "has no such component" in refused(program, "heated", {**STATE, "s%tt": (4,)})
    assert "it is no integer" in refused(program, "smoothed", SHAPES["smoothed"], s__on=1)
    assert "out of its bounds" in refused(program, "heated", {**STATE, "s%list": (1,)})


def test_the_words_of_the_command(program: Program) -> None:
    unit = program.find("heated")
    OptionNames(program, unit).check(
        Choices(shapes={"s%t": (1,), "s%tiles%u": (1,)}, fixed={"s%levels": 1})
    )
    with pytest.raises(ArgumentError, match="s%tt"):
        OptionNames(program, unit).check(Choices(shapes={"s%tt": (1,)}))
    with pytest.raises(ArgumentError, match="s%level"):
        OptionNames(program, unit).check(Choices(fixed={"s%level": 1}))
    words = ["deferred.f90::heated", "--shape", "s%t=0:3", "s%tiles%u=2,1:2", "--value", "s%n=3"]
    request = of_words(words, SOURCE.parent)
    assert request.shapes == {"s%t": ((0, 3),), "s%tiles%u": (2, (1, 2))}
    assert request.values == {"s%n": 3}
    given = options.parsed(words, SOURCE.parent)
    assert {*options.kept(given, SOURCE.parent)} == {*words}


def test_the_survey_takes_sizes(program: Program) -> None:
    unit = program.find("smoothed")
    found = sizes(program.scope(unit), unit, 10)
    assert found is not None
    fixed, shapes = found
    assert fixed == {"s%levels": 10}
    assert shapes["s%faces"] == [(0, 10)] and shapes["s%q"] == [10]
    assert shapes["s%tiles%u"] == [10, 10]


def test_what_a_column_met_is_the_reason_where_its_shape_was_asked_for(tmp_path: Path) -> None:
    """Not that the shape is not known: the survey has said it."""
    source = tmp_path / "met.f90"
    source.write_text(
        "module met\n  type :: t\n    real, allocatable :: a(:)\n  end type\ncontains\n"
        "  subroutine one(s, y)\n    type(t), intent(in) :: s\n    real, intent(out) :: y\n"
        "    y = s%a(2)\n    stop 'here'\n  end subroutine\n"
        "  subroutine nest(s, n, y)\n    type(t), intent(in) :: s\n    integer, intent(in) :: n\n"
        "    real, intent(out) :: y\n    integer :: i\n    y = s%a(2)\n    do i = 1, n\n"
        "      y = y*s%a(i)\n      call lacking(y)\n    end do\n  end subroutine\n"
        "  subroutine plain(y)\n    real, intent(out) :: y\n    y = 1\n    stop 'here'\n"
        "  end subroutine\n"
        "  subroutine pair(n, v, y)\n    integer, intent(in) :: n\n    real, intent(in) :: v(n)\n"
        "    real, intent(out) :: y\n    y = v(1)\n    stop 'here'\n  end subroutine\n"
        "end module\n"
    )
    rows = {r["name"]: r for r in content(survey([source], processes=1))["procedures"]}
    assert rows["one"]["refusal"]["line"] == 10
    assert rows["one"]["column_refusal"] == rows["one"]["refusal"]
    assert rows["nest"]["column_refusal"]["line"] == 20
    assert rows["nest"]["column_refusal"] == rows["nest"]["other_refusal"]
    assert rows["plain"]["refusal"]["line"] == 26 and rows["plain"]["column_refusal"] is None
    assert rows["pair"]["column_refusal"]["line"] == 33


def test_one_element_is_not_taken_for_an_old_array(tmp_path: Path) -> None:
    """Of `x(1)`, where other elements are named, the kernel would have the first one alone."""
    source = tmp_path / "old.f90"
    source.write_text(
        "real(8) function one(i, x)\n  integer, intent(in) :: i\n"
        "  real(8), intent(in) :: x(1)\n  one = 2*x(i)\nend function one\n"
    )
    with pytest.raises(Refused, match=r"--shape x=N"):
        Request(f"{source}::one").ported()
    assert Request(f"{source}::one", shapes={"x": (4,)}).ported().kernels
