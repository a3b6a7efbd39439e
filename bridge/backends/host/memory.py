"""Arrays of views on the host, and C structs that describe memory to a kernel library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.blocks import Blocks
from bridge.plan.fringe import Fringe

#: Points and stride of each axis, x first.
Axes = tuple[tuple[int, int], ...]

#: Bytes of a cache line.
_LINE = 64


class HostArray(np.ndarray):
    """Memory of a view: (columns, capacity), point index fastest; address: of its first element.

    The address is kept because asking NumPy for it costs more than packing a few points. Slices
    do not inherit it.
    """

    address: int
    view_arguments: tuple[Any, int, bool]  # what a pack passes to C, made at the first one


def allocate(columns: int, capacity: int, dtype: str) -> HostArray:
    """A zeroed array whose columns are aligned to cache lines.

    Columns lie an odd number of lines apart: at a distance of 4096 bytes, as columns of 512
    points would be, all of them would fall into the same few places of a core's first cache.
    """
    itemsize = np.dtype(dtype).itemsize
    step = (-(-capacity * itemsize // _LINE) | 1) * _LINE
    raw = np.zeros(columns * step + _LINE, dtype=np.uint8)
    skip = -raw.ctypes.data % _LINE
    rows = raw[skip : skip + columns * step].reshape(columns, step)
    array = rows.view(dtype)[:, :capacity].view(HostArray)
    array.address = array.ctypes.data
    return array


def address_of(array: Any) -> int:
    """Address of an array from `allocate`, or of any NumPy array's first element."""
    try:
        return int(array.address)
    except AttributeError:
        return int(array.ctypes.data)


#: Codes of an array's elements in kernels/cpu/interface.h.
TYPES = {"float64": 0, "int32": 1, "float32": 2}
_POSITION = 3


def fill_array(
    struct: Any,
    ffi: Any,
    binding: Binding,
    axes: Axes | None = None,
    table: np.ndarray | None = None,
) -> None:
    """Describe a binding, which has to live as long, in a `bridge_array`; axes: its points, None
    to join its axes where memory runs on; table: the caller's, of its blocks, None for theirs."""
    if binding.blocks is not None:
        fill_blocks(struct.blocks, ffi, binding.blocks, table)
        axes = ((binding.box.points, binding.box.stride[0]), (1, 0), (1, 0))
    box = binding.box
    if axes is None:
        axes = joined_axes([box])[0]
    struct.address = ffi.cast("void*", binding.address)
    struct.box.extent[0:3] = [n for n, _ in axes]
    struct.box.stride[0:3] = [step for _, step in axes]
    struct.box.axis[0:3] = box.stride
    struct.box.data_stride = box.data_stride
    struct.box.offset = box.offset
    struct.scale = binding.scale
    struct.columns = binding.columns
    struct.type = _POSITION if binding.position else TYPES[binding.dtype]


def fill_points(struct: Any, ffi: Any, binding: Binding) -> None:
    """Describe a binding in a `bridge_points`: in bytes, of a position in positions."""
    box, item = binding.box, 1 if binding.position else binding.itemsize
    struct.address = ffi.cast("char*", binding.address + item * box.offset)
    struct.stride[0:3] = [item * step for step in box.stride]
    struct.column_stride = item * box.data_stride
    struct.scale = binding.scale
    struct.columns = binding.columns
    struct.type = _POSITION if binding.position else TYPES[binding.dtype]


def fill_cells(
    struct: Any, ffi: Any, binding: Binding, fringe: Fringe, first: Sequence[int]
) -> None:
    """Describe the cells of a binding, so many layers around its box among them, in a
    `bridge_cells`; first: position of its first point."""
    box, item = binding.box, binding.itemsize
    struct.origin = ffi.cast("char*", binding.address + item * box.offset)
    struct.stride[0:3] = [item * step for step in box.stride]
    struct.column_stride = item * box.data_stride
    struct.first[0:3] = first
    struct.low[0:3] = [at - n for at, n in zip(first, fringe.lower, strict=True)]
    last = zip(first, box.extent, fringe.upper, strict=True)
    struct.high[0:3] = [at + n - 1 + above for at, n, above in last]
    struct.scale = binding.scale
    struct.type = TYPES[binding.dtype]


def fill_blocks(struct: Any, ffi: Any, blocks: Blocks, table: np.ndarray | None = None) -> None:
    """Describe many blocks in a `bridge_blocks`."""
    boxes = blocks.table if table is None else table
    struct.boxes = ffi.cast("bridge_box*", boxes.ctypes.data)
    struct.first = ffi.cast("int64_t*", blocks.first.ctypes.data)
    struct.count = blocks.count


def joined_axes(boxes: Sequence[Box]) -> list[Axes]:
    """Points and strides of boxes of one extent, with neighbouring axes joined where that is one
    row of all of them: an interior without fringes is one row."""
    extent = boxes[0].extent
    points: list[int] = []
    strides: list[list[int]] = [[] for _ in boxes]
    for axis in [axis for axis in range(3) if extent[axis] != 1] or [0]:
        steps = [box.stride[axis] for box in boxes]
        if points and all(
            step == points[-1] * mine[-1] for step, mine in zip(steps, strides, strict=True)
        ):
            points[-1] *= extent[axis]
            continue
        points.append(extent[axis])
        for step, mine in zip(steps, strides, strict=True):
            mine.append(step)
    missing = 3 - len(points)
    return [
        tuple(zip(points + [1] * missing, mine + [points[-1] * mine[-1]] * missing, strict=True))
        for mine in strides
    ]
