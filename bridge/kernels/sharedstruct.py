"""`struct Shared` of shared.h: its members, and a filled one in host memory.

The one reader of the text between the two marks of the header. The CPU backend passes the filled
struct to its kernels; a GPU has a layout of its own (backends/gpu/layout.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import cffi
import numpy as np

from bridge.kernels import file


@dataclass(frozen=True)
class Member:
    """kind: "pointer" or "array" of doubles, "double" or "int64_t"; length: of an array, 0 for
    the others."""

    name: str
    kind: str
    length: int = 0


@cache
def _ffi() -> cffi.FFI:
    text = file("shared.h").read_text(encoding="utf-8")
    ffi = cffi.FFI()
    ffi.cdef(text.split("/* begin shared */")[1].split("/* end shared */")[0])
    return ffi


@cache
def members() -> tuple[Member, ...]:
    """In the order of the header."""
    found = []
    for name, field in _ffi().typeof("struct Shared").fields:
        if field.type.kind == "primitive":
            found.append(Member(name, field.type.cname))
        else:
            found.append(Member(name, field.type.kind, getattr(field.type, "length", 0)))
    return tuple(found)


class SharedStruct:
    """A filled `struct Shared`; keeps the arrays that it points to.

    fields: members by name, int, float or float64 array (`physics.shared.SharedData.fields`).
    pointer: to the struct; address: the same as an integer.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        ffi = _ffi()
        self.pointer: Any = ffi.new("struct Shared*")
        self._arrays: list[np.ndarray] = []
        for member in members():
            value = fields[member.name]
            if member.kind == "pointer":
                array = np.ascontiguousarray(value, dtype=np.float64)
                self._arrays.append(array)
                value = ffi.cast("double*", array.ctypes.data)
            elif member.kind == "array":
                value = [float(number) for number in value]
            setattr(self.pointer, member.name, value)

    @property
    def address(self) -> int:
        return int(_ffi().cast("uintptr_t", self.pointer))
