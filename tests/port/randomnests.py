"""Random loop nests over points: neighbours, recurrences, reductions, work arrays, in any order.

A seed writes the same text again. Subscripts stay in the arrays, which have a fringe of one point,
and no element is read before it has a value. Many of these nests have to be refused: what carries
values from point to point is written as often as what does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

CALLED = """\
module called
  implicit none
contains
  subroutine smooth(left, right, mean, used)
    real(8), intent(in) :: left, right
    real(8), intent(inout) :: mean
    logical, intent(out) :: used
    used = left > 0.7012d0*right
    if (.not. used) return
    mean = 0.5d0*(left + right)
  end subroutine smooth
  real(8) function pull(s, way) result(f)
    real(8), intent(in) :: s(:)
    integer, intent(in) :: way
    integer :: l
    f = 0
    do l = 1, size(s)
      if (l == way) cycle
      f = f + s(l)
    end do
  end function pull
end module called
"""
HEAD = """
subroutine {name}(nx, ny, mode, dt, total, most, marked, n2, a, b, c, q, g, mask)
  use called
  integer, intent(in) :: nx, ny, mode
  real(8), intent(in) :: dt
  real(8), intent(inout) :: total, most, g(nx, ny, 2)
  integer, intent(inout) :: n2
  logical, intent(inout) :: marked
  real(8), intent(inout) :: a(0:nx + 1, 0:ny + 1), b(0:nx + 1, 0:ny + 1), c(0:nx + 1, 0:ny + 1)
  real(8), intent(inout) :: q(3, 0:nx + 1, 0:ny + 1)
  integer, intent(inout) :: mask(nx, ny)
  real(8) :: line(0:nx + 1), work(0:nx + 1, 0:ny + 1), r(3), t1, t2, t3
  integer :: i, j, k, m, n1
  logical :: yes
"""
MARK = re.compile("<([a-z]+)>")
FIELDS = ("a", "b", "c")
#: (variable, its bounds): all of them stay within 1 and the number of points.
ALONG_X = ("1, nx", "1, nx", "1, nx", "2, nx - 1", "nx, 1, -1", "2, nx", "1, nx, 2")
ALONG_Y = ("1, ny", "1, ny", "1, ny", "2, ny - 1", "ny, 1, -1", "1, ny - 1")
VALUES = (
    "0.5d0*<here>",
    "0.25d0*(<near> + <near>)",
    "dt*(<near> - <here>)",
    "<here>*sin(<here>)",
    "<scalar>*<here>",
    "abs(<near>)/(1 + abs(<here>))",
    "max(<here>, <constant>)",
    "merge(<here>, <near>, <test>)",
    "q(1, i, j)*q(3, i, j) - q(2, i, j)",
    "0.125d0*(q(2, i + 1, j) - q(2, i - 1, j))",
    "<scalar> + dt*<scalar>",
    "0.25d0*mask(i, j) + <here>",
    "0.25d0*sum(q(:, i, j)) + <scalar>",
    "g(i, j, 1)*<scalar>",
    "0.5d0*g(i, j, 2) + <here>",
    "pull(q(:, i, j), mod(mode, 3))",
    "merge(0.25d0*i, 0.5d0*j, <test>)",
)
TESTS = (
    "<here> > <constant>",
    "<scalar> < <constant>",
    "mask(i, j) > 2",
    "i > 2",
    "mode > 1",
    "<near> < <here>",
    "i + j < 7 .and. <here> > <constant>",
)
#: Of a point.
STATEMENTS = (
    "<field>(i, j) = <value>",
    "<field>(i, j) = <value>",
    "<field>(i, j) = <field>(i, j) + <value>",
    "t1 = <value>",
    "t2 = <value>",
    "t3 = 0.5d0*t3 + <value>",
    "if (<test>) t1 = <value>",
    "if (<test>) <field>(i, j) = <value>",
    "total = total + <value>",
    "most = max(most, <value>)",
    "if (<value> > most) most = <value>",
    "if (<test>) marked = .true.",
    "mask(i, j) = mod(mask(i, j) + 3, 5)",
    "n1 = mask(i, j)",
    "line(i) = <value>",
    "work(i, j) = <value>",
    "q(2, i, j) = <value>",
    "q(:, i, j) = 0.5d0*q(:, i, j) + <scalar>",
    "r = q(:, i, j)*<scalar>",
    "q(:, i, j) = r",
    "t1 = t1 + 0.125d0*r(2)",
    "if (<test>) cycle",
    "g(i, j, 1) = <value>",
    "g(i, j, :) = <scalar>*g(i, j, :)",
    "n2 = n2 + 1",
    "if (<test>) n2 = n2 + mask(i, j)",
    "n2 = min(n2, mask(i, j))",
    "total = total - dt*<value>",
    "if (<test>) total = total + <value>",
    "call smooth(<near>, <near>, t1, marked)",
    "call smooth(<near>, <value>, t3, yes)",
    "if (yes) t2 = t2 + <scalar>",
    "marked = marked .or. <test>",
    "most = min(most, <value>)",
)
#: Beside the loops over points.
WHOLES = (
    "<field> = 0.5d0*<field>",
    "<field>(1:nx, 1:ny) = 0.25d0*(<field>(0:nx - 1, 1:ny) + <field>(2:nx + 1, 1:ny))",
    "<field>(1:nx, :) = <field>(1:nx, :) + dt*<field>(0:nx - 1, :)",
    "where (<field> > <constant>) <field> = 0.5d0*<field>",
    "work = <field>",
    "total = total + sum(<field>(1:nx, 1:ny))",
    "most = max(most, maxval(<field>(1:nx, 1:ny)))",
    "q(1, :, :) = q(2, :, :)",
    "<field>(0, :) = <field>(1, :)",
    "<field>(:, ny + 1) = <field>(:, ny)",
    "<field>(nx:1:-1, 1:ny) = work(1:nx, 1:ny)",
    "work(1:nx, 1:ny) = g(:, :, 2)",
    "g(:, :, 1) = g(:, :, 1) + g(:, :, 2)*<field>(1:nx, 1:ny)",
    "if (any(mask > 3)) n2 = 7",
    "n2 = n2 + count(mask > 2)",
    "line = <field>(:, 2)",
)


class Writer:
    def __init__(self, random: np.random.Generator, name: str) -> None:
        self.random, self.name = random, name
        self.lines: list[str] = []
        self.depth = 1

    def one(self, of: Sequence[T]) -> T:
        return of[int(self.random.integers(len(of)))]

    def number(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def say(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    @contextmanager
    def inside(self, first: str, last: str = "end do") -> Any:
        self.say(first)
        self.depth += 1
        yield
        self.depth -= 1
        self.say(last)

    # ---- Expressions

    def filled(self, text: str) -> str:
        return MARK.sub(lambda found: self.part(found[1]), text)

    def part(self, kind: str) -> str:
        if kind == "constant":
            return f"{self.random.uniform(0.2, 1.4):.6f}d0"
        if kind == "field":
            return self.one(FIELDS)
        if kind == "here":
            return self.one(("a(i, j)", "b(i, j)", "c(i, j)", "c(i, j)", "work(i, j)", "line(i)"))
        if kind == "near":
            steps = ("i - 1, j", "i + 1, j", "i, j - 1", "i, j + 1", "i + 1, j - 1", "i, j")
            return f"{self.one((*FIELDS, 'work'))}({self.one(steps)})"
        if kind == "scalar":
            return self.one(("t1", "t2", "t3", "dt", "r(1)", "r(3)"))
        return self.filled(self.one({"value": VALUES, "test": TESTS}[kind]))

    # ---- Statements

    def point(self, statements: int) -> None:
        """Of one point; a component loop and a condition among others."""
        for _ in range(statements):
            if self.chance(0.12):
                with self.inside("do m = 1, 3"):
                    self.say(self.filled("q(m, i, j) = q(m, i, j) - 0.125d0*m*<scalar>"))
                    if self.chance(0.4):
                        self.say(self.filled("t2 = t2 + 0.0625d0*q(m, i, j)"))
            elif self.chance(0.12):
                with self.inside(self.filled("if (<test>) then"), "end if"):
                    self.point(self.number(1, 2))
                    if self.chance(0.5):
                        self.lines.append("  " * (self.depth - 1) + "else")
                        self.point(self.number(1, 2))
            else:
                self.say(self.filled(self.one(STATEMENTS)))

    def begun(self) -> None:
        """What a point reads has a value, mostly its own."""
        for name in ("t1", "t2", "t3"):
            if self.chance(0.85):
                self.say(self.filled(f"{name} = {self.one(('<here>', '<near>', '<constant>'))}"))
        if self.chance(0.8):
            self.say("r = 0.5d0*q(:, i, j)")
        if self.chance(0.8):
            self.say(self.filled("yes = <test>"))

    def nest(self) -> None:
        along_x = f"do i = {self.one(ALONG_X)}"
        with self.inside(f"do j = {self.one(ALONG_Y)}"):
            if self.chance(0.15):
                self.say("t3 = 0.125d0*j")
            with self.inside(along_x):
                self.begun()
                self.point(self.number(1, 4))
            if self.chance(0.3):
                with self.inside(f"do i = {self.one(ALONG_X)}"):
                    self.begun()
                    self.point(self.number(1, 3))

    def layers(self) -> None:
        """Three loops over points."""
        with self.inside(f"do k = {self.one(('1, 2', '2, 1, -1'))}"):
            with self.inside(f"do j = {self.one(ALONG_Y)}"), self.inside("do i = 1, nx"):
                self.begun()
                self.say(self.filled("g(i, j, k) = 0.5d0*g(i, j, k) + <value>"))
                if self.chance(0.5):
                    self.say(self.filled("total = total + g(i, j, k)*<scalar>"))

    def nests(self) -> None:
        for _ in range(self.number(1, 3)):
            if self.chance(0.25):
                self.say(self.filled(self.one(WHOLES)))
            elif self.chance(0.1):
                with self.inside("if (mode > 1) then", "end if"):
                    self.nest()
            elif self.chance(0.15):
                self.layers()
            else:
                self.nest()

    def procedure(self) -> str:
        start = ["  t1 = dt", "  t2 = 0.5d0", "  t3 = 0.25d0", "  r = dt", "  yes = mode > 0"]
        start += ["  line = 0.75d0", "  work = 0.5d0*a", f"  !$bridge begin {self.name}"]
        self.nests()
        end = [f"  !$bridge end {self.name}", f"end subroutine {self.name}", ""]
        return HEAD.format(name=self.name) + "\n".join([*start, *self.lines, *end])


def procedures(seed: int, count: int) -> tuple[str, list[str]]:
    """A file with `count` procedures, each with one nest, and their names."""
    random = np.random.default_rng(seed)
    names = [f"n{seed}_{number}" for number in range(count)]
    return CALLED + "\n".join(Writer(random, name).procedure() for name in names), names
