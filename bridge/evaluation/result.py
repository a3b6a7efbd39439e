"""What an evaluation returns: arrays by name, with their units, species and status in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge.evaluation.attributes import Attributes
from bridge.evaluation.dimensions import Dimensions
from bridge.evaluation.request import Column, Told
from bridge.evaluation.status import Status
from bridge.plan.selection import STATUS

if TYPE_CHECKING:
    import pandas
    import xarray


class Result(dict[str, np.ndarray], Attributes):
    """Results of an evaluation: a mapping of names to arrays, which are also attributes.

    `result["rho"]` and `result.rho` are the same array. It has the broadcast shape of the
    arguments, or is a number if all of them are numbers. A quantity with several columns has one
    more axis, the last. `lambda` is reserved in Python: the attribute is `result.lambda_`.

    `shape` is the shape of the points. `dims` has the names of their axes where an argument was a
    DataArray, else None.
    """

    __slots__ = ("_dimensions", "_inputs", "_told", "shape")

    shape: tuple[int, ...]

    def __init__(
        self,
        values: Mapping[str, np.ndarray],
        told: Told,
        shape: tuple[int, ...],
        inputs: Mapping[str, Any],
        dimensions: Dimensions | None = None,
    ) -> None:
        super().__init__(values)
        self.shape = shape
        self._told = told
        self._inputs = inputs
        self._dimensions = dimensions

    @property
    def units(self) -> dict[str, str]:
        """SI unit of each result, "1" of a pure number."""
        columns, names = self._told.columns, self._told.names
        return {name: columns[quantity].quantity.unit for name, quantity in names.items()}

    @property
    def species(self) -> tuple[str, ...]:
        """Names of the species, in the order of the last axis of quantities per species."""
        return self._told.species

    @property
    def dims(self) -> tuple[Hashable, ...] | None:
        """Names of the axes of the points, those of the DataArrays that were given; or None."""
        return None if self._dimensions is None else tuple(self._dimensions.sizes)

    @property
    def coords(self) -> dict[Hashable, Any]:
        """Coordinates of the DataArrays that were given, by name, as variables of xarray."""
        return {} if self._dimensions is None else self._dimensions.coordinates()

    def along(self, quantity: str) -> tuple[Hashable, ...] | None:
        """Dimensions of a DataArray that was given, by its name in the catalogue; or None."""
        return None if self._dimensions is None else self._dimensions.along.get(quantity)

    @property
    def status(self) -> Status:
        """Status words, int32, of the shape of the points, with their names: `.words`, `.bad`."""
        if STATUS not in self:
            raise AttributeError("this result has no status: no kernel that ran makes one")
        return Status(self[STATUS])

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> np.ndarray:
            word = name[:-1] if name.endswith("_") else name
            if word in self:
                return self[word]
            wanted = f"it has {', '.join(self)}"
            raise AttributeError(f"this result has no {name!r}: {wanted}") from None

    def __dir__(self) -> list[str]:
        from keyword import iskeyword

        names = [f"{name}_" if iskeyword(name) else name for name in self]
        return sorted({*super().__dir__(), *names})

    def columns(self, name: str) -> Column:
        """What the catalogue says of a result, and the shape of a point's values."""
        return self._told.columns[self._told.names[name]]

    def columns_of(self, quantity: str) -> Column:
        """The same of a quantity that was given, by its name in the catalogue."""
        return self._told.columns[quantity]

    def reads(self, quantity: str) -> bool:
        """Whether the evaluation read this given quantity."""
        return quantity in self._told.columns

    @property
    def inputs(self) -> dict[str, Any]:
        """The given quantities as arrays: the caller's own, not copies."""
        return dict(self._inputs)

    def __repr__(self) -> str:
        points = "one point" if not self.shape else f"points of shape {self.shape}"
        of = f"{' '.join(self.species)}, " if self.species else ""
        lines = [f"<bridge.Result: {of}{points}>"]
        shorts = {name: _short(value) for name, value in self.items() if name != STATUS}
        name_width = max([10, *map(len, self)])
        width, units = max([0, *map(len, shorts.values())]), self.units
        for name in self:
            if name == STATUS:
                shown = repr(self.status).strip("<>").removeprefix("status: ")
                lines.append(f"  {name:<{name_width}} {shown}")
                continue
            unit = "" if units[name] == "1" else units[name]
            lines.append(
                f"  {name:<{name_width}} {shorts[name]:<{width}} {unit:<10} "
                f"{self.columns(name).quantity.about}".rstrip()
            )
        return "\n".join(lines)

    def __reduce__(self) -> Any:
        given = (dict(self), self._told, self.shape, self._inputs, self._dimensions)
        return type(self), given

    # ---- for other libraries -----------------------------------------------------------------

    def to_xarray(self) -> xarray.Dataset:
        """An xarray.Dataset with units and descriptions; needs xarray.

        Dimensions and coordinates of DataArrays that were given are kept. Where there were none,
        an argument that varies along one axis of a grid alone names that axis and is its
        coordinate (`T[:, None]`, `P[None, :]`); other axes are `point`, or `axis_0`, `axis_1`.
        Quantities per species have the axis `species`. The status has CF's flag_masks and
        flag_meanings.
        """
        from bridge.evaluation.datasets import dataset

        return dataset(self)

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas.DataFrame with one row for each point, axes of a grid in C order; needs pandas.

        Columns: what was given, then the results; one for each species where there are several,
        `D_im_O2`. `attrs["units"]` has the units.
        """
        from bridge.evaluation.datasets import dataframe

        return dataframe(self)


def _short(value: Any) -> str:
    """A number, or the shape and the range of an array."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array[()]:.6g}"
    if array.size <= 4 and array.ndim == 1:
        return "[" + " ".join(f"{number:.6g}" for number in array) + "]"
    finite = array[np.isfinite(array)]
    shape = "x".join(map(str, array.shape))
    return f"{shape}, {finite.min():.5g} to {finite.max():.5g}" if finite.size else f"{shape}, NaN"
