"""Constants of kernel packs: values that the host gives by name, the same at every point.

Beside `views`, owned by TVImpl. All values of a Frame lie in one block of memory that stays where
it is: programs read it as it is at each run, so that a new value costs no new program.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Sequence
from typing import Any

import numpy as np

from bridge.arguments import real_numbers
from bridge.backends.base import Backend, Binding, Box, ConstantPlace
from bridge.errors import ArgumentError, StateError
from bridge.memory.views import Written
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import LARGEST, Constant

#: Kinds of NumPy numbers that a constant takes, by its type, and what they are called.
_KINDS = {
    "float64": ("fiu", "finite real numbers"),
    "int32": ("iu", "integers of 32 bits"),
    "logical": ("b", "logicals"),
}


class ConstantView:
    """What a launch on views reads for a constant: a view in which every point has one value.

    values: of the columns; written: all points or none, and when that was said. place: where its
    latest value is, once a device may have set it.
    """

    def __init__(self, constant: Constant, values: np.ndarray, points: int) -> None:
        self.constant = constant
        self.name = constant.name
        self.columns = len(values)
        self._values = values
        self.place: ConstantPlace | None = None
        self.written = Written()
        self.writers: set[int] = set()
        self._points = points
        if constant.value is not None:
            values[...] = constant.value
            self.written.filled = points

    @property
    def values(self) -> np.ndarray:
        """The latest ones."""
        if self.place is not None:
            self.place.settle()
        return self._values

    @property
    def memory(self) -> np.ndarray:
        """Where the host gives them, whatever they are now."""
        return self._values

    @property
    def address(self) -> int:
        """Of this memory."""
        return int(self._values.ctypes.data)

    def give(self, values: np.ndarray) -> None:
        """New ones, whatever they were."""
        self._values[...] = values

    @property
    def filled(self) -> int:
        return self.written.filled

    @property
    def stamp(self) -> int:
        return self.written.stamp

    def mark(self, thread: int) -> None:
        """The thread has given a value."""
        self.written.mark(self._points)
        self.written.writer = thread
        self.writers = {thread}

    def binding(self, first_column: int = 0, columns: int | None = None) -> Binding:
        """The values as memory of a plan on views."""
        assert first_column == 0 and columns in (None, self.columns)
        return self.on(Box.flat(self._points, 1))

    def on(self, box: Box, group: str = "") -> Binding:
        """The values as memory of a plan on the points of a box: every stride is 0."""
        box = Box(box.extent, (0, 0, 0), 1)
        return Binding(
            self.address,
            box,
            self.columns,
            dtype=self.constant.dtype,
            owner=self._values,
            group=group,
        )


class Constants:
    """All constants of a Frame by name.

    backend: which reads them; points: that a launch on views has at most.
    """

    def __init__(self, backend: Backend, catalogue: Catalogue, ns: int, points: int) -> None:
        self._backend = backend
        self._catalogue = catalogue
        self._views: dict[str, ConstantView] = {}
        declared = catalogue.constants
        widths = {name: catalogue.columns(name, ns) for name in declared}
        self._block = np.zeros(sum(widths.values()))
        first = 0
        for name, constant in declared.items():
            place = self._block[first : first + widths[name]]
            values = place.view(constant.dtype)[: widths[name]]
            self._views[name] = ConstantView(constant, values, points)
            first += widths[name]
        if declared:
            backend.set_constants(self._block)

    def tell_by(self, written: Callable[[], Written]) -> None:
        """What is made so tells of them from now on; nobody has given any yet."""
        for view in self._views.values():
            filled, view.written = view.filled, written()
            view.written.filled = filled

    def get(self, name: str) -> ConstantView | None:
        return self._views.get(name)

    def items(self) -> ItemsView[str, ConstantView]:
        return self._views.items()

    def checked(self, name: str, value: Any) -> np.ndarray:
        """What `give` may be told; ArgumentError where it is none for this constant."""
        constant = self._catalogue.constant(name)
        return converted(constant, value, self._views[name].columns)

    def give(self, name: str, values: np.ndarray, thread: int) -> None:
        """New values, for every run and launch from now on."""
        self.give_all((name,), (values,), thread)

    def checked_numbers(
        self, names: str, values: Sequence[float]
    ) -> tuple[tuple[str, ...], list[np.ndarray]]:
        """The names, and what `give_all` may be told."""
        listed = tuple(names.split())
        if len(values) != len(listed):
            raise ArgumentError("values", f"{len(values)} values", f"{len(listed)}, one a name")
        given = []
        for name, value in zip(listed, values, strict=True):
            constant = self._catalogue.constant(name)
            number: float | int | bool = value
            if constant.type != "float64":
                most = LARGEST["int32"] if constant.type == "int32" else 1
                if not 0 <= abs(value) <= most or value != int(value) or \
                        (constant.type == "logical" and value < 0):  # fmt: skip
                    wanted = "0 or 1" if constant.type == "logical" else _KINDS["int32"][1]
                    raise ArgumentError(f"value of '{name}'", repr(value), wanted)
                number = bool(value) if constant.type == "logical" else int(value)
            given.append(converted(constant, number, self._views[name].columns))
        return listed, given

    def give_all(self, names: Sequence[str], given: Sequence[np.ndarray], thread: int) -> None:
        """`give` of several, of which the backend hears once; what is given again, as a ported
        nest does before each run, goes no further than that."""
        for name, values in zip(names, given, strict=True):
            view = self._views[name]
            view.give(values)
            view.mark(thread)
        self._backend.set_constants(self._block)

    def place_of(self, name: str) -> ConstantPlace:
        """Where the latest value of a constant is that is one number of real(8)."""
        view = self._views[name]
        if view.place is None:
            view.place = self._backend.constant_place(view.address)
        return view.place

    def need(self, launch: str, names: Iterable[str]) -> None:
        """StateError where one of these has no value."""
        for name in names:
            view = self._views.get(name)
            if view is not None and not view.filled:
                raise StateError(
                    f"{launch} needs the constant '{name}' of {view.constant.file}, and nobody "
                    f"gave its value: call frame_constant('{name}', ...) first"
                )


def converted(constant: Constant, value: Any, columns: int) -> np.ndarray:
    """A value as an array of `columns` numbers of the constant's type."""
    kinds, wanted = _KINDS[constant.type]
    if type(value) is float and constant.type == "float64" and constant.columns == "1" and \
            abs(value) <= LARGEST["float64"]:  # fmt: skip
        return np.array([value])  # what a ported nest gives before each run
    argument = f"value of '{constant.name}'"
    logical = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    if constant.type == "float64" and not logical:
        array = real_numbers(argument, value, constant.unit)
    else:
        array = np.asarray(value)
    shape = () if constant.columns == "1" else (columns,)
    if array.dtype.kind not in kinds:
        raise ArgumentError(argument, f"{array.dtype} {value!r}", wanted)
    if array.shape != shape and not (shape == () and array.shape == (1,)):
        shown = f"an array of {columns} values" if shape else "one value"
        raise ArgumentError(argument, f"shape {array.shape}", shown)
    array = array.reshape(columns)
    if not all(abs(one) <= LARGEST[constant.type] for one in array.tolist()):
        raise ArgumentError(argument, repr(value), wanted)
    return array.astype(constant.dtype)
