"""Components that only the subscripts of a nest tell: what bind asks, and what stays refused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT, bridge_config, bridge_objects, compiler
from port import nestpack
from port.test_nest_pack import TOUCHED

from bridge import cli
from bridge_port.output.module import module_text
from bridge_port.program.program import Program

HERE = Path(__file__).parent


def module(name: str) -> str:
    program = Program([HERE / "touched.f90"])
    case = next(one for one in TOUCHED if one.unit == name)
    its = nestpack.kernels(program, case)
    return module_text(name, program.find(name), program, its)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that calls bind of two nests."""
    folder = tmp_path_factory.mktemp("touched_host")
    (folder / "modules.f90").write_text(module("last_ones") + module("first_ones"))
    command = [
        compiler("gfortran"), "-g", "-O0", "-fcheck=bounds", *bridge_objects("gfortran"),
        "modules.f90", str(HERE / "touched_host.f90"),
        *bridge_config("--fflags", "--libs", folder=folder), "-o", "host",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "host"


@pytest.mark.fortran
@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("few", "bind_last_ones: w has not all elements 2:6 along its dimension 3"),
        ("later", "bind_last_ones: w has not all elements 2:6 along its dimension 3"),
        ("more", "bind_first_ones: the elements of q along its dimension 1 are not -1:2"),
        ("fine", ""),
        ("none", ""),
    ],
)
def test_bind_asks_for_the_components(word: str, said: str, host: Path) -> None:
    done: Any = subprocess.run(
        [str(host), word], cwd=host.parent, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    if said:
        assert done.returncode and said in done.stderr
    else:
        # What stands in the way now is that no Frame has begun.
        assert "frame_bind" in done.stderr and "bind_last_ones:" not in done.stderr


def test_what_is_copied_is_what_the_nest_touches() -> None:
    text = " ".join(module("mirror").replace("&\n", " ").split())
    assert re.search(r"w_given\(1 - \w+, \w+, 1:4\) = w_at1_1\(\w+, \w+, :\)", text), text
    assert "w_at1_1(1:ghosts, 1:ny, 1:4)" in text


UNKNOWN = """
module unknown
contains
  subroutine whole(nx, ny, a, b)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(:, :, :, :), b(:, :, :)
    integer :: i, j, k
    !$bridge begin whole
    do k = 1, ny
      do j = 1, ny
        do i = 1, nx
          b(i, j, k) = sum(a(i, j, k, :))
        end do
      end do
    end do
    !$bridge end
  end subroutine
  subroutine passed(nx, ny, nz, a, b)
    integer, intent(in) :: nx, ny, nz
    real(8), allocatable, intent(inout) :: a(:, :, :, :), b(:, :, :)
    integer :: i, j, k
    !$bridge begin passed
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          b(i, j, k) = added(a(1, i, j, k))
        end do
      end do
    end do
    !$bridge end
  end subroutine
  real(8) function added(x)
    real(8), intent(in) :: x(3)
    added = sum(x)
  end function
  subroutine number(nx, ny, nz, n, a, b)
    integer, intent(in) :: nx, ny, nz, n
    real(8), intent(inout) :: a(:, :, :, :), b(:, :, :)
    integer :: i, j, k, m
    !$bridge begin number
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          do m = 1, n
            b(i, j, k) = b(i, j, k) + a(i, j, k, m)*a(i, j, k, 1)
          end do
        end do
      end do
    end do
    !$bridge end
  end subroutine
  subroutine found(nx, ny, nz, a, b, n)
    integer, intent(in) :: nx, ny, nz, n(3)
    real(8), intent(inout) :: a(:, :, :, :), b(:, :, :)
    integer :: i, j, k
    !$bridge begin found
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          b(i, j, k) = a(i, j, k, n(2))*a(i, j, k, 1)
        end do
      end do
    end do
    !$bridge end
  end subroutine
end module
"""


@pytest.mark.parametrize("name", ["whole", "passed", "found"])
def test_a_component_that_is_not_known_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "unknown.f90"
    source.write_text(UNKNOWN)
    assert cli.main(["port", f"{source}@{name}", "-o", str(tmp_path / "own")]) == 1
    said = capsys.readouterr().err
    dimension = 1 if name == "passed" else 4
    assert f"array a: the extent of its dimension {dimension} is not declared" in said


@pytest.mark.fortran
def test_the_value_of_a_bound_tells_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An array of assumed shape, checked against the loops."""
    source = tmp_path / "unknown.f90"
    source.write_text(UNKNOWN)
    words = ["port", f"{source}@number", "-o", str(tmp_path / "own")]
    assert cli.main(words) == 1
    assert "--value n=N" in capsys.readouterr().err
    assert cli.main([*words, "--value", "n=7"]) == 0
    assert cli.main(["port", "--check", str(tmp_path / "own"), "--isa", "v2"]) == 0
    assert "1 of 1 verified" in capsys.readouterr().out
