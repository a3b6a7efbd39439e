"""What an outline refuses, by line and in words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from port.refusednests import BODIES, HEAD, TAIL

from bridge_port.choices import Choices
from bridge_port.nest import directives, outline
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.request import Request
from bridge_port.syntax.statements import Unread
from bridge_port.translate.translate import translate


def program(folder: Path, body: str) -> Program:
    file = folder / "nest.f90"
    file.write_text(HEAD + "  s = s\n" + body.lstrip("\n") + "\n" + TAIL)
    return Program([file])


def lines_of(found: Program) -> tuple[int, int]:
    unit = found.find("nest")
    marked = directives(unit)
    if marked:
        return next(iter(marked.values()))
    start = (HEAD + "  s = s\n").count("\n") + 1
    return start, max(unit.place.last, start)


@pytest.mark.parametrize("name", sorted(BODIES))
def test_refused(name: str, tmp_path: Path) -> None:
    body, words = BODIES[name]
    found = program(tmp_path, body)
    with pytest.raises(Refused) as refused:
        outline(found, found.find("nest"), *lines_of(found), name="point")
    text = str(refused.value)
    assert all(word in text for word in words), text
    assert not re.search(r"_at\d", text), "the user has not written this name"
    wanted = [n for n, line in enumerate((tmp_path / "nest.f90").read_text().splitlines(), 1)
              if "!<<" in line]  # fmt: skip
    if wanted:
        assert refused.value.refusal.place.line == wanted[0], text
    assert refused.value.refusal.place.file.endswith("nest.f90")


def test_a_value_that_is_given_does_not_change(tmp_path: Path) -> None:
    body, _ = BODIES["index changed"]
    found, said = program(tmp_path, body), Choices(fixed={"i": 2})
    with pytest.raises(Refused, match="constant i: the nest gives it another value"):
        outline(found, found.find("nest"), *lines_of(found), name="point", said=said)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("  if (present(c)) c(:) = 2*a(:)\n", 4),
        ("  do i = 1, n\n    if (present(c)) c(i) = 2*a(i)\n  end do\n", 5),
        ("  if (present(s)) then\n    a(:) = 2*a\n  else\n    a(:) = 0\n  end if\n", 4),
        ("  do i = 1, n\n    if (.not. present(s)) a(i) = 2*a(i)\n  end do\n", 5),
        ("  do i = 1, n\n    a(i) = merge(2d0, a(i), present(s))\n  end do\n", 5),
        ("  c(:) = 1\n  do i = 1, n\n    a(i) = passed(a(i), c)\n  end do\n", 6),
    ],
)
def test_what_is_asked_of_an_optional_argument_is_said(
    body: str, line: int, tmp_path: Path
) -> None:
    """Also where it is passed on to an optional one."""
    file = tmp_path / "absent.f90"
    file.write_text(
        "subroutine one(n, a, c, s)\n  integer :: n, i\n"
        f"  real(8) :: a(n); real(8), optional :: c(n), s\n{body}"
        "contains\n  real(8) function passed(b, c)\n  real(8) :: b\n"
        "  real(8), optional :: c(:)\n  passed = b\n  if (present(c)) passed = 2*b\n"
        "  end function\nend subroutine\n"
    )
    found = Program([file])
    with pytest.raises(Refused, match=r"present\([cs]\)") as refused:
        outline(found, found.find("one"), 4, 3 + body.count("\n"), name="point")
    assert refused.value.refusal.place.line == line
    change = refused.value.refusal.change
    name = "c" if "--present c" in change else "s"
    assert f"say --present {name} or --absent {name}" in change
    assert "choose the lines inside of the if" in change


def test_no_value_of_an_element_is_asked(tmp_path: Path) -> None:
    """The number of rounds is an element at no fixed distance, which has no name of the user's."""
    file = tmp_path / "nest.f90"
    file.write_text("""\
subroutine nest(n, m, u, v, many)
  integer, intent(in) :: n, m, many(n)
  real(8), intent(in) :: u(n, m)
  real(8), intent(inout) :: v(n, m)
  integer :: i, j, k
  !$bridge begin nest
  do j = 1, m
    do i = 1, n
      do k = 1, many(n + 1 - i)
        v(i, j) = v(i, j) + u(i, k)
      end do
    end do
  end do
  !$bridge end
end subroutine nest
""")
    found = Program([file])
    with pytest.raises(Refused) as refused:
        outline(found, found.find("nest"), *lines_of(found), name="point")
    assert "--value" not in str(refused.value) and "--private v" in str(refused.value)


SCATTERED = """\
module states
  type state
    real(8), allocatable :: q(:)
    real(8) :: a, t
    integer :: n
  end type state
contains
subroutine edges(ne, c1, c2, q, s)
  integer, intent(in) :: ne, c1(ne), c2(ne)
  real(8), intent(in) :: q(:)
  type(state), intent(inout) :: s
  integer :: e
  real(8) :: f
  do e = 1, ne
    f = 0.5d0*(q(c1(e)) - q(c2(e)))
    s%q(c1(e)) = s%q(c1(e)) - f
    s%q(c2(e)) = s%q(c2(e)) + f
  end do
  do e = 2, ne - 1
    s%a = q(e - 1)*q(e)*q(c1(e))
    s%q(e) = s%a + s%n
  end do
end subroutine edges
end module states
"""


@pytest.fixture
def scattered(tmp_path: Path) -> str:
    (tmp_path / "edges.f90").write_text(SCATTERED)
    return f"{tmp_path}/edges.f90"


def test_what_is_scattered_is_not_gathered(scattered: str) -> None:
    """Of all refusals the names are those of the source, and what to change helps."""
    with pytest.raises(Refused, match=r"subscript c1\(e\) of s%q: ") as refused:
        Request(f"{scattered}:14-18").ported(every=True)
    every = [refused.value.refusal, *refused.value.others]
    assert [one.place.line for one in every] == [16, 17]
    for one in every:
        assert "two points may have one element of s%q: write the value" in one.change
        assert not re.search(r"_at\d|gather", str(one))


def test_what_a_refusal_says_of_components_can_be_said(scattered: str) -> None:
    """The option takes the name that it spells."""
    with pytest.raises(Refused, match=r"scalar s%a: its last value .* say --private s%a if"):
        Request(f"{scattered}:19-22").ported()
    given = Request(f"{scattered}:19-22", private=("s%a",), values={"s%n": 3}).ported()
    assert "3" in str(given.kernels[0].text) and "s%n" not in given.actuals["run"]


def test_names_that_an_outline_makes_stand_for_others(scattered: str) -> None:
    found = Program([scattered])
    said = Choices(private={"s%a"})
    (made,) = outline(found, found.find("edges"), 19, 22, name="point", said=said)
    assert made.named["q_at1"] == "q(c1(e))" and made.named["q_em1"] == "q"
    unit = replace(made.unit, body=[Unread(made.place, text="q_em1", construct="q_em1")])
    with pytest.raises(Refused) as refused:
        translate(found, replace(made, unit=unit))
    assert "q_em1" not in str(refused.value)
