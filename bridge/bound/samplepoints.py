"""Points of a launch: which ones, where they are, and their values, taken out of its arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.backends.base import Backend, Binding
from bridge.bound.pointsprogram import Values, host, places
from bridge.bound.samples import numbers
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan

Bindings = Mapping[str, Binding]


@dataclass(frozen=True)
class Sample:
    """block: number from 0 of each point; ijk: (points, 3), from the first point of its block, or
    of the box; number: how many points there were to choose from."""

    block: np.ndarray
    ijk: np.ndarray
    number: int

    def kept(self, those: np.ndarray | slice) -> Sample:
        return Sample(self.block[those], self.ijk[those], self.number)

    def __len__(self) -> int:
        return len(self.block)


def chosen(bindings: Bindings, most: int | None, wanted: int, call: int, rank: int) -> Sample:
    """About so many points of the arrays, pseudo-random by the number of the call and the rank;
    most: of the first ones, None of all of them."""
    like = next(iter(bindings.values()))
    for one in bindings.values():
        if any(one.box.stride) or one.blocks is not None:
            like = one
            break
    n = like.box.points if most is None else most
    if wanted >= n:
        picked = np.arange(n)
    else:
        drawn = numbers(call, rank, np.arange(wanted)) % np.uint64(max(n, 1))
        picked = np.unique(drawn.astype(np.int64))
    extents = np.array([like.box.extent])
    block = np.zeros(len(picked), np.int64)
    if like.blocks is not None:
        extents = np.asarray(like.blocks.extent).reshape(-1, 3)
        ends = np.cumsum(extents.prod(axis=1))
        block = np.searchsorted(ends, picked, side="right")
        picked = picked - np.concatenate([[0], ends])[block]
    nx, ny, _ = (extents[block, axis] for axis in range(3))
    nx, ny = np.maximum(nx, 1), np.maximum(ny, 1)
    ijk = np.stack([picked % nx, picked // nx % ny, picked // (nx * ny)], axis=1)
    return Sample(block, ijk, n)


def inputs(plan: Plan, bindings: Bindings, reads: Mapping[str, Fringe], sample: Sample,
           backend: Backend) -> Values:  # fmt: skip
    """What kernels get: (points, places, columns) of each input, scaled."""
    return {
        name: taken(bindings[name], reads[name], sample, backend,
                     plan.slots[slot].dtype == "int32")
        for name, slot in plan.inputs.items()
    }  # fmt: skip


def outputs(plan: Plan, bindings: Bindings, sample: Sample, backend: Backend) -> Values:
    """What kernels have left: (points, columns) of each output, without the caller's scale."""
    return {
        name: taken(bindings[name], Fringe(), sample, backend,
                     plan.slots[slot].dtype == "int32")[:, 0]
        for name, slot in plan.outputs.items()
    }  # fmt: skip


def taken(
    binding: Binding, reads: Fringe, sample: Sample, backend: Backend, whole: bool
) -> np.ndarray:
    """(points, places, columns) of an array, scaled; whole: of whole numbers."""
    around = places(reads)
    found = np.empty((len(sample), len(around), binding.columns), "int32" if whole else "float64")
    for those, part in _blocks(binding, sample):
        ijk = sample.ijk[those][:, None, :] + around[None, :, :]
        if binding.position:
            box = part.box
            values: Any = (box.offset + ijk @ np.array(box.stride))[..., None]
        else:
            grown = backend.ndarray(part.grown(reads) if reads else part)
            i, j, k = (_index(grown, ijk[..., axis] + reads.lower[axis]) for axis in range(3))
            values = np.moveaxis(host(grown[:, k, j, i]), 0, -1)
        if not whole:
            values = values.astype(np.float64) * binding.scale
        found[those] = values
    return found


def _index(array: Any, index: np.ndarray) -> Any:
    if isinstance(array, np.ndarray):
        return index
    import cupy

    return cupy.asarray(index)


def _blocks(binding: Binding, sample: Sample) -> Iterator[tuple[Any, Binding]]:
    """The points of each block of the sample, and the block."""
    if binding.blocks is None:
        yield slice(None), binding
        return
    for number in np.unique(sample.block).tolist():
        yield np.flatnonzero(sample.block == number), _block(binding, number)


def _block(binding: Binding, number: int) -> Binding:
    from dataclasses import replace

    part = binding.block(number)
    return replace(part, fringe=binding.fringe)
