"""Gather, scatter, scan, split, sort by key and transposition, by NumPy or CuPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bridge.bound.boundsets import BoundSets
from bridge.errors import ArgumentError
from bridge.memory.hostarrays import integer
from bridge.primitives.operands import Operand, Operands, Place
from bridge.primitives.points import checked_points, moved, namespace, of_one_column
from bridge.tvimpl import TVImpl


class Primitives:
    """What `tv.primitives` is.

    An operand is a view by its name, a bound array as (set, name), or an array of shape (n,) or
    (components, n). Points are numbered from `first` (0), x fastest, through the interior of a
    set or through a view. Values are in the unit of the catalogue. Results are arrays of NumPy, or
    of CuPy where the operand lies on the device; they are there when a call returns. ArgumentError
    for what is none of these, before anything is written; StateError while a run of the set is
    pending.
    """

    def __init__(self, impl: TVImpl, bound: BoundSets, first: int = 0) -> None:
        self._impl = impl
        self._first = first
        self._operands = Operands(impl, bound)

    def values(self, operand: Operand) -> Any:
        """A copy of all values: (n,), or (components, n) of several."""
        return self._run("values", operand, lambda: _one(self._place("values", operand).all()))

    def active(self, mask: Operand) -> Any:
        """Numbers of the points where a mask, or a flag, is not 0, in their order."""
        return self.split(mask, "active")[0]

    def gather(self, operand: Operand, points: Any) -> Any:
        """Values of some points: (m,), or (components, m)."""

        def work() -> Any:
            place = self._place("gather", operand)
            which = checked_points(place.xp, points, place.points, False, self._first)
            return _one(place.take(which))

        return self._run("gather", operand, work)

    def scatter(self, values: Any, points: Any, target: Operand, passes: int = 1) -> None:
        """Values (m,) or (components, m) to some points of a view, a set's array bound "out" or
        "inout", or an array; the others keep theirs.

        No point may come twice. passes: the target is written in so many parts, one after the
        other, so that each stays in a cache. A view gets as many points as there are values where
        it had fewer.
        """
        if integer("passes", passes) < 1:
            raise ArgumentError("passes", passes, "at least 1")
        self._run("scatter", target, lambda: self._scatter(values, points, target, passes))

    def _scatter(self, values: Any, points: Any, target: Operand, passes: int) -> None:
        place = self._operands.place("scatter", "target", target, written=True)
        xp, columns = place.xp, place.array.shape[0]
        size = int(np.size(points)) if not hasattr(points, "size") else int(points.size)
        n = max(place.points, size)
        if n > place.room:
            got, wanted = f"{size} points", f"at most the {place.room} of {place.label}"
            raise ArgumentError("points", got, wanted)
        which = checked_points(xp, points, n, True, self._first)
        given = moved(xp, values)
        wanted_shape = (columns, size)
        if given.shape != wanted_shape and not (columns == 1 and given.shape == (size,)):
            shape = f"shape {wanted_shape}" + (f" or ({size},)" if columns == 1 else "")
            raise ArgumentError("values", f"shape {given.shape}", shape)
        stored = place.stored(given.reshape(wanted_shape))
        edges = [n * part // passes for part in range(passes + 1)]
        for low, high in zip(edges, edges[1:], strict=False):
            if passes == 1:
                place.put(which, stored)
            else:
                here = (which >= low) & (which < high)
                place.put(which[here], stored[:, here])
        place.done(n)

    def scan(self, operand: Operand, exclusive: bool = False) -> Any:
        """Sums of all values up to each point, of each component; exclusive: without its own.
        Integers and flags give 64-bit integers. The order of additions is NumPy's or CuPy's."""

        def work() -> Any:
            found = self._place("scan", operand).all()
            xp = namespace(found)
            dtype = np.int64 if found.dtype.kind in "biu" else np.float64
            sums = xp.cumsum(found, axis=1, dtype=dtype)
            if exclusive:
                before = xp.zeros_like(sums)
                before[:, 1:] = sums[:, :-1]
                sums = before
            return _one(sums)

        return self._run("scan", operand, work)

    def split(self, flags: Operand, call: str = "split") -> tuple[Any, Any]:
        """Numbers of the points where a flag is not 0, and of those where it is; both in their
        order. One behind the other they are a stable partition."""

        def work() -> tuple[Any, Any]:
            found = of_one_column("flags", self._place(call, flags).all())
            xp = namespace(found)
            on = found != 0
            return xp.flatnonzero(on) + self._first, xp.flatnonzero(~on) + self._first

        found: tuple[Any, Any] = self._run(call, flags, work)
        return found

    def sort_by_key(self, keys: Operand) -> Any:
        """Numbers of the points in the order of their keys, the least first, NaN last; of equal
        keys in their own order. `gather` by these sorts what belongs to the keys."""

        def work() -> Any:
            found = of_one_column("keys", self._place("sort_by_key", keys).all())
            return namespace(found).argsort(found, kind="stable") + self._first

        return self._run("sort_by_key", keys, work)

    def transpose(self, operand: Operand) -> Any:
        """All values with the components of a point side by side: (n, components), contiguous,
        which is component first to Fortran. Of an array the axes change places, so that this is
        the way back as well."""

        def work() -> Any:
            found = self._place("transpose", operand).all()
            return namespace(found).ascontiguousarray(found.T)

        return self._run("transpose", operand, work)

    def _place(self, call: str, operand: Operand) -> Place:
        return self._operands.place(call, "operand", operand)

    def _run(self, call: str, operand: Operand, work: Callable[[], Any]) -> Any:
        with self._impl.backend.working(), self._impl.timers[f"primitive {call}"]:
            return self._impl.use.alone(call, work) if isinstance(operand, str) else work()


def _one(values: Any) -> Any:
    return values[0] if values.shape[0] == 1 else values
