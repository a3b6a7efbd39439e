"""SetArrays: the arrays of a set as NumPy or CuPy arrays, for Python of the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.backends.base import Backend, Binding
from bridge.bound.pointsets import PointSet
from bridge.bound.positions import position_bindings
from bridge.bound.setarrays import BoundArray
from bridge.errors import ArgumentError, StateError, known_start
from bridge.physics.species import SpeciesData
from bridge.plan.inputs import ALIASES, POSITIONS
from bridge.prepared import GENERATION
from bridge.resident.uses import Touched
from bridge.tvimpl import TVImpl


@dataclass(frozen=True)
class Surroundings:
    """What SetArrays need of the Frame; layout: columns of Q; communicator: None where the host
    gave none; verified: whether changes of what is only read are looked for."""

    impl: TVImpl
    layout: tuple[str, ...]
    ns: int
    rank: int
    communicator: Any
    species: SpeciesData | None
    verified: bool


@dataclass
class Taken:
    """An array that was handed out; touched: what has to know of it, None where nothing has;
    before: its values then, where they are looked at again."""

    name: str
    array: Any
    written: bool
    touched: Touched | None
    before: Any = None


class SetArrays:
    """The arrays of one set, where they lie: `set["rho"]`, or `set.rho`. `set.rho = values` puts
    values into the array.

    An array has the shape (nx, ny, nz), or (nx, ny, nz, components), of the set's interior; no
    value is copied, and values are in the unit of the host, times `scale(name)` in that of the
    catalogue. A resident array is CuPy's on the device, any other NumPy's. Arrays bound "in" are
    read-only on the CPU. A GPU does not refuse to write them: BRIDGE_VERIFY finds the change. An
    array bound "out" or "inout" that was taken counts as written; `read` takes one that is only
    looked at.

    All of it is valid until the function returns, or the `with` block ends: the host may move or
    free its arrays after that.

    name: of the set; shape: points of the interior along x, y, z; block: its number from 0 where
    it is one of many; values, text: what the caller gave.
    """

    def __init__(
        self, point_set: PointSet, around: Surroundings, label: str, block: int | None = None
    ) -> None:
        self.name = point_set.name
        self.block = block
        self.values: np.ndarray = NO_VALUES
        self.text = ""
        self._set = point_set
        self._state = point_set.prepared.state
        self._around = around
        self._label = label
        self._taken: dict[tuple[str, bool, bool], Taken] = {}
        #: Handed out in this call, in this order.
        self._now: list[Taken] = []
        self._open = False
        self._blocks: tuple[SetArrays, ...] | None = None
        self._generation = -1

    # ---- arrays -----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """The interior of an array, to be written where the host bound it "out" or "inout"."""
        return self._array(name, whole=False, read=False)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except ArgumentError as error:
            raise AttributeError(str(error)) from None

    def __setitem__(self, name: str, value: Any) -> None:
        """Put values into the interior, as `set[name][...] = value` does."""
        array = self[name]
        if not self._taken[name, False, False].written:
            got = f"'{name}' of set '{self.name}', which is only read"
            raise ArgumentError("name", got, "an array of the set that is bound 'out' or 'inout'")
        if value is not array:  # as it is behind set.rho += 1
            array[...] = value

    def __setattr__(self, name: str, value: Any) -> None:
        # no other attribute: it would stand before the array of its name in later calls
        if name.startswith("_") or name in _OWN:
            super().__setattr__(name, value)
            return
        try:
            self[name] = value
        except ArgumentError as error:
            raise AttributeError(str(error)) from None

    def read(self, name: str) -> Any:
        """The interior of an array that is only looked at."""
        return self._array(name, whole=False, read=True)

    def whole(self, name: str, read: bool = False) -> Any:
        """An array with its fringe; read: whether it is only looked at."""
        return self._array(name, whole=True, read=read)

    def names(self) -> list[str]:
        """Arrays of the set, those that it reads of other sets among them."""
        return [*self._set.arrays, *self._set.of_others]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._held(name) is not None

    def scale(self, name: str) -> float:
        """What values of an array are multiplied with to be in the unit of the catalogue."""
        return self._known(name).binding.scale

    @property
    def shape(self) -> tuple[int, int, int]:
        binding = self._set.any_binding
        return (binding if self.block is None else binding.block(self.block)).box.extent

    @property
    def blocks(self) -> tuple[SetArrays, ...]:
        """The same of each block of a set of many, also of those without points."""
        self._check_open()
        if self.block is not None or not self._set.of_blocks:
            return (self,)
        if self._blocks is None:
            blocks = self._set.any_binding.blocks
            assert blocks is not None
            self._blocks = tuple(
                SetArrays(self._set, self._around, self._label, n) for n in range(blocks.count)
            )
        for one in self._blocks:
            one._begin(self.values, self.text)
        return self._blocks

    def _held(self, name: str) -> BoundArray | None:
        around = self._around
        return self._set.held(ALIASES.get(name, name), around.layout, around.ns)

    def _known(self, name: str) -> BoundArray:
        held = self._held(name)
        if held is None:
            names = self.names()
            wanted = f"an array of set '{self.name}' ({', '.join(names)})"
            raise ArgumentError("name", repr(name), wanted, known_start(name, names))
        return held

    def _array(self, name: str, whole: bool, read: bool) -> Any:
        self._check_open()
        key = name, whole, read
        taken = self._taken.get(key)
        if taken is None:
            taken = self._taken[key] = self._take(name, whole, read)
        if taken.touched is not None and not any(one is taken for one in self._now):
            if not taken.written:
                taken.touched.before(self._label)
                if self._around.verified:
                    taken.before = _bytes_of(taken.array)
            self._now.append(taken)
        return taken.array

    def _take(self, name: str, whole: bool, read: bool) -> Taken:
        held, impl = self._known(name), self._around.impl
        if self._set.of_blocks and self.block is None:
            got = f"'{name}' of set '{self.name}', which has many blocks"
            raise ArgumentError("name", got, "an array of one block: set.blocks[0]")
        binding = self._wide(name, held) if whole else held.binding
        canonical = held.name
        written = held.written and not read and canonical in self._set.arrays
        touched = None
        if binding.elements:
            residency = impl.residency
            touched = (residency.write if written else residency.read)({canonical: binding})
            binding = residency.located(binding, canonical)
        if self.block is not None:
            binding = binding.block(self.block)
        array = self._ndarray(impl.backend, binding, canonical, written)
        return Taken(name, array, written, touched)

    def _wide(self, name: str, held: BoundArray) -> Binding:
        """The binding of all points of an array."""
        if held.whole.section:
            got = f"'{name}' of set '{self.name}', a section of a larger array"
            raise ArgumentError("name", got, "an array bound whole: nobody knows where it ends")
        if held.whole.arrays is not None:
            return held.whole.arrays
        return held.binding.grown(held.binding.fringe)

    def _ndarray(self, backend: Backend, binding: Binding, name: str, written: bool) -> Any:
        array = backend.ndarray(binding).T  # (nx, ny, nz, components)
        catalogue = self._around.impl.catalogue
        several = name == "Q" or catalogue.quantity(name).columns != "1"
        array = array if several else array[..., 0]
        if not written and isinstance(array, np.ndarray):
            array.flags.writeable = False
        return array

    # ---- what else a function may ask for ---------------------------------------------------

    @property
    def xp(self) -> Any:
        """The package of the arrays: CuPy where one of them lies on a device, else NumPy."""
        self._check_open()
        around = self._around
        for name in self._set.arrays:
            binding = around.impl.residency.located(self._set.arrays[name].binding, name)
            if binding.resident and around.impl.backend.name != "cpu":
                import cupy

                return cupy
        return np

    @property
    def positions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions i, j, k of the points as the host counts them: arrays of shape (nx, 1, 1),
        (1, ny, 1) and (1, 1, nz)."""
        first = position_bindings(POSITIONS, self.name, self._set.arrays, self._set.first)
        found = []
        for axis, name in enumerate(POSITIONS):
            binding = first[name] if self.block is None else first[name].block(self.block)
            shape = [1, 1, 1]
            shape[axis] = binding.box.extent[axis]
            found.append((binding.box.offset + np.arange(shape[axis])).reshape(shape))
        return found[0], found[1], found[2]

    @property
    def constants(self) -> Mapping[str, Any]:
        """Values of the constants of kernel packs that have some: numbers, arrays of several."""
        given = {name: one for name, one in self._around.impl.constants.items() if one.filled}
        return {
            name: one.values.copy() if one.columns > 1 else one.values[0].item()
            for name, one in given.items()
        }

    @property
    def species(self) -> SpeciesData | None:
        """Names and constants of the species; None in a Frame without."""
        return self._around.species

    @property
    def rank(self) -> int:
        """Of this process."""
        return self._around.rank

    @property
    def comm(self) -> Any:
        """A communicator of mpi4py for the functions of all ranks, made when all of them first ask
        for it. StateError where the host gave none."""
        communicator = self._around.communicator
        if communicator is None:
            raise StateError(
                f"set.comm in {self._label}: the Frame has no communicator: call "
                "frame_initialize with comm"
            )
        return communicator.for_functions()

    def __repr__(self) -> str:
        block = "" if self.block is None else f" of block {self.block}"
        points = " x ".join(map(str, self.shape)) if not self._many else "many blocks"
        return f"<arrays of set '{self.name}'{block}, {points}: {', '.join(self.names())}>"

    @property
    def _many(self) -> bool:
        return self.block is None and self._set.of_blocks

    # ---- one call ---------------------------------------------------------------------------

    def _check_open(self) -> None:
        if not self._open:
            raise StateError(
                f"arrays of set '{self.name}' outside of the call that they were given to: keep "
                "copies, the host may move its arrays"
            )

    def _begin(self, values: np.ndarray, text: str) -> None:
        generation = self._state[GENERATION]
        if self._generation != generation:
            self._taken.clear()
            self._blocks = None
            self._generation = generation
        own = self.__dict__  # at once: __setattr__ takes longer
        own["_open"], own["values"], own["text"] = True, values, text

    def _end(self) -> Sequence[str]:
        """Arrays that were taken to be written count as written, whether they were or not. Names
        of those that were only to be read and have changed, where that is looked for."""
        self.__dict__["_open"] = False
        if not self._now and self._blocks is None:
            return ()
        changed: list[str] = []
        for taken in self._now:
            assert taken.touched is not None
            if taken.written:
                taken.touched.before(self._label)
                taken.touched.after()
            elif taken.before is not None:
                if not bool((_bytes_of(taken.array) == taken.before).all()):
                    changed.append(taken.name)
                taken.before = None
        self._now.clear()
        for one in self._blocks or ():
            if one._open:
                changed += one._end()
        return changed


#: Attributes that are no arrays, and can be set.
_OWN = frozenset(("name", "block", "values", "text"))
#: What a function finds that is given none.
NO_VALUES = np.empty(0)
NO_VALUES.flags.writeable = False


def _bytes_of(array: Any) -> Any:
    """A copy of an array's memory as bytes, in which a NaN is equal to itself."""
    copy = array.copy(order="C")
    return copy.reshape(-1).view(np.uint8)
