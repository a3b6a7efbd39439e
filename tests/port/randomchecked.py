"""Random nests with what only a generated module can run: copied elements, components, optional
arguments, whole allocatable arrays, lists of points, calls. `bridge port --check` compares them.

A seed writes the same text again, of an even one in fixed form.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from port.randomnests import MARK, Writer

from bridge import cli
from bridge_port.check import nestsizes

HEAD = """\
module cells_{seed}
  implicit none
  type :: state
    real(8) :: rate = 0.5d0, w(3) = 0.25d0
    real(8), allocatable :: u(:, :)
    real(8), pointer :: v(:) => null()
    integer, allocatable :: kind(:)
  end type state
  type(state), allocatable :: parts(:)
  real(8), allocatable :: held(:, :)
  real(8) :: shared = 1.5d0
contains
  subroutine spread(n, m, x, y)
    integer, intent(in) :: n, m
    real(8), intent(in) :: x(n, m)
    real(8), intent(inout) :: y(n, m)
    integer :: i, j
    do j = 1, m
      do i = 2, n
        y(i, j) = 0.5d0*(x(i, j) + x(i - 1, j)) + y(i, j)
      end do
    end do
  end subroutine spread
  real(8) function limited(x, y)
    real(8), intent(in) :: x, y
    limited = x
    if (x > y) limited = y
  end function limited
"""
ARGUMENTS = """\
  subroutine {name}(n, m, dt, a, b, c, f, nf, idx, total, extra, &
      more, box)
    integer, intent(in) :: n, m, nf, f(n), idx(n)
    real(8), intent(in) :: dt
    real(8), intent(inout) :: a(n, m), b(n, m), c(n), total
    real(8), intent(inout), optional :: extra(n, m), more
    type(state), intent(inout) :: box
    real(8), allocatable :: old(:, :)
    real(8) :: t, line(n), work(n, m)
    integer :: i, j, k, p, q
"""
VALUES = (
    "<here>", "<here>", "0.5d0*<here>", "<here> + dt*<near>", "<far>", "0.5d0*<far>",
    "<scalar>*<here>", "limited(<here>, <near>)", "max(<here>, <scalar>)",
    "merge(<here>, <far>, <test>)", "box%rate*<here>", "abs(<here> - <far>)",
)  # fmt: skip
TESTS = ("<here> > <scalar>", "i > 2", "idx(i) > 2", "<far> < <here>", "i + j < 7")
HERE = ("a(i, j)", "b(i, j)", "c(i)", "work(i, j)", "line(i)", "box%u(i, j)", "box%v(i)")
NEAR = ("a(i - 1, j)", "a(i + 1, j)", "b(i, j)", "b(i - 1, j)", "box%u(i + 1, j)", "c(i - 1)",
        "work(i + 1, j)")  # fmt: skip
FAR = ("a(n + 1 - i, j)", "b(idx(i), j)", "c(idx(i))", "box%u(idx(i), j)", "c(2)", "a(1, j)",
       "a(i, m)", "parts(i)%rate", "parts(idx(i))%rate", "parts(i)%w(2)", "box%v(n + 1 - i)",
       "box%w(2)", "b(i, m + 1 - j)", "parts(2)%rate", "parts(j)%rate")  # fmt: skip
SCALARS = ("t", "dt", "box%rate", "box%w(3)", "shared", "0.75d0", "1.25d0")
STATEMENTS = (
    "a(i, j) = <value>", "b(i, j) = <value>", "b(i, j) = b(i, j) + <value>", "t = <value>",
    "box%u(i, j) = <value>", "work(i, j) = <value>", "if (<test>) b(i, j) = <value>",
    "total = total + <value>", "total = max(total, <value>)", "b(n + 1 - i, j) = <value>",
    "if (present(extra)) b(i, j) = extra(i, j)", "if (present(more)) t = more",
    "if (present(extra)) extra(i, j) = <value>", "if (<test>) cycle",
    "if (<test>) t = <value>",
)  # fmt: skip
#: Of a loop over i alone: what has an index j stands for column 2.
LINES = (
    "c(i) = <value>", "line(i) = <value>", "parts(i)%rate = <value>", "parts(i)%w(1) = <value>",
    "box%v(i) = <value>", "c(idx(i)) = <value>", "t = <value>", "c(n + 1 - i) = <value>",
    "total = total + <value>", "if (<test>) c(i) = <value>", "a(i, 2) = <value>",
    "if (present(more)) c(i) = more", "b(1, i) = <value>", "parts(i)%rate = parts(i)%w(2) + t",
)  # fmt: skip
WHOLES = (
    "old = a", "old = b", "held = a", "a = 0.5d0*held", "box%u = a", "b = b + box%u", "box%v = c",
    "b(:, 1) = box%v", "c = b(:, 2)", "where (a > 1) b = a", "held = held + a",
    "parts%rate = 0.5d0*c(1:size(parts))", "total = total + sum(a)", "b(:, m) = parts(2)%u(:, 1)",
)  # fmt: skip


#: Between nests: what reads their values afterwards, and calls that are nests.
BETWEEN = ("c(1) = t", "total = total + t", "c(2) = line(2)", "t = dt", "call spread(n, m, a, b)",
           "b(2, 2) = work(2, 2)")  # fmt: skip


class CheckedWriter(Writer):
    """Of procedures with several nests each; nests: (what is ported, options)."""

    def __init__(self, random: np.random.Generator, name: str) -> None:
        super().__init__(random, name)
        self.depth = 2
        self.nests_: list[str] = []

    def part(self, kind: str) -> str:
        lists: dict[str, Any] = {"here": HERE, "near": NEAR, "far": FAR, "scalar": SCALARS,
                                 "value": VALUES, "test": TESTS}  # fmt: skip
        return MARK.sub(lambda found: self.part(found[1]), self.one(lists[kind]))

    def columns(self) -> None:
        """Of a list of points, with layers."""
        with self.inside("do j = 2, m"), self.inside("do p = 1, nf"):
            self.say("q = f(p)")
            for _ in range(self.number(1, 3)):
                self.say(self.one((
                    "b(q, j) = b(q, j - 1) + dt*a(q, j)", "a(q, j) = 0.5d0*b(q, j)",
                    "box%u(q, j) = dt*box%u(q, j - 1) + c(q)", "t = a(q, j)*box%v(q)",
                    "b(q, j) = b(q, j) + t", "if (a(q, j) > 1) b(q, j) = c(q)",
                    "total = total + a(q, j)", "c(q) = c(q) + b(q, j)",
                )))  # fmt: skip

    def one_nest(self, name: str) -> None:
        self.lines.append(f"!$bridge begin {name}")
        way = self.number(1, 10)
        if way <= 2:
            self.columns()
        elif way == 3:
            self.say(self.one(WHOLES))
            if self.chance(0.5):
                self.say(self.one(WHOLES))
        elif way <= 5:
            with self.inside(f"do i = {self.one(('2, n - 1', 'n - 1, 2, -1', '2, 4'))}"):
                self.say(self.filled("t = <scalar>"))
                for _ in range(self.number(1, 3)):
                    text = self.filled(self.one(LINES))
                    self.say(text.replace(" + 1 - j", "").replace("j", "2"))
        else:
            along = self.one(("2, n - 1", "2, n - 1", "n - 1, 2, -1"))
            with self.inside("do j = 1, m"), self.inside(f"do i = {along}"):
                if self.chance(0.8):
                    self.say(self.filled("t = <here>"))
                for _ in range(self.number(1, 4)):
                    self.say(self.filled(self.one(STATEMENTS)))
            if self.chance(0.2):
                self.say(self.one(WHOLES))
        self.lines.append("!$bridge end")

    def procedure(self) -> str:
        self.say("if (.not. allocated(old)) allocate (old(n, m))")
        for n in range(self.number(1, 3)):
            name = f"{self.name}_{n}"
            self.nests_.append(name)
            self.one_nest(name)
            if self.chance(0.4):
                self.say(self.one(BETWEEN))
        lines = [*self.lines, f"  end subroutine {self.name}", ""]
        return ARGUMENTS.format(name=self.name) + "\n".join(lines)


def module(seed: int, count: int) -> tuple[str, list[str]]:
    random = np.random.default_rng([7, seed])
    names: list[str] = []
    text = HEAD.format(seed=seed)
    for n in range(count):
        writer = CheckedWriter(random, f"c{seed}_{n}")
        text += writer.procedure()
        names += writer.nests_
    return text + f"end module cells_{seed}\n", names


def fixed(text: str) -> str:
    """The same in fixed form."""
    lines = []
    for line in text.replace("&\n", "").splitlines():
        if line.startswith("!"):
            lines.append(line)
            continue
        line = " ".join(line.split())
        lines.append("      " + line[:64])
        lines += ["     &" + line[n : n + 64] for n in range(64, len(line), 64)]
    return "\n".join(lines) + "\n"


def called(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = cli.main(["port", *words])
    return status, out.getvalue()


def checked(folder: Path, seed: int, count: int) -> Counter[str]:
    """How many are the same, refused, and open: with no sizes that the check finds."""
    text, names = module(seed, count)
    form = seed % 2 == 0
    source = folder / ("random.f" if form else "random.f90")
    source.write_text(fixed(text) if form else text)
    told = Counter[str]()
    pack = str(folder / "own")
    calls = [
        n for n, line in enumerate(source.read_text().splitlines(), 1) if "call spread" in line
    ]
    for where in [*(f"@{name}" for name in names), *(f":{n}" for n in calls)]:
        given = ("--present", "--absent")[len(where + str(seed)) % 2]
        asked = [f"{source}{where}", "-o", pack]
        status, _ = called(*asked)
        if status == 1:
            status, _ = called(*asked, given, "extra", "more")
        if status == 1:
            status, _ = called(*asked, given, "extra")
        if status == 1:
            status, _ = called(*asked, given, "more")
        assert status in (0, 1, 2), f"{source}: {where} ends with {status}"
        # 2: a name of the pack would stand for two things.
        told["refused"] += status > 0
    with mock.patch.object(nestsizes, "TRIES", 16):
        _, said = called("--check", pack, "--fflags=-O0", "--isa", "v2", "--json")
    for one in json.loads(said)["kernels"]:
        failure = one["failure"]
        if not one["passed"] and "no sizes were found" in failure:
            told["open"] += 1
            continue
        assert one["passed"], f"{source}: {one['kernel']}: {failure} {one['machines']}"
        told["same"] += 1
    return told
