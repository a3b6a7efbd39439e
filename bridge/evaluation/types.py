"""What callers may give, for type checkers: text is no number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Protocol

import numpy as np

from bridge.physics.species import SpeciesData


class HasArray(Protocol):
    """What NumPy makes an array of: arrays, tables of pandas, xarray's arrays."""

    def __array__(self) -> np.ndarray: ...


class HasUnits(Protocol):
    """A quantity of pint or unyt."""

    @property
    def units(self) -> Any: ...


class HasUnit(Protocol):
    """A quantity of astropy."""

    @property
    def unit(self) -> Any: ...


#: A number or an array of numbers. Not `Sequence[Number]` all the way down: text is one of itself.
Number = float | HasArray | HasUnits | HasUnit
Numbers = (
    Number | Sequence[Number] | Sequence[Sequence[Number]] | Sequence[Sequence[Sequence[Number]]]
)

#: A composition: numbers whose last axis is the species, or those of each species by its name.
Composition = Numbers | Mapping[str, Any]

#: What a caller may call species.
Species = str | PathLike[str] | Sequence[str] | np.ndarray | Mapping[str, Any] | SpeciesData
