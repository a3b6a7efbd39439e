"""Random procedures of one point: every statement that has a rule of its own, in any order.

A seed writes the same text again. Each variable has a value before it is read, subscripts and
integers stay in their ranges, and numbers stay modest: what is left to differ is the translator.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

REALS = ("x", "y", "u", "v", "r1", "r2", "r3", "first%s", "second%s", "one")
WRITTEN_REALS = ("u", "v", "w", "r1", "r2", "r3", "first%s", "second%s", "one")
INTEGERS = ("n", "k", "m1", "m2", "first%m(1)", "order(2)")
WRITTEN_INTEGERS = ("k", "m1", "m2", "second%m(1)", "order(3)")
TRUTHS = ("yes", "found", "l1")
#: Arrays of four elements; the first subscript of `low` is 0.
VECTORS = ("a", "b", "c", "low", "grown", "four")
FIRST = {"low": 0}
SIZE = 4
LOOPS = ("i1", "i2", "i3")
MOST_DEPTH = 3

#: Expressions without operators, and with them; integers stay small whatever their parts are.
PLAIN = {
    "real": (*REALS, "<constant>", "<constant>", *4 * ("<element>",)),
    "integer": (*INTEGERS, "(-1)", "2", "3", "5", "<loop>", "<loop>"),
    "truth": ("yes", "found", "l1", "(<real0> > <constant>)", "(<integer0> < <integer0>)"),
    "vector": (*VECTORS, "table(1, :)", "table(2, :)"),
}
GRAMMAR = {
    "real": (
        "(<real> + <real>)",
        "(<real> - <real>)",
        "(<real>*<real>)",
        "<real>/(1 + abs(<real>))",
        "sin(<real>)",
        "sqrt(abs(<real>))",
        "exp(min(<real>, 1.5d0))",
        "(<real>)**2",
        "(<real>)**3",
        "max(<real>, <constant>)",
        "min(<real>, <constant>, <real>)",
        "sign(<real>, <real>)",
        "merge(<real>, <real0>, <truth>)",
        "real(<integer>, 8)",
        "bent_<name>(<real>, <integer0>)",
        "sum(<vector>)",
        "maxval(<vector>)",
        "minval(<vector>)",
        "dot_product(<vector>, <vector>)",
        "sum(<vector>, mask=<vector0> > <constant>)",
        "real(z*cmplx(<real>, <real0>, 8), 8)",
        "aimag(exp((0.0d0, 1.0d0)*<real>))",
        "product(1 + 0.25d0*sin(<vector>))",
        "sum(table(:, <subscript1>))",
        "sum(matmul(table, <vector0>))",
        "norm2(<vector0>)",
        "steep_<name>(<real>)",
        "atan2(<real>, 1 + abs(<real>))",
        "mod(<real>, 1.7031d0)",
    ),
    "integer": (
        "(<integer> + <integer>)",
        "(<integer> - <integer>)",
        "mod(<integer>*<integer>, 7)",
        "modulo(<integer>, 4)",
        "(<integer>)/2",
        "(<integer>)/(-3)",
        "max(<integer>, <integer0>)",
        "min(<integer>, <integer0>)",
        "abs(<integer>)",
        "merge(<integer>, <integer0>, <truth0>)",
        "iand(<integer>, <integer>)",
        "int(2.3d0*sin(<real>))",
        "nint(2.3d0*sin(<real>))",
        "floor(2.3d0*sin(<real>))",
        "maxloc(<vector0>, 1)",
        "minloc(<vector0>, 1)",
        "count(<vector0> > <constant>)",
        "ior(<integer>, 4)",
        "ishft(abs(<integer>), -1)",
        "size(<vector0>)",
        "sum(order)",
        "order(<subscript1>)",
        "count(chosen)",
    ),
    "truth": (
        "(<truth> .and. <truth>)",
        "(<truth> .or. <truth>)",
        "(<truth> .eqv. <truth>)",
        "(<truth> .neqv. <truth>)",
        "(.not. <truth>)",
        "(<integer> == <integer0>)",
        "(<integer> >= <integer0>)",
        "(<real> < <real0> + <constant>)",
        "any(<vector0> > <constant>)",
        "all(<vector0> > <constant>)",
        "any(chosen)",
        "chosen(<subscript1>)",
        "btest(<integer>, 1)",
    ),
    "vector": (
        "(<vector> + <vector>)",
        "(<vector> - <vector>)",
        "(<vector>*<vector>)",
        "<real>*<vector>",
        "abs(<vector>)",
        "max(<vector>, <vector>)",
        "cshift(<vector>, 1)",
        "cshift(<vector>, -2)",
        "merge(<vector>, <vector>, <vector0> > <constant>)",
        "merge(<vector>, <vector>, chosen)",
        "mixed_<name>(<real0>, <vector0>)",
        "steep_<name>(<vector>)",
        "spread(<real>, 1, 4)",
        "sum(table, 1)",
        "matmul(transpose(table), [<real0>, <real0>])",
        "a([4, 2, 1, 3])",
        "b(1 + modulo(order, 4))",
        "reshape([<vector0>], [4])",
        "[<real0>, <real0>, <real0>, <real0>]",
        "order*0.25d0",
        "cshift(eoshift(<vector0>, 1, <constant>), 1)",
    ),
}
OTHERS = (
    "z = z*cmplx(0.25d0, <real0>, 8)/(2 + abs(z))",
    "z = cmplx(sin(<real>), sin(<real0>), 8)",
    "first = second",
    "second = pair_<name>(sin(<real>), [mod(<integer>, 5), 1])",
    "call moved_<name>(first)",
    "first%m = mod(first%m*2 - <integer>, 7)",
    "order = modulo(order + <integer>, 5)",
    "order(4:1:-1) = order",
    "chosen = <vector> > <constant>",
    "chosen(<subscript1>) = <truth>",
    "chosen = .not. chosen",
    "table = 0.5d0*table(2:1:-1, :)",
    "table(:, <subscript1>) = [sin(<real>), <real0>]",
    "table(:, 2:3) = table(:, 1:2)",
    "forall (i3 = 1:4, c(i3) > <constant>) b(i3) = 0.5d0*c(5 - i3)",
    "do concurrent (i3 = 1:4); low(4 - i3) = sin(b(i3) + <real0>); end do",
    "grown = <vector0> + 0.25d0",
    "one = 0.5d0*one + 0.25d0*r2",
    "four(1:3) = 0.5d0*c(2:4)",
    "c = four(4:1:-1)",
    "r1 = 0; if (<truth>) r1 = sin(<real>)",
)
#: Of loops, whose variables stay between 1 and 4.
BOUNDS = (
    "1, 4",
    "4, 1, -1",
    "1, 3, 2",
    "2, 4",
    "1, min(4, abs(<integer0>))",
    "max(1, min(4, <integer>)), 4",
    "min(4, abs(<integer0>)), 1, -1",
)
MARK = re.compile("<([a-z]+[01]?)>")

HEAD = """
subroutine {name}(n, x, y, a, u, v, b, k, yes, w)
  integer, intent(in) :: n
  real(8), intent(in) :: x, y
  real(8), intent(in) :: a(4)
  real(8), intent(inout) :: u, v, b(4)
  integer, intent(inout) :: k
  logical, intent(inout) :: yes
  real(8), intent(out) :: w
  real(8), target :: r1, r2, c(4)
  real(8) :: r3, low(0:3), table(2, 4)
  real(8), allocatable :: grown(:)
  real(8), pointer :: one, four(:)
  complex(8) :: z
  type(pair_{name}) :: first, second
  integer :: m1, m2, i1, i2, i3, turns, order(4)
  logical :: found, l1, chosen(4)
  one => r2
  four => c
  w = 0.5d0*x
  r1 = x - y
  r2 = 0.75d0
  r3 = u*v
  c = a*y
  low = 1.5d0 - b
  table(1, :) = a
  table(2, :) = b*x
  m1 = mod(n + k, 5)
  m2 = 2
  order = [m1, 1, 2, 3]
  chosen = a > y
  found = x > y
  l1 = n > k
  z = cmplx(x, y, 8)
  first = pair_{name}(x, [1, 2])
  second%s = y
  second%m = k
  grown = 0.5d0*a
"""
TAIL = """
  w = w + sum(table) + sum(c)*sum(low) + r1 - r2*r3 + m1 - 2*m2 + abs(z) + count(chosen)
  w = w - first%s + second%s + first%m(1) - 2*second%m(2) + sum(order*[1, 2, 3, 4]) + sum(grown)
  if (found) w = w + 1
  if (l1) w = -w
contains
  pure function mixed_{name}(s, of) result(f)
    real(8), intent(in) :: s, of(:)
    real(8) :: f(size(of))
    f = of(size(of):1:-1)
    where (f > s) f = s
  end function mixed_{name}
  elemental function steep_{name}(s) result(f)
    real(8), intent(in) :: s
    real(8) :: f
    f = s
    if (s > 0.7503d0) f = 1.5d0 - s
  end function steep_{name}
  subroutine moved_{name}(p)
    type(pair_{name}), intent(inout) :: p
    if (p%m(1) > 2) return
    p%s = 0.5d0*p%s + p%m(2)
    p%m = p%m(2:1:-1) + 1
    p%m = mod(p%m, 9)
  end subroutine moved_{name}
  subroutine change_{name}(s, t, count, which)
    real(8), intent(inout) :: s
    real(8), intent(in) :: t
    integer, intent(out) :: count
    logical, intent(in), optional :: which
    count = 1
    if (present(which)) then
      if (which) then
        s = 0.5d0*t
        return
      end if
      count = 2
    end if
    do while (s < t - 0.125d0)
      s = s + 0.5d0
      count = count + 1
      if (count > 6) exit
    end do
  end subroutine change_{name}
  subroutine turned_{name}(z, from, best)
    real(8), intent(inout) :: z(:)
    integer, intent(in) :: from
    integer, intent(out) :: best
    integer :: j
    best = 1
    do j = 1, size(z)
      if (j < from) cycle
      if (z(j) > z(best)) best = j
      z(j) = 0.5d0*z(j) + 0.25d0*z(size(z) + 1 - j)
    end do
  end subroutine turned_{name}
  pure function bent_{name}(s, j) result(f)
    real(8), intent(in) :: s
    integer, intent(in) :: j
    real(8) :: f
    if (j > 2) then
      f = s/(1 + abs(s))
    else if (s < 1.0009765625d0) then
      f = 0.5d0*s
      return
    else
      f = 1 - s
    end if
    f = f + 0.0625d0*j
  end function bent_{name}
end subroutine {name}
"""


class Writer:
    """Of one procedure. loops: variables of the loops around; names: of the constructs around that
    can be left, from outside."""

    def __init__(self, random: np.random.Generator, name: str) -> None:
        self.random, self.name = random, name
        self.lines: list[str] = []
        self.depth = 0
        self.loops: list[str] = []
        self.names: list[str] = []
        self.labels = 0

    # ---- Choosing

    def one(self, of: Sequence[T]) -> T:
        return of[int(self.random.integers(len(of)))]

    def number(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    # ---- Expressions: forms of GRAMMAR, filled in

    def filled(self, text: str, depth: int = 2) -> str:
        """<kind> is an expression of depth, <kind0> one without operators."""
        return MARK.sub(lambda found: self.part(found[1], depth), text)

    def part(self, kind: str, depth: int) -> str:
        if kind == "constant":  # no result comes near to it by a simple value
            value = self.random.uniform(-2, 2)
            return f"{value:.6f}d0" if value > 0 else f"({value:.6f}d0)"
        if kind == "subscript1":
            return self.subscript(1)
        if kind == "element":
            return self.element(VECTORS)
        if kind == "loop":
            return self.one(self.loops) if self.loops else "2"
        if kind == "name":
            return self.name
        if kind.endswith("0"):
            kind, depth = kind[:-1], 0
        plain = depth == 0 or self.chance(0.2)
        return self.filled(self.one(PLAIN[kind] if plain else GRAMMAR[kind]), depth - 1)

    def real(self, depth: int = 2) -> str:
        return self.part("real", depth)

    def vector(self, depth: int) -> str:
        return self.part("vector", depth)

    def integer(self, depth: int = 1) -> str:
        return self.part("integer", depth)

    def truth(self, depth: int = 1) -> str:
        return self.part("truth", depth)

    def element(self, of: Sequence[str]) -> str:
        if self.chance(0.2):
            return f"table({self.number(1, 2)}, {self.subscript(1)})"
        vector = self.one(of)
        return f"{vector}({self.subscript(FIRST.get(vector, 1))})"

    def subscript(self, first: int) -> str:
        """Of an array of four elements."""
        if self.loops and self.chance(0.5):
            own = self.one(self.loops)  # 1 to 4
            return own if first == 1 else f"{own} - 1"
        if self.chance(0.4):
            return f"{first} + modulo({self.integer(1)}, {SIZE})"
        return str(self.number(first, first + SIZE - 1))

    def modest(self, value: str) -> str:
        """What is stored again and again in loops must not grow."""
        if not self.loops and self.chance(0.5):
            return value
        form = self.one(("sin({})", "({0})/(1 + abs({0}))", "max(-2.5d0, min({}, 2.25d0))"))
        return form.format(value)

    # ---- Statements

    def say(self, text: str) -> None:
        self.lines.append("  " * (self.depth + 1) + text)

    @contextmanager
    def inside(self) -> Any:
        self.depth += 1
        yield
        self.depth -= 1

    def block(self, most: int = 4) -> None:
        with self.inside():
            for _ in range(self.number(1, most)):
                self.statement()

    def statement(self) -> None:
        simple = (self.assign, self.assign, self.assign_integer, self.assign_truth,
                  self.assign_array, self.assign_array, self.assign_other, self.assign_other,
                  self.where, self.call, self.one_line)  # fmt: skip
        nested = (self.condition, self.condition, self.choice, self.loop, self.loop,
                  self.loop_while, self.jump, self.jump_back, self.block_construct)  # fmt: skip
        if self.depth < MOST_DEPTH and self.chance(0.45):
            self.one(nested)()
        else:
            self.one(simple)()

    def assign(self) -> None:
        target = self.one(WRITTEN_REALS) if self.chance(0.6) else self.element(VECTORS[1:])
        self.say(f"{target} = {self.modest(self.real())}")

    def assign_integer(self) -> None:
        self.say(f"{self.one(WRITTEN_INTEGERS)} = mod({self.integer()}, 9)")

    def assign_truth(self) -> None:
        self.say(f"{self.one(TRUTHS)} = {self.truth()}")

    def assign_array(self) -> None:
        vector = self.one(VECTORS[1:])
        first = FIRST.get(vector, 1)
        form = self.number(0, 4)
        if form == 0:
            self.say(f"{vector} = {self.modest(self.vector(1))}")
        elif form == 1:  # what is read may be what is written
            at, of = first + self.number(0, 2), first + self.number(0, 2)
            value = f"0.5d0*{vector}({of}:{of + 1}) - {self.real(0)}"
            self.say(f"{vector}({at}:{at + 1}) = {value}")
        elif form == 2:
            self.say(f"{vector}({first + 3}:{first}:-1) = {self.modest(self.vector(0))}")
        elif form == 3:
            self.say(f"{vector}({first}:{first + 2}:2) = [{self.real(0)}, {self.real(0)}]")
        else:
            self.say(f"table({self.number(1, 2)}, :) = {self.modest(self.vector(1))}")

    def assign_other(self) -> None:
        self.say(self.filled(self.one(OTHERS)))

    def where(self) -> None:
        vector = self.one(VECTORS[1:])
        self.say(f"where ({self.one(VECTORS)} > {self.part('constant', 0)})")
        self.say(f"  {vector} = {self.modest(self.vector(1))}")
        if self.chance(0.4):
            self.say(f"elsewhere ({self.one(VECTORS)} < {self.part('constant', 0)})")
            self.say(f"  {self.one(VECTORS[1:])} = {self.modest(self.vector(0))}")
        if self.chance(0.5):
            self.say("elsewhere")
            self.say(f"  {vector} = {self.modest(self.vector(0))}")
        self.say("end where")

    def call(self) -> None:
        form = self.number(0, 3)
        count = self.one(WRITTEN_INTEGERS)
        if form == 0:
            vector = self.one(("b", "c", "low", "low(1:3)", "b(2:4)", "table(1, :)"))
            self.say(f"call turned_{self.name}({vector}, {self.integer(0)} + 0, {count})")
            return
        which = ("", f", {self.truth(0)}", f", which={self.truth(0)}")[form - 1]
        target = self.one(("u", "v", "w", "r1", self.element(VECTORS[1:])))
        # The value is an expression: no variable has two names.
        self.say(f"call change_{self.name}({target}, ({self.real(1)}), {count}{which})")

    def one_line(self) -> None:
        leave = self.leaving()
        if leave and self.chance(0.6):
            self.say(f"if ({self.truth()}) {leave}")
        elif self.chance(0.1):
            self.say(f"if ({self.truth(0)}) return")
        else:
            self.say(
                f"if ({self.truth()}) {self.one(WRITTEN_REALS)} = {self.modest(self.real(1))}"
            )

    def leaving(self) -> str:
        if not self.names:
            return ""
        word = self.one(("exit", "cycle"))
        return f"{word} {self.one(self.names)}" if self.chance(0.5) else word

    def condition(self) -> None:
        self.say(f"if ({self.truth()}) then")
        self.block(3)
        for _ in range(self.number(0, 2)):
            self.say(f"else if ({self.truth()}) then")
            self.block(2)
        if self.chance(0.6):
            self.say("else")
            self.block(3)
        self.say("end if")

    def choice(self) -> None:
        self.say(f"select case ({self.integer()})")
        for case in (":-2", "-1, 2", "0:1", "3"):
            if self.chance(0.6):
                self.say(f"case ({case})")
                self.block(2)
        if self.chance(0.7):
            self.say("case default")
            self.block(2)
        self.say("end select")

    def loop(self) -> None:
        free = [name for name in LOOPS[:2] if name not in self.loops]
        if not free:
            return self.assign()
        variable = free[0]
        self.labels += 1
        name = f"loop{self.labels}"
        bounds = self.filled(self.one(BOUNDS))
        self.say(f"{name}: do {variable} = {bounds}")
        self.loops.append(variable)
        self.names.append(name)
        self.block(4)
        self.loops.pop()
        self.names.pop()
        self.say(f"end do {name}")
        if self.chance(0.3):  # one behind the last, or where it was left
            self.say(f"m2 = mod({variable}, 9)")

    def loop_while(self) -> None:
        if "turns" in self.loops:
            return self.assign()
        self.labels += 1
        name = f"loop{self.labels}"
        self.say("turns = 0")
        condition = f"turns < 4 .and. {self.truth()}"
        self.say(f"{name}: do while ({condition})" if self.chance(0.7) else f"{name}: do")
        with self.inside():
            self.say("turns = turns + 1")
            self.say(f"if (turns > 4) exit {name}")
        self.loops.append("turns")
        self.names.append(name)
        self.block(3)
        self.loops.pop()
        self.names.pop()
        self.say(f"end do {name}")

    def jump(self) -> None:
        """Forwards, over some statements."""
        self.labels += 1
        label = 100 + self.labels
        if self.chance(0.6):
            self.say(f"if ({self.truth()}) goto {label}")
            self.block(3)
        else:
            other = label + 500
            self.say(f"if ({self.real(1)} - {self.part('constant', 0)}) {label}, {label}, {other}")
            self.say(f"{other} continue")
            self.block(2)
        self.say(f"{label} continue")

    def jump_back(self) -> None:
        """A loop with its test at the end, at the head, or at both."""
        if "turns" in self.loops:
            return self.assign()
        self.labels += 1
        label, end = 100 + self.labels, 1100 + self.labels
        at_head = self.chance(0.4)
        self.say("turns = 0")
        if at_head:
            self.say(f"{label} if (turns < 4 .and. {self.truth()}) then")
        else:
            self.say(f"{label} continue")
        with self.inside():
            self.say("turns = turns + 1")
            self.say(f"if (turns > 4) goto {end}")
        self.loops.append("turns")
        self.block(2)
        if self.chance(0.5):
            self.say(f"if ({self.truth()}) goto {label}")
            self.block(2)
        self.loops.pop()
        if at_head:
            self.say(f"  goto {label}")
            self.say("end if")
        else:
            self.say(f"if ({self.truth()}) goto {label}")
        self.say(f"{end} continue")

    def block_construct(self) -> None:
        if self.chance(0.5):
            target = self.one(("r1", "r2", "u"))
            self.say(f"associate (alias => {target})")
            with self.inside():
                self.say(f"alias = {self.modest(f'alias*{self.real(1)}')}")
            self.say("end associate")
            return
        self.say("block")
        with self.inside():
            self.say("real(8) :: own(3)")
            self.say(f"own = [{self.real(0)}, {self.real(1)}, {self.real(0)}]")
            self.say(f"{self.one(WRITTEN_REALS)} = {self.modest('own(1) - own(2)*own(3)')}")
        self.say("end block")

    def procedure(self) -> str:
        for _ in range(self.number(4, 9)):
            self.statement()
        body = "\n".join(part for one in self.lines for part in folded(one))
        return HEAD.format(name=self.name) + body + TAIL.format(name=self.name)


def folded(text: str, width: int = 110) -> list[str]:
    """A long line as lines of free form."""
    parts = []
    while len(text) > width:
        cut = text.rfind(" ", 60, width)
        parts.append(f"{text[:cut]} &")
        text = "        " + text[cut + 1 :]
    return [*parts, text]


def module(seed: int, count: int) -> tuple[str, list[str]]:
    """A file with `count` procedures in a module, and their names."""
    random = np.random.default_rng(seed)
    names = [f"p{seed}_{number}" for number in range(count)]
    texts = [Writer(random, name).procedure() for name in names]
    text = f"module m{seed}\n  implicit none\n"
    for name in names:
        text += f"  type pair_{name}\n    real(8) :: s\n    integer :: m(2)\n  end type\n"
    text += "contains\n" + "\n".join(texts)
    return text + f"end module m{seed}\n", names
