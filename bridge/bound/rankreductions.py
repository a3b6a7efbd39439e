"""Reductions over the ranks of the Frame's communicator: the same bits for any decomposition.

Beside `reductions`, which has the values of one rank. Sums are exact: each value is rounded to
the multiples of a power of two, which follows from the largest magnitude and the number of points
of all ranks, and what is left to those of a smaller one, and again. Sums of such parts have no
rounding error, so their order, and which rank has which points, is of no consequence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from bridge import mpi
from bridge.backends.base import VALUE, Measure
from bridge.bound.operations import MAGNITUDE, SQUARE, Operation
from bridge.bound.reductions import Reduced, Values
from bridge.errors import ArgumentError, StateError

#: Bits of a double; parts of a value.
_BITS, _PARTS = 53, 3
#: Above this exponent of a sum values are divided by a power of two first.
_HIGHEST = 1000


class Parts(NamedTuple):
    """How the values of a component are cut. grains: see bridge_measure of
    kernels/cpu/interface.h; shift: values are multiplied by 2**-shift before."""

    grains: tuple[float, ...]
    shift: int

    @classmethod
    def of(cls, largest: float, points: int) -> Parts:
        """largest: finite magnitude of the measured values of all ranks; points: of all."""
        exponent, bits = math.frexp(largest)[1], max(2, points.bit_length())
        shift = max(0, exponent + bits - _HIGHEST)
        shift += shift % 2  # a square is divided through its root
        grains, last = [], exponent - shift
        for _ in range(_PARTS):
            last += bits + 1 - _BITS  # sums of `points` multiples of 2**last are exact
            grains.append(math.ldexp(1.5, last + _BITS - 1))
            last -= 1  # what is left has half of it at most
        return cls(tuple(grains), shift)


class RankReductions:
    """communicator: of the Frame; None where it has none; size: number of ranks of the program."""

    def __init__(self, communicator: mpi.Communicator | None, size: int) -> None:
        self._communicator = communicator
        self._size = size

    def reduce(
        self, call: str, operations: Sequence[Operation], values: Callable[[], list[Values]]
    ) -> list[list[Reduced]]:
        """Collective. The results of all ranks' values for each operation, the same on each rank;
        where it fails on one rank, it fails on all. The ranks speak to each other as often for
        many operations as for one."""
        if self._communicator is None and self._size > 1:
            raise StateError(
                f"{call} is over the ranks of a communicator, and the Frame of this program of "
                f"{self._size} ranks has none: give one to frame_initialize"
            )
        mine: list[Values] = []

        def begin() -> list[Any]:
            mine.extend(values())
            return [
                (one.points, _magnitudes(one)) if rounds(operation) else one.reduced(operation)
                for one, operation in zip(mine, operations, strict=True)
            ]

        found = self._agreed(begin)
        if len({len(one) for one in found}) > 1:
            raise ArgumentError("quantities", len(mine), "as many reductions on every rank")
        ranks = [list(one) for one in zip(*found, strict=True)]
        sums = {
            number: _Sum(mine[number], operation, ranks[number])
            for number, operation in enumerate(operations)
            if rounds(operation)
        }
        if sums:
            parts = self._agreed(lambda: [one.parts() for one in sums.values()])
            for number, one in enumerate(sums.values()):
                one.add([each[number] for each in parts])
        signed = [one for one in sums.values() if one.signed]
        if signed:
            extremes = self._agreed(lambda: [one.extremes() for one in signed])
            for number, one in enumerate(signed):
                one.sign([each[number] for each in extremes])
        return [
            sums[number].results() if number in sums else _chosen(ranks[number], operation)
            for number, operation in enumerate(operations)
        ]

    def _agreed(self, value: Callable[[], Any]) -> list[Any]:
        """What each rank has, on all of them."""
        if self._communicator is None:
            return [value()]
        found, error = None, None
        try:
            found = value()
        except BaseException as raised:
            error = raised
        return self._communicator.agreed(error, found)


class _Sum:
    """A sum of numbers that are not whole, component by component. values: of this rank; found:
    the number of points and the largest magnitude of each component, of each rank."""

    def __init__(
        self, values: Values, operation: Operation, found: Sequence[tuple[int, list[float]]]
    ) -> None:
        self._values, self._operation = values, operation
        points = sum(number for number, _ in found)
        each = zip_longest(*(m for _, m in found), fillvalue=0.0)
        largest = [max(one, key=_nan_last) for one in each]
        square = operation.measure == SQUARE
        self._measured = [one * one if square else one for one in largest]
        self._whole = [
            Parts.of(one, points) if 0.0 < one < math.inf else None for one in self._measured
        ]
        endless = [index for index, one in enumerate(self._measured) if one == math.inf]
        #: Components that have infinite values, of which nobody knows the sign.
        self.signed = endless if operation.measure == VALUE else []
        self._signs: dict[int, float] = {}
        self._exact: list[list[float]] = []

    def parts(self) -> list[list[float]]:
        """Sums of the parts of this rank's values, of each component that has any."""
        return [
            _parts(self._values, index, self._operation.measure, parts) if parts else []
            for index, parts in enumerate(self._whole)
        ]

    def add(self, found: Sequence[list[list[float]]]) -> None:
        """The same of all ranks."""
        self._exact = [
            [sum(each) for each in zip(*(one[index] for one in found), strict=True)]
            for index in range(len(self._whole))
        ]

    def extremes(self) -> list[list[float]]:
        """Of this rank's values, of each component of `signed`."""
        return [
            [self._values.partials(base, VALUE, index)[0][1].value for base in ("min", "max")]
            for index in self.signed
        ]

    def sign(self, found: Sequence[list[list[float]]]) -> None:
        """The sums of these components from the extremes of all ranks: NaN where they have
        infinities of both signs."""
        for number, index in enumerate(self.signed):
            low = min(one[number][0] for one in found)
            high = max(one[number][1] for one in found)
            both = low == -math.inf and high == math.inf
            self._signs[index] = math.nan if both else low if low == -math.inf else high

    def results(self) -> list[Reduced]:
        """One, or one of each component."""
        together, operation = self._values.together, self._operation
        shifts = [parts.shift if parts else 0 for parts in self._whole]
        shift = max(shifts, default=0)
        sums: list[list[float]] = []
        for index, parts in enumerate(self._whole):
            if parts is None:
                sums.append([self._signs.get(index, self._measured[index])])
                continue
            factor = 2.0 ** (parts.shift - shift) if together else 1.0
            sums.append([one * factor for one in self._exact[index]])
        if together:
            total = _total([one for some in sums for one in some])
            return [Reduced(operation.result(total * 2.0**shift, -1), None)]
        each = [_total(some) * 2.0**one for some, one in zip(sums, shifts, strict=True)]
        return [Reduced(operation.result(one, -1), None) for one in each]


def rounds(operation: Operation) -> bool:
    """Whether it adds numbers that are not whole."""
    return operation.base == "sum" and not operation.whole


def _magnitudes(values: Values) -> list[float]:
    """The largest of each component."""
    found = values.partials("max", MAGNITUDE)
    return [one.value if one.point >= 0 else 0.0 for _, one in found]


def _nan_last(value: float) -> tuple[bool, float]:
    nan = math.isnan(value)
    return nan, 0.0 if nan else value


def _parts(values: Values, index: int, measure: Measure, parts: Parts) -> list[float]:
    halved = parts.shift // 2 if measure == SQUARE else parts.shift
    return [
        values.partials(
            "sum", measure._replace(part=number + 1, grains=parts.grains), index, 2.0**-halved
        )[0][1].value
        for number in range(_PARTS)
    ]


def _total(parts: Sequence[float]) -> float:
    """Correctly rounded, and so in no order."""
    try:
        return math.fsum(parts)
    except (OverflowError, ValueError):  # infinities of both signs
        return sum(parts)


def _chosen(found: list[list[Reduced]], operation: Operation) -> list[Reduced]:
    """Of each result that of the rank that has it, the lowest where several do; of a rank without
    points, that may have no components either, none."""
    results = []
    for each in zip_longest(*found, fillvalue=Reduced(operation.result(0.0, -1), None)):
        if operation.base == "sum":
            results.append(Reduced(sum(one.value for one in each), None))
            continue
        sign = -1.0 if operation.base == "max" else 1.0

        def order(numbered: tuple[int, Reduced], sign: float = sign) -> Any:
            value = numbered[1].value
            nan = math.isnan(value)
            question = nan or operation.base == "any"
            return numbered[1].place is None, not nan, 0.0 if question else sign * value

        rank, one = min(enumerate(each), key=order)
        value = one.value + 0.0  # of zeros the one without a sign
        results.append(replace(one, value=value, rank=None if one.place is None else rank))
    return results
