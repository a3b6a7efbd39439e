"""Arrays with a*ns + b components: what a port says of them, and the check of it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bridge import cli
from bridge_port.refusal import Refused
from bridge_port.request import Request

pytestmark = pytest.mark.fortran

MODULES = """\
module table
  implicit none
  integer, protected, public :: ns = 3
end module
module state
  use table, only: ns
  implicit none
contains
  ! w of a state u = rho_i, rho u, rho v, rho w, rho E.
  subroutine specific(u, prop, w, h)
    real(8), intent(in) :: u(ns + 4), prop(3*ns + 6)
    real(8), intent(out) :: w(2*ns - 1), h(ns + 1, 2)
    real(8) :: rho
    integer :: s
    rho = sum(u(:ns))
    do s = 1, ns
      w(s) = u(s)/rho*prop(ns + 6 + s)
    end do
    do s = 1, ns - 1
      w(2*ns - s) = w(s) + prop(3*ns + 7 - s)*u(ns + 4)
    end do
    h = 0d0
    call weighted(prop(7:ns + 6), u, h(:, 2))
  end subroutine
  subroutine weighted(x, y, z)
    real(8), intent(in) :: x(:), y(*)
    real(8), intent(out) :: z(ns + 1)
    integer :: s
    do s = 1, size(x)
      z(s) = x(s)*y(s)
    end do
    z(ns + 1) = z(1)
  end subroutine
end module
"""
NESTS = """\
module nests
  use table, only: ns
  implicit none
contains
  subroutine sums(nx, ny, nz, u, prop, q)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: u(0:nx + 1, ny, nz, ns + 4), prop(nx, ny, nz, 3*ns + 6)
    real(8), intent(inout) :: q(nx, ny, nz, ns + 7)
    integer :: i, j, k, s
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          q(i, j, k, 8:ns + 7) = prop(i, j, k, 7:ns + 6)
          q(i, j, k, 1) = u(i - 1, j, k, ns + 4) + u(i + 1, j, k, ns + 1)
          do s = 1, ns
            q(i, j, k, s + 7) = q(i, j, k, s + 7) + u(i, j, k, s)*prop(i, j, k, ns + 6 + s) &
              + prop(i, j, k, 2*ns + 7 - s)
          end do
        end do
      end do
    end do
  end subroutine
  subroutine copied(nx, ny, nz, u, q)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: u(0:nx + 1, ny, nz, ns + 4)
    real(8), intent(inout) :: q(nx, ny, nz, ns + 7)
    q(:, :, :, 8:ns + 7) = 2d0*u(1:nx, :, :, :ns) + q(:, :, :, 8:ns + 7)
  end subroutine
  subroutine added(nx, n, u, du)
    integer, intent(in) :: nx, n
    real(8), intent(inout) :: u(n + 5, nx)
    real(8), intent(in) :: du(n + 4, nx)
    integer :: i, m
    do i = 1, nx
      do m = 1, n + 4
        u(m, i) = u(m, i) + du(m, i)
      end do
      u(n + 5, i) = du(1, i)
    end do
  end subroutine
end module
"""


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "state.f90").write_text(MODULES)
    (tmp_path / "nests.f90").write_text(NESTS)
    return tmp_path


def ported(place: Path, source: str, species: str) -> dict[str, str]:
    """Columns by quantity, of a pack in `own`."""
    words = ["port", f"{place}/{source}", "-I", str(place), "-o", f"{place}/own"]
    assert cli.main([*words, f"--species={species}", "--name=own", "--prefix=c_"]) == 0
    text = (place / "own" / "catalogue.toml").read_text()
    return {n: q.get("columns", "1") for n, q in tomllib.loads(text)["quantity"].items()}


def checked(place: Path, *words: str) -> int:
    return cli.main(["port", "--check", f"{place}/own", "--isa=v2", *words])


def test_a_procedure(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ported(place, "state.f90::specific", "table::ns")
    assert columns == {"c_u": "ns+4", "c_prop": "3*ns+6", "c_w": "2*ns-1", "c_h": "2*ns+2"}
    header = (place / "own" / "c_own.h").read_text()
    assert "inside(" not in header  # all subscripts are known to be in their arrays
    assert checked(place) == 0
    assert checked(place, "--range=ns=5,5") == 0
    capsys.readouterr()


def test_a_nest_finds_its_loops_over_species(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, last = line_of(NESTS, "do k = 1, nz"), line_of(NESTS, "  end subroutine\n  sub") - 1
    columns = ported(place, f"nests.f90:{first}-{last}", "table::ns")
    assert columns == {"c_u": "ns+4", "c_prop": "3*ns+6", "c_q": "ns+7"}
    assert checked(place) == 0
    assert "ns = 3" in capsys.readouterr().out
    header = place / "own" / "c_own.h"
    text = header.read_text()
    assert text.count("[ns + 3]") == 1
    header.write_text(text.replace("[ns + 3]", "[ns + 2]"))
    assert checked(place) == 1
    assert "differs" in capsys.readouterr().out


def test_array_statements(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = line_of(NESTS, "q(:, :, :, 8:ns + 7) =")
    columns = ported(place, f"nests.f90:{line}-{line}", "table::ns")
    assert columns == {"c_u": "ns+4", "c_q": "ns+7"}
    assert checked(place) == 0
    capsys.readouterr()


def test_species_that_are_an_argument(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = line_of(NESTS, "do i = 1, nx\n      do m")
    last = line_of(NESTS, "  end subroutine\nend module") - 1
    columns = ported(place, f"nests.f90:{first}-{last}", "n")
    assert columns == {"c_u": "ns+5", "c_du": "ns+4"}
    assert checked(place) == 0
    capsys.readouterr()


def test_what_falls_with_the_species_is_refused(place: Path) -> None:
    source = place / "state.f90"
    source.write_text(MODULES.replace("prop(3*ns + 6)", "prop(9 - ns)"))
    with pytest.raises(
        Refused, match=r"argument prop: its extent -1\*ns\+9 falls with the species"
    ):
        Request(f"{source}::specific", species="table::ns").ported()
