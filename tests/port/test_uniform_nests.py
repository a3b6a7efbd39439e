"""Nests whose innermost loop goes over components: what the port makes of them does the same to
each, whatever form the loop has."""

from __future__ import annotations

import pytest
from port import nestpack
from port.outlined import Case

from bridge.plan import packbuild, uniform
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge_port.program.program import Program

NEST = """
subroutine {unit}(u, rhs, w, dt, n)
  integer, intent(in) :: n
  double precision, intent(inout) :: u({first}:4+{first},n,n,n)
  double precision, intent(in) :: rhs(5,n,n,n), w(n,n,n), dt
  double precision :: t, five(5)
  integer :: i, j, k, m
  do k = 1, n
    do j = 1, n
      do i = 1, n
{body}
      end do
    end do
  end do
end subroutine
"""
UNIFORM = {
    "add": "do m = 1, 5\n u(m,i,j,k) = u(m,i,j,k) + rhs(m,i,j,k)\n end do",
    "scale": "do m = 1, 5\n u(m,i,j,k) = dt*u(m,i,j,k)\n end do",
    "section": "u(:,i,j,k) = u(:,i,j,k) + w(i,j,k)*rhs(:,i,j,k)",
    "lines": "\n".join(f"u({m},i,j,k) = rhs({m},i,j,k)*dt" for m in range(1, 6)),
    "scalar": "do m = 1, 5\n t = rhs(m,i,j,k)*w(i,j,k)\n u(m,i,j,k) = t + t*t\n end do",
    "local": "do m = 1, 5\n five(m) = 2*rhs(m,i,j,k)\n end do\n"
    "do m = 1, 5\n u(m,i,j,k) = u(m,i,j,k)/five(m)\n end do",
    "limit": "do m = 1, 5\n if (u(m,i,j,k) < 0) u(m,i,j,k) = max(rhs(m,i,j,k), 0d0)\n end do",
    "other": "do m = 0, 4\n u(m,i,j,k) = rhs(m+1,i,j,k)\n end do",
}
OTHERWISE = {
    "energy": "do m = 1, 5\n u(m,i,j,k) = rhs(m,i,j,k)\n end do\nu(5,i,j,k) = dt*rhs(5,i,j,k)",
    "division": "do m = 2, 5\n u(m,i,j,k) = u(m,i,j,k)/u(1,i,j,k)\n end do",
    "total": "t = 0\n do m = 1, 5\n t = t + rhs(m,i,j,k)\n u(m,i,j,k) = t\n end do",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    folder = tmp_path_factory.mktemp("uniform")
    source = folder / "nests.f90"
    source.write_text(
        "".join(
            NEST.format(unit=unit, body=body, first=0 if unit == "other" else 1)
            for unit, body in (UNIFORM | OTHERWISE).items()
        )
    )
    program = Program([source])
    cases = [Case(unit, {"n": 4}) for unit in (*UNIFORM, *OTHERWISE)]
    nests = {case.unit: nestpack.kernels(program, case) for case in cases}
    for made in nests.values():
        for kernel in made:
            (folder / kernel.header).write_text(kernel.text)
    (folder / "catalogue.toml").write_text(nestpack.catalogue(nests))
    own = Catalogue.load([shipped_file(), folder / "catalogue.toml"])
    kernels = [kernel for kernel in own.kernels.values() if kernel.file != shipped_file()]
    assert len(kernels) == len(cases)
    return {
        name.partition("__")[0]: columns
        for name, columns in uniform.columns(kernels, own, packbuild.compiler()).items()
    }


def test_nests_over_components(found: dict[str, int]) -> None:
    assert found == dict.fromkeys(UNIFORM, 5)
