"""Originals that make NaN on their way, and hand it to max and min, and those that say an end of
arrays which is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge import cli

pytestmark = pytest.mark.fortran
SOURCE = """\
module limits
  implicit none
contains
  subroutine limited(x, y)                     ! the root of a negative number
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = max(0d0, sqrt(x))
  end subroutine limited
  subroutine guarded(x, y)                     ! none is taken
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    real(8) :: root
    root = 1
    if (x > 0) root = sqrt(x)
    y = max(0.5d0, root)
  end subroutine guarded
  subroutine plain(x, y)                       ! without max
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = 1
    if (sqrt(x) > 1) y = 2*x
  end subroutine plain
  subroutine many(n, all, most)                ! more than one
    integer, intent(in) :: n
    real(8), intent(in) :: all(1)
    real(8), intent(out) :: most
    integer :: i
    most = 0
    do i = 1, n
      most = max(most, all(i))
    end do
  end subroutine many
  subroutine fields(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    !$bridge begin roots
    do i = 1, n
      b(i) = max(b(i), sqrt(a(i)))
    end do
    !$bridge end
  end subroutine fields
end module limits
"""


def test_nan_within_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NaN of a kernel with max is no difference where the original makes one as well. Where it
    does not, where the kernel has no max, and in other values, it is one."""
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    source, pack = tmp_path / "limits.f90", tmp_path / "own"
    source.write_text(SOURCE)
    names = ("::limited", "::guarded", "::plain", "@roots")
    many = ["--value", "n=4", "--shape", "all=4"]
    assert cli.main(["port", f"{source}::many", *many, "-o", str(pack)]) == 0
    for name in names:
        assert cli.main(["port", f"{source}{name}", "-o", str(pack)]) == 0

    def run() -> dict[str, Any]:
        words = ["port", "--check", str(pack), "--isa", "v2", "--json", "--points", "403"]
        capsys.readouterr()
        cli.main([*words, "--range", "own_x=-1,3", "a=-1,3"])
        told = json.loads(capsys.readouterr().out)["kernels"]
        return {one["kernel"]: one for one in told}

    told = run()
    assert all(one["passed"] for one in told.values()), told
    assert 50 < told["own_limited"]["nans"] < 150 and told["own_roots"]["nans"] > 0
    assert not any(told[f"own_{name}"]["nans"] for name in ("guarded", "plain"))

    def broken(name: str, there: str, instead: str) -> None:
        header = pack / f"own_{name}.h"
        text = header.read_text()
        assert text.count(there) == 1, text
        header.write_text(text.replace(there, instead))

    broken("limited", "sqrt(x)", "(1.0 + 1e-9) * sqrt(x)")
    broken("guarded", "select(m1, sqrt(x), root)", "sqrt(x)")
    broken("plain", "2.0 * x, y)", "2.0 * x, y) + 0.0 * sqrt(x)")
    broken("roots", "sqrt(a)", "(1.0 + 1e-9) * sqrt(a)")
    broken("many", "max(most", "max(0.5 + most")
    told = run()
    assert not any(one["passed"] for one in told.values()), told
