"""Tables of the host in C structs: what kernels of the CPU look values up in."""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.errors import StateError
from bridge.plan.plan import Plan


class HostTables:
    """A struct for each table that was filled, in which a new array takes the place of the old;
    ffi: of the kernel libraries."""

    def __init__(self, ffi: Any) -> None:
        self._ffi = ffi
        self._structs: dict[str, Any] = {}
        self._values: dict[str, np.ndarray] = {}

    def fill(self, name: str, values: np.ndarray) -> None:
        """values: in Fortran's order; kept here."""
        struct = self._structs.setdefault(name, self._ffi.new("bridge_table*"))
        struct.data = self._ffi.cast("double*", values.ctypes.data)
        struct.size[0:3] = padded(values.shape)
        self._values[name] = values

    def address(self, name: str) -> int:
        """Of the struct of a table that was filled; it stays."""
        return int(self._ffi.cast("intptr_t", self._structs[name]))

    def of(self, plan: Plan) -> list[Any]:
        """The structs of a plan's tables; StateError where nobody has filled one."""
        for name in plan.tables:
            if name not in self._structs:
                raise StateError(f"{plan.name} needs the table '{name}': call set_table first")
        return [self._structs[name] for name in plan.tables]


def padded(shape: tuple[int, ...]) -> list[int]:
    """Three sizes, 1 for each dimension that is not there."""
    return [*shape, *(1 for _ in range(3 - len(shape)))]
