"""Arrays of views on the host, and C structs that describe memory to a kernel library."""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box

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


def fill_array(struct: Any, ffi: Any, binding: Binding) -> None:
    """Describe a binding in a `bridge_array`, axes merged where memory runs on."""
    extent, stride = _merged(binding.box)
    struct.address = ffi.cast("void*", binding.address)
    struct.box.extent[0:3] = extent
    struct.box.stride[0:3] = stride
    struct.box.data_stride = binding.box.data_stride
    struct.box.offset = binding.box.offset
    struct.scale = binding.scale
    struct.columns = binding.columns
    struct.is_int32 = binding.dtype == "int32"


def _merged(box: Box) -> tuple[list[int], list[int]]:
    """Extent and stride with neighbouring axes joined: an interior without fringes is one row."""
    axes = [(n, step) for n, step in zip(box.extent, box.stride, strict=True) if n != 1]
    joined: list[tuple[int, int]] = []
    for n, step in axes or [(1, 1)]:
        if joined and step == joined[-1][0] * joined[-1][1]:
            joined[-1] = (joined[-1][0] * n, joined[-1][1])
        else:
            joined.append((n, step))
    last = joined[-1][0] * joined[-1][1]
    joined += [(1, last)] * (3 - len(joined))
    return [n for n, _ in joined], [step for _, step in joined]
