"""`struct Shared` of the per-run data, as the kernel libraries read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


class SharedStruct:
    """`struct Shared` of kernels/shared.h, filled; keeps the arrays that it points to.

    fields: members by name, int, float or float64 array (`physics.shared.SharedData.fields`).
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
