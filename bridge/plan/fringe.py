"""Fringe: how many points lie around a box, or are read around a point, along each axis.

A leaf. What an array has around its interior, what a kernel reads around a point, and by how much
the box of an earlier stage has to grow are the same six numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from bridge.errors import ArgumentError

AXES = ("x", "y", "z")
#: The largest distance at which a kernel may read: no fringe of a code is wider.
FARTHEST = 16
#: The words of a catalogue for a quantity that is read at any cell of its array, with the fringe
#: or without.
CELLS = ("cells", "interior")

Widths = tuple[int, int, int]


@dataclass(frozen=True)
class Fringe:
    """Layers of points along x, y, z: `lower` before the first point, `upper` behind the last;
    cells: of what is read at any cell, those of the array or of its interior (CELLS)."""

    lower: Widths = (0, 0, 0)
    upper: Widths = (0, 0, 0)
    cells: str = ""

    def __bool__(self) -> bool:
        return bool(self.cells) or any(self.lower) or any(self.upper)

    def __add__(self, other: Fringe) -> Fringe:
        """What a reader needs whose own box has a fringe."""
        return Fringe(_each(int.__add__, self.lower, other.lower),
                      _each(int.__add__, self.upper, other.upper),
                      self.cells or other.cells)  # fmt: skip

    def __or__(self, other: Fringe) -> Fringe:
        """The wider of both, on each side."""
        return Fringe(_each(max, self.lower, other.lower), _each(max, self.upper, other.upper),
                      self.cells or other.cells)  # fmt: skip

    def __and__(self, other: Fringe) -> Fringe:
        """The narrower of both, on each side."""
        return Fringe(_each(min, self.lower, other.lower), _each(min, self.upper, other.upper))

    def __sub__(self, other: Fringe) -> Fringe:
        """Those of these layers that lie inside the other ones."""
        return Fringe(_each(int.__sub__, self.lower, other.lower),
                      _each(int.__sub__, self.upper, other.upper))  # fmt: skip

    def missing(self, have: Fringe) -> list[tuple[str, int, int]]:
        """Sides on which `have` is too small: ("below x", layers wanted, layers there)."""
        sides = []
        for axis, *widths in zip(
            AXES, self.lower, have.lower, self.upper, have.upper, strict=True
        ):
            below, has_below, above, has_above = widths
            sides += [(f"below {axis}", below, has_below), (f"above {axis}", above, has_above)]
        return [(side, wanted, there) for side, wanted, there in sides if wanted > there]

    def offsets(self) -> Iterator[Widths]:
        """Every place around a point, the point itself left out."""
        x, y, z = (range(-a, b + 1) for a, b in zip(self.lower, self.upper, strict=True))
        for i, j, k in product(x, y, z):
            if i or j or k:
                yield i, j, k

    def __str__(self) -> str:
        """As the catalogue writes it: "x = [-1, 1], z = [0, 2]", or "cells"."""
        if self.cells:
            return self.cells
        axes = zip(AXES, self.lower, self.upper, strict=True)
        return ", ".join(f"{a} = [{-low}, {high}]" for a, low, high in axes if low or high) or "0"

    @classmethod
    def read(cls, entry: Any, where: str) -> Fringe:
        """From `reads` of a catalogue, {x = [-1, 1]} or one of CELLS; ArgumentError naming the
        place."""
        if entry in CELLS:
            return cls(cells=entry)
        wanted = f"offsets of an axis like x = [-1, 1], at most {FARTHEST} points away"
        wanted += f", or {' or '.join(map(repr, CELLS))}".replace("'", '"')
        if not isinstance(entry, dict) or not entry or not {*entry} <= {*AXES}:
            raise ArgumentError("reads", f"{entry!r} of {where}", wanted)
        lower, upper = [], []
        for axis in AXES:
            offsets = entry.get(axis, [0, 0])
            whole = isinstance(offsets, list) and len(offsets) == 2
            if not whole or any(type(n) is not int or abs(n) > FARTHEST for n in offsets):
                raise ArgumentError("reads", f"{axis} = {offsets!r} of {where}", wanted)
            if offsets[0] > offsets[1]:
                wanted = "the lowest offset before the highest"
                raise ArgumentError("reads", f"{axis} = {offsets!r} of {where}", wanted)
            lower.append(max(-offsets[0], 0))
            upper.append(max(offsets[1], 0))
        return cls((lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]))


def _each(operation: Any, one: Widths, other: Widths) -> Widths:
    x, y, z = map(operation, one, other)
    return x, y, z
