"""Proofs of the flow solver: each runs its cases and returns figures. A test asserts on them, and
docs/verification.py prints and draws the same ones; there the docstring of a proof is its text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from flow.mixture import Mixture
from flow.reading import Output

Array = np.ndarray


@dataclass(frozen=True)
class Profile:
    """The solver beside the exact solution, at the same places."""

    x: Array
    found: Array
    exact: Array

    @property
    def error(self) -> float:
        """The mean difference over the range of the exact solution."""
        return float(np.abs(self.found - self.exact).mean() / np.ptp(self.exact))


@dataclass(frozen=True)
class Convergence:
    """Errors by quantity, one for each number of cells; profiles by number of cells."""

    cells: tuple[int, ...]
    errors: dict[str, list[float]]
    profiles: dict[int, dict[str, Profile]]

    @property
    def finest(self) -> float:
        """The largest error of the finest grid."""
        return max(errors[-1] for errors in self.errors.values())

    def orders(self, name: str) -> Array:
        """From each grid to the next one."""
        return np.asarray(-np.diff(np.log(self.errors[name])) / np.diff(np.log(self.cells)))

    @property
    def lowest(self) -> float:
        """The lowest order between two grids of any quantity."""
        return float(min(self.orders(name).min() for name in self.errors))

    @property
    def overall(self) -> float:
        """The lowest order from the coarsest to the finest grid."""
        ratios = [np.log(errors[0] / errors[-1]) for errors in self.errors.values()]
        return float(min(ratios) / np.log(self.cells[-1] / self.cells[0]))


def convergence(profiles: dict[int, dict[str, Profile]]) -> Convergence:
    """Of the profiles' own errors."""
    names = next(iter(profiles.values()))
    errors = {name: [grid[name].error for grid in profiles.values()] for name in names}
    return Convergence(tuple(profiles), errors, profiles)


def total(field: Array) -> float:
    """The exact sum, rounded once."""
    return math.fsum(field.ravel())


@dataclass(frozen=True)
class Uniform:
    """The largest relative change of each field, and what it has become."""

    changes: dict[str, float]
    end: Output


@dataclass(frozen=True)
class Totals:
    """By field: the change of its total over the sum of its absolute values, and the largest
    change in a cell over the largest value. Momenta cancel: theirs is over their range."""

    changes: dict[str, float]
    moves: dict[str, float]
    end: Output


def totals(begin: Output, end: Output, names: Iterable[str]) -> Totals:
    changes, moves = {}, {}
    for name in names:
        was, now = begin[name], end[name]
        scale = float(np.abs(was).sum())
        if name in ("rhou", "rhov", "rhow"):
            scale = float(was.max() - min(was.min(), 0.0)) * was.size
        changes[name] = abs(total(now) - total(was)) / scale
        moves[name] = float(np.abs(now - was).max() / np.abs(was).max())
    return Totals(changes, moves, end)


def sound(mixture: Mixture, T: float, P: float, *Y: float) -> tuple[float, float]:
    """Density and speed of sound, kg/m3 and m/s."""
    r = mixture.density(np.array(T), np.array(P), np.array(Y or (1.0,))[:, None])
    return float(r.sum()), float(mixture.sound_speed(np.array([T]), r)[0])
