"""A ladder on a machine: every rung is checked on small problems, then timed on full ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bridge.errors import BridgeError
from bridge.measuring.report import progress
from bridge.progress import waiting
from bridge_gallery.bare import Bare, in_turns
from bridge_gallery.graphicscard import GraphicsCard
from bridge_gallery.rung import Arrays, Ladder, Problem, Rung
from bridge_gallery.timing import Limits, Timed

#: From so many seconds on, the bridge's launcher is held against a bare launch.
LONG_ENOUGH = 5e-5


class Machine(Protocol):
    """Where rungs run: `graphicscard` or `emulation`."""

    name: str

    def describe(self) -> dict[str, Any]: ...

    def load(self, problem: Problem, arrays: Arrays) -> None: ...

    def expect(self, problems: Sequence[Problem]) -> None: ...

    def restore(self, arrays: Arrays) -> None: ...

    def fetch(self, name: str) -> np.ndarray: ...

    def prepare(self, text: str, rung: Rung) -> Callable[[], None]: ...


@dataclass(frozen=True)
class Checked:
    """A rung whose results are those of NumPy; difference: largest, of the largest value."""

    problem: str
    rung: str
    difference: float


@dataclass
class Outcome:
    """A ladder that was run; limits: None without a GPU; notes: what else the device was asked."""

    ladder: Ladder
    checked: list[Checked] = field(default_factory=list)
    timed: list[Timed] = field(default_factory=list)
    limits: Limits | None = None
    notes: list[str] = field(default_factory=list)


def check(ladder: Ladder, machine: Machine) -> list[Checked]:
    """Every rung of the small problems; BridgeError where one differs from NumPy."""
    done, problems = [], ladder.small()
    machine.expect(problems)
    for problem in problems:
        arrays = problem.arrays()
        expected = problem.expected(arrays)
        machine.load(problem, arrays)
        with waiting(f"{ladder.NAME}: {problem.title}: rungs", len(problem.rungs)) as step:
            for step.done, rung in enumerate(problem.rungs, 1):
                if rung.library is not None and machine.name == "cpu":
                    continue  # a library of the GPU
                machine.restore(arrays)
                machine.prepare(ladder.text(), rung)()
                worst = 0.0
                for name in rung.outputs or expected:
                    got = machine.fetch(name)
                    worst = max(
                        worst, _difference(ladder, problem, rung, name, got, expected[name])
                    )
                done.append(Checked(problem.title, rung.name, worst))
    return done


def _difference(
    ladder: Ladder, problem: Problem, rung: Rung, name: str, got: np.ndarray, wanted: np.ndarray
) -> float:
    """The largest, as part of the largest value; BridgeError where it is above the tolerance."""
    if got.dtype.kind in "iu":
        wrong = got != wanted
        difference = float(wrong.any())
    else:
        scale = float(np.abs(wanted).max()) or 1.0
        apart = np.abs(got.astype(float) - wanted) / scale
        difference = float(apart.max())  # a NaN stays one
        wrong = ~(apart <= rung.tolerance)
    if wrong.any():
        first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        at = ", ".join(map(str, first))
        raise BridgeError(
            f"{ladder.NAME}, {problem.title}, rung '{rung.name}': {name}[{at}] is {got[first]}, "
            f"NumPy has {wanted[first]}; {int(wrong.sum())} of {wrong.size} differ"
        )
    return difference


def timed(ladder: Ladder, card: GraphicsCard, size: int | None = None) -> list[Timed]:
    """Every rung of the full problems, or of those of one size."""
    done = []
    for problem in ladder.full() if size is None else ladder.at(size):  # type: ignore[attr-defined]
        progress(f"{ladder.NAME}: {problem.title}")
        arrays = problem.arrays()
        card.load(problem, arrays)
        for rung in problem.rungs:
            if problem.restored:
                card.restore(arrays)
            done.append(_timed(ladder.text(), card, problem, rung))
            progress(f"  {rung.name}: {1e3 * done[-1].seconds:.4f} ms")
        card.clear()
    return done


def _timed(text: str, card: GraphicsCard, problem: Problem, rung: Rung) -> Timed:
    work = card.prepare(text, rung)
    seconds, bare = card.seconds(work), None
    alone = rung.plain and not rung.constants
    if seconds >= LONG_ENOUGH and alone:
        inner = max(1, round(1e-3 / seconds))
        seconds, bare = in_turns(card, work, Bare(card, text, rung).run, inner)
    taken = card.resources(text, rung)

    def most(values: Iterable[int]) -> int:
        return max(values, default=0)

    return Timed(
        problem, rung, seconds, bare,
        most(one.registers for one in taken) if taken else None,
        most(one.stack for one in taken),
        most(one.spill_stores + one.spill_loads for one in taken),
    )  # fmt: skip
