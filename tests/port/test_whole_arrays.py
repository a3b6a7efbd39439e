"""Whole allocatable arrays in a nest: what bind stops the run for, and what stays refused."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT, bridge_config, bridge_objects, compiler
from port import nestpack
from port.test_nest_pack import WHOLES

from bridge_port.nest import outline
from bridge_port.output.module import module_text
from bridge_port.program.program import Program
from bridge_port.refusal import Refused

HERE = Path(__file__).parent


def module(name: str) -> str:
    program = Program([HERE / "wholes.f90"])
    case = next(one for one in WHOLES if one.unit == name)
    its = nestpack.kernels(program, case)
    return module_text(name, program.find(name), program, its)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that calls bind of a nest."""
    folder = tmp_path_factory.mktemp("wholes_host")
    (folder / "module.f90").write_text(module("beside"))
    command = [
        compiler("gfortran"), "-g", "-O0", "-fcheck=bounds", *bridge_objects("gfortran"),
        "module.f90", str(HERE / "wholes_host.f90"),
        *bridge_config("--fflags", "--libs", folder=folder), "-o", "host",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "host"


@pytest.mark.fortran
@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("none", "bind_beside: g is not allocated"),
        ("free", "bind_beside: c is not allocated"),
        ("shape", "bind_beside: c has the shape (8), a has (9): the nest would allocate it anew"),
        ("first", "bind_beside: b does not begin where a does"),
        ("known", "bind_beside: f does not begin at 0"),
        ("fine", ""),
    ],
)
def test_bind_stops_the_run(word: str, said: str, host: Path) -> None:
    done: Any = subprocess.run(
        [str(host), word], cwd=host.parent, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    if said:
        assert done.returncode and said in done.stderr
    else:
        # What stands in the way now is that no Frame has begun.
        assert "frame_bind" in done.stderr and "bind_beside" not in done.stderr


def test_what_has_the_shape_already_is_not_asked() -> None:
    text = module("kept")
    assert "bridge_alike('bind_kept: own'" not in text
    assert "shape(half), 'b(1:)'" in text and "'bind_kept: a', shape(a), 'old'" in text
    # Of a transposed array the extents are those of the other dimensions.
    planes = " ".join(module("kept_planes").replace("&\n", " ").split())
    assert "'transpose(b)', [integer :: size(b, 2), size(b, 1)]" in planes


def test_what_is_taken_is_asked() -> None:
    text = " ".join(module("beside").replace("&\n", " ").split())
    assert "if (size(b) > 0 .and. lbound(b, 1) /= lbound(a, 1)) error stop" in text
    assert "if (size(f) > 0 .and. lbound(f, 1) /= 0) error stop" in text
    # What has no subscripts of its own begins where the others do.
    assert "target :: c(a_low1:)" in text and "target :: g(0:)" in text


HEAD = """\
module sizes
  real(8), allocatable :: kept(:), square(:, :)
contains
subroutine nest(n, m, ind, a, b, given, made)
  implicit none
  integer, intent(in) :: n, ind(n)
  integer, intent(inout) :: m
  real(8), intent(inout) :: a(n), b(n, n)
  real(8), allocatable, intent(inout) :: given(:)
  real(8), allocatable, intent(out) :: made(:)
  real(8), allocatable :: own(:)
  integer :: i
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("  own = a\n", "array own: it is allocatable.* no other statement gives it memory; "
         "allocate it in front"),
        ("  made = a\n", "array made: .* no other statement gives it memory"),
        ("  given = a(ind)\n", "array given: .*right side, which is not known here; write given"),
        ("  given = a(1:n:2)\n", "array given: .*right side, which is not known here"),
        ("  given = spread(a(1), 1, n)\n", "array given: .*which is not known here"),
        ("  given = reshape(b, [n*n])\n", "array given: .*which is not known here"),
        ("  given = pack(a, a > 0)\n", "array given: .*which is not known here"),
        ("  square = transpose(b(:, ind))\n", "array square: .*which is not known here"),
        ("  m = m + 1\n  given = a(1:m)\n",
         r"array given: .* that of a\(1:m\) depends on m, which changes in the nest"),
        ("  do i = 1, n\n    kept = b(1:i, 1)\n  end do\n", "depends on i, which changes"),
        ("  call grow(m)\n  given = a(m:)\n", "grow"),
    ],
)  # fmt: skip
def test_what_stays_refused(body: str, words: str, tmp_path: Path) -> None:
    source = tmp_path / "nest.f90"
    source.write_text(HEAD + body + "end subroutine nest\nend module sizes\n")
    program = Program([source])
    with pytest.raises(Refused, match=words) as refused:
        outline(program, program.find("nest"), name="point")
    line = HEAD.count("\n") + body.count("\n", 0, max(body.find("given ="), body.find("kept =")))
    assert refused.value.refusal.place.line in (line + 1, line + 2, HEAD.count("\n") + 1)


@pytest.mark.parametrize(
    "body",
    [
        # a begins at 1, the section of b says nothing of where given begins
        "  given = b(2:n + 1, 1) + a\n  do i = 1, n\n    a(i) = given(i)\n  end do\n",
        # two arrays that begin elsewhere
        "  given = a + zero\n  do i = 1, n\n    a(i) = given(i)\n  end do\n",
    ],
)
def test_no_beginning_is_taken_where_it_is_not_clear(body: str, tmp_path: Path) -> None:
    source = tmp_path / "nest.f90"
    head = HEAD + "  real(8) :: zero(0:n - 1)\n"
    source.write_text(head + body + "end subroutine nest\nend module sizes\n")
    program = Program([source])
    with pytest.raises(Refused, match="its distance .*lbound.given, 1. .* is not a constant"):
        outline(program, program.find("nest"), name="point")
