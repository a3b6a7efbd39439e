"""`struct Shared` of shared.h: its members, and a filled one in host memory.

The text between the two marks of the header is read when the package is built (compiled). The CPU
backend passes the filled struct to its kernels; a GPU has a layout of its own
(backends/gpu/layout.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from bridge.compiled.shared import ffi


@dataclass(frozen=True)
class Member:
    """kind: "pointer" or "array" of doubles, "double" or "int64_t"; length: of an array, 0 for
    the others."""

    name: str
    kind: str
    length: int = 0


@cache
def members() -> tuple[Member, ...]:
    """In the order of the header."""
    found = []
    for name, field in ffi.typeof("struct Shared").fields:
        if field.type.kind == "primitive":
            found.append(Member(name, field.type.cname))
        else:
            found.append(Member(name, field.type.kind, getattr(field.type, "length", 0)))
    return tuple(found)


def table(values: Any) -> np.ndarray:
    """What stands behind a pointer, flat; one NaN where there is nothing (no species): a read
    that should not be shows in the result."""
    array = np.ascontiguousarray(values, dtype=np.float64).ravel()
    return array if array.size else np.full(1, np.nan)


class SharedStruct:
    """A filled `struct Shared`; keeps the arrays that it points to.

    fields: members by name, int, float or float64 array (`physics.shared.SharedData.fields`).
    pointer: to the struct; address: the same as an integer.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.pointer: Any = ffi.new("struct Shared*")
        self._arrays: list[np.ndarray] = []
        for member in members():
            value = fields[member.name]
            if member.kind == "pointer":
                array = table(value)
                self._arrays.append(array)
                value = ffi.cast("double*", array.ctypes.data)
            elif member.kind == "array":
                value = [float(number) for number in value]
            setattr(self.pointer, member.name, value)

    @property
    def address(self) -> int:
        return int(ffi.cast("uintptr_t", self.pointer))
