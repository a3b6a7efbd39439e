"""Measures of values that backends reduce: norms, counts, NaN, and parts whose sums are exact."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kernels.test_reduction import SIZES, bits, boxed, layouts, noise, to_device, tree

from bridge.backends.base import Binding, Measure
from bridge.backends.cpu import CpuBackend
from bridge.backends.host import library
from bridge.bound.operations import IS_NAN, MAGNITUDE, NONZERO, SQUARE
from bridge.bound.rankreductions import Parts


def measured(values: np.ndarray) -> Iterator[tuple[str, Measure, np.ndarray]]:
    """An operation, a measure, and the values it is to see."""
    yield "sum", MAGNITUDE, np.abs(values)
    yield "max", MAGNITUDE, np.abs(values)
    yield "sum", SQUARE, values * values
    yield "sum", NONZERO, (values != 0.0).astype(float)
    yield "any", IS_NAN, np.isnan(values).astype(float)


def check_measures(backend: Any, bindings: list[Binding], values: np.ndarray) -> None:
    for operation, measure, seen in measured(values):
        for binding in bindings:
            found = backend.reduce(binding, operation, None, measure)
            for column, one in zip(seen.T, found, strict=True):
                if operation == "sum":
                    assert bits(one.value) == bits(tree(column))
                    continue
                places = np.flatnonzero(column)
                if operation == "any":
                    assert one == ((1.0, places[0]) if places.size else (0.0, -1))
                else:
                    assert one == (column.max(), int(column.argmax()))


def check_parts(backend: Any, make: Any) -> None:
    """Parts add up without rounding, whatever the order; together they are the sum."""
    random = np.random.default_rng(3)
    for values in (noise(7000), random.normal(size=(7000, 1)), np.full((3000, 1), 0.1)):
        for of, seen in ((0, values), (1, abs(values)), (2, values * values)):
            parts = Parts.of(float(abs(seen).max()), len(values))
            assert parts.shift == 0
            sums = []
            for order in (np.arange(len(values)), random.permutation(len(values))):
                binding = make(boxed(values[order], (len(values), 1, 1), 1, False))
                sums.append(
                    [
                        backend.reduce(binding, "sum", None, Measure(of, part, parts.grains))[0]
                        for part in (1, 2, 3)
                    ]
                )
            assert sums[0] == sums[1]
            total, exact = math.fsum(one.value for one in sums[0]), math.fsum(seen[:, 0])
            # three parts reach at least 2**-80 of the largest value here
            assert abs(total - exact) <= np.spacing(abs(exact)) + abs(seen).max() * 2.0**-80


@pytest.mark.parametrize("isa", library.available())
def test_measures_are_of_the_values_that_a_reduction_has(isa: str) -> None:
    for n in (*SIZES[:6], 7000):
        values = noise(n, 2)
        values[n // 2, 1] = 0.0
        check_measures(CpuBackend(2, isa), list(layouts(values)), values)
    whole = np.random.default_rng(2).integers(-3, 4, (2240, 2)).astype("int32")
    check_measures(CpuBackend(1, isa), list(layouts(whole, "int32")), whole.astype(float))
    bad = np.zeros((2000, 1))
    bad[[700, 1500]] = np.nan
    (found,) = CpuBackend(1, isa).reduce(boxed(bad, (2000, 1, 1), 0, False), "any", None, IS_NAN)
    assert found == (1.0, 700)


@pytest.mark.parametrize("isa", library.available())
def test_parts_are_added_without_rounding(isa: str) -> None:
    check_parts(CpuBackend(1, isa), lambda binding: binding)


@pytest.mark.gpu
def test_measures_on_a_gpu(cuda: Any) -> None:
    for n in (33, 2240):
        values = noise(n, 2)
        values[n // 2, 1] = 0.0
        values[n // 3, 0] = values[n // 3 + 1, 0]
        there = [to_device(cuda, binding) for binding in layouts(values)]
        check_measures(cuda, there, values)
    check_parts(cuda, lambda binding: to_device(cuda, binding))


def test_a_blanked_point_has_no_measure() -> None:
    values, on = noise(3000), np.arange(3000) % 7 != 3
    values[3] = np.nan
    mask = boxed(on.astype("int32")[:, None], (3000, 1, 1), 0, False, "int32")
    source, backend = boxed(values, (3000, 1, 1), 0, False), CpuBackend(1)
    for operation, measure, seen in measured(values):
        (found,) = backend.reduce(source, operation, mask, measure)
        if operation == "sum":
            assert found.value == tree(np.where(on, seen[:, 0], 0.0))
        elif operation == "any":
            assert found == (0.0, -1)
        else:
            assert found.value == seen[on].max()


@pytest.mark.parametrize("largest", [1e-300, 5e-324, 1.0, 3.7e200, 1.7e308])
@pytest.mark.parametrize("points", [1, 1000, 2**40])
def test_grains_of_any_size(largest: float, points: int) -> None:
    """Every part of the largest value is finite, and `points` of them are added exactly."""
    parts = Parts.of(largest, points)
    rest = largest * 2.0**-parts.shift
    for grain in parts.grains:
        part = (rest + grain) - grain
        assert math.isfinite(part * points)
        assert (part * points) / points == part
        rest -= part
    assert abs(rest) <= largest * 2.0**-parts.shift * 2.0**-30
