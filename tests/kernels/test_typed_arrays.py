"""Arrays of float32 and int32 that stand for real quantities: on the CPU with every instruction
set, and by every transfer to a stand-in device."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from kernels.cuda_cases import CATALOGUE, NS, SPECIES, on_pages

from bridge.backends.base import ITEMSIZES, Binding, Box, bound, check_types
from bridge.backends.cpu import CpuBackend
from bridge.backends.host import library
from bridge.errors import ArgumentError
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

SHAPE, FRINGE = (19, 5, 3), 2
POINTS = int(np.prod(SHAPE))
UNTOUCHED = -77


def fringed(
    dtype: str, columns: int, layout: str, scale: float
) -> tuple[np.ndarray, Binding, np.ndarray]:
    """Memory of a 4-D array with fringes, its binding, its interior as (x, y, z, column)."""
    full = [n + 2 * FRINGE for n in SHAPE]
    shape = (columns, *full) if layout == "first" else (*full, columns)
    words = on_pages((-(-int(np.prod(shape)) * ITEMSIZES[dtype] // 8),))
    array = words.view(dtype)[: np.prod(shape)].reshape(shape, order="F")
    array[...] = UNTOUCHED
    inner = tuple(slice(FRINGE, FRINGE + n) for n in SHAPE)
    first = layout == "first"
    view = np.moveaxis(array[(slice(None), *inner)], 0, -1) if first else array[inner]
    strides = [step // array.itemsize for step in view.strides]
    offset = (view.__array_interface__["data"][0] - array.ctypes.data) // array.itemsize
    box = Box(SHAPE, (strides[0], strides[1], strides[2]), strides[3], offset)
    return array, Binding(array.ctypes.data, box, columns, scale, dtype, owner=words), view


def values(dtype: str) -> np.ndarray:
    """Leading mass fractions in units of 1/8, any whole number of them, with an infinity where the
    type has one."""
    random = np.random.default_rng(5)
    leading = random.integers(-40, 40, (*SHAPE, NS - 1)).astype(dtype)
    if dtype != "int32":
        leading += random.random(leading.shape).astype(dtype)
        leading[3, 1, 2, 0] = np.inf
    return leading


def expected(leading: np.ndarray, out: str, scale_in: float, scale_out: float) -> np.ndarray:
    """What NumPy makes of it: in doubles, rounded once at the end, no finite number infinite."""
    whole = np.empty((*SHAPE, NS))
    whole[..., :-1] = leading.astype("f8") * scale_in
    total = np.zeros(SHAPE)
    for column in range(NS - 1):
        total = total + whole[..., column]
    whole[..., -1] = 1.0 - total
    whole /= scale_out
    with np.errstate(over="ignore"):
        stored = whole.astype(out)
    stored[np.isinf(stored) & np.isfinite(whole)] = np.nan
    return stored


CASES = [("float32", "float32"), ("float32", "float64"), ("float64", "float32"),
         ("int32", "float64"), ("int32", "float32")]  # fmt: skip
SCALES = [(0.125, 1.0), (1.0, 8.0), (0.125, 1e-39)]


def check(
    backend: Any, layout: str, run: Callable[[Any], object], transfers: str | None = None
) -> None:
    """completeMassFractions between arrays of each pair of types."""
    backend.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    for (given, made), (scale_in, scale_out) in product(CASES, SCALES):
        _, source, leading = fringed(given, NS - 1, layout, scale_in)
        array, target, whole = fringed(made, NS, layout, scale_out)
        leading[...] = values(given)
        for binding in (source, target):
            backend.adopt(binding)
        program = backend.program(plan, {"Y_leading": source, "Y": target})
        for _ in range(3):  # on a GPU as calls, captured, replayed
            whole[...] = 0
            run(program)
            wanted = expected(leading, made, scale_in, scale_out)
            np.testing.assert_array_equal(whole, wanted, err_msg=f"{given} {made} {scale_out}")
            lost = made == "float32" and scale_out == 1e-39
            assert np.isnan(wanted).any() == lost, "finite numbers that float32 does not hold"
            assert np.isinf(wanted).any() == (given != "int32"), "infinities stay"
        if transfers is not None:
            found = program._pipelines[True].arrays
            assert {type(one).__name__ for one in found.transfers.values()} == {transfers}
            assert found.transfers["Y_leading"].bytes == (NS - 1) * ITEMSIZES[given]
            pool = [(one.chunk_dtype, one.binding.dtype) for one in found.transfers.values()]
            if transfers in ("Strided", "Staged"):  # they cross the link in their own size
                assert all(chunk == bound for chunk, bound in pool)
        whole[...] = UNTOUCHED
        assert (array == UNTOUCHED).all(), "fringes stay"
        for binding in (source, target):
            backend.release(binding)


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("isa", library.ISAS)
def test_on_the_cpu(isa: str, layout: str) -> None:
    if isa not in library.available():
        pytest.skip(f"this CPU does not run {isa}")

    def run(program: Any) -> None:
        program.run(0, 50)
        program.run(50, POINTS - 50)

    check(CpuBackend(2, isa), layout, run)


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("locked", [True, False])
def test_by_every_transfer_to_a_device(
    gpu: Any, layout: str, locked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not locked:
        monkeypatch.setattr(gpu.device.api, "lock", lambda *_: False)
    kind = ("Transposed" if layout == "first" else "Strided") if locked else "Staged"
    check(gpu, layout, lambda program: program.run_box(POINTS, 100), kind)
    if locked:  # points in any order, by a kernel that reaches the host
        check(gpu, layout, lambda program: program.run(0, POINTS))


def test_a_kept_input_has_the_size_of_its_elements(gpu: Any) -> None:
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, leading = fringed("float32", NS - 1, "last", 0.125)
    _, target, whole = fringed("float64", NS, "last", 1.0)
    leading[...] = values("float32")
    for binding in (source, target):
        gpu.adopt(binding)
    program = gpu.program(plan, {"Y_leading": source, "Y": target})
    sizes: list[int] = []
    allocate = gpu.device.allocator.device

    def watched(size: int, what: str) -> Any:
        if what.startswith("keeping"):
            sizes.append(size)
        return allocate(size, what)

    gpu.device.kept_inputs._allocator.device = watched
    for _ in range(3):
        whole[...] = 0.0
        program.run_box(POINTS, 100, ("Y_leading",))
        np.testing.assert_array_equal(whole, expected(leading, "float64", 0.125, 1.0))
    assert sizes == [POINTS * (NS - 1) * 4]


@pytest.mark.parametrize("quantity", ["float64", "int32"])
@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("array", ["float64", "float32", "int32", "float16"])
def test_what_holds_what(array: str, written: bool, quantity: str) -> None:
    good = {
        "float64": True,
        "float32": quantity == "float64",
        "int32": quantity == "int32" or not written,
        "float16": False,
    }
    if good[array]:
        check_types("x", array, quantity, written)
        return
    with pytest.raises(ArgumentError, match="argument x: got (elements of|dtype) \\w+"):
        check_types("x", array, quantity, written)


def test_a_plan_refuses_what_loses_its_range() -> None:
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, _ = fringed("int32", NS - 1, "last", 1.0)
    _, target, _ = fringed("int32", NS, "last", 1.0)
    with pytest.raises(ArgumentError, match="Y: got elements of int32 for a real quantity"):
        bound(plan, {"Y_leading": source, "Y": target})
