"""What a primitive works on: a view by its name, a bound array by set and name, an array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bridge.bound.boundsets import BoundSets
from bridge.errors import ArgumentError, StateError
from bridge.memory.viewuse import me
from bridge.primitives.points import namespace
from bridge.tvimpl import TVImpl

#: "rho", ("cells", "rho"), or an array (n,) or (components, n) of NumPy or CuPy.
Operand = Any


@dataclass(frozen=True)
class Place:
    """Values where they lie. array: (components, nz, ny, nx); points: how many have values; room:
    for how many there is memory; scale: of the values; done: to call after they were written."""

    array: Any
    points: int
    room: int
    scale: float
    label: str
    done: Callable[[int], None]

    @property
    def xp(self) -> Any:
        return namespace(self.array)

    def _places(self, points: Any) -> tuple[Any, Any, Any]:
        _, _, nj, ni = self.array.shape
        row = points // ni
        return row // nj, row % nj, points % ni

    def all(self) -> Any:
        """(components, n) in the unit of the catalogue, a copy."""
        flat = self.array.reshape(self.array.shape[0], -1)[:, : self.points]
        return self._read(flat.copy())

    def take(self, points: Any) -> Any:
        """(components, m) of these points."""
        k, j, i = self._places(points)
        return self._read(self.array[:, k, j, i])

    def put(self, points: Any, values: Any) -> None:
        """Values (components, m) to these points."""
        k, j, i = self._places(points)
        self.array[:, k, j, i] = values

    def _read(self, values: Any) -> Any:
        if values.dtype == np.float32:
            values = values.astype(np.float64)
        return values if self.scale == 1.0 else values * self.scale

    def stored(self, values: Any) -> Any:
        """Values as memory has them; what is no number of its type becomes NaN, or is refused."""
        dtype = self.array.dtype
        if dtype.kind == "i":
            return self._whole(values)
        real = values.astype(np.float64)
        real = real if self.scale == 1.0 else real / self.scale
        if dtype != np.float32:
            return real
        with np.errstate(over="ignore"):
            short = real.astype(dtype)
        xp = self.xp
        return xp.where(xp.isinf(short) & xp.isfinite(real), dtype.type(np.nan), short)

    def _whole(self, values: Any) -> Any:
        """As integers; ArgumentError for the first that is none of the memory's type."""
        dtype, limits = self.array.dtype, np.iinfo(self.array.dtype)
        if values.dtype.kind == "b":
            return values.astype(dtype)
        fits = (values >= limits.min) & (values <= limits.max) & (values == values.round())
        if not bool(fits.all()):
            wrong = values.reshape(-1)[int(fits.reshape(-1).argmin())]
            raise ArgumentError("values", float(wrong), f"whole numbers of {dtype}, {self.label}")
        return values.astype(dtype)


class Operands:
    """Of one Frame."""

    def __init__(self, impl: TVImpl, bound: BoundSets) -> None:
        self._impl = impl
        self._bound = bound

    def place(self, call: str, argument: str, operand: Operand, written: bool = False) -> Place:
        """Where an operand lies; ArgumentError for none, and for one that must not be written."""
        if isinstance(operand, str):
            return self._view(call, operand, written)
        if isinstance(operand, tuple) and len(operand) == 2 and isinstance(operand[0], str):
            return self._array(call, *operand, written)
        array = operand if hasattr(operand, "shape") else np.asarray(operand)
        if array.ndim not in (1, 2) or array.dtype.kind not in "biuf":
            got = f"shape {array.shape} of {array.dtype}"
            wanted = "a view's name, (set, name), or numbers of shape (n,) or (components, n)"
            raise ArgumentError(argument, got, wanted)
        whole = array.reshape(1, 1, 1, -1) if array.ndim == 1 else array[:, None, None, :]
        points = array.shape[-1]
        return Place(whole, points, points, 1.0, "an array", lambda n: None)

    def _view(self, call: str, name: str, written: bool) -> Place:
        view = self._impl.view(name)
        if not written and not view.filled:
            raise StateError(f"{call} of view '{name}' came before it was populated")
        whole = self._impl.backend.ndarray(view.binding())
        points = view.filled
        return Place(
            whole, points, view.n_grid_points, 1.0, f"view '{name}'",
            lambda n: view.mark(max(points, n), me.number),
        )  # fmt: skip

    def _array(self, call: str, set: str, name: str, written: bool) -> Place:
        array = self._bound.idle_array(call, set, name, written)
        label = f"'{name}' of set '{set}'"
        binding, residency = array.binding, self._impl.residency
        points = array.points
        if points:
            touched = (residency.write if written else residency.read)({name: binding})
            there = residency.located(binding, name)
        else:
            touched, there = None, replace(binding, columns=binding.columns)

        if touched is not None and not written:
            touched.before(f"{call} of {label}")

        def done(_: int) -> None:
            if touched is not None:
                touched.before(f"{call} of {label}")
                touched.after()

        whole = self._impl.backend.ndarray(there)
        return Place(whole, points, points, binding.scale, label, done)
