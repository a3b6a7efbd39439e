"""Lists of points: what is told and asked of them, and the check of such a nest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge import cli
from bridge_port.check.nestmemory import lists_of, steps
from bridge_port.request import Request

HERE = Path(__file__).parent
LAKES = """\
module lakes
  implicit none
contains
  subroutine warm(n, begin, finish, list, other, heat, t, k)
    integer, intent(in) :: n, begin, finish
    integer, pointer :: list(:, :), other(:)
    real(8), intent(in) :: heat(begin:finish)
    real(8), intent(inout) :: t(begin:finish, 3)
    integer, pointer :: k(:)
    integer :: i, c
    do i = 1, n
      c = list(2, other(i))
      t(c, 2) = t(c, 1) + heat(c)
      if (t(c, 2) > 2) k(c) = k(c) + 1
    end do
  end subroutine warm
end module lakes
"""


def nest(source: Path, name: str) -> str:
    """FILE:FIRST-LAST of all loops of a subroutine."""
    lines = source.read_text().splitlines()
    head = next(n for n, text in enumerate(lines) if f"subroutine {name}(" in text)
    loops = [n for n, text in enumerate(lines) if text.lstrip().startswith(("do ", "end do"))]
    end = next(n for n, text in enumerate(lines) if f"end subroutine {name}" in text)
    own = [n for n in loops if head < n < end]
    return f"{source}:{own[0] + 1}-{own[-1] + 1}"


def test_what_is_told_and_asked(tmp_path: Path) -> None:
    source = tmp_path / "lakes.f90"
    source.write_text(LAKES)
    ported = Request(nest(source, "warm")).ported()
    notes = " ".join(note for k in ported.kernels for note in k.procedure.notes)
    assert "t_at2 is t(list(2, other(i)), :), scattered after each run by a copy, which stops " \
        "where two points are one element" in notes  # fmt: skip
    # An integer that is written could be the memory of a list.
    text = ported.module.text
    for two in ("k and list", "k and other"):
        assert f"call bridge_apart('bind_{ported.module.base}: {two}'" in text
    assert "if (.not. is_contiguous(list))" in text
    # The check fills each list along the dimension that its index has.
    assert lists_of(ported) == {"list": 2, "other": 1}
    assert steps("list", 2) == ("size(list, 1)", "size(list, 2)", "size(list)")


@pytest.mark.fortran
def test_the_check_fills_lists_with_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("soil", "places"):
        pack = str(tmp_path / name)
        assert cli.main(["port", nest(HERE / "lists.f90", name), "-o", pack]) == 0
        capsys.readouterr()
        status = cli.main(["port", "--check", pack, "--isa", "v2", "--json"])
        [one] = json.loads(capsys.readouterr().out)["kernels"]
        assert status == 0, one
        assert all(output["compared"] for output in one["machines"][0]["outputs"])


TILES = """\
module tiles
  implicit none
  type bounds_type
    integer :: begin, finish
  end type bounds_type
contains
  subroutine cool(bounds, n, list, rate, t)
    type(bounds_type), intent(in) :: bounds
    integer, intent(in) :: n, list(:)
    real(8), intent(in) :: rate(bounds%begin:)
    real(8), intent(inout) :: t(bounds%begin:)
    integer :: i, c
    do i = 1, n
      c = list(i)
      t(c) = t(c) - rate(c)
    end do
  end subroutine cool
end module tiles
"""


@pytest.mark.fortran
def test_bounds_that_are_components(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The generated module does not know their type: arrays come with their bounds."""
    source = tmp_path / "tiles.f90"
    source.write_text(TILES)
    pack = str(tmp_path / "own")
    assert cli.main(["port", nest(source, "cool"), "-o", pack]) == 0
    told = " ".join(capsys.readouterr().out.replace("&\n", " ").split())
    assert "(n, list, rate, lbound(rate, 1), t, lbound(t, 1))" in told
    status = cli.main(["port", "--check", pack, "--isa", "v2", "--json"])
    [one] = json.loads(capsys.readouterr().out)["kernels"]
    assert status == 0, one
    assert all(output["compared"] for output in one["machines"][0]["outputs"])
