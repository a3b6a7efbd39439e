"""Whether a box of memory contains another one, against the elements themselves."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from bridge.backends.base import Binding, Box
from bridge.resident.boxes import contains


def elements(binding: Binding) -> set[int]:
    """Bytes at which elements begin."""
    box = binding.box
    sides = (range(n) for n in (*box.extent, binding.columns))
    steps = (*box.stride, box.data_stride)
    places = (sum(i * step for i, step in zip(at, steps, strict=True)) for at in product(*sides))
    return {binding.address + (box.offset + place) * binding.itemsize for place in places}


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_boxes_of_one_array(seed: int, first: bool) -> None:
    """Some lie in each other, some beside; a plane and a point are boxes too."""
    random = np.random.default_rng(seed)
    nx, ny, nz, nc = random.integers(1, 5, 4).tolist()
    stride = (nc, nc * nx, nc * nx * ny) if first else (1, nx, nx * ny)
    whole = Binding(4096, Box((nx, ny, nz), stride, 1 if first else nx * ny * nz), nc)

    def some() -> Binding:
        i, j, k, c = (int(random.integers(0, n)) for n in (nx, ny, nz, nc))
        sizes = zip((nx, ny, nz, nc), (i, j, k, c), strict=True)
        x, y, z, columns = (int(random.integers(1, n - at + 1)) for n, at in sizes)
        return whole.part((i, j, k), (x, y, z)).columns_from(c, columns)

    for _ in range(40):
        outer, inner = some(), some()
        assert contains(outer, inner) == (elements(inner) <= elements(outer)), (outer, inner)
        moved = replace(inner, address=inner.address + 4)
        assert not contains(outer, moved), "between the elements"


def test_another_shape_tells_nothing() -> None:
    """Records of two and columns of the same memory: contained or not, it is not said."""
    columns = Binding(4096, Box((8, 1, 1), (1, 8, 8), 8), 2)
    records = Binding(4096, Box((8, 1, 1), (2, 16, 16), 1), 2)
    assert not contains(columns, records) and not contains(records, columns)
    assert not contains(columns, replace(columns, dtype="float32"))
