"""The catalogue of a ported pack: read as the planner reads it, and built."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packsbuilt import ISA, build_here

from bridge.errors import ArgumentError
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.nest import outline
from bridge_port.output.catalogue import catalogue
from bridge_port.output.pack import write
from bridge_port.output.pieces import Pieces
from bridge_port.program.program import Program
from bridge_port.translate.translate import translate

CONSTRUCTS = Path(__file__).parent / "constructs"
NEST = """\
subroutine smooth(u, v, q, n, dt, w, res)
  implicit none
  integer, parameter :: nx = 6, ny = 5, nz = 4
  real(8), intent(in) :: u(0:nx+1, 0:ny+1, 0:nz+1), q(5, 0:nx+1, 0:ny+1, 0:nz+1)
  real(8), intent(out) :: v(0:nx+1, 0:ny+1, 0:nz+1)
  integer, intent(in) :: n(0:nx+1, 0:ny+1, 0:nz+1)
  real(8), intent(in) :: dt, w(3)
  real(8), intent(inout) :: res
  integer :: i, j, k
  real(8) :: s
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        s = q(1, i+1, j, k) - 2*q(1, i, j, k) + q(1, i-1, j, k)
        if (n(i, j, k) > 0 .and. n(i, j+1, k) > 0) s = s + w(2)*(q(2, i, j+1, k) - q(2, i, j, k))
        v(i, j, k) = u(i, j, k) + dt*s + u(i, j, k-1)*w(1) + i*0.01d0
        res = res + s*s
      end do
    end do
  end do
end subroutine smooth
"""


def kernel(program: Program, name: str, prefix: str, species: str = "") -> Kernel:
    unit = program.find(name)
    procedure = PointProcedure(unit.name, unit, unit.place)
    return translate(program, procedure, Choices(prefix=prefix, species=species))


@pytest.fixture(scope="module")
def small() -> Program:
    return Program([CONSTRUCTS / "small.f90"])


def test_what_a_kernel_needs_is_declared(small: Program) -> None:
    text = catalogue([kernel(small, "host", "h_"), kernel(small, "integer_arrays", "a_")], "both")
    found = tomllib.loads(text)
    assert found["constant"]["h_gravity"]["value"] == 9.81
    assert found["constant"]["h_limited"] == {
        "unit": "1", "type": "logical", "value": True, "about": "limited of small",
    }  # fmt: skip
    assert found["table"]["h_curve"]["size"] == [4, 2]
    assert found["quantity"]["a_ids"]["columns"] == "4"
    assert found["quantity"]["a_mark"]["type"] == "int32"
    host, arrays = found["kernel"]
    assert host["inputs"] == ["h_x", "h_k", "h_gravity", "h_scheme", "h_limited"]
    assert host["tables"] == ["h_curve"]
    assert arrays["outputs"] == ["a_out", "a_mark"]
    assert found["composite"][0]["steps"] == ["h_host", "a_integer_arrays"]


def test_one_name_is_one_thing(small: Program) -> None:
    first, second = kernel(small, "vectors", "p_"), kernel(small, "returns", "p_")
    second.inputs[0] = first.inputs[0].__class__("p_a", "a", "integer", 4)
    with pytest.raises(ArgumentError, match="p_a"):
        catalogue([first, second], "pack")


def test_a_ported_nest_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the header reads around a point is what its catalogue says: building checks it."""
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "smooth.f90"
    source.write_text(NEST)
    program = Program([source])
    said = Choices(axes={"i": "x", "j": "y", "k": "z"})
    procedures = outline(program, program.find("smooth"), 11, 20, name="smooth", said=said)
    kernels = [translate(program, one, Choices(prefix="sm_")) for one in procedures]
    pack = tmp_path / "pack"
    pack.mkdir()
    for one in kernels:
        (pack / one.header).write_text(one.text)
    (pack / "catalogue.toml").write_text(catalogue(kernels, "pack"))
    text = (pack / "catalogue.toml").read_text()
    assert "reads.sm_q = { x = [-1, 1], y = [0, 1] }" in text
    assert "position_i" in text
    assert build_here(pack, isas=[ISA])


def test_kernels_that_need_each_other_run_by_name(tmp_path: Path) -> None:
    """loc = a + b; a = loc: the order of the nest says which a is meant, no plan does."""
    source = tmp_path / "turns.f90"
    source.write_text(
        "subroutine turns(n, a, b, c)\n  integer, intent(in) :: n\n"
        "  real(8), intent(inout) :: a(n), b(n), c(n)\n  real(8) :: loc(n)\n"
        "  loc = a + b\n  a = loc - 1\n  c = b\nend subroutine turns\n"
    )
    program = Program([source])
    procedures = outline(program, program.find("turns"), 5, 7, name="turns")
    kernels = [translate(program, one, Choices(prefix="t_")) for one in procedures]
    written = write(tmp_path / "pack", "turns", kernels, Pieces([], []), [], "")
    found = tomllib.loads((written.folder / "catalogue.toml").read_text())["kernel"]
    assert [one.get("planned", True) for one in found] == [False, False, True]
