"""What an expression of a kernel is: a number of a point, a number of all points, an array.

A number that is known while translating keeps its value; its text is what the author wrote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bridge.pythonkernels.refusal import Construct

#: How tightly a C++ expression holds together.
OR, AND, EQUAL, COMPARE, SUM, PRODUCT, UNARY, PRIMARY = range(8)

#: Kinds of a scalar: of each point a number or a truth value; of all points a real number, an
#: integer (loop variables, sizes), a truth value.
REAL, MASK, PLAIN, INDEX, TRUTH = "real", "mask", "plain", "index", "truth"


@dataclass(frozen=True)
class Size:
    """species * (number of species) + more: of an array, or a bound of an index."""

    species: int
    more: int

    def __add__(self, other: Size) -> Size:
        return Size(self.species + other.species, self.more + other.more)

    def __sub__(self, other: Size) -> Size:
        return Size(self.species - other.species, self.more - other.more)

    def __str__(self) -> str:
        if not self.species:
            return str(self.more)
        text = "species(shared)" if self.species == 1 else f"{self.species} * species(shared)"
        sign = "-" if self.more < 0 else "+"
        return f"{text} {sign} {abs(self.more)}" if self.more else text

    @property
    def least(self) -> int | None:
        """With one species or more; None where it falls with their number."""
        return None if self.species < 0 else self.species + self.more


@dataclass(frozen=True)
class Scalar:
    """text: C++; number: its value where it is known; low, high: bounds of an index, None where
    they are not known."""

    text: str
    kind: str
    holds: int = PRIMARY
    number: float | int | bool | None = None
    low: Size | None = None
    high: Size | None = None

    def within(self, holds: int) -> str:
        """As a part of an expression that holds together so tightly."""
        return self.text if self.holds >= holds else f"({self.text})"

    @property
    def of_point(self) -> bool:
        return self.kind in (REAL, MASK)

    @property
    def logical(self) -> bool:
        return self.kind in (MASK, TRUTH)


def number(value: Any) -> Scalar:
    """A number, integer or truth value that is known."""
    if isinstance(value, bool | np.bool_):
        return Scalar("true" if value else "false", TRUTH, number=bool(value))
    if isinstance(value, int | np.integer):
        whole, size = int(value), Size(0, int(value))
        holds = UNARY if whole < 0 else PRIMARY
        return Scalar(str(whole), INDEX, holds, whole, size, size)
    real = float(value)
    if math.isnan(real):
        return Scalar("BRIDGE_NAN", PLAIN, number=real)
    if math.isinf(real):
        text = "BRIDGE_INFINITY" if real > 0 else "-BRIDGE_INFINITY"
        return Scalar(text, PLAIN, PRIMARY if real > 0 else UNARY, real)
    return Scalar(repr(real), PLAIN, UNARY if repr(real)[0] == "-" else PRIMARY, real)


def is_number(value: object) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating)


def real(value: Scalar) -> Scalar:
    """As a number with a fraction: an integer of all points becomes a double."""
    if value.kind == INDEX:
        if value.number is not None:
            known = number(float(value.number))
            # a name stays what it is
            return known if value.text.lstrip("-").isdigit() else replace(known, text=value.text)
        return Scalar(f"static_cast<double>({value.text})", PLAIN)
    return value


@dataclass(frozen=True)
class Array:
    """Values of a point that are numbered: of a quantity, of the function, or of a table.

    element: value of as many indices as there are sizes; store: gives an element a new one, None
    where it has none; numeric: whether Python computes with it as a whole, as with NumPy's arrays;
    computed: whether its elements are computed where they are read; name: how a message calls it.
    """

    name: str
    sizes: tuple[Size, ...]
    element: Callable[[tuple[Scalar, ...]], Scalar]
    store: Callable[[tuple[Scalar, ...]], str] | None = None
    numeric: bool = True
    computed: bool = False

    def at(self, index: Scalar) -> Value:
        """What `a[index]` is: an element, or an array of one dimension less."""
        index = checked(index, self.sizes[0], self.name)
        if len(self.sizes) == 1:
            return self.element((index,))
        store, element = self.store, self.element
        return Array(
            f"{self.name}[{index.text}]",
            self.sizes[1:],
            lambda rest: element((index, *rest)),
            None if store is None else lambda rest: store((index, *rest)),
            self.numeric,
            self.computed,
        )


@dataclass(frozen=True)
class Several:
    """A tuple of values, as a function returns it."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Static:
    """An object of Python that is no number: a module, a function."""

    value: Any


Value = Scalar | Array | Several | Static


def checked(index: Scalar, size: Size, name: str) -> Scalar:
    """An index that lies within the array for certain; negative numbers count from the end."""
    if index.kind != INDEX:
        raise Construct(
            f"index of {name}",
            "it is not known before the run" if index.of_point else "it is no integer",
            "index by the variable of a for loop over range(...)",
        )
    if index.low and index.high and not index.high.species and index.high.more < 0:
        index = _from_the_end(index, size, size + index.low, size + index.high)
    low, high = index.low, index.high
    below = None if low is None else low.least
    beyond = None if high is None else (size - high).least
    if below is None or below < 0:
        raise Construct(f"index of {name}", f"{index.text} may be less than 0")
    if beyond is None or beyond < 1:
        raise Construct(f"index of {name}", f"{index.text} may be beyond its {size} values")
    return index


def _from_the_end(index: Scalar, size: Size, low: Size, high: Size) -> Scalar:
    """A negative index as one that counts from 0."""
    if index.number is not None:
        return Scalar(str(low), INDEX, SUM, None if size.species else low.more, low, high)
    first = re.match(r"(-?\d+)( [-+] .*)", index.text)
    if first and index.holds == SUM:
        text = f"{size + Size(0, int(first[1]))}{first[2]}"
    else:
        text = f"{size} + {index.within(PRODUCT)}"
    return Scalar(text, INDEX, SUM, None, low, high)
