"""Reductions of the backends: bits that follow from the numbers of the points alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.gpu.memory import DeviceArray
from bridge.backends.host import library
from bridge.memory.marshal import Bounds

SIZES = (1, 2, 31, 32, 33, 1023, 1024, 1025, 3 * 1024, 7000)


def tree(values: np.ndarray) -> float:
    """The sum in the order that reduce.cpp states, written again."""
    sums: list[float] = []
    for start in range(0, len(values), 1024):
        part = np.zeros(1024)
        part[: len(values[start : start + 1024])] = values[start : start + 1024]
        lanes = np.zeros(32)
        for row in part.reshape(32, 32):
            lanes = lanes + row
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = lanes[:half] + lanes[half:]
        sums.append(lanes[0])
    while len(sums) > 1:
        pairs = [sums[k] + sums[k + 1] for k in range(0, len(sums) - 1, 2)]
        sums = pairs + sums[len(sums) // 2 * 2 :]
    return sums[0] if sums else 0.0


def bits(x: float) -> bytes:
    return np.float64(x).tobytes()


def boxed(
    values: np.ndarray,
    extent: tuple[int, int, int],
    fringe: int,
    first: bool,
    dtype: str = "float64",
    scale: float = 1.0,
) -> Binding:
    """values (points, columns) as the interior of an array with NaN, or a number, around it."""
    columns = values.shape[1]
    n = [e + 2 * fringe for e in extent]
    shape = (columns, *n) if first else (*n, columns)
    outside = np.nan if dtype.startswith("float") else 99
    array = np.full(shape, outside, dtype, order="F")
    inside = tuple(slice(fringe, fringe + e) for e in extent)
    by_point = values.reshape(*extent, columns, order="F")
    if first:
        array[(slice(None), *inside)] = np.moveaxis(by_point, 3, 0)
    else:
        array[inside] = by_point
    start = fringe + 1, fringe + 1, fringe + 1
    end = fringe + extent[0], fringe + extent[1], fringe + extent[2]
    box = Bounds((n[0], n[1], n[2]), start, end, 1, columns, -columns if first else columns).box()
    return Binding(array.ctypes.data, box, columns, scale, dtype, array)


@pytest.fixture(params=library.available())
def isa(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def to_device(gpu: Any, binding: Binding) -> Binding:
    """The same array in memory of the device."""
    host = binding.owner
    words = host.nbytes // host.itemsize
    device = gpu.device
    there = DeviceArray(device.allocator, 1, words, str(host.dtype), "test", device.synchronize)
    gpu.device.allocator.put(there.address, np.ravel(host, order="K"))
    return Binding(
        there.address, binding.box, binding.columns, binding.scale, binding.dtype, there
    )


def layouts(values: np.ndarray, dtype: str = "float64", scale: float = 1.0) -> Iterator[Binding]:
    """The same points in boxes of several shapes, with and without fringes, in both orders."""
    n = len(values)
    shapes = [(n, 1, 1), (1, n, 1)]
    shapes += [(a, n // a, 1) for a in (5, 8) if n % a == 0]
    shapes += [(7, n // 28, 4)] if n % 28 == 0 else []
    for extent in shapes:
        for fringe in (0, 2):
            for first in (False, True):
                yield boxed(values, extent, fringe, first, dtype, scale)


def noise(n: int, columns: int = 1, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    factors = 10.0 ** random.integers(-8, 8, (n, columns))
    return np.asarray(random.normal(0.0, 1.0, (n, columns)) * factors)


@pytest.mark.parametrize("n", SIZES)
def test_sums_have_the_bits_of_the_stated_order_in_every_layout(isa: str, n: int) -> None:
    values = noise(n, 3)
    expected = [tree(column) for column in values.T]
    for column, total in zip(values.T, expected, strict=True):
        exact, size = math.fsum(column), math.fsum(abs(column))
        assert abs(total - exact) <= 60 * np.finfo(float).eps * size
    for threads in (1, 2):
        backend = CpuBackend(threads, isa)
        for binding in layouts(values):
            got = backend.reduce(binding, "sum")
            assert [bits(one.value) for one in got] == [bits(x) for x in expected]
            assert {one.point for one in got} == {-1}


def test_threads_change_no_bit(isa: str) -> None:
    """Enough points for three threads."""
    values = noise(200 * 1024 + 11, 2)
    expected = [bits(tree(column)) for column in values.T]
    for threads in (1, 2, 3):
        for first in (False, True):
            binding = boxed(values, (len(values), 1, 1), 0, first)
            got = CpuBackend(threads, isa).reduce(binding, "sum")
            assert [bits(one.value) for one in got] == expected


def cases(n: int) -> Iterator[np.ndarray]:
    """Values with ties, infinities, zeros of both signs and NaN; the places are NumPy's."""
    random = np.random.default_rng(n)
    yield random.normal(size=n)
    yield random.integers(-2, 3, n).astype(float)
    yield np.where(random.integers(0, 2, n), 0.0, -0.0)
    yield np.full(n, -np.inf)
    yield np.full(n, 7.0)
    broken = random.normal(size=n)
    broken[[n // 2, n - 1]] = np.nan
    yield broken
    late = np.zeros(n)
    late[-1] = 1e-300
    yield late
    yield np.full(n, 5e-324)


def check_extremes(backend: Any, bindings: Iterable[Binding], values: np.ndarray) -> None:
    places = {"min": int(np.argmin(values)), "max": int(np.argmax(values))}  # the first; NaN first
    nonzero = np.flatnonzero(values)
    for binding in bindings:
        for operation, place in places.items():
            (got,) = backend.reduce(binding, operation)
            assert got.point == place, operation
            if np.isnan(values[place]):
                assert bits(got.value) == bits(np.nan)
            else:
                assert bits(got.value) == bits(values[place])
        (got,) = backend.reduce(binding, "any")
        assert got == ((1.0, nonzero[0]) if len(nonzero) else (0.0, -1))
        if np.isnan(values).any():
            assert bits(backend.reduce(binding, "sum")[0].value) == bits(np.nan)


@pytest.mark.parametrize("n", SIZES)
def test_extremes_are_found_where_they_come_first(isa: str, n: int) -> None:
    backend = CpuBackend(2, isa)
    for values in cases(n):
        check_extremes(backend, layouts(values.reshape(-1, 1)), values)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_other_types_and_factors(isa: str, dtype: str) -> None:
    """A value comes multiplied, in double precision, and is not contracted with the addition."""
    stored = np.random.default_rng(2).integers(-1000, 1000, (2240, 2)).astype(dtype)
    scale = 1.1 if dtype == "float32" else 1.0
    values = stored.astype(float) * scale
    for binding in layouts(stored, dtype, scale):
        got = CpuBackend(1, isa).reduce(binding, "sum")
        assert [bits(one.value) for one in got] == [bits(tree(c)) for c in values.T]
        got = CpuBackend(1, isa).reduce(binding, "max")
        assert [one.value for one in got] == list(values.max(axis=0))


def test_without_points(isa: str) -> None:
    box = Box((0, 4, 4), (1, 0, 0), 0)
    expected = {"sum": 0.0, "min": math.inf, "max": -math.inf, "any": 0.0}
    for operation, value in expected.items():
        assert CpuBackend(2, isa).reduce(Binding(0, box, 2), operation) == [(value, -1)] * 2


def check_device(gpu: Any) -> None:
    """Memory of a device gives the bits that the host gives, in every layout."""
    host = CpuBackend()
    for n in (1, 33, 1024, 2240, 7000):
        values = noise(n, 3, n)
        for binding in layouts(values):
            there = to_device(gpu, binding)
            for operation in ("sum", "min", "max", "any"):
                expected = host.reduce(binding, operation)
                got = gpu.reduce(there, operation)
                assert [(bits(a), p) for a, p in got] == [(bits(a), p) for a, p in expected]
    for n in (33, 1025):
        for values in cases(n):
            bindings = [to_device(gpu, b) for b in layouts(values.reshape(-1, 1))]
            check_extremes(gpu, bindings, values)
    for dtype, scale in (("float32", 1.1), ("int32", 1.0), ("float64", 1e5 / 3)):
        stored = (noise(2240, 2) if dtype == "float64" else 100 * noise(2240, 2) % 50).astype(
            dtype
        )
        for binding in layouts(stored, dtype, scale):
            there = to_device(gpu, binding)
            for operation in ("sum", "max"):
                assert gpu.reduce(there, operation) == host.reduce(binding, operation)


def test_a_device_gives_the_bits_of_the_host(gpu: Any) -> None:
    check_device(gpu)


def test_memory_of_the_host_is_reduced_on_the_host(gpu: Any) -> None:
    values = noise(3000, 2)
    (binding, *_) = layouts(values)
    calls = len(gpu.device.api.calls)
    assert gpu.reduce(binding, "sum") == CpuBackend().reduce(binding, "sum")
    assert len(gpu.device.api.calls) == calls


# ---- masks --------------------------------------------------------------------------------------


def masks(n: int, dtype: str) -> Iterator[np.ndarray]:
    """Few blanked points, many, whole groups, all but the last, all."""
    random = np.random.default_rng(n)
    yield (random.random(n) > 0.05).astype(dtype)
    yield (random.random(n) > 0.95).astype(dtype) * -3
    yield (np.arange(n) // 1024 % 2).astype(dtype)
    yield (np.arange(n) == n - 1).astype(dtype)
    yield np.ones(n, dtype)
    yield np.zeros(n, dtype)


def counted(column: np.ndarray, on: np.ndarray, operation: str) -> tuple[float, int]:
    """The stated result of a column without the points that are blanked."""
    if operation == "sum":
        return tree(np.where(on, column, 0.0)), -1
    places = np.flatnonzero(on & (column != 0.0) if operation == "any" else on)
    if not places.size:
        return {"any": 0.0, "min": math.inf, "max": -math.inf}[operation], -1
    if operation == "any":
        return 1.0, int(places[0])
    best = (np.argmin if operation == "min" else np.argmax)(column[places])
    return float(column[places[best]]), int(places[best])


@pytest.mark.parametrize("n", [1, 33, 1024, 3 * 1024, 7000])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_blanked_points_do_not_count(n: int, dtype: str) -> None:
    """By every instruction set. What is blanked may be NaN, infinite, or have the value that is
    found."""
    backends: list[Any] = [CpuBackend(2, isa) for isa in library.available()]
    check_masks(backends, n, dtype, False)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize("values_there", [False, True])
@pytest.mark.parametrize("mask_there", [False, True])
def test_blanked_points_do_not_count_on_a_gpu(
    cuda: Any, dtype: str, values_there: bool, mask_there: bool
) -> None:
    """Values and masks in memory of both."""
    for n in (1, 33, 7000):
        check_masks([cuda], n, dtype, values_there, mask_there)


def check_masks(
    backends: list[Any], n: int, dtype: str, values_there: bool, mask_there: bool = False
) -> None:
    for mask in masks(n, dtype):
        on = mask != 0
        values = noise(n, 2)
        blanked = np.flatnonzero(~on)
        values[blanked[::3]], values[blanked[1::3]] = np.nan, -np.inf
        values[blanked[2::3], 0] = values[on, 0].min() if on.any() else 0.0
        for source in layouts(values):
            box = boxed(mask[:, None], source.box.extent, 1, False, dtype)
            for backend in backends:
                there = to_device(backend, source) if values_there else source
                where = to_device(backend, box) if mask_there else box
                for operation in ("sum", "min", "max", "any"):
                    found = backend.reduce(there, operation, where)
                    wanted = [counted(column, on, operation) for column in values.T]
                    assert [(bits(a), p) for a, p in found] == [(bits(a), p) for a, p in wanted]
