"""Boxes that are flat in some direction, by every transfer to a stand-in device."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from kernels.cuda_cases import CATALOGUE, NS, SPECIES, fringed

from bridge.backends.base import Box
from bridge.backends.gpu.chunks import Chunk, axes, plan_copies
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

SHAPES = [*product((1, 7), (1, 5), (1, 4))]


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("chunk", [1, 3, 8, 1000])
@pytest.mark.parametrize("fringe", [((2, 1), (1, 3), (2, 2)), ((0, 0),) * 3])
def test_planes_rows_and_points(
    gpu: Any, layout: str, locked: bool, chunk: int, fringe: Any
) -> None:
    """completeMassFractions: NumPy must agree bit for bit, fringes stay."""
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    for shape in SHAPES:
        points = int(np.prod(shape))
        _, source, leading = fringed(shape, fringe, NS - 1, layout, 1)
        array, target, whole = fringed(shape, fringe, NS, layout, 2)
        for binding in (source, target):
            if locked:
                gpu.adopt(binding)
        program = gpu.program(plan, {"Y_leading": source, "Y": target})
        for said in ((), (), ("Y_leading",), ("Y_leading",)):
            whole[...] = 0.0
            outside = array.sum()
            if not said:
                leading[...] = np.random.default_rng(7).random(leading.shape)
            program.run_box(points, chunk, said)
            np.testing.assert_array_equal(whole[..., :-1], leading)
            rounding = whole.shape[-1] * np.finfo(float).eps * np.abs(whole).sum(-1)
            assert (np.abs(whole.sum(-1) - 1.0) <= rounding).all()
            whole[...] = 0.0
            assert array.sum() == outside
        kinds = {type(one).__name__ for one in program._pipelines[True].arrays.transfers.values()}
        assert kinds == {
            ("Transposed" if layout == "first" else "Strided") if locked else "Staged"
        }
        for binding in (source, target):
            gpu.release(binding)


@pytest.mark.parametrize("layout", ["last", "first"])
@pytest.mark.parametrize("fringe", [0, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_copies_of_any_box_whose_rows_run_on_or_are_points(
    layout: str, fringe: Any, shape: Any
) -> None:
    """Element by element: what a plan of copies moves is what the box says."""
    columns, stride = 3, 200
    full = [n + fringe for n in shape]
    far = (columns, *full) if layout == "first" else (*full, columns)
    steps = np.cumprod([1, *far[:-1]])
    where, data = (steps[1:], 1) if layout == "first" else (steps[:3], int(steps[3]))
    box = Box(shape, (int(where[0]), int(where[1]), int(where[2])), data)
    if box.stride[0] != 1 and shape[0] != 1:
        pytest.skip("rows with holes are no work of the copy engines")
    copies = plan_copies(axes(box, Chunk((0, 0, 0), shape, 0), columns, stride), 8)
    moved = set()
    one = copies.shape
    for far_at, near_at in copies.places:
        for z, y, x in product(range(one.depth), range(one.height), range(0, one.width, 8)):
            a = far_at + (z * one.far_rows + y) * one.far_pitch + x
            b = near_at + (z * one.near_rows + y) * one.near_pitch + x
            moved.add((a // 8, b // 8))
    i, j, k, c = (index.ravel() for index in np.indices((*shape, columns)))
    there = i * where[0] + j * where[1] + k * where[2] + c * data
    here = i + shape[0] * (j + shape[1] * k) + c * stride
    assert moved == {(int(a), int(b)) for a, b in zip(there, here, strict=True)}


@pytest.mark.parametrize("whose", ["host", "device"])
def test_only_memory_of_a_device_makes_a_run_wait_for_all_of_it(
    gpu: Any, whose: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody says on which stream that was written; arrays of the host are there when the call
    comes, whichever transfer they take."""
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    _, source, leading = fringed((7, 5, 4), ((1, 1),) * 3, 9 * NS, "first", 1)
    array, target, whole = fringed((7, 5, 4), ((1, 1),) * 3, NS, "last", 2)
    if whose == "device":
        monkeypatch.setitem(gpu.device.api.foreign, source.address, (source.owner.nbytes, 0))
    few = replace(source, columns=NS - 1)
    gpu.adopt(few)
    gpu.adopt(target)
    program, waited = gpu.program(plan, {"Y_leading": few, "Y": target}), []
    monkeypatch.setattr(gpu.device.api, "synchronize", lambda: waited.append(True))
    for _ in range(3):
        program.run_box(140, 40)
    np.testing.assert_array_equal(whole[..., :-1], leading[..., : NS - 1])
    assert type(program._pipelines[True].arrays.transfers["Y_leading"]).__name__ == "Gathered"
    assert len(waited) == (3 if whose == "device" else 0)
