"""Arrays of the bridge's own that stand for a caller's: the same points, another memory.

A leaf beside PointSet. They lie in the host's memory, components behind each other, whatever the
caller's order is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.blocks import Blocks
from bridge.plan.fringe import Fringe
from bridge.resident.shadow import elements

NO_FRINGE = Fringe()


@dataclass(frozen=True)
class Temporary:
    """binding: what stands for `source`; both with the layers `around` are `near` and `far`."""

    binding: Binding
    near: Binding
    far: Binding
    around: Fringe

    def refresh(self) -> None:
        """The caller's values, its fringe's as far as they are there."""
        for near, far in zip(blocks_of(self.near), blocks_of(self.far), strict=True):
            elements(near)[...] = elements(far)

    def refresh_from(self, source: Binding) -> None:
        """Those of another box of the same shape; `source` may be positions of points."""
        far, near = source.grown(self.around), elements(self.near)
        if far.position:
            box = far.box
            steps = (range(n) for n in reversed(box.extent))
            k, j, i = np.meshgrid(*steps, indexing="ij")
            near[0] = box.offset + box.stride[0] * i + box.stride[1] * j + box.stride[2] * k
        else:
            near[...] = elements(far)

    def clear(self) -> None:
        """No values: what is not written is seen."""
        values: np.ndarray = self.near.owner
        values.fill(np.nan if values.dtype.kind == "f" else np.iinfo(values.dtype).min)


def temporary(source: Binding, around: Fringe = NO_FRINGE) -> Temporary:
    """Memory for the points of a bound array and the layers around them, as far as it has them;
    values are whatever was there."""
    if not source.position:
        around = source.cells(around) if around.cells else around & source.fringe
    far = source.grown(around)
    elements_ = max(far.box.points * far.columns, 1)
    memory = np.empty(elements_, source.dtype)
    own = replace(
        source, address=memory.ctypes.data, owner=memory, resident=False, position=False,
        layers=NO_FRINGE, section=False,
    )  # fmt: skip
    if far.blocks is not None:
        flat = Blocks.flat(far.blocks.extent)
        near = replace(own.at(flat), fringe=Fringe())
        inner = replace(own.at(flat.inner(around)), fringe=around)
        return Temporary(inner, near, far, around)
    ni, nj, _ = far.box.extent
    box = Box(far.box.extent, (1, ni, ni * nj), far.box.points)
    near = replace(own, box=box, fringe=Fringe())
    x, y, z = around.lower
    return Temporary(near.part((x, y, z), source.box.extent), near, far, around)


def blocks_of(binding: Binding) -> Iterator[Binding]:
    """The binding, or of many blocks that of each one."""
    if binding.blocks is None:
        yield binding
        return
    for extent, stride, data, offset in zip(
        binding.blocks.extent.tolist(), binding.blocks.stride.tolist(),
        binding.blocks.data_stride.tolist(), binding.blocks.offset.tolist(), strict=True,
    ):  # fmt: skip
        box = Box(tuple(extent), tuple(stride), data, offset)
        yield replace(binding, box=box, blocks=None)
