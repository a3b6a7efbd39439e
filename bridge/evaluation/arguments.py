"""Arguments of an evaluation as arrays, each in the unit and the columns that the catalogue says.

Between the caller and `mixture`. Shapes of points are compared by NumPy's rules of broadcasting;
nothing is spread out here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from bridge.arguments import real_numbers
from bridge.errors import ArgumentError, InconsistentError
from bridge.evaluation.dimensions import ARGUMENTS, Dimensions, column_of, named
from bridge.plan import lookup
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.declarations import Quantity
from bridge.plan.inputs import MASK, POSITIONS
from bridge.plan.selection import POINT_INPUTS

#: Compositions in other words: beside Y they would be a second one.
COMPOSITIONS = ("X", "Yc", "Y_leading")

#: Kinds of values that have no names: most calls have no others.
_PLAIN = frozenset((float, int, list, tuple, np.ndarray, np.float64))


class _Facts(NamedTuple):
    """Of a quantity that is read; columns: 0 where a point has one value without an axis."""

    unit: str
    columns: int
    labels: tuple[str, ...] | None
    integer: bool


class Reader:
    """catalogue: of the quantities; species: their names."""

    def __init__(self, catalogue: Catalogue, species: tuple[str, ...]) -> None:
        self._catalogue = catalogue
        self._species = species
        self._known: dict[str, _Facts] = {}

    def facts(self, quantity: str) -> _Facts:
        found = self._known.get(quantity)
        if found is None:
            known = self._catalogue.quantity(quantity)
            one = known.columns == "1"
            columns = 0 if one else self._catalogue.columns(quantity, len(self._species))
            labels = self._species if known.columns == "ns" else None
            found = _Facts(known.unit, columns, labels, known.dtype == "int32")
            self._known[quantity] = found
        return found

    def dimensions(self, arguments: Mapping[str, Any]) -> Dimensions | None:
        """Of arguments by their quantities; None where no array among them has names."""
        if all(type(value) in _PLAIN for value in arguments.values()):
            return None

        def each() -> Iterator[tuple[str, Any, int]]:
            for quantity, value in arguments.items():
                name = ARGUMENTS.get(quantity, quantity)
                if isinstance(value, Mapping):
                    yield from ((f"{name}[{key!r}]", one, 0) for key, one in value.items())
                else:
                    yield name, value, self.facts(quantity).columns if named(value) else 0

        return Dimensions.of(each())

    def __call__(self, quantity: str, value: Any, dimensions: Dimensions | None = None) -> Any:
        """An array of the shape of the points; behind it an axis of the columns, where the
        quantity has them. dimensions: of the points, where some arguments name theirs."""
        facts = self.facts(quantity)
        if type(value) is float and not facts.columns and not facts.integer:
            return np.float64(value)
        name = ARGUMENTS.get(quantity, quantity)
        if facts.labels is not None and isinstance(value, Mapping):
            array = self._by_name(name, value, facts, dimensions)
        else:
            labels = facts.labels
            if dimensions is not None:
                value = dimensions.ordered(name, value, facts.columns)
                if named(value) and column_of(name, value, facts.columns) is None:
                    labels = None
            array = real_numbers(name, value, facts.unit, labels)
        columns = facts.columns
        if columns == 1 and facts.labels is not None and array.shape[-1:] != (1,):
            array = array[..., None]  # one species: its axis may be left out
        if columns and array.shape[-1:] != (columns,):
            wanted = f"(..., {columns}), {columns} values along the last axis"
            raise ArgumentError(name, f"shape {array.shape}", wanted)
        if dimensions is not None and not isinstance(value, Mapping):
            array = dimensions.spread(quantity, value, array, bool(columns))
        return integers(name, array) if facts.integer else array

    def _by_name(
        self, name: str, values: Mapping[str, Any], facts: _Facts, dimensions: Dimensions | None
    ) -> np.ndarray:
        """Numbers of each species by its name, those of the others zero, beside each other."""
        assert facts.labels is not None
        wanted = f"names of species: {', '.join(facts.labels)}"
        if not values:
            raise ArgumentError(name, "a mapping without a name", wanted)
        for key in values:
            if key not in facts.labels:
                raise ArgumentError(name, repr(key), wanted)
        found: dict[str, np.ndarray] = {}
        for key, value in values.items():
            one = f"{name}[{key!r}]"
            if dimensions is not None:
                value = dimensions.ordered(one, value, 0)
            found[key] = real_numbers(one, value, facts.unit)
            if dimensions is not None:
                found[key] = dimensions.spread(one, value, found[key], 0)
        shape = common_shape({f"{name}[{key!r}]": array.shape for key, array in found.items()})
        array = np.zeros((*shape, len(facts.labels)))
        for k, label in enumerate(facts.labels):
            if label in found:
                array[..., k] = found[label]
        return array


def integers(name: str, array: np.ndarray) -> np.ndarray:
    """Numbers without a fraction as int32."""
    held = np.isfinite(array) & (np.abs(array) <= 2**31 - 1)
    wrong = array[~held | (array != np.rint(array))]
    if wrong.size:
        raise ArgumentError(name, f"{wrong.flat[0]:g}", "integers of 32 bits")
    return array.astype(np.int32)


def common_shape(shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """What shapes of points broadcast to; ArgumentError that names the first that does not fit."""
    distinct = {shape for shape in shapes.values() if shape}
    if not distinct:
        return ()
    if len(distinct) == 1:
        return distinct.pop()
    common: tuple[int, ...] = ()
    before: list[str] = []
    for name, shape in shapes.items():
        try:
            common = np.broadcast_shapes(common, shape)
        except ValueError:
            name = ARGUMENTS.get(name, name)
            wanted = f"a shape that goes with the points {common} of {', '.join(before)}"
            raise ArgumentError(name, f"points of shape {shape}", wanted) from None
        if shape:
            before.append(ARGUMENTS.get(name, name))
    return common


def refuse_keywords(keywords: Iterable[str], own: Collection[str], catalogue: Catalogue) -> None:
    """ArgumentError for the first, with the argument that is meant; own: the known arguments."""
    for keyword in keywords:
        meant = f"the arguments are {', '.join(own)}"
        found = _meant(keyword.replace("_", " "), own, catalogue)
        if found is not None:
            name = ARGUMENTS.get(found.name, found.name)
            unit = "" if found.unit == "1" else f", {found.unit}"
            meant = f"write {name}: {found.about}{unit}"
            if name not in own:
                meant = (
                    f"write outputs={name!r} for a result, inputs={{{name!r}: ...}} for an input"
                )
        raise InconsistentError(keyword, "no argument has this name", meant)


def _meant(phrase: str, own: Collection[str], catalogue: Catalogue) -> Quantity | None:
    """The quantity that is called so, one with an argument of its own first."""
    for quantity in catalogue.quantities.values():
        if quantity.name in own and quantity.name.lower() == phrase.lower():
            return quantity
    for found in lookup.named(phrase, catalogue.quantities.values())[:1]:
        calls = [found.name, found.about, *found.words]
        if ARGUMENTS.get(found.name, found.name) in own or phrase.lower() in map(str.lower, calls):
            return found
    return None


def check_names(catalogue: Catalogue, inputs: Mapping[str, Any], integers_too: bool) -> None:
    """Whether these may be given by name; integers_too: those of the package, which else are
    results."""
    for name in inputs:
        quantity = catalogue.quantity(name)
        given = integers_too or name in (*POSITIONS, MASK)
        own = quantity.dtype == "int32" and quantity.file == shipped_file()
        if name in POINT_INPUTS or (own and not given):
            wanted = "quantities that have no argument of their own, of the package real ones"
            raise ArgumentError("inputs", repr(name), wanted)


def refuse_two_compositions(inputs: Mapping[str, Any]) -> None:
    for name in COMPOSITIONS:
        if name in inputs:
            cause = f"{name!r} and Y both give the composition, and W and cp follow Y alone"
            raise InconsistentError("inputs", cause, "give the composition once, as Y or X")


def refuse_without_species(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise ArgumentError("species", None, f"species, as {name} is given")


def mass_fractions(X: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Mass fractions of mole fractions, (..., NS); W: molar masses, kg/mol, (NS,).

    Their sum stays what it was: where that is not one, the status word says so, as for Y.
    """
    Y: np.ndarray = X * W
    factor = X.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):  # a bad point gets NaN and its bit
        factor /= X @ W
    Y *= np.asarray(factor)[..., None]
    return Y
