"""Allocatable variables of a procedure: what is refused. test_translate.py compares results."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge import cli
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.survey.survey import survey
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "constructs" / "allocated.f90"
NAMES = "gradients either questions rounds passed".split()


def kernel(program: Program, name: str) -> Kernel:
    unit = program.find(name)
    return translate(program, PointProcedure(name, unit, unit.place), Choices(prefix="k_"))


REFUSED = {
    "grows": "it gets the shape (4) here and (3) above",
    "unknown": "its shape is not known when the kernel is built: n is in it",
    "written_twice": "its shape is not known when the kernel is built",
    "read_by_a_call": "its shape is not known when the kernel is built",
    "asked": "whether it is there is known at run time alone",
    "asked_in_loop": "whether it is there is known at run time alone",
    "asked_behind_a_jump": "whether it is there is known at run time alone",
    "freed_in_loop": "whether it is there is known at run time alone",
    "freed": "whether it is there is known at run time alone",
    "stat_again": "stat says whether an array has memory already",
    "stat_at_points": "stat says whether an array has memory already",
    "perhaps_passed": "whether w has memory is known at run time alone",
    "firsts": "whether it gets the first subscripts of the right side",
    "firsts_again": "whether it gets the first subscripts of the right side",
    "empty": "it gets no elements here",
    "never": "nothing above has given it a shape",
    "with_source": "no kernel can do it",
    "kept_memory": "no kernel can do it",
    "differs": "which is not known when the kernel is built",
    "stat_is_size": "its shape is not known when the kernel is built",
}


def test_what_is_not_known_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "no.f90"
    source.write_text(no_kernels())
    program = Program([source])
    found = {}
    for name in REFUSED:
        with pytest.raises(Refused) as refused:
            kernel(program, name)
        found[name] = str(refused.value.refusal)
    assert {name: text for name, text in found.items() if REFUSED[name] not in text} == {}


TABLES = """module tables
  real(8), allocatable :: edges(:)
  real(8), pointer :: both(:, :)
contains
  integer function bin(x)
    real(8), intent(in) :: x
    bin = count(x - edges >= 0)
  end function
  integer function next_bin(x)
    real(8), intent(in) :: x
    next_bin = bin(x) + 1
  end function
  real(8) function whole(x, k)
    real(8), intent(in) :: x
    integer, intent(in) :: k
    whole = sum(both(:, 2)*edges(2:)) + x*bin(x) + maxval(both) + size(both, 1)
    if (k > 0 .and. k < 4) whole = whole + both(k, 1)
  end function
end module
"""


def test_arrays_of_modules_have_the_shape_that_is_said(tmp_path: Path) -> None:
    source = tmp_path / "tables.f90"
    source.write_text(TABLES)
    program = Program([source])
    unit = program.find("whole")
    point = PointProcedure("whole", unit, unit.place)
    found = translate(program, point, Choices(shapes={"edges": (4,), "both": (3, 2)}))
    assert {one.variable: one.shape for one in found.tables} == {"edges": (4,), "both": (3, 2)}
    assert all(one.from_one for one in found.tables)
    wrong: dict[str, dict[str, tuple[int | tuple[int, int], ...]]] = {
        "a section of both: its shape is not known here": {"edges": (4,)},
        "say its shape, --shape both=N,N": {"edges": (4,)},
        "shape edges: 2 extents are said, and its rank is 1; --shape edges=N": {
            "edges": (4, 1), "both": (3, 2),
        },
        "shape edge: whole reads no allocatable array": {
            "edges": (4,), "both": (3, 2), "edge": (4,),
        },
        "shape both: the first subscript": {"edges": (4,), "both": ((0, 2), 2)},
    }  # fmt: skip
    for text, shapes in wrong.items():
        with pytest.raises(Refused) as refused:
            translate(program, point, Choices(shapes=shapes))
        assert text in str(refused.value.refusal)
    rows = {one.found.name: one.found for one in survey([source], processes=1).rows}
    assert rows["next_bin"].how == "column" and rows["next_bin"].shapes == {"edges": [10]}
    # Shapes that do not belong together are found by no survey.
    assert not rows["whole"].translates


@pytest.mark.parametrize("shape", [(3,), (3, 2, 4)])
def test_an_argument_has_an_extent_for_each_dimension(
    shape: tuple[int, ...], tmp_path: Path
) -> None:
    source = tmp_path / "sums.f90"
    source.write_text(
        "real(8) function sums(a)\n  real(8), intent(in) :: a(:, :)\n  sums = sum(a)\n"
        "end function\n"
    )
    program = Program([source])
    unit = program.find("sums")
    why = f"shape a: {len(shape)} extents are said, and its rank is 2; --shape a=N,N"
    with pytest.raises(Refused, match=why):
        translate(program, PointProcedure("sums", unit, unit.place), Choices(shapes={"a": shape}))


def test_two_modules_with_an_array_of_one_name(tmp_path: Path) -> None:
    source = tmp_path / "two.f90"
    source.write_text(
        "module one\nreal(8), allocatable :: t(:)\ncontains\nreal(8) function first()\n"
        "first = sum(t)\nend function\nend module\n"
        "module two\nuse one, only: first\nreal(8), allocatable :: t(:)\ncontains\n"
        "real(8) function both(x)\nreal(8), intent(in) :: x\nboth = x*sum(t) + first()\n"
        "end function\nend module\n"
    )
    program = Program([source])
    unit = program.find("both")
    with pytest.raises(Refused, match="modules two and one have an array of this name"):
        translate(program, PointProcedure("both", unit, unit.place), Choices(shapes={"t": (4,)}))


@pytest.mark.fortran
def test_the_check_allocates_what_the_shape_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "tables.f90"
    source.write_text(TABLES)
    pack = str(tmp_path / "pack")
    words = ["--shape", "edges=4", "both=3,2"]
    assert cli.main(["port", f"{source}::whole", "-o", pack, *words]) == 0
    assert "size = [3, 2]" in (tmp_path / "pack" / "catalogue.toml").read_text()
    assert cli.main(["port", "--check", pack, "--isa", "v2", "--points", "203"]) == 0
    assert "1 of 1 verified on v2" in capsys.readouterr().out
    assert cli.main(["port", f"{source}::whole", "-o", pack, "--shape", "edge=4"]) == 2


def no_kernels() -> str:
    """Procedures whose memory depends on the run, or is given in another shape."""
    head = (
        "  real(8), intent(in) :: x(4)\n  integer, intent(in) :: m\n"
        "  real(8), intent(out) :: y\n  real(8), allocatable :: w(:)\n  integer :: n, i\n"
    )
    bodies = {
        "grows": "w = x(1:3)\n w = x\n y = w(1)",
        "unknown": "n = m\n allocate (w(n))\n w = 1\n y = w(1)",
        "written_twice": "n = 3\n allocate (w(n))\n w = 1\n n = 4\n y = w(1) + n",
        "read_by_a_call": "n = 3\n call other(n)\n allocate (w(n))\n w = 1\n y = w(1)",
        "asked": "if (m > 0) allocate (w(3))\n y = 0\n if (allocated(w)) y = 1",
        "asked_in_loop": (
            "y = 0\n do i = 1, 2\n if (allocated(w)) y = 1\n if (i == 1) allocate (w(3))\n end do"
        ),
        "asked_behind_a_jump": (
            "y = 0\n if (m > 0) goto 10\n allocate (w(3))\n10 if (allocated(w)) y = 1"
        ),
        "freed_in_loop": (
            "y = 0\n allocate (w(3))\n do i = 1, 2\n if (allocated(w)) y = y + 1\n"
            " if (i == 1) deallocate (w)\n end do"
        ),
        "freed": "y = 0\n allocate (w(3))\n if (m > 0) deallocate (w)\n if (allocated(w)) y = 1",
        "stat_again": (
            "allocate (w(3))\n if (m > 0) deallocate (w)\n allocate (w(3), stat=i)\n y = i"
        ),
        "stat_at_points": "do n = 1, 2\n allocate (w(3), stat=i)\n end do\n y = i",
        "perhaps_passed": "if (m > 0) w = x\n y = norm(x, w)",
        "firsts": "if (m > 0) allocate (w(0:3))\n w = x + 1\n y = lbound(w, 1)",
        "firsts_again": "call shifted(x, y)",
        "empty": "n = 0\n allocate (w(3:n + 2))\n y = lbound(w, 1)",
        "never": "y = w(1)\n w = x",
        "with_source": "allocate (w(4), source=x)\n y = w(1)",
        "kept_memory": "save w\n allocate (w(4))\n w = x\n y = w(1)",
        "differs": "w = x(1:m)\n y = w(1)",
        "stat_is_size": (
            "n = 3\n allocate (w(4), stat=n)\n deallocate (w)\n allocate (w(n))\n y = n"
        ),
    }
    text = "module no\ncontains\n"
    for name, body in bodies.items():
        first, _, rest = body.partition("\n")
        lines = f"{first}\n{rest}" if first.startswith("save") else body
        text += f"subroutine {name}(x, m, y)\n{head}{lines}\nend subroutine\n"
    return text + (
        "subroutine other(n)\n  integer, intent(inout) :: n\n  n = n + 1\nend subroutine\n"
        "real(8) function norm(a, b)\n  real(8), intent(in) :: a(:)\n"
        "  real(8), intent(in), optional :: b(:)\n  norm = sum(a)\n"
        "  if (present(b)) norm = norm + sum(b)\nend function\n"
        "subroutine shifted(v, y)\n  real(8), intent(in) :: v(0:3)\n"
        "  real(8), intent(out) :: y\n  real(8), allocatable :: w(:)\n"
        "  w = v\n  y = lbound(w, 1)\nend subroutine\nend module\n"
    )


def test_the_survey_takes_sizes_and_follows_them() -> None:
    rows = {one.found.name: one.found for one in survey([SOURCE], processes=1).rows}
    assert rows["squares"].how == "column"
    assert rows["squares"].shapes == {"a": [10], "b": [10]}
    # Its array statements are nests.
    assert rows["stability"].how == "nests"
    assert all(rows[name].translates for name in NAMES)
