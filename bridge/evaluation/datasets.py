"""Results as tables of pandas and xarray, imported where they are asked for."""

from __future__ import annotations

from collections.abc import Hashable, ItemsView, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bridge.errors import StateError
from bridge.evaluation.dimensions import SPECIES
from bridge.evaluation.request import Column
from bridge.plan.selection import STATUS
from bridge.settings import STATUS_BITS

if TYPE_CHECKING:
    import pandas
    import xarray

#: Arguments that are coordinates, by the name of their quantity.
_COORDINATES = ("T", "P", "h_target", "s_target", "rho_target", "e_target")


class Results(Protocol):
    """What is read of a `Result`."""

    shape: tuple[int, ...]

    @property
    def dims(self) -> tuple[Hashable, ...] | None: ...

    @property
    def coords(self) -> dict[Hashable, Any]: ...

    def along(self, quantity: str) -> tuple[Hashable, ...] | None: ...

    @property
    def species(self) -> tuple[str, ...]: ...

    @property
    def inputs(self) -> dict[str, Any]: ...

    def items(self) -> ItemsView[str, np.ndarray]: ...

    def __iter__(self) -> Iterator[str]: ...

    def __contains__(self, name: object, /) -> bool: ...

    def columns(self, name: str) -> Column: ...

    def columns_of(self, quantity: str) -> Column: ...

    def reads(self, quantity: str) -> bool: ...


def dataset(result: Results) -> xarray.Dataset:
    """See `Result.to_xarray`."""
    xr = _needed("xarray", "to_xarray")
    dims = result.dims or _dims(result)
    coordinates: dict[Hashable, Any] = {
        name: one for name, one in result.coords.items() if name not in (*result, *_COORDINATES)
    }
    for name in _COORDINATES:
        value = result.inputs.get(name)
        if value is None or name in result or not result.reads(name):
            continue
        facts = _attributes(result, name)
        own = result.along(name)
        if own is not None:
            if name not in dims or own == (name,):
                sizes = [result.shape[dims.index(one)] for one in own]
                coordinates[name] = (own, np.reshape(value, sizes), facts)
        elif name in dims:
            coordinates[name] = (name, np.ravel(value), facts)
        elif np.ndim(value) == 0:
            coordinates[name] = ((), value, facts)
        else:
            coordinates[name] = (dims, np.broadcast_to(value, result.shape), facts)
    variables: dict[str, Any] = {}
    for name, value in result.items():
        column = result.columns(name)
        tail: tuple[str, ...] = ()
        if column.tail:
            per_species = column.quantity.columns == "ns"
            tail = (SPECIES,) if per_species else (f"{name}_column",)
            if per_species:
                coordinates[SPECIES] = list(result.species)
        taken = {name, *tail}.intersection(dims)
        if taken and result.dims is not None:
            raise StateError(
                f"to_xarray: {taken.pop()!r} is a dimension of an argument and belongs to the "
                f"result {name!r} too: give the argument another one (DataArray.rename)"
            )
        attributes = _attributes(result, column.quantity.name)
        if name == STATUS:
            attributes["flag_masks"] = [1 << bit for bit in range(len(STATUS_BITS))]
            attributes["flag_meanings"] = " ".join(STATUS_BITS)
        variables[name] = ((*dims, *tail), np.asarray(value), attributes)
    made: xarray.Dataset = xr.Dataset(variables, coordinates)
    return made


def dataframe(result: Results) -> pandas.DataFrame:
    """See `Result.to_dataframe`."""
    pd = _needed("pandas", "to_dataframe")
    columns: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}

    def add(name: str, value: Any, quantity: str) -> None:
        column = result.columns_of(quantity)
        array = np.broadcast_to(value, result.shape + column.tail)
        unit = column.quantity.unit
        if not column.tail:
            columns[name], units[name] = array.ravel(), unit
            return
        labels = result.species if column.quantity.columns == "ns" else None
        rows = array.reshape(-1, column.tail[0])
        for k in range(column.tail[0]):
            label = f"{name}_{labels[k] if labels else k + 1}"
            columns[label], units[label] = rows[:, k], unit

    for name, value in result.inputs.items():
        if name not in result and result.reads(name):
            add(name, value, name)
    for name, value in result.items():
        add(name, value, result.columns(name).quantity.name)
    frame: pandas.DataFrame = pd.DataFrame(columns)
    frame.attrs["units"] = units
    return frame


def _dims(result: Results) -> tuple[str, ...]:
    """Names of the axes of the points."""
    shape = result.shape
    names = ["point"] if len(shape) == 1 else [f"axis_{axis}" for axis in range(len(shape))]
    if len(shape) == 1:
        return tuple(names)
    taken: dict[int, list[str]] = {}
    for name in _COORDINATES:
        size = np.shape(result.inputs.get(name, 0.0))
        longer = [axis - len(size) for axis, length in enumerate(size) if length > 1]
        if len(longer) == 1:
            taken.setdefault(longer[0] % len(shape), []).append(name)
    for axis, own in taken.items():
        if len(own) == 1 and own[0] not in result:
            names[axis] = own[0]
    return tuple(names)


def _attributes(result: Results, quantity: str) -> dict[str, Any]:
    known = result.columns_of(quantity).quantity
    return {"units": known.unit, "long_name": known.about}


def _needed(module: str, method: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise StateError(f"{method} needs {module}: pip install {module} ({error})") from None
