"""What a nest leaves in variables, and who reads it; calls of which no kernel needs anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge_port.kernel import PointProcedure
from bridge_port.nest import outline
from bridge_port.program.program import Program
from bridge_port.refusal import Refused

HEAD = """\
module side
  real(8) :: factor = 2, many(3)
contains
  subroutine set()
    factor = factor + 1
  end subroutine set
  subroutine ask(x)
    real(8), intent(out) :: x
    x = factor
  end subroutine ask
  subroutine both(x)
    real(8), intent(out) :: x
    x = 1
    call set()
  end subroutine both
  subroutine filled(x)
    real(8) :: x
    x = 3
  end subroutine filled
  subroutine fills(x)
    real(8) :: x
    x = 3
    call filled(many(2))
  end subroutine fills
  subroutine looked(x, y)
    real(8) :: x, y
    y = x
  end subroutine looked
  subroutine looks(x)
    real(8) :: x
    call looked(many(2), x)
  end subroutine looks
  subroutine kept(x)
    real(8) :: x
    integer, save :: times = 0
    times = times + 1
    x = 1
  end subroutine kept
  subroutine told(x)
    real(8) :: x
    x = 1
    print *, 'told'
  end subroutine told
  subroutine found(x)
    real(8) :: x
    x = 1
    if (factor > 100) stop
  end subroutine found
  subroutine far(x)
    real(8) :: x
    x = 1
    call elsewhere()
  end subroutine far
  real(8) function plain(x)
    real(8), intent(in) :: x
    real(8) :: own
    integer :: k
    own = x
    do k = 1, 3
      call filled(own)
    end do
    plain = own
  end function plain
  real(8) function counted(x)
    real(8), intent(in) :: x
    call set()
    counted = x
  end function counted
  real(8) function grown(x)
    real(8) :: x
    x = x + 1
    grown = x
  end function grown
  real(8) function by_pointer(x)
    real(8), intent(in) :: x
    real(8), pointer :: p
    p => factor
    by_pointer = x
  end function by_pointer
end module side
subroutine nest(n, a, b)
  use side, only: set, looks
  use side, only: ask, both, fills, kept, told, found, far, plain, counted, grown, by_pointer
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  real(8) :: t, u, of_t, x
  integer :: i, k, m
  namelist /group/ t
  of_t(x) = t*x
"""
LOOP = "  !<\n  do i = 1, n\n    t = 2*a(i)\n    b(i) = t\n  end do\n  !>\n"
INSIDE = "contains\n  subroutine inner()\n    a(1) = t\n  end subroutine inner\n"


def nest(folder: Path, text: str) -> list[PointProcedure]:
    """Of the lines between < and >."""
    source = folder / "nest.f90"
    source.write_text(f"{HEAD}{text}end subroutine nest\n")
    lines = source.read_text().splitlines()
    first, last = (1 + next(n for n, one in enumerate(lines) if one.strip() == mark)
                   for mark in ("!<", "!>"))  # fmt: skip
    program = Program([source])
    unit = program.find("inner" if "!of inner" in text else "nest")
    return outline(program, unit, first, last, name="point")


@pytest.mark.parametrize(
    "text",
    [
        f"{LOOP}  print *, t\n",
        f"{LOOP}  write (*, nml=group)\n",
        f"{LOOP}  a(1) = of_t(2d0)\n",
        f"{LOOP}  call somewhere(t)\n",
        f"{LOOP}  call somewhere(x=t)\n",
        f"{LOOP}  call somewhere(t)\n  t = 1\n",
        f"{LOOP}  if (n > 2) t = 1\n  call somewhere(u, t + 1)\n",
        f"{LOOP}  call inner()\n{INSIDE}",
        f"{LOOP}  if (n > 3) then\n    u = 1\n  else\n    call apply(inner)\n  end if\n{INSIDE}",
        f"  do k = 1, 3\n{LOOP}    exit\n  end do\n  a(1) = t\n",
        f"  do k = 1, 3\n{LOOP}  if (n > 3) then\n    cycle\n  else\n    exit\n  end if\n"
        "  end do\n  a(1) = t\n",
        f"  t = 1\n  do while (t < 3)\n{LOOP}  end do\n",
        f"  t = 1\n10 a(1) = t\n{LOOP}  if (b(1) > 3) goto 10\n",
        f"  t = 1\n10 if (n > 2) then\n20 a(1) = t\n{LOOP}  if (b(1) > 3) goto 20\n  end if\n",
        f"{LOOP}  block\n    real(8) :: w(max(1, int(t)))\n    a(1) = size(w)\n  end block\n",
    ],
)
def test_what_is_read_after_the_nest(text: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="scalar t: its value is read after the loops"):
        nest(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        f"{LOOP}  t = 1\n  print *, t\n",
        f"{LOOP}  print *, 't', u\n",
        f"{LOOP}  t = 1\n  call somewhere(t)\n  a(1) = t\n",
        f"{LOOP}  do i = 1, 3\n    call somewhere(i, u)\n  end do\n",
        f"{LOOP}  write (*, '(a)') \"t\"\n",
        f"10 t = 1\n  a(1) = t\n{LOOP}  if (b(1) > 3) goto 10\n",
        f"{LOOP}  if (b(1) > 3) goto 10\n  u = t\n10 continue\n".replace("u = t", "u = 1"),
        f"  call inner()\n{LOOP}{INSIDE}",
        f"  t = 1\n  do k = 1, 3\n{LOOP}  t = 1\n    exit\n  end do\n  a(1) = t\n",
    ],
)
def test_what_nobody_reads_after_the_nest(text: str, tmp_path: Path) -> None:
    assert len(nest(tmp_path, text)) == 1


def test_variables_of_the_unit_around(tmp_path: Path) -> None:
    """They stay when the procedure ends."""
    text = f"  call inner()\n  a(1) = t\ncontains\n  subroutine inner() !of inner\n{LOOP}"
    with pytest.raises(Refused, match="loop variable i: its value is read after the loops"):
        nest(tmp_path, f"{text}  end subroutine inner\n")
    own = text.replace("  !<", "  integer :: i\n  !<")
    with pytest.raises(Refused, match="scalar t: its value is read after the loops"):
        nest(tmp_path, f"{own}  end subroutine inner\n")
    all_own = own.replace("  !<", "  real(8) :: t\n  !<")
    assert len(nest(tmp_path, f"{all_own}  end subroutine inner\n")) == 1


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("call set()", "it gives factor of side a value"),
        ("call both(u)", "it gives factor of side a value"),
        ("call fills(u)", "it gives many of side a value"),
        ("call kept(u)", "it gives times that stays from call to call a value"),
        ("call told(u)", "told does more: print in line"),
        ("call found(u)", "found does more: stop in line"),
        ("call far(u)", "far calls elsewhere, whose source is not given"),
        ("call nobody()", "its source is not given"),
        ("u = counted(2d0)", "it gives factor of side a value"),
        ("u = plain(counted(2d0))", "it gives factor of side a value"),
        ("u = by_pointer(x)", "by_pointer sets the pointer p"),
        ("u = lost(x)", "its source is not given"),
        ("if (counted(2d0) > 1) u = 2", "it gives factor of side a value"),
        ("call inner()", "it gives t of nest a value"),
    ],
)
def test_calls_that_would_be_lost(statement: str, why: str, tmp_path: Path) -> None:
    inner = "contains\n  subroutine inner()\n    t = 1\n  end subroutine inner\n"
    text = f"  !<\n  {statement}\n  do i = 1, n\n    b(i) = 2*a(i)\n  end do\n  !>\n{inner}"
    if statement.startswith("if"):
        text = text.replace("  if", "  do m = 1, 2\n  if").replace("u = 2", "u = 2\n  end do")
    with pytest.raises(Refused, match=f"no kernel needs what it computes, and {why}"):
        nest(tmp_path, text)


def test_a_call_in_the_loops_that_would_be_lost(tmp_path: Path) -> None:
    text = "  !<\n  do i = 1, n\n    u = counted(a(i))\n    b(i) = 2*a(i)\n  end do\n  !>\n"
    with pytest.raises(Refused, match="call of counted: no kernel needs what it computes"):
        nest(tmp_path, text)


@pytest.mark.parametrize(
    "statement", ["u = plain(2d0)", "call ask(u)", "call looks(u)", "u = sin(x)"]
)
def test_calls_that_only_compute(statement: str, tmp_path: Path) -> None:
    text = f"  !<\n  {statement}\n  do i = 1, n\n    b(i) = 2*a(i)\n  end do\n  !>\n"
    assert len(nest(tmp_path, text)) == 1


def test_bounds_that_call_a_function(tmp_path: Path) -> None:
    text = "  !<\n  do i = 1, int(plain(2d0))\n    b(i) = 2*a(i)\n  end do\n  !>\n"
    with pytest.raises(Refused, match="loop over i: its bounds call plain"):
        nest(tmp_path, text)
