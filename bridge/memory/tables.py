"""Tables of kernel packs: values that the host hands over by name, and kernels look up.

Beside `constants`, owned by TVImpl. The data are copied: the host's array may go away.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bridge import caches
from bridge.arguments import real_numbers
from bridge.backends.base import Backend
from bridge.errors import ArgumentError, StateError
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import Table

#: Values that a table may have: a GPU counts them with 32 bits.
MOST_VALUES = 2**31 - 1


class Tables:
    """The tables of a Frame that have been filled."""

    def __init__(self, backend: Backend, catalogue: Catalogue) -> None:
        self._backend = backend
        self._catalogue = catalogue
        self._filled: dict[str, np.ndarray] = {}

    def checked(self, name: str, values: Any) -> np.ndarray:
        """What `fill` may be told; ArgumentError where it is no array for this table."""
        return converted(self._catalogue.table(name), values)

    def fill(self, name: str, values: np.ndarray) -> None:
        """New contents, for every run and launch from now on."""
        self._backend.set_table(name, values)
        self._filled[name] = values

    def digests(self) -> dict[str, str]:
        """Of what each table holds."""
        return {
            name: caches.sha256(f"{values.shape}".encode() + values.tobytes("F")).hex()
            for name, values in self._filled.items()
        }

    def need(self, launch: str, names: Iterable[str]) -> None:
        """StateError where nobody has filled one of these."""
        for name in names:
            if name not in self._filled:
                raise StateError(
                    f"{launch} needs the table '{name}' of {self._catalogue.table(name).file}, "
                    f"and nobody filled it: call frame_table('{name}', ...) first"
                )


def converted(table: Table, values: Any) -> np.ndarray:
    """A copy of a table's values in Fortran's order, first index fastest."""
    argument = f"values of '{table.name}'"
    array = real_numbers(argument, values, table.unit)
    if array.ndim != table.rank or (table.size and array.shape != table.size):
        wanted = f"shape {table.size}" if table.size else f"an array of rank {table.rank}"
        raise ArgumentError(argument, f"shape {array.shape}", wanted)
    if not 0 < array.size <= MOST_VALUES:
        wanted = f"1 to {MOST_VALUES} values"
        raise ArgumentError(argument, f"shape {array.shape}", wanted)
    return np.array(array, dtype=np.float64, order="F")
