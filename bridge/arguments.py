"""Numbers as a Python caller has them, as float64 arrays; and lists of names.

A leaf that `evaluation` and `species` read their arguments with. What NumPy would drop without a
word is honoured or refused: units (pint, astropy, unyt) are converted to those of the argument,
labels of columns (pandas) put into order, masked elements refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from bridge.errors import ArgumentError

_PLAIN = (int, float, np.number, np.bool_, str, bytes)


def real_numbers(
    name: str, value: Any, unit: str = "1", labels: Sequence[str] | None = None
) -> np.ndarray:
    """`value` as float64 of its own shape; the caller's array itself where it is one.

    name: what errors call it; unit: as the catalogue writes it, "J/(kg K)"; labels: names of
    the entries along the last axis, the species, by which a table with names is put into order.
    """
    table = _columns(name, value, labels)
    plain = _without_units(name, value, unit)
    try:
        array = np.asarray(plain)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"dtype {array.dtype}")
        array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(name, f"{type(value).__name__} ({error})", "real numbers") from None
    return array if table is None else array[..., table]


def distinct(argument: str, names: Sequence[str]) -> None:
    """Refuse a name that comes twice."""
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    if twice:
        got = ", ".join(f"{name!r} {names.count(name)} times" for name in twice)
        raise ArgumentError(argument, got, "each name once")


def row_order(name: str, value: Any, labels: Sequence[str]) -> list[int] | None:
    """Places of `labels` among the names of the rows of a table; None where they have none."""
    return _order(name, _along(value, 0) or getattr(value, "index", None), labels)


def _columns(name: str, value: Any, labels: Sequence[str] | None) -> list[int] | None:
    """Where each label stands along the last axis; None where nothing there has a name."""
    along = _along(value, -1)
    if along is not None:
        return None if labels is None else _order(name, along, labels)
    columns = getattr(value, "columns", None)
    if columns is not None and not callable(columns):
        return _order(name, columns, labels)
    if labels is not None and getattr(value, "ndim", 0) == 1:
        return _order(name, getattr(value, "index", None), labels)
    return None


def _along(value: Any, axis: int) -> list[Any] | None:
    """Names along an axis of an array of xarray; None where it has none, or is of another kind."""
    dims, coords = getattr(value, "dims", None), getattr(value, "coords", None)
    if not isinstance(dims, tuple) or not dims or coords is None or dims[axis] not in coords:
        return None
    return coords[dims[axis]].values.tolist()  # type: ignore[no-any-return]


def _order(name: str, found: Any, labels: Sequence[str] | None) -> list[int] | None:
    if found is None or callable(found):
        return None
    have = list(found)
    if not any(isinstance(label, str) for label in have):
        return None  # numbers: a table whose columns have no names
    if labels is None:
        raise ArgumentError(name, f"names {', '.join(map(repr, have))}", "columns without names")
    distinct(name, [str(label) for label in have])
    missing = [label for label in labels if label not in have]
    unknown = [str(label) for label in have if label not in labels]
    if missing or unknown:
        parts = [f"without {', '.join(missing)}"] if missing else []
        parts += [f"with {', '.join(unknown)}"] if unknown else []
        got = f"names {' and '.join(parts)}"
        raise ArgumentError(name, got, f"the species {', '.join(labels)}")
    return [have.index(label) for label in labels]


def _without_units(name: str, value: Any, unit: str) -> Any:
    """`value` in `unit` as plain numbers; a list of quantities becomes a list of numbers."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list | tuple):
        simple = all(isinstance(item, _PLAIN) for item in value)
        return value if simple else [_without_units(name, item, unit) for item in value]
    units = _units(value)
    if units is None and isinstance(getattr(value, "dims", None), tuple):
        value = value.data  # an array of xarray may hold a quantity
        units = _units(value)
    if units is not None and str(units) != unit:
        value = _converted(name, value, units, unit)
    else:
        value = _magnitude(value) if units is not None else value
    masked = np.ma.getmaskarray(value) if np.ma.isMaskedArray(value) else None
    if masked is not None and masked.any():
        got = f"an array with {int(masked.sum())} of {masked.size} elements masked"
        raise ArgumentError(name, got, "a value for every element")
    return value


def _units(value: Any) -> Any:
    """What an array says that it is in; None where it says nothing."""
    for word in ("units", "unit"):
        found = getattr(value, word, None)
        if found is not None:
            return found
    return None


def _converted(name: str, value: Any, units: Any, unit: str) -> Any:
    wanted = "a number without unit" if unit == "1" else f"{unit}, or what converts to it"
    if not callable(getattr(value, "to", None)):
        got = f"{type(value).__name__} with units {units}, which nothing here converts"
        raise ArgumentError(name, got, wanted)
    try:
        converted = value.to(spelled(unit))
    except Exception as error:  # whatever the library of units raises
        got = f"{type(value).__name__} in {units} ({error})"
        raise ArgumentError(name, got, wanted) from None
    return _magnitude(converted)


def _magnitude(value: Any) -> Any:
    """The numbers of a quantity: pint calls them magnitude, astropy and unyt value."""
    for word in ("magnitude", "value"):
        numbers = getattr(value, word, None)
        if numbers is not None:
            return numbers
    return value


def spelled(unit: str) -> str:
    """A unit of the catalogue as libraries of units read it: J/(kg K) as J/(kg*K)."""
    if unit == "1":
        return "dimensionless"
    powers = re.sub(r"(?<=[A-Za-z])(\d)", r"**\1", unit.replace("^", "**"))
    return powers.replace(" ", "*")
