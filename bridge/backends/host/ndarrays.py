"""NumPy arrays on memory that bindings say, for what Python does with points by itself."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from bridge.backends.base import Binding


def layout(binding: Binding) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and strides in bytes: components, z, y, x."""
    box, item = binding.box, binding.itemsize
    strides = (binding.box.data_stride, *reversed(box.stride))
    return (binding.columns, *reversed(box.extent)), tuple(item * step for step in strides)


def on_memory(binding: Binding) -> np.ndarray:
    """The points of a binding of one block where they lie: (components, nz, ny, nx)."""
    shape, strides = layout(binding)
    if not binding.elements:
        return np.empty(shape, binding.dtype)
    begin, end = binding.span
    memory: Any = (ctypes.c_char * (end - begin)).from_address(begin)
    memory.owner = binding.owner  # lives as long as the array
    offset = binding.address + binding.itemsize * binding.box.offset - begin
    return np.ndarray(shape, binding.dtype, memory, offset, strides)
