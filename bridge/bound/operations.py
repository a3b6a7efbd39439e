"""Operations of reductions: what of each value is reduced, by which operation of a backend."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bridge.backends.base import VALUE, Measure
from bridge.errors import ArgumentError, known_start

#: Of a value; their numbers are those of kernels/cpu/interface.h.
MAGNITUDE, SQUARE, NONZERO, IS_NAN = (Measure(of) for of in (1, 2, 3, 4))
#: Bits of a status word, and of every integer of a set.
BITS = 32


def bit(number: int) -> Measure:
    """1 where a whole number has this bit, from 0."""
    return Measure(5, grains=(2.0**number, 0.0, 0.0))


@dataclass(frozen=True)
class Operation:
    """base: sum, min, max or any, of a measure of the values; empty: the result where no point
    counts, which changes nothing in a reduction over ranks; root: of the result; bits: a result
    for each bit of whole numbers."""

    base: str
    measure: Measure = VALUE
    empty: float = 0.0
    root: bool = False
    bits: bool = False

    @property
    def whole(self) -> bool:
        """Whether its sums are of ones and zeros, in any order the same."""
        return self.measure == NONZERO or self.bits

    def result(self, value: float, point: int) -> float:
        """What a backend's result is to the caller."""
        if point < 0 and self.base != "sum":
            return self.empty
        return math.sqrt(value) if self.root else value


_MIN, _MAX = Operation("min", empty=math.inf), Operation("max", empty=-math.inf)

#: By the names that callers know.
OPERATIONS = {
    "sum": Operation("sum"), "min": _MIN, "max": _MAX, "any": Operation("any"),
    "minloc": _MIN, "maxloc": _MAX,
    "l1": Operation("sum", MAGNITUDE), "l2": Operation("sum", SQUARE, root=True),
    "linf": Operation("max", MAGNITUDE), "count": Operation("sum", NONZERO),
    "nan": Operation("any", IS_NAN), "bits": Operation("sum", bits=True),
}  # fmt: skip


def checked_operation(name: str) -> Operation:
    """An operation by its name; ArgumentError for none."""
    if name in OPERATIONS:
        return OPERATIONS[name]
    start = known_start(name, OPERATIONS)
    raise ArgumentError("operation", repr(name), f"one of {', '.join(OPERATIONS)}", start)


def spelled(name: str, value: float) -> float | bool | int:
    """A result as a Python caller has it: a bool or an int where it is a question or a number."""
    if name in ("any", "nan"):
        return value != 0.0
    return int(value) if name in ("count", "bits") else value
