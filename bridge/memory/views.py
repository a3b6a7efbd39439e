"""View1D and View2D: named storage for one quantity at up to a chunk of points.

What stripes are copied into and launches work on, in the backend's memory. Counts its
allocations, because a block that changes size between steps must cause none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, ClassVar

from bridge.backends.base import Backend, Binding, Box

_stamps = count(1)


class Written:
    """How many points hold values, and the order of the writing among all: of a view, or of all
    the views that one launch writes. views: how many tell by this; writer: the thread that wrote,
    a number of `viewuse`, 0 before."""

    __slots__ = ("filled", "stamp", "views", "writer")

    def __init__(self) -> None:
        self.filled = 0
        self.stamp = 0
        self.views = 0
        self.writer = 0

    def mark(self, points: int) -> None:
        self.filled = points
        self.stamp = next(_stamps)

    def mark_all(self, views: Sequence[View], points: int, thread: int) -> None:
        """The first `points` of these views, and of no other, hold new values of a thread."""
        if self.views != len(views) or self.writer != thread:
            for view in views:
                view.tell_by(self)
                view.writers.add(thread)
            self.writer = thread
        self.mark(points)


class View:
    """Storage of one quantity.

    name, unit; n_grid_points: points it can hold; columns: components per point; dtype: "float64"
    or "int32"; filled: points that hold values (0: never written); stamp: order of the latest
    writing among all views; writers: threads that have ever written it; array: the backend's
    array, shape (columns, n_grid_points), point index fastest; address: of its first element.
    """

    rank: ClassVar[int] = 2

    def __init__(
        self, backend: Backend, name: str, unit: str, n_grid_points: int, columns: int, dtype: str,
        written: Written | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.unit = unit
        self.n_grid_points = n_grid_points
        self.columns = columns
        self.dtype = dtype
        self.written = self._own = written or Written()
        self._own.views = 1
        self.writers: set[int] = set()
        self.array: Any = backend.allocate(columns, n_grid_points, dtype)
        self.address = backend.address(self.array)

    def mark(self, points: int, thread: int = 0) -> None:
        """The first `points` hold new values of a thread."""
        own = self._own
        if self.written is not own:
            self.tell_by(own)
        if own.writer != thread:
            own.writer = thread
            self.writers.add(thread)
        own.mark(points)

    def tell_by(self, written: Written) -> None:
        """From now on this says what the view holds."""
        if self.written is not written:
            self.written.views -= 1
            self.written = written
            written.views += 1

    @property
    def filled(self) -> int:
        return self.written.filled

    @property
    def stamp(self) -> int:
        return self.written.stamp

    def binding(self, first_column: int = 0, columns: int | None = None) -> Binding:
        """These columns of the view as memory of a plan."""
        step = self.array.strides[0]  # bytes from column to column; a backend may pad them
        return Binding(
            address=self.address + first_column * step,
            box=Box.flat(self.n_grid_points, step // (4 if self.dtype == "int32" else 8)),
            columns=self.columns if columns is None else columns,
            dtype=self.dtype,
            owner=self,
        )


class View1D(View):
    """One value per point."""

    rank: ClassVar[int] = 1


class View2D(View):
    """Several values per point: species, pairs, velocity components, Q."""


class Views:
    """The views of a TVImpl by name, made on first use and kept. written: makes what tells of
    each, and of launches."""

    def __init__(self, backend: Backend, n_grid_points: int) -> None:
        self._backend = backend
        self._views: dict[str, View] = {}
        self.n_grid_points = n_grid_points
        self.written: Callable[[], Written] = Written

    @property
    def allocations(self) -> int:
        """How many were made since the Frame began."""
        return len(self._views)

    def get(self, name: str) -> View | None:
        return self._views.get(name)

    def require(self, name: str, unit: str, columns: int, dtype: str, per_point: bool) -> View:
        """The view of this name; made now if it is not there yet."""
        view = self._views.get(name)
        if view is None:
            kind = View1D if per_point else View2D
            sizes = self.n_grid_points, columns, dtype
            made = kind(self._backend, name, unit, *sizes, self.written())
            view = self._views.setdefault(name, made)  # another thread may have made it meanwhile
        return view

    def names(self) -> list[str]:
        return list(self._views)
