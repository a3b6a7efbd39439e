"""Dimensions with names: DataArrays of xarray are matched by them, not by place.

Between the arguments and `mixture`. xarray is not imported: who gives such an array has it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from bridge.errors import ArgumentError

#: Arguments that have another name than their quantity.
ARGUMENTS = {"h_target": "h", "s_target": "s", "rho_target": "rho", "e_target": "e"}
#: A dimension of this name has the species, wherever it stands.
SPECIES = "species"


class Dimensions:
    """Of the points of an evaluation: sizes by name, in order of first appearance.

    An array without names has as many axes as there are dimensions, in their order, or none.
    """

    def __init__(self) -> None:
        self.sizes: dict[Hashable, int] = {}
        #: Of a dimension, and others: by name who had one first, and it.
        self._indices: dict[Hashable, tuple[str, Any]] = {}
        self._others: dict[Hashable, tuple[str, Any]] = {}
        self._doubtful: set[Hashable] = set()
        #: Those that a quantity varies along.
        self.along: dict[str, tuple[Hashable, ...]] = {}
        self._first: dict[Hashable, str] = {}

    @classmethod
    def of(cls, arguments: Iterable[tuple[str, Any, int]]) -> Dimensions | None:
        """arguments: what messages call each, its value, and the columns of its quantity; None
        where no array among them has names."""
        found, beside = cls(), dict[str, Hashable]()
        for name, value, columns in arguments:
            if named(value):
                column = column_of(name, value, columns)
                found._add(name, value, column)
                if column is not None:
                    beside[name] = column
        for name, column in beside.items():
            if column in found.sizes:
                got = f"columns along dimension {column!r}, which {found._first[column]} has too"
                wanted = f"columns last or along {SPECIES!r}, a dimension that points have not"
                raise ArgumentError(name, got, wanted)
        return found if found.sizes else None

    def _add(self, name: str, value: Any, column: Hashable | None) -> None:
        if len(set(value.dims)) < len(value.dims):
            raise ArgumentError(name, f"dimensions {value.dims}", "each dimension once")
        for dimension, size in zip(value.dims, value.shape, strict=True):
            if dimension == column:
                continue
            known = self.sizes.setdefault(dimension, size)
            first = self._first.setdefault(dimension, name)
            if known != size:
                wanted = f"{known} along it, as in {first}"
                raise ArgumentError(name, f"dimension {dimension!r} of {size} points", wanted)
        for label, coordinate in getattr(value, "coords", {}).items():
            if column in coordinate.dims:
                continue
            of_dimension = coordinate.dims == (label,)
            held = self._indices if of_dimension else self._others
            first, before = held.setdefault(label, (name, coordinate.variable))
            same = before.dims == coordinate.dims and _equal(before.values, coordinate.values)
            if not same and of_dimension:
                got = f"other coordinates of dimension {label!r} than {first}"
                raise ArgumentError(name, got, "the same ones: xarray.align makes arrays of them")
            if not same:
                self._doubtful.add(label)

    def coordinates(self) -> dict[Hashable, Any]:
        """Of the answer: those of its dimensions, and what else the arguments agree in."""
        apart = {*self.sizes, *self._doubtful}
        others = {label: one for label, one in self._others.items() if label not in apart}
        return {label: variable for label, (_, variable) in (others | self._indices).items()}

    def ordered(self, name: str, value: Any, columns: int) -> Any:
        """An array with names, its dimensions in the order of the points, columns last; another
        value as it is."""
        if not named(value):
            return value
        column = column_of(name, value, columns)
        order = [dimension for dimension in self.sizes if dimension in value.dims]
        return value.transpose(*order, *([] if column is None else [column]))

    def spread(self, name: str, value: Any, array: np.ndarray, tail: int) -> np.ndarray:
        """The numbers of an ordered value, with an axis for each dimension; tail: axes of
        columns."""
        points = array.shape[: array.ndim - tail]
        if named(value):
            self.along[name] = tuple(one for one in self.sizes if one in value.dims)
            shape = [size if one in value.dims else 1 for one, size in self.sizes.items()]
            return array.reshape(*shape, *array.shape[array.ndim - tail :])
        sizes = tuple(self.sizes.values())
        fits = len(points) == len(sizes) and all(
            n in (1, size) for n, size in zip(points, sizes, strict=True)
        )
        if points and not fits:
            told = ", ".join(f"{one!r}: {size}" for one, size in self.sizes.items())
            wanted = f"a number, a DataArray, or an array with the axes {{{told}}}"
            argument = ARGUMENTS.get(name, name)
            raise ArgumentError(argument, f"points of shape {points} without names", wanted)
        return array


def named(value: Any) -> bool:
    """Whether the axes of an array have names."""
    dims = getattr(value, "dims", None)
    return isinstance(dims, tuple) and hasattr(value, "transpose") and hasattr(value, "shape")


def column_of(name: str, value: Any, columns: int) -> Hashable | None:
    """The dimension that holds the columns of a quantity: 'species', 'NAME_column' as results
    call it, else the last. None where a point has one value."""
    if not columns:
        return None
    for dimension in value.dims:
        if dimension in (SPECIES, f"{name}_column"):
            return dimension  # type: ignore[no-any-return]
    if columns == 1 and value.shape[-1:] != (1,):
        return None  # one species: its axis may be left out
    return value.dims[-1] if value.dims else None


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape:
        return False
    both_nan = (one != one) & (other != other)  # noqa: PLR0124 (NaN, NaT)
    return bool(np.all((one == other) | both_nan))
