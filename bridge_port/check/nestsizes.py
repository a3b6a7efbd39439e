"""Sizes with which a nest under test runs: numbers for the variables in its bounds.

Nobody says them. Choices are tried in turn, those first that names such as is, ie, nmax suggest,
with an original that is compiled to check its bounds.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bridge_port.analysis.affine import affine
from bridge_port.check.nestmemory import EXTENTS
from bridge_port.check.nestprograms import NestPrograms, Run, Values, read, same, told
from bridge_port.check.results import Result
from bridge_port.check.states import range_of
from bridge_port.syntax.expressions import Expression, Name

#: Low and high values of variables.
VALUES = Values(0.5, 2.0)
#: The same where nothing changes with these.
OTHERS = (Values(-2.5, 1.5),)
#: Of values with which sizes are tried.
SEEDS = (1, 2, 3, 4)
#: Elements that a choice of sizes should change.
ENOUGH = 20
#: How many choices of sizes are tried.
TRIES = 400
_LOW = re.compile(r"(min|lo|low|start|beg|first|lb|st|l)\d?$|^[ijk][a-z]?s$|^[ijkl]{1,2}[sb]$")
_HIGH = re.compile(r"(max|hi|high|end|last|ub|u)\d?$|^[ijk][a-z]?e$")


class NestSizes:
    """result: of the check, which says what was chosen, or why nothing was."""

    def __init__(self, programs: NestPrograms, result: Result) -> None:
        self.programs, self.nest, self.result = programs, programs.nest, result
        self.asked, self.request = programs.asked, programs.request

    def chosen(self, program: Path) -> list[dict[str, int]]:
        """Two choices with which the original stays within its arrays, and changes something; all
        kernels have points with the first one. None where there are none, and the result says so.
        """
        place = program.parent
        found: list[dict[str, int]] = []
        few: list[tuple[int, dict[str, int]]] = []
        wanted = 2 if self.nest.sizes else 1
        said = ""
        for number, sizes in enumerate(self._tried()):
            if sizes in found or (number > TRIES // 4 and few):
                continue
            idle = None if found else self._without_points(sizes)
            if idle is not None:
                said = said or f"{idle} has no points"
                continue
            # What is left as it is by these values may change with others.
            for values in (VALUES, *OTHERS):
                self.programs.write_input(place, [Run(sizes, seed, 0, values) for seed in SEEDS])
                try:
                    done = subprocess.run([str(program)], cwd=place, capture_output=True,
                                          text=True, errors="replace",
                                          timeout=self.asked.limit)  # fmt: skip
                except subprocess.TimeoutExpired:
                    why = f"no end within {self.asked.limit:g} s"
                    break
                why = told(done.stderr) if done.returncode else ""
                if why:
                    break
                dumps = read(place / "zz_out")
                # A result of few values may be what it was: some other values as well.
                if any((~same(d.before[k], a)).any() for d in dumps for k, a in d.after.items()):
                    break
                why = "it changes nothing"
            if why:
                said = said or why
                continue
            arrays = [(dumps[0].before[k], a) for k, a in dumps[0].after.items()]
            changed = sum(int((~same(*pair)).sum()) for pair in arrays)
            if changed < ENOUGH and any(a.size >= ENOUGH and not same(b, a).all()
                                        for b, a in arrays):  # fmt: skip
                few.append((changed, sizes))  # a corner of an array
                continue
            found.append(sizes)
            if len(found) == wanted:
                break
        few.sort(key=lambda one: -one[0])
        found += [sizes for _, sizes in few[: wanted - len(found)]]
        if not found:
            self.result.failure = (
                f"no sizes were found with which the original runs ({said}): say them, "
                f"--range NAME=N,N for {', '.join(self.nest.sizes) or 'its data'}"
            )
            return []
        self.result.notes.append("sizes: " + "; ".join(
            ", ".join(f"{name} = {n}" for name, n in one.items()) for one in found))  # fmt: skip
        return found

    def _without_points(self, sizes: dict[str, int]) -> str | None:
        """A kernel whose loops have no rounds with these sizes."""
        ported = self.programs.ported
        for k in ported.kernels:
            for loop in k.procedure.loops:
                first, last = self._value(loop.first, sizes), self._value(loop.last, sizes)
                if first is not None and last is not None and last < first:
                    return k.name
        return None

    def _value(self, bound: Expression, sizes: dict[str, int]) -> int | None:
        """None where that is not known."""
        place = affine(bound)
        total = place.number
        for term, factor in place.terms:
            value = sizes.get(term.id) if isinstance(term, Name) else None
            value = self.nest.scope.integer(term) if value is None else value
            if value is None:
                return None
            total += factor * value
        return total

    def _tried(self) -> list[dict[str, int]]:
        names = self.nest.sizes
        scope = self.nest.scope
        given: dict[str, int] = {n: v for n, v in self.request.values.items() if n in names}
        if self.nest.species:
            given[self.nest.species] = self.nest.ns
        for name in names:
            if known := range_of(scope.symbol(name), self.asked.ranges):
                given[name] = int(known[0])
        choices: list[dict[str, int]] = []
        if like := self._like_open(names):
            choices = [{n: like.get(n, 9 + k % 3) for k, n in enumerate(names)}]
        same = []
        for shift in (0, 1, -1, 2):
            same.append({n: 9 + shift + k % 3 for k, n in enumerate(names)})
            same.append({n: 9 + shift for n in names})
        if not any(_LOW.search(n) for n in names):
            choices += same
        for low, high in ((1, 9), (2, 11), (2, 8), (3, 8), (2, 7), (3, 7), (1, 7)):
            one = {}
            for k, n in enumerate(names):
                outer = bool(re.match(r"^[ijk][dm][se]$", n))
                mean = 9 + k % 3
                value = low if _LOW.search(n) else high if _HIGH.search(n) else mean
                if outer:
                    value = 1 if n.endswith("s") else 12
                one[n] = value
            choices.append(one)
            choices.append({n: (v if v != 9 + k % 3 else 2) for k, (n, v) in
                            enumerate(one.items())})  # fmt: skip
        choices += same
        numbers = random.Random(4)
        while len(choices) < TRIES:
            choices.append({n: numbers.choice((1, 1, 2, 3, 4, 6, 9, 11)) for n in names})
        return [one | given for one in choices]

    def _like_open(self, names: Sequence[str]) -> dict[str, int]:
        """Extents of declared dimensions, where arrays of assumed shape may have to have the
        same."""
        found: dict[str, int] = {}
        symbols = [self.nest.scope.symbol(name) for name in self.nest.variables]
        if not any(d.deferred for symbol in symbols for d in symbol.dimensions or ()):
            return {}
        for symbol in symbols:
            for d, extent in zip(symbol.dimensions or (), EXTENTS, strict=False):
                if isinstance(d.upper, Name) and d.upper.id in names:
                    low = None if d.lower is None else affine(d.lower).constant
                    found.setdefault(d.upper.id, extent - 1 + (1 if low is None else low))
        return found
