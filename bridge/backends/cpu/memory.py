"""Arrays of views on the host, and C structs that describe memory to the executor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.errors import ArgumentError

#: Bytes of a cache line.
_LINE = 64


class HostArray(np.ndarray):
    """Storage of a view: (columns, extent), point index fastest; address: of its first element.

    The address is kept because asking NumPy for it costs more than packing a few points. Slices
    do not inherit it.
    """

    address: int
    view_arguments: tuple[Any, int, bool]  # what a pack passes to C, made at the first one


def allocate(columns: int, extent: int, dtype: str) -> HostArray:
    """A zeroed array whose columns are aligned to cache lines.

    Columns lie an odd number of lines apart: at a distance of 4096 bytes, as columns of 512
    points would be, all of them would fall into the same few places of a core's first cache.
    """
    itemsize = np.dtype(dtype).itemsize
    step = (-(-extent * itemsize // _LINE) | 1) * _LINE
    raw = np.zeros(columns * step + _LINE, dtype=np.uint8)
    skip = -raw.ctypes.data % _LINE
    rows = raw[skip : skip + columns * step].reshape(columns, step)
    array = rows.view(dtype)[:, :extent].view(HostArray)
    array.address = array.ctypes.data
    return array


def address_of(array: Any) -> int:
    """Address of an array from `allocate`, or of any NumPy array's first element."""
    try:
        return int(array.address)
    except AttributeError:
        return int(array.ctypes.data)


def check(name: str, binding: Binding, columns: int, dtype: str) -> None:
    """Whether a binding can stand for a quantity; ArgumentError if not.

    An int32 quantity may live in a float64 array (Fortran's status in a real array), not the
    other way round.
    """
    if binding.columns != columns:
        raise ArgumentError(name, f"{binding.columns} components", f"{columns} components")
    if binding.dtype not in ("float64", "int32"):
        raise ArgumentError(name, f"dtype {binding.dtype}", "float64 or int32")
    if binding.dtype == "int32" and dtype != "int32":
        raise ArgumentError(name, "dtype int32", "float64")


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


class SharedStruct:
    """`struct Shared` of kernels/shared.h, filled; keeps the arrays that it points to.

    fields: members by name, int, float or float64 array (`bridge.shared.SharedData.fields`).
    """

    def __init__(self, ffi: Any, fields: Mapping[str, Any]) -> None:
        self.pointer = ffi.new("struct Shared*")
        self._arrays: list[np.ndarray] = []
        for name, member in ffi.typeof("struct Shared").fields:
            value = fields[name]
            if member.type.kind == "pointer":
                array = np.ascontiguousarray(value, dtype=np.float64)
                self._arrays.append(array)
                value = ffi.cast("double*", array.ctypes.data)
            elif member.type.kind == "array":
                value = [float(number) for number in value]
            setattr(self.pointer, name, value)


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


def offsets(lengths: list[int], lives: list[tuple[int, int]]) -> tuple[list[int], int]:
    """Places in one scratch for values that live over given steps; those that never live at the
    same time share memory, so that a block's working set stays in the cache.

    lengths: of each value, in bytes; lives: (first step, last step) of each, (0, -1) for none.
    Returns offsets and the whole length.
    """
    places = [0] * len(lengths)
    taken: list[tuple[int, int, int]] = []  # offset, end, last step of its life
    whole = 0
    for value in sorted(_living(lives), key=lambda v: (lives[v][0], -lengths[v])):
        begin, end = lives[value]
        taken = sorted(piece for piece in taken if piece[2] >= begin)
        place = 0
        for low, high, _ in taken:
            if low - place >= lengths[value]:
                break
            place = max(place, high)
        places[value] = place
        taken.append((place, place + lengths[value], end))
        whole = max(whole, place + lengths[value])
    return places, whole


def _living(lives: list[tuple[int, int]]) -> Iterator[int]:
    return (value for value, (begin, end) in enumerate(lives) if end >= begin)
