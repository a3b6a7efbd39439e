"""From a 4-D fringe array to a flat view and back, by stripe: all fringe arithmetic is here.

`Bounds` checks what a caller says about its array and turns it into a `Box` and the `Fringe`
around it; a `StripeTransfer` moves one stripe between that box and a view through the backend's
packing kernels. Nothing else in the package computes with positions of storage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Protocol, cast

from bridge.backends.base import ITEMSIZES, Backend, Binding, Box
from bridge.errors import ArgumentError
from bridge.memory.views import View
from bridge.memory.viewuse import OneCall, foreign, this_thread
from bridge.plan.fringe import Fringe, Widths
from bridge.timers import Timer

if TYPE_CHECKING:
    from bridge.backends.base import NativeBackend, NativeCopy
    from bridge.timers.ledger import Stripes

#: Bytes that a process can address on x86-64.
ADDRESS_SPACE = 1 << 47
#: The largest int of bridge.h, in which every size and position comes.
LARGEST_INT = (1 << 31) - 1

_AXES = (("x", "nx", "SptX", "EptX"), ("y", "ny", "SptY", "EptY"), ("z", "nz", "SptZ", "EptZ"))


@dataclass(frozen=True)
class Bounds:
    """Extents of a 4-D array and of its interior, 1-based inclusive, as the caller gives them.

    extent: (nx, ny, nz), fringes included; start, end: first and last interior position along
    x, y, z; data_start, data_end: first and last component; n_data: components the array has
    (negative: component first; 0: not known, component last).
    """

    extent: tuple[int, int, int]
    start: tuple[int, int, int]
    end: tuple[int, int, int]
    data_start: int
    data_end: int
    n_data: int = 0

    @classmethod
    def from_twelve(cls, bounds: list[int]) -> Bounds:
        """nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, nData."""
        if len(bounds) != 12:
            raise ArgumentError("bounds", f"{len(bounds)} integers", "12 integers")
        nx, ny, nz, sx, ex, sy, ey, sz, ez, data_start, data_end, n_data = map(int, bounds)
        found = cls((nx, ny, nz), (sx, sy, sz), (ex, ey, ez), data_start, data_end, n_data)
        if n_data == 0 and found.columns and not found.is_empty:
            raise ArgumentError("nData", 0, "the number of components (negative: component first)")
        return found

    @property
    def columns(self) -> int:
        """Components, 0 where EptData is less than SptData."""
        return max(self.data_end - self.data_start + 1, 0)

    @property
    def is_empty(self) -> bool:
        """Whether an axis has no positions (EptX is less than SptX): then there are no points, and
        it does not matter where that axis would begin and end, nor with which components."""
        return any(end < start for start, end in zip(self.start, self.end, strict=True))

    @property
    def fringe(self) -> Fringe:
        """Layers around the interior."""
        sides = [*zip(self.extent, *self._cut(), strict=True)]
        if any(not 1 <= start <= end + 1 <= n + 1 for n, start, end in sides):
            return Fringe()  # of no points, in an array that has none along another axis either
        low = [start - 1 for _, start, _ in sides]
        high = [n - end for n, _, end in sides]
        return Fringe((low[0], low[1], low[2]), (high[0], high[1], high[2]))

    def _cut(self) -> tuple[Widths, Widths]:
        """Start and end, where those of an axis without positions are a cut between two of the
        array: a loop of no rounds may begin and end anywhere."""
        starts, ends = [], []
        for n, start, end in zip(self.extent, self.start, self.end, strict=True):
            cut = end < start
            starts.append(min(max(start, 1), n + 1) if cut else start)
            ends.append(starts[-1] - 1 if cut else end)
        return (starts[0], starts[1], starts[2]), (ends[0], ends[1], ends[2])

    @property
    def reversed(self) -> str:
        """The first axis whose end comes before its start by more than a position, "" for none:
        the ends may have been mixed up."""
        for (_, _, first, last), n, start, end in zip(
            _AXES, self.extent, self.start, self.end, strict=True
        ):
            if n and end < start - 1:
                return f"{first} = {start}, {last} = {end}"
        return ""

    def check(self, itemsize: int = 8) -> None:
        """Raise ArgumentError, naming the argument, where the numbers contradict each other.

        An interior without points is legal, wherever the axis without positions has its start and
        end; along the other ones positions of the array are asked for, where it has some.
        itemsize: bytes of an element.
        """
        empty = self.is_empty
        axes = zip(_AXES, self.extent, self.start, self.end, strict=True)
        for (axis, n_name, start_name, end_name), n, start, end in axes:
            if n < 0:
                raise ArgumentError(n_name, n, f"0 or more points along {axis}")
            if empty and (n == 0 or end < start):
                continue
            if n == 0:
                wanted = f"less than {start_name} = {start}, as {n_name} = 0"
                raise ArgumentError(end_name, end, wanted)
            if not 1 <= start <= n:
                raise ArgumentError(start_name, start, f"a position from 1 to {n_name} = {n}")
            if end > n:
                raise ArgumentError(
                    end_name, end, f"a position from {start_name} = {start} to {n_name} = {n}"
                )
        if self.columns and not empty:
            if self.data_start < 1:
                raise ArgumentError("SptData", self.data_start, "a component from 1")
            if self.n_data and self.data_end > abs(self.n_data):
                raise ArgumentError(
                    "EptData", self.data_end, f"a component up to |nData| = {abs(self.n_data)}"
                )
        if abs(self.n_data) > LARGEST_INT:  # C cannot change the sign of its least int
            raise ArgumentError("nData", self.n_data, f"at most {LARGEST_INT} components")
        self._check_size(itemsize)

    def _check_size(self, itemsize: int) -> None:
        """Raise ArgumentError where no memory can hold the array; a few wrong numbers do that."""
        components = abs(self.n_data) or max(self.data_end, 0)
        size = math.prod(self.extent) * components * itemsize
        if size > ADDRESS_SPACE:
            raise ArgumentError(
                "nx, ny, nz",
                f"{' x '.join(map(str, self.extent))} points of {components} components, "
                f"{size} bytes",
                f"an array within the {ADDRESS_SPACE} bytes that a process can address",
            )

    def place(self, address: int, columns: int) -> Binding:
        """The interior of an array that is checked."""
        return Binding(address, self.box(), columns, fringe=self.fringe)

    def box(self) -> Box:
        """Where the interior lies in memory, counted from the array's first element."""
        nx, ny, nz = self.extent
        if self.n_data < 0:
            point, data = -self.n_data, 1
        else:
            point, data = 1, nx * ny * nz
        stride = (point, point * nx, point * nx * ny)
        starts, ends = self._cut()
        x, y, z = (end - start + 1 for start, end in zip(starts, ends, strict=True))
        offset = (self.data_start - 1) * data
        offset += sum((s - 1) * step for s, step in zip(starts, stride, strict=True))
        return Box((x, y, z), stride, data, offset)


class BoundsOfArray(Protocol):
    """`Bounds`, or those of many blocks; start: SptX, SptY, SptZ, or those of each."""

    @property
    def start(self) -> Any: ...
    @property
    def data_start(self) -> int: ...
    @property
    def data_end(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def is_empty(self) -> bool: ...
    @property
    def reversed(self) -> str: ...
    def check(self, itemsize: int = 8) -> None: ...
    def place(self, address: int, columns: int) -> Binding: ...


@dataclass(frozen=True)
class HostArray:
    """An array of the host as it is bound: address of its first element, its bounds, the factor
    on the way in (a divisor on the way out), what keeps it alive, the type of its elements, and
    whether it is a section of a larger array, some of whose memory the bounds name too."""

    address: int
    bounds: BoundsOfArray
    scale: float = 1.0
    owner: Any = None
    dtype: str = "float64"
    section: bool = False

    def check(self) -> None:
        """Raise ArgumentError for an unknown type or bounds that contradict each other."""
        if self.dtype not in ITEMSIZES:
            raise ArgumentError("type", self.dtype, f"one of {', '.join(ITEMSIZES)}")
        self.bounds.check(ITEMSIZES[self.dtype])


class StripeTransfer:
    """A checked request to move stripes between one fringe array and one view.

    Made once per array and kept by the caller, so that a stripe costs two comparisons, the copy
    and a timer. It belongs to the thread that made it.

    view, points: of the array; timer: of its stripes; call: what messages say of one; counted:
    where a ledger counts its stripes, each as one copy; None: nobody does.
    """

    __slots__ = (
        "_backend",
        "_binding",
        "view",
        "points",
        "_inward",
        "timer",
        "_use",
        "call",
        "_thread",
        "counted",
    )

    def __init__(
        self,
        backend: Backend,
        view: View,
        address: int,
        bounds: Bounds,
        inward: bool,
        timer: Timer,
        use: OneCall | None = None,
    ) -> None:
        """Raises ArgumentError where the bounds cross or the width is not the view's.

        use: what all users of the views share.
        """
        bounds.check()
        if bounds.columns != view.columns:
            raise ArgumentError(
                "EptData",
                f"SptData..EptData = {bounds.data_start}..{bounds.data_end}, "
                f"{bounds.columns} components",
                f"the {view.columns} of view '{view.name}'",
            )
        self._backend = backend
        self._binding = Binding(address, bounds.box(), bounds.columns)
        self.points = self._binding.box.points
        self.view = view
        self._inward = inward
        self.timer = timer
        self._use = use or OneCall()
        self.call = f"{timer.name} of view '{view.name}'"
        self._thread = this_thread()
        self.counted: Stripes | None = None

    @property
    def bytes_per_point(self) -> int:
        """That a stripe moves."""
        return self._binding.columns * self._binding.itemsize

    @property
    def native(self) -> NativeCopy:
        """What moves a stripe, for callers that are no Python."""
        backend = cast("NativeBackend", self._backend)
        return backend.copy(self._binding, self.view.array, self._inward)

    def run(self, stripe_start: int, stripe_end: int) -> int:
        """Move interior points stripe_start..stripe_end (1-based); returns how many."""
        n = stripe_end - stripe_start + 1
        view = self.view
        if stripe_start < 1 or stripe_end > self.points or n < 0 or n > view.n_grid_points:
            self._refuse(stripe_start, stripe_end)
        use, thread = self._use, self._thread
        try:
            use.take()
        except IndexError:
            raise use.refused(self.call) from None
        try:
            use.call = self.call
            start = perf_counter_ns()
            if self._inward:
                self._backend.pack(self._binding, stripe_start - 1, n, view.array)
                view.mark(n, thread)
            else:
                written = view.written
                if n > written.filled or written.writer != thread:
                    self._check_extract(n)
                self._backend.unpack(view.array, self._binding, stripe_start - 1, n)
            self.timer.past(start, perf_counter_ns())
            counted = self.counted
            if counted is not None:
                if counted.active:
                    counted.within(n)
                else:  # here and not in a call: it may be short
                    counted.calls += 1
                    counted.points += n
        finally:
            use.give(None)
        return n

    def _check_extract(self, n: int) -> None:
        """Whether the view holds n points, and what this thread has put there last, if it has."""
        view = self.view
        if n > view.filled:
            raise ArgumentError(
                "stripeEnd",
                f"a stripe of {n} points",
                f"at most the {view.filled} points that view '{view.name}' holds",
            )
        if self._thread in view.writers and view.written.writer != self._thread:
            raise foreign(self.call, view.name)

    def _refuse(self, start: int, end: int) -> None:
        if start < 1:
            raise ArgumentError("stripeStart", start, f"a point from 1 to {self.points}")
        if end > self.points:
            raise ArgumentError("stripeEnd", end, f"at most the block's {self.points} points")
        if end < start - 1:
            raise ArgumentError("stripeEnd", end, f"at least stripeStart - 1 = {start - 1}")
        raise ArgumentError(
            "stripeEnd",
            f"a stripe of {end - start + 1} points",
            f"at most nGridPoints = {self.view.n_grid_points}",
        )
