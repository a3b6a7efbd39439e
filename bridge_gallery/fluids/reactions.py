"""The reaction by the host or by a library: the document's way before it has it on the device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from bridge_gallery.fluids.launches import SETTINGS
from bridge_gallery.fluids.layouts import Halves
from bridge_gallery.fluids.reference import source_values
from bridge_gallery.rung import Call

_PREVIOUS = ("u0", "v0", "d0")
#: Rows whose temporaries stay in the cache of a CPU.
_ROWS = 32


def by_library(layout: Halves) -> Call:
    """Reductions of CuPy, whose results the host waits for, then zeros and sources."""
    return Call(partial(_by_library, layout))


def by_library_and_copies(layout: Halves) -> Call:
    """The same, after the previous fields went to the host and came back."""
    return Call(partial(_copied_first, layout))


def by_host(layout: Halves) -> Call:
    """All of it on the host: the previous fields go there and come back."""
    return Call(partial(_by_host, layout))


def _by_library(layout: Halves, arrays: Mapping[str, Any]) -> None:
    u0, v0, d0 = (arrays[name] for name in _PREVIOUS)
    density = float(d0.max())
    velocity = _largest_square(u0, v0) if isinstance(u0, np.ndarray) else float(_squares()(u0, v0))
    for field in (u0, v0, d0):
        field.fill(0)
    _put(layout, u0, v0, d0, velocity, density)


def _copied_first(layout: Halves, arrays: Mapping[str, Any]) -> None:
    kept = [_to_host(arrays[name]) for name in _PREVIOUS]
    for name, values in zip(_PREVIOUS, kept, strict=True):
        _to_device(arrays[name], values)
    _by_library(layout, arrays)


def _by_host(layout: Halves, arrays: Mapping[str, Any]) -> None:
    u0, v0, d0 = fields = [_to_host(arrays[name]) for name in _PREVIOUS]
    velocity, density = _largest_square(u0, v0), float(d0.max())
    for field in fields:
        field.fill(0)
    _put(layout, u0, v0, d0, velocity, density)
    for name, values in zip(_PREVIOUS, fields, strict=True):
        _to_device(arrays[name], values)


def _put(layout: Halves, u0: Any, v0: Any, d0: Any, velocity: float, density: float) -> None:
    if np.float32(velocity) < np.float32(5e-7):
        for which, field in enumerate((u0, v0)):
            _put_one(layout, field, which, SETTINGS.force)
    if density < 1.0:
        _put_one(layout, d0, 2, SETTINGS.source)


def _put_one(layout: Halves, field: Any, which: int, strong: float) -> None:
    n, values = layout.n, source_values(layout.n, which, strong)
    field[0, n // 2, n // 4] = np.float32(10 * strong)  # a red cell, as all of them are
    if not isinstance(field, np.ndarray):
        import cupy

        values = cupy.asarray(values)
    field[0, 64:n:64, 32 : n // 2 : 32] = values


def _largest_square(u: np.ndarray, v: np.ndarray) -> float:
    """On a CPU, few rows at a time."""
    u, v = (field.reshape(-1, field.shape[-1]) for field in (u, v))
    parts = range(0, len(u), _ROWS)
    return max(
        float((u[k : k + _ROWS] ** 2 + v[k : k + _ROWS] ** 2).max()) for k in parts
    )  # fmt: skip


@cache
def _squares() -> Any:
    import cupy

    return cupy.ReductionKernel(
        "float32 u, float32 v", "float32 most", "u * u + v * v", "max(a, b)", "most = a", "0",
        "bridge_largest_square",
    )  # fmt: skip


def _to_host(array: Any) -> np.ndarray:
    return array.copy() if isinstance(array, np.ndarray) else array.get()


def _to_device(array: Any, values: np.ndarray) -> None:
    if isinstance(array, np.ndarray):
        array[...] = values
    else:
        array.set(values)
