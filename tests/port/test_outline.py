"""The shape of an outline: loops, uses of arrays, intents, what a user is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from port.outlined import Case, procedures

from bridge.errors import ArgumentError
from bridge.plan.fringe import Fringe
from bridge_port.choices import Choices
from bridge_port.kernel import Neighbour, PointProcedure
from bridge_port.nest import directives, outline
from bridge_port.optionnames import OptionNames
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.request import Request
from bridge_port.syntax.text import expression_text, statement_lines
from bridge_port.syntax.unittext import declaration_text

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def nests() -> Program:
    return Program([HERE / "nests.f90", HERE / "nests.f"])


def points(program: Program, unit: str) -> list[PointProcedure]:
    return procedures(program, Case(unit, {}))


def intents(one: PointProcedure) -> dict[str, str]:
    return {d.name: d.intent for d in one.unit.declarations if d.intent}


def text(one: PointProcedure) -> str:
    return "\n".join(statement_lines(one.unit.body))


def test_loops_are_the_box_whatever_their_order(nests: Program) -> None:
    (one,) = points(nests, "flux_x")
    assert [(loop.axis, loop.variable) for loop in one.loops] == [(0, "i"), (1, "j"), (2, "k")]
    assert [expression_text(loop.last) for loop in one.loops] == ["nx", "ny", "nz"]


def test_neighbours_and_fringes(nests: Program) -> None:
    (one,) = points(nests, "flux_x")
    assert one.neighbours == {
        "q_im1": Neighbour("q", (-1, 0, 0)),
        "q_ip1": Neighbour("q", (1, 0, 0)),
    }
    assert one.arrays["q"].reads == Fringe((1, 0, 0), (1, 0, 0))
    assert one.arrays["q"].axes == (None, 0, 1, 2)
    assert intents(one) == {"q": "in", "q_im1": "in", "q_ip1": "in", "dq": "inout"}
    assert one.private == {"f", "g"} and one.scalars == ("dt",)


def test_one_shift_of_all_uses_is_no_neighbour(nests: Program) -> None:
    (one,) = points(nests, "shifted")
    assert one.arrays["a"].shift == (1, 0, 0) and not one.neighbours
    assert one.arrays["dz"].axes == (2,)
    assert any("dz has the same values along i, j" in note for note in one.notes)


def test_what_a_condition_writes_is_inout(nests: Program) -> None:
    (one,) = points(nests, "positions")
    assert intents(one)["u"] == "inout" and one.positions == {"i": 0, "j": 1}
    first, *_ = points(nests, "line_flux")
    assert intents(first)["f"] == "out"


def test_a_line_becomes_a_field(nests: Program) -> None:
    first, second, third = points(nests, "line_flux")
    assert [one.name for one in (first, second, third)] == [
        f"line_flux_point_{n}" for n in (1, 2, 3)
    ]
    box = third.temporaries["f"].box
    words = [(expression_text(low), expression_text(high)) for low, high in box]
    assert words == [("0", "max(0, nx)"), ("1", "ny")]
    assert third.arrays["f"].axes == (0, 1)
    assert "f is a work array of a line" in " ".join(third.notes)
    # The plane that is filled alone is a loop of one round.
    assert first.loops[0].variable == "" and expression_text(first.loops[0].first) == "0"


def test_sweeps_of_a_column(nests: Program) -> None:
    first, down, back = points(nests, "columns")
    assert [first.sweep, down.sweep, back.sweep] == ["", "z+", "z-"]
    assert down.neighbours["d_km1"] == Neighbour("d", (0, 0, -1))
    assert down.arrays["d"].reads == Fringe((0, 0, 1), (0, 0, 0))
    assert back.arrays["d"].reads == Fringe((0, 0, 0), (0, 0, 1))
    assert [expression_text(e) for e in (back.loops[2].first, back.loops[2].last)] == [
        "1",
        "nz - 1",
    ]


def test_planes_of_a_boundary(nests: Program) -> None:
    low, high, side = points(nests, "walls")
    assert low.arrays["q"].written and low.arrays["q"].shift == (0, 0, 0)
    assert low.arrays["q_inside"].name == "q" and low.arrays["q_inside"].shift == (1, 0, 0)
    # Two planes are read: the lower one is bound, the other one lies beside it.
    assert high.arrays["q_inside"].shift == (-2, 0, 0)
    assert high.arrays["q_inside"].reads == Fringe((0, 0, 0), (1, 0, 0))
    assert low.sweep == high.sweep == side.sweep == ""
    assert [loop.variable for loop in side.loops] == ["i", "", "k"]


def test_reductions(nests: Program) -> None:
    (one,) = points(nests, "norms")
    found = {r.variable: (r.operation, r.negated) for r in one.reductions}
    assert found == {
        "total": ("sum", False), "most": ("max", False), "least": ("min", False),
        "rms": ("sum", False), "bad": ("any", False), "good": ("any", True),
        "count": ("sum", False),
    }  # fmt: skip
    initial = {r.variable: r.initial and expression_text(r.initial) for r in one.reductions}
    assert (
        initial["most"] == "-huge(most)" and initial["rms"] == "0d0" and initial["total"] is None
    )
    contribution = next(d for d in one.unit.declarations if d.name == "rms_sum")
    assert declaration_text(contribution) == "real(8), intent(out) :: rms_sum(3)"


def test_calls_get_the_components_of_a_point(nests: Program) -> None:
    (one,) = points(nests, "called")
    assert "call both(q_im1, q, w, s)" in text(one)
    assert "call scaled(f, s*weight(q(2)))" in text(one)
    sweep, _ = points(nests, "blocks")
    assert "call matvec(lhs(:, :, 1), rhs_im1, rhs, low)" in text(sweep)
    assert sweep.sweep == "x+"


def test_an_argument_that_a_call_does_not_use(tmp_path: Path) -> None:
    file = tmp_path / "f.f90"
    file.write_text("""\
subroutine along(n, a, b)
  integer :: n, i
  real(8) :: a(2, 0:n), b(2, n)
  do i = 1, n
    call of_point(a(:, i - 1), b(:, i))
  end do
end subroutine along
subroutine of_point(left, right)
  real(8), intent(inout) :: left(2), right(2)
  right(1) = 1
end subroutine of_point
""")
    program = Program([file])
    (one,) = outline(program, program.find("along"), name="p")
    assert "call of_point(a, b)" in text(one)  # moved as a whole
    assert (one.arrays["a"].read, one.arrays["a"].written) == (True, False)


def test_labels_of_old_loops(nests: Program) -> None:
    (one,) = points(nests, "old")
    assert "goto 20" in text(one) and "20 continue" in text(one)


def test_axes_may_be_given(nests: Program) -> None:
    unit = nests.find("shifted")
    (one,) = outline(nests, unit, name="p", said=Choices(axes={"i": "x", "j": 1, "k": "z"}))
    assert [loop.variable for loop in one.loops] == ["i", "j", "k"]
    with pytest.raises(ArgumentError, match="axes"):
        outline(nests, unit, name="p", said=Choices(axes={"i": 7}))
    with pytest.raises(Refused, match="axis of l"):
        outline(nests, unit, name="p", said=Choices(axes={"l": 0}))


def test_constants_are_put_in(tmp_path: Path) -> None:
    file = tmp_path / "f.f90"
    file.write_text("""\
subroutine halo(n, ng, a, b)
  integer :: n, ng, i
  real(8) :: a(n), b(n)
  do i = 1 + ng, n - ng
    a(i) = b(i + ng) - b(i - ng)
  end do
end subroutine halo
""")
    program = Program([file])
    (one,) = outline(program, program.find("halo"), name="p", said=Choices(fixed={"ng": 2}))
    assert one.arrays["b"].reads == Fringe((2, 0, 0), (2, 0, 0))


LIMITS = """\
subroutine limits(nx, ny, t, low, high)
  integer :: nx, ny, t(nx, ny), low, high
  low = minval(t)
  high = maxval(t)
end subroutine limits
"""


def test_the_least_integer_begins_a_reduction(tmp_path: Path) -> None:
    """It is no literal: -2147483647 - 1."""
    file = tmp_path / "l.f90"
    file.write_text(LIMITS)
    program = Program([file])
    made = outline(program, program.find("limits"), name="p")
    begins = [one.initial for procedure in made for one in procedure.reductions]
    assert [expression_text(e) for e in begins if e is not None] == [
        "2147483647", "-2147483647 - 1"
    ]  # fmt: skip


def test_names_of_options_leave_functions_what_they_are(tmp_path: Path) -> None:
    """Where typing is implicit, a function of the language would become a variable."""
    file = tmp_path / "l.f90"
    file.write_text(LIMITS)
    program = Program([file])
    unit = program.find("limits")
    OptionNames(program, unit, 3, 4).check(Choices(fixed={"nx": 1}))
    with pytest.raises(ArgumentError, match="maxval"):
        OptionNames(program, unit, 3, 4).check(Choices(shapes={"maxval": (1,)}))
    assert len(outline(program, unit, 3, 4, name="p")) == 2


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("!$bridge begin a\ndo i = 1, n\na(i) = 1\nend do\n", "no '!$bridge end'"),
        ("!$bridge begin\ndo i = 1, n\na(i) = 1\nend do\n!$bridge end\n", "no name"),
        ("do i = 1, n\na(i) = 1\nend do\n!$bridge end\n", "no nest has begun"),
        ("!$bridge begin a\n!$bridge begin b\ndo i = 1, n\na(i) = 1\nend do\n", "has not ended"),
    ],
)
def test_directives_that_do_not_fit(body: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "f.f90"
    file.write_text(f"subroutine s(n, a)\ninteger :: n, i\nreal :: a(n)\n{body}a(1) = 2\nend\n")
    with pytest.raises(Refused) as refused:
        directives(Program([file]).find("s"))
    assert words in str(refused.value)


ARMS = """\
subroutine s(n, k, a, b)
  integer, intent(in) :: n, k
  real(8) :: a(n), b(n)
  if (k == 1) then
    !$bridge begin one
    a(:) = b
    !$bridge end
  else if (k == 2) then
    !$bridge begin two
    a(:) = 2*b
    a(:) = 3*a
    ! and
    !$bridge end
  else
    !$bridge begin three
    a(:) = 3*b
    !$bridge end
  end if
  select case (k)
  case (1)
    !$bridge begin four
    a(:) = 4*b
    !$bridge end
  case default
    !$bridge begin five
    a(:) = 5*b
    !$bridge end
  end select
end subroutine
"""


def test_directives_end_before_an_else_or_a_case(tmp_path: Path) -> None:
    file = tmp_path / "arms.f90"
    file.write_text(ARMS)
    found = directives(Program([file]).find("s"))
    lines = {"one": (6, 6), "two": (10, 11), "three": (16, 16), "four": (22, 22), "five": (26, 26)}
    assert found == lines


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if (n == 1) then\na(1) = 1\n!$bridge begin a\nelse\na(2) = 2\n!$bridge end\nend if\n",
         "no '!$bridge end'"),
        ("!$bridge begin a\nif (n == 1) then\na(1) = 1\n!$bridge end\nelse\na(2) = 2\nend if\n",
         "no nest has begun"),
        ("select case (n)\n!$bridge begin a\ncase (1)\na(1) = 1\n!$bridge end\nend select\n",
         "no '!$bridge end'"),
    ],
)  # fmt: skip
def test_directives_of_two_lists(body: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "f.f90"
    file.write_text(f"subroutine s(n, a)\ninteger :: n, i\nreal :: a(n)\n{body}a(1) = 2\nend\n")
    with pytest.raises(Refused, match=re.escape(words)) as refused:
        directives(Program([file]).find("s"))
    assert refused.value.refusal.place.line


UNITS = """\
module ends
  real(8) :: t(0:100)
contains
  subroutine fill()
    integer :: n
    do n = 0, 100
      t(n) = 0.1d0*n
    end do
    ! of the loop
  contains
    subroutine other(n, a)
      integer :: n, i
      real(8) :: a(n)
      do i = 1, n
        a(i) = 2*a(i)
      end do
      return
    end subroutine
  end subroutine
  subroutine third(n, a)
    integer :: n, i
    real(8) :: a(n)
    do i = 1, n
      a(i) = 2*a(i)
    end do
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("lines", "last"), [("6-8", 0), ("6-9", 0), ("6-10", 8), ("14-17", 16), ("14-19", 16),
                        ("23-26", 25), ("22-27", 25), ("14", 0)],
)  # fmt: skip
def test_lines_behind_a_nest_where_its_procedure_ends(
    lines: str, last: int, tmp_path: Path
) -> None:
    """last: where they are cut."""
    file = tmp_path / "ends.f90"
    file.write_text(UNITS)
    ported = Request(f"{file}:{lines}").ported()
    notes = [note for note in ported.kernels[0].notes if "are left out" in note]
    assert bool(notes) == bool(last)
    if last:
        assert ported.last == last
        assert f"ends.f90:{last + 1}-{lines[-2:]} are left out: subroutine" in notes[0]


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ("6-11", 11, "subroutine other begins in them; give lines of loops alone: 6-8 of fill"),
        ("4-8", 4, "subroutine fill begins in them; give lines of loops alone: 6-8 of fill"),
        ("14-25", 20, "subroutine third begins in them; .*: 14-16 of other or 23-25 of third"),
        ("1-27", 1, "module ends begins in them"),
        ("26-27", 26, "no statement begins there"),
    ],
)
def test_lines_of_more_than_a_nest(lines: str, line: int, words: str, tmp_path: Path) -> None:
    file = tmp_path / "ends.f90"
    file.write_text(UNITS)
    with pytest.raises(Refused, match=words) as refused:
        Request(f"{file}:{lines}").ported()
    assert refused.value.refusal.place.line == line


@pytest.mark.parametrize(
    ("lines", "words"),
    [((5, 5), "ends behind them"), ((6, 9), "begin or end within"), ((90, 91), "no statement")],
)
def test_lines_that_do_not_fit(lines: tuple[int, int], words: str, tmp_path: Path) -> None:
    file = tmp_path / "f.f90"
    file.write_text("""\
subroutine s(n, a)
  integer :: n, i
  real(8) :: a(n)

  do i = 1, n
    a(i) = 1
    a(i) = a(i)*2
  end do
  a(1) = 2
end subroutine s
""")
    program = Program([file])
    with pytest.raises(Refused) as refused:
        outline(program, program.find("s"), *lines, name="p")
    assert words in str(refused.value)


def test_bounds_of_an_array_of_the_host_are_asked_for(tmp_path: Path) -> None:
    """Names in them are other variables in the procedure inside."""
    source = tmp_path / "host.f90"
    source.write_text(
        "subroutine host(lo, nx, x, y)\n"
        "  integer, intent(in) :: lo, nx\n"
        "  real(8), intent(inout) :: x(lo:nx), y(1:nx)\n"
        "  call inner(1)\n"
        "contains\n"
        "  subroutine inner(lo)\n"
        "    integer, intent(in) :: lo\n"
        "    x(:) = 2*x\n"
        "  end subroutine inner\n"
        "end subroutine host\n"
    )
    program = Program([source])
    (one,) = outline(program, program.find("inner"), 8, 8, name="point")
    (loop,) = one.loops
    assert expression_text(loop.first) == "lbound(x, 1)"
    assert expression_text(loop.last) == "ubound(x, 1)"


def test_sections_of_known_elements_are_components_of_a_point(tmp_path: Path) -> None:
    """Also of more than few, within loops over points."""
    source = tmp_path / "many.f90"
    source.write_text(
        "subroutine many(nx, f)\n"
        "  integer, intent(in) :: nx\n"
        "  real(8), intent(inout) :: f(20, nx)\n"
        "  integer :: i\n"
        "  do i = 1, nx\n"
        "    f(:, i) = 2*f(:, i)\n"
        "  end do\n"
        "end subroutine many\n"
    )
    program = Program([source])
    (one,) = outline(program, program.find("many"), name="point")
    assert [loop.variable for loop in one.loops] == ["i"]
    assert one.arrays["f"].axes == (None, 0)


LINE = """\
subroutine one_line(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, m)
  real(8), intent(inout) :: b(n, m)
  real(8) :: t
  integer :: i, j
  do j = 1, m
    t = a(1, j)
    do i = 1, n
      t = 0.5d0*t + a(i, j)
      b(i, j) = t
    end do
  end do
end subroutine one_line
"""


def test_a_scalar_of_the_round_before_that_is_set_in_front_of_the_nest(tmp_path: Path) -> None:
    (tmp_path / "line.f90").write_text(LINE)
    program = Program([tmp_path / "line.f90"])
    first, second = outline(program, program.find("one_line"), 10, 13, name="line")
    assert text(first) == "t_line = t" and first.scalars == ("t",)
    assert text(second).split("\n")[0] == "t = t_line_im1" and second.sweep == "x+"
